# SPDX-FileCopyrightText: The inertia_tools authors
# SPDX-License-Identifier: Apache-2.0
"""Joints that follow others are neither held nor driven by themselves; what else they are told to do is refused."""

from __future__ import annotations

import numpy as np
import pytest

pytest.importorskip("rclpy", reason="rclpy is not installed")
pytest.importorskip("inertia_tools.msg", reason="the messages are not built")
pytest.importorskip("warp", reason="warp-lang is not installed")

from robots import GOOD, link, mass, tensor, urdf

import inertia_tools as it
from inertia_tools.errors import MimicJointError
from inertia_tools.ros.joint_commands import JointCommand
from inertia_tools.ros.joint_control import JointControl, JointTargets
from inertia_tools.ros.simulation_world import World
from inertia_tools.ros.trajectories import Trajectory
from inertia_tools.ros.trajectory_commands import FollowTrajectory
from inertia_tools.sim.simulation import Entity

FINGER = mass(0.05) + tensor(1e-5, 1e-5, 1e-5)
SLIDE = (
    '<joint name="{0}" type="prismatic"><parent link="hand"/><child link="{0}_finger"/><axis xyz="0 {1} 0"/>'
    '<limit lower="0" upper="0.04" effort="20" velocity="0.2"/>{2}</joint>'
)
GRIPPER = urdf(
    link("hand", GOOD),
    link("left_finger", FINGER),
    link("right_finger", FINGER),
    SLIDE.format("left", 1, ""),
    SLIDE.format("right", -1, '<mimic joint="left"/>'),
)


@pytest.fixture
def world():
    world = World()
    world.begin(it.Simulation(it.load_text(GRIPPER), fixed_base=True, ground=False))
    JointControl().hold(world.sound)
    return world


def positions_after(world, steps=240):
    for _ in range(steps):
        world.advance()
    return list(world.sound.snapshot().joint_positions.values())


@pytest.mark.parametrize("also", [{}, {"right": 0.03}])
def test_what_follows_goes_where_its_leader_is_sent(world, also):
    JointCommand(JointTargets({"left": 0.03, **also}), JointControl()).apply(world)
    np.testing.assert_allclose(positions_after(world), 0.03, atol=1e-4)


def test_what_is_spawned_follows_too(world):
    world.spawn(Entity("other", it.load_text(GRIPPER), it.Pose((1.0, 0.0, 0.0)), True), JointControl().hold)
    JointCommand(JointTargets({"other::left": 0.03}), JointControl()).apply(world)
    np.testing.assert_allclose(positions_after(world), [0.0, 0.0, 0.03, 0.03], atol=1e-4)


@pytest.mark.parametrize(
    "targets",
    [
        JointTargets({"right": 0.03}),
        JointTargets({"left": 0.03, "right": 0.02}),
        JointTargets({"left": 0.03}, {"right": 0.1}),
        JointTargets({"left": 0.03}, efforts={"right": 5.0}),
    ],
)
def test_another_command_for_it_is_refused_with_its_leader(world, targets):
    with pytest.raises(MimicJointError, match="'right' follows 'left'; command 'left' and leave 'right' out"):
        JointCommand(targets, JointControl()).apply(world)
    np.testing.assert_allclose(positions_after(world, 60), 0.0, atol=1e-4)


def test_a_trajectory_may_name_it_and_moves_its_leader(world):
    rows = np.array([[0.02, 0.02], [0.04, 0.04]])
    FollowTrajectory(Trajectory(("right", "left"), np.array([0.2, 0.5]), rows), JointControl()).apply(world)
    assert [guide.names for guide in world.guides] == [{"left"}]
    np.testing.assert_allclose(positions_after(world), 0.04, atol=1e-4)
    with pytest.raises(MimicJointError):
        FollowTrajectory(Trajectory(("right",), np.array([0.5]), rows[:1, :1]), JointControl()).apply(world)


def test_a_rigid_hold_leaves_it_to_its_leader(world):
    world.sound.hold()
    world.sound.set_joint_targets({"left": 0.01})
    np.testing.assert_allclose(positions_after(world, 60), 0.01, atol=1e-5)
