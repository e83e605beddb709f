# SPDX-FileCopyrightText: The inertia_tools authors
# SPDX-License-Identifier: Apache-2.0
"""The whole of the package in one run: judge a real robot over ROS 2, correct it, and let it stand in the simulator.

Run by `make demo`. Both nodes are processes of their own; everything below goes through topics and services. The joints
are held by drives of finite gains, derived from the robot. One that cannot stand so gets a sentence that says how it
fell. The exit code is 1 when errors remain in the inertials.
"""

from __future__ import annotations

import argparse
import json
import os
import signal
import subprocess
import sys
import sysconfig
import time
from collections.abc import Callable
from dataclasses import asdict, dataclass, replace
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
import rclpy
from rclpy.qos import DurabilityPolicy, QoSProfile
from rich.console import Console
from rich.table import Table
from std_msgs.msg import String
from std_srvs.srv import SetBool

import inertia_tools as it
from inertia_tools import msg, srv
from inertia_tools.sim.fall import find_fall

ROOT = Path(__file__).resolve().parent.parent
ROBOTS_SHARE = Path(sysconfig.get_path("purelib"), "cmeel.prefix", "share")
HYQ = ROBOTS_SHARE / "example-robot-data" / "robots" / "hyq_description" / "robots" / "hyq_no_sensors.urdf"
BROKEN_QUADRUPED = ROOT / "examples" / "broken_quadruped.urdf"

GRAVITY = 9.81  # [m/s^2]
STANDING_TIME = 2.0  # After which a robot is looked at, and again, until it is at rest or has fallen; simulated [s].
LONGEST_TIME = 8.0  # After which it is neither, but the demo ends; simulated [s].
DRIFT_TOLERANCE = 1e-3  # At rest no link moves farther than this in half a second [m].
AVERAGING_TIME = 0.5  # Stretch at the end over which forces are averaged [s].
FORCE_TOLERANCE = 0.01  # Contact force and weight may differ by this ratio.
STEP_TIMEOUT = 180.0  # For each thing waited for; the first simulation on a machine compiles kernels [s].
SETTLE_TIME = 0.3  # For both ends of a service to discover each other [s].
RUN_TIMEOUT = 600  # For the demo as a whole [s].


@dataclass
class Standing:
    """How the robot stood.

    Attributes:
        weight: Weight of the corrected robot [N].
        contact_force: Vertical force of the ground, averaged over the last half second [N]; None when bolted down.
        drift_total: Largest distance of a link from where it started [m].
        drift_end: Largest distance a link moved in the last half second [m].
        fall: How it fell, in words; empty when it did not.
        seconds: Simulated time [s].
        steps_per_second: Steps of the simulator for each second, publishing included.
    """

    weight: float
    contact_force: float | None
    drift_total: float
    drift_end: float
    fall: str = ""
    seconds: float = 0.0
    steps_per_second: float = 0.0

    @property
    def is_carried(self) -> bool:
        """The ground carries the weight."""
        return self.contact_force is None or abs(self.contact_force / self.weight - 1.0) <= FORCE_TOLERANCE

    @property
    def is_decided(self) -> bool:
        """It has fallen, or stands and has come to rest."""
        return bool(self.fall) or (self.is_carried and self.drift_end <= DRIFT_TOLERANCE)


