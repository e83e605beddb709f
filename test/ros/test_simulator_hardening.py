# SPDX-FileCopyrightText: The inertia_tools authors
# SPDX-License-Identifier: Apache-2.0
"""simulator under hostile input: it fails in a way that it can be brought back from, limits what it is told, and says so."""

from __future__ import annotations

import math
import signal
import time

import pytest

msg = pytest.importorskip("inertia_tools.msg", reason="the messages are not built")
pytest.importorskip("rclpy", reason="rclpy is not installed")
pytest.importorskip("warp", reason="warp-lang is not installed")

from builtin_interfaces.msg import Duration  # noqa: E402
from diagnostic_msgs.msg import DiagnosticStatus  # noqa: E402
from geometry_msgs.msg import Vector3, Wrench, WrenchStamped  # noqa: E402
from robots import joint, link, mass, tensor, urdf  # noqa: E402
from rosgraph_msgs.msg import Clock  # noqa: E402
from sensor_msgs.msg import JointState  # noqa: E402
from std_srvs.srv import SetBool, Trigger  # noqa: E402
from trajectory_msgs.msg import JointTrajectory, JointTrajectoryPoint  # noqa: E402

from inertia_tools import srv  # noqa: E402

CUBE = mass(6) + tensor(0.04, 0.04, 0.04)  # 6 kg, edge 0.2 m
ROD = mass(1) + tensor(0.01, 0.01, 0.001)
ARM = urdf(link("base", CUBE, '<box size="0.2 0.2 0.2"/>'), link("arm", ROD), joint("arm", origin="0 0 0.5"))
"""Its joint turns by 1 rad at most to either side, at 1 rad/s and 1 N m."""
OTHER = ARM.replace('name="r"', 'name="other"')
BROKEN = ARM.replace("1.0", "x").replace('mass value="6"', 'mass value="-6"')
STEP = 1.0 / 240.0


@pytest.fixture(scope="module")
def arm(shared_graph):
    """A simulator whose arm obeys without limits when asked to, as fast as it can, and its process."""
    process = shared_graph.start("simulator", {"robot_description": ARM, "real_time_factor": 0.0})
    states = shared_graph.listen(msg.BodyStates, "simulator/body_states")
    shared_graph.spin_until(lambda: states, "body states")
    return shared_graph, process


@pytest.fixture
def paced_arm(arm):
    """The graph of `arm` at its start, in real time: a motion takes long enough for it to be seen."""
    graph, _ = arm
    assert graph.set_parameter("simulator", "real_time_factor", 1.0).successful
    reset(graph)
    yield graph
    assert graph.set_parameter("simulator", "real_time_factor", 0.0).successful


def listen_to_joints(graph):
    """Listen to joint states, and wait until they come."""
    states = graph.listen(JointState, "joint_states")
    graph.be_seen_by("simulator")
    graph.receive(states)
    return states


def reset(graph):
    answer = graph.call(Trigger, "simulator/reset")
    assert answer.success, answer.message


def wait_for_status(graph, statuses, level, text):
    statuses.clear()
    graph.spin_until(lambda: statuses and statuses[-1].level == level and text in statuses[-1].message, text)
    return {pair.key: pair.value for pair in statuses[-1].values}


def fail_by_target(graph, command):
    assert graph.set_parameter("simulator", "limit_commands", False).successful
    command(name=["arm_joint"], position=[1e300])


def fail_by_effort(graph, command):
    assert graph.set_parameter("simulator", "limit_commands", False).successful
    command(name=["arm_joint"], effort=[1e300])


def fail_by_push(graph, command):
    stamped = WrenchStamped(wrench=Wrench(torque=Vector3(x=1e200, y=1e200, z=1e200)))
    answer = graph.call(
        srv.ApplyWrench, "simulator/apply_wrench", body="base", wrench=stamped, duration=Duration(sec=-1)
    )
    assert answer.success, answer.message


