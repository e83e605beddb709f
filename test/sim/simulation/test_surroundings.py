# SPDX-FileCopyrightText: The inertia_tools authors
# SPDX-License-Identifier: Apache-2.0
"""Gravity, friction, limits and bolted bodies of a simulation, changed while it runs; and writes without effect."""

import warnings

import numpy as np
import pytest
from robots import joint, link, mass, tensor, urdf

import inertia_tools as it
from inertia_tools.errors import OptionError, SimulationError, UnknownJointError, UnknownLinkError
from inertia_tools.sim import SceneWarning

pytest.importorskip("warp", reason="warp-lang is not installed")

BOX = '<box size="0.2 0.2 0.2"/>'
CUBE = it.load_text(urdf(link("cube", mass(2) + tensor(0.0133, 0.0133, 0.0133), BOX)))
PLATE = it.load_text(urdf(link("plate", mass(1) + tensor(0.1, 0.1, 0.1), '<box size="2 2 0.1"/>')))
ARM = it.load_text(
    urdf(
        link("base", mass(6) + tensor(0.04, 0.04, 0.04), BOX),
        link("arm", mass(1) + tensor(0.01, 0.01, 0.001)),
        joint("arm", origin="0 0 0.5"),
    )
)
SWING = it.load_text(
    urdf(
        link("base", mass(6) + tensor(0.04, 0.04, 0.04)),
        link("arm", f'<origin xyz="0.3 0 0"/>{mass(1)}{tensor(0.01, 0.01, 0.01)}'),
        joint("arm", type_="continuous").replace('axis xyz="0 0 1"', 'axis xyz="0 1 0"'),
    )
)


def on(robot=CUBE, **options):
    return it.Simulation(robot, **{"dtype": "float64", **options})


def test_a_body_falls_as_gravity_says_from_the_next_step_on():
    sim = on(ground=False, pose=it.Pose(np.zeros(3)))
    sim.set_gravity((1.0, -2.0, 3.0))
    sim.step(24)
    assert sim.snapshot().positions[0] == pytest.approx(0.5 * np.array([1.0, -2.0, 3.0]) * 0.1**2, rel=1e-9)
    assert sim.weight == pytest.approx(2.0 * 14.0**0.5)


def test_friction_decides_whether_a_slope_holds():
    held = on()
    held.set_gravity((9.81 * 0.3, 0.0, -9.81))
    slides = held.clone()
    held.set_friction(0.4)
    slides.set_friction({"cube": 0.1, "world": 0.1})
    held.step(60)
    slides.step(60)
    assert np.linalg.norm(held.snapshot().linear_velocities[0]) < 1e-6
    assert slides.snapshot().linear_velocities[0, 0] == pytest.approx(9.81 * 0.2 * 0.25, rel=1e-3)


def test_gravity_and_friction_come_back_with_a_saved_state():
    sim = on()
    sim.step(5)
    saved = sim.save()
    sim.set_gravity((0.0, 0.0, 0.0))
    sim.set_friction(0.123)
    sim.restore(saved)
    assert sim.gravity == pytest.approx([0.0, 0.0, -9.81])
    assert sim.friction("cube") != pytest.approx(0.123)


def test_a_joint_keeps_to_limits_that_were_set_later():
    sim = on(ARM, fixed_base=True)
    sim.set_joint_targets(efforts={"arm_joint": 0.5})
    sim.set_position_limits(lower={"arm_joint": -0.1}, upper={"arm_joint": 0.2})
    sim.step(480)
    assert sim.snapshot().joint_positions["arm_joint"] == pytest.approx(0.2, abs=1e-3)
    assert (sim.joint_limits["arm_joint"].lower, sim.joint_limits["arm_joint"].upper) == (-0.1, 0.2)
    with pytest.raises(OptionError, match="lower limit"):
        sim.set_position_limits(lower={"arm_joint": 0.3})
    with pytest.raises(UnknownJointError):
        sim.set_position_limits(lower={"elbow": 0.3})
    assert sim.joint_limits["arm_joint"].lower == -0.1


# Bolted bodies that move


def moving_plate():
    plate = it.Entity("lift", PLATE, it.Pose(np.array([0.0, 0.0, 0.5])), fixed_base=True)
    return on([plate, it.Entity("load", CUBE, it.Pose(np.array([0.0, 0.0, 0.65])))])


def test_a_lift_carries_its_load():
    sim = moving_plate()
    sim.step(24)
    sim.move("lift::plate", linear=(0.0, 0.0, 0.5))
    sim.step(240)
    now = sim.snapshot()
    lift, load = (now.names.index(name) for name in ("lift::plate", "load::cube"))
    assert now.positions[lift] == pytest.approx([0.0, 0.0, 1.0], abs=1e-6)
    assert now.positions[load] == pytest.approx([0.0, 0.0, 1.15], abs=1e-4)
    assert now.linear_velocities[load] == pytest.approx([0.0, 0.0, 0.5], abs=1e-3)
    (contact,) = sim.contacts("load::cube", "lift::plate")
    assert contact.force[2] == pytest.approx(2.0 * 9.81, rel=1e-2)
    sim.move("lift::plate", linear=(0.0, 0.0, 0.0))
    sim.step(120)
    assert sim.snapshot().positions[lift] == pytest.approx([0.0, 0.0, 1.0], abs=1e-6)


