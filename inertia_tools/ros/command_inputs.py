# SPDX-FileCopyrightText: The inertia_tools authors
# SPDX-License-Identifier: Apache-2.0
"""Topics with commands for joints and wrenches. Refused messages have no effect; they are counted and logged."""

from __future__ import annotations

from collections.abc import Callable
from concurrent.futures import Future
from contextlib import ExitStack
from dataclasses import dataclass
from typing import Any

from geometry_msgs.msg import WrenchStamped
from rclpy.node import Node
from sensor_msgs.msg import JointState
from trajectory_msgs.msg import JointTrajectory

from inertia_tools.errors import InertiaToolsError
from inertia_tools.ros.failures import message_of
from inertia_tools.ros.joint_commands import JointCommand, targets_of
from inertia_tools.ros.joint_control import JointControl
from inertia_tools.ros.qos import RELIABLE, overridable_subscription
from inertia_tools.ros.scopes import ALL
from inertia_tools.ros.simulation_loop import SimulationLoop
from inertia_tools.ros.simulation_world import World
from inertia_tools.ros.trajectory_commands import FollowTrajectory, trajectory_of
from inertia_tools.ros.wrench_requests import wrench_on_link


@dataclass
class Rejections:
    """Refused messages, on the topics of all robots.

    Attributes:
        count: Number of refused messages.
        last: Reason for the last refusal.
    """

    count: int = 0
    last: str = ""


class CommandInputs:
    """Subscriptions whose messages become commands of a loop.

    Attributes:
        scopes: Prefixes of the names of joints and links.
    """

    def __init__(
        self,
        node: Node,
        loop: SimulationLoop,
        control: Callable[[], JointControl],
        rejections: Rejections,
        frame_prefix: str = "",
        namespace: str = "",
        scopes: tuple[str, ...] = ALL,
    ) -> None:
        """Create the subscriptions.

        Args:
            node: The node that subscribes.
            loop: Executes the commands.
            control: Returns the current joint control.
            rejections: Counter of refused messages.
            frame_prefix: Prefix of frame names, before those of links.
            namespace: Prefix of the names of the topics.
            scopes: Prefixes of the names of joints and links.

        Raises:
            InvalidTopicNameException: The namespace is not valid in ROS.
            OptionError: A parameter requests an unknown quality of service.
        """
        self.scopes, self._prefix = scopes, frame_prefix
        self._node, self._loop, self._control, self._rejections = node, loop, control, rejections
        self._unknown_joints: set[str] = set()
        self._subscriptions: list[Any] = []
        inputs: tuple[tuple[Any, str, Callable[[Any], None]], ...] = (
            (JointTrajectory, "joint_trajectory", self._on_joint_trajectory),
            (JointState, "joint_commands", self._on_joint_command),
            (WrenchStamped, "wrench_commands", self._on_wrench),
        )
        with ExitStack() as undo:
            undo.callback(self.close)
            for message_type, topic, callback in inputs:
                self._subscriptions.append(
                    overridable_subscription(node, message_type, namespace + topic, callback, RELIABLE)
                )
            undo.pop_all()  # all subscriptions are created

    def close(self) -> None:
        """End the subscriptions."""
        for subscription in self._subscriptions:
            self._node.destroy_subscription(subscription)

    def _on_joint_command(self, message: JointState) -> None:
        self._submit(lambda: JointCommand(targets_of(message), self._control(), self.scopes).apply)

    def _on_joint_trajectory(self, message: JointTrajectory) -> None:
        self._submit(lambda: FollowTrajectory(trajectory_of(message), self._control(), self.scopes).apply)

    def _on_wrench(self, message: WrenchStamped) -> None:
        self._submit(lambda: wrench_on_link(message, self.scopes, self._prefix).apply)

    def _submit(self, read: Callable[[], Callable[[World], list[str]]]) -> None:
        """Submit the command in a message, unless it is invalid."""
        try:
            command = read()
        except InertiaToolsError as error:
            self._reject(error)
            return
        self._loop.submit(command, replaceable=True).add_done_callback(self._take_outcome)

    def _take_outcome(self, future: Future[list[str]]) -> None:
        error = future.exception()
        if error is not None:
            self._reject(error)
            return
        for name in set(future.result()) - self._unknown_joints:
            self._unknown_joints.add(name)
            self._node.get_logger().warning(
                f"joint command for {name!r}, which the robot does not have; further commands for it are ignored"
            )

    def _reject(self, error: BaseException) -> None:
        self._rejections.count += 1
        self._rejections.last = message_of(error) if isinstance(error, Exception) else str(error)
        self._node.get_logger().warning(f"command refused: {self._rejections.last}", throttle_duration_sec=5.0)
