# SPDX-FileCopyrightText: The inertia_tools authors
# SPDX-License-Identifier: Apache-2.0
"""Publishers that end in one thread while the executor collects in another what to wait for."""

from __future__ import annotations

from threading import Thread

import pytest

pytest.importorskip("rclpy", reason="rclpy is not installed")

import rclpy
from rclpy.executors import SingleThreadedExecutor
from rclpy.guard_condition import GuardCondition
from rclpy.node import Node
from std_msgs.msg import String

from inertia_tools.ros.ending import end_publisher


class Interrupted(SingleThreadedExecutor):
    """Has something done elsewhere when it has collected the events of publishers, and does not hold them yet."""

    work: Thread | None = None

    def can_execute(self, entity) -> bool:
        if isinstance(entity, GuardCondition) and self.work is not None:
            work, self.work = self.work, None
            work.start()
            work.join()
        return super().can_execute(entity)


def test_a_publisher_may_end_while_the_executor_collects_what_to_wait_for():
    """The simulator ended by InvalidHandle when an entity with a namespace went."""
    context = rclpy.Context()
    with rclpy.init(context=context):
        node = Node("ending", context=context)
        node.create_guard_condition(lambda: None)
        before = list(node.publishers)
        publisher = node.create_publisher(String, "here", 1)
        executor = Interrupted(context=context)
        executor.add_node(node)
        executor.work = Thread(target=end_publisher, args=(node, publisher))
        for _ in range(3):
            executor.spin_once(timeout_sec=0.1)
        assert executor.work is None
        assert list(node.publishers) == before
        executor.shutdown()
        node.destroy_node()


def test_where_nothing_spins_a_publisher_ends_at_once():
    context = rclpy.Context()
    with rclpy.init(context=context):
        node = Node("ending", context=context)
        before = list(node.publishers)
        end_publisher(node, node.create_publisher(String, "here", 1))
        assert list(node.publishers) == before
        node.destroy_node()
