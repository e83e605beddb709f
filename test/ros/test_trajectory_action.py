# SPDX-FileCopyrightText: The inertia_tools authors
# SPDX-License-Identifier: Apache-2.0
"""The action FollowJointTrajectory, and what ros2_control says over topics."""

from __future__ import annotations

import math

import pytest

pytest.importorskip("inertia_tools.msg", reason="the messages are not built")
pytest.importorskip("rclpy", reason="rclpy is not installed")
pytest.importorskip("warp", reason="warp-lang is not installed")

from builtin_interfaces.msg import Duration
from rclpy.action import ActionClient
from robots import joint, link, mass, tensor, urdf
from sensor_msgs.msg import JointState
from std_srvs.srv import Trigger
from trajectory_msgs.msg import JointTrajectory, JointTrajectoryPoint

ARM = urdf(
    link("base", mass(6) + tensor(0.04, 0.04, 0.04), '<box size="0.2 0.2 0.2"/>'),
    link("arm", mass(1) + tensor(0.01, 0.01, 0.001)),
    joint("arm", origin="0 0 0.5"),
)


@pytest.fixture(scope="module")
def arm(shared_graph):
    shared_graph.start("simulator", {"robot_description": ARM, "real_time_factor": 10.0, "fixed_base": True})
    states = shared_graph.listen(JointState, "joint_states")
    shared_graph.spin_until(lambda: states, "joint states")
    return shared_graph, states


def trajectory(*points, names=("arm_joint",)):
    made = [
        JointTrajectoryPoint(positions=[position], time_from_start=Duration(sec=int(time), nanosec=int(time % 1 * 1e9)))
        for time, position in points
    ]
    return JointTrajectory(joint_names=list(names), points=made)


class Goals:
    """Sends goals and waits for their ends."""

    def __init__(self, graph):
        actions = pytest.importorskip("control_msgs.action", reason="control_msgs is not installed; apt has it")
        self.action, self.graph, self.told = actions.FollowJointTrajectory, graph, []
        self.client = ActionClient(graph.node, self.action, "follow_joint_trajectory")
        graph.spin_until(self.client.server_is_ready, "the action")
        graph.be_seen_by("simulator")

    def send(self, **fields):
        goal = self.client.send_goal_async(
            self.action.Goal(**fields), feedback_callback=lambda message: self.told.append(message.feedback)
        )
        self.graph.spin_until(goal.done, "the goal")
        return goal.result()

    def result(self, handle):
        result = handle.get_result_async()
        self.graph.spin_until(result.done, "the result")
        return result.result().result


@pytest.fixture
def goals(arm):
    graph, _ = arm
    assert graph.call(Trigger, "simulator/reset").success
    return Goals(graph)


def tolerance(**joints):
    from control_msgs.msg import JointTolerance

    return [JointTolerance(name=name, position=value) for name, value in joints.items()]


def test_a_goal_ends_where_it_leads(arm, goals):
    graph, states = arm
    handle = goals.send(trajectory=trajectory((2.0, 0.5), (6.0, -0.3)), goal_tolerance=tolerance(arm_joint=0.02))
    result = goals.result(handle)
    assert (result.error_code, result.error_string) == (result.SUCCESSFUL, "")
    states.clear()
    assert graph.receive(states).position[0] == pytest.approx(-0.3, abs=0.03)
    assert goals.told
    last = goals.told[-1]
    assert last.joint_names == ["arm_joint"]
    assert last.error.positions[0] == pytest.approx(last.desired.positions[0] - last.actual.positions[0])


def test_what_leaves_its_tolerance_is_aborted(goals):
    # The joint turns by 1 rad/s at most.
    handle = goals.send(trajectory=trajectory((0.1, 0.9)), path_tolerance=tolerance(arm_joint=0.05))
    result = goals.result(handle)
    assert result.error_code == result.PATH_TOLERANCE_VIOLATED
    assert "'arm_joint'" in result.error_string
    late = goals.send(
        trajectory=trajectory((0.1, -0.9)),
        goal_tolerance=tolerance(arm_joint=0.01),
        goal_time_tolerance=Duration(nanosec=100_000_000),
    )
    result = goals.result(late)
    assert result.error_code == result.GOAL_TOLERANCE_VIOLATED


def test_goals_without_sense_are_refused(goals):
    result = goals.result(goals.send(trajectory=trajectory((1.0, 0.1), names=("elbow",))))
    assert (result.error_code, "elbow" in result.error_string) == (result.INVALID_JOINTS, True)
    for wrong in (trajectory(), trajectory((1.0, math.nan)), trajectory((2.0, 0.1), (1.0, 0.1))):
        result = goals.result(goals.send(trajectory=wrong))
        assert result.error_code == result.INVALID_GOAL
        assert result.error_string


def test_a_goal_is_cancelled_and_gives_way_to_commands(arm, goals):
    graph, _ = arm
    handle = goals.send(trajectory=trajectory((900.0, 0.9)))
    cancel = handle.cancel_goal_async()
    graph.spin_until(cancel.done, "the cancellation")
    assert goals.result(handle).error_string == "cancelled"
    handle = goals.send(trajectory=trajectory((900.0, 0.9)))
    graph.commander(JointState, "joint_commands")(name=["arm_joint"], position=[0.2])
    assert "replaced it" in goals.result(handle).error_string


def test_what_topic_based_ros2_control_says_is_followed(graph):
    """Its messages have names and the one kind of command that its joints have, at first NaN; see docs/ros2_control.md."""
    remaps = ("joint_commands:=robot_joint_commands", "joint_states:=robot_joint_states")
    graph.start("simulator", {"robot_description": ARM, "fixed_base": True}, remaps)
    states = graph.listen(JointState, "robot_joint_states")
    command = graph.commander(JointState, "robot_joint_commands")
    first = graph.receive(states)
    assert (list(first.name), len(first.position), len(first.velocity), len(first.effort)) == (["arm_joint"], 1, 1, 1)
    command(name=["arm_joint"], position=[math.nan])
    command(name=["arm_joint"], position=[0.4])
    graph.spin_until(lambda: states and abs(states[-1].position[0] - 0.4) < 0.02, "the position")
    command(name=["arm_joint"], velocity=[-0.5])
    graph.spin_until(lambda: abs(states[-1].velocity[0] + 0.5) < 0.05, "the velocity")
