# SPDX-FileCopyrightText: The inertia_tools authors
# SPDX-License-Identifier: Apache-2.0
"""What `fix` leaves alone in MJCF: sound inertials beside another mistake, and numbers that the compiler replaces."""

import pytest

import inertia_tools as it

LIMITED = '<joint type="hinge" range="-1 1"/>'
BALL = '<geom type="sphere" size=".1"/>'
DIGITS = '<inertial pos="0 0 0" mass="1" diaginertia="0.00400000000123456 0.004000000001 0.0040000000007654321"/>'


def body(inside: str, compiler: str = "") -> it.Description:
    """Read a model of one body."""
    settings = f"<compiler {compiler}/>"
    return it.load_text(f'<mujoco>{settings}<worldbody><body name="b">{inside}</body></worldbody></mujoco>')


@pytest.mark.parametrize(
    ("inside", "compiler"),
    [
        (LIMITED + BALL, 'autolimits="false"'),
        (LIMITED + DIGITS + BALL, 'autolimits="false"'),
        ('<freejoint/><geom type="plane" size="1 1 1"/><body name="c">' + BALL + "</body>", ""),
        ("<freejoint/>" + BALL + BALL.replace("/>", ' contype="0" conaffinity="0"/>'), 'discardvisual="true"'),
    ],
    ids=["joint without an inertial", "joint", "plane", "discarded geom"],
)
def test_a_mistake_elsewhere_leaves_the_inertial_alone(inside, compiler):
    compiler += ' inertiafromgeom="true"' if "discardvisual" in compiler else ""
    correction = it.fix(body(inside, compiler))
    assert "mujoco-refuses" in {one.code for one in correction.report.findings}
    assert not correction.changes
    assert correction.corrected is correction.robot


def test_a_tensor_that_mujoco_refuses_is_mended_beside_another_mistake():
    hair = '<inertial pos="0 0 0" mass="1" diaginertia="1 1 2.00000000001"/>'
    correction = it.fix(body(LIMITED + hair, 'autolimits="false"'))
    assert set(correction.changes) == {"b"}
    assert [one.message for one in correction.after.findings if "exceeds the sum" in one.message] == []


def test_numbers_of_the_geometry_to_the_last_digit_are_no_change():
    ball = '<inertial pos="0 0 0" mass="1" diaginertia="0.004 0.00400000000000001 0.004"/>'
    assert not it.fix(body("<freejoint/>" + ball + BALL), "all").changes
    assert it.fix(body("<freejoint/>" + ball.replace("0.004 ", "0.0041 ") + BALL), "all").changes


BOX = '<freejoint/><geom type="box" size=".1 .1 .1"/>'
BOUNDS = 'boundmass="0.5" boundinertia="0.01"'


def stated(mass: float, moments: str) -> str:
    """Write an inertial."""
    return f'<inertial pos="0 0 0" mass="{mass}" diaginertia="{moments}"/>'


def messages(robot: it.Description) -> dict[str, str]:
    """Return what is found about the body, by code."""
    return {one.code: one.message for one in it.check(robot)["b"].findings}


def test_a_bound_is_no_number_that_somebody_typed():
    robot = body(BOX + stated(0.001, "2e-6 2e-6 2e-6"), BOUNDS)
    assert set(messages(robot)) == {"compiler-changed"}
    assert 'boundmass="0.5" and boundinertia="0.01"' in messages(robot)["compiler-changed"]
    of_geoms = messages(body(BOX, 'boundinertia="1"'))
    assert set(of_geoms) == {"compiler-changed", "exceeds-geometry", "oversized-inertia"}
    assert 'boundinertia="1"' in of_geoms["oversized-inertia"]


@pytest.mark.parametrize("scope", ["implausible", "all"])
def test_nothing_is_written_that_the_bounds_replace(scope):
    robot = body(BOX + stated(0.001, "1e-6 1e-6 1e-6"), BOUNDS)
    assert "1e-06 times the identity" in messages(robot)["placeholder-inertia"]
    assert "--apply" not in messages(robot)["placeholder-inertia"]
    assert not it.check(robot)["b"].causes
    assert not it.fix(robot, scope).changes


def test_a_bound_that_makes_an_inertial_implausible_is_named():
    compiler = 'boundinertia="0.05"'
    assert compiler in messages(body(BOX + stated(0.5, ".003 .0034 .003"), compiler))["oversized-inertia"]
    wrong = messages(body(BOX + stated(0.5, ".3 .34 .3"), compiler))
    assert compiler not in wrong["oversized-inertia"]


def test_causes_beside_balanceinertia_are_those_of_the_file():
    robot = body(BOX + stated(1, "0.01 0.01 0.03"), 'balanceinertia="true"')
    assert "wrong-unit" not in {cause.code for cause in it.check(robot)["b"].causes}
    after = it.fix(robot, apply=["decimal-point"]).corrected.links["b"].inertial
    assert after.inertia.diagonal() == pytest.approx([0.01, 0.01, 0.003])


def test_the_account_shows_the_numbers_of_the_file():
    robot = body(BOX + stated(0.001, ".1 .1 .1"), 'boundmass="0.5"')
    correction = it.fix(robot, "all")
    written = correction.corrected.links["b"].inertial
    assert correction.report["b"].corrected.inertial.isclose(written, 1e-12)
    assert written.mass == 0.5
    balanced = it.fix(body(BOX + stated(1, "0.01 0.01 0.03"), 'boundinertia="0.007"'))
    assert balanced.report["b"].corrected.inertial.isclose(balanced.corrected.links["b"].inertial, 1e-12)
