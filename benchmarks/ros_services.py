# SPDX-FileCopyrightText: The inertia_tools authors
# SPDX-License-Identifier: Apache-2.0
"""Whether inertia_server answers every one of many calls, while clients are killed in the middle of theirs.

Run with `make bench ARGS="ros_services --seconds 600 --rate 200"`. Each client is a process of its own that validates
the held model; another one calls as fast as it can and is killed (SIGKILL) again and again with calls on their way.
"""

from __future__ import annotations

import argparse
import json
import os
import signal
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from typing import Any

import numpy as np
import rclpy
from rclpy.executors import SingleThreadedExecutor
from rclpy.qos import QoSProfile

from inertia_tools import msg, srv

MODEL = Path(__file__).resolve().parent.parent / "examples" / "broken_quadruped.urdf"
SERVICE = "inertia_server/validate_inertials"
MANY = QoSProfile(depth=5000)

CLIENTS = 4
SETTLING = 3.0
"""Until answers to the calls that a client has made itself seen by are there [s]."""

LIFE = 3.0
"""After which the client that does not get to hear its answers is killed [s]."""

PATIENCE = 60.0
"""For answers after the last call; what has not come then is lost [s]."""


class Client:
    """Calls at a rate, and counts the answers."""

    def __init__(self, rate: float) -> None:
        self.rate, self.sent, self.answered, self.busy, self.wrong = rate, 0, 0, 0, 0
        self.times: list[float] = []
        self.node = rclpy.create_node(f"client_{os.getpid()}")
        self.client = self.node.create_client(srv.ValidateInertials, SERVICE, qos_profile=MANY)
        self.executor = SingleThreadedExecutor()
        self.executor.add_node(self.node)
        self._be_seen()

    def _be_seen(self) -> None:
        """Wait until the server sees this client: before, answers to it are lost."""
        while not self.client.service_is_ready():
            time.sleep(0.1)
        while not self.answered:
            self._call()
            self.executor.spin_once(timeout_sec=1.0)
            self.executor.spin_once(timeout_sec=0.1)
        end = time.perf_counter() + SETTLING
        while time.perf_counter() < end:  # answers of before do not count
            self.executor.spin_once(timeout_sec=0.1)
        self.sent = self.answered = self.busy = self.wrong = 0
        self.times.clear()

    def _call(self) -> Any:
        began = time.perf_counter()
        self.sent += 1
        future = self.client.call_async(srv.ValidateInertials.Request())

        def take(done: Any) -> None:
            answer = done.result()
            self.answered += 1
            self.times.append(time.perf_counter() - began)
            self.busy += answer.error.value == msg.ErrorCode.BUSY
            self.wrong += answer.error.value not in (msg.ErrorCode.NONE, msg.ErrorCode.BUSY)
            self.wrong += answer.success and (answer.valid or len(answer.links) != 17)

        future.add_done_callback(take)
        return future

    def run(self, seconds: float) -> dict[str, Any]:
        """Call at the rate, then wait for what is on its way."""
        begun = time.perf_counter()
        while (now := time.perf_counter() - begun) < seconds:
            if self.sent < now * self.rate:
                self._call()
            self.executor.spin_once(timeout_sec=max(self.sent / self.rate - now, 0.0))
        end = time.perf_counter() + PATIENCE
        while self.answered < self.sent and time.perf_counter() < end:
            self.executor.spin_once(timeout_sec=0.1)
        counts = {name: getattr(self, name) for name in ("sent", "answered", "busy", "wrong")}
        # A few hundred of the times: what is printed must fit into a pipe that is read at the end.
        times = np.quantile(self.times, np.linspace(0.0, 1.0, 201)).tolist() if self.times else []
        return {**counts, "lost": self.sent - self.answered, "times": times}


def client(rate: float, seconds: float) -> int:
    """Be a client, and print what came of it."""
    with rclpy.init():
        print(json.dumps(Client(rate).run(seconds)), flush=True)
    return 0


def victim() -> int:
    """Call as fast as possible without waiting, until killed."""
    with rclpy.init():
        node = rclpy.create_node(f"victim_{os.getpid()}")
        caller = node.create_client(srv.ValidateInertials, SERVICE, qos_profile=MANY)
        caller.wait_for_service()
        while True:
            caller.call_async(srv.ValidateInertials.Request())
            rclpy.spin_once(node, timeout_sec=0.02)


def start(*arguments: str) -> subprocess.Popen[str]:
    """Start this script in another role."""
    return subprocess.Popen([sys.executable, __file__, *arguments], stdout=subprocess.PIPE, text=True)


def main() -> int:
    """Run as what was asked for."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--seconds", type=float, default=60.0)
    parser.add_argument("--rate", type=float, default=200.0, help="of all clients [1/s]")
    parser.add_argument("--spare", action="store_true", help="kill nobody")
    parser.add_argument("--role", choices=("client", "victim"), help=argparse.SUPPRESS)
    options = parser.parse_args()
    if options.role:
        return victim() if options.role == "victim" else client(options.rate, options.seconds)
    os.environ["ROS_DOMAIN_ID"] = str(1 + os.getpid() % 101)
    os.environ["ROS_AUTOMATIC_DISCOVERY_RANGE"] = "LOCALHOST"
    with tempfile.TemporaryDirectory() as folder:
        file = Path(folder, "parameters.yaml")
        file.write_text(json.dumps({"/**": {"ros__parameters": {"robot_description": MODEL.read_text()}}}))
        return measure(file, options)


def measure(parameters: Path, options: argparse.Namespace) -> int:
    """Start the server and the clients, kill some, and sum up."""
    command = [sys.executable, "-m", "inertia_tools.ros.inertia_server", "--ros-args", "--params-file", str(parameters)]
    server = subprocess.Popen([*command, "--log-level", "error"])
    killed, clients = 0, []
    try:
        rate = str(options.rate / CLIENTS)
        clients = [start("--role", "client", "--rate", rate, "--seconds", str(options.seconds)) for _ in range(CLIENTS)]
        while any(one.poll() is None for one in clients):
            other = None if options.spare else start("--role", "victim")
            time.sleep(LIFE)
            if other is not None:
                other.kill()
                other.wait()
                killed += 1
            if server.poll() is not None:
                sys.exit(f"the server has ended with {server.returncode}")
        found = [json.loads(one.communicate()[0]) for one in clients]
    finally:
        for one in clients:
            one.kill()
        server.send_signal(signal.SIGINT)
        code = server.wait(timeout=30)
    total = {name: sum(one[name] for one in found) for name in ("sent", "answered", "busy", "wrong", "lost")}
    p50, p95, most = np.percentile(1e3 * np.concatenate([one["times"] for one in found]), [50, 95, 100])
    print(f"{options.seconds:g} s, {total['sent'] / options.seconds:.0f} calls/s: {json.dumps(total)}")
    print("lost by client: " + ", ".join(str(one["lost"]) for one in found))
    print(f"answered after p50 {p50:.1f} ms, p95 {p95:.1f} ms, at most {most:.0f} ms")
    print(f"{killed} clients killed; the server ended with {code}; load {os.getloadavg()[2]:.1f}")
    return int(total["lost"] > 0 or total["wrong"] > 0 or code != 0)


if __name__ == "__main__":
    sys.exit(main())
