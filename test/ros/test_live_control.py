# SPDX-FileCopyrightText: The inertia_tools authors
# SPDX-License-Identifier: Apache-2.0
"""Gains and limits that change while joints are held: at once, for each kind of target, and after a reset."""

from __future__ import annotations

import numpy as np
import pytest

pytest.importorskip("warp", reason="warp-lang is not installed")
pytest.importorskip("rclpy", reason="rclpy is not installed")
pytest.importorskip("inertia_tools.msg", reason="the messages are not built")

from robots import joint, link, mass, tensor, urdf
from sensor_msgs.msg import JointState

import inertia_tools as it
from inertia_tools.ros.joint_commands import JointCommand
from inertia_tools.ros.joint_control import JointControl, JointTargets
from inertia_tools.ros.live_control import ChangeControl
from inertia_tools.ros.simulation_world import World
from inertia_tools.ros.trajectories import Guide, Trajectory

WEIGHT = 0.5
"""Of what hangs on a vertical slider, which can give 1 N [N]."""
SLIDER = urdf(
    link("base"),
    link("slide", mass(WEIGHT / 9.81) + tensor(1e-4, 1e-4, 1e-4)),
    joint("slide", type_="prismatic"),
)
NAME = "slide_joint"
SOFT = JointControl(stiffness=5.0, damping=2.0)
SAG = -WEIGHT / SOFT.stiffness


@pytest.fixture
def world():
    """A slider that is held by the gains that are derived from it, and has settled."""
    world = World()
    simulation = it.Simulation(it.load_text(SLIDER), fixed_base=True, ground=False, reactions=True)
    JointControl().hold(simulation)
    world.begin(simulation)
    return world


def position_after(world, steps):
    world.advance(steps)
    return world.sound.snapshot().joint_positions[NAME]


def test_a_held_joint_sags_as_its_new_stiffness_says_also_after_a_reset(world):
    assert position_after(world, 200) == pytest.approx(-0.0025, abs=5e-4)
    ChangeControl(SOFT).apply(world)
    assert position_after(world, 600) == pytest.approx(SAG, rel=5e-3)
    world.reset()
    assert world.sound.snapshot().joint_positions[NAME] == 0.0
    assert position_after(world, 600) == pytest.approx(SAG, rel=5e-3)


def test_no_motion_is_lost_by_a_change(world):
    before = position_after(world, 3)
    ChangeControl(SOFT).apply(world)
    assert (world.sound.snapshot().joint_positions[NAME], world.step) == (before, 3)


def test_a_joint_that_follows_a_velocity_does_so_still(world):
    JointCommand(JointTargets(velocities={NAME: 0.0}), JointControl()).apply(world)
    ChangeControl(SOFT).apply(world)
    speed = WEIGHT / SOFT.damping
    assert position_after(world, 240) - position_after(world, 240) == pytest.approx(speed, rel=1e-2)


def test_a_joint_that_only_an_effort_moves_stays_free(world):
    JointCommand(JointTargets(efforts={NAME: WEIGHT}), JointControl()).apply(world)
    start = position_after(world, 0)
    ChangeControl(SOFT).apply(world)
    assert position_after(world, 240) == pytest.approx(start, abs=1e-5)


def test_a_trajectory_goes_on_with_new_gains(world):
    world.follow(Guide(Trajectory((NAME,), np.array([0.0, 10.0]), np.zeros((2, 1))), JointControl(), 0.0))
    ChangeControl(SOFT).apply(world)
    assert position_after(world, 600) == pytest.approx(SAG, rel=5e-3)


def test_limits_of_effort_come_and_go(world):
    heavy = World()
    text = SLIDER.replace(mass(WEIGHT / 9.81), mass(2.0 / 9.81))
    simulation = it.Simulation(it.load_text(text), fixed_base=True, ground=False, reactions=True)
    JointControl(is_limited=False).hold(simulation)
    heavy.begin(simulation)
    assert position_after(heavy, 240) > -0.01, "2 N are held"
    ChangeControl(JointControl()).apply(heavy)
    assert position_after(heavy, 480) == pytest.approx(-1.0, abs=1e-2), "1 N holds them no longer"


def test_a_parameter_that_is_set_is_felt_at_once(graph):
    graph.start("simulator", {"robot_description": SLIDER, "fixed_base": True, "real_time_factor": 0.0})
    states = graph.listen(JointState, "joint_states")
    graph.receive(states)
    assert graph.set_parameter("simulator", "joint_damping", SOFT.damping).successful
    assert graph.set_parameter("simulator", "joint_stiffness", SOFT.stiffness).successful
    graph.spin_until(lambda: states and states[-1].position[0] == pytest.approx(SAG, rel=1e-2), "the joint sags")


def test_gains_that_were_zero_can_be_raised_again(world):
    ChangeControl(JointControl(stiffness=0.0, damping=0.0)).apply(world)
    assert position_after(world, 20) < -0.01
    ChangeControl(SOFT).apply(world)
    assert position_after(world, 600) == pytest.approx(SAG, rel=5e-3)
