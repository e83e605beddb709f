# SPDX-FileCopyrightText: The inertia_tools authors
# SPDX-License-Identifier: Apache-2.0
"""Laws of reading, checking, correcting and converting, over robots that hypothesis draws."""

import re
from itertools import permutations

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from repair_round_trips import left_of
from strategies import WRITTEN_AS, descriptions

import inertia_tools as it
from inertia_tools.errors import InertiaToolsError

FORMATS = tuple(WRITTEN_AS)
ROUNDING = 1e-9
"""Relative; what is written has at least so many digits."""

INERTIAL = re.compile(r"\s*<inertial[^>]*/>|\s*<inertial.*?</inertial>", re.DOTALL)

some = settings(max_examples=20, derandomize=True, suppress_health_check=list(HealthCheck))


def without_inertials(text):
    return re.sub(r"\s+", " ", INERTIAL.sub("", text))


@pytest.mark.parametrize("format_", FORMATS)
def test_a_valid_robot_is_left_as_it_is_to_the_byte(format_):
    @some
    @given(descriptions(format_, is_valid=True))
    def law(text):
        correction = it.fix(it.load_text(text))
        assert correction.text == text
        assert not correction.changes

    law()


@pytest.mark.parametrize("format_", FORMATS)
def test_fix_mends_what_it_claims_and_touches_inertials_only(format_):
    """Where a robot is refused, it is with an error of ours: any other fails the test."""
    changed = []

    @some
    @given(descriptions(format_, is_valid=False))
    def law(text):
        try:
            robot = it.load_text(text)
            it.check(robot)
            correction = it.fix(robot)
        except InertiaToolsError:
            return
        changed.append(bool(correction.changes))
        assert left_of(correction, it.check(correction.corrected)) == []
        assert without_inertials(correction.text) == without_inertials(text)
        assert it.fix(correction.corrected).text == correction.text

    law()
    assert sum(changed) >= 5


@pytest.mark.parametrize(("source", "target"), list(permutations(FORMATS, 2)))
def test_conversion_keeps_mass_centre_of_mass_and_inertia(source, target):
    @some
    @given(descriptions(source, is_valid=True))
    def law(text):
        robot = it.load_text(text)
        became = it.load_text(it.convert(robot, format=target, lump=False).data)
        assert any(link.inertial is not None for link in robot.links.values())
        for name, link in robot.links.items():
            if link.is_static:  # MJCF's world, which may have no like in the other format
                continue
            was, now = link.inertial, became.links[name].inertial
            assert now.mass == pytest.approx(was.mass, rel=ROUNDING)
            assert np.allclose(now.com, was.com, rtol=0.0, atol=ROUNDING)
            assert np.allclose(now.inertia, was.inertia, rtol=0.0, atol=ROUNDING * np.abs(was.inertia).max())

    law()
