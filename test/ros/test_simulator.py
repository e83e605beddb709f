# SPDX-FileCopyrightText: The inertia_tools authors
# SPDX-License-Identifier: Apache-2.0
"""simulator as a process of its own: what it publishes obeys the laws, what it is told it does."""

from __future__ import annotations

import signal
import time
from pathlib import Path

import numpy as np
import pytest

msg = pytest.importorskip("inertia_tools.msg", reason="the messages are not built")
pytest.importorskip("rclpy", reason="rclpy is not installed")
pytest.importorskip("warp", reason="warp-lang is not installed")

from builtin_interfaces.msg import Duration  # noqa: E402
from diagnostic_msgs.msg import DiagnosticArray  # noqa: E402
from geometry_msgs.msg import Point, Vector3, Wrench, WrenchStamped  # noqa: E402
from nav_msgs.msg import Odometry  # noqa: E402
from rcl_interfaces.srv import DescribeParameters, SetParameters  # noqa: E402
from rclpy.parameter import Parameter  # noqa: E402
from robots import joint, link, mass, tensor, urdf  # noqa: E402
from rosgraph_msgs.msg import Clock  # noqa: E402
from sensor_msgs.msg import JointState, PointCloud2  # noqa: E402
from std_msgs.msg import Header  # noqa: E402
from std_srvs.srv import SetBool, Trigger  # noqa: E402
from visualization_msgs.msg import Marker, MarkerArray  # noqa: E402

from inertia_tools import srv  # noqa: E402

CUBE = mass(6) + tensor(0.04, 0.04, 0.04)  # 6 kg, edge 0.2 m
SHAPE = '<box size="0.2 0.2 0.2"/>'
ROD = mass(1) + tensor(0.01, 0.01, 0.001)
BOX_ROBOT = urdf(link("box", CUBE, SHAPE))
# An arm that hangs well above the ground, its axis along z, so that gravity does not turn it.
ARM_ROBOT = urdf(link("base", CUBE, SHAPE), link("arm", ROD), joint("arm", type_="revolute", origin="0 0 0.5"))
WORLD = Path(__file__).parents[2] / "examples/ball_falling_ground.sdf"
WEIGHT = 6 * 9.81
STEP = 1.0 / 240.0


def start(graph, text=BOX_ROBOT, own_interpreter=False, **parameters):
    """Start a simulator that runs as fast as it can."""
    parameters = {"robot_description": text, "real_time_factor": 0.0, **parameters}
    return graph.start("simulator", parameters, own_interpreter=own_interpreter)


def trigger(graph, name):
    answer = graph.call(Trigger, f"simulator/{name}")
    assert answer.success, answer.message


def push(graph, body="box", force=(0.0, 0.0, 0.0), frame="", **fields):
    wrench = Wrench(force=Vector3(x=force[0], y=force[1], z=force[2]))
    stamped = WrenchStamped(header=Header(frame_id=frame), wrench=wrench)
    return graph.call(srv.ApplyWrench, "simulator/apply_wrench", body=body, wrench=stamped, **fields)


def states_of(graph):
    return graph.listen(msg.BodyStates, "simulator/body_states")


def state_after(graph, received, step):
    """Wait for what is published of a step or a later one."""
    graph.spin_until(lambda: received and nanoseconds(received[-1].header.stamp) >= is_at(step), f"step {step}")
    return received[-1]


def is_at(step):
    """Return the stamp of a step in nanoseconds, as integer arithmetic gives it."""
    return step * round(STEP * 1e9)


def nanoseconds(stamp):
    return stamp.sec * 1_000_000_000 + stamp.nanosec


# What is published


def test_box_at_rest_pushes_the_ground_with_its_weight(graph):
    start(graph)
    states, contacts = states_of(graph), graph.listen(msg.ContactForces, "simulator/contact_forces")
    state = state_after(graph, states, 240)
    message = state_after(graph, contacts, 240)
    (contact,) = message.contacts
    sign = 1.0 if contact.body_b == "world" else -1.0
    assert {contact.body_a, contact.body_b} == {"box", "world"}
    assert sign * contact.total.force.z == pytest.approx(WEIGHT, rel=1e-3)
    assert sum(force.z for force in contact.forces) == pytest.approx(contact.total.force.z)
    assert len(contact.positions) == len(contact.normals) == len(contact.depths) == len(contact.forces)
    assert len(contact.torques) == len(contact.forces)
    assert all(sign * normal.z == pytest.approx(1.0) for normal in contact.normals)
    assert message.time_step == pytest.approx(STEP)
    assert message.header.frame_id == "world"
    assert state.bodies[0].pose.position.z == pytest.approx(0.1, abs=1e-3)
    assert state.kinetic_energy < 1e-6
    assert state.potential_energy == pytest.approx(WEIGHT * 0.1, rel=1e-2)


