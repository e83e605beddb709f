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
