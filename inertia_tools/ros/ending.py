# SPDX-FileCopyrightText: The inertia_tools authors
# SPDX-License-Identifier: Apache-2.0
"""Destroying publishers from threads other than the executor's."""

from __future__ import annotations

from typing import Any

from rclpy.node import Node


def end_publisher(node: Node, publisher: Any) -> None:
    """Have the executor destroy a publisher between two waits; immediately if nothing spins the node.

    rclpy fails, and the node ends, if the events of a publisher disappear while it collects its wait set.

    Args:
        node: The node that owns it.
        publisher: The publisher, which is no longer used.
    """
    executor = node.executor
    if executor is None:
        node.destroy_publisher(publisher)
    else:
        executor.create_task(node.destroy_publisher, publisher)