class Demo:
    """The demo's side of the graph."""

    def __init__(self, robot: Path, console: Console) -> None:
        self._robot, self._console = robot, console
        self._processes: list[subprocess.Popen[bytes]] = []
        self.node = rclpy.create_node("demo")

    def start_node(self, name: str, parameters: dict[str, Any], *remaps: str) -> None:
        """Start a node of the package; its log goes to the terminal."""
        command = [sys.executable, "-m", f"inertia_tools.ros.{name}", "--ros-args", "--log-level", f"{name}:=error"]
        for key, value in parameters.items():
            command += ["-p", f"{key}:={json.dumps(value)}"]
        for remap in remaps:
            command += ["-r", remap]
        # Relative mesh names of a description that came as text count from the working folder.
        self._processes.append(subprocess.Popen(command, cwd=self._robot.parent))

    def end(self) -> None:
        """End the nodes that were started here."""
        for process in self._processes:
            process.send_signal(signal.SIGINT)
        for process in self._processes:
            try:
                process.wait(timeout=15)
            except subprocess.TimeoutExpired:
                process.kill()

    def wait(self, condition: Callable[[], Any], what: str) -> None:
        """Handle messages until a condition holds; end the demo when it does not in time."""
        deadline = time.monotonic() + STEP_TIMEOUT
        while not condition():
            if time.monotonic() > deadline:
                sys.exit(f"demo: no {what} within {STEP_TIMEOUT:g} s")
            if any(process.poll() is not None for process in self._processes):
                sys.exit("demo: a node ended by itself; its message is above")
            rclpy.spin_once(self.node, timeout_sec=0.05)

    def call(self, service: Any, name: str, **fields: Any) -> Any:
        """Call a service and return its answer."""
        client: Any = self.node.create_client(service, name)
        self.wait(client.service_is_ready, f"service {name}")
        # The service may discover this client later than the client the service, and an answer before that is lost.
        settled = time.monotonic() + SETTLE_TIME
        self.wait(lambda: time.monotonic() > settled, "time")
        future = client.call_async(service.Request(**fields))
        self.wait(future.done, f"answer from {name}")
        return future.result()

    def listen(self, message_type: Any, topic: str, latched: bool = False) -> list[Any]:
        """Subscribe; the list grows as messages arrive."""
        durability = DurabilityPolicy.TRANSIENT_LOCAL if latched else DurabilityPolicy.VOLATILE
        received: list[Any] = []
        qos = QoSProfile(depth=1000, durability=durability)
        self.node.create_subscription(message_type, topic, received.append, qos)
        return received

    def publish_latched(self, topic: str, text: str) -> None:
        """Publish a description once, for whoever comes."""
        qos = QoSProfile(depth=1, durability=DurabilityPolicy.TRANSIENT_LOCAL)
        self.node.create_publisher(String, topic, qos).publish(String(data=text))


def correct(demo: Demo, text: str, target: Path) -> tuple[Any, Any, Any, str]:
    """Publish the raw description, have it judged and corrected, and take the result from the topic.

    Returns:
        Judgement before, correction, judgement after, and the corrected description.
    """
    corrected = demo.listen(String, "corrected_robot_description", latched=True)
    demo.publish_latched("robot_description", text)
    demo.wait(lambda: corrected, "corrected_robot_description")
    before = demo.call(srv.ValidateInertials, "inertia_server/validate_inertials")
    correction = demo.call(srv.CorrectModel, "inertia_server/correct_model", output_path=str(target))
    if not correction.model_text:
        sys.exit(f"demo: correct_model failed: {correction.message}")
    demo.wait(lambda: corrected[-1].data == correction.model_text, "corrected_robot_description from correct_model")
    model = msg.ModelSource(text=corrected[-1].data)
    after = demo.call(srv.ValidateInertials, "inertia_server/validate_inertials", model=model)
    return before, correction, after, corrected[-1].data


def stand(demo: Demo, weight: float, is_fixed: bool, root: str) -> Standing:
    """Let the simulator run until the robot is at rest or has fallen, and measure how it stands."""
    states = demo.listen(msg.BodyStates, "simulator/body_states")
    contacts = demo.listen(msg.ContactForces, "simulator/contact_forces")
    demo.wait(lambda: states, "body states from the simulator")
    start = seconds(states[-1])
    demo.call(SetBool, "simulator/pause", data=False)
    demo.wait(lambda: seconds(states[-1]) > start, "first step")
    began, began_step = time.monotonic(), states[-1].step
    span = STANDING_TIME
    while True:
        demo.wait(partial(has_reached, states, start + span), f"{span:g} simulated seconds")
        speed = (states[-1].step - began_step) / (time.monotonic() - began)
        standing = measure(states, contacts, start + span, weight, is_fixed, root)
        if standing.is_decided or span >= LONGEST_TIME:
            break
        span += STANDING_TIME
    demo.call(SetBool, "simulator/pause", data=True)
    return replace(standing, seconds=span, steps_per_second=speed)


def has_reached(states: list[Any], end: float) -> bool:
    """Tell whether the last state is as late as a time [s]."""
    return seconds(states[-1]) >= end


