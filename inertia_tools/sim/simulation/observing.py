# SPDX-FileCopyrightText: The inertia_tools authors
# SPDX-License-Identifier: Apache-2.0
"""Observation of a simulation: states of links, contacts, and efforts of drives."""

from __future__ import annotations

import math
from collections.abc import Collection, Mapping
from types import MappingProxyType

import numpy as np

from inertia_tools.errors import OptionError
from inertia_tools.sim.joint_efforts import drive_efforts
from inertia_tools.sim.observation import BodyContact, ContactTable, Snapshot, SoftSnapshot
from inertia_tools.sim.rays.ray_scene import RayHits
from inertia_tools.sim.scene.given import as_number, as_numbers, as_optional_list, need
from inertia_tools.sim.simulation.running import RunningSimulation
from inertia_tools.sim.soft_observation import soft_contacts
from inertia_tools.spatial import Array, ArrayLike

RAYS = "finite numbers, shape (3,) or (n, 3)"


class Observing(RunningSimulation):
    """Observations of a simulation, by the names of its links and joints."""

    @property
    def mass(self) -> float:
        """Mass of the free bodies, or of all moving bodies if none is free [kg]."""
        return float(sum(self._built.model.inertials[body].mass for body in self._weighed()))

    @property
    def weight(self) -> float:
        """Weight of the same bodies [N]."""
        inertials, falls = self._built.model.inertials, self._built.model.body_falls
        return float(np.linalg.norm(sum((inertials[body].mass * falls[body] for body in self._weighed()), np.zeros(3))))

    def _weighed(self) -> set[int]:
        links = self._built.articulation.links
        bodies = {links[name].body for name in self.free_links or self.names}
        return {body for body in bodies if self._moves(body)}

    def snapshot(self) -> Snapshot:
        """Return the current state of all links and joints; values that are not finite are NaN."""
        built = self._built
        return built.kinematics.observer.snapshot(self.motion(), built.state.on_host("joint_q"), self.time)

    def soft_snapshot(self) -> SoftSnapshot:
        """Return the current state of all particles; there may be none."""
        model, state = self._built.model, self._built.state
        if state.soft is None:
            return SoftSnapshot(self.time, np.zeros((0, 3)), np.zeros((0, 3)), np.zeros(0), np.zeros((0, 3), dtype=int))
        return SoftSnapshot(
            time=self.time,
            positions=state.particle_q.numpy().astype(np.float64).reshape(-1, 3),
            velocities=state.particle_qd.numpy().astype(np.float64).reshape(-1, 3),
            radii=model.particle_radius.numpy(),
            triangles=model.tri_indices.numpy().reshape(-1, 3),
        )

    def joint_efforts(self, snapshot: Snapshot | None = None) -> dict[str, float]:
        """Return the efforts of the drives in the last step [N m or N], by joint name; see `drive_efforts`.

        Args:
            snapshot: The current snapshot, if the caller already has it.

        Raises:
            OptionTypeError: `snapshot` has another type.
        """
        built = self._built
        if not built.joints.names:
            return {}
        now = self.snapshot() if snapshot is None else need("snapshot", snapshot, Snapshot, "snapshot()")
        return drive_efforts(built.joints, built.drives, now, self.motion, built.state.body_parent_f)

    @property
    def unsettled(self) -> int:
        """Number of solves so far that did not converge; see `Contacts.unsettled` and docs/solver.md."""
        return self._built.contacts.unsettled

    def contact_table(self) -> ContactTable:
        """Return all contact points as arrays, with forces averaged over the last step."""
        return self._built.contact_observer.table(self._built.contacts)

    def contacts(self, link: str | None = None, other: str | None = None) -> list[BodyContact]:
        """Return the contacts between links, with forces averaged over the last step.

        Args:
            link: Restrict to contacts of this link, which comes first in each, so that forces are those on it.
            other: Restrict to contacts with this link; "world" is the floor. Without `link`, the order of the two links
                is unchanged: the floor comes second, and forces are those on the other link.

        Raises:
            UnknownLinkError: There is no such link.
        """
        self._check_links(name for name in (link, other) if name is not None)
        wanted = {name for name in (link, other) if name is not None}
        found = [one for one in self.contact_table().by_pair() if wanted <= {one.body_a, one.body_b}]
        return [one.swapped() if link is not None and one.body_a != link else one for one in found]

    def soft_contacts(self, link: str | None = None) -> list[BodyContact]:
        """Return the contacts of links with soft bodies, with the forces of the last substep.

        The link comes first; "world" is the floor. The second body is the name of a soft body, or `particles` for
        particles of the description.

        Args:
            link: Restrict to contacts of this link.

        Raises:
            UnknownLinkError: There is no such link.
        """
        self._check_links(() if link is None else (link,))
        built = self._built
        return soft_contacts(built.model, built.state, built.contacts, built.soft_names, link)

    def applied_wrenches(self) -> Mapping[str, Array]:
        """Return the wrenches of `apply_wrench` that acted in the last step, by link name.

        Returns:
            Force [N] and torque about the centre of mass of the link's body [N m], world axes, shape (6,).
        """
        return MappingProxyType(self._built.pushes.acted)

    def ray_cast(
        self, origin: ArrayLike, direction: ArrayLike, reach: float = math.inf, unseen: Collection[str] = ()
    ) -> RayHits:
        """Return the first hits of rays on shapes with collision; meshes are hit on their triangles.

        Args:
            origin: Origins of the rays in the world [m], shape (3,) or (n, 3).
            direction: Directions of the rays in the world, of any nonzero length, shape (3,) or (n, 3).
            reach: Length of the rays [m]; infinite by default.
            unseen: Names of links that rays pass through; "world" is the floor.

        Returns:
            One entry per ray, also for a single ray. A ray that starts inside a shape hits its surface from the inside.

        Raises:
            OptionError: Origins or directions are not finite, a direction is zero, or the reach is negative.
            UnknownLinkError: There is no such link.
        """
        origins = np.atleast_2d(as_numbers("origin", origin, RAYS))
        directions = np.atleast_2d(as_numbers("direction", direction, RAYS))
        if origins.shape[1:] != (3,) or not np.isfinite(origins).all():
            raise OptionError("origin", origin, RAYS)
        lengths = np.linalg.norm(directions, axis=-1) if directions.shape[1:] == (3,) else np.zeros(1)
        if not (np.isfinite(lengths) & (lengths > 0.0)).all():
            raise OptionError("direction", direction, "finite nonzero vectors, shape (3,) or (n, 3)")
        if not as_number(reach) >= 0.0:
            raise OptionError("reach", reach, "zero or more metres")
        passed = as_optional_list("unseen", unseen, "names of links")
        self._check_links(passed)
        try:
            origins, directions = np.broadcast_arrays(origins, directions / lengths[:, None])
        except ValueError:
            raise OptionError("direction", directions.shape, f"as many as origins, {len(origins)}") from None
        return self._built.rays.cast(self.motion(), origins, directions, reach, frozenset(passed))
