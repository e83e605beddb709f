# SPDX-FileCopyrightText: The inertia_tools authors
# SPDX-License-Identifier: Apache-2.0
"""Destruction of publishers from threads other than the executor's."""

from __future__ import annotations

from typing import Any

from rclpy.node import Node


def end_publisher(node: Node, publisher: Any) -> None:
    """Let the executor destroy a publisher between two waits, or destroy it at once if nothing spins the node.

    If the events of a publisher disappear while rclpy collects its wait set, rclpy raises an error and the node ends.

    Args:
        node: The node that owns it.
        publisher: The publisher, which is no longer used.
    """
    executor = node.executor
    if executor is None:
        node.destroy_publisher(publisher)
    else:
        executor.create_task(node.destroy_publisher, publisher)
