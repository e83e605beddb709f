# SPDX-FileCopyrightText: The inertia_tools authors
# SPDX-License-Identifier: Apache-2.0
"""Observations of a robot in a simulation: states of links and joints, and contacts."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from functools import cached_property
from itertools import pairwise
from types import MappingProxyType

import numpy as np

from inertia_tools.errors import UnknownLinkError
from inertia_tools.sim.collide.contact_geometry import Indices
from inertia_tools.sim.device.contact_points import DEPTH, FORCE, NORMAL, POSITION, TORQUE
from inertia_tools.sim.device.contacts import Contacts
from inertia_tools.sim.device.point_reader import PointReader, loaded_slots
from inertia_tools.sim.model.model import Model
from inertia_tools.sim.scene.bodies import WORLD_NAME
from inertia_tools.spatial import Array, Pose, rotation_from_quaternion

OF_LINK = 13
"""Columns of a link's state: position, quaternion, linear and angular velocity."""


@dataclass(frozen=True, eq=False)
class Snapshot:
    """State of a robot at one instant, in the world frame.

    Attributes:
        time: Simulated time [s].
        names: Names of the links.
        states: Position [m], quaternion (x, y, z, w), linear velocity [m/s] and angular velocity [rad/s] of each link,
            shape (n, 13).
        joint_names: Names of the joints with one coordinate.
        joints: Position [rad or m] and velocity [rad/s or m/s] of each, shape (m, 2).
        kinetic_energy: Kinetic energy of all bodies, and of the rotors of joints (armature) [J].
        potential_energy: Gravitational potential energy, zero at the world's origin [J].
    """

    time: float
    names: tuple[str, ...]
    states: Array
    joint_names: tuple[str, ...]
    joints: Array
    kinetic_energy: float
    potential_energy: float

    @property
    def positions(self) -> Array:
        """Positions of the links' origins in the world [m], shape (n, 3)."""
        return self.states[:, :3]

    @property
    def quaternions(self) -> Array:
        """Orientations of the links (x, y, z, w) with w >= 0, shape (n, 4)."""
        return self.states[:, 3:7]

    @property
    def linear_velocities(self) -> Array:
        """Velocities of the links' origins [m/s], shape (n, 3)."""
        return self.states[:, 7:10]

    @property
    def angular_velocities(self) -> Array:
        """Angular velocities, world axes [rad/s], shape (n, 3)."""
        return self.states[:, 10:]

    @cached_property
    def joint_positions(self) -> Mapping[str, float]:
        """Position of each joint with one coordinate [rad or m], by name."""
        return self._by_joint(0)

    @cached_property
    def joint_velocities(self) -> Mapping[str, float]:
        """Velocity of each joint with one coordinate [rad/s or m/s], by name."""
        return self._by_joint(1)

    def _by_joint(self, column: int) -> Mapping[str, float]:
        return MappingProxyType(dict(zip(self.joint_names, self.joints[:, column].tolist(), strict=True)))

    def pose(self, link: str) -> Pose:
        """Return the pose of a link in the world; NaN if the state of its body is not finite.

        Raises:
            UnknownLinkError: There is no such link.
        """
        if link not in self.names:
            raise UnknownLinkError(link, self.names)
        row = self.names.index(link)
        quaternion = self.quaternions[row]
        is_lost = not np.isfinite(quaternion).all()
        return Pose(self.positions[row], np.full((3, 3), np.nan) if is_lost else rotation_from_quaternion(quaternion))


@dataclass(frozen=True, eq=False)
class SoftSnapshot:
    """State of the soft bodies at one instant, in the world frame.

    Attributes:
        time: Simulated time [s].
        positions: Positions of the particles [m], shape (n, 3).
        velocities: Velocities of the particles [m/s], shape (n, 3).
        radii: Contact radii of the particles [m], shape (n,).
        triangles: Particle indices of the triangles of cloth and of the surfaces of solids, shape (m, 3).
    """

    time: float
    positions: Array
    velocities: Array
    radii: Array
    triangles: Indices

    @property
    def corners(self) -> Array:
        """Corner positions of all triangles, concatenated [m], shape (3 m, 3)."""
        return np.asarray(self.positions[self.triangles.ravel()])

    @property
    def loose(self) -> Array:
        """Positions of the particles that belong to no triangle [m], shape (k, 3)."""
        return np.asarray(np.delete(self.positions, np.unique(self.triangles), axis=0))


