# SPDX-FileCopyrightText: The inertia_tools authors
# SPDX-License-Identifier: Apache-2.0
"""Drive a simulated arm through its topics from a process of its own, by inverse kinematics of pink (PyPI: pin-pink).

    python examples/drive_with_pink.py panda PANDA.urdf    the hand draws a circle

It needs `pip install pin-pink daqp`, and a `simulator` that runs with that robot and `fixed_base:=true`.
It reads /clock and `simulator/body_states`, sends positions to `joint_commands`, and at the end says how far the robot
was from where pink wanted it.
"""

from __future__ import annotations

import argparse
import sys
from dataclasses import dataclass
from typing import Any

import numpy as np
import pinocchio as pin
import rclpy
from pink import Configuration, solve_ik
from pink.tasks import FrameTask, PostureTask, Task
from rclpy.qos import QoSProfile, ReliabilityPolicy
from rosgraph_msgs.msg import Clock
from sensor_msgs.msg import JointState

from inertia_tools.msg import BodyStates

PERIOD = 0.01
"""Simulated time between two commands [s]."""

CIRCLE, CIRCLE_RATE = 0.05, 0.25
"""Radius [m], and turns a second."""

SETTLING = 4.0
"""Simulated time until the robot has caught up [s]."""


@dataclass
class Robot:
    """What is driven: its frame that is led about, and how it starts.

    Attributes:
        led: The frame.
        start: Positions of joints at the start, by what their names contain [rad].
    """

    led: str
    start: dict[str, float]

    def way(self, time: float) -> np.ndarray:
        """Return how far the frame is led from where it starts [m], shape (3,)."""
        grown = min(time / SETTLING, 1.0)
        angle = 2.0 * np.pi * CIRCLE_RATE * time
        return grown * CIRCLE * np.array([0.0, np.cos(angle), np.sin(angle)])


ROBOTS = {
    "panda": Robot("panda_hand", {"panda_joint4": -1.8, "panda_joint6": 1.8, "panda_joint2": 0.2}),
}


class Controller:
    """pink's side: a configuration that is led along a way."""

    def __init__(self, robot: Robot, urdf: str) -> None:
        self.robot = robot
        self.model = pin.buildModelFromUrdf(urdf)
        q = pin.neutral(self.model)
        self.places = {self.model.names[k]: self.model.joints[k].idx_q for k in range(1, self.model.njoints)}
        for name, place in self.places.items():
            q[place] = next((angle for part, angle in robot.start.items() if part in name), q[place])
        self.configuration = Configuration(self.model, self.model.createData(), q)
        lead = FrameTask(robot.led, position_cost=1.0, orientation_cost=1.0)
        self.tasks: list[Task] = [lead, PostureTask(cost=1e-3)]
        for task in self.tasks:
            task.set_target_from_configuration(self.configuration)
        self.lead, self.begins_at = lead, lead.transform_target_to_world.copy()

    def command(self) -> JointState:
        """Return the positions that pink wants."""
        q = self.configuration.q
        return JointState(name=list(self.places), position=[float(q[place]) for place in self.places.values()])

    def advance(self, time: float) -> None:
        """Go on to a time by one step of pink's."""
        target = self.begins_at.copy()
        target.translation = self.begins_at.translation + self.robot.way(time)
        self.lead.set_target(target)
        velocity = solve_ik(self.configuration, self.tasks, PERIOD, solver="daqp")
        self.configuration.integrate_inplace(velocity, PERIOD)

    def led_by(self) -> np.ndarray:
        """Return how far the frame is by now from where it began [m], shape (3,)."""
        now = self.configuration.get_transform_frame_to_world(self.robot.led)
        return np.asarray(now.translation - self.begins_at.translation)


class Graph:
    """What is heard of the simulation."""

    def __init__(self, robot: Robot) -> None:
        self.node = rclpy.create_node("drive_with_pink")
        self.time, self.place = -1.0, np.full(3, np.nan)  # not known yet
        best_effort = QoSProfile(depth=1, reliability=ReliabilityPolicy.BEST_EFFORT)
        self.node.create_subscription(Clock, "/clock", self._take_time, best_effort)
        self._led = robot.led
        self.node.create_subscription(BodyStates, "simulator/body_states", self._take_bodies, 10)
        self.commands = self.node.create_publisher(JointState, "joint_commands", 10)

    def _take_time(self, message: Clock) -> None:
        self.time = message.clock.sec + 1e-9 * message.clock.nanosec

    def _take_bodies(self, message: BodyStates) -> None:
        position = next(body.pose.position for body in message.bodies if body.name == self._led)
        self.place = np.array([position.x, position.y, position.z])

    def wait_until(self, time: float) -> None:
        """Handle messages until the simulation is at a time [s]."""
        while self.time < time or np.isnan(self.place).any():
            rclpy.spin_once(self.node, timeout_sec=1.0)


def drive(robot: Robot, controller: Controller, graph: Graph, seconds: float) -> float:
    """Drive the robot and return how far it was at most from where pink wanted it [m]."""
    graph.wait_until(0.0)
    while not graph.commands.get_subscription_count():
        rclpy.spin_once(graph.node, timeout_sec=0.1)
    begins, farthest, start = graph.time, 0.0, None
    while (time := graph.time - begins) < seconds + SETTLING:
        if time > SETTLING:
            start = graph.place if start is None else start
            controller.advance(time - SETTLING)
        graph.commands.publish(controller.command())
        graph.wait_until(begins + time + PERIOD)
        if time > 2.0 * SETTLING:
            farthest = max(farthest, float(np.linalg.norm(graph.place - start - controller.led_by())))
    return farthest


def main() -> int:
    """Drive, and print the error."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("robot", choices=ROBOTS)
    parser.add_argument("urdf")
    parser.add_argument("--seconds", type=float, default=8.0, help="simulated")
    options, ros_arguments = parser.parse_known_args()
    robot: Any = ROBOTS[options.robot]
    with rclpy.init(args=ros_arguments):
        error = drive(robot, Controller(robot, options.urdf), Graph(robot), options.seconds)
    print(f"{options.robot}: {robot.led} was at most {1e3 * error:.1f} mm from where pink wanted it")
    return 0


if __name__ == "__main__":
    sys.exit(main())
