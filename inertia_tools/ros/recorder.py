# SPDX-FileCopyrightText: The inertia_tools authors
# SPDX-License-Identifier: Apache-2.0
"""The node that records topics as an MCAP file, which rosbag2, Foxglove and player read.

Messages are written as they come, serialised: nothing is converted.
"""

from __future__ import annotations

import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from rclpy.clock import Clock as SteadyClock
from rclpy.clock_type import ClockType
from rclpy.node import Node
from rclpy.qos import DurabilityPolicy, QoSProfile, ReliabilityPolicy

from inertia_tools.errors import MissingDependencyError
from inertia_tools.ros import parameters
from inertia_tools.ros.message_definitions import UnknownTypeError, definition_of, message_type
from inertia_tools.ros.parameters import Spec
from inertia_tools.ros.running import run_node
from inertia_tools.write.stream import new_stream

SPECS = (
    Spec("file", "recording.mcap", "The file, which must not be there yet.", read_only=True),
    Spec("topics", [""], "Topics to record, by their full names; all when empty.", read_only=True),
)

LATCHED = "latched"
"""Key of a channel's metadata: late subscribers get the last message."""

_LOOK_PERIOD = 0.5  # How often new topics are looked for [s].
_UNSEEN = ("/rosout", "/parameter_events")


class Recorder(Node):
    """Subscribes to topics as they appear, and writes what comes."""

    def __init__(self) -> None:
        """Open the file.

        Raises:
            MissingDependencyError: mcap is not installed.
            WriteError: The file is there already, or cannot be made.
        """
        super().__init__("recorder")
        parameters.declare(self, SPECS)
        try:
            from mcap.writer import Writer
        except ModuleNotFoundError as error:
            raise MissingDependencyError("mcap", "recording", "pip install mcap") from error
        path = Path(self.get_parameter("file").value)
        self._wanted = {topic for topic in self.get_parameter("topics").value if topic}
        self._file = new_stream(path)
        self._writer = Writer(self._file)
        self._writer.start(profile="ros2", library="inertia_tools")
        self._schemas: dict[str, int] = {}
        self._heard: set[str] = set()
        self._counts: dict[int, int] = {}
        self.create_timer(_LOOK_PERIOD, self._look, clock=SteadyClock(clock_type=ClockType.STEADY_TIME))
        self._look()
        self.get_logger().info(f"recording {path}")

    def close(self) -> None:
        """End the file well."""
        self._writer.finish()
        self._file.close()
        self.get_logger().info(f"{sum(self._counts.values())} messages of {len(self._heard)} topics")

    def _look(self) -> None:
        """Subscribe to topics that are new."""
        for topic, types in self.get_topic_names_and_types():
            if topic in self._heard or topic in _UNSEEN or (self._wanted and topic not in self._wanted):
                continue
            self._heard.add(topic)
            try:
                self._record(topic, types[0])
            except UnknownTypeError as error:
                self.get_logger().warning(f"{topic} is not recorded: {error}")

    def _record(self, topic: str, type_name: str) -> None:
        kind, text = message_type(type_name), definition_of(type_name)
        offered = [one.qos_profile for one in self.get_publishers_info_by_topic(topic)]
        is_latched = any(one.durability == DurabilityPolicy.TRANSIENT_LOCAL for one in offered)
        is_reliable = all(one.reliability == ReliabilityPolicy.RELIABLE for one in offered)
        if type_name not in self._schemas:
            self._schemas[type_name] = self._writer.register_schema(type_name, "ros2msg", text.encode())
        metadata = {LATCHED: "true"} if is_latched else {}
        channel = self._writer.register_channel(topic, "cdr", self._schemas[type_name], metadata)
        qos = QoSProfile(
            depth=1000,
            reliability=ReliabilityPolicy.RELIABLE if is_reliable else ReliabilityPolicy.BEST_EFFORT,
            durability=DurabilityPolicy.TRANSIENT_LOCAL if is_latched else DurabilityPolicy.VOLATILE,
        )
        self._counts[channel] = 0
        self.create_subscription(kind, topic, lambda data: self._write(channel, data), qos, raw=True)

    def _write(self, channel: int, data: Any) -> None:
        now = time.time_ns()
        self._writer.add_message(channel, now, bytes(data), now, self._counts[channel])
        self._counts[channel] += 1


@contextmanager
def _close_after(node: Node) -> Iterator[None]:
    assert isinstance(node, Recorder)
    try:
        yield
    finally:
        node.close()


def main(args: list[str] | None = None) -> int:
    """Record until interrupted; return the exit code."""
    return run_node("recorder", Recorder, args, _close_after)


if __name__ == "__main__":
    sys.exit(main())