@pytest.mark.parametrize("fail", [fail_by_target, fail_by_effort, fail_by_push])
def test_divergence_is_a_state_that_a_reset_ends(arm, fail):
    graph, process = arm
    statuses, clocks = graph.statuses("simulator"), graph.listen(Clock, "/clock")
    states = graph.listen(msg.BodyStates, "simulator/body_states")
    fail(graph, graph.commander(JointState, "joint_commands"))
    values = wait_for_status(graph, statuses, DiagnosticStatus.ERROR, "failed: ")
    assert values["state"] == "failed"
    assert "body" in values["failure"] or "joint" in values["failure"]
    clocks.clear()
    graph.spin_until(lambda: clocks, "a clock that goes on")
    assert not graph.call(Trigger, "simulator/step").success
    assert graph.call(SetBool, "simulator/pause", data=False).success
    assert graph.set_parameter("simulator", "limit_commands", True).successful
    reset(graph)
    states.clear()
    graph.spin_until(lambda: states and states[-1].step > 5, "steps after the reset")
    wait_for_status(graph, statuses, DiagnosticStatus.OK, "running")
    assert all(math.isfinite(body.pose.position.z) for state in states for body in state.bodies)
    assert process.poll() is None


def test_divergence_ends_with_another_description_too(graph):
    process = graph.start("simulator", {"real_time_factor": 0.0, "limit_commands": False})
    publish = graph.latched_publisher("robot_description")
    publish(ARM)
    statuses = graph.statuses("simulator")
    wait_for_status(graph, statuses, DiagnosticStatus.OK, "running")
    fail_by_target(graph, graph.commander(JointState, "joint_commands"))
    wait_for_status(graph, statuses, DiagnosticStatus.ERROR, "failed: ")
    publish(OTHER)
    assert wait_for_status(graph, statuses, DiagnosticStatus.OK, "running")["robot"] == "other"
    fail_by_target(graph, graph.commander(JointState, "joint_commands"))
    wait_for_status(graph, statuses, DiagnosticStatus.ERROR, "failed: ")
    assert graph.stop(process) == 0
    assert "Traceback" not in graph.log_of(process)


# Limits


def test_position_is_clamped_and_rate_and_effort_keep_to_the_joint(paced_arm):
    graph, states = paced_arm, listen_to_joints(paced_arm)
    command = graph.commander(JointState, "joint_commands")
    command(name=["arm_joint"], position=[1e300])
    graph.spin_until(lambda: states and abs(states[-1].position[0] - 1.0) < 1e-3, "the upper limit")
    assert max(state.position[0] for state in states) <= 1.0 + 1e-4
    assert 0.9 < max(abs(state.velocity[0]) for state in states) <= 1.0 + 1e-4
    command(name=["arm_joint"], velocity=[-1e5])
    graph.spin_until(lambda: states[-1].position[0] < -0.9, "the lower limit")
    assert max(abs(state.velocity[0]) for state in states) <= 1.0 + 1e-4
    command(name=["arm_joint"], effort=[1e4])
    graph.spin_until(lambda: states[-1].position[0] > 0.9, "the upper limit again")
    assert max(abs(state.velocity[0]) for state in states) <= 1.0 + 1e-4


@pytest.mark.parametrize(
    "fields",
    [{"position": [0.1, 0.2]}, {"position": [0.1], "velocity": [1.0, 2.0]}],
    ids=["too many", "one kind too many"],
)
def test_a_refused_command_changes_nothing_and_is_counted(arm, fields):
    graph, _ = arm
    reset(graph)
    statuses, states = graph.statuses("simulator"), graph.listen(JointState, "joint_states")
    before = int(wait_for_status(graph, statuses, DiagnosticStatus.OK, "running")["rejected commands"])
    graph.commander(JointState, "joint_commands")(name=["arm_joint"], **fields)
    statuses.clear()
    graph.spin_until(lambda: statuses and _rejected(statuses[-1]) == before + 1, "a count")
    states.clear()
    assert graph.receive(states).position[0] == pytest.approx(0.0, abs=1e-6)


def _rejected(status):
    return int(next(pair.value for pair in status.values if pair.key == "rejected commands"))


