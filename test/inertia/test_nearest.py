# SPDX-FileCopyrightText: The inertia_tools authors
# SPDX-License-Identifier: Apache-2.0
import numpy as np
import pytest
from hypothesis import assume, example, given
from hypothesis import strategies as st
from scipy.optimize import minimize

from inertia_tools.inertia.nearest import nearest_valid_moments, nearest_valid_tensor, relative_change
from inertia_tools.inertial import Inertial, rotate_tensor, tensor_from_six
from inertia_tools.spatial import rotation_from_rpy
from inertia_tools.validity import DEFINITE_TOLERANCE, Validity, smallest_ratio

moments = st.tuples(*[st.floats(-1, 1)] * 3).filter(lambda m: max(map(abs, m)) > 1e-3).map(np.array)
angles = st.tuples(*[st.floats(-3, 3)] * 3)
tensors = st.tuples(*[st.floats(-1, 1)] * 6).filter(lambda six: max(map(abs, six)) > 1e-3).map(tensor_from_six)
powers = st.integers(-15, 15).map(lambda power: 10.0**power)

MARGIN = 1e-5
"""Ratio to the largest moment by which a repair may stay inside the edge of what is possible, hence miss the nearest."""


@st.composite
def real_tensors(draw):
    """The tensor of a body, from second moments of its mass that are none of them negative.

    Numbers that turning would round by more than their own last digits, under 1e-290, are no lengths of anything.
    """
    second = np.array(draw(st.tuples(*[st.floats(0, 2).map(lambda value: value if value > 1e-290 else 0.0)] * 3)))
    return rotate_tensor(rotation_from_rpy(draw(angles)), np.diag(second.sum() - second))


def judged(tensor) -> Validity:
    return Inertial(1.0, inertia=tensor).validity()


@given(moments)
def test_result_is_possible_and_a_fixed_point(m):
    nearest = nearest_valid_moments(m)
    assert Inertial(1, inertia=np.diag(nearest)).is_valid(1e-12)
    assert np.array_equal(nearest_valid_moments(nearest), nearest)


@given(tensors, powers)
@example(np.diag([3.33, 3.33, 6.67]), 1e-6)
@example(np.diag([1.0, 1.0, -1.0]), 1.0)
def test_nearest_tensor_is_possible_and_its_own_nearest(tensor, scale):
    nearest = nearest_valid_tensor(scale * tensor)
    assert Inertial(1, inertia=nearest).is_valid(1e-12)
    assert np.array_equal(nearest_valid_tensor(nearest), nearest)


@given(moments)
def test_nothing_possible_lies_nearer(m):
    """The optimum of a general solver, over moments written as sums of non-negative second moments."""
    nearest = nearest_valid_moments(m)
    to_moments = np.ones((3, 3)) - np.eye(3)
    best = minimize(lambda s: ((to_moments @ s - m) ** 2).sum(), np.ones(3), bounds=[(0, None)] * 3, tol=1e-14)
    assert np.linalg.norm(nearest - m) <= np.sqrt(best.fun) + MARGIN * np.abs(m).max()


@given(tensors, real_tensors())
def test_no_real_tensor_lies_nearer(tensor, real):
    """In the Frobenius norm, whatever the axes of the other tensor."""
    nearest = nearest_valid_tensor(tensor)
    allowed = MARGIN * np.linalg.norm(tensor)
    assert np.linalg.norm(nearest - tensor) <= np.linalg.norm(real - tensor) + allowed


@given(tensors, real_tensors())
def test_every_real_tensor_lies_beyond_the_nearest(tensor, real):
    """The change meets the set of possible tensors, which is convex, at no acute angle: that proves it the least."""
    nearest = nearest_valid_tensor(tensor)
    towards = real - nearest
    assert np.sum((tensor - nearest) * towards) <= MARGIN * np.linalg.norm(tensor) * (
        np.linalg.norm(towards) + np.linalg.norm(tensor)
    )


@given(moments, angles)
def test_principal_axes_stay(m, rpy):
    assume(abs(smallest_ratio(m) - DEFINITE_TOLERANCE) > 1e-12)  # there a moment either stays or rises to the floor
    turn = rotation_from_rpy(rpy)
    turned = nearest_valid_tensor(turn @ np.diag(m) @ turn.T)
    assert np.allclose(turn.T @ turned @ turn, nearest_valid_tensor(np.diag(m)), atol=1e-9)


@given(tensors)
def test_repaired_tensor_has_the_axes_of_the_declared_one(tensor):
    """Symmetric matrices share eigenvectors exactly when they commute, also where moments coincide."""
    nearest = nearest_valid_tensor(tensor)
    assert np.allclose(nearest @ tensor, tensor @ nearest, rtol=0, atol=1e-14)


@pytest.mark.parametrize("m", [(1, 1, 1), (1, 1, 1.99), (0.01, 1, 1), (1, 1, 2), (1e-8, 1, 1), (2, 1, 1)])
def test_possible_moments_stay_untouched(m):
    assert np.array_equal(nearest_valid_moments(np.array(m, dtype=float)), m)


@given(real_tensors(), powers)
def test_real_tensors_stay_untouched_bit_for_bit(real, scale):
    tensor = scale * real
    assume(judged(tensor) is Validity.VALID)
    assert np.array_equal(nearest_valid_tensor(tensor), tensor)


@given(tensors)
def test_only_what_is_impossible_changes(tensor):
    changed = not np.array_equal(nearest_valid_tensor(tensor), tensor)
    assert changed is not Inertial(1, inertia=tensor).is_valid(1e-13)


def test_rounded_decimals_change_by_their_rounding():
    declared = np.diag([3.33e-6, 3.33e-6, 6.67e-6])
    assert judged(declared) is Validity.ROUNDING
    assert relative_change(declared, nearest_valid_tensor(declared)) == pytest.approx(0.01 / 3 / 6.67, rel=1e-3)


def test_triangle_violation_is_shared_equally():
    assert np.allclose(nearest_valid_moments(np.array([1.0, 1.0, 2.3])), [1.1, 1.1, 2.2], atol=1e-8)


def test_scale_does_not_matter():
    m = np.array([-0.1, 0.5, 1.0])
    assert np.allclose(nearest_valid_moments(m * 1e-12), nearest_valid_moments(m) * 1e-12, rtol=1e-12)


def test_relative_change_is_the_largest_over_all_axes():
    assert relative_change(np.diag([1.0, 1.0, 2.0]), np.diag([1.1, 1.0, 1.8])) == pytest.approx(0.1)