def test_stamps_are_whole_steps_and_clock_agrees(graph):
    start(graph)
    states, clocks = states_of(graph), graph.listen(Clock, "/clock")
    state_after(graph, states, 120)
    assert all(nanoseconds(state.header.stamp) == is_at(state.step) for state in states)
    steps = [state.step for state in states]
    assert steps == sorted(set(steps))
    graph.spin_until(lambda: clocks, "clock")
    assert all(nanoseconds(clock.clock) % is_at(1) == 0 for clock in clocks)


def test_odometry_speaks_of_the_root_in_its_own_frame(graph):
    start(graph, ground=False)
    received = graph.listen(Odometry, "odom")
    odometry = state_after(graph, received, 1)
    assert (odometry.header.frame_id, odometry.child_frame_id) == ("odom", "box")
    assert odometry.twist.twist.linear.z < 0.0


def test_free_fall(graph):
    start(graph, ground=False, publish_rate=240.0, paused=True)
    states = states_of(graph)
    first = state_after(graph, states, 0)
    for _ in range(24):
        trigger(graph, "step")
    state = state_after(graph, states, 24)
    duration = 24 * STEP
    fallen = first.bodies[0].pose.position.z - state.bodies[0].pose.position.z
    assert fallen == pytest.approx(0.5 * 9.81 * duration**2, rel=0.01)
    assert state.bodies[0].twist.linear.z == pytest.approx(-9.81 * duration, rel=1e-6)


def test_a_world_runs_as_its_file_says(graph):
    """The ball of SDFormat's page comes to rest on the static box."""
    states, odometry = states_of(graph), graph.listen(Odometry, "odom")
    contacts = graph.listen(msg.ContactForces, "simulator/contact_forces")
    start(graph, WORLD.read_text())
    state = state_after(graph, states, 500)
    ball, ground = state.bodies
    assert (ball.name, ground.name) == ("ball::link", "ground_box::flat_box")
    assert ball.pose.position.z == pytest.approx(0.55, abs=1e-6)
    assert (ground.pose.position.x, ground.pose.position.y, ground.pose.position.z) == (0, 0, 0)
    assert state_after(graph, odometry, 500).child_frame_id == "ball::link"
    (contact,) = state_after(graph, contacts, 500).contacts
    assert (contact.body_a, contact.body_b) == ("ball::link", "ground_box::flat_box")
    assert contact.total.force.z == pytest.approx(9.81, rel=1e-6)


def test_joint_states_name_every_joint(graph):
    start(graph, ARM_ROBOT, fixed_base=True)
    state = graph.receive(graph.listen(JointState, "joint_states"))
    assert list(state.name) == ["arm_joint"]
    assert len(state.position) == len(state.velocity) == len(state.effort) == 1


def test_markers_are_arrows_along_the_force(graph):
    start(graph, marker_scale=0.01)
    received = graph.listen(MarkerArray, "simulator/contact_markers")

    def late_markers():
        return [m for m in received[-1].markers if nanoseconds(m.header.stamp) >= is_at(240)] if received else []

    arrows = [marker for marker in graph.spin_until(late_markers, "markers") if marker.type == Marker.ARROW]
    rise = sum(arrow.points[1].z - arrow.points[0].z for arrow in arrows)
    assert rise == pytest.approx(0.01 * WEIGHT, rel=0.02)
    assert all(nanoseconds(arrow.lifetime) > 0 for arrow in arrows)