def test_a_pose_is_reached_in_the_next_step():
    sim = moving_plate()
    sim.move("lift::plate", position=(0.0, 0.0, 0.501))
    sim.step()
    assert sim.snapshot().positions[0] == pytest.approx([0.0, 0.0, 0.501], abs=1e-9)


@pytest.mark.parametrize("stiffness", [None, 0.0])
@pytest.mark.parametrize("way", [0.05, 5.0])
def test_a_teleport_is_no_motion(way, stiffness):
    """Its joint goes on as that of a twin that is put where it is, and feels gravity as the robot does then."""
    turn = it.Pose.from_xyz_rpy((way, 0.0, 0.1), (0.3, 0.0, 0.5))
    arm, twin = (on([it.Entity("r", SWING, it.Pose(np.array([0.0, 0.0, 2.0])), True)]) for _ in range(2))
    for sim in (arm, twin):
        sim.hold(stiffness)
        sim.set_joint_velocities({"r::arm_joint": 0.0 if stiffness is None else 2.0})
        sim.step(24)
    before = twin.snapshot()
    at = turn @ it.Pose(before.positions[0])
    arm.teleport("r::base", at.position, at.quaternion)
    twin.teleport("r::base", before.positions[0], before.quaternions[0])
    twin.set_gravity(turn.rotation.T @ twin.gravity)
    now = arm.snapshot()
    assert now.positions == pytest.approx(turn.transform_points(before.positions), abs=1e-9)
    assert now.linear_velocities == pytest.approx(before.linear_velocities @ turn.rotation.T, abs=1e-9)
    assert now.joints == pytest.approx(before.joints, abs=1e-9)
    for sim in (arm, twin):
        sim.step(24)
    assert arm.snapshot().joints == pytest.approx(twin.snapshot().joints, abs=1e-9)


def test_a_teleport_leaves_behind_what_lay_on_it():
    sim = moving_plate()
    sim.step(24)
    sim.teleport("lift::plate", (0.05, 0.0, 0.4), (0, 0, 0, 1))
    sim.step()
    now = sim.snapshot()
    assert now.positions[0] == pytest.approx([0.05, 0.0, 0.4], abs=1e-12)
    assert now.positions[1] == pytest.approx([0.0, 0.0, 0.65], abs=1e-3)
    with pytest.raises(SimulationError, match="not bolted"):
        sim.teleport("load::cube", (0, 0, 1), (0, 0, 0, 1))


def test_what_cannot_be_moved_so_is_named():
    sim = moving_plate()
    with pytest.raises(SimulationError, match="not bolted"):
        sim.move("load::cube", linear=(0, 0, 1))
    with pytest.raises(SimulationError, match="either"):
        sim.move("lift::plate")
    with pytest.raises(SimulationError, match="either"):
        sim.move("lift::plate", linear=(0, 0, 1), position=(0, 0, 0))
    with pytest.raises(UnknownLinkError, match="lift::plate"):
        sim.move("lift::plat", linear=(0, 0, 1))
    with pytest.raises(OptionError, match="linear"):
        sim.move("lift::plate", linear=(0, 0, np.nan))


# Misuse


@pytest.mark.parametrize("value", [-1.0, np.nan, np.inf, "rough"])
def test_a_friction_that_is_none_is_refused_and_changes_nothing(value):
    sim = on()
    before = sim.friction("world")
    with pytest.raises(OptionError, match="friction of 'world'"):
        sim.set_friction({"cube": 0.2, "world": value})
    with pytest.raises(UnknownLinkError, match="cube"):
        sim.set_friction({"kube": 0.2})
    assert sim.friction("cube") == sim.friction("world") == before


def test_writes_that_nobody_reads_are_refused():
    sim = on()
    with pytest.raises(AttributeError, match="gravity"):
        sim.gravity = (0, 0, 0)
    with pytest.raises(AttributeError, match="frction"):
        sim.frction = 0.5
    now = sim.snapshot()
    with pytest.raises(TypeError):
        now.joint_positions["arm"] = 1.0
    with pytest.raises(OptionError, match="gravity"):
        sim.set_gravity(9.81)


def test_calls_without_effect_warn():
    bolted = on(ARM, fixed_base=True)
    with pytest.warns(SceneWarning, match="lift has no effect"):
        bolted.lift(1.0)
    with pytest.warns(SceneWarning, match="'base' has no effect"):
        bolted.apply_wrench("base", (1, 0, 0))
    with pytest.warns(SceneWarning, match="'arm' has no effect"):
        bolted.set_friction({"arm": 0.1})
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        bolted.apply_wrench("arm", (1, 0, 0))
        bolted.set_friction({"base": 0.1})
        on().lift(1.0)