@dataclass(frozen=True, eq=False)
class BodyContact:
    """Contact between two links, averaged over the last step, in world axes.

    Attributes:
        body_a: Name of the first link.
        body_b: Name of the second; "world" is the floor.
        positions: Contact points in the world [m], shape (n, 3).
        normals: Unit normals from b towards a, shape (n, 3).
        depths: Penetration depth, positive if the shapes overlap [m], shape (n,).
        forces: Force on a, normal plus friction [N], shape (n, 3); the force on b is the opposite.
        torques: Torque on a about each contact point from torsional and rolling friction [N m], shape (n, 3); the
            torque on b is the opposite.
    """

    body_a: str
    body_b: str
    positions: Array
    normals: Array
    depths: Array
    forces: Array
    torques: Array

    @property
    def force(self) -> Array:
        """Sum of the forces on a [N], shape (3,)."""
        return np.asarray(self.forces.sum(axis=0))

    def swapped(self) -> BodyContact:
        """Return the same contact with a and b swapped."""
        return replace(
            self,
            body_a=self.body_b,
            body_b=self.body_a,
            normals=-self.normals,
            forces=-self.forces,
            torques=-self.torques,
        )


@dataclass(frozen=True, eq=False)
class ContactTable:
    """All contact points with a force in the last step, grouped by pair of links.

    Attributes:
        pairs: Names of the two links of each pair; the second may be "world".
        starts: First row of each pair, followed by the number of rows, shape (pairs + 1,).
        points: Position, normal, depth, force and torque of each point, as in `BodyContact`, shape (n, 13).
        wrenches: Force [N] on the first link of each pair and torque about the world's origin [N m], shape (pairs, 6).
    """

    pairs: tuple[tuple[str, str], ...]
    starts: Indices
    points: Array
    wrenches: Array

    def by_pair(self) -> list[BodyContact]:
        """Return one `BodyContact` per pair."""
        columns = [self.points[:, column] for column in (POSITION, NORMAL, DEPTH, FORCE, TORQUE)]
        rows = [slice(*ends) for ends in pairwise(self.starts.tolist())]
        return [BodyContact(a, b, *(c[k] for c in columns)) for (a, b), k in zip(self.pairs, rows, strict=True)]


@dataclass(frozen=True, eq=False)
class _Grouping:
    """Grouping of active contact slots by pair of links.

    Attributes:
        pairs, starts: See `ContactTable`.
        reader: Reads the slots in the order of the table.
    """

    pairs: tuple[tuple[str, str], ...]
    starts: Indices
    reader: PointReader


class ContactObserver:
    """Reads the contacts of a scene."""

    def __init__(self, model: Model) -> None:
        """Record the link of each shape.

        Args:
            model: The scene.
        """
        self._model = model
        labels = [shape.label for shape in model.collision.shapes]
        # The world comes second in a pair; otherwise names are in alphabetical order.
        self._names = [*sorted({*labels} - {WORLD_NAME}), WORLD_NAME]
        rank = {name: number for number, name in enumerate(self._names)}
        self._of_shape = np.array([rank[label] for label in labels], dtype=int)
        self._grouping: _Grouping | None = None  # of the last step: contacts mostly persist

    def table(self, contacts: Contacts) -> ContactTable:
        """Return the contacts of the last step, pairs in the order of their slots."""
        contacts.bring_up_to_date()
        if self._grouping is None or not self._grouping.reader.read(contacts):
            self._grouping = self._group(contacts)
            self._grouping.reader.read(contacts)
        group = self._grouping
        return ContactTable(group.pairs, group.starts, *group.reader.table())

    def _group(self, contacts: Contacts) -> _Grouping:
        """Group the active slots by pair of links."""
        slots, shapes = loaded_slots(contacts)
        links = self._of_shape[shapes]
        sign = np.where(links[:, 0] <= links[:, 1], 1.0, -1.0)
        keys = links.min(axis=1) * len(self._names) + links.max(axis=1)
        _, firsts, of_row = np.unique(keys, return_index=True, return_inverse=True)
        order = np.argsort(firsts[of_row], kind="stable")
        counts = np.unique(firsts[of_row], return_counts=True)[1]
        pairs = np.sort(links[np.sort(firsts)], axis=1).tolist()
        names = tuple((self._names[a], self._names[b]) for a, b in pairs)
        starts = np.concatenate([[0], np.cumsum(counts)])
        reader = PointReader(self._model, contacts, slots[order], shapes[order], sign[order], starts)
        return _Grouping(names, starts, reader)