def test_soft_bodies_are_points_and_a_mesh(graph, tmp_path):
    """A soft box falls freely: its points, and the corners of its mesh, are where they must be."""
    (tmp_path / "box.urdf").write_text(BOX_ROBOT)
    scene = tmp_path / "scene.yaml"
    scene.write_text(
        "entities: [{name: box, file: box.urdf}]\n"
        "soft_bodies: [{name: block, soft_box: {size: [0.1, 0.1, 0.1], cells: [1, 1, 1]}, pose: {xyz: [1, 0, 5]}}]\n"
    )
    clouds, meshes = graph.listen(PointCloud2, "simulator/soft_points"), graph.listen(Marker, "simulator/soft_mesh")
    graph.start("simulator", {"scene": str(scene), "real_time_factor": 1.0, "ground": False})
    cloud, mesh = state_after(graph, clouds, 24), state_after(graph, meshes, 24)
    heights = np.frombuffer(bytes(cloud.data), dtype="<f4").reshape(8, -1)[:, 2]
    for stamp, middle in ((cloud.header.stamp, heights.mean()), (mesh.header.stamp, _middle(mesh))):
        assert middle == pytest.approx(5.05 - 0.5 * 9.81 * (nanoseconds(stamp) * 1e-9) ** 2, abs=1e-3)
    assert len(mesh.points) == 3 * 12
    assert mesh.type == Marker.TRIANGLE_LIST
    assert cloud.header.frame_id == mesh.header.frame_id == "world"


def _middle(mesh):
    """Return the height of the middle of a box: each of its faces has two triangles."""
    return (max(point.z for point in mesh.points) + min(point.z for point in mesh.points)) / 2


# What it is told


def test_pause_step_and_reset(graph):
    start(graph, publish_rate=240.0)
    states = states_of(graph)
    state_after(graph, states, 10)
    refused = graph.call(Trigger, "simulator/step")
    assert not refused.success
    assert "pause" in refused.message
    assert graph.call(SetBool, "simulator/pause", data=True).success
    graph.spin_until(lambda: _stands_still(states), "standstill")
    before = states[-1].step
    trigger(graph, "step")
    assert state_after(graph, states, before + 1).step == before + 1
    trigger(graph, "reset")
    graph.spin_until(lambda: states[-1].step == 0, "step 0")
    assert nanoseconds(states[-1].header.stamp) == 0
    assert graph.call(SetBool, "simulator/pause", data=False).success
    assert state_after(graph, states, 20).step >= 20


def _stands_still(received):
    return len(received) >= 2 and received[-1].step == received[-2].step


def test_paused_clock_keeps_its_value(graph):
    start(graph, paused=True)
    clocks = graph.listen(Clock, "/clock")
    graph.spin_until(lambda: len(clocks) >= 3, "clock of a paused simulation")
    assert {nanoseconds(clock.clock) for clock in clocks} == {0}


def test_push_lifts_the_box_as_newton_says(graph):
    start(graph, ground=False, gravity=0.0, paused=True, publish_rate=240.0)
    states = states_of(graph)
    state_after(graph, states, 0)
    answer = push(graph, force=(12.0, 0.0, 0.0), duration=Duration(nanosec=100_000_000))
    assert answer.success, answer.message
    for _ in range(30):
        trigger(graph, "step")
    velocity = state_after(graph, states, 30).bodies[0].twist.linear
    assert velocity.x == pytest.approx(12.0 * 24 * STEP / 6.0, rel=1e-6)  # 0.1 s are 24 steps
    assert velocity.z == pytest.approx(0.0, abs=1e-9)


def test_push_takes_the_frames_that_the_node_publishes(graph):
    start(graph, paused=True, frame_prefix="r/", world_frame="map")
    state_after(graph, states_of(graph), 0)
    for frame in ("r/box", "box", "map"):
        answer = push(graph, frame=frame)
        assert answer.success, answer.message


def test_push_off_centre_turns_the_box(graph):
    start(graph, ground=False, gravity=0.0, paused=True, publish_rate=240.0)
    states = states_of(graph)
    state_after(graph, states, 0)
    assert push(graph, force=(0.0, 6.0, 0.0), point=Point(x=0.1)).success
    # The push lasts one step; during it, velocities are half a substep ahead.
    trigger(graph, "step")
    trigger(graph, "step")
    twist = state_after(graph, states, 2).bodies[0].twist
    assert twist.linear.y == pytest.approx(6.0 * STEP / 6.0, rel=1e-3)
    assert twist.angular.z == pytest.approx(0.6 * STEP / 0.04, rel=1e-3)


