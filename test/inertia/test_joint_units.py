# SPDX-FileCopyrightText: The inertia_tools authors
# SPDX-License-Identifier: Apache-2.0
"""Limits in degrees and origins in millimetres are named; the same robot in radians and metres is not."""

import math
from pathlib import Path

import pytest
from robots import GOOD, link, urdf

import inertia_tools as it
from inertia_tools.inertia.checks.joint_units import LIMIT_IN_DEGREES, ORIGIN_IN_MILLIMETRES
from inertia_tools.inertia.finding import Severity

CODES = (LIMIT_IN_DEGREES, ORIGIN_IN_MILLIMETRES)
BOX = '<box size="{0} {0} {0}"/>'


def robot(limits=(-1.0, 1.0), origin=(0.0, 0.0, 0.3), *, kind="revolute", size=0.1) -> it.Description:
    box = BOX.format(size)
    lower, upper = limits
    joint = (
        f'<joint name="j" type="{kind}"><parent link="base"/><child link="a"/><axis xyz="0 1 0"/>'
        f'<origin xyz="{" ".join(map(str, origin))}"/>'
        f'<limit lower="{lower}" upper="{upper}" effort="100" velocity="2"/></joint>'
    )
    return it.load_text(urdf(link("base", GOOD, box), link("a", GOOD, box), joint))


def codes(described: it.Description) -> list[str]:
    return [one.code for one in it.check(described).findings if one.code in CODES]


@pytest.mark.parametrize("degrees", [(-90, 90), (-170, 170), (0, 22.5), (-360, 360), (-15, 45.5)])
def test_limits_in_degrees_are_named_with_their_radians(degrees):
    (found,) = [one for one in it.check(robot(degrees)).findings if one.code in CODES]
    assert (found.code, found.link, found.severity) == (LIMIT_IN_DEGREES, "a", Severity.INFO)
    assert f"{math.radians(degrees[0]):.4g} to {math.radians(degrees[1]):.4g}" in found.message
    assert codes(robot([math.radians(one) for one in degrees])) == []


@pytest.mark.parametrize("limits", [(-6.5, 6.5), (-12.56, 12.56), (-18.85, 18.85), (-1e16, 1e16), (-3000, 3000)])
def test_turns_that_a_joint_may_make_are_not(limits):
    assert codes(robot(limits)) == []


def test_a_slide_is_not_in_degrees():
    assert codes(robot((-90, 90), kind="prismatic")) == []


@pytest.mark.parametrize("size", [1e-3, 0.1, 20.0])
@pytest.mark.parametrize("direction", [(0.0, 0.0, 1.0), (0.6, 0.0, -0.8)])
@pytest.mark.parametrize("ratio", [0.2, 1.0, 5.0])
def test_origins_in_millimetres_are_named_whatever_the_size(size, direction, ratio):
    metres = [ratio * size * one for one in direction]
    assert codes(robot(origin=metres, size=size)) == []
    assert codes(robot(origin=[1000.0 * one for one in metres], size=size)) == [ORIGIN_IN_MILLIMETRES]


def test_what_floats_in_a_world_may_be_far_away():
    body = '<body name="{0}" pos="{1} 0 0"><freejoint/><geom type="box" size=".1 .1 .1"/></body>'
    bodies = body.format("near", 0) + body.format("far", 500)
    world = f"<mujoco><worldbody><geom type='box' size='.1 .1 .1'/>{bodies}</worldbody></mujoco>"
    assert codes(it.load_text(world)) == []


def test_both_are_reasons():
    report = it.diagnose(robot((-90, 90), (0.0, 0.0, 300.0)), fixed_base=True, settle=False)
    assert {one.code for one in report.reasons if one.severity is Severity.WARNING} >= set(CODES)
    assert all(one.joint == "j" for one in report.reasons if one.code in CODES)


def test_both_are_found_in_each_format(tmp_path: Path):
    source = robot((-90, 90), (0.0, 0.0, 300.0))
    for format_ in ("sdf", "mjcf"):
        assert codes(it.convert(source, format=format_).converted) == list(CODES)