def measure(states: list[Any], contacts: list[Any], end: float, weight: float, is_fixed: bool, root: str) -> Standing:
    """Judge how the robot stands at a time [s], from what the simulator has published."""
    seen = [state for state in states if seconds(state) <= end]
    late = [positions(state) for state in seen if seconds(state) > end - AVERAGING_TIME]
    touched = [message for message in contacts if end - AVERAGING_TIME < seconds(message) <= end]
    if not late or not touched:
        sys.exit("demo: no states or contacts of the last half second arrived")
    return Standing(
        weight=weight,
        contact_force=None if is_fixed else float(np.mean([ground_force(message) for message in touched])),
        drift_total=largest_distance([positions(state) for state in seen], positions(states[0])),
        drift_end=largest_distance(late, late[0]),
        fall="" if is_fixed else fall_of(root, seen, touched[-1]),
    )


def fall_of(root: str, states: list[Any], contacts: Any) -> str:
    """Say how the robot fell; an empty text when it did not."""
    index = [body.name for body in states[0].bodies].index(root)
    poses = [state.bodies[index].pose for state in states]
    turns = [(p.orientation.x, p.orientation.y, p.orientation.z, p.orientation.w) for p in poses]
    pairs = [{contact.body_a, contact.body_b} for contact in contacts.contacts]
    lies_on = sorted(name for pair in pairs if "world" in pair for name in pair - {"world"})
    places = [(p.position.x, p.position.y, p.position.z) for p in poses]
    fall = find_fall(root, [seconds(state) for state in states], places, turns, lies_on)
    return "" if fall is None else str(fall)


def seconds(message: Any) -> float:
    """Return the stamp of a message [s]."""
    return float(message.header.stamp.sec + 1e-9 * message.header.stamp.nanosec)


def positions(state: Any) -> Any:
    """Return the origins of all links [m], shape (n, 3)."""
    return np.array([[b.pose.position.x, b.pose.position.y, b.pose.position.z] for b in state.bodies])


def largest_distance(samples: list[Any], origin: Any) -> float:
    """Return how far any link was from where it was in `origin` [m]."""
    return max(float(np.linalg.norm(sample - origin, axis=1).max()) for sample in samples)


def ground_force(message: Any) -> float:
    """Return the vertical force of the ground on the robot [N]."""
    with_ground = [contact for contact in message.contacts if "world" in (contact.body_a, contact.body_b)]
    return sum(float(c.total.force.z) * (1.0 if c.body_b == "world" else -1.0) for c in with_ground)


def table_of(before: Any, correction: Any, after: Any) -> Table:
    """Draw before and after, for the links that were changed or have an error."""
    table = Table(title="inertials before and after", show_lines=False)
    values = ("mass [kg]", "principal moments [kg m^2]")
    for column in ("link", *values, "found", *values):
        table.add_column(column)
    for old, new, left in zip(before.links, correction.links, after.links, strict=True):
        if old.valid and not new.changed:
            continue
        codes = "\n".join(dict.fromkeys(finding.code for finding in old.findings if finding.severity == 2))
        table.add_row(old.link, *numbers(old.declared), f"[red]{codes}[/red]", *numbers(left.declared))
    return table


def numbers(value: Any) -> tuple[str, str]:
    """Format a mass and the principal moments."""
    if value.method == msg.LinkInertial.METHOD_NONE:
        return "-", "-"
    moments = value.principal_moments
    return f"{value.inertia.m:.6g}", f"{moments.x:.4g}, {moments.y:.4g}, {moments.z:.4g}"


def counts(answer: Any) -> dict[str, int]:
    """Count findings by severity."""
    severities = [finding.severity for link in answer.links for finding in link.findings]
    return {name: severities.count(level) for level, name in ((2, "errors"), (1, "warnings"), (0, "remarks"))}