def test_a_trajectory_is_followed_in_simulated_time(paced_arm):
    graph, states = paced_arm, listen_to_joints(paced_arm)
    command = graph.commander(JointTrajectory, "joint_trajectory")
    times, places = (0.5, 1.0, 2.0), (0.3, 0.1, -0.4)
    points = [
        JointTrajectoryPoint(positions=[p], time_from_start=_duration(t)) for t, p in zip(times, places, strict=True)
    ]
    command(joint_names=["arm_joint"], points=points)
    graph.spin_until(lambda: states and abs(states[-1].position[0] + 0.4) < 1e-3, "the last point")
    begin = next(_seconds(state) for state in states if abs(state.position[0]) > 1e-4)
    for time_, place in zip(times, places, strict=True):
        near = min(states, key=lambda state: abs(_seconds(state) - begin - time_))
        assert near.position[0] == pytest.approx(place, abs=0.05)
    statuses = graph.statuses("simulator")
    for names, order, reason in ((["tail"], 1, "no joint named 'tail'"), (["arm_joint"], -1, "must ascend")):
        command(joint_names=names, points=points[::order])
        graph.spin_until(lambda r=reason: statuses and r in _last_rejection(statuses[-1]), reason)
    assert graph.receive(states).position[0] == pytest.approx(-0.4, abs=1e-3)


def _last_rejection(status):
    return next(pair.value for pair in status.values if pair.key == "last rejection")


def _seconds(state):
    return state.header.stamp.sec + 1e-9 * state.header.stamp.nanosec


def _duration(seconds):
    return Duration(sec=int(seconds), nanosec=round(seconds % 1 * 1e9))


# Descriptions


def test_of_descriptions_in_a_row_the_last_one_is_simulated(graph):
    """A is in force, B begins to load, and A comes again: the end is A."""
    graph.start("simulator", {"robot_description": "", "real_time_factor": 0.0})
    publish = graph.latched_publisher("robot_description")
    statuses = graph.statuses("simulator")
    for text in (ARM, OTHER, ARM, OTHER, ARM):
        publish(text)
        time.sleep(0.02)
    graph.spin_until(lambda: statuses and statuses[-1].message == "running", "a robot")
    enough = len(statuses) + 3  # which takes three seconds
    graph.spin_until(lambda: len(statuses) >= enough and statuses[-1].message == "running", "nothing more to load")
    assert ("robot", "r") in _pairs(statuses[-1])


def test_a_parameter_that_cannot_be_simulated_is_refused(arm):
    graph, _ = arm
    for text in ("", "<robot", BROKEN):
        result = graph.set_parameter("simulator", "robot_description", text)
        assert not result.successful
        assert result.reason
    statuses = graph.statuses("simulator")
    assert wait_for_status(graph, statuses, DiagnosticStatus.OK, "running")["robot"] == "r"
    assert graph.set_parameter("simulator", "robot_description", OTHER).successful
    graph.spin_until(lambda: any(("robot", "other") in _pairs(s) for s in statuses), "the other robot")


def _pairs(status):
    return {(pair.key, pair.value) for pair in status.values}


def test_a_refused_description_is_an_error_in_the_diagnostics_until_a_good_one_comes(graph):
    graph.start("simulator", {"real_time_factor": 0.0})
    publish, statuses = graph.latched_publisher("robot_description"), graph.statuses("simulator")
    publish(BROKEN)
    wait_for_status(graph, statuses, DiagnosticStatus.ERROR, "refused")
    publish(ARM)
    wait_for_status(graph, statuses, DiagnosticStatus.OK, "running")


# Time


def test_a_missed_real_time_factor_is_a_warning(arm):
    graph, _ = arm
    statuses = graph.statuses("simulator")
    assert graph.set_parameter("simulator", "real_time_factor", 1000.0).successful
    wait_for_status(graph, statuses, DiagnosticStatus.WARN, "real time factor")
    assert graph.set_parameter("simulator", "real_time_factor", 0.0).successful
    wait_for_status(graph, statuses, DiagnosticStatus.OK, "running")


def test_an_interrupt_while_a_description_is_loaded_ends_the_node_at_once(graph):
    process = graph.start("simulator", {"robot_description": ARM}, own_interpreter=True)
    graph.spin_until(lambda: "Warp" in graph.log_of(process), "the beginning")
    process.send_signal(signal.SIGINT)
    assert process.wait(timeout=60) == 0
