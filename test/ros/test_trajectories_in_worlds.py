# SPDX-FileCopyrightText: The inertia_tools authors
# SPDX-License-Identifier: Apache-2.0
"""Trajectories in a world: each moves its own joints only, without jumps, and leaves them at rest."""

from __future__ import annotations

from types import SimpleNamespace

import numpy as np
import pytest

pytest.importorskip("rclpy", reason="rclpy is not installed")
pytest.importorskip("inertia_tools.msg", reason="the messages are not built")
pytest.importorskip("warp", reason="warp-lang is not installed")

from robots import joint, link, mass, tensor, urdf

import inertia_tools as it
from inertia_tools.errors import SimulationError, UnknownJointError
from inertia_tools.ros.joint_commands import JointCommand
from inertia_tools.ros.joint_control import JointControl, JointTargets
from inertia_tools.ros.simulation_world import World
from inertia_tools.ros.trajectories import Trajectory
from inertia_tools.ros.trajectory_action import Outcome, WatchedGuide, end_if_lost
from inertia_tools.ros.trajectory_commands import FollowTrajectory
from inertia_tools.sim.simulation import Entity

ARM = it.load_text(urdf(link("base"), link("arm", mass(1) + tensor(0.01, 0.01, 0.01)), joint("arm")))
LEFT, RIGHT = "left/one::arm_joint", "right/one::arm_joint"
SECOND = 240
"""Steps."""


@pytest.fixture
def world():
    world = World()
    arms = [Entity(name, ARM, fixed_base=True) for name in ("left/one", "right/one")]
    world.begin(it.Simulation(arms, ground=False, gravity=(0.0, 0.0, 0.0)))
    JointControl().hold(world.sound)
    return world


def lead(world, goal, *joints, seconds=1.0, begins=-1.0):
    goals = np.full((1, len(joints)), goal)
    FollowTrajectory(Trajectory(joints, np.array([seconds]), goals, begins=begins), JointControl()).apply(world)


def positions(world, steps=0):
    world.advance(steps)
    joints = world.sound.snapshot().joint_positions
    return joints[LEFT], joints[RIGHT]


def test_trajectories_of_different_joints_run_side_by_side(world):
    lead(world, 0.5, LEFT)
    world.advance(SECOND // 4)
    lead(world, -0.5, RIGHT)
    assert positions(world, 2 * SECOND) == pytest.approx((0.5, -0.5), abs=1e-3)
    assert not world.guides


@pytest.mark.parametrize("joints", [(LEFT,), (LEFT, RIGHT)])
def test_a_trajectory_replaces_all_others_of_its_joints(world, joints):
    lead(world, 0.5, LEFT)
    lead(world, -0.5, RIGHT)
    lead(world, 0.2, *joints)
    assert len(world.guides) == 3 - len(joints)
    assert positions(world, 2 * SECOND) == pytest.approx((0.2, 0.2 if RIGHT in joints else -0.5), abs=1e-3)


def test_a_command_ends_only_the_trajectory_of_its_joint(world):
    lead(world, 0.5, LEFT)
    lead(world, -0.5, RIGHT)
    JointCommand(JointTargets({LEFT: 0.1}), JointControl()).apply(world)
    assert positions(world, 2 * SECOND) == pytest.approx((0.1, -0.5), abs=1e-3)


def test_a_stop_of_one_robot_leaves_the_others_as_they_are(world):
    lead(world, 0.5, LEFT)
    JointCommand(JointTargets(velocities={RIGHT: 0.3}), JointControl()).apply(world)
    before = positions(world, SECOND // 2)
    FollowTrajectory(None, JointControl(), ("left/one::",)).apply(world)
    after = positions(world, SECOND)
    assert after[0] == pytest.approx(before[0], abs=1e-2)
    assert after[1] - before[1] == pytest.approx(0.3, rel=1e-2)
    FollowTrajectory(None, JointControl()).apply(world)
    assert positions(world, SECOND) == pytest.approx(after, abs=1e-2)


def test_names_on_the_topics_of_a_namespace_are_those_of_all_its_entities(world):
    scopes = ("left/one::", "right/one::")
    path = Trajectory(("arm_joint",), np.array([1.0]), np.array([[0.5]]))
    FollowTrajectory(path, JointControl(), scopes).apply(world)
    assert positions(world, 2 * SECOND) == pytest.approx((0.5, 0.5), abs=1e-3)
    command = JointTargets({"arm_joint": 0.1, "elbow": 0.2})
    assert JointCommand(command, JointControl(), ("left/box::", "right/one::")).apply(world) == ["elbow"]
    assert positions(world, SECOND) == pytest.approx((0.5, 0.1), abs=1e-3)
    with pytest.raises(UnknownJointError, match="left/box::arm_joint"):
        FollowTrajectory(path, JointControl(), ("left/box::",)).apply(world)


@pytest.mark.parametrize("ends", ["a reset of time", "its own end"])
def test_joints_rest_at_once_where_a_trajectory_is_cut_short(world, ends):
    lead(world, 1.0, LEFT)
    before = positions(world, SECOND // 2)
    if ends == "a reset of time":
        world.reset(time=True, state=False)
    else:
        world.drop_guides([LEFT])
    assert positions(world, SECOND) == pytest.approx(before, abs=1e-2)


@pytest.mark.parametrize("late", [0.1, 0.5])
def test_a_late_trajectory_begins_at_the_joints_and_ends_in_time(world, late):
    world.advance(SECOND)
    lead(world, 0.1, LEFT, begins=1.0 - late)
    left = round((1.0 - late) * SECOND)
    assert positions(world, left // 2)[0] == pytest.approx(0.05, abs=5e-3)
    assert positions(world, SECOND)[0] == pytest.approx(0.1, abs=1e-3)


def test_a_trajectory_that_is_over_is_refused(world):
    world.advance(SECOND)
    with pytest.raises(SimulationError, match="ends before the current time, 1 s"):
        lead(world, 0.5, LEFT, seconds=0.1, begins=0.5)
    assert positions(world, SECOND) == pytest.approx((0.0, 0.0), abs=1e-4)


CODES = SimpleNamespace(SUCCESSFUL=0, INVALID_GOAL=-1, PATH_TOLERANCE_VIOLATED=-4)


def goal(world, **tolerances):
    path = Trajectory((LEFT,), np.array([0.0, 1.0]), np.array([[0.0], [1.0]]))
    guide = WatchedGuide(path, JointControl(), 0.0, codes=CODES, **tolerances)
    world.follow(guide)
    return guide


def test_joints_rest_where_a_goal_leaves_its_tolerance(world):
    JointControl(stiffness=1.0, damping=0.0).hold(world.sound)
    guide = goal(world, on_path={LEFT: 1e-6})
    before = positions(world, SECOND // 2)
    assert guide.outcome.result(0).code == CODES.PATH_TOLERANCE_VIOLATED
    assert positions(world, SECOND) == pytest.approx(before, abs=1e-3)


@pytest.mark.parametrize("failure", ["", "body 'arm' is not finite"])
def test_a_goal_ends_when_the_simulation_fails_or_is_reset(world, failure):
    guide = goal(world)
    world.advance(1)
    end_if_lost(world, guide)
    assert not guide.outcome.done()
    if failure:
        world.failure = failure
    else:
        world.reset()
    end_if_lost(world, guide)
    said = failure or "another command or a reset replaced it"
    assert guide.outcome.result(0) == Outcome(CODES.INVALID_GOAL, said)
