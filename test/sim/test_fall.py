# SPDX-FileCopyrightText: The inertia_tools authors
# SPDX-License-Identifier: Apache-2.0
"""Falls are found in the course of a root link, and told in words."""

from __future__ import annotations

import math

import pytest
from scipy.spatial.transform import Rotation

from inertia_tools.sim.fall import FALLEN_TILT, find_fall

TIMES = (0.0, 0.5, 1.0, 1.5)
START = Rotation.from_euler("xyz", [0.3, -0.2, 1.0])


def course(axis, angles):
    """Return quaternions of a root that turns about an axis of the world from an odd start."""
    return [(Rotation.from_rotvec([a * x for x in axis]) * START).as_quat() for a in angles]


def places(heights):
    return [(0.0, 0.0, height) for height in heights]


@pytest.mark.parametrize(
    ("axis", "direction"),
    [((0, 1, 0), "+x"), ((-1, 0, 0), "+y"), ((0, -1, 0), "-x"), ((1, 0, 0), "-y")],
)
def test_a_root_that_leans_too_far_has_fallen_and_where_to_is_said(axis, direction):
    fall = find_fall("trunk", TIMES, places([1, 1, 1, 1]), course(axis, [0.0, 0.2, 1.0, 1.5]), ["arm", "head"])
    assert fall.time == 1.0
    assert fall.tilt == pytest.approx(1.5)
    assert str(fall).startswith("it fell 1.00 s after the start: in the end 'trunk' leans by 86 degrees towards ")
    assert f"towards {direction}," in str(fall)
    assert str(fall).endswith("the robot lies on arm, head")


def test_a_root_that_sinks_has_fallen():
    fall = find_fall("trunk", TIMES, places([1.0, 0.9, 0.7, 0.4]), course((1, 0, 0), [0.0] * 4))
    assert (fall.time, fall.sink) == (1.5, pytest.approx(0.6))
    assert "'trunk' is upright, is 0.60 m lower than at the start, and nothing carries it" in str(fall)


def test_a_little_lean_sag_or_turn_is_no_fall():
    assert find_fall("trunk", TIMES, places([1, 0.99, 0.98, 0.9]), course((0, 1, 0), [0, 0.1, -0.1, 0.2])) is None
    assert find_fall("trunk", TIMES, places([1, 1, 1, 1]), course((0, 0, 1), [0, 1.0, 2.0, math.pi])) is None
    assert find_fall("arm", TIMES, places([0.01, 0, -0.01, -0.02]), course((1, 0, 0), [0] * 4)) is None
    assert find_fall("trunk", TIMES, places([0, 0, 0, 0]), course((1, 0, 0), [FALLEN_TILT - 0.01] * 4)) is None
