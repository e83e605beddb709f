# SPDX-FileCopyrightText: The inertia_tools authors
# SPDX-License-Identifier: Apache-2.0
"""What the library logs, in the log of the node that uses it: the library itself knows Python's logging only."""

from __future__ import annotations

import logging

from rclpy.impl.logging_severity import LoggingSeverity
from rclpy.logging import get_logger
from rclpy.node import Node

PACKAGE = logging.getLogger("inertia_tools")


def log_package_as(node: Node) -> None:
    """Have a node log what any module of this package logs, until its context ends."""
    handler = _NodeLog(node.get_logger().name)
    PACKAGE.addHandler(handler)
    PACKAGE.setLevel(logging.DEBUG)  # the node's own level decides what is shown
    node.context.on_shutdown(handler.end)


class _NodeLog(logging.Handler):
    """Hands on what is logged; severities have the same numbers in ROS."""

    def __init__(self, name: str) -> None:
        super().__init__()
        # A logger of rclpy takes one severity only from one line of code.
        self._loggers = {severity: get_logger(name) for severity in LoggingSeverity}

    def emit(self, record: logging.LogRecord) -> None:
        """Log a record, if its severity is wanted."""
        try:
            severity = LoggingSeverity(min(record.levelno // 10 * 10, logging.CRITICAL))
            self._loggers[severity].log(self.format(record), severity)
        except Exception:  # what is logged must not end what is done, as with any handler
            self.handleError(record)

    def end(self) -> None:
        """Hand on nothing more."""
        PACKAGE.removeHandler(self)