@pytest.mark.parametrize(
    ("body", "frame", "force"),
    [("wheel", "", (1.0, 0.0, 0.0)), ("box", "wheel", (1.0, 0.0, 0.0)), ("box", "", (float("nan"), 0.0, 0.0))],
    ids=["body", "frame", "nan"],
)
def test_push_that_makes_no_sense_is_refused(graph, body, frame, force):
    start(graph, paused=True)
    state_after(graph, states_of(graph), 0)
    answer = push(graph, body=body, frame=frame, force=force)
    assert not answer.success
    assert answer.message
    assert "busy" not in answer.message


def test_joint_command_is_followed_and_unknown_joint_warned_of_once(graph):
    process = start(graph, ARM_ROBOT, fixed_base=True)
    states = graph.listen(JointState, "joint_states")
    graph.receive(states)
    command = graph.commander(JointState, "joint_commands")
    for _ in range(3):
        command(name=["arm_joint", "tail"], position=[0.7, 0.1])
    graph.spin_until(lambda: states and abs(states[-1].position[0] - 0.7) < 1e-3, "arm at 0.7 rad")
    graph.spin_until(lambda: "'tail'" in graph.log_of(process), "warning")
    assert graph.log_of(process).count("'tail'") == 1


def test_velocity_command_turns_the_joint(graph):
    start(graph, ARM_ROBOT, fixed_base=True, joint_damping=1e4)
    states = graph.listen(JointState, "joint_states")
    graph.receive(states)
    graph.commander(JointState, "joint_commands")(name=["arm_joint"], velocity=[0.05])
    graph.spin_until(lambda: states and states[-1].velocity[0] == pytest.approx(0.05, rel=0.05), "0.05 rad/s")


def test_equal_seeds_give_bit_equal_runs(graph):
    """Two simulators in one go: same noise, same states, to the last bit."""
    runs = []
    for own in (True, False):  # so that hashes differ
        process = start(graph, ARM_ROBOT, own, start_noise=0.1, seed=7, paused=True, publish_rate=240.0)
        received = states_of(graph)
        state_after(graph, received, 0)
        for _ in range(10):
            trigger(graph, "step")
        runs.append(state_after(graph, received, 10))
        assert graph.stop(process) == 0
    assert runs[0] == runs[1]


def test_same_commands_at_the_same_steps_give_bit_equal_states(graph):
    """Positions over the topic and pushes over the service, between steps: all body states of both runs are equal."""
    runs = []
    for own in (True, False):  # so that hashes differ
        process = start(graph, ARM_ROBOT, own, paused=True, publish_rate=240.0)
        received, joints, states = states_of(graph), graph.listen(JointState, "joint_states"), []
        state_after(graph, received, 0)
        command = graph.commander(JointState, "joint_commands")
        for number in range(1, 6):
            before = graph.receive(joints).effort[0]
            command(name=["arm_joint"], position=[0.1 * number * (-1) ** number])  # to the other side, even saturated
            graph.spin_until(
                lambda joints=joints, before=before: joints and joints[-1].effort[0] != before, "the command"
            )
            assert push(graph, body="arm", force=(0.3 * number, 0.0, 0.1)).success
            for _ in range(4):
                trigger(graph, "step")
            states.append(state_after(graph, received, 4 * number))
        runs.append(states)
        assert graph.stop(process) == 0
    assert [state.step for state in runs[0]] == [4, 8, 12, 16, 20]
    assert runs[0] == runs[1]
    assert runs[0][0].bodies != runs[0][-1].bodies


# What goes wrong


def test_broken_description_changes_nothing(graph):
    process = graph.start("simulator", {"real_time_factor": 0.0})
    publish = graph.latched_publisher("robot_description")
    publish(BOX_ROBOT)
    states = states_of(graph)
    state_after(graph, states, 10)
    publish("<robot")
    graph.spin_until(lambda: "cannot use the robot description" in graph.log_of(process), "log line")
    publish(urdf(link("box", mass(-6) + tensor(0.04, 0.04, 0.04), SHAPE)))
    graph.spin_until(lambda: "cannot simulate the robot description" in graph.log_of(process), "log line")
    last = states[-1].step
    assert state_after(graph, states, last + 10).bodies[0].name == "box"


