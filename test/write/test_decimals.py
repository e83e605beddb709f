# SPDX-FileCopyrightText: The inertia_tools authors
# SPDX-License-Identifier: Apache-2.0
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from inertia_tools.errors import InertiaError
from inertia_tools.inertia.nearest import nearest_valid_tensor
from inertia_tools.inertial import point_tensor
from inertia_tools.spatial import rotation_from_rpy
from inertia_tools.write.decimals import format_group, format_number, format_tensor


def principal_sums(texts: list[str]) -> tuple[list[Fraction], list[Fraction]]:
    """Leading minors of the written tensor and of tr/2 - I, in exact arithmetic."""
    xx, xy, xz, yy, yz, zz = map(Fraction, texts)
    half = (xx + yy + zz) / 2

    def minors(a, b, c, d, e, f):
        return [a, a * d - b * b, a * (d * f - e * e) - b * (b * f - c * e) + c * (b * e - c * d)]

    return minors(xx, xy, xz, yy, yz, zz), minors(half - xx, -xy, -xz, half - yy, -yz, half - zz)


@given(st.integers(0, 2**31), st.floats(-12, 6))
def test_written_tensors_are_exactly_possible_and_close(seed, exponent):
    rng = np.random.default_rng(seed)
    points = rng.normal(size=(4, 3)) * [1.0, 1.0, rng.choice([1.0, 1e-5])]
    tensor = sum(point_tensor(p) for p in points - points.mean(axis=0)) * 10.0**exponent
    texts = format_tensor(tensor)
    ours, others = principal_sums(texts)
    assert min(ours) > 0
    assert min(others) > 0
    written = np.array([float(text) for text in texts])
    assert np.allclose(written, tensor[np.triu_indices(3)], rtol=0, atol=1e-10 * np.abs(tensor).max())


@pytest.mark.parametrize("rpy", [(0, 0, 0), (0.3, 0.2, 0.1), (1, 2, 3)])
@pytest.mark.parametrize("moments", [(1, 1, 3), (0, 1, 1), (1, 2, 30)])
def test_nearest_valid_tensors_stay_valid_in_every_orientation(rpy, moments):
    turn = rotation_from_rpy(rpy)
    nearest = nearest_valid_tensor(turn @ np.diag(moments).astype(float) @ turn.T)
    ours, others = principal_sums(format_tensor(nearest))
    assert min(ours) > 0
    assert min(others) > 0


@pytest.mark.parametrize("moments", [(1.0, 1.0, 3.0), (0.0, 0.0, 0.0)])
def test_impossible_tensors_are_refused(moments):
    with pytest.raises(InertiaError, match="no body can have the tensor"):
        format_tensor(np.diag(moments))


@pytest.mark.parametrize(
    ("value", "text"),
    [
        (1.0, "1"),
        (0.1, "0.1"),
        (1 / 3, "0.333333333333"),
        (0.0, "0"),
        (-0.0, "0"),
        (1.5e-7, "1.5e-07"),
        (2e15, "2e+15"),
        (120.0, "120"),
    ],
)
def test_numbers_are_short(value, text):
    assert format_number(value) == text
    assert float(text) == pytest.approx(value, rel=1e-11)


def test_noise_beside_large_numbers_vanishes():
    assert format_group([1.0, 1e-17, -2.5]) == ["1", "0", "-2.5"]
    assert format_group([1e-17, 0, 0], size=0.1) == ["0", "0", "0"]
