# SPDX-FileCopyrightText: The inertia_tools authors
# SPDX-License-Identifier: Apache-2.0
"""One robot on a floor: the facade that the node, the command line and notebooks use."""

from __future__ import annotations

import logging
import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from inertia_tools.description.types import Description
from inertia_tools.errors import OptionError, SimulationError, UnknownJointError, UnknownLinkError
from inertia_tools.sim.articulation import lowest_point
from inertia_tools.sim.builder import GRAVITY, ModelBuilder
from inertia_tools.sim.joint_kind import ANGULAR_X
from inertia_tools.sim.solver import SolverXPBD, finite
from inertia_tools.spatial import Array, ArrayLike, Pose, quaternion_from_rotation, rotation_from_quaternion

LOG = logging.getLogger(__name__)

FLOOR_TOLERANCE = 1e-6
"""A bolted robot may reach this far below the floor at the start [m]."""

WORLD_NAME = "world"
"""What the floor is called in contacts."""

DEFAULT_SUBSTEPS = 20
DEFAULT_ITERATIONS = 3


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


@dataclass(frozen=True, eq=False)
class BodyContact:
    """Contact between two bodies, averaged over the last step.

    Attributes:
        body_a: Name of the first body.
        body_b: Name of the second; "world" is the floor.
        positions: Contact points in the world [m], shape (n, 3).
        normals: Unit normals from b towards a, shape (n, 3).
        depths: Overlap, positive when there is some [m], shape (n,).
        forces: Force on a, normal and friction together [N], shape (n, 3); b feels the opposite.
    """

    body_a: str
    body_b: str
    positions: Array
    normals: Array
    depths: Array
    forces: Array


@dataclass
class _Push:
    """A wrench that acts on a body for some time yet [s]; infinite until told otherwise."""

    link: int
    force: Array
    torque: Array
    point: Array
    left: float


