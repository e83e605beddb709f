# SPDX-FileCopyrightText: The inertia_tools authors
# SPDX-License-Identifier: Apache-2.0
"""Whether the simulator keeps real time while it publishes, at what cost, how soon commands act, how soon it starts.

Run with `make bench ARGS=ros_realtime`, or with `ARGS="ros_realtime --only latency --rounds 5"`. The simulator and who
listens to it are processes of their own on this machine. Of several rounds the best is what the machine can do; beside
each stands the load of the machine (`uptime`), as other work takes its time from all of them.
"""

from __future__ import annotations

import argparse
import json
import os
import signal
import struct
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np
import rclpy
from diagnostic_msgs.msg import DiagnosticArray
from rclpy.executors import SingleThreadedExecutor
from rclpy.qos import QoSProfile, ReliabilityPolicy
from rosgraph_msgs.msg import Clock
from sensor_msgs.msg import JointState

from inertia_tools import msg
from inertia_tools.kernel_loading import BUILT

sys.path.insert(0, str(Path(__file__).resolve().parent.parent / "test"))

from robots import example_robots

PATIENCE = 300.0
"""For a simulator to start, whose kernels may have to be compiled [s]."""

SETTLING, SECONDS = 3.0, 10.0
"""What is let pass before a measurement, and its length [s]."""

COMPILING = 60.0
"""After which all kernels are in the cache that a fresh start compiles by and by [s]."""

COMMANDS = 200

RELIABLE = QoSProfile(depth=100, reliability=ReliabilityPolicy.RELIABLE)
CLOCK = QoSProfile(depth=100, reliability=ReliabilityPolicy.BEST_EFFORT)

BOX = """<model name="box_{k}"><pose>{x:.2f} {y:.2f} 0.051 0 0 0</pose><link name="box">
<inertial><mass>1</mass><inertia><ixx>0.00167</ixx><iyy>0.00167</iyy><izz>0.00167</izz></inertia></inertial>
<collision name="c"><geometry><box><size>0.1 0.1 0.1</size></box></geometry></collision></link></model>"""
FLOOR = """<model name="floor"><static>true</static><link name="floor"><collision name="c"><geometry>
<plane><normal>0 0 1</normal><size>100 100</size></plane></geometry></collision></link></model>"""

ECHO = """
import rclpy
from sensor_msgs.msg import JointState
rclpy.init()
node = rclpy.create_node("echo")
answer = node.create_publisher(JointState, "pong", 10)
node.create_subscription(JointState, "ping", answer.publish, 10)
rclpy.spin(node)
"""


