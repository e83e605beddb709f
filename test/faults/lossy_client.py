# SPDX-FileCopyrightText: The inertia_tools authors
# SPDX-License-Identifier: Apache-2.0
"""The client at one end of a lossy link: joins late, asks for corrections, and prints what it waited for, as JSON."""

from __future__ import annotations

import json
import sys
import time
from typing import Any

import rclpy
from models import chain
from rclpy.executors import SingleThreadedExecutor
from rclpy.qos import DurabilityPolicy, QoSProfile
from std_msgs.msg import String

from inertia_tools import msg, srv

ASK_AGAIN, PATIENCE = 2.0, 30.0
"""Until a request is sent again, and until one is given up [s]."""

LATCHED = QoSProfile(depth=1, durability=DurabilityPolicy.TRANSIENT_LOCAL)


def join_late(context: Any) -> float:
    """Create a node that subscribes to the latched description, and return how long it waits for it [s]."""
    node = rclpy.create_node("late", context=context)
    received: list[Any] = []
    node.create_subscription(String, "corrected_robot_description", received.append, LATCHED)
    executor = SingleThreadedExecutor(context=context)
    executor.add_node(node)
    began = time.monotonic()
    while not received and time.monotonic() - began < PATIENCE:
        executor.spin_once(timeout_sec=0.05)
    executor.shutdown()
    node.destroy_node()
    return time.monotonic() - began if received else float("inf")


def ask(node: Any, client: Any, request: Any) -> tuple[float, int]:
    """Ask until there is an answer; return how long that takes [s] and how often it was asked."""
    began, futures = time.monotonic(), []
    while not any(future.done() and future.result().success for future in futures):
        waited = time.monotonic() - began
        if waited > PATIENCE:
            return float("inf"), len(futures)
        if waited >= ASK_AGAIN * len(futures):
            futures.append(client.call_async(request))
        rclpy.spin_once(node, timeout_sec=0.01)
    for future in futures:
        client.remove_pending_request(future)
    return time.monotonic() - began, len(futures)


def main(count: int, links: int) -> None:
    """Join late ten times, each time as another process would, and ask so many times."""
    late = []
    for _ in range(10):
        context = rclpy.Context()
        rclpy.init(context=context)
        late.append(join_late(context))
        context.shutdown()
    rclpy.init()
    node = rclpy.create_node("client")
    client = node.create_client(srv.CorrectModel, "inertia_server/correct_model")
    request = srv.CorrectModel.Request(model=msg.ModelSource(text=chain(links, 2.0)))
    answers = [ask(node, client, request) for _ in range(count)]
    print(json.dumps({"late": late, "answers": answers}))


if __name__ == "__main__":
    main(int(sys.argv[1]), int(sys.argv[2]))
