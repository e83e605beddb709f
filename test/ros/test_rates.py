# SPDX-FileCopyrightText: The inertia_tools authors
# SPDX-License-Identifier: Apache-2.0
"""What has a rate in simulated time is done that often, also where no whole number of steps makes up its period."""

from __future__ import annotations

import itertools

import pytest

from inertia_tools.ros.rates import Rate

STEPS_PER_SECOND = 240
STEP = round(1e9 / STEPS_PER_SECOND)  # [ns]


def due(rate, steps, step_nanoseconds=STEP):
    one = Rate.of(rate, step_nanoseconds)
    return [step for step in range(1, steps + 1) if one.is_due(step)]


@pytest.mark.parametrize("rate", [1.0, 7.0, 60.0, 100.0, 150.0, 239.0, 240.0])
def test_the_mean_rate_is_the_one_that_was_asked_for(rate):
    """After any whole second as many as that were made, and they are as even as steps allow."""
    steps = due(rate, 10 * STEPS_PER_SECOND)
    for second in range(1, 11):
        assert sum(step <= second * STEPS_PER_SECOND for step in steps) == second * rate
    gaps = [later - earlier for earlier, later in itertools.pairwise(steps)]
    assert max(gaps) - min(gaps) <= 1


def test_a_period_of_whole_steps_is_that_many():
    assert due(60.0, 16) == [4, 8, 12, 16]
    assert due(150.0, 12, step_nanoseconds=3_333_333) == [2, 4, 6, 8, 10, 12], "a step is short of its length"


@pytest.mark.parametrize("rate", [0.0, 240.0, 1000.0])
def test_no_more_than_one_is_made_in_a_step(rate):
    assert due(rate, 300) == list(range(1, 301))
    assert Rate.of(rate, STEP).steps == pytest.approx(1.0)
