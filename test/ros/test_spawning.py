# SPDX-FileCopyrightText: The inertia_tools authors
# SPDX-License-Identifier: Apache-2.0
"""Entities and worlds that come and go through the services of simulation_interfaces."""

from __future__ import annotations

import math
import os
from pathlib import Path

import pytest

pytest.importorskip("inertia_tools.msg", reason="the messages are not built")
pytest.importorskip("rclpy", reason="rclpy is not installed")
pytest.importorskip("warp", reason="warp-lang is not installed")
pytest.importorskip("simulation_interfaces", reason="simulation_interfaces is not installed; apt has it")

from builtin_interfaces.msg import Duration
from geometry_msgs.msg import Point, Pose, PoseStamped, Quaternion
from nav_msgs.msg import Odometry
from robots import joint, link, mass, tensor, urdf
from sensor_msgs.msg import Imu, JointState
from simulation_interfaces import srv
from simulation_interfaces.msg import EntityCategory, Result, SimulationState
from std_msgs.msg import Header
from trajectory_msgs.msg import JointTrajectory, JointTrajectoryPoint

BOX = '<box size="0.2 0.2 0.2"/>'
CUBE = mass(6) + tensor(0.04, 0.04, 0.04)
ROD = mass(1) + tensor(0.01, 0.01, 0.001)
ARM = urdf(link("base", CUBE, BOX), link("arm", ROD), joint("arm", origin="0 0 0.5")).replace('"r"', '"robot"')
LOOSE = urdf(link("cube", CUBE, BOX)).replace('"r"', '"box"')
Spawn = srv.SpawnEntity.Response


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    """Spawnables, and a scene."""
    folder = tmp_path_factory.mktemp("spawnables")
    (folder / "box.urdf").write_text(LOOSE)
    (folder / "arm.urdf").write_text(ARM)
    (folder / "broken.urdf").write_text("<robot><link/>")
    (folder / "notes.txt").write_text("no robot")
    (folder / "scene.yaml").write_text(
        "entities:\n"
        "  - {name: left/arm, file: arm.urdf, pose: {xyz: [0, 1, 0]}, fixed_base: true}\n"
        "  - {name: box, file: box.urdf, pose: {xyz: [1, 0, 0.1]}}\n"
    )
    return folder


@pytest.fixture(scope="module")
def running(shared_graph, folder):
    """A simulator that is paused at its start, without gravity."""
    parameters = {"robot_description": ARM, "real_time_factor": 0.0, "paused": True, "gravity": 0.0}
    shared_graph.start("simulator", {**parameters, "spawnable_folders": [str(folder)]})
    shared_graph.spin_until(lambda: state_of(shared_graph) == SimulationState.STATE_PAUSED, "a world")
    return shared_graph


@pytest.fixture
def paused(running):
    assert call(running, "ResetSimulation").result.result == Result.RESULT_OK
    answer = call(running, "GetEntities")
    assert list(answer.entities) == ["robot", "base", "arm"], answer.result.error_message
    return running


def call(graph, kind, **fields):
    name = "".join("_" + c.lower() if c.isupper() else c for c in kind).strip("_")
    return graph.call(getattr(srv, kind), f"simulator/{name}", **fields)


def state_of(graph):
    return call(graph, "GetSimulationState").state.state


def spawn(graph, text="", uri="", name="", x=2.0, frame="", turn=1.0, renaming=False, namespace=""):
    request = srv.SpawnEntity.Request(name=name, allow_renaming=renaming, entity_namespace=namespace)
    resource = request.entity_resource if hasattr(request, "entity_resource") else request
    resource.uri, resource.resource_string = uri, text
    pose = Pose(position=Point(x=x, z=0.1), orientation=Quaternion(w=turn))
    request.initial_pose = PoseStamped(header=Header(frame_id=frame), pose=pose)
    fields = {field: getattr(request, field) for field in request.get_fields_and_field_types()}
    return call(graph, "SpawnEntity", **fields)


def entities(graph):
    return list(call(graph, "GetEntities").entities)


def position_of(graph, entity):
    answer = call(graph, "GetEntityState", entity=entity)
    assert answer.result.result == Result.RESULT_OK, answer.result.error_message
    return answer.state.pose.position


