# SPDX-FileCopyrightText: The inertia_tools authors
# SPDX-License-Identifier: Apache-2.0
"""What can be seen of a robot in a simulation: where its links are, and what it touches."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass, replace
from types import MappingProxyType

import numpy as np

from inertia_tools.errors import UnknownLinkError
from inertia_tools.sim.device.acting_contacts import acting_contacts
from inertia_tools.sim.device.contacts import Contacts
from inertia_tools.sim.device.model import Model
from inertia_tools.sim.importing.articulation import Articulation
from inertia_tools.sim.named_joints import NamedJoints
from inertia_tools.sim.scene.bodies import WORLD, WORLD_NAME
from inertia_tools.sim.scene.body_motion import BodyMotion
from inertia_tools.spatial import Array, Pose, rotation_from_quaternion


@dataclass(frozen=True, eq=False)
class Snapshot:
    """The robot at one instant, in the world.

    Attributes:
        time: Simulated time [s].
        names: Names of the links.
        positions: Origins of the links [m], shape (n, 3).
        quaternions: Orientations of the links (x, y, z, w), shape (n, 4).
        linear_velocities: Velocities of the links' origins [m/s], shape (n, 3).
        angular_velocities: Angular velocities, world axes [rad/s], shape (n, 3).
        joint_positions: Position of each joint that has one coordinate [rad or m].
        joint_velocities: Its rate [rad/s or m/s].
        kinetic_energy: Over all bodies [J].
        potential_energy: In gravity, zero at the world's origin [J].
    """

    time: float
    names: tuple[str, ...]
    positions: Array
    quaternions: Array
    linear_velocities: Array
    angular_velocities: Array
    joint_positions: Mapping[str, float]
    joint_velocities: Mapping[str, float]
    kinetic_energy: float
    potential_energy: float

    def pose(self, link: str) -> Pose:
        """Return the frame of a link in the world, NaN where its body has left the finite numbers.

        Raises:
            UnknownLinkError: There is no such link.
        """
        if link not in self.names:
            raise UnknownLinkError(link, self.names)
        row = self.names.index(link)
        quaternion = self.quaternions[row]
        is_lost = not np.isfinite(quaternion).all()
        return Pose(self.positions[row], np.full((3, 3), np.nan) if is_lost else rotation_from_quaternion(quaternion))

    def __post_init__(self) -> None:
        """Keep callers from writing to joints that are only seen; arrays stay writable, as SciPy wants them."""
        for name in ("joint_positions", "joint_velocities"):
            object.__setattr__(self, name, MappingProxyType(dict(getattr(self, name))))


@dataclass(frozen=True, eq=False)
class BodyContact:
    """Contact between two links, averaged over the last step.

    Attributes:
        body_a: Name of the first link.
        body_b: Name of the second; "world" is the floor.
        positions: Contact points in the world [m], shape (n, 3).
        normals: Unit normals from b towards a, shape (n, 3).
        depths: Overlap, positive when there is some [m], shape (n,).
        forces: Force on a, normal and friction together [N], shape (n, 3); b feels the opposite.
        torques: Torque on a about each contact point, of torsional and rolling friction [N m], shape (n, 3); b feels
            the opposite.
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
        """Return the same contact as b sees it."""
        return replace(
            self,
            body_a=self.body_b,
            body_b=self.body_a,
            normals=-self.normals,
            forces=-self.forces,
            torques=-self.torques,
        )


def observe_links(articulation: Articulation, motion: BodyMotion) -> tuple[Array, Array, Array, Array]:
    """Return positions, quaternions, linear and angular velocities of all links, as `Snapshot` has them."""
    rows = []
    for place in articulation.links.values():
        pose = motion.pose(place.body) @ place.pose_body_link
        velocity = motion.velocity_at(place.body, pose.position)
        rows.append([*pose.position, *pose.quaternion, *velocity, *motion.qd[place.body, 3:]])
    table = np.array(rows)
    return table[:, :3], table[:, 3:7], table[:, 7:10], table[:, 10:]


def observe_robot(
    articulation: Articulation, joints: NamedJoints, model: Model, motion: BodyMotion, joint_q: Array, time: float
) -> Snapshot:
    """Return a robot as it is; what has left the finite numbers is NaN, the rest is as true as ever."""
    is_lost = np.asarray(~np.isfinite(np.hstack([motion.q, motion.qd])).all(axis=1))
    still = np.array([0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 1.0])
    seen = replace(motion, q=np.where(is_lost[:, None], still, motion.q), qd=np.where(is_lost[:, None], 0.0, motion.qd))
    states = observe_links(articulation, seen)
    lost_links = is_lost[[place.body for place in articulation.links.values()]]
    positions, quaternions, linear, angular = (np.where(lost_links[:, None], np.nan, values) for values in states)
    rates = joints.rates(seen)
    for name, joint in joints.built.items():
        if name in rates and (is_lost[joint.child] or (joint.parent != WORLD and is_lost[joint.parent])):
            rates[name] = math.nan
    moving = [body for body in range(model.body_count) if model.moves[body]]
    unknown = math.nan if is_lost.any() else 0.0
    return Snapshot(
        time=time,
        names=tuple(articulation.links),
        positions=positions,
        quaternions=quaternions,
        linear_velocities=linear,
        angular_velocities=angular,
        joint_positions=joints.positions(joint_q),
        joint_velocities=rates,
        kinetic_energy=unknown + sum(seen.kinetic_energy(body) for body in moving),
        potential_energy=unknown + sum(seen.potential_energy(body, model.gravity_vector) for body in moving),
    )


def observe_contacts(model: Model, contacts: Contacts) -> list[BodyContact]:
    """Return the contacts that bore a force in the last step, one entry for each pair of links."""
    acting = acting_contacts(model, contacts)
    labels = [tuple(model.collision.shapes[shape].label for shape in pair) for pair in acting.shapes.tolist()]
    rows_of: dict[tuple[str, str], list[int]] = {}
    for row, (a, b) in enumerate(labels):
        rows_of.setdefault(_world_second(a, b), []).append(row)
    found = []
    for (a, b), rows in rows_of.items():
        sign = np.where([labels[row][0] == a for row in rows], 1.0, -1.0)[:, None]
        on_a = sign * acting.forces[rows], sign * acting.torques[rows]
        found.append(BodyContact(a, b, acting.positions[rows], sign * acting.normals[rows], acting.depths[rows], *on_a))
    return found


def _world_second(a: str, b: str) -> tuple[str, str]:
    """Order two names so that the same pair always looks the same, with the world second."""
    return (a, b) if b == WORLD_NAME or (a != WORLD_NAME and a < b) else (b, a)
