# SPDX-FileCopyrightText: The inertia_tools authors
# SPDX-License-Identifier: Apache-2.0
"""Joints of files that follow others: whom they follow, how they are listed, and what a scale makes of it."""

from __future__ import annotations

import numpy as np
import pytest

import inertia_tools as it
from inertia_tools.errors import InertiaToolsError, OptionError
from inertia_tools.sim.importing.start_pose import start_findings, start_positions

CHAIN = """<robot name="r"><link name="base"/><link name="a"/><link name="b"/><link name="c"/>
<joint name="j" type="{0}"><parent link="base"/><child link="a"/><limit lower="-2" upper="2" effort="1" velocity="1"/>
</joint>
<joint name="k" type="{1}"><parent link="a"/><child link="b"/><limit lower="-2" upper="2" effort="1" velocity="1"/>
<mimic joint="j" multiplier="2" offset="0.1"/></joint>
<joint name="l" type="{1}"><parent link="b"/><child link="c"/><limit lower="-2" upper="2" effort="1" velocity="1"/>
<mimic joint="k" multiplier="3" offset="0.2"/></joint></robot>"""

KINDS = ("revolute", "prismatic")


def _added(text: str, scale: float) -> it.ModelBuilder:
    builder = it.ModelBuilder()
    builder.add_urdf(text, scale=scale)
    return builder


@pytest.mark.parametrize("leader", KINDS)
@pytest.mark.parametrize("follower", KINDS)
def test_a_scaled_coupling_holds_between_scaled_positions(leader: str, follower: str) -> None:
    """A position of a slide is scaled, one of a hinge is not; the coupling holds between what both have become."""
    text, scale, position = CHAIN.format(leader, follower), 2.5, 0.3
    plain, large = (_added(text, one) for one in (1.0, scale))
    own, leading = (scale if kind == "prismatic" else 1.0 for kind in (follower, leader))
    for number in (2, 3):
        offset, ratio = plain.joint_mimic_coeffs[number]
        wanted = own * (offset + ratio * position)
        offset, ratio = large.joint_mimic_coeffs[number]
        assert offset + ratio * position * leading == pytest.approx(wanted)


def test_each_of_a_chain_follows_the_one_that_leads() -> None:
    builder = _added(CHAIN.format("revolute", "revolute"), 1.0)
    assert list(builder.joint_mimic_joint) == [-1, -1, 1, 1]
    np.testing.assert_allclose(list(builder.joint_mimic_coeffs)[2:], [(0.1, 2.0), (0.5, 6.0)])


def test_couplings_are_listed_with_their_joint_or_by_themselves() -> None:
    builder = _added(CHAIN.format("revolute", "revolute"), 1.0)
    assert builder.constraint_mimic_count == 0
    assert builder.add_constraint_mimic(2, 1, coef0=0.5, coef1=-1.0) == 0
    assert list(builder.constraint_mimic_joint0) == [2]
    builder.constraint_mimic_coef1[0] = -2.0
    model = builder.finalize()
    assert model.constraint_mimic_coef1.numpy().tolist() == [-2.0]
    assert model.joint_mimic_joint.numpy().tolist() == [-1, -1, 1, 1]
    np.testing.assert_allclose(model.joint_mimic_coeffs.numpy()[2], (0.1, 2.0))


def test_equalities_of_mjcf_are_couplings_by_themselves() -> None:
    builder = it.ModelBuilder()
    builder.add_mjcf(
        "<mujoco><worldbody><body><joint name='s' type='slide'/><geom size='1'/><body><joint name='h'/>"
        "<geom size='1'/></body></body></worldbody>"
        "<equality><joint joint1='s' joint2='h' polycoef='0.1 0.5'/></equality></mujoco>",
        scale=2.0,
    )
    assert builder.constraint_mimic_count == 1
    assert (builder.constraint_mimic_coef0[0], builder.constraint_mimic_coef1[0]) == pytest.approx((0.2, 1.0))
    assert list(builder.joint_mimic_joint) == [-1, -1]


# Where followers are


