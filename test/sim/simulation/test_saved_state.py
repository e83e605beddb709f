# SPDX-FileCopyrightText: The inertia_tools authors
# SPDX-License-Identifier: Apache-2.0
"""Saving a simulation and going back to it; a simulation that has left the finite numbers; drives within limits."""

from __future__ import annotations

import math

import numpy as np
import pytest
from robots import joint, link, mass, tensor, urdf

import inertia_tools as it

pytest.importorskip("warp", reason="warp-lang is not installed")

CUBE = mass(6) + tensor(0.04, 0.04, 0.04)
ROD = mass(1) + tensor(0.01, 0.01, 0.001)
ARM = urdf(
    link("base", CUBE, '<box size="0.2 0.2 0.2"/>'),
    link("arm", ROD),
    joint("arm", origin="0 0 0.5"),
)
"""Its joint turns by 1 rad at most to either side, at 1 rad/s and 1 N m."""


@pytest.fixture(scope="module")
def simulation():
    return it.Simulation(it.load_text(ARM), dtype="float64")


@pytest.fixture(scope="module")
def start(simulation):
    return simulation.save()


@pytest.fixture
def arm(simulation, start):
    simulation.restore(start)
    return simulation


def run(simulation, steps=30):
    simulation.step(steps)
    now = simulation.snapshot()
    return np.hstack([now.positions, now.quaternions, now.linear_velocities, now.angular_velocities])


def test_steps_after_going_back_are_those_of_before_to_the_bit(arm):
    arm.hold(stiffness=20.0, damping=0.1)
    arm.set_joint_positions({"arm_joint": 0.4})
    arm.apply_wrench("base", (5.0, 0.0, 10.0), duration=0.1)
    arm.step(10)
    saved = arm.save()
    once = run(arm)
    time = arm.time
    arm.restore(saved)
    assert arm.time < time
    assert (run(arm) == once).all()
    arm.hold()
    arm.restore(saved)
    assert (run(arm) == once).all()


def test_steps_after_a_reset_are_those_after_the_start_to_the_bit(arm):
    arm.reset()
    once = run(arm)
    arm.set_joint_positions({"arm_joint": 0.4})
    arm.apply_wrench("base", (50.0, 0.0, 100.0), duration=0.1)
    arm.step(40)
    arm.reset()
    assert arm.time == 0.0
    assert (run(arm) == once).all()


@pytest.mark.parametrize("back", ["reset", "restore"])
def test_contacts_are_read_after_going_back_as_before(back):
    simulation = it.Simulation(it.load_text(urdf(link("base", CUBE, '<box size="0.2 0.2 0.2"/>'))), dtype="float64")
    simulation.lift(0.01)
    saved = simulation.save()

    def loads():
        seen = []
        for _ in range(20):
            simulation.step()
            seen.append([(c.body_a, c.body_b, c.forces.tolist()) for c in simulation.contacts()])
        return seen

    once = loads()
    assert not once[0]
    assert once[-1]
    if back == "reset":
        simulation.reset()
        simulation.lift(0.01)
    else:
        simulation.restore(saved)
    assert loads() == once


def test_another_simulation_does_not_take_it(arm):
    other = it.Simulation(it.load_text(ARM), dtype="float64")
    with pytest.raises(it.errors.SimulationError, match="another simulation"):
        arm.restore(other.save())


def test_a_broken_simulation_can_be_looked_at_and_brought_back(arm, start):
    once = run(arm)
    arm.restore(start)
    arm.set_drive_limits({"arm_joint": math.inf}, {"arm_joint": math.inf})
    arm.set_joint_gains(1e9, 0.0)
    arm.set_joint_targets({"arm_joint": 1e300})
    with pytest.raises(it.errors.SimulationError, match="finite"):
        arm.step(100)
    now = arm.snapshot()
    assert np.isnan(now.positions).any()
    assert math.isnan(now.kinetic_energy)
    arm.contacts()
    arm.restore(start)
    assert (run(arm) == once).all()


@pytest.mark.parametrize("count", [-1, 2.5, "3", True, None])
def test_a_count_that_is_none_is_refused(arm, count):
    with pytest.raises(it.errors.OptionError, match="count"):
        arm.step(count)


