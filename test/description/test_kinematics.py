# SPDX-FileCopyrightText: The inertia_tools authors
# SPDX-License-Identifier: Apache-2.0
"""Where links are for positions of the joints: laws, and what the simulator says."""

import cProfile
import pstats

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from robots import GOOD, example_robots, joint, link, urdf

import inertia_tools as it
from inertia_tools.description.joint import JointMimic
from inertia_tools.description.kinematics import coordinate_joints, led_by_first, poses_at
from inertia_tools.spatial import rotation_about

ANGLES = st.floats(-3.0, 3.0)
CHAIN = it.load_text(
    urdf(
        link("base", GOOD),
        link("a", GOOD),
        link("b", GOOD),
        link("c", GOOD),
        joint("a", origin="0 0 1"),
        joint("b", parent="a", origin="1 0 0"),
        joint("c", parent="b", type_="prismatic", origin="0.5 0 0"),
    )
)


@given(ANGLES, ANGLES, ANGLES)
def test_turns_about_one_axis_add_up(first, second, slide):
    poses = poses_at(CHAIN, {"a_joint": first, "b_joint": second, "c_joint": slide})
    turn = rotation_about([0, 0, 2], first + second)
    assert poses["c"].rotation == pytest.approx(turn, abs=1e-12)
    elbow = rotation_about([0, 0, 1], first) @ [1, 0, 0]
    assert poses["c"].position == pytest.approx(elbow + turn @ [0.5, 0, 0] + [0, 0, 1 + slide], abs=1e-12)


def test_nothing_moves_at_zero():
    poses = poses_at(CHAIN, {})
    assert all(poses[name].isclose(pose) for name, pose in CHAIN.link_poses.items())


def test_followers_follow_followers():
    text = urdf(
        *(link(name, GOOD) for name in ("base", "a", "b", "c")),
        joint("a"),
        joint("b").replace("</joint>", '<mimic joint="a_joint" multiplier="-2" offset="0.5"/></joint>'),
        joint("c").replace("</joint>", '<mimic joint="b_joint" multiplier="3" offset="-1"/></joint>'),
    )
    robot = it.load_text(text)
    assert list(coordinate_joints(robot)) == ["a_joint"]
    poses = poses_at(robot, {"a_joint": 0.3})
    assert poses["c"].rotation == pytest.approx(rotation_about([0, 0, 1], 3 * (-2 * 0.3 + 0.5) - 1), abs=1e-12)


@pytest.mark.skipif(example_robots() is None, reason="example-robot-data is not installed")
@pytest.mark.parametrize("name", ["panda_description/urdf/panda.urdf", "hyq_description/robots/hyq_no_sensors.urdf"])
def test_real_robots_stand_as_the_simulator_has_them(name):
    pytest.importorskip("warp", reason="warp-lang is not installed")
    robot = it.load(example_robots() / name)
    _assert_as_simulated(robot, fixed_base=True)


def test_joints_that_share_a_link_move_it_in_their_order():
    pytest.importorskip("warp", reason="warp-lang is not installed")
    joints = ('<joint name="h1" axis="0 0 1" pos="0.1 0 0"/>', '<joint name="h2" axis="1 0 0" pos="0 0.2 0"/>')
    robot = it.load_text(
        '<mujoco><worldbody><body name="base"><geom size="0.1"/><body name="arm" pos="0 0.3 1">'
        + "".join(joints)
        + '<geom size="0.1"/></body></body></worldbody></mujoco>'
    )
    assert list(coordinate_joints(robot)) == ["h1", "h2"]
    _assert_as_simulated(robot)


def _assert_as_simulated(robot, **options):
    simulation = it.Simulation(robot, dtype="float64", **options)
    rng = np.random.default_rng(3)
    names = [name for name in coordinate_joints(robot) if name in simulation.joint_names]
    assert names
    positions = {name: float(rng.uniform(-0.6, 0.6)) for name in names}
    started = simulation.snapshot().joint_positions
    ours = poses_at(robot, {**started, **positions})
    followers = {one.name: one.mimic for one in robot.joints.values() if one.mimic is not None}
    led = {name: one.multiplier * positions[one.joint] + one.offset for name, one in followers.items()}
    theirs = simulation.forward_kinematics({**positions, **led})
    root = theirs[robot.root] @ ours[robot.root].inverse()
    for link_name, pose in theirs.items():
        assert (root @ ours[link_name]).isclose(pose, 1e-9), link_name


@given(st.dictionaries(st.integers(0, 8), st.integers(0, 10)))
def test_a_follower_of_a_follower_follows_the_first(leaders):
    mimics = {str(name): JointMimic(str(leader), 2.0, 1.0) for name, leader in leaders.items()}
    led = led_by_first(mimics)
    for name in mimics:
        row = [name]
        while row[-1] in mimics and len(row) <= len(mimics) + 1:
            row.append(mimics[row[-1]].joint)
        position = 0.5
        for _ in row[1:]:
            position = 2.0 * position + 1.0
        assert (name in led) == (row[-1] not in mimics), "members of a circle, and what follows them, have no leader"
        if name in led:
            assert (led[name].joint, led[name].position(0.5)) == (row[-1], position)


@pytest.mark.parametrize("step", [1, -1])
def test_twice_the_followers_take_twice_the_calls(step):
    def calls(count):
        mimics = {str(i): JointMimic(str(i + step)) for i in range(count)}
        profile = cProfile.Profile()
        profile.runcall(led_by_first, mimics)
        return pstats.Stats(profile).total_calls

    assert calls(400) < 2.2 * calls(200)
