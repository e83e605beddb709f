# SPDX-FileCopyrightText: The inertia_tools authors
# SPDX-License-Identifier: Apache-2.0
"""The services and the action of simulation_interfaces answer as their standard says."""

from __future__ import annotations

import math

import pytest

pytest.importorskip("inertia_tools.msg", reason="the messages are not built")
pytest.importorskip("rclpy", reason="rclpy is not installed")
pytest.importorskip("warp", reason="warp-lang is not installed")
pytest.importorskip("simulation_interfaces", reason="simulation_interfaces is not installed; apt has it")

from geometry_msgs.msg import Point, Pose, Quaternion, Twist, Vector3
from rclpy.action import ActionClient
from robots import joint, link, mass, tensor, urdf
from sensor_msgs.msg import Imu, JointState
from simulation_interfaces import srv
from simulation_interfaces.action import SimulateSteps
from simulation_interfaces.msg import EntityState, Result, SimulationState
from std_msgs.msg import Header
from std_srvs.srv import SetBool

CUBE = mass(6) + tensor(0.04, 0.04, 0.04)
ROD = mass(1) + tensor(0.01, 0.01, 0.001)
ARM = urdf(link("base", CUBE, '<box size="0.2 0.2 0.2"/>'), link("arm", ROD), joint("arm", origin="0 0 0.5")).replace(
    'name="r"', 'name="robot"'
)
MANY = 10**9


@pytest.fixture(scope="module")
def running(shared_graph):
    """A simulator that is paused at its start, without gravity."""
    shared_graph.start("simulator", {"robot_description": ARM, "real_time_factor": 0.0, "paused": True, "gravity": 0.0})
    shared_graph.spin_until(lambda: state_of(shared_graph) == SimulationState.STATE_PAUSED, "a world")
    return shared_graph


@pytest.fixture
def paused(running):
    call(running, "SetSimulationState", state=SimulationState(state=SimulationState.STATE_PAUSED))
    assert call(running, "ResetSimulation").result.result == Result.RESULT_OK
    return running


def call(graph, kind, **fields):
    name = "".join("_" + c.lower() if c.isupper() else c for c in kind).strip("_")
    return graph.call(getattr(srv, kind), f"simulator/{name}", **fields)


def state_of(graph):
    answer = call(graph, "GetSimulationState")
    assert answer.result.result == Result.RESULT_OK
    return answer.state.state


def set_state(graph, state):
    return call(graph, "SetSimulationState", state=SimulationState(state=state)).result.result


def pose_of(graph, entity):
    answer = call(graph, "GetEntityState", entity=entity)
    assert answer.result.result == Result.RESULT_OK, answer.result.error_message
    return answer.state.pose.position


def test_states_follow_each_other_as_the_standard_says(paused):
    states = SimulationState
    assert set_state(paused, states.STATE_PAUSED) == srv.SetSimulationState.Response.ALREADY_IN_TARGET_STATE
    for state in (states.STATE_PLAYING, states.STATE_STOPPED, states.STATE_PAUSED, states.STATE_PLAYING):
        assert set_state(paused, state) == Result.RESULT_OK
        assert state_of(paused) == state
    assert set_state(paused, states.STATE_NO_WORLD) == Result.RESULT_FEATURE_UNSUPPORTED
    assert set_state(paused, states.STATE_PAUSED) == Result.RESULT_OK


def test_a_pause_that_was_answered_is_the_state(paused):
    for is_paused, state in 3 * ((False, SimulationState.STATE_PLAYING), (True, SimulationState.STATE_PAUSED)):
        assert paused.call(SetBool, "simulator/pause", data=is_paused).success
        assert state_of(paused) == state


def test_only_what_is_paused_is_stepped(paused):
    assert call(paused, "StepSimulation", steps=3).result.result == Result.RESULT_OK
    for state in (SimulationState.STATE_PLAYING, SimulationState.STATE_STOPPED):
        assert set_state(paused, state) == Result.RESULT_OK
        answer = call(paused, "StepSimulation", steps=3)
        assert answer.result.result == Result.RESULT_OPERATION_FAILED
        assert "pause it first" in answer.result.error_message
        assert state_of(paused) == state


def test_the_robot_and_its_bodies_are_entities(paused):
    assert list(call(paused, "GetEntities").entities) == ["robot", "base", "arm"]
    filtered = call(paused, "GetEntities", filters=srv.GetEntities.Request().filters.__class__(filter="b.*"))
    assert list(filtered.entities) == ["base"]
    broken = call(paused, "GetEntities", filters=srv.GetEntities.Request().filters.__class__(filter="("))
    assert broken.result.result == Result.RESULT_OPERATION_FAILED
    assert pose_of(paused, "robot") == pose_of(paused, "base")
    assert call(paused, "GetEntityState", entity="tail").result.result == Result.RESULT_NOT_FOUND