@pytest.mark.parametrize("write", ["set_joint_positions", "set_joint_velocities", "set_joint_targets"])
def test_numbers_without_names_are_refused(arm, write):
    with pytest.raises(it.errors.OptionError, match="a mapping from names of joints to numbers"):
        getattr(arm, write)(np.array([0.3]))


def test_targets_without_gains_are_warned_of(arm, recwarn):
    arm.set_joint_gains(0.0, 0.0)
    arm.set_joint_targets({"arm_joint": 0.3})
    with pytest.warns(UserWarning, match="targets of arm_joint have no effect"):
        arm.step()
    recwarn.clear()
    arm.step()
    arm.set_joint_targets({"arm_joint": 0.2})
    arm.set_joint_gains(10.0, 1.0)
    arm.step()
    assert not recwarn.list


# Drives


def test_limits_are_those_of_the_description(arm):
    limits = arm.joint_limits["arm_joint"]
    assert (limits.lower, limits.upper, limits.velocity, limits.effort) == (-1.0, 1.0, 1.0, 1.0)


@pytest.mark.parametrize("zero", ['effort="0"', 'velocity="0"'])
def test_a_zero_states_no_limit(zero):
    name = zero.split("=")[0]
    robot = it.load_text(ARM.replace(f'{name}="1"', zero))
    limits = it.Simulation(robot).joint_limits["arm_joint"]
    assert math.isinf(getattr(limits, name))


def test_a_set_of_targets_with_a_mistake_changes_nothing(arm, start):
    once = run(arm)
    arm.restore(start)
    with pytest.raises(it.errors.UnknownJointError):
        arm.set_joint_targets({"arm_joint": 0.5, "tail": 0.1})
    with pytest.raises(it.errors.OptionError):
        arm.set_joint_gains({"arm_joint": 100.0}, {"arm_joint": -1.0})
    with pytest.raises(it.errors.OptionError):
        arm.set_drive_limits(effort={"arm_joint": 0.0})
    assert (run(arm) == once).all()


def test_a_limited_drive_keeps_to_its_rate(arm):
    gains = arm.default_gains()["arm_joint"]
    arm.set_joint_gains(gains.stiffness, gains.damping)
    arm.set_drive_limits(effort={"arm_joint": 1.0}, velocity={"arm_joint": 1.0})
    arm.set_joint_targets({"arm_joint": 0.7})
    rates = []
    for _ in range(300):
        arm.step()
        rates.append(arm.snapshot().joint_velocities["arm_joint"])
    assert 0.9 < max(rates) <= 1.0 + 1e-4
    assert arm.snapshot().joint_positions["arm_joint"] == pytest.approx(0.7, abs=1e-3)


def test_default_gains_are_those_of_a_critically_damped_oscillator():
    """The arm turns about its z axis, where it has 0.001 kg m^2, and the base 0.04: the larger one counts."""
    from inertia_tools.sim.drive_gains import FREQUENCY

    rate = 2.0 * math.pi * FREQUENCY
    for fixed_base, inertia in ((False, 0.04), (True, 0.001)):
        robot = it.Simulation(it.load_text(ARM), fixed_base=fixed_base)
        gains = robot.default_gains()["arm_joint"]
        assert gains.stiffness == pytest.approx(inertia * rate**2)
        assert gains.damping == pytest.approx(2.0 * inertia * rate)


def test_default_gains_are_set_as_they_are_returned():
    paired, apart = it.Simulation(it.load_text(ARM)), it.Simulation(it.load_text(ARM))
    paired.set_joint_gains(paired.default_gains())
    gains = apart.default_gains()["arm_joint"]
    apart.set_joint_gains(gains.stiffness, gains.damping)
    for arm in (paired, apart):
        arm.set_joint_targets({"arm_joint": 0.5})
    assert (run(paired) == run(apart)).all()


def test_damping_is_set_without_stiffness(arm):
    arm.set_joint_gains({}, {"arm_joint": 2.0})
    arm.set_joint_targets(velocities={"arm_joint": 0.5})
    arm.step(20)
    assert arm.snapshot().joint_velocities["arm_joint"] == pytest.approx(0.5, rel=1e-2)