class Simulation:
    """A robot, standing on a floor or bolted to the world.

    Args:
        robot: The description; its inertials must be possible.
        dt: Length of a step [s].
        substeps: Substeps of each step.
        gravity: Acceleration of free fall [m/s^2].
        ground: Put a floor at z = 0.
        fixed_base: Bolt the root link to the world; it is anyway when it is named `world`.
        pose: Pose of the root link at the start; by default the lowest point of the robot touches z = 0.
        device: Where to compute, as Warp names it: "cpu", "cuda:0".
        dtype: "float64", which costs next to nothing on a CPU, or "float32", whose rounding of positions makes contact
            forces noisy at short substeps.
        iterations: Passes over contacts and joints in each substep.

    Raises:
        OptionError: A number is out of range.
        SimulationError: A link that moves has an impossible inertial, or the device does not exist.
    """

    def __init__(
        self,
        robot: Description,
        dt: float = 1.0 / 240.0,
        substeps: int = DEFAULT_SUBSTEPS,
        gravity: ArrayLike = GRAVITY,
        ground: bool = True,
        fixed_base: bool = False,
        pose: Pose | None = None,
        device: str = "cpu",
        dtype: str = "float64",
        iterations: int = DEFAULT_ITERATIONS,
    ) -> None:
        if not (math.isfinite(dt) and dt > 0.0):
            raise OptionError("dt", dt, "a positive number of seconds")
        builder = ModelBuilder(gravity=np.asarray(gravity, dtype=np.float64))
        self.robot = robot
        self.dt = dt
        self._articulation = builder.add_description(robot, pose=pose, fixed_base=fixed_base)
        if ground and not self._reaches_below(builder):
            builder.add_ground_plane()
        self._joints = {joint.name: joint for joint in builder.joints}
        self._model = builder.finalize(device, dtype)
        self._solver = SolverXPBD(self._model, iterations=iterations, substeps=substeps)
        self._state = self._model.state()
        self._control = self._model.control()
        self._contacts = self._model.contacts()
        self._steps = 0
        self._pushes: dict[int, _Push] = {}
        self._start = {name: getattr(self._state.data, name).numpy().copy() for name in ("q", "qd", "qdd", "joint_q")}
        self._drives = {name: np.zeros(self._model.body_count) for name in _DRIVE_FIELDS}

    def _reaches_below(self, builder: ModelBuilder) -> bool:
        """Tell whether a robot that is bolted down stands in the floor, which cannot push it out then."""
        if not self.fixed_base:
            return False
        lowest = lowest_point(builder)
        if lowest < -FLOOR_TOLERANCE:
            LOG.warning(
                "%s is bolted down and reaches %.3f m below z = 0; the floor is left out", self.robot.name, -lowest
            )
        return lowest < -FLOOR_TOLERANCE

    @property
    def names(self) -> tuple[str, ...]:
        """Names of the links, in document order."""
        return tuple(self._articulation.links)

    @property
    def joint_names(self) -> tuple[str, ...]:
        """Names of the joints that have one coordinate."""
        return tuple(self._articulation.joint_bodies)

    @property
    def time(self) -> float:
        """Simulated time [s]."""
        return self._steps * self.dt

    @property
    def step_count(self) -> int:
        """Steps made since the start or the last reset."""
        return self._steps

    @property
    def fixed_base(self) -> bool:
        """The root link is bolted to the world."""
        return self._articulation.fixed_base

    @property
    def weight(self) -> float:
        """Weight of what moves [N]."""
        mass = sum(i.mass for i, moves in zip(self._model.inertials, self._model.moves, strict=True) if moves)
        return float(mass * np.linalg.norm(self._model.gravity))

    # Commands

    def step(self, count: int = 1) -> None:
        """Make steps.

        Raises:
            SimulationError: A body has left the finite numbers.
        """
        for _ in range(count):
            if self._pushes:
                self._apply_pushes()
            self._solver.step(self._state, self._state, self._control, self._contacts, self.dt)
            self._steps += 1
            self._end_pushes()
        self._check_finite()

    def reset(self) -> None:
        """Go back to the start: time zero, everything at rest, no wrench; drives stay as they are."""
        for name, values in self._start.items():
            getattr(self._state.data, name).assign(values)
        self._state.body_f.zero_()
        for name in ("slip", "slides", "normal_impulse", "force"):
            getattr(self._contacts.data, name).zero_()
        self._pushes.clear()
        self._steps = 0

    def set_joint_positions(self, positions: Mapping[str, float]) -> None:
        """Put joints at positions [rad or m]; what they carry moves along, at the velocities it had.

        Raises:
            UnknownJointError: The robot has no such joint, or it has not one coordinate.
        """
        coordinates = self._state.data.joint_q.numpy().astype(np.float64)
        for name, value in positions.items():
            coordinates[self._joint_body(name)] = value
        self._place(self._root_pose(), coordinates)

    def set_joint_velocities(self, velocities: Mapping[str, float]) -> None:
        """Give joints velocities [rad/s or m/s]; the root keeps its own, the others follow.

        Raises:
            UnknownJointError: The robot has no such joint, or it has not one coordinate.
        """
        by_body = {self._joint_body(name): value for name, value in self._joint_rates().items()}
        by_body.update({self._joint_body(name): float(value) for name, value in velocities.items()})
        self._set_velocities(by_body)

    def set_body_state(
        self,
        name: str,
        position: ArrayLike,
        quaternion: ArrayLike,
        linear: ArrayLike = (0.0, 0.0, 0.0),
        angular: ArrayLike = (0.0, 0.0, 0.0),
    ) -> None:
        """Move the whole robot so that one of its links has this pose and velocity; the joints stay as they are.

        Args:
            name: The link.
            position: Its origin [m].
            quaternion: Its orientation (x, y, z, w).
            linear: Velocity of its origin [m/s].
            angular: Angular velocity, world axes [rad/s].

        Raises:
            UnknownLinkError: The robot has no such link.
            SimulationError: The robot is bolted to the world.
        """
        if self.fixed_base:
            raise SimulationError("the robot is bolted to the world; simulate it without fixed_base to move it")
        link = self._link_index(name)
        now = self.snapshot()
        was = Pose(now.positions[link], rotation_from_quaternion(now.quaternions[link]))
        becomes = Pose(np.asarray(position, dtype=np.float64), rotation_from_quaternion(quaternion))
        motion = becomes @ was.inverse()
        self._place(motion @ self._root_pose(), self._state.data.joint_q.numpy().astype(np.float64))
        self._set_rigid_velocity(np.asarray(position, dtype=np.float64), np.asarray(linear), np.asarray(angular))

    def lift(self, height: float) -> None:
        """Raise the whole robot [m]."""
        root = self._root_pose()
        raised = Pose(root.position + np.array([0.0, 0.0, height]), root.rotation)
        self._place(raised, self._state.data.joint_q.numpy().astype(np.float64))

    def set_joint_targets(
        self,
        positions: Mapping[str, float] | None = None,
        velocities: Mapping[str, float] | None = None,
        efforts: Mapping[str, float] | None = None,
    ) -> None:
        """Set what drives aim at: positions [rad or m], velocities [rad/s or m/s]; and efforts to add [N m or N].

        Raises:
            UnknownJointError: The robot has no such joint, or it has not one coordinate.
        """
        for field, wanted in (("target", positions), ("target_rate", velocities), ("effort", efforts)):
            for name, value in (wanted or {}).items():
                self._drives[field][self._joint_body(name)] = value
        self._send_drives()

    def set_joint_gains(
        self, stiffness: float | Mapping[str, float], damping: float | Mapping[str, float] = 0.0
    ) -> None:
        """Set the gains of drives; zero gains leave a joint free.

        Args:
            stiffness: Effort for a unit of position error [N m/rad or N/m]; infinite holds rigidly.
            damping: Effort for a unit of velocity error [N m s/rad or N s/m].

        Raises:
            OptionError: A gain is negative or NaN.
            UnknownJointError: The robot has no such joint, or it has not one coordinate.
        """
        for field, gains in (("stiffness", stiffness), ("damping", damping)):
            by_name = gains if isinstance(gains, Mapping) else dict.fromkeys(self.joint_names, gains)
            for name, value in by_name.items():
                if not value >= 0.0:
                    raise OptionError(field, value, "zero or more")
                self._drives[field][self._joint_body(name)] = value
        self._send_drives()

    def hold(self, stiffness: float | None = None, damping: float | None = None) -> None:
        """Hold every joint where it is now.

        Args:
            stiffness: As for `set_joint_gains`; None holds rigidly.
            damping: As for `set_joint_gains`; none by default.
        """
        self.set_joint_targets(positions=self._joint_positions(), velocities=dict.fromkeys(self.joint_names, 0.0))
        self.set_joint_gains(math.inf if stiffness is None else stiffness, damping or 0.0)

    def apply_wrench(
        self,
        body: str,
        force: ArrayLike,
        torque: ArrayLike = (0.0, 0.0, 0.0),
        point: ArrayLike | None = None,
        duration: float = 0.0,
    ) -> None:
        """Push or twist a link.

        Args:
            body: Name of the link.
            force: Force, world axes [N].
            torque: Torque, world axes [N m].
            point: Where the force acts, in the link's frame [m]; its origin by default.
            duration: How long [s]: zero for one step, negative until the next call for this link or a reset.

        Raises:
            UnknownLinkError: The robot has no such link.
        """
        link = self._link_index(body)
        left = math.inf if duration < 0.0 else max(duration, self.dt)
        where = np.zeros(3) if point is None else np.asarray(point, dtype=np.float64)
        self._pushes[link] = _Push(link, np.array(force, dtype=float), np.array(torque, dtype=float), where, left)

    # Observation

    def snapshot(self) -> Snapshot:
        """Return the robot as it is now."""
        q = self._state.body_q.numpy().astype(np.float64)
        qd = self._state.body_qd.numpy().astype(np.float64)
        poses, velocities, rates = [], [], []
        for place in self._articulation.links.values():
            body_pose = Pose(q[place.body, :3], rotation_from_quaternion(q[place.body, 3:]))
            pose = body_pose @ place.pose_body_link
            com = body_pose.transform_points(self._model.inertials[place.body].com)
            omega = qd[place.body, 3:]
            poses.append(pose)
            velocities.append(qd[place.body, :3] + np.cross(omega, pose.position - com))
            rates.append(omega)
        kinetic, potential = self._energies(q, qd)
        return Snapshot(
            time=self.time,
            names=self.names,
            positions=np.array([pose.position for pose in poses]),
            quaternions=np.array([quaternion_from_rotation(pose.rotation) for pose in poses]),
            linear_velocities=np.array(velocities),
            angular_velocities=np.array(rates),
            joint_positions=self._joint_positions(),
            joint_velocities=self._joint_rates(),
            kinetic_energy=kinetic,
            potential_energy=potential,
        )

    def contacts(self) -> list[BodyContact]:
        """Return what touches what, with forces averaged over the last step."""
        data = self._contacts.data
        forces = data.force.numpy()[: self._model.slot_count].astype(np.float64)
        active = np.flatnonzero(np.abs(forces).sum(axis=1) > 0.0)
        if not len(active):
            return []
        points, normals, depths = (
            getattr(data, name).numpy().astype(np.float64) for name in ("point", "normal", "depth")
        )
        grouped: dict[tuple[int, int], list[int]] = {}
        for slot in active.tolist():
            a, b = self._model.slot_bodies[slot].tolist()
            grouped.setdefault((a, b) if (b, a) not in grouped else (b, a), []).append(slot)
        found = []
        for (a, b), slots in grouped.items():
            sign = np.where(self._model.slot_bodies[slots, 0] == a, 1.0, -1.0)[:, None]
            found.append(
                BodyContact(
                    self._body_name(a),
                    self._body_name(b),
                    points[slots],
                    sign * normals[slots],
                    depths[slots],
                    sign * forces[slots],
                )
            )
        return [_floor_second(contact) for contact in found]

    # Inside

    def _joint_body(self, name: str) -> int:
        if name not in self._articulation.joint_bodies:
            raise UnknownJointError(name, self.joint_names)
        return self._articulation.joint_bodies[name]

    def _link_index(self, name: str) -> int:
        if name not in self._articulation.links:
            raise UnknownLinkError(name, self.names)
        return self.names.index(name)

    def _body_name(self, body: int) -> str:
        return WORLD_NAME if body < 0 else self._model.names[body]

    def _joint_positions(self) -> dict[str, float]:
        coordinates = self._state.data.joint_q.numpy()
        return {name: float(coordinates[body]) for name, body in self._articulation.joint_bodies.items()}

    def _joint_rates(self) -> dict[str, float]:
        """Return the rate of each joint's coordinate, from the motion of the two bodies."""
        q = self._state.body_q.numpy().astype(np.float64)
        qd = self._state.body_qd.numpy().astype(np.float64)
        rates = {}
        for name, body in self._articulation.joint_bodies.items():
            joint = self._joints[name]
            frame = _pose(q[joint.parent]) @ joint.pose_parent
            axis = frame.rotation[:, 0]
            if joint.kind.rows.coordinate == ANGULAR_X:
                rates[name] = float(axis @ (qd[body, 3:] - qd[joint.parent, 3:]))
            else:
                point = (_pose(q[body]) @ joint.pose_child).position
                slide = self._velocity_at(body, point, q, qd) - self._velocity_at(joint.parent, point, q, qd)
                rates[name] = float(axis @ slide)
        return rates

    def _velocity_at(self, body: int, point: Array, q: Array, qd: Array) -> Array:
        com = _pose(q[body]).transform_points(self._model.inertials[body].com)
        return np.asarray(qd[body, :3] + np.cross(qd[body, 3:], point - com))

    def _root_pose(self) -> Pose:
        root = self._articulation.root.body
        return _pose(self._state.body_q.numpy()[root].astype(np.float64))

    def _place(self, root: Pose, coordinates: Array) -> None:
        """Put the root body at a pose and all joints at their coordinates."""
        poses = {self._articulation.root.body: root}
        old = self._state.body_q.numpy().astype(np.float64)
        for joint in self._joints.values():
            value = coordinates[joint.child]
            if (
                joint.kind.rows.coordinate < 0 and joint.parent >= 0
            ):  # no coordinate: keep the pose relative to the parent
                relative = _pose(old[joint.parent]).inverse() @ _pose(old[joint.child])
                poses[joint.child] = poses[joint.parent] @ relative
            else:
                moved = _moved(joint.kind.rows.coordinate, value)
                poses[joint.child] = poses[joint.parent] @ joint.pose_parent @ moved @ joint.pose_child.inverse()
        q = old.copy()
        for body, pose in poses.items():
            q[body] = [*pose.position, *pose.quaternion]
        self._state.body_q.assign(q.astype(self._model.precision.numpy))
        self._state.data.joint_q.assign(coordinates.astype(self._model.precision.numpy))
        self._contacts.data.slip.zero_()

    def _set_velocities(self, rates: Mapping[int, float]) -> None:
        """Set joint rates by body, going out from the root."""
        q = self._state.body_q.numpy().astype(np.float64)
        qd = self._state.body_qd.numpy().astype(np.float64)
        for joint in self._joints.values():
            if joint.kind.rows.coordinate < 0:
                continue
            frame = _pose(q[joint.parent]) @ joint.pose_parent
            axis, rate = frame.rotation[:, 0], rates[joint.child]
            turns = joint.kind.rows.coordinate == ANGULAR_X
            omega = qd[joint.parent, 3:] + (rate * axis if turns else 0.0)
            anchor = (_pose(q[joint.child]) @ joint.pose_child).position
            at_anchor = self._velocity_at(joint.parent, anchor, q, qd) + (0.0 if turns else rate * axis)
            com = _pose(q[joint.child]).transform_points(self._model.inertials[joint.child].com)
            qd[joint.child] = [*(at_anchor + np.cross(omega, com - anchor)), *omega]
        self._send_velocities(qd)

    def _set_rigid_velocity(self, point: Array, linear: Array, angular: Array) -> None:
        """Let the whole robot move as one rigid body that has this velocity at a point."""
        q = self._state.body_q.numpy().astype(np.float64)
        qd = np.zeros((self._model.body_count, 6))
        for body in range(self._model.body_count):
            com = _pose(q[body]).transform_points(self._model.inertials[body].com)
            qd[body] = [*(linear + np.cross(angular, com - point)), *angular]
        self._send_velocities(qd)

    def _send_velocities(self, qd: Array) -> None:
        qd[~self._model.moves] = 0.0
        self._state.body_qd.assign(qd.astype(self._model.precision.numpy))

    def _send_drives(self) -> None:
        for field, values in self._drives.items():
            getattr(self._control.data, field).assign(values.astype(self._model.precision.numpy))

    def _apply_pushes(self) -> None:
        """Sum the wrenches on each body, about its centre of mass, where it is now."""
        total = np.zeros((self._model.body_count, 6))
        q = self._state.body_q.numpy().astype(np.float64)
        places: Sequence[Any] = list(self._articulation.links.values())
        for push in self._pushes.values():
            place = places[push.link]
            pose = _pose(q[place.body])
            point = (pose @ place.pose_body_link).transform_points(push.point)
            arm = point - pose.transform_points(self._model.inertials[place.body].com)
            total[place.body] += [*push.force, *(push.torque + np.cross(arm, push.force))]
        self._state.body_f.assign(total.astype(self._model.precision.numpy))

    def _end_pushes(self) -> None:
        """Let time pass for the wrenches, and take away those whose time is up."""
        if not self._pushes:
            return
        for push in self._pushes.values():
            push.left -= self.dt
        self._pushes = {link: push for link, push in self._pushes.items() if push.left > 0.5 * self.dt}
        if not self._pushes:
            self._state.body_f.zero_()

    def _energies(self, q: Array, qd: Array) -> tuple[float, float]:
        kinetic = potential = 0.0
        for body, inertial in enumerate(self._model.inertials):
            if self._model.moves[body]:
                pose = _pose(q[body])
                spin = pose.rotation.T @ qd[body, 3:]
                kinetic += 0.5 * inertial.mass * float(qd[body, :3] @ qd[body, :3]) + 0.5 * float(
                    spin @ inertial.inertia @ spin
                )
                potential -= inertial.mass * float(self._model.gravity @ pose.transform_points(inertial.com))
        return kinetic, potential

    def _check_finite(self) -> None:
        good = finite(self._state.body_q.numpy()) & finite(self._state.body_qd.numpy())
        if not good.all():
            name = self._model.names[int(np.flatnonzero(~good)[0])]
            raise SimulationError(
                f"at {self.time:.4f} s body {name!r} has left the finite numbers; "
                "take a smaller dt, more substeps, or check its inertial"
            )


_DRIVE_FIELDS = ("target", "target_rate", "stiffness", "damping", "effort")


def _pose(q: Array) -> Pose:
    return Pose(q[:3], rotation_from_quaternion(q[3:]))


def _moved(coordinate: int, value: float) -> Pose:
    """Return the motion of a joint along or about its x axis."""
    if coordinate < 0:
        return Pose()
    return Pose.from_xyz_rpy(rpy=[value, 0.0, 0.0]) if coordinate == ANGULAR_X else Pose(np.array([value, 0.0, 0.0]))


def _floor_second(contact: BodyContact) -> BodyContact:
    """Name the floor second."""
    if contact.body_a != WORLD_NAME:
        return contact
    return BodyContact(
        contact.body_b, contact.body_a, contact.positions, -contact.normals, contact.depths, -contact.forces
    )