def run(options: argparse.Namespace, console: Console) -> int:
    """Run the demo and return its exit code."""
    path = Path(options.robot).resolve() if options.robot else HYQ if HYQ.exists() else BROKEN_QUADRUPED
    robot = it.load(path, package_path=[ROBOTS_SHARE])
    console.print(f"[bold]{robot.name}[/bold]  {path}\n{len(robot.links)} links, {len(robot.joints)} joints")
    is_fixed = options.fixed_base or robot.root == "world"
    demo = Demo(path, console)
    shared = {"package_path": [str(ROBOTS_SHARE), str(path.parent)]}
    fast = {"real_time_factor": 0.0, "paused": True, "fixed_base": options.fixed_base, "device": options.device}
    try:
        demo.start_node("inertia_server", {**shared, "output_root": str(ROOT / "out")})
        demo.start_node("simulator", {**shared, **fast}, "robot_description:=corrected_robot_description")
        ROOT.joinpath("out").mkdir(exist_ok=True)
        target = ROOT / "out" / f"{path.name.split('.')[0]}_corrected.urdf"
        before, correction, after, text = correct(demo, robot.document.data.decode(), target)
        console.print(table_of(before, correction, after))
        console.print(f"findings before  {before.message}\nfindings after   {after.message}\nwritten to       {target}")
        if not after.valid:
            console.print("[red]errors remain, so there is nothing to simulate[/red]")
            return 1
        weight = GRAVITY * it.stats(it.load_text(text, package_path=[ROBOTS_SHARE])).total_mass
        standing = stand(demo, weight, is_fixed, robot.root)
    finally:
        demo.end()
    show(standing, console)
    report = {"robot": robot.name, "file": str(path), "before": counts(before), "after": counts(after)}
    report |= {"changed": [link.link for link in correction.links if link.changed], "standing": asdict(standing)}
    (ROOT / "out" / "demo.json").write_text(json.dumps(report, indent=2) + "\n")
    return 0


def show(standing: Standing, console: Console) -> None:
    """Print how the robot stood."""
    console.print(f"{standing.seconds:g} simulated seconds with its joints held at the start pose")
    if standing.contact_force is None:
        console.print("contact force    none expected: it is bolted to the world")
    else:
        error = standing.contact_force / standing.weight - 1.0
        console.print(
            f"contact force    {standing.contact_force:.3f} N, mean of the last half second\n"
            f"weight           {standing.weight:.3f} N, so it is off by {error:+.4%}"
        )
    console.print(f"verdict          {verdict(standing)}")
    console.print(
        f"largest drift    {1e3 * standing.drift_total:.3g} mm since the start, "
        f"{1e3 * standing.drift_end:.3g} mm in the last half second\n"
        f"speed            {standing.steps_per_second:.0f} steps/s, publishing included"
    )


def verdict(standing: Standing) -> str:
    """Say whether the robot stands."""
    if standing.fall:
        return f"[yellow]{standing.fall}[/yellow]"
    if standing.contact_force is None:
        return "[green]it is held by the world[/green]"
    if standing.is_decided:
        return "[green]it stands: the ground carries its weight[/green]"
    moved = f"a link moved by {1e3 * standing.drift_end:.3g} mm in the last half second"
    return f"[yellow]it is upright, but has not come to rest: {moved}[/yellow]"


def main() -> int:
    """Read the command line and run; a demo that hangs is ended."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").split("\n")[0])
    parser.add_argument("robot", nargs="?", help="URDF or xacro file; default: HyQ of example-robot-data")
    parser.add_argument("--fixed-base", action="store_true", help="bolt the root link to the world")
    parser.add_argument("--device", default="cpu", help="where to simulate: cpu, cuda:0, ...")
    options = parser.parse_args()
    signal.signal(signal.SIGALRM, lambda *_: sys.exit(f"demo: not done within {RUN_TIMEOUT} s"))
    signal.alarm(RUN_TIMEOUT)
    # A domain of its own, on this machine only: nobody else's robot_description gets in.
    os.environ.setdefault("ROS_DOMAIN_ID", str(1 + os.getpid() % 101))
    os.environ.setdefault("ROS_AUTOMATIC_DISCOVERY_RANGE", "LOCALHOST")
    with rclpy.init():
        # Without a terminal there is no width to keep to.
        try:
            return run(options, Console(width=None if sys.stdout.isatty() else 160))
        except it.errors.InertiaToolsError as error:
            print(f"demo: {error}", file=sys.stderr)
            return 2


if __name__ == "__main__":
    sys.exit(main())
