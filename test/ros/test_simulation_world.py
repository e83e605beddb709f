# SPDX-FileCopyrightText: The inertia_tools authors
# SPDX-License-Identifier: Apache-2.0
"""What commands of the graph do to a world."""

from __future__ import annotations

import pytest

pytest.importorskip("warp", reason="warp-lang is not installed")

import numpy as np
from robots import GOOD, joint, link, urdf

import inertia_tools as it
from inertia_tools.errors import SimulationError
from inertia_tools.ros.joint_control import JointControl
from inertia_tools.ros.simulation_world import NoWorldError, World, WrongPhaseError
from inertia_tools.ros.trajectories import Trajectory
from inertia_tools.ros.trajectory_commands import FollowTrajectory
from inertia_tools.sim.simulation import Entity

CUBE = it.load_text(urdf(link("cube", GOOD, '<box size="0.2 0.2 0.2"/>')))
ARM = it.load_text(urdf(link("base", GOOD), link("arm", GOOD), joint("arm")))


def hold_none(simulation, joints):
    """Leave the joints of a spawned entity free."""


def turning(*scopes):
    """A trajectory of the joints of these entities, to 0.6 rad in a second."""
    points = {"times": np.array([0.0, 1.0]), "positions": np.array([[0.0], [0.6]])}
    return FollowTrajectory(Trajectory(names=("arm_joint",), **points), JointControl(), scopes)


def test_the_refused_deletion_of_the_last_entity_ends_no_trajectory():
    world = World()
    world.begin(it.Simulation([Entity("left/arm", ARM, fixed_base=True)], ground=False))
    turning("left/arm::").apply(world)
    with pytest.raises(SimulationError, match="only entity"):
        world.delete("left/arm")
    assert len(world.guides) == 1
    world.advance(240)
    assert world.sound.snapshot().joint_positions["left/arm::arm_joint"] == pytest.approx(0.6, abs=0.02)


def test_a_trajectory_of_two_robots_goes_on_with_the_one_that_remains():
    pair, alone = World(), World()
    names = [f"team/{k}" for k in "ab"]
    robots = [Entity(name, ARM, it.Pose((k, 0.0, 0.0)), True) for k, name in enumerate(names)]
    pair.begin(it.Simulation(robots, ground=False, dtype="float64"))
    alone.begin(it.Simulation(robots[1:], ground=False, dtype="float64"))
    for world, scopes in ((pair, names), (alone, names[1:])):
        turning(*(f"{name}::" for name in scopes)).apply(world)
        world.advance(60)
    pair.delete("team/a")
    for world in (pair, alone):
        world.advance(180)
    angles = [world.sound.snapshot().joint_positions for world in (pair, alone)]
    assert angles[0] == angles[1]
    assert angles[0]["team/b::arm_joint"] == pytest.approx(0.6, abs=0.02)


def test_the_base_of_odometry_stays_when_others_are_spawned():
    world = World()
    world.begin(it.Simulation(CUBE))
    world.spawn(Entity("obstacle", CUBE, it.Pose((2.0, 0.0, 0.1))), hold_none)
    assert world.bases == ("cube",)
    world.delete("")
    assert world.bases == (), "what was spawned has no odometry"


def test_without_a_simulation_there_is_nothing_to_reset():
    with pytest.raises(NoWorldError):
        World().reset()


def test_a_reset_that_would_leave_nothing_changes_nothing():
    world = World()
    world.begin(it.Simulation([Entity("first", CUBE)], ground=False))
    for number in (1.0, 2.0):
        world.spawn(Entity(f"spawned_{number:g}", CUBE, it.Pose((number, 0.0, 0.0))), hold_none)
    world.delete("first")
    world.advance(3)
    before = world.sound.snapshot()
    with pytest.raises(WrongPhaseError, match="reset only time and state"):
        world.reset(spawned=True)
    assert (world.step, len(world.sound.entities)) == (3, 2)
    assert (world.sound.snapshot().states == before.states).all()
    world.reset()
    assert world.step == 0
