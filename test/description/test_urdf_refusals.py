# SPDX-FileCopyrightText: The inertia_tools authors
# SPDX-License-Identifier: Apache-2.0
"""Joints for which urdfdom refuses the whole file are named, in one pass, and others are not."""

import pytest
from refused_joints import ACCEPTED, REFUSED, text
from robots import GOOD, link, urdf

import inertia_tools as it
from inertia_tools.description.urdf_refusals import URDFDOM_REFUSES
from inertia_tools.inertia.finding import Severity


def findings(robot: it.Description) -> list[it.Finding]:
    return [one for one in it.check(robot).findings if one.code == URDFDOM_REFUSES]


@pytest.mark.parametrize(("type_", "parts"), ACCEPTED)
def test_what_urdfdom_takes_has_no_finding(type_, parts):
    assert findings(it.load_text(text(type_, parts))) == []


@pytest.mark.parametrize(("type_", "parts", "lack"), REFUSED)
def test_what_it_refuses_is_named(type_, parts, lack):
    written = text(type_, parts)
    (found,) = findings(it.load_text(written))
    assert (found.severity, found.link) == (Severity.INFO, "a")
    assert lack in found.message
    assert found.line == written[: written.index("<joint")].count("\n") + 1


@pytest.mark.parametrize("type_", ["hinge", "slide"])
def test_a_conversion_to_urdf_has_all_that_urdfdom_needs(type_):
    geom = '<geom size="0.1"/>'
    joint = f'<joint type="{type_}" range="-1 1" damping="0"/>'
    mjcf = f"<mujoco><worldbody><body>{geom}<body pos='0 0 1'>{joint}{geom}</body></body></worldbody></mujoco>"
    assert findings(it.convert(it.load_text(mjcf), format="urdf").converted) == []


@pytest.mark.parametrize(("version", "is_ignored"), [("", True), ("1.0", True), ("1.1", False), ("2.0", False)])
def test_a_capsule_before_its_version_is_named_and_still_read(version, is_ignored):
    shape = '<capsule radius="0.1" length="0.2"/>'
    written = urdf(link("a", GOOD, shape)).replace("<robot", f'<robot version="{version}"' if version else "<robot")
    robot = it.load_text(written)
    found = [one for one in it.check(robot).findings if one.code == "unknown-element"]
    assert [(one.link, one.severity) for one in found] == [("a", Severity.INFO)] * is_ignored
    assert len(robot.links["a"].collisions) == 1
