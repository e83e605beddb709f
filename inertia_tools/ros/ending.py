# SPDX-FileCopyrightText: The inertia_tools authors
# SPDX-License-Identifier: Apache-2.0
"""Ending publishers from threads that are not the executor's."""

from __future__ import annotations

from typing import Any

from rclpy.node import Node


def end_publisher(node: Node, publisher: Any) -> None:
    """Have the executor destroy a publisher between two of its waits; at once where nothing spins the node.

    rclpy fails, and the node ends, when the events of a publisher go while it collects what to wait for.

    Args:
        node: The node that has it.
        publisher: What nothing is published on any more.
    """
    executor = node.executor
    if executor is None:
        node.destroy_publisher(publisher)
    else:
        executor.create_task(node.destroy_publisher, publisher)