@pytest.mark.parametrize("service", ["GetEntities", "GetEntitiesStates"])
def test_filters_that_are_not_supported_are_refused(paused, service):
    """To ignore one would give entities that it excludes."""
    from simulation_interfaces.msg import Bounds, EntityFilters, TagsFilter

    sphere = Bounds(type=Bounds.TYPE_SPHERE, points=[Vector3(x=100.0), Vector3(x=1.0)])
    for filters in (EntityFilters(bounds=sphere), EntityFilters(tags=TagsFilter(tags=["red"]))):
        answer = call(paused, service, filters=filters)
        assert answer.result.result == Result.RESULT_FEATURE_UNSUPPORTED
        assert list(answer.entities) == []


def test_a_filter_that_takes_without_end_is_given_up_and_keeps_nobody_waiting(graph):
    """Its search held the interpreter, and with it the simulation."""
    long = ARM.replace('"arm"', f'"{"a" * 60}!"')
    graph.start("simulator", {"robot_description": long, "real_time_factor": 0.0, "paused": True, "time_limit": 3.0})
    graph.spin_until(lambda: state_of(graph) == SimulationState.STATE_PAUSED, "a world")
    assert call(graph, "StepSimulation", steps=1).result.result == Result.RESULT_OK  # the first one loads kernels
    request = srv.GetEntities.Request()
    request.filters.filter = "(a+)+"
    search = graph.client(srv.GetEntities, "simulator/get_entities").call_async(request)
    assert call(graph, "StepSimulation", steps=3).result.result == Result.RESULT_OK
    assert not search.done()
    graph.spin_until(search.done, "the answer")
    assert search.result().result.result == Result.RESULT_OPERATION_FAILED
    assert "time_limit" in search.result().result.error_message
    request.filters.filter = "b.*"
    assert list(graph.call(srv.GetEntities, "simulator/get_entities", filters=request.filters).entities) == ["base"]


def test_a_state_is_set_in_the_frame_that_it_names(paused):
    turned = Quaternion(z=math.sin(math.pi / 4), w=math.cos(math.pi / 4))
    pose = Pose(position=Point(x=1.0, z=2.0), orientation=turned)
    assert set_entity(paused, "robot", EntityState(pose=pose)) == Result.RESULT_OK
    assert pose_of(paused, "base").x == pytest.approx(1.0)
    ahead = EntityState(header=Header(frame_id="base"), pose=Pose(position=Point(x=1.0)))
    ahead.twist = Twist(linear=Vector3(x=3.0))
    assert set_entity(paused, "robot", ahead) == Result.RESULT_OK
    at = pose_of(paused, "base")
    assert (at.x, at.y, at.z) == pytest.approx((1.0, 1.0, 2.0))
    velocity = call(paused, "GetEntityState", entity="base").state.twist.linear
    assert (velocity.x, velocity.y) == pytest.approx((0.0, 3.0), abs=1e-9)
    elsewhere = EntityState(header=Header(frame_id="nowhere"))
    assert set_entity(paused, "robot", elsewhere) == Result.RESULT_NOT_FOUND


@pytest.mark.parametrize("pose", [Pose(orientation=Quaternion(w=2.0)), Pose(position=Point(x=math.nan))])
def test_an_impossible_pose_is_refused_and_changes_nothing(paused, pose):
    before = pose_of(paused, "base")
    assert set_entity(paused, "base", EntityState(pose=pose)) == srv.SetEntityState.Response.INVALID_POSE
    assert pose_of(paused, "base") == before


def test_a_new_pose_of_a_bolted_robot_is_no_motion(graph):
    """Its joint, which another motion of the base would swing, stays; and its sensor feels nothing."""
    swing = ARM.replace('<axis xyz="0 0 1"/>', '<axis xyz="0 1 0"/>').replace(
        "</robot>", '<gazebo reference="arm"><sensor name="imu" type="imu"/></gazebo></robot>'
    )
    options = {"robot_description": swing, "paused": True, "gravity": 0.0, "fixed_base": True}
    graph.start("simulator", options)
    imu, joints = graph.listen(Imu, "imu"), graph.listen(JointState, "joint_states")
    graph.spin_until(lambda: graph.node.count_publishers("imu"), "a world")
    graph.be_seen_by("simulator")
    assert set_entity(graph, "robot", EntityState(pose=Pose(position=Point(x=0.05, z=0.2)))) == Result.RESULT_OK
    assert call(graph, "StepSimulation", steps=4).result.result == Result.RESULT_OK
    graph.spin_until(lambda: len(imu) == 4 and joints and joints[-1].header.stamp == imu[-1].header.stamp, "four steps")
    assert pose_of(graph, "arm").x == pytest.approx(0.05, abs=1e-6)
    assert [*joints[-1].position, *joints[-1].velocity] == pytest.approx([0.0, 0.0], abs=1e-6)
    assert [one.linear_acceleration.x for one in imu] == pytest.approx([0.0] * 4, abs=1e-3)


