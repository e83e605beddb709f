# SPDX-FileCopyrightText: The inertia_tools authors
# SPDX-License-Identifier: Apache-2.0
"""The node that records topics as an MCAP file, which rosbag2, Foxglove and player read.

Messages are written as they arrive, serialised: nothing is converted.
"""

from __future__ import annotations

import os
import sys
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from rclpy.clock import Clock as SteadyClock
from rclpy.clock_type import ClockType
from rclpy.exceptions import InvalidTopicNameException
from rclpy.node import Node
from rclpy.qos import DurabilityPolicy, QoSProfile, ReliabilityPolicy
from rclpy.subscription import Subscription
from rclpy.validate_topic_name import validate_topic_name

from inertia_tools.errors import MissingDependencyError, WriteError
from inertia_tools.ros import parameters
from inertia_tools.ros.message_definitions import UnknownTypeError, definition_of, message_type
from inertia_tools.ros.package_log import log_package_as
from inertia_tools.ros.parameters import Spec
from inertia_tools.ros.running import run_node
from inertia_tools.wording import listed
from inertia_tools.write.stream import new_stream

SPECS = (
    Spec("file", "recording.mcap", "The file to write; it must not exist.", read_only=True),
    Spec(
        "topics",
        [""],
        "Topics to record, relative to the node's namespace; all when empty.",
        read_only=True,
    ),
)

LATCHED = "latched"
"""Key of a channel's metadata that marks latched topics, whose last message late subscribers get."""

LEAST_FREE = 16 << 20
"""Free disk space at which a recording stops [B]; its index and other programs' files still fit then."""

_LOOK_PERIOD = 0.5  # Period of searching for new topics [s].
_UNSEEN = ("/rosout", "/parameter_events")


class Recorder(Node):
    """Subscribes to topics as they appear, and writes their messages."""

    def __init__(self) -> None:
        """Open the file.

        Raises:
            MissingDependencyError: mcap is not installed.
            ValueError: A topic has an invalid name.
            WriteError: The file exists already, or cannot be created.
        """
        super().__init__("recorder")
        log_package_as(self)
        parameters.declare(self, SPECS)
        try:
            from mcap.writer import Writer
        except ModuleNotFoundError as error:
            raise MissingDependencyError("mcap", "recording", "pip install mcap") from error
        path = Path(self.get_parameter("file").value)
        self._wanted = wanted_topics(self)
        self._file = new_stream(path)
        self._writer = Writer(self._file)
        self._writer.start(profile="ros2", library="inertia_tools")
        self._schemas: dict[str, int] = {}
        self._channels: dict[str, int | None] = {}
        self._held: dict[str, Subscription[Any]] = {}
        self._counts: dict[int, int] = {}
        self.create_timer(_LOOK_PERIOD, self._look, clock=SteadyClock(clock_type=ClockType.STEADY_TIME))
        self._look()
        self.get_logger().info(f"recording {path}")

    def close(self) -> None:
        """Finish the file, and report the topics without messages."""
        self._writer.finish()
        self._file.close()
        heard = {topic for topic, channel in self._channels.items() if channel is not None and self._counts[channel]}
        if missed := sorted(self._wanted - heard):
            self.get_logger().warning(f"no message was received on {listed(missed, 'or')}")
        self.get_logger().info(f"{sum(self._counts.values())} messages of {len(self._counts)} topics")

    def _look(self) -> None:
        """Subscribe to published topics, and resubscribe if new publishers need another quality of service."""
        for topic, types in self.get_topic_names_and_types():
            if topic in _UNSEEN or (self._wanted and topic not in self._wanted):
                continue
            offered = [one.qos_profile for one in self.get_publishers_info_by_topic(topic)]
            if not offered:  # without publishers the quality of service is unknown
                continue
            if topic not in self._channels:
                self._channels[topic] = self._channel_of(topic, types[0], _is_latched(offered))
            if (channel := self._channels[topic]) is not None:
                self._listen(topic, types[0], channel, _matching(offered))

    def _channel_of(self, topic: str, type_name: str, latched: bool) -> int | None:
        """Return a new channel of the file; None, with a warning, for a type that is not installed."""
        try:
            message_type(type_name)
            text = definition_of(type_name)
        except UnknownTypeError as error:
            self.get_logger().warning(f"{topic} is not recorded: {error}")
            return None
        if type_name not in self._schemas:
            self._schemas[type_name] = self._writer.register_schema(type_name, "ros2msg", text.encode())
        metadata = {LATCHED: "true"} if latched else {}
        channel = int(self._writer.register_channel(topic, "cdr", self._schemas[type_name], metadata))
        self._counts[channel] = 0
        return channel

    def _listen(self, topic: str, type_name: str, channel: int, qos: QoSProfile) -> None:
        """Subscribe, unless there is a subscription with this quality."""
        if (held := self._held.get(topic)) is not None:
            if (held.qos_profile.reliability, held.qos_profile.durability) == (qos.reliability, qos.durability):
                return
            self.destroy_subscription(held)
        self._held[topic] = self.create_subscription(
            message_type(type_name), topic, lambda data: self._write(topic, channel, data), qos, raw=True
        )

    def _write(self, topic: str, channel: int, data: Any) -> None:
        """Write a message.

        Raises:
            WriteError: The disk is nearly full.
        """
        disk = os.fstatvfs(self._file.fileno())
        if disk.f_bavail * disk.f_frsize < LEAST_FREE:
            raise WriteError(f"less than {LEAST_FREE >> 20} MiB are free on the disk, so the recording stops")
        if self._counts[channel] == 0:
            self.get_logger().info(f"receiving {topic}")
        now = time.time_ns()
        self._writer.add_message(channel, now, bytes(data), now, self._counts[channel])
        self._counts[channel] += 1


def _is_latched(offered: Sequence[QoSProfile]) -> bool:
    return all(one.durability == DurabilityPolicy.TRANSIENT_LOCAL for one in offered)


def _matching(offered: Sequence[QoSProfile]) -> QoSProfile:
    """Return the best quality of service that all publishers offer: a stricter subscription receives nothing."""
    is_reliable = all(one.reliability == ReliabilityPolicy.RELIABLE for one in offered)
    return QoSProfile(
        depth=1000,
        reliability=ReliabilityPolicy.RELIABLE if is_reliable else ReliabilityPolicy.BEST_EFFORT,
        durability=DurabilityPolicy.TRANSIENT_LOCAL if _is_latched(offered) else DurabilityPolicy.VOLATILE,
    )


def wanted_topics(node: Node) -> set[str]:
    """Return the full names of the topics in the parameter `topics`.

    Raises:
        ValueError: A topic has an invalid name.
    """
    names = [name for name in node.get_parameter("topics").value if name]
    for name in names:
        try:
            validate_topic_name(name)
        except InvalidTopicNameException as error:
            raise ValueError(str(error)) from error
    return {node.resolve_topic_name(name) for name in names}


@contextmanager
def _close_after(node: Node) -> Iterator[None]:
    assert isinstance(node, Recorder)
    try:
        yield
    finally:
        node.close()


def main(args: list[str] | None = None) -> int:
    """Record until interrupted, and return the exit code."""
    return run_node("recorder", Recorder, args, _close_after)


if __name__ == "__main__":
    sys.exit(main())