def boxes(count: int) -> str:
    """Return a world of boxes that lie on a floor beside each other."""
    models = "".join(BOX.format(k=k, x=0.3 * (k % 10), y=0.3 * (k // 10)) for k in range(count))
    return f'<sdf version="1.9"><world name="boxes">{FLOOR}{models}</world></sdf>'


def quadruped() -> dict[str, Any]:
    """Return the parameters that name Go1, 13 bodies and 46 links, stepped at 1 kHz.

    Raises:
        SystemExit: example-robot-data is not installed.
    """
    folder = example_robots()
    if folder is None:
        sys.exit("example-robot-data is not installed: `make setup` does")
    text = (folder / "go1_description/urdf/go1.urdf").read_text()
    return {"robot_description": text, "package_path": [str(folder.parents[1])], "dt": 0.001}


@dataclass
class Listener:
    """A process's side of the graph that hears of a simulator without looking into messages that it only counts."""

    node: Any
    executor: Any
    speaker: subprocess.Popen[bytes] | None = None
    counts: dict[str, int] = field(default_factory=dict)
    clock: float = -1.0
    values: Mapping[str, str] = field(default_factory=dict)

    def count(self, kind: Any, topic: str, qos: Any = RELIABLE) -> None:
        """Count messages, as they come from the network."""
        self.counts[topic] = 0

        def take(data: bytes) -> None:
            self.counts[topic] += 1
            if kind is Clock:
                seconds, nanoseconds = struct.unpack_from("<iI", data, 4)
                self.clock = seconds + 1e-9 * nanoseconds

        self.node.create_subscription(kind, topic, take, qos, raw=True)

    def follow_diagnostics(self) -> None:
        """Remember the last diagnostics."""

        def take(message: DiagnosticArray) -> None:
            self.values = {pair.key: pair.value for pair in message.status[0].values}

        self.node.create_subscription(DiagnosticArray, "/diagnostics", take, 10)

    def spin_until(self, condition: Callable[[], Any], what: str, patience: float = PATIENCE) -> None:
        """Handle messages until a condition holds."""
        deadline = time.monotonic() + patience
        while not condition():
            if time.monotonic() > deadline:
                sys.exit(f"no {what} within {patience:g} s")
            if self.speaker is not None and self.speaker.poll() is not None:
                sys.exit(f"no {what}: {' '.join(map(str, self.speaker.args))} has ended")
            self.executor.spin_once(timeout_sec=0.1)

    def spin_for(self, seconds: float) -> None:
        """Handle messages for some time."""
        end = time.monotonic() + seconds
        self.spin_until(lambda: time.monotonic() > end, "time")


@contextmanager
def process(command: list[str], **environment: str) -> Iterator[subprocess.Popen[bytes]]:
    """Run a process, and interrupt it at the end."""
    started = subprocess.Popen(command, env={**os.environ, **environment}, stderr=subprocess.DEVNULL)
    try:
        yield started
    finally:
        started.send_signal(signal.SIGINT)
        try:
            started.wait(timeout=20)
        except subprocess.TimeoutExpired:
            started.kill()


@contextmanager
def simulator(parameters: dict[str, Any], **environment: str) -> Iterator[subprocess.Popen[bytes]]:
    """Run a simulator with parameters."""
    with tempfile.TemporaryDirectory() as folder:
        file = Path(folder, "parameters.yaml")
        file.write_text(json.dumps({"/**": {"ros__parameters": parameters}}))
        command = [sys.executable, "-m", "inertia_tools.ros.simulator", "--ros-args", "--params-file", str(file)]
        with process([*command, "--log-level", "error"], **environment) as started:
            yield started


@contextmanager
def listener(speaker: subprocess.Popen[bytes] | None = None) -> Iterator[Listener]:
    """Join the graph, to hear of a process."""
    with rclpy.init():
        node, executor = rclpy.create_node("listener"), SingleThreadedExecutor()
        executor.add_node(node)
        yield Listener(node, executor, speaker)


def load() -> str:
    """Return the number of processes that want to run, over the last minute."""
    return f"{os.getloadavg()[0]:4.1f}"


def real_time(label: str, parameters: dict[str, Any]) -> None:
    """Measure the real-time factor, what arrives, and what steps and publishing cost."""
    step = parameters["dt"]
    with simulator({"publish_rate": 250.0, **parameters}) as started, listener(started) as ear:
        ear.follow_diagnostics()
        ear.count(Clock, "/clock", CLOCK)
        for kind, topic in ((msg.BodyStates, "body_states"), (msg.ContactForces, "contact_forces")):
            ear.count(kind, f"simulator/{topic}")
        ear.count(JointState, "joint_states")
        ear.spin_until(lambda: ear.clock > 0.0, "clock")
        ear.spin_for(SETTLING)
        before, began, first = dict(ear.counts), time.perf_counter(), ear.clock
        ear.spin_for(SECONDS)
        elapsed = time.perf_counter() - began
        factor = (ear.clock - first) / elapsed
        rates = [(ear.counts[topic] - before[topic]) / elapsed for topic in ear.counts]
        own, publishing = (float(ear.values[f"CPU time of {name} [ms]"]) for name in ("a step", "publishing, per step"))
    share = 0.1 * publishing / step
    print(
        f"{label:24} {factor:6.3f} " + " ".join(f"{rate:6.0f}" for rate in rates) + f" {own:8.3f} {share:6.1f} %  "
        f"{load()}",
        flush=True,
    )


def latency() -> None:
    """Measure the time from an effort that is sent to the joint state that shows it, and that of transport alone."""
    with simulator({"publish_rate": 1000.0, **quadruped()}) as started, listener(started) as ear:
        ear.count(Clock, "/clock", CLOCK)
        seen: list[JointState] = []
        ear.node.create_subscription(JointState, "joint_states", seen.append, 10)
        command = ear.node.create_publisher(JointState, "joint_commands", 10)
        ear.spin_until(lambda: ear.clock > 0.0 and seen and command.get_subscription_count(), "simulator")
        ear.spin_for(SETTLING)
        times, steps = [], []
        name = seen[-1].name[0]
        for number in range(COMMANDS):
            wanted, now = 0.01 + 1e-4 * number, ear.clock
            began = time.perf_counter()
            command.publish(JointState(name=[name], effort=[wanted]))
            seen.clear()
            ear.spin_until(lambda wanted=wanted: any(abs(one.effort[0] - wanted) < 1e-9 for one in seen), "effect")
            times.append(time.perf_counter() - began)
            shown = next(one for one in seen if abs(one.effort[0] - wanted) < 1e-9).header.stamp
            steps.append((shown.sec + 1e-9 * shown.nanosec - now) / 0.001)
    show("command to effect, 1 kHz", times)
    print(f"{'':26} simulated steps from the last clock seen: p50 {np.median(steps):.0f}")
    with process([sys.executable, "-c", ECHO]) as started, listener(started) as ear:
        heard: list[JointState] = []
        ear.node.create_subscription(JointState, "pong", heard.append, 10)
        ping = ear.node.create_publisher(JointState, "ping", 10)
        ear.spin_until(lambda: ping.get_subscription_count(), "echo")
        ear.spin_for(1.0)
        times = []
        for _ in range(COMMANDS):
            heard.clear()
            began = time.perf_counter()
            ping.publish(JointState(name=[name], effort=[0.0]))
            ear.spin_until(lambda: heard, "echo")
            times.append(time.perf_counter() - began)
    show("there and back alone", times)


def show(label: str, times: list[float]) -> None:
    """Print a line of times [ms]."""
    p50, p95 = np.percentile(1e3 * np.array(times), [50, 95])
    print(
        f"{label:26} p50 {p50:7.2f} ms, p95 {p95:7.2f} ms, least {1e3 * min(times):7.2f} ms  load {load()}", flush=True
    )


def starting() -> None:
    """Measure the time from starting the process to a state that has moved, with kernels in the cache and without.

    A build keeps its kernels, a source tree does not: `. install/setup.sh`, then this file by its path from another
    folder, measures the build.
    """
    where = "build" if BUILT.is_dir() else "source"
    with tempfile.TemporaryDirectory() as cache:
        start(f"start, fresh {where}", cache, until_compiled=where == "source")
        start(f"start, warm {where}", cache)


def start(label: str, cache: str, until_compiled: bool = False) -> None:
    """Measure one start with a cache of kernels."""
    with listener() as ear:
        seen: list[msg.BodyStates] = []
        ear.node.create_subscription(msg.BodyStates, "simulator/body_states", seen.append, 10)
        began = time.perf_counter()
        with simulator({"publish_rate": 250.0, **quadruped()}, WARP_CACHE_PATH=cache) as ear.speaker:
            ear.spin_until(lambda: seen and seen[-1].step > 0, "state that moved")
            print(f"{label:26} {time.perf_counter() - began:7.2f} s  load {load()}", flush=True)
            if until_compiled:
                ear.spin_for(COMPILING)


def main() -> int:
    """Measure, and print the tables."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--only", choices=("real_time", "latency", "starting"))
    parser.add_argument("--rounds", type=int, default=3)
    options = parser.parse_args()
    os.environ["ROS_DOMAIN_ID"] = str(1 + os.getpid() % 101)
    os.environ["ROS_AUTOMATIC_DISCOVERY_RANGE"] = "LOCALHOST"
    if options.only in (None, "real_time"):
        print(
            f"{'':24} {'factor':>6} {'clock':>6} {'bodies':>6} {'contct':>6} {'joints':>6} {'step':>8} publish   load"
        )
        print(f"{'':24} {'':6} {'[1/s]':>6} {'[1/s]':>6} {'[1/s]':>6} {'[1/s]':>6} {'CPU ms':>8} of dt")
        for _ in range(options.rounds):
            real_time("Go1, 1 kHz", quadruped())
            real_time("100 boxes, 250 Hz", {"robot_description": boxes(100), "dt": 0.004})
    for _ in range(options.rounds):
        if options.only in (None, "latency"):
            latency()
        if options.only in (None, "starting"):
            starting()
    return 0


if __name__ == "__main__":
    sys.exit(main())