def set_entity(graph, entity, state):
    flags = {"set_pose": True, "set_twist": True} if hasattr(srv.SetEntityState.Request(), "set_pose") else {}
    return call(graph, "SetEntityState", entity=entity, state=state, **flags).result.result


def steps_client(graph):
    client = ActionClient(graph.node, SimulateSteps, "simulator/simulate_steps")
    graph.spin_until(client.server_is_ready, "the action")
    graph.be_seen_by("simulator")
    return client


def test_frames_of_a_paused_world_reach_who_comes_late_and_follow_a_new_state(graph):
    tf2_msgs = pytest.importorskip("tf2_msgs.msg", reason="tf2_msgs is not installed; apt has it")
    graph.start("simulator", {"robot_description": ARM, "paused": True, "publish_tf": True})
    graph.spin_until(lambda: state_of(graph) == SimulationState.STATE_PAUSED, "a world")
    frames = graph.listen(tf2_msgs.TFMessage, "/tf")

    def height():
        frame = next(one for one in graph.receive(frames).transforms if one.child_frame_id == "base")
        return frame.transform.translation.z

    assert height() == pytest.approx(0.1)
    raised = EntityState(pose=Pose(position=Point(z=2.0), orientation=Quaternion(w=1.0)))
    assert set_entity(graph, "robot", raised) == Result.RESULT_OK
    graph.spin_until(lambda: height() == pytest.approx(2.0), "the new height")


def test_steps_are_told_of_and_cancelled_while_other_services_answer(paused):
    client = steps_client(paused)
    told = []
    goal = client.send_goal_async(
        SimulateSteps.Goal(steps=MANY), feedback_callback=lambda message: told.append(message.feedback)
    )
    paused.spin_until(goal.done, "the goal")
    paused.spin_until(lambda: len(told) > 2, "feedback")
    assert 0 < told[-1].completed_steps < MANY == told[-1].completed_steps + told[-1].remaining_steps
    assert state_of(paused) == SimulationState.STATE_PAUSED
    assert "steps were requested" in call(paused, "StepSimulation").result.error_message
    cancel = goal.result().cancel_goal_async()
    result = goal.result().get_result_async()
    paused.spin_until(lambda: cancel.done() and result.done(), "the end")
    assert "cancelled" in result.result().result.result.error_message
    assert call(paused, "StepSimulation").result.result == Result.RESULT_OK


def test_all_steps_of_a_goal_are_made(paused):
    client = steps_client(paused)
    goal = client.send_goal_async(SimulateSteps.Goal(steps=24))
    paused.spin_until(goal.done, "the goal")
    result = goal.result().get_result_async()
    paused.spin_until(result.done, "the end")
    assert result.result().result.result.result == Result.RESULT_OK
    stamp = call(paused, "GetEntityState", entity="base").state.header.stamp
    assert stamp.nanosec == 24 * round(1e9 / 240)


def test_without_a_world_services_say_so_and_quitting_ends_the_node(graph):
    process = graph.start("simulator")
    assert state_of(graph) == SimulationState.STATE_NO_WORLD
    assert call(graph, "StepSimulation").result.result == Result.RESULT_INCORRECT_STATE
    assert call(graph, "ResetSimulation").result.result == Result.RESULT_INCORRECT_STATE
    assert call(graph, "GetEntities").result.result == Result.RESULT_INCORRECT_STATE
    assert set_state(graph, SimulationState.STATE_PLAYING) == Result.RESULT_INCORRECT_STATE
    assert set_state(graph, SimulationState.STATE_QUITTING) == Result.RESULT_OK
    assert process.wait(timeout=60) == 0


def test_quitting_while_time_runs_is_no_failure(graph):
    process = graph.start("simulator", {"robot_description": ARM, "real_time_factor": 0.0})
    graph.spin_until(lambda: state_of(graph) == SimulationState.STATE_PLAYING, "time that runs")
    assert set_state(graph, SimulationState.STATE_QUITTING) == Result.RESULT_OK
    assert process.wait(timeout=60) == 0
    assert "fail" not in graph.log_of(process)