def test_what_is_spawned_is_simulated_seen_and_deleted(paused):
    answer = spawn(paused, LOOSE)
    assert (answer.result.result, answer.entity_name) == (Result.RESULT_OK, "box"), answer.result.error_message
    assert entities(paused) == ["robot", "base", "arm", "box", "box::cube"]
    assert position_of(paused, "box").x == pytest.approx(2.0)
    assert call(paused, "StepSimulation", steps=3).result.result == Result.RESULT_OK
    assert call(paused, "DeleteEntity", entity="box").result.result == Result.RESULT_OK
    assert entities(paused) == ["robot", "base", "arm"]
    assert call(paused, "DeleteEntity", entity="box").result.result == Result.RESULT_NOT_FOUND
    assert call(paused, "DeleteEntity", entity="arm").result.result == Result.RESULT_NOT_FOUND
    assert call(paused, "DeleteEntity", entity="robot").result.result == Result.RESULT_OPERATION_FAILED


def test_files_are_spawned_from_what_is_listed(paused, folder):
    listed = call(paused, "GetSpawnables", sources=["/nowhere"])
    assert listed.result.result == Result.RESULT_OK
    assert "/nowhere" in listed.result.error_message
    uris = [getattr(one, "entity_resource", one).uri for one in listed.spawnables]
    assert uris == [(folder / name).as_uri() for name in ("arm.urdf", "box.urdf", "broken.urdf")]
    assert spawn(paused, uri=uris[1], name="second", frame="robot").entity_name == "second"
    assert position_of(paused, "second::cube").x == pytest.approx(2.0)


def test_folders_are_searched_beside_the_node_for_a_limited_time(graph, folder):
    """A large one stopped it for seconds. The process that searches takes more than the least limit to start."""
    graph.start("simulator", {"spawnable_folders": [str(folder)], "time_limit": 0.01})
    listed = call(graph, "GetSpawnables")
    assert listed.result.result != Result.RESULT_OK
    assert "time_limit" in listed.result.error_message
    assert graph.set_parameter("simulator", "time_limit", 60.0).successful
    assert len(call(graph, "GetSpawnables").spawnables) == 3


@pytest.mark.parametrize("kind", ["SpawnEntity", "LoadWorld"])
def test_a_file_that_takes_without_end_is_given_up_and_keeps_nobody_waiting(graph, tmp_path, kind):
    """The xacro computes for ever, and held the interpreter, and with it the simulation."""
    file = tmp_path / "endless.xacro"
    file.write_text('<robot name="r" xmlns:xacro="http://www.ros.org/wiki/xacro"><link name="${9**9**9}"/></robot>')
    graph.start("simulator", {"robot_description": ARM, "real_time_factor": 0.0, "paused": True, "time_limit": 5.0})
    graph.spin_until(lambda: state_of(graph) == SimulationState.STATE_PAUSED, "a world")
    request = getattr(srv, kind).Request()
    resource = getattr(request, "entity_resource", getattr(request, "world_resource", request))
    resource.uri = file.as_uri()
    name = {"SpawnEntity": "spawn_entity", "LoadWorld": "load_world"}[kind]
    asked = graph.client(getattr(srv, kind), f"simulator/{name}").call_async(request)
    assert call(graph, "StepSimulation", steps=3).result.result == Result.RESULT_OK
    assert not asked.done()
    graph.spin_until(asked.done, "the answer")
    assert asked.result().result.result == Result.RESULT_OPERATION_FAILED
    assert "time_limit" in asked.result().result.error_message


def test_names_of_spawnables_that_are_no_text_are_listed(paused, tmp_path):
    """Such a name could not be sent, and ended the node."""
    Path(os.fsdecode(os.fsencode(tmp_path) + b"/\xff.urdf")).write_text(LOOSE)
    listed = call(paused, "GetSpawnables", sources=[str(tmp_path)])
    assert "\ufffd.urdf" in [one.description for one in listed.spawnables]