def test_default_gains_of_a_slide_are_those_of_a_mass():
    from inertia_tools.sim.drive_gains import FREQUENCY

    text = ARM.replace('type="revolute"', 'type="prismatic"')
    gains = it.Simulation(it.load_text(text), fixed_base=True).default_gains()["arm_joint"]
    assert gains.stiffness == pytest.approx(1.0 * (2.0 * math.pi * FREQUENCY) ** 2)


PENDULUM = """<robot name="r"><link name="base"/>
<link name="rod"><inertial><origin xyz="0.5 0 0"/><mass value="2"/>
<inertia ixx="0.01" ixy="0" ixz="0" iyy="0.01" iyz="0" izz="0.01"/></inertial></link>
<joint name="swing" type="continuous"><parent link="base"/><child link="rod"/><axis xyz="0 1 0"/></joint></robot>"""


@pytest.fixture(scope="module")
def pendulum():
    """A rod that sticks out along x, 2 kg at 0.5 m: holding it takes a torque of -9.81 N m about y."""
    return it.Simulation(it.load_text(PENDULUM), dtype="float64", fixed_base=True, reactions=True)


def test_efforts_are_those_that_hold_the_weight(pendulum):
    for stiffness, damping in ((math.inf, 0.0), (1e5, 1e3)):
        pendulum.reset()
        pendulum.hold(stiffness, damping)
        pendulum.step(240)
        assert pendulum.joint_efforts()["swing"] == pytest.approx(-2 * 9.81 * 0.5, rel=1e-3)


@pytest.mark.parametrize("multiplier", [-2.0, 0.5])
def test_a_drive_that_leads_holds_the_weight_of_its_followers_too(multiplier):
    """The torque at rest is the change of the height of all weights with the angle of the leader."""
    leaf = """<link name="leaf"><inertial><origin xyz="0.2 0 0"/><mass value="3"/>
<inertia ixx="0.01" ixy="0" ixz="0" iyy="0.01" iyz="0" izz="0.01"/></inertial></link>
<joint name="follow" type="continuous"><parent link="rod"/><child link="leaf"/><origin xyz="1 0 0"/><axis xyz="0 1 0"/>
<mimic joint="swing" multiplier="{}"/></joint></robot>"""
    text = PENDULUM.replace("</robot>", leaf.format(multiplier))
    leading = it.Simulation(it.load_text(text), dtype="float64", fixed_base=True, reactions=True)
    held = -9.81 * (2 * 0.5 + 3 * (1.2 + 0.2 * multiplier))
    for stiffness, damping in ((math.inf, 0.0), (1e6, 1e4)):
        leading.reset()
        leading.hold(stiffness, damping)
        leading.step(240)
        assert leading.joint_efforts()["swing"] == pytest.approx(held, rel=1e-3)


def test_effort_is_limited_and_one_that_is_set_counts(pendulum):
    pendulum.reset()
    pendulum.set_drive_limits(effort={"swing": 3.0})
    pendulum.set_joint_gains(1e5, 10.0)
    pendulum.step(24)
    assert pendulum.joint_efforts()["swing"] == pytest.approx(-3.0)
    pendulum.set_joint_gains(0.0, 0.0)
    pendulum.set_joint_targets(efforts={"swing": 1.5})
    pendulum.step()
    assert pendulum.joint_efforts()["swing"] == 1.5


@pytest.mark.parametrize("wrong", [None, "state", 3])
def test_what_was_not_saved_is_refused_by_name(arm, wrong):
    with pytest.raises(it.errors.OptionError, match=r"saved must be a SavedState, as save\(\) makes it"):
        arm.restore(wrong)


@pytest.mark.parametrize("wrong", ["stiff", None, [1.0]])
def test_what_is_no_number_is_no_gain_and_no_duration(arm, wrong):
    with pytest.raises(it.errors.OptionError, match="stiffness of joint"):
        arm.set_joint_gains(wrong)
    with pytest.raises(it.errors.OptionError, match="duration must be a number"):
        arm.apply_wrench("arm", (0.0, 0.0, 1.0), duration=wrong)
