# SPDX-FileCopyrightText: The inertia_tools authors
# SPDX-License-Identifier: Apache-2.0
"""A loop that is open at the start is a reason, with the distance; a closed one is none, wherever the robot stands."""

import numpy as np
import pytest

import inertia_tools as it

WORLD = """<mujoco><compiler angle="radian"/><worldbody><body name="a" pos="{at} 1" euler="{turned}"><freejoint/>
<geom type="box" size=".1 .1 .1"/></body><body name="b" pos="{there} 1" euler="{turned}"><freejoint/>
<geom type="box" size=".1 .1 .1"/></body></worldbody><equality>{equality}</equality></mujoco>"""


def reasons(equality: str, at: float = 0.0, turn: float = 0.0) -> list:
    there = at + 0.3 * np.cos(turn), 0.3 * np.sin(turn)
    text = WORLD.format(at=f"{at} 0", there=f"{there[0]} {there[1]}", turned=f"0 0 {turn}", equality=equality)
    return [one for one in it.diagnose(it.load_text(text), settle=False).reasons if one.code == "loop-open"]


@pytest.mark.parametrize(("at", "turn"), [(0.0, 0.0), (5.0, 0.0), (-2.0, 1.2)])
def test_a_weld_that_fits_is_no_reason(at, turn):
    for relpose in ("", 'relpose="0.3 0 0 1 0 0 0"', 'relpose="0.3005 0 0 1 0 0 0.001"'):
        assert reasons(f'<weld body1="a" body2="b" {relpose}/>', at, turn) == []
    assert reasons('<connect body1="a" body2="b" anchor="0.1 0.2 0.3"/>', at, turn) == []


@pytest.mark.parametrize(("at", "turn"), [(0.0, 0.0), (5.0, 0.0), (-2.0, 1.2)])
@pytest.mark.parametrize("gap", [0.002, 0.1, 1.0])
def test_a_weld_of_another_distance_is_one(gap, at, turn):
    (found,) = reasons(f'<weld body1="a" body2="b" relpose="{0.3 + gap} 0 0 1 0 0 0"/>', at, turn)
    assert found.severity is it.Severity.WARNING
    assert found.value == pytest.approx(gap, abs=1e-9)


@pytest.mark.parametrize("angle", [0.02, 0.5, 3.0])
def test_a_weld_of_another_rotation_is_one(angle):
    half = 0.5 * angle
    (found,) = reasons(f'<weld body1="a" body2="b" relpose="0.3 0 0 {np.cos(half)} 0 0 {np.sin(half)}"/>')
    assert f"{np.degrees(angle):.3g} degrees" in found.message
