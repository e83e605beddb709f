# SPDX-FileCopyrightText: The inertia_tools authors
# SPDX-License-Identifier: Apache-2.0
"""Conversion of trajectory messages to commands for a world."""

from __future__ import annotations

import itertools
import math
from dataclasses import dataclass

import numpy as np
from trajectory_msgs.msg import JointTrajectory

from inertia_tools.errors import SimulationError, UnknownJointError
from inertia_tools.ros.joint_control import JointControl, JointTargets
from inertia_tools.ros.simulation_world import World
from inertia_tools.ros.trajectories import Guide, Trajectory
from inertia_tools.wording import counted


@dataclass(frozen=True, eq=False)
class FollowTrajectory:
    """A command that makes a world follow a trajectory.

    Attributes:
        trajectory: The trajectory; None stops the joints at their current positions.
        control: The joint control.
    """

    trajectory: Trajectory | None
    control: JointControl

    def apply(self, world: World) -> list[str]:
        """Start the trajectory, replacing any other; the list of unknown joints is always empty.

        Raises:
            InertiaToolsError: The trajectory is refused; nothing changes then.
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
        for row in self.trajectory.positions:
            self.control.check(simulation, JointTargets(dict(zip(self.trajectory.names, row.tolist(), strict=True))))
        leading = self.trajectory.of(set(simulation.leading_joints))
        trajectory = leading.from_here(
            [now.joint_positions[name] for name in leading.names],
            [now.joint_velocities[name] for name in leading.names],
        )
        begins = world.step * simulation.dt if trajectory.begins < 0.0 else trajectory.begins
        world.drop_guide()
        world.guide = Guide(trajectory, self.control, begins)
        return []


def trajectory_of(message: JointTrajectory) -> Trajectory | None:
    """Read a trajectory; one without points means stop.

    Raises:
        SimulationError: Names are missing or duplicated, times do not ascend, or a point does not have one finite
            number for each joint.
    """
    names = tuple(message.joint_names)
    if not message.points:
        return None
    if not names or len(set(names)) < len(names):
        raise SimulationError(f"a trajectory needs joint names without duplicates; it has {list(names)}")
    times = [point.time_from_start.sec + 1e-9 * point.time_from_start.nanosec for point in message.points]
    if times[0] < 0.0 or any(later <= earlier for earlier, later in itertools.pairwise(times)):
        raise SimulationError("the times of trajectory points must ascend from zero or more")
    has_velocities = all(len(point.velocities) for point in message.points)
    for index, point in enumerate(message.points):
        for kind, plural, values in (
            ("position", "positions", point.positions),
            ("velocity", "velocities", point.velocities),
        ):
            is_needed = kind == "position" or has_velocities
            if is_needed and (len(values) != len(names) or not all(map(math.isfinite, values))):
                needed = counted(len(names), f"finite {kind}", f"finite {plural}")
                raise SimulationError(f"point {index} of a trajectory needs {needed}")
    stamp = message.header.stamp.sec + 1e-9 * message.header.stamp.nanosec
    return Trajectory(
        names=names,
        times=np.array(times),
        positions=np.array([point.positions for point in message.points], dtype=np.float64),
        velocities=np.array([point.velocities for point in message.points]) if has_velocities else None,
        begins=stamp if stamp > 0.0 else -1.0,
    )
