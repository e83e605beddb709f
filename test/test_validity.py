# SPDX-FileCopyrightText: The inertia_tools authors
# SPDX-License-Identifier: Apache-2.0
import numpy as np
import pytest
from hypothesis import assume, example, given
from hypothesis import strategies as st
from robots import BOX, link, mass, tensor, urdf

import inertia_tools as it
from inertia_tools.inertial import Inertial, rotate_tensor
from inertia_tools.spatial import rotation_from_rpy
from inertia_tools.validity import (
    DEFINITE_TOLERANCE,
    TRIANGLE_IMPOSSIBLE,
    TRIANGLE_ROUNDING,
    Validity,
    judge_moments,
    smallest_ratio,
    triangle_excess,
)

VALID, ROUNDING, INVALID = Validity.VALID, Validity.ROUNDING, Validity.INVALID
FAULTS = {"not-positive-definite", "singular-inertia", "triangle-inequality", "triangle-rounding"}
powers = st.integers(-15, 15).map(lambda power: 10.0**power)
angles = st.tuples(*[st.floats(-3, 3)] * 3)


def verdict(*moments: float, m: float = 1.0) -> Validity:
    return Inertial(m, inertia=np.diag(moments)).validity()


@pytest.mark.parametrize(
    ("moments", "expected"),
    [
        ((1, 1, 1), VALID),
        ((1, 1, 2), VALID),
        ((2, 1, 1), VALID),
        ((1, 1, 2.0000009), VALID),
        ((3.33e-6, 3.33e-6, 6.67e-6), ROUNDING),
        ((1, 1, 2.019), ROUNDING),
        ((1, 1, 2.03), INVALID),
        ((0, 1, 1), INVALID),
        ((-1, 1, 1), INVALID),
        ((-1, -1, -1), INVALID),
        ((0, 0, 0), INVALID),
        ((0.9e-9, 1, 1), INVALID),
        ((1.1e-9, 1, 1), VALID),
        ((float("nan"), 1, 1), INVALID),
        ((float("inf"), 1, 1), INVALID),
    ],
)
def test_verdicts(moments, expected):
    assert verdict(*moments) is expected


@pytest.mark.parametrize("m", [0.0, -1.0, float("nan"), float("inf")])
def test_a_mass_that_is_none_is_invalid(m):
    assert verdict(1, 1, 1, m=m) is INVALID


@given(powers, powers)
@pytest.mark.parametrize("moments", [(1, 1, 1), (1, 1, 2), (3.33, 3.33, 6.67), (1, 1, 2.03), (0, 1, 1), (1e-8, 1, 1)])
def test_neither_mass_nor_size_matters(moments, m, size):
    assert verdict(*(m * size**2 * np.array(moments)), m=m) is verdict(*moments)


@given(angles, powers)
@pytest.mark.parametrize("thinness", [0.0, 1e-10, 1e-8, 1e-4])
@example(rpy=(0.1, 0.7, 0.3), size=1e4)
@example(rpy=(0.1, 0.7, 0.3), size=1e-4)
def test_slanted_thin_rods_are_judged_alike_at_every_size(thinness, rpy, size):
    rod = rotate_tensor(rotation_from_rpy(rpy), size * np.diag([thinness, 1.0, 1.0]))
    assert Inertial(1.0, inertia=rod).validity() is (VALID if thinness > 1e-9 else INVALID)


@given(angles, st.floats(0.01, 1.0), powers)
def test_slanted_plates_are_valid_at_every_size(rpy, width, size):
    plate = rotate_tensor(rotation_from_rpy(rpy), size * np.diag([width, 1.0, 1.0 + width]))
    assert Inertial(1.0, inertia=plate).validity() is VALID


@given(st.floats(1e-6, 10), st.floats(1e-6, 10), powers)
@example(1.005, 0.1, 1.0)
@example(1.0049, 0.0003, 1.0)
def test_three_significant_digits_of_a_real_body_are_never_invalid(first, second, size):
    """A plate has no room to spare, so its rounded moments violate the inequality the most."""
    printed = [float(f"{size * moment:.3g}") for moment in (first, second, first + second)]
    assert verdict(*printed) is not INVALID


def _edges(moments):
    """Pair each ratio with the thresholds, where the rounding of two eigenvalue routines may decide differently."""
    smallest, excess = smallest_ratio(moments), triangle_excess(moments)
    yield from ((smallest, -DEFINITE_TOLERANCE), (smallest, DEFINITE_TOLERANCE))
    yield from ((excess, TRIANGLE_ROUNDING), (excess, TRIANGLE_IMPOSSIBLE))


@given(st.tuples(*[st.floats(-1, 1)] * 3), angles)
@example((3.33, 3.33, 6.67), (0, 0, 0))
@example((1.0, 1.0, 2.019), (0, 0, 0))
def test_findings_and_verdict_come_from_one_judge(moments, rpy):
    """`check` speaks exactly when the verdict is not `VALID`, and warns exactly when that is `ROUNDING`."""
    turned = rotate_tensor(rotation_from_rpy(rpy), np.diag(moments))
    assume(np.abs(turned).max() > 1e-3)
    assume(all(abs(ratio - edge) > 1e-12 for ratio, edge in _edges(np.array(moments))))
    (xx, xy, xz), (_, yy, yz), (_, _, zz) = turned.tolist()
    text = urdf(link("base", mass(1) + tensor(xx, yy, zz, xy, xz, yz), BOX))
    codes = {finding.code for finding in it.check(it.load_text(text))["base"].findings} & FAULTS
    expected = Inertial(1.0, inertia=turned).validity()
    assert (expected is VALID) == (not codes)
    assert (expected is ROUNDING) == (codes == {"triangle-rounding"})


@given(st.tuples(*[st.floats(0.1, 1)] * 3), st.permutations(range(3)))
def test_the_order_of_the_moments_does_not_matter(moments, order):
    values = np.array(moments)
    assert judge_moments(values[order]) is judge_moments(values)


def test_ratios():
    assert smallest_ratio(np.array([-1.0, 1.0, 4.0])) == -0.25
    assert triangle_excess(np.array([1.0, 4.0, 1.0])) == 0.5
    assert triangle_excess(np.array([1.0, 1.0, 2.0])) == 0.0
    assert np.isnan(smallest_ratio(np.zeros(3)))
    assert np.isnan(triangle_excess(np.zeros(3)))