@pytest.mark.parametrize(
    ("arguments", "code"),
    [
        ({}, Spawn.NO_RESOURCE),
        ({"text": "<robot><link/>"}, Spawn.RESOURCE_PARSE_ERROR),
        ({"uri": "file:///nowhere/box.urdf"}, Spawn.RESOURCE_PARSE_ERROR),
        ({"uri": "box.blend"}, Spawn.UNSUPPORTED_FORMAT),
        ({"text": LOOSE, "name": "robot"}, Spawn.NAME_NOT_UNIQUE),
        ({"text": LOOSE, "name": "arm"}, Spawn.NAME_NOT_UNIQUE),  # a body of the robot
        ({"text": LOOSE, "name": "a b"}, Spawn.NAME_INVALID),
        ({"text": LOOSE, "name": "a::b"}, Spawn.NAME_INVALID),
        ({"text": LOOSE, "namespace": "1st"}, Spawn.NAMESPACE_INVALID),
        ({"text": LOOSE, "turn": 2.0}, Spawn.INVALID_POSE),
        ({"text": LOOSE, "x": math.nan}, Spawn.INVALID_POSE),
        ({"text": LOOSE, "frame": "nowhere"}, Result.RESULT_NOT_FOUND),
        ({"text": LOOSE.replace(BOX, '<mesh filename="gone.stl"/>')}, Spawn.MISSING_ASSETS),
        (
            {
                "text": '<sdf version="1.9"><model name="m"><link name="l"/><include><uri>model://gone</uri></include></model></sdf>'
            },
            Spawn.MISSING_ASSETS,
        ),
        (
            {"text": LOOSE, "name": "world"},
            Spawn.NAME_NOT_UNIQUE,
        ),  # a pose in the frame "world" is not that in the entity
        ({"text": LOOSE.replace('mass value="6"', 'mass value="-6"')}, Result.RESULT_OPERATION_FAILED),
    ],
)
def test_what_cannot_be_spawned_is_refused_by_its_code_and_changes_nothing(paused, arguments, code):
    answer = spawn(paused, **arguments)
    assert answer.result.result == code, answer.result.error_message
    assert answer.result.error_message
    assert entities(paused) == ["robot", "base", "arm"]


def test_names_are_made_where_that_is_allowed(paused):
    assert spawn(paused, LOOSE, x=2.0).entity_name == "box"
    assert spawn(paused, LOOSE, x=3.0, renaming=True).entity_name == "box_1"
    assert spawn(paused, LOOSE, x=4.0, name="a b", renaming=True).entity_name == "a_b"


def test_scopes_of_a_reset_are_apart(paused):
    reset = srv.ResetSimulation.Request
    spawn(paused, LOOSE)
    pushed = call(paused, "GetEntityState", entity="box").state
    pushed.pose.position.x = 7.0
    flags = {"set_pose": True, "set_twist": True} if hasattr(srv.SetEntityState.Request(), "set_pose") else {}
    assert call(paused, "SetEntityState", entity="box", state=pushed, **flags).result.result == Result.RESULT_OK
    call(paused, "StepSimulation", steps=24)
    stamp = call(paused, "GetEntityState", entity="box").state.header.stamp
    assert stamp.nanosec > 0
    assert call(paused, "ResetSimulation", scope=reset.SCOPE_STATE).result.result == Result.RESULT_OK
    state = call(paused, "GetEntityState", entity="box").state
    assert (state.pose.position.x, state.header.stamp) == (pytest.approx(2.0), stamp)
    assert call(paused, "ResetSimulation", scope=reset.SCOPE_TIME).result.result == Result.RESULT_OK
    assert call(paused, "GetEntityState", entity="box").state.header.stamp.nanosec == 0
    assert call(paused, "ResetSimulation", scope=reset.SCOPE_SPAWNED).result.result == Result.RESULT_OK
    assert entities(paused) == ["robot", "base", "arm"]
    assert call(paused, "ResetSimulation", scope=8).result.result == Result.RESULT_FEATURE_UNSUPPORTED


def test_odometry_and_sensors_go_on_without_a_gap_when_others_come_and_go(graph):
    """Another publisher would first have to be found by the subscribers, and a second base ended the odometry."""
    sensor = '<gazebo reference="base"><sensor name="imu" type="imu"/></gazebo>'
    robot = ARM.replace("</robot>", f"{sensor}</robot>")
    parameters = {"robot_description": robot, "paused": True, "gravity": 0.0, "publish_rate": 240.0}
    graph.start("simulator", parameters)
    graph.spin_until(lambda: state_of(graph) == SimulationState.STATE_PAUSED, "a world")
    heard = graph.listen(Imu, "imu"), graph.listen(Odometry, "odom")

    def stamps():
        return [{round(240e-9 * one.header.stamp.nanosec) for one in received} - {0} for received in heard]

    def is_found():
        call(graph, "StepSimulation", steps=1)
        return all(stamps())

    graph.spin_until(is_found, "messages")
    call(graph, "ResetSimulation")
    for received in heard:
        received.clear()

    def publishers():
        return {tuple(one.endpoint_gid) for one in graph.node.get_publishers_info_by_topic(f"{graph.namespace}/imu")}

    before = publishers()
    assert len(before) == 1
    for change in (lambda: spawn(graph, robot, name="other"), lambda: call(graph, "DeleteEntity", entity="other")):
        call(graph, "StepSimulation", steps=5)
        assert change().result.result == Result.RESULT_OK
    call(graph, "StepSimulation", steps=5)
    wanted = set(range(1, 16))
    graph.spin_until(lambda: all(one == wanted for one in stamps()), f"15 stamps: {stamps()}")
    assert {one.child_frame_id for one in heard[1]} == {"base"}
    graph.spin_until(lambda: publishers() == before, "the publisher of before alone")


