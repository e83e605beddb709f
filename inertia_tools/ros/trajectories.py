# SPDX-FileCopyrightText: The inertia_tools authors
# SPDX-License-Identifier: Apache-2.0
"""Trajectories of joints, followed in simulated time."""

from __future__ import annotations

import itertools
import math
from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np
from trajectory_msgs.msg import JointTrajectory

from inertia_tools.errors import SimulationError, UnknownJointError
from inertia_tools.ros.joint_commands import JointControl, JointTargets
from inertia_tools.ros.simulation_world import World
from inertia_tools.spatial import Array


@dataclass(frozen=True, eq=False)
class Trajectory:
    """Points that joints pass through: straight between them, or cubic where all state velocities.

    Attributes:
        names: The joints.
        times: Times of the points since its start, ascending [s], shape (n,).
        positions: Positions there [rad or m], shape (n, joints).
        velocities: Velocities there [rad/s or m/s], likewise; None for straight lines.
        begins: Simulated time of its start [s]; negative to start at once.
    """

    names: tuple[str, ...]
    times: Array
    positions: Array
    velocities: Array | None = None
    begins: float = -1.0

    def at(self, time: float) -> tuple[Array, Array]:
        """Return positions and velocities at a time since the start [s]; before and after it, those of its ends."""
        if time <= self.times[0] or time >= self.times[-1]:
            index = 0 if time <= self.times[0] else -1
            return self.positions[index], np.zeros(len(self.names))
        right = int(np.searchsorted(self.times, time, side="right"))
        left, span = right - 1, float(self.times[right] - self.times[right - 1])
        s, p0, p1 = (time - float(self.times[left])) / span, self.positions[left], self.positions[right]
        if self.velocities is None:
            return p0 + s * (p1 - p0), (p1 - p0) / span
        m0, m1 = span * self.velocities[left], span * self.velocities[right]
        cubic, square = 2.0 * (p0 - p1) + m0 + m1, 3.0 * (p1 - p0) - 2.0 * m0 - m1
        return ((cubic * s + square) * s + m0) * s + p0, ((3.0 * cubic * s + 2.0 * square) * s + m0) / span

    def from_here(self, positions: Sequence[float], velocities: Sequence[float]) -> Trajectory:
        """Return the trajectory with a first point at its start where it has none: where the joints are now."""
        if self.times[0] <= 0.0:
            return self
        return replace(
            self,
            times=np.concatenate([[0.0], self.times]),
            positions=np.vstack([positions, self.positions]),
            velocities=None if self.velocities is None else np.vstack([velocities, self.velocities]),
        )


@dataclass(frozen=True, eq=False)
class FollowTrajectory:
    """A trajectory on its way to a world, which follows it from then on.

    Attributes:
        trajectory: The points; None stops the joints where they are.
        control: How joints follow.
    """

    trajectory: Trajectory | None
    control: JointControl

    def apply(self, world: World) -> list[str]:
        """Put the trajectory into force, in place of one that is; there are no unknown joints to return.

        Raises:
            InertiaToolsError: It is refused, and nothing was changed.
        """
        simulation = world.sound
        if self.trajectory is None:
            world.drop_guide()
            self.control.hold(simulation)
            return []
        now = simulation.snapshot()
        for name in self.trajectory.names:
            if name not in now.joint_positions:
                raise UnknownJointError(name, simulation.joint_names)
        trajectory = self.trajectory.from_here(
            [now.joint_positions[name] for name in self.trajectory.names],
            [now.joint_velocities[name] for name in self.trajectory.names],
        )
        for row in trajectory.positions:
            self.control.check(simulation, JointTargets(dict(zip(trajectory.names, row.tolist(), strict=True))))
        begins = world.step * simulation.dt if trajectory.begins < 0.0 else trajectory.begins
        world.drop_guide()
        world.guide = Guide(trajectory, self.control, begins)
        return []


@dataclass(eq=False)
class Guide:
    """A trajectory in force.

    Attributes:
        trajectory: The points.
        control: How joints follow.
        begins: Simulated time of its start [s].
    """

    trajectory: Trajectory
    control: JointControl
    begins: float

    @property
    def names(self) -> tuple[str, ...]:
        """The joints it moves."""
        return self.trajectory.names

    def lead(self, world: World) -> bool:
        """Set the targets of the step to come; return whether there is anything left to do after it."""
        simulation = world.sound
        time = (world.step + 1) * simulation.dt - self.begins
        if time < 0.0:
            return True
        positions, velocities = self.trajectory.at(time)
        names = self.trajectory.names
        targets = JointTargets(
            dict(zip(names, positions.tolist(), strict=True)), dict(zip(names, velocities.tolist(), strict=True))
        )
        self.control.drive(simulation, targets)
        return bool(time < self.trajectory.times[-1])


def trajectory_of(message: JointTrajectory) -> Trajectory | None:
    """Read a trajectory; one without points means to stop.

    Raises:
        SimulationError: Names are missing or twice there, times do not ascend, or a point has not one finite number for
            each joint.
    """
    names = tuple(message.joint_names)
    if not message.points:
        return None
    if not names or len(set(names)) < len(names):
        raise SimulationError(f"a trajectory needs joint names, each once; it has {list(names)}")
    times = [point.time_from_start.sec + 1e-9 * point.time_from_start.nanosec for point in message.points]
    if times[0] < 0.0 or any(later <= earlier for earlier, later in itertools.pairwise(times)):
        raise SimulationError("the times of a trajectory's points must ascend, from zero or more")
    has_velocities = all(len(point.velocities) for point in message.points)
    for index, point in enumerate(message.points):
        for kind, values in (("positions", point.positions), ("velocities", point.velocities)):
            is_needed = kind == "positions" or has_velocities
            if is_needed and (len(values) != len(names) or not all(map(math.isfinite, values))):
                raise SimulationError(f"point {index} of a trajectory needs {len(names)} finite {kind}")
    stamp = message.header.stamp.sec + 1e-9 * message.header.stamp.nanosec
    return Trajectory(
        names=names,
        times=np.array(times),
        positions=np.array([point.positions for point in message.points], dtype=np.float64),
        velocities=np.array([point.velocities for point in message.points]) if has_velocities else None,
        begins=stamp if stamp > 0.0 else -1.0,
    )
