# SPDX-FileCopyrightText: The inertia_tools authors
# SPDX-License-Identifier: Apache-2.0
"""Kinematics and dynamics of a simulation in its current state."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass

import numpy as np

from inertia_tools.errors import OptionError, SimulationError
from inertia_tools.sim.dynamics.tree import Tree
from inertia_tools.sim.dynamics.tree_motion import TreeMotion
from inertia_tools.sim.scene.body_motion import BodyMotion
from inertia_tools.sim.scene.given import as_finite, as_finite_vector, as_list, as_named, as_numbers
from inertia_tools.sim.simulation.placing import Placing
from inertia_tools.spatial import Array, ArrayLike, Pose


@dataclass(frozen=True, eq=False)
class DofGains:
    """Stiffness and damping along the degrees of freedom of a scene, one entry each.

    Attributes:
        spring: Stiffness of springs in the joints [N m/rad or N/m], shape (dofs,).
        damping: Viscous damping of the joints [N m s/rad or N s/m], shape (dofs,).
        drive_stiffness: Stiffness of drives; infinite where one holds rigidly, shape (dofs,).
        drive_damping: Damping of drives, shape (dofs,).
    """

    spring: Array
    damping: Array
    drive_stiffness: Array
    drive_damping: Array


class Knowing(Placing):
    """Equations of motion in degrees of freedom, and sums over bodies."""

    @property
    def dof_names(self) -> tuple[str, ...]:
        """Names of the degrees of freedom, in the order of all that has one entry for each.

        A joint with one has its own name, also where it is one of several of a body; one with several a number after
        it: `ball.0`. A free body has six, named
        after the link at its root: `base.x`, `.y`, `.z`, velocity of the link's origin, and `base.rx`, `.ry`, `.rz`,
        its angular velocity, in world axes.
        """
        return self._tree.names

    def dof_velocities(self) -> Array:
        """Return the rates of the degrees of freedom [rad/s or m/s], shape (dofs,)."""
        return self._tree_motion().velocities

    def jacobian(self, link: str, point: ArrayLike = (0.0, 0.0, 0.0)) -> Array:
        """Return the velocity of a point of a link for a unit rate of each degree of freedom.

        Args:
            link: Name of the link.
            point: In the link's frame [m]; its origin by default.

        Returns:
            Velocity of the point, then angular velocity of the link, world axes, shape (6, dofs).

        Raises:
            UnknownLinkError: There is no such link.
            OptionError: The point is not three finite numbers.
        """
        place, motion = self._link_place(link), self._tree_motion()
        local = as_finite_vector("point", point)
        world = (motion.motion.pose(place.body) @ place.pose_body_link).transform_points(local)
        return motion.jacobian(place.body, world)

    def dof_gains(self) -> DofGains:
        """Return stiffness and damping along the degrees of freedom, of joints and of drives."""
        built, dofs = self._built, self._tree.model_dofs

        def of_dofs(values: Array) -> Array:
            return np.where(dofs >= 0, values.astype(np.float64)[dofs], 0.0) if len(values) else np.zeros(len(dofs))

        drives = built.drives.values()
        return DofGains(
            spring=of_dofs(built.model.joint_stiffness.numpy()),
            damping=of_dofs(built.model.joint_damping.numpy()),
            drive_stiffness=of_dofs(drives["stiffness"]),
            drive_damping=of_dofs(drives["damping"]),
        )

    def mass_matrix(self) -> Array:
        """Return the mass matrix in the degrees of freedom, rotors included, shape (dofs, dofs)."""
        return self._tree_motion().mass_matrix()

    def inverse_dynamics(self, accelerations: ArrayLike | Mapping[str, float] = ()) -> Array:
        """Return the efforts that accelerations take where and as fast as everything is now.

        Args:
            accelerations: Of all degrees of freedom in their order, or of some by name, the others zero; by default all
                are zero, so that the result is what gravity and motion take [rad/s^2 or m/s^2].

        Returns:
            What drives, springs, friction, contacts and wrenches have to give together along each degree of freedom
            [N m or N], shape (dofs,). Joints that close loops and couplings give nothing.

        Raises:
            OptionError: They are not as many finite numbers, or a name is unknown.
        """
        efforts = self._as_dofs("accelerations", accelerations)
        return self._tree_motion().inverse_dynamics(efforts, self._built.model.body_falls)

    def forward_kinematics(self, positions: Mapping[str, float]) -> dict[str, Pose]:
        """Return where the links would be with joints at other positions; nothing moves.

        Args:
            positions: Of some joints [rad or m]; those that follow them go with them, the others, and what nothing
                holds, stay as they are.

        Raises:
            OptionError: A position is not finite, or is one of a joint that follows another, which is not named.
            UnknownJointError: The robot has no such joint, or it has not one coordinate.
        """
        motion = self.motion()
        there = BodyMotion(motion.inertials, self._placed({}, self._with_positions(positions), motion), motion.qd)
        links = self._built.articulation.links
        return {name: there.pose(place.body) @ place.pose_body_link for name, place in links.items()}

    def centre_of_mass(self, links: Iterable[str] | None = None) -> Array:
        """Return the common centre of mass of the bodies of some links, or of all that moves [m], shape (3,).

        Raises:
            UnknownLinkError: There is no such link.
            SimulationError: They have no mass.
        """
        motion, bodies = self.motion(), self._bodies_of(links)
        masses = [motion.inertials[body].mass for body in bodies]
        if not sum(masses) > 0.0:
            raise SimulationError("what has no mass has no centre of mass")
        return np.average([motion.com(body) for body in bodies], axis=0, weights=masses)

    def momentum(self, links: Iterable[str] | None = None, about: ArrayLike | None = None) -> tuple[Array, Array]:
        """Return the momentum of the bodies of some links, or of all that moves.

        Args:
            links: Names of links.
            about: Point about which the angular momentum is taken [m]; the common centre of mass by default.

        Returns:
            Linear momentum [N s] and angular momentum [N m s], world axes, shape (3,) each.

        Raises:
            OptionError: The point is not three finite numbers.
            UnknownLinkError: There is no such link.
            SimulationError: They have no mass.
        """
        names = None if links is None else _names(links)
        motion = self.motion()
        point = self.centre_of_mass(names) if about is None else as_finite_vector("about", about)
        linear, angular = np.zeros(3), np.zeros(3)
        for body in self._bodies_of(names):
            inertial, rotation = motion.inertials[body], motion.pose(body).rotation
            part = inertial.mass * motion.qd[body, :3]
            linear += part
            angular += np.cross(motion.com(body) - point, part)
            angular += rotation @ inertial.inertia @ rotation.T @ motion.spin(body)
        return linear, angular

    # Inside

    @property
    def _tree(self) -> Tree:
        return self._built.tree

    def _tree_motion(self) -> TreeMotion:
        armature = self._built.model.joint_armature.numpy().astype(np.float64)
        return TreeMotion(self._tree, self.motion(), armature)

    def _bodies_of(self, links: Iterable[str] | None) -> list[int]:
        """Return the bodies that contain some links, without the world; by default all that move."""
        if links is None:
            return np.flatnonzero(self._built.model.moves).tolist()
        return sorted({place.body for place in map(self._link_place, _names(links)) if place.body >= 0})

    def _as_dofs(self, name: str, given: ArrayLike | Mapping[str, float]) -> Array:
        known = self.dof_names
        values = np.zeros(len(known))
        if isinstance(given, Mapping):
            for dof, value in as_named(name, given).items():
                if dof not in known:
                    raise OptionError(name, dof, "names of degrees of freedom: " + ", ".join(known))
                values[known.index(dof)] = as_finite(f"{name} of {dof!r}", value)
            return values
        said = f"{len(known)} finite numbers, one for each of dof_names"
        numbers = as_numbers(name, given, said)
        if numbers.size and (numbers.shape != values.shape or not np.isfinite(numbers).all()):
            raise OptionError(name, given, said)
        return values + (numbers if numbers.size else 0.0)


def _names(links: Iterable[str]) -> list[str]:
    """Return the names of links that are given, of a mapping its keys."""
    return as_list("links", links.keys() if isinstance(links, Mapping) else links, "names of links")