def test_what_is_bolted_takes_no_twist(paused):
    bolted = ARM.replace('<link name="base">', '<link name="world"/><link name="base">').replace(
        "</robot>", '<joint name="w" type="fixed"><parent link="world"/><child link="base"/></joint></robot>'
    )
    assert spawn(paused, bolted, name="post").result.result == Result.RESULT_OK
    state = call(paused, "GetEntityState", entity="post::base").state
    state.twist.linear.x = 1.0
    flags = {"set_pose": True, "set_twist": True} if hasattr(srv.SetEntityState.Request(), "set_pose") else {}
    answer = call(paused, "SetEntityState", entity="post::base", state=state, **flags).result
    assert answer.result == Result.RESULT_OPERATION_FAILED, "it was said to move, and stood"


def test_an_entity_does_not_get_the_name_of_a_model_in_a_model(graph):
    """Their links would have the same names."""
    inner = "<model name='arm'><link name='base'><inertial><mass>1</mass></inertial></link></model>"
    nested = f"<sdf version='1.11'><model name='m'><link name='l'><inertial/></link>{inner}</model></sdf>"
    graph.start("simulator", {"robot_description": nested, "paused": True})
    graph.spin_until(lambda: state_of(graph) == SimulationState.STATE_PAUSED, "a world")
    assert spawn(graph, ARM, name="arm").result.result == Spawn.NAME_NOT_UNIQUE
    assert spawn(graph, ARM, name="arm", renaming=True).entity_name == "arm_1"


def test_entities_have_categories(paused):
    spawn(paused, LOOSE)
    info = call(paused, "GetEntityInfo", entity="robot").info
    assert info.category.category == EntityCategory.CATEGORY_ROBOT
    assert "1 joint" in info.description
    assert call(paused, "GetEntityInfo", entity="box::cube").info.category.category == EntityCategory.CATEGORY_OBJECT
    assert call(paused, "GetEntityInfo", entity="tail").result.result == Result.RESULT_NOT_FOUND
    filters = srv.GetEntities.Request().filters
    filters.categories = [EntityCategory(category=EntityCategory.CATEGORY_OBJECT)]
    assert list(call(paused, "GetEntities", filters=filters).entities) == ["box"]


def test_a_namespace_has_topics_of_its_own(paused):
    assert spawn(paused, ARM, name="second", namespace="right").entity_name == "right/second"
    own = paused.listen(JointState, "right/joint_states")
    shared = paused.listen(JointState, "joint_states")
    assert list(paused.receive(own).name) == ["arm_joint"]
    assert list(paused.receive(shared).name) == ["arm_joint"]
    command = paused.commander(JointState, "right/joint_commands")
    command(name=["arm_joint"], position=[0.5])

    def turned():
        call(paused, "StepSimulation", steps=10)
        return own and own[-1].position[0] > 0.3

    paused.spin_until(turned, "the second arm")
    assert paused.receive(shared).position[0] == pytest.approx(0.0, abs=1e-3)


def test_a_refused_command_in_a_namespace_is_counted(paused):
    spawn(paused, ARM, name="third", namespace="up", x=3.0)
    statuses, command = paused.statuses("simulator"), paused.commander(JointState, "up/joint_commands")
    command(name=["arm_joint"], position=[math.inf])

    def is_counted():
        values = {pair.key: pair.value for pair in statuses[-1].values} if statuses else {}
        return "inf" in values.get("last rejection", "") and int(values["rejected commands"]) > 0

    paused.spin_until(is_counted, "a count")


def test_an_object_without_joints_has_no_joint_states(paused):
    for text, x in ((LOOSE, 3.0), (ARM, 5.0)):
        assert spawn(paused, text, namespace="down", x=x).result.result == Result.RESULT_OK
    states = paused.listen(JointState, "down/joint_states")
    paused.spin_until(lambda: len(states) >= 4, "joint states")
    assert {tuple(state.name) for state in states} == {("arm_joint",)}