def test_command_without_a_robot_says_so(graph):
    process = graph.start("simulator", {"paused": True})
    answer = graph.call(Trigger, "simulator/step")
    assert not answer.success
    assert "no robot description" in answer.message
    assert f"waiting for a robot description on {graph.namespace}/robot_description" in graph.log_of(process)


def test_real_time_factor_is_kept_and_reported(graph):
    graph.start("simulator", {"robot_description": BOX_ROBOT, "real_time_factor": 0.5})
    name = f"{graph.namespace}/simulator".lstrip("/")
    factors = []

    def take(message):
        for status in message.status:
            if status.name == name:
                factors.extend(float(pair.value) for pair in status.values if pair.key == "real time factor")

    graph.node.create_subscription(DiagnosticArray, "/diagnostics", take, 10)
    graph.spin_until(lambda: any(abs(factor - 0.5) < 0.05 for factor in factors), "a factor of 0.5")


def test_parameters_are_described_and_judged(graph):
    from inertia_tools.ros.simulation_parameters import SPECS

    start(graph, paused=True)
    names = [spec.name for spec in SPECS]
    answer = graph.call(DescribeParameters, "simulator/describe_parameters", names=names)
    assert all(descriptor.description for descriptor in answer.descriptors)
    wrong = [Parameter("real_time_factor", value=-1.0), Parameter("dt", value=0.01), Parameter("paused", value=3)]
    for parameter in wrong:
        request = [parameter.to_parameter_msg()]
        result = graph.call(SetParameters, "simulator/set_parameters", parameters=request).results[0]
        assert not result.successful
        assert result.reason


def test_interrupt_ends_the_node_cleanly_in_mid_run(graph):
    process = start(graph, own_interpreter=True)
    state_after(graph, states_of(graph), 10)
    assert graph.stop(process) == 0
    assert "Traceback" not in graph.log_of(process)


@pytest.mark.sweep
@pytest.mark.parametrize("delay", [0.0, 0.02, 0.1])
@pytest.mark.parametrize("module", ["simulator", "inertia_server"])
def test_doubled_interrupt_ends_a_node_cleanly(graph, module, delay):
    """A terminal and `ros2 launch` each send one."""
    process = graph.start(module, {"robot_description": BOX_ROBOT}, own_interpreter=True)
    graph.call(DescribeParameters, f"{module}/describe_parameters", names=[])
    process.send_signal(signal.SIGINT)
    time.sleep(delay)
    assert graph.stop(process) == 0
    assert "Traceback" not in graph.log_of(process)


def test_two_simulators_side_by_side_share_one_clock(graph):
    """The second, under a name of its own, leaves /clock to the first, and is heard apart from it."""
    boxes = {name: urdf(link(name, CUBE, SHAPE)) for name in ("first", "second")}
    graph.start("simulator", {"robot_description": boxes["first"], "real_time_factor": 0.0})
    options = {"robot_description": boxes["second"], "publish_clock": False, "real_time_factor": 0.0}
    graph.start("simulator", options, ("__node:=second", "joint_states:=second/joint_states"))
    heard = {name: graph.listen(msg.BodyStates, f"{name}/body_states") for name in ("simulator", "second")}
    names = {name: graph.receive(states).bodies[0].name for name, states in heard.items()}
    assert names == {"simulator": "first", "second": "second"}

    def clocks():
        told = graph.node.get_publishers_info_by_topic("/clock")
        return [one.node_name for one in told if one.node_namespace == graph.namespace]

    graph.spin_until(clocks, "the publisher of /clock to be known")
    assert clocks() == ["simulator"]


def test_a_device_that_there_is_not_is_refused_before_there_is_a_robot(graph):
    process = graph.start("simulator", {"device": "cuda:99"})
    assert process.wait(timeout=240) == 1
    assert "cannot start: there is no device 'cuda:99'; this machine has cpu" in graph.log_of(process)


def test_two_clocks_in_one_graph_are_noticed(graph):
    other = graph.node.create_publisher(Clock, "/clock", 1)
    silent = graph.start("simulator", {"publish_clock": False})
    process = graph.start("simulator", {}, remaps=("__node:=other",))
    graph.spin_until(lambda: "/clock has 2 publishers" in graph.log_of(process), "a log line")
    assert "/clock has" not in graph.log_of(silent)
    graph.node.destroy_publisher(other)
