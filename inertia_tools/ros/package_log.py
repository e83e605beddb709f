# SPDX-FileCopyrightText: The inertia_tools authors
# SPDX-License-Identifier: Apache-2.0
"""The library's log messages in the log of a node: the library itself uses only Python's logging."""

from __future__ import annotations

import logging

from rclpy.impl.logging_severity import LoggingSeverity
from rclpy.logging import get_logger
from rclpy.node import Node

PACKAGE = logging.getLogger("inertia_tools")


def log_package_as(node: Node) -> None:
    """Log all messages of this package's modules through a node, until its context ends."""
    handler = _NodeLog(node.get_logger().name)
    PACKAGE.addHandler(handler)
    PACKAGE.setLevel(logging.DEBUG)  # the node's own level filters
    node.context.on_shutdown(handler.end)


class _NodeLog(logging.Handler):
    """Forwards log records; severities have the same numbers in ROS."""

    def __init__(self, name: str) -> None:
        super().__init__()
        # A call site of rclpy's logger may use only one severity.
        self._loggers = {severity: get_logger(name) for severity in LoggingSeverity}

    def emit(self, record: logging.LogRecord) -> None:
        """Log a record, if the node's level permits it."""
        try:
            severity = LoggingSeverity(min(record.levelno // 10 * 10, logging.CRITICAL))
            self._loggers[severity].log(self.format(record), severity)
        except Exception:  # logging must not interrupt the work, as in any handler
            self.handleError(record)

    def end(self) -> None:
        """Stop forwarding."""
        PACKAGE.removeHandler(self)