def test_joints_that_are_all_in_namespaces_are_on_no_other_topic(graph, tmp_path):
    (tmp_path / "arm.urdf").write_text(ARM)
    (tmp_path / "scene.yaml").write_text("entities: [{name: left/arm, file: arm.urdf}]")
    graph.start("simulator", {"scene": str(tmp_path / "scene.yaml"), "real_time_factor": 0.0})
    own, shared = graph.listen(JointState, "left/joint_states"), graph.listen(JointState, "joint_states")
    graph.receive(own)
    shared.clear()
    graph.spin_until(lambda: len(own) > 20, "joint states")
    assert shared == []


def test_an_entity_whose_namespace_ros_does_not_have_is_simulated_without_topics(graph, tmp_path):
    (tmp_path / "arm.urdf").write_text(ARM)
    names = "{name: 1st/arm, file: arm.urdf}", "{name: left/arm, file: arm.urdf, pose: {xyz: [2, 0, 0]}}"
    (tmp_path / "scene.yaml").write_text(f"entities: [{', '.join(names)}]")
    process = graph.start("simulator", {"scene": str(tmp_path / "scene.yaml"), "real_time_factor": 0.0})
    own, shared = graph.listen(JointState, "left/joint_states"), graph.listen(JointState, "joint_states")
    assert list(graph.receive(own).name) == ["arm_joint"]
    graph.spin_until(lambda: shared and list(shared[-1].name) == ["1st/arm::arm_joint"], "the arm without topics")
    assert spawn(graph, ARM, namespace="n" * 250, x=4.0).result.result == Result.RESULT_OK
    assert entities(graph)[-3] == "n" * 250 + "/robot"
    assert graph.log_of(process).count("have no topics of their own") == 2


def test_worlds_are_loaded_stopped_and_unloaded(graph, folder):
    graph.start("simulator", {"real_time_factor": 0.0})
    load = srv.LoadWorld if hasattr(srv, "LoadWorld") else pytest.skip("this version loads no worlds")
    assert state_of(graph) == SimulationState.STATE_NO_WORLD

    def load_world(uri):
        request = load.Request()
        for field in ("world_resource", "level_resource"):
            if hasattr(request, field):
                getattr(request, field).uri = uri
                return call(graph, "LoadWorld", **{field: getattr(request, field)})
        return call(graph, "LoadWorld", uri=uri)  # before version 2

    assert load_world("").result.result == load.Response.NO_RESOURCE
    assert load_world("world.blend").result.result == load.Response.UNSUPPORTED_FORMAT
    assert load_world(str(folder / "broken.urdf")).result.result == load.Response.RESOURCE_PARSE_ERROR
    assert state_of(graph) == SimulationState.STATE_NO_WORLD
    answer = load_world(str(folder / "scene.yaml"))
    assert answer.result.result == Result.RESULT_OK, answer.result.error_message
    assert state_of(graph) == SimulationState.STATE_STOPPED
    assert entities(graph) == ["left/arm", "left/arm::base", "left/arm::arm", "box", "box::cube"]
    states = graph.listen(JointState, "left/joint_states")
    assert list(graph.receive(states).name) == ["arm_joint"]
    assert call(graph, "UnloadWorld").result.result == Result.RESULT_OK
    assert state_of(graph) == SimulationState.STATE_NO_WORLD
    assert call(graph, "UnloadWorld").result.result == srv.UnloadWorld.Response.NO_WORLD_LOADED


def test_entities_of_a_namespace_share_its_topics(paused):
    """A command for one was refused in the name of the other."""
    assert spawn(paused, ARM, name="arm", namespace="left", x=2.0).result.result == Result.RESULT_OK
    assert spawn(paused, LOOSE, name="box", namespace="left", x=4.0).result.result == Result.RESULT_OK
    own, status = paused.listen(JointState, "left/joint_states"), paused.statuses("simulator")
    lead = paused.commander(JointTrajectory, "left/joint_trajectory")
    paused.be_seen_by("simulator")

    def rejected():
        status.clear()
        return next(one.value for one in paused.receive(status).values if one.key == "rejected commands")

    before = rejected()
    point = JointTrajectoryPoint(positions=[0.3], time_from_start=Duration(nanosec=100_000_000))
    lead(joint_names=["arm_joint"], points=[point])
    paused.be_seen_by("simulator")
    assert call(paused, "StepSimulation", steps=240).result.result == Result.RESULT_OK
    own.clear()
    assert paused.receive(own).position[0] == pytest.approx(0.3, abs=0.02)
    assert rejected() == before
