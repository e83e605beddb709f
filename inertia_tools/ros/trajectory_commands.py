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
from inertia_tools.ros.scopes import ALL, full_names
from inertia_tools.ros.simulation_world import World
from inertia_tools.ros.trajectories import Guide, Trajectory
from inertia_tools.wording import counted


@dataclass(frozen=True, eq=False)
class FollowTrajectory:
    """A command that makes a world follow a trajectory.

    Attributes:
        trajectory: The trajectory; None stops joints at their current positions.
        control: The joint control.
        scopes: Prefixes of the names of joints; a missing trajectory stops all joints with one of them.
    """

    trajectory: Trajectory | None
    control: JointControl
    scopes: tuple[str, ...] = ALL

    def apply(self, world: World) -> list[str]:
        """Start the trajectory, replacing others of its joints; the list of unknown joints is always empty.

        Raises:
            InertiaToolsError: The trajectory is refused; nothing changes then.
        """
        if self.trajectory is None:
            self._stop(world)
        else:
            names = full_names(self.trajectory.names, self.scopes, set(world.sound.joint_names))
            first = self.scopes[0]
            trajectory = self.trajectory.renamed({name: found or [first + name] for name, found in names.items()})
            world.follow(guide_along(world, trajectory, self.control))
        return []

    def _stop(self, world: World) -> None:
        simulation = world.sound
        joints = [name for name in simulation.joint_names if name.startswith(self.scopes)]
        world.drop_guides(joints)
        self.control.hold(simulation, joints)


def guide_along(world: World, trajectory: Trajectory, control: JointControl) -> Guide:
    """Return what moves the joints of a world along a trajectory, from their current positions.

    Raises:
        InertiaToolsError: A joint is unknown, a position cannot be commanded, or the trajectory is over.
    """
    simulation = world.sound
    now = simulation.snapshot()
    for name in trajectory.names:
        if name not in now.joint_positions:
            raise UnknownJointError(name, simulation.joint_names)
    for row in trajectory.positions:
        control.check(simulation, JointTargets(dict(zip(trajectory.names, row.tolist(), strict=True))))
    time = world.step * simulation.dt
    begins = time if trajectory.begins < 0.0 else trajectory.begins
    if begins + trajectory.times[-1] < time:
        raise SimulationError(f"the trajectory ends before the current time, {time:g} s")
    leading = trajectory.of(set(simulation.leading_joints))
    positions = [now.joint_positions[name] for name in leading.names]
    velocities = [now.joint_velocities[name] for name in leading.names]
    return Guide(leading.from_here(positions, velocities, max(time - begins, 0.0)), control, begins)


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
