# SPDX-FileCopyrightText: The inertia_tools authors
# SPDX-License-Identifier: Apache-2.0
"""Topics of sensors, and the frame of a free robot."""

from __future__ import annotations

import itertools
import math

import pytest

msg = pytest.importorskip("inertia_tools.msg", reason="the messages are not built")
pytest.importorskip("rclpy", reason="rclpy is not installed")
pytest.importorskip("warp", reason="warp-lang is not installed")

from geometry_msgs.msg import WrenchStamped  # noqa: E402
from robots import joint, link, mass, tensor, urdf  # noqa: E402
from sensor_msgs.msg import Imu, LaserScan  # noqa: E402
from std_srvs.srv import Trigger  # noqa: E402

BOX = '<box size="0.2 0.2 0.2"/>'
SCAN = "<ray><scan><horizontal><samples>4</samples><min_angle>0</min_angle><max_angle>3</max_angle></horizontal></scan>"
ROBOT = urdf(
    link("base", mass(6) + tensor(0.04, 0.04, 0.04), BOX),
    link("tool", mass(1) + tensor(0.01, 0.01, 0.01)),
    joint("tool", type_="fixed"),
    '<gazebo reference="base"><sensor name="imu" type="imu"><update_rate>100</update_rate></sensor>'
    '<sensor name="bumper" type="contact"><topic>touch</topic></sensor>'
    f'<sensor name="eye" type="ray"><topic>scan</topic><update_rate>1000</update_rate>{SCAN}<range><min>0.1</min><max>2</max></range></ray></sensor>'
    '<sensor name="no topic" type="imu"><topic>a b</topic></sensor>'
    '<sensor name="picture" type="camera"/></gazebo>'
    '<gazebo reference="tool_joint"><sensor name="wrist" type="force_torque"/></gazebo>',
)


def test_sensors_are_published_at_their_rates(graph):
    process = graph.start("simulator", {"robot_description": ROBOT, "real_time_factor": 0.0, "publish_tf": False})
    heard = {
        "imu": graph.listen(Imu, "imu"),
        "touch": graph.listen(msg.ContactForces, "touch"),
        "scan": graph.listen(LaserScan, "scan"),
        "wrist": graph.listen(WrenchStamped, "wrist"),
    }
    graph.spin_until(lambda: all(len(received) > 20 for received in heard.values()), "sensors")
    imu, touch, scan, wrist = (received[-1] for received in heard.values())
    assert imu.header.frame_id == wrist.header.frame_id.replace("tool", "base") == scan.header.frame_id == "base"
    assert imu.linear_acceleration.z == pytest.approx(9.81, abs=1e-3)
    assert imu.orientation.w == pytest.approx(1.0)
    stamps = [one.header.stamp.sec + 1e-9 * one.header.stamp.nanosec for one in heard["imu"]]
    steps = [round((later - earlier) * 240) for earlier, later in itertools.pairwise(stamps)]
    assert min(steps) == 2 and 3 in steps, "100 Hz of 240 steps a second"
    (contact,) = touch.contacts
    assert (contact.body_a, contact.body_b) == ("base", "world")
    assert contact.total.force.z == pytest.approx(7 * 9.81, rel=1e-3)
    assert list(scan.ranges) == [math.inf] * 4
    assert scan.angle_increment == pytest.approx(1.0)
    assert scan.scan_time == pytest.approx(1 / 240), "no rate exceeds one message a step"
    assert wrist.wrench.force.z == pytest.approx(-9.81, abs=1e-3)
    log = graph.log_of(process)
    assert "'no topic' has no topic" in log
    (line,) = (line for line in log.splitlines() if "'camera' is not simulated" in line)
    assert "[WARN]" in line
    assert f"[{graph.namespace[1:]}.simulator]" in line


def test_a_frame_says_what_readings_are_in(graph):
    """That of the link where the sensor is its frame, else one of its own, or the one that the file names."""
    tf = pytest.importorskip("tf2_msgs.msg", reason="tf2_msgs is not installed; apt has it")
    turned = "<pose>0 0 0.3 0 0 1.5707963267948966</pose>"
    robot = urdf(
        link("base", mass(6) + tensor(0.04, 0.04, 0.04), BOX),
        link("tool", mass(1) + tensor(0.01, 0.01, 0.01)),
        joint("tool", type_="fixed"),
        f'<gazebo reference="base"><sensor name="plain" type="imu"/><sensor name="imu" type="imu">{turned}</sensor>'
        f'<sensor name="named" type="imu">{turned}<gz_frame_id>eye</gz_frame_id></sensor></gazebo>'
        '<gazebo reference="tool_joint"><sensor name="wrist" type="force_torque"><force_torque><frame>parent</frame>'
        "</force_torque></sensor></gazebo>",
    )
    options = {"robot_description": robot, "real_time_factor": 0.0, "frame_prefix": "r/"}
    graph.start("simulator", options, ("/tf_static:=tf_static_of_test",))
    heard = {name: graph.listen(Imu, name) for name in ("plain", "imu", "named")}
    heard["wrist"] = graph.listen(WrenchStamped, "wrist")
    frames = {name: graph.receive(received).header.frame_id for name, received in heard.items()}
    assert frames == {"plain": "r/base", "imu": "r/base/imu", "named": "eye", "wrist": "r/base/wrist"}
    sent = graph.receive(graph.listen(tf.TFMessage, "tf_static_of_test", True)).transforms
    assert [(one.header.frame_id, one.child_frame_id) for one in sent] == [
        ("r/base", frames[n]) for n in ("imu", "wrist")
    ]
    own, at_joint = (one.transform for one in sent)
    assert (own.translation.z, own.rotation.z) == pytest.approx((0.3, math.sqrt(0.5)))
    assert (at_joint.translation.z, at_joint.rotation.w) == pytest.approx((1.0, 1.0))


