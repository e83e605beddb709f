# SPDX-FileCopyrightText: The inertia_tools authors
# SPDX-License-Identifier: Apache-2.0
"""Joints of files that follow others: whom they follow, how they are listed, and what a scale makes of it."""

from __future__ import annotations

import numpy as np
import pytest

import inertia_tools as it

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
