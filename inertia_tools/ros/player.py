# SPDX-FileCopyrightText: The inertia_tools authors
# SPDX-License-Identifier: Apache-2.0
"""The node that publishes a recording of recorder, with its original timing."""

from __future__ import annotations

import sys
import time
from contextlib import nullcontext
from pathlib import Path
from typing import Any

from rclpy.clock import Clock as SteadyClock
from rclpy.clock_type import ClockType
from rclpy.node import Node
from rclpy.qos import DurabilityPolicy, QoSProfile

from inertia_tools.ros import parameters
from inertia_tools.ros.message_definitions import UnknownTypeError, message_type
from inertia_tools.ros.package_log import log_package_as
from inertia_tools.ros.parameters import Spec
from inertia_tools.ros.recorder import LATCHED, wanted_topics
from inertia_tools.ros.recording import Recording, read_recording
from inertia_tools.ros.running import end_node, run_node
from inertia_tools.wording import counted

SPECS = (
    Spec("file", "recording.mcap", "The recording.", read_only=True),
    Spec("rate", 1.0, "Recorded time per real time.", low=0.01, high=1000.0, read_only=True),
    Spec(
        "topics",
        [""],
        "Topics to publish, relative to the node's namespace; all when empty.",
        read_only=True,
    ),
    Spec(
        "wait", 1.0, "Longest time to wait until all topics have subscribers [s].", low=0.0, high=3600.0, read_only=True
    ),
)

_PERIOD = 0.002  # Period of checking for due messages [s].


class Player(Node):
    """Publishes a recording; the node ends when the recording does."""

    def __init__(self) -> None:
        """Open the recording and start.

        Raises:
            MissingDependencyError: mcap is not installed.
            ParseError: The file is not a recording.
            ValueError: A topic has an invalid name.
        """
        super().__init__("player")
        log_package_as(self)
        parameters.declare(self, SPECS)
        path, self._rate = Path(self.get_parameter("file").value), float(self.get_parameter("rate").value)
        self._wanted = wanted_topics(self)
        self._publishers_of: dict[int, Any] = {}
        recording = read_recording(path)
        if recording.is_torn:
            count = counted(recording.counts.total(), "message")
            self.get_logger().warning(f"{path} is incomplete, as if its recorder was killed; it has {count}")
        for channel in recording.channels.values():  # discovery takes time, so publishers come before messages
            self._announce(recording, channel)
        self._messages = recording.messages
        self._next = next(self._messages, None)
        self._first = self._next[1].log_time if self._next else 0
        self._began: int | None = None
        self._latest_begin = time.monotonic_ns() + int(1e9 * float(self.get_parameter("wait").value))
        self.create_timer(_PERIOD, self._play, clock=SteadyClock(clock_type=ClockType.STEADY_TIME))

    def _announce(self, recording: Recording, channel: Any) -> None:
        """Create the publisher of a channel; messages of latched topics are kept for late subscribers."""
        if self._wanted and channel.topic not in self._wanted:
            return
        try:
            kind = message_type(recording.schemas[channel.schema_id].name)
        except (UnknownTypeError, KeyError) as error:
            self.get_logger().warning(f"{channel.topic} is not published: {error}")
            return
        is_latched = channel.metadata.get(LATCHED) == "true"
        durability = DurabilityPolicy.TRANSIENT_LOCAL if is_latched else DurabilityPolicy.VOLATILE
        depth = max(recording.counts[channel.id], 1) if is_latched else 1000
        self._publishers_of[channel.id] = self.create_publisher(
            kind, channel.topic, QoSProfile(depth=depth, durability=durability)
        )

    def _play(self) -> None:
        """Publish due messages, after all topics have subscribers or the wait for them is over."""
        if self._began is None:
            heard = all(publisher.get_subscription_count() for publisher in self._publishers_of.values())
            if not heard and time.monotonic_ns() < self._latest_begin:
                return
            self._began = time.monotonic_ns()
        due = self._first + self._rate * (time.monotonic_ns() - self._began)
        while self._next is not None and self._next[1].log_time <= due:
            channel, message = self._next
            publisher = self._publishers_of.get(channel.id)
            if publisher is not None:
                publisher.publish(message.data)
            self._next = next(self._messages, None)
        if self._next is None:
            self.get_logger().info("the recording has ended")
            end_node()


def main(args: list[str] | None = None) -> int:
    """Play until the end, or until interrupted, and return the exit code."""
    return run_node("player", Player, args, lambda node: nullcontext())


if __name__ == "__main__":
    sys.exit(main())
