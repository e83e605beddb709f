# SPDX-FileCopyrightText: The inertia_tools authors
# SPDX-License-Identifier: Apache-2.0
"""Treat a simulator badly for a long time: `make soak ARGS="--minutes 30"`.

Ten times a second something happens to it, drawn at random: commands, trajectories and wrenches with limits, infinities,
NaN and 1e300, resets, pauses, steps, parameters, descriptions good and bad, entities that come and go. Every other
half-minute descriptions alone change, ten times a second. After each it must be well when treated well, say what is
wrong with a bad description, and fail and recover as it says. Nothing that it publishes may be no number, every request
must be answered, and its memory must stay what it was.
"""

from __future__ import annotations

import argparse
import importlib.util
import json
import math
import os
import random
import sys
import time
from collections import Counter
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
from builtin_interfaces.msg import Duration
from diagnostic_msgs.msg import DiagnosticStatus
from geometry_msgs.msg import Vector3, Wrench, WrenchStamped
from processes import resident
from robots import joint, link, mass, tensor, urdf
from ros_graph import Graph, be_alone, open_graph
from sensor_msgs.msg import JointState
from std_srvs.srv import SetBool, Trigger
from trajectory_msgs.msg import JointTrajectory, JointTrajectoryPoint

from inertia_tools import msg, srv

PERIOD = 0.1
"""Between two events [s]."""

TURN = 30.0
"""After which it is asked how it is [s]."""

GROWTH = 0.1
"""By which memory may have grown from the second third of the time to the last one."""

EXTREMES = (0.0, 1.0, -1.0, 1e-300, 1e3, 1e300, -1e300, math.inf, -math.inf, math.nan, 0.3, -0.2)

CUBE, ROD = mass(6) + tensor(0.04, 0.04, 0.04), mass(1) + tensor(0.01, 0.01, 0.001)
ARM = urdf(link("base", CUBE, '<box size="0.2 0.2 0.2"/>'), link("arm", ROD), joint("arm", origin="0 0 0.5"))
LEGS = (Path(__file__).parents[2] / "examples" / "broken_quadruped.urdf").read_text()
GOOD = (ARM, ARM.replace('name="r"', 'name="other"'))
BAD = ("", "<robot", "no robot", ARM.replace('mass value="6"', 'mass value="-6"'), ARM.replace('"base"', '"arm"'), LEGS)


