# SPDX-FileCopyrightText: The inertia_tools authors
# SPDX-License-Identifier: Apache-2.0
"""Drive a simulated robot through its topics from a process of its own, along trajectories of ruckig (PyPI: ruckig).

    python examples/drive_with_ruckig.py go1      a quadruped stands up, crouches and rises
    python examples/drive_with_ruckig.py panda    an arm goes from posture to posture

It needs `pip install ruckig`, and a `simulator` that runs with that robot, `fixed_base:=true` for the arm. It reads
/clock, joint_states and `simulator/body_states`, and sends positions and velocities to `joint_commands`. At the end it
says how far from its postures the robot rested, and how its base has moved.
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np
import rclpy
from rclpy.qos import QoSProfile, ReliabilityPolicy
from rosgraph_msgs.msg import Clock
from ruckig import InputParameter, OutputParameter, Result, Ruckig
from sensor_msgs.msg import JointState

from inertia_tools.msg import BodyStates

PERIOD = 0.01
"""Simulated time between two commands [s]."""

REST = 1.0
"""Simulated time for which each posture is held [s]."""

LIMITS = (1.0, 3.0, 20.0)
"""Velocity [rad/s], acceleration [rad/s^2] and jerk [rad/s^3] of each joint along the way."""


@dataclass(frozen=True)
class Robot:
    """What is driven: its base, and postures one after the other.

    Attributes:
        base: The link whose way is told.
        postures: Positions of joints by a part of their names, zero for the others [rad].
    """

    base: str
    postures: tuple[dict[str, float], ...]


def leg(bend: float) -> dict[str, float]:
    """Return the posture of legs with upper and lower parts of equal length: each foot stays below its hip."""
    return {"thigh": bend, "calf": -2.0 * bend}


ROBOTS = {
    "go1": Robot("base", (leg(0.7), leg(1.1), leg(0.6), leg(0.9))),
    "panda": Robot(
        "panda_link0",
        (
            {"panda_joint2": 0.2, "panda_joint4": -1.8, "panda_joint6": 1.8},
            {"panda_joint1": 0.6, "panda_joint2": 0.5, "panda_joint4": -1.5, "panda_joint6": 2.0},
            {"panda_joint1": -0.6, "panda_joint2": -0.3, "panda_joint4": -2.2, "panda_joint6": 1.9},
        ),
    ),
}


class Graph:
    """What is heard of the simulation, and where commands go."""

    def __init__(self, base: str) -> None:
        self.node = rclpy.create_node("drive_with_ruckig")
        self.time, self.joints, self.place = -1.0, JointState(), np.full(3, np.nan)  # not known yet
        best_effort = QoSProfile(depth=1, reliability=ReliabilityPolicy.BEST_EFFORT)
        self.node.create_subscription(Clock, "/clock", self._take_time, best_effort)
        self.node.create_subscription(JointState, "joint_states", self._take_joints, 10)
        self.node.create_subscription(BodyStates, "simulator/body_states", self._take_bodies, 10)
        self.commands = self.node.create_publisher(JointState, "joint_commands", 10)
        self._base = base

    def _take_time(self, message: Clock) -> None:
        self.time = message.clock.sec + 1e-9 * message.clock.nanosec

    def _take_joints(self, message: JointState) -> None:
        self.joints = message

    def _take_bodies(self, message: BodyStates) -> None:
        position = next(body.pose.position for body in message.bodies if body.name == self._base)
        self.place = np.array([position.x, position.y, position.z])

    def wait_until(self, time: float) -> None:
        """Handle messages until the simulation is at a time [s]."""
        while self.time < time or np.isnan(self.place).any() or not self.joints.name:
            rclpy.spin_once(self.node, timeout_sec=1.0)


def trajectory(start: np.ndarray, target: np.ndarray) -> Iterator[tuple[np.ndarray, np.ndarray]]:
    """Give ruckig's positions [rad] and velocities [rad/s] of each period, each shape (joints,), then rest."""
    otg, wanted, out = Ruckig(len(start), PERIOD), InputParameter(len(start)), OutputParameter(len(start))
    wanted.current_position = list(start)
    wanted.max_velocity, wanted.max_acceleration, wanted.max_jerk = ([limit] * len(start) for limit in LIMITS)
    wanted.target_position = list(target)
    result = Result.Working
    while result == Result.Working:
        result = otg.update(wanted, out)
        yield np.array(out.new_position), np.array(out.new_velocity)
        out.pass_to_input(wanted)
    for _ in range(round(REST / PERIOD)):
        yield target, np.zeros(len(target))


def drive(robot: Robot, graph: Graph) -> tuple[float, np.ndarray]:
    """Drive a robot; return how far from a posture a joint rested at most [rad], and the way of the base.

    The first posture does not count: it is led to from wherever the robot starts. The way is given as the range of
    each coordinate [m], shape (3,).
    """
    graph.wait_until(0.0)
    while not graph.commands.get_subscription_count():
        rclpy.spin_once(graph.node, timeout_sec=0.1)
    names, now, time = list(graph.joints.name), np.array(graph.joints.position), graph.time
    errors: list[float] = []
    places: list[np.ndarray] = []
    for posture in robot.postures:
        target = np.array([next((angle for part, angle in posture.items() if part in name), 0.0) for name in names])
        for position, velocity in trajectory(now, target):
            graph.commands.publish(JointState(name=names, position=position.tolist(), velocity=velocity.tolist()))
            time += PERIOD
            graph.wait_until(time)
            places.append(graph.place)
        errors.append(float(np.abs(np.array(graph.joints.position) - target).max()))
        now = target
        if len(errors) == 1:
            places.clear()
    return max(errors[1:]), np.ptp(places, axis=0)


def main() -> int:
    """Drive, and print the error."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("robot", choices=ROBOTS)
    options, ros_arguments = parser.parse_known_args()
    robot: Any = ROBOTS[options.robot]
    with rclpy.init(args=ros_arguments):
        farthest, way = drive(robot, Graph(robot.base))
    along, across, up = 1e3 * way
    print(f"{options.robot}: joints rested at most {1e3 * farthest:.1f} mrad from where ruckig led them")
    print(f"{robot.base} moved {up:.1f} mm up and down, {along:.1f} mm along and {across:.1f} mm across")
    return 0


if __name__ == "__main__":
    sys.exit(main())