def test_sensors_that_share_a_topic_are_named(graph):
    """Their readings came mixed, without a word; and one on a topic of another type failed the simulation for good."""
    imu = '<sensor name="{name}" type="imu"/>'
    robot = urdf(
        link("base", mass(6) + tensor(0.04, 0.04, 0.04), BOX),
        link("tool", mass(1) + tensor(0.01, 0.01, 0.01)),
        joint("tool", type_="fixed"),
        f'<gazebo reference="base">{imu.format(name="imu")}{imu.format(name="own")}{imu.format(name="odom")}</gazebo>',
        f'<gazebo reference="tool">{imu.format(name="imu")}</gazebo>',
    )
    process = graph.start("simulator", {"robot_description": robot})
    readings = graph.listen(Imu, "own")
    graph.receive(readings)
    log, space = graph.log_of(process), graph.namespace
    assert "sensor 'odom' has no topic" in log
    assert f"{space}/imu is the topic of 'imu' of 'base' and 'imu' of 'tool'" in log
    assert f"{space}/own" not in log


def test_no_reading_is_taken_across_a_jump(graph):
    """What falls freely feels nothing: in its first step, and in the one after a reset, which takes its speed away."""
    options = {"robot_description": ROBOT, "ground": False, "paused": True, "publish_tf": False}
    graph.start("simulator", options)
    imu, wrist = graph.listen(Imu, "imu"), graph.listen(WrenchStamped, "wrist")
    graph.spin_until(lambda: all(map(graph.node.count_publishers, ("imu", "wrist"))), "topics before any step")
    graph.be_seen_by("simulator")
    for _ in range(2):
        for _ in range(8):
            assert graph.call(Trigger, "simulator/step").success
        assert graph.call(Trigger, "simulator/reset").success
    graph.spin_until(lambda: len(imu) == 6 and len(wrist) == 16, "readings")
    assert [one.linear_acceleration.z for one in imu] == pytest.approx([0.0] * 6, abs=1e-3)
    assert [one.wrench.force.z for one in wrist] == pytest.approx([0.0] * 16, abs=1e-3)


def test_a_wrench_by_topic_acts_while_it_is_renewed(graph):
    cube = urdf(link("cube", mass(2) + tensor(0.0133, 0.0133, 0.0133)))
    options = {
        "robot_description": cube,
        "gravity": 0.0,
        "ground": False,
        "real_time_factor": 1.0,
        "frame_prefix": "r/",
    }
    process = graph.start("simulator", options)
    states = graph.listen(msg.BodyStates, "simulator/body_states")
    graph.receive(states)
    push = graph.commander(WrenchStamped, "wrench_commands")
    message = WrenchStamped()
    message.header.frame_id, message.wrench.force.x = "r/cube", 4.0
    push(header=message.header, wrench=message.wrench)
    # 4 N for 0.1 s on 2 kg, and no more than that.
    graph.spin_until(lambda: states and states[-1].bodies[0].twist.linear.x > 0.199, "the push")
    states.clear()
    graph.spin_until(lambda: len(states) > 20, "states")
    assert states[-1].bodies[0].twist.linear.x == pytest.approx(0.2, abs=5e-3)
    message.header.frame_id = "r/cub"
    push(header=message.header, wrench=message.wrench)
    graph.spin_until(lambda: "no link named 'cub'" in graph.log_of(process), "the refusal")


def test_the_frame_of_a_free_robot_leaves_its_tree_to_others(graph):
    tf = pytest.importorskip("tf2_msgs.msg", reason="tf2_msgs is not installed; apt has it")
    options = {"robot_description": ROBOT, "real_time_factor": 0.0, "publish_odom_tf": True, "frame_prefix": "r/"}
    graph.start("simulator", options, ("/tf:=tf_of_test",))
    received = graph.listen(tf.TFMessage, "tf_of_test")
    (transform,) = graph.receive(received).transforms
    assert (transform.header.frame_id, transform.child_frame_id) == ("odom", "r/base")
    assert transform.transform.translation.z == pytest.approx(0.1, abs=1e-3)
