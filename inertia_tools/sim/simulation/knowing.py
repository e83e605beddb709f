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
        drive_stiffness: Stiffness of drives [N m/rad or N/m]; infinite for rigid drives, shape (dofs,).
        drive_damping: Damping of drives [N m s/rad or N s/m], shape (dofs,).
    """

    spring: Array
    damping: Array
    drive_stiffness: Array
    drive_damping: Array


class Knowing(Placing):
    """Equations of motion in degrees of freedom, and sums over bodies."""

    @property
    def dof_names(self) -> tuple[str, ...]:
        """Names of the degrees of freedom, in the order of all arrays with one entry for each.

        A joint with one degree of freedom gives it its name, even if its body has several joints. A joint with several
        adds a number, as in `ball.0`. A free body has six, named after its root link: `base.x`, `.y`, `.z` for the
        velocity of the link's origin, and `base.rx`, `.ry`, `.rz` for its angular velocity, in world axes.
        """
        return self._tree.names

    def dof_velocities(self) -> Array:
        """Return the velocities of the degrees of freedom [rad/s or m/s], shape (dofs,)."""
        return self._tree_motion().velocities

    def jacobian(self, link: str, point: ArrayLike = (0.0, 0.0, 0.0)) -> Array:
        """Return the Jacobian of a point of a link: its velocity per unit velocity of each degree of freedom.

        Args:
            link: Name of the link.
            point: Point in the link's frame [m], shape (3,); by default its origin.

        Returns:
            Rows for the velocity of the point, then for the angular velocity of the link, world axes, shape (6, dofs).

        Raises:
            UnknownLinkError: There is no such link.
            OptionError: The point is not three finite numbers.
        """
        place, motion = self._link_place(link), self._tree_motion()
        local = as_finite_vector("point", point)
        world = (motion.motion.pose(place.body) @ place.pose_body_link).transform_points(local)
        return motion.jacobian(place.body, world)

    def dof_gains(self) -> DofGains:
        """Return the stiffness and damping of joints and drives along the degrees of freedom."""
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
        """Return the joint-space mass matrix, armature included, shape (dofs, dofs)."""
        return self._tree_motion().mass_matrix()

    def inverse_dynamics(self, accelerations: ArrayLike | Mapping[str, float] = ()) -> Array:
        """Return the efforts required for given accelerations at the current positions and velocities.

        Args:
            accelerations: Accelerations of all degrees of freedom in their order, shape (dofs,), or of some by name,
                with the others zero [rad/s^2 or m/s^2]. By default all are zero, so that the result compensates gravity
                and velocity-dependent forces.

        Returns:
            Required sum of the efforts of drives, springs, friction, contacts and wrenches along each degree of freedom
            [N m or N], shape (dofs,). Loop-closing joints and couplings are ignored.

        Raises:
            OptionError: The number of accelerations differs from `dofs`, one is not finite, or a name is unknown.
        """
        efforts = self._as_dofs("accelerations", accelerations)
        return self._tree_motion().inverse_dynamics(efforts, self._built.model.body_falls)

    def forward_kinematics(self, positions: Mapping[str, float]) -> dict[str, Pose]:
        """Return the poses of the links in the world for other joint positions, without moving anything.

        Args:
            positions: Positions of some joints, by name [rad or m]. Followers move with their leaders; the other joints
                and the free roots keep their positions.

        Raises:
            OptionError: A position is not finite, or belongs to a follower whose leader is not in `positions`.
            UnknownJointError: The robot has no such joint, or it does not have exactly one coordinate.
        """
        motion = self.motion()
        there = BodyMotion(motion.inertials, self._placed({}, self._with_positions(positions), motion), motion.qd)
        links = self._built.articulation.links
        return {name: there.pose(place.body) @ place.pose_body_link for name, place in links.items()}

    def centre_of_mass(self, links: Iterable[str] | None = None) -> Array:
        """Return the centre of mass of the bodies of some links, or of all moving bodies, in the world [m], shape (3,).

        Raises:
            UnknownLinkError: There is no such link.
            SimulationError: The bodies have no mass.
        """
        motion, bodies = self.motion(), self._bodies_of(links)
        masses = [motion.inertials[body].mass for body in bodies]
        if not sum(masses) > 0.0:
            raise SimulationError("bodies without mass have no centre of mass")
        return np.average([motion.com(body) for body in bodies], axis=0, weights=masses)

    def momentum(self, links: Iterable[str] | None = None, about: ArrayLike | None = None) -> tuple[Array, Array]:
        """Return the momentum of the bodies of some links, or of all moving bodies.

        Args:
            links: Names of links; by default all moving bodies.
            about: Reference point of the angular momentum in the world [m], shape (3,); by default the common centre of
                mass.

        Returns:
            Linear momentum [N s] and angular momentum [N m s], world axes, shape (3,) each.

        Raises:
            OptionError: The point is not three finite numbers.
            UnknownLinkError: There is no such link.
            SimulationError: The bodies have no mass.
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
        return self._built.kinematics.tree

    def _tree_motion(self) -> TreeMotion:
        armature = self._built.model.joint_armature.numpy().astype(np.float64)
        return TreeMotion(self._tree, self.motion(), armature)

    def _bodies_of(self, links: Iterable[str] | None) -> list[int]:
        """Return the bodies of some links, without the world; by default all moving bodies."""
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
    """Return given names of links; for a mapping its keys."""
    return as_list("links", links.keys() if isinstance(links, Mapping) else links, "names of links")
