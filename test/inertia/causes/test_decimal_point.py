# SPDX-FileCopyrightText: The inertia_tools authors
# SPDX-License-Identifier: Apache-2.0
"""A moment whose decimal point is moved back is held to the accuracy that the two other moments show."""

import numpy as np
import pytest
from robots import link, mass, tensor, urdf

import inertia_tools as it

SIZES = [(1.0, 1.0, 1.0), (0.4, 0.5, 0.6), (0.1, 0.12, 0.08)]


def moments_of(size: tuple[float, float, float], weight: float) -> np.ndarray:
    squares = np.square(size)
    return weight / 12.0 * (squares.sum() - squares)


def fixed(size: tuple[float, float, float], weight: float, moments: np.ndarray) -> tuple[np.ndarray, set[str]]:
    """Return the moments that fix writes, and the causes that check names."""
    box = '<box size="{} {} {}"/>'.format(*size)
    robot = it.load_text(urdf(link("part", mass(weight) + tensor(*moments.tolist()), box)))
    codes = {cause.code for cause in it.check(robot)["part"].causes if cause.is_proven}
    changes = it.fix(robot).changes
    return np.diag(changes["part"].after.inertia) if changes else moments, codes


@pytest.mark.sweep
@pytest.mark.parametrize("size", SIZES)
@pytest.mark.parametrize("digits", [1.2, 1.5, 2.0, 4.0, 5.0, 7.0])
@pytest.mark.parametrize("axis", [0, 1, 2])
def test_where_the_others_are_the_geometrys_a_wrong_moment_becomes_the_geometrys(size, digits, axis):
    """It is wrong in its digits, so that no power of ten makes it right; six digits of the others tell so."""
    exact = moments_of(size, 2.0)
    for power in (10.0, 100.0, 1000.0):
        declared = np.array([float(f"{one:.6g}") for one in exact])
        declared[axis] = float(f"{exact[axis] * digits * power:.3g}")
        found, codes = fixed(size, 2.0, declared)
        np.testing.assert_allclose(found, exact, rtol=0.02)
        assert "decimal-point" not in codes


@pytest.mark.sweep
@pytest.mark.parametrize("size", SIZES)
@pytest.mark.parametrize("accuracy", [1e-6, 1e-3, 0.03, 0.1])
@pytest.mark.parametrize("power", [1, 2, 3])
def test_a_slip_is_undone_where_all_moments_are_about_as_accurate(size, accuracy, power):
    meant = moments_of(size, 2.0) * (1.0 + accuracy * np.array([1.0, -1.0, 0.9]))
    for axis in range(3):
        declared = meant.copy()
        declared[axis] *= 10.0**power
        found, codes = fixed(size, 2.0, declared)
        assert codes == {"decimal-point"}
        np.testing.assert_allclose(found, meant, rtol=1e-6)


def test_a_possible_moment_that_is_far_off_is_pointed_out_though_no_power_makes_it_exact():
    """A rod whose moment about its length is 64 times what it is, as in a robot that many simulate."""
    moments, box = moments_of((0.025, 0.025, 0.2), 0.3), '<box size="0.025 0.025 0.2"/>'
    moments[2] *= 64.0
    robot = it.load_text(urdf(link("part", mass(0.3) + tensor(*moments.tolist()), box)))
    [found] = it.check(robot)["part"].findings
    assert (found.code, found.severity) == ("decimal-point", it.Severity.WARNING)