TENSOR = "<inertia ixx='.01' iyy='.01' izz='.01' ixy='0' ixz='0' iyz='0'/>"
HEAVY = CHAIN.replace('"/><link', f'"><inertial><mass value="1"/>{TENSOR}</inertial></link><link', 3).replace(
    'name="c"/>', f'name="c"><inertial><mass value="1"/>{TENSOR}</inertial></link>'
)
MUJOCO = """<mujoco><worldbody><body name="a"><joint name="j"/><geom size=".1" pos=".2 0 0"/>
<body name="b" pos=".5 0 0"><joint name="k"/><geom size=".1" pos=".2 0 0"/>
<body name="c" pos=".5 0 0"><joint name="l"/><geom size=".1" pos=".2 0 0"/></body></body></body></worldbody><equality>
<joint joint1="l" joint2="k" polycoef="0.2 3"/><joint joint1="k" joint2="j" polycoef="0.1 2"/></equality></mujoco>"""


def _simulation(text: str) -> it.Simulation:
    return it.Simulation(it.load_text(text), dtype="float64", ground=False, gravity=(0, 0, 0), fixed_base=True)


@pytest.mark.parametrize("text", [HEAVY.format("continuous", "continuous"), MUJOCO])
def test_followers_are_where_their_leader_puts_them(text: str) -> None:
    """At the start, where joints are placed, and how fast they are made: nothing is left for the solver to pull at."""
    sim = _simulation(text)
    assert sim.snapshot().joint_positions == pytest.approx({"j": 0.0, "k": 0.1, "l": 0.5}, abs=1e-12)
    there = sim.forward_kinematics({"j": 0.3})
    sim.set_joint_positions({"j": 0.3, "k": 5.0})
    assert sim.snapshot().joint_positions == pytest.approx({"j": 0.3, "k": 0.7, "l": 2.3}, abs=1e-12)
    np.testing.assert_allclose(there["c"].position, sim.snapshot().positions[-1], atol=1e-12)
    sim.set_joint_velocities({"j": 1.0})
    assert sim.snapshot().joint_velocities == pytest.approx({"j": 1.0, "k": 2.0, "l": 6.0}, abs=1e-12)
    before = sim.snapshot().kinetic_energy
    sim.step()
    assert sim.snapshot().kinetic_energy == pytest.approx(before, rel=1e-3)


def test_a_follower_is_not_placed_without_its_leader() -> None:
    sim = _simulation(MUJOCO)
    for call in (sim.set_joint_positions, sim.set_joint_velocities, sim.forward_kinematics):
        with pytest.raises(OptionError, match="'k' must be left to joint 'j'"):
            call({"k": 0.2})


def test_a_leader_starts_where_what_follows_it_may_be() -> None:
    text = (
        HEAVY.format("revolute", "revolute")
        .replace('lower="-2"', 'lower="0.4"')
        .replace('lower="0.4"', 'lower="-2"', 1)
    )
    positions = _simulation(text).snapshot().joint_positions
    assert positions == pytest.approx({"j": 0.15, "k": 0.4, "l": 1.4}, abs=1e-12)


def test_a_start_against_the_leader_is_named() -> None:
    robot, asked = it.load_text(MUJOCO), {"j": 0.2, "k": 0.0}
    positions = start_positions(robot, asked)
    assert positions == pytest.approx({"j": 0.2, "k": 0.5, "l": 1.7})
    findings = list(start_findings(robot, positions, asked))
    assert [(finding.code, finding.link) for finding in findings] == [("start-with-leader", "b")]


@pytest.mark.parametrize("number", ["inf", "nan", "1e300"])
@pytest.mark.parametrize("stated", ['multiplier="2"', 'offset="0.1"'])
def test_a_number_beyond_all_use_is_refused_by_name(stated: str, number: str) -> None:
    text = HEAVY.format("revolute", "revolute").replace(stated, f'{stated.partition("=")[0]}="{number}"')
    with pytest.raises(InertiaToolsError):
        _simulation(text).step()


def test_what_is_held_is_held_by_its_leader_alone() -> None:
    """A drive of the follower's own, from the file, would pull it elsewhere; numbers of gains are for leaders."""
    actuator = '<actuator><position joint="k" kp="50" kv="5"/></actuator></mujoco>'
    sim = _simulation(MUJOCO.replace("</mujoco>", actuator))
    assert max(sim.dof_gains().drive_stiffness) == 50.0
    sim.set_joint_gains(0.0)
    assert max(sim.dof_gains().drive_stiffness) == 0.0
    sim.hold(100.0, 5.0)
    assert sorted(sim.dof_gains().drive_stiffness) == [0.0, 0.0, 100.0]
