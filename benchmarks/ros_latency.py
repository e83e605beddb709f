# SPDX-FileCopyrightText: The inertia_tools authors
# SPDX-License-Identifier: Apache-2.0
"""How fast inertia_server answers: round trip of its services, and from a description to the corrected one.

Run with `make bench ARGS=ros_latency`. Both ends are processes of their own on this machine.
"""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import rclpy
from rclpy.qos import DurabilityPolicy, QoSProfile
from std_msgs.msg import String

from inertia_tools import msg, srv

MODEL = Path(__file__).resolve().parent.parent / "examples" / "broken_quadruped.urdf"
ONE_LINK = """<robot name="one"><link name="base"><inertial><mass value="1"/>
<inertia ixx="0.1" ixy="0" ixz="0" iyy="0.1" iyz="0" izz="0.1"/></inertial>
<collision><geometry><box size="0.7 0.7 0.7"/></geometry></collision></link></robot>"""
ROUNDS = 200
WARM_UP = 20
TIMEOUT = 60.0  # [s]


def spin_until(node: Any, condition: Callable[[], Any], what: str) -> None:
    """Handle messages until a condition holds."""
    deadline = time.monotonic() + TIMEOUT
    while not condition():
        if time.monotonic() > deadline:
            sys.exit(f"no {what} within {TIMEOUT:g} s")
        rclpy.spin_once(node, timeout_sec=0.5)


def service_times(node: Any, service: Any, name: str, request: Any) -> list[float]:
    """Return the round trip times of a service [s]."""
    client = node.create_client(service, name)
    spin_until(node, client.service_is_ready, name)
    times = []
    for _ in range(WARM_UP + ROUNDS):
        began = time.perf_counter()
        future = client.call_async(request)
        spin_until(node, future.done, name)
        times.append(time.perf_counter() - began)
    return times[WARM_UP:]


def topic_times(node: Any, text: str) -> list[float]:
    """Return the times from publishing a description to receiving the corrected one [s]."""
    qos = QoSProfile(depth=1, durability=DurabilityPolicy.TRANSIENT_LOCAL)
    received: list[String] = []
    publisher = node.create_publisher(String, "robot_description", qos)
    node.create_subscription(String, "corrected_robot_description", received.append, qos)
    spin_until(node, publisher.get_subscription_count, "subscription")
    times = []
    for number in range(WARM_UP + ROUNDS):
        received.clear()
        mark = f"<!-- {number} -->"
        began = time.perf_counter()
        publisher.publish(String(data=text.replace("</robot>", f"{mark}</robot>")))
        spin_until(node, lambda mark=mark: received and mark in received[-1].data, "corrected description")
        times.append(time.perf_counter() - began)
    return times[WARM_UP:]


def show(name: str, times: list[float]) -> None:
    """Print one line of the table."""
    milliseconds = 1e3 * np.array(times)
    low, high = np.percentile(milliseconds, [50, 95])
    print(f"{name:44} {low:9.3f} {high:9.3f} {milliseconds.max():9.3f}", flush=True)


def main() -> int:
    """Start the server, measure, and print the table."""
    os.environ["ROS_DOMAIN_ID"] = str(1 + os.getpid() % 101)
    os.environ["ROS_AUTOMATIC_DISCOVERY_RANGE"] = "LOCALHOST"
    command = [sys.executable, "-m", "inertia_tools.ros.inertia_server", "--ros-args", "--log-level", "error"]
    server = subprocess.Popen(command)
    quadruped = MODEL.read_text()
    try:
        with rclpy.init():
            node = rclpy.create_node("latency")
            print(f"{f'{ROUNDS} rounds each, [ms]':44} {'p50':>9} {'p95':>9} {'max':>9}")
            for label, text in (("1 link", ONE_LINK), ("17 links", quadruped)):
                model = msg.ModelSource(text=text)
                for service, name in (
                    (srv.ValidateInertials, "validate_inertials"),
                    (srv.ComputeInertials, "compute_inertials"),
                    (srv.CorrectModel, "correct_model"),
                ):
                    times = service_times(node, service, f"inertia_server/{name}", service.Request(model=model))
                    show(f"{name}, {label}", times)
            show("robot_description -> corrected, 17 links", topic_times(node, quadruped))
    finally:
        server.send_signal(signal.SIGINT)
        server.wait(timeout=15)
    return 0


if __name__ == "__main__":
    sys.exit(main())