class Soak:
    """One simulator, and who treats it badly."""

    def __init__(self, graph: Graph, seed: int) -> None:
        self.graph, self.draw, self.counts = graph, random.Random(seed), Counter[str]()
        self.process = graph.start("simulator")
        self.statuses = graph.statuses("simulator")
        self.pending: list[Any] = []
        self.broken: list[str] = []
        self.memory: list[tuple[float, float]] = []
        self.step = 0
        self.describe = graph.latched_publisher("robot_description")
        self.describe(ARM)
        self._check(msg.BodyStates, "simulator/body_states", self._take_bodies)
        self._check(JointState, "joint_states", lambda m: [*m.position, *m.velocity, *m.effort])
        self._check(msg.ContactForces, "simulator/contact_forces", _numbers_of_contacts)
        self.command, self.trajectory, self.wrench = (
            graph.commander(kind, topic)
            for kind, topic in (
                (JointState, "joint_commands"),
                (JointTrajectory, "joint_trajectory"),
                (WrenchStamped, "wrench_commands"),
            )
        )
        self.events: list[Callable[[], None]] = [
            *(self.command_joints, self.command_joints, self.follow, self.pull, self.push),
            *(self.reset, self.pause, self.make_step, self.tune, self.change),
        ]
        if importlib.util.find_spec("simulation_interfaces"):
            self.events += [self.spawn, self.delete]

    def _check(self, kind: Any, topic: str, numbers: Callable[[Any], list[float]]) -> None:
        """Look at every number of a topic."""

        def take(message: Any) -> None:
            self.counts[topic] += 1
            if not np.isfinite(numbers(message)).all():
                self.broken.append(f"{topic}: {message}")

        self.graph.node.create_subscription(kind, topic, take, 10)

    def _take_bodies(self, message: Any) -> list[float]:
        self.step = message.step
        found = [message.kinetic_energy, message.potential_energy]
        for body in message.bodies:
            p, q, v, w = body.pose.position, body.pose.orientation, body.twist.linear, body.twist.angular
            found += [p.x, p.y, p.z, q.x, q.y, q.z, q.w, v.x, v.y, v.z, w.x, w.y, w.z]
        return found

    # What is done to it

    def some(self, count: int) -> list[float]:
        return [self.draw.choice(EXTREMES) for _ in range(count)]

    def command_joints(self) -> None:
        fields = self.draw.sample(("position", "velocity", "effort"), self.draw.randint(1, 3))
        names = self.draw.choice((["arm_joint"], ["arm_joint"], ["nobody"], [], ["arm_joint", "arm_joint"]))
        self.command(name=names, **{field: self.some(self.draw.choice((len(names), 1))) for field in fields})

    def follow(self) -> None:
        points = [
            JointTrajectoryPoint(
                positions=self.some(1), time_from_start=Duration(sec=self.draw.randint(-1, 3), nanosec=10 * k)
            )
            for k in range(self.draw.randint(0, 3))
        ]
        self.trajectory(joint_names=["arm_joint"], points=points)

    def some_wrench(self) -> Wrench:
        values = self.some(6)
        return Wrench(force=Vector3(**dict(zip("xyz", values, strict=False))), torque=Vector3(x=values[5]))

    def pull(self) -> None:
        message = WrenchStamped(wrench=self.some_wrench())
        message.header.frame_id = self.draw.choice(("arm", "base", "nobody"))
        self.wrench(header=message.header, wrench=message.wrench)

    def push(self) -> None:
        request = srv.ApplyWrench.Request(body=self.draw.choice(("arm", "base", "nobody")))
        request.wrench.wrench, request.duration = self.some_wrench(), Duration(sec=self.draw.randint(-1, 1))
        self.ask(srv.ApplyWrench, "simulator/apply_wrench", request)

    def reset(self) -> None:
        self.ask(Trigger, "simulator/reset")

    def pause(self) -> None:
        self.ask(SetBool, "simulator/pause", SetBool.Request(data=self.draw.random() < 0.3))

    def make_step(self) -> None:
        self.ask(Trigger, "simulator/step")

    def tune(self) -> None:
        from rcl_interfaces.srv import SetParameters
        from rclpy.parameter import Parameter

        name = self.draw.choice(("joint_stiffness", "joint_damping", "real_time_factor", "publish_rate", "dt"))
        value = Parameter(name, value=self.draw.choice((0.5, 1.0, 50.0, -1.0, math.inf, math.nan)))
        request = SetParameters.Request(parameters=[value.to_parameter_msg()])
        self.ask(SetParameters, "simulator/set_parameters", request)

    def change(self) -> None:
        self.describe(self.draw.choice((*GOOD, *BAD)))

    def spawn(self) -> None:
        from simulation_interfaces.srv import SpawnEntity

        request = SpawnEntity.Request(name=f"box_{self.draw.randint(0, 3)}")
        resource = request.entity_resource if hasattr(request, "entity_resource") else request
        resource.resource_string = self.draw.choice((*GOOD, *BAD))
        request.initial_pose.pose.position.x = self.draw.choice((2.0, -2.0, *EXTREMES))
        request.initial_pose.pose.orientation.w = 1.0
        self.ask(SpawnEntity, "simulator/spawn_entity", request)

    def delete(self) -> None:
        from simulation_interfaces.srv import DeleteEntity

        request = DeleteEntity.Request(entity=f"box_{self.draw.randint(0, 3)}")
        self.ask(DeleteEntity, "simulator/delete_entity", request)

    def ask(self, kind: Any, name: str, request: Any = None) -> None:
        """Call a service; the answer is looked for later."""
        self.pending.append(self.graph.client(kind, name).call_async(request or kind.Request()))

    # How it is

    def treat_badly(self, seconds: float, events: list[Callable[[], None]]) -> None:
        end = time.monotonic() + seconds
        while time.monotonic() < end:
            event = self.draw.choice(events)
            self.counts[event.__name__] += 1
            event()
            soon = time.monotonic() + PERIOD
            self.graph.spin_until(lambda soon=soon: time.monotonic() > soon, "time")
        self.graph.spin_until(lambda: all(one.done() for one in self.pending), "answers")
        self.counts["answers"] += len(self.pending)
        self.pending.clear()

    def expect(self, level: bytes, message: str) -> str:
        """Wait for a status of a level whose message begins so, and return the message."""
        self.statuses.clear()
        found = self.graph.spin_until(
            lambda: [s for s in self.statuses if s.level == level and s.message.startswith(message)],
            f"status {level!r} {message!r}, last {self.statuses[-1].message if self.statuses else None!r}",
        )
        return str(found[-1].message)

    def be_kind(self) -> None:
        """Ask for what a sound simulator does."""
        self.describe(ARM)
        self.graph.call(Trigger, "simulator/reset")
        for name, value in (("real_time_factor", 1.0), ("publish_rate", 60.0), ("joint_stiffness", -1.0)):
            assert self.graph.set_parameter("simulator", name, value).successful
        assert self.graph.call(SetBool, "simulator/pause", data=False).success
        self.graph.call(Trigger, "simulator/reset")

    def ask_how_it_is(self) -> None:
        self.be_kind()
        self.graph.spin_until(lambda: self.runs_well(), "a simulator that runs well")
        begun = self.step
        self.graph.spin_until(lambda: self.step > begun, "steps")
        self.describe(BAD[1])
        self.expect(DiagnosticStatus.ERROR, "last description refused")
        self.be_kind()
        self.graph.spin_until(lambda: self.runs_well(), "a simulator that has forgotten what it refused")
        push = srv.ApplyWrench.Request(body="arm", duration=Duration(sec=1))
        push.wrench.wrench.force.x = 1e200
        if self.graph.call(srv.ApplyWrench, "simulator/apply_wrench", **_fields(push)).success:
            self.expect(DiagnosticStatus.ERROR, "failed: ")
            self.counts["failures told of"] += 1
        self.be_kind()
        self.graph.spin_until(lambda: self.runs_well(), "a simulator that has recovered")
        self.memory.append((time.monotonic(), resident(self.process.pid)))

    def runs_well(self) -> bool:
        """Tell whether the last status says so; late is not unwell on a loaded machine."""
        last = self.statuses[-1] if self.statuses else None
        return (
            last is not None
            and last.level in (DiagnosticStatus.OK, DiagnosticStatus.WARN)
            and (last.message.startswith("running"))
        )

    def growth(self) -> float:
        """Return by how much of itself memory has grown from the second third of the time to the last one."""
        sizes = np.array([size for _, size in self.memory])
        third = max(len(sizes) // 3, 1)
        return float(sizes[-third:].mean() / sizes[third : 2 * third or None].mean() - 1.0)


def _numbers_of_contacts(message: Any) -> list[float]:
    found = []
    for contact in message.contacts:
        found += contact.depths
        for vector in (*contact.positions, *contact.normals, *contact.forces, contact.total.torque):
            found += [vector.x, vector.y, vector.z]
    return found


def _fields(request: Any) -> dict[str, Any]:
    return {name: getattr(request, name) for name in request.get_fields_and_field_types()}


def main() -> int:
    """Soak, and say what was seen."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--minutes", type=float, default=30.0)
    parser.add_argument("--seed", type=int, default=0)
    options = parser.parse_args()
    be_alone()
    with open_graph() as graph:
        soak = Soak(graph, options.seed)
        soak.ask_how_it_is()
        begun = time.monotonic()
        turn = 0
        while (time.monotonic() - begun) < 60.0 * options.minutes:
            soak.treat_badly(TURN, soak.events if turn % 2 == 0 else [soak.change])
            soak.ask_how_it_is()
            turn += 1
            print(f"{(time.monotonic() - begun) / 60.0:6.1f} min  {soak.memory[-1][1]:7.1f} MB", flush=True)
            if soak.broken:
                break
        counts = dict(sorted(soak.counts.items()))
        minutes, load = (time.monotonic() - begun) / 60.0, os.getloadavg()[1]
        code = graph.stop(soak.process)
    memory = [size for _, size in soak.memory]
    print(json.dumps(counts))
    print(
        f"{minutes:.1f} minutes, load {load:.1f}; memory {memory[0]:.1f} to {memory[-1]:.1f} MB, most {max(memory):.1f};"
    )
    print(
        f"growth over the last third {100 * soak.growth():+.1f} %; {len(soak.broken)} broken messages; exit code {code}"
    )
    for text in soak.broken[:3]:
        print(text[:500])
    return int(bool(soak.broken) or code != 0 or soak.growth() > GROWTH)


if __name__ == "__main__":
    sys.exit(main())
