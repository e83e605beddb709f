# SPDX-FileCopyrightText: The inertia_tools authors
# SPDX-License-Identifier: Apache-2.0
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.optimize import minimize

from inertia_tools.inertia.nearest import nearest_valid_moments, nearest_valid_tensor, relative_change
from inertia_tools.inertial import Inertial
from inertia_tools.spatial import rotation_from_rpy

moments = st.tuples(*[st.floats(-1, 1)] * 3).filter(lambda m: max(map(abs, m)) > 1e-3).map(np.array)
angles = st.tuples(*[st.floats(-3, 3)] * 3)


@given(moments)
def test_result_is_possible_and_a_fixed_point(m):
    nearest = nearest_valid_moments(m)
    assert Inertial(1, inertia=np.diag(nearest)).is_valid(1e-12)
    assert np.allclose(nearest_valid_moments(nearest), nearest, rtol=0, atol=1e-5 * np.abs(nearest).max())


@given(moments)
def test_nothing_possible_lies_nearer(m):
    """The optimum of a general solver, over moments written as sums of non-negative second moments."""
    nearest = nearest_valid_moments(m)
    to_moments = np.ones((3, 3)) - np.eye(3)
    best = minimize(lambda s: ((to_moments @ s - m) ** 2).sum(), np.ones(3), bounds=[(0, None)] * 3, tol=1e-14)
    floor = 1e-5 * np.abs(m).max()
    assert np.linalg.norm(nearest - m) <= np.sqrt(best.fun) + floor


@given(moments, angles)
def test_principal_axes_stay(m, rpy):
    turn = rotation_from_rpy(rpy)
    turned = nearest_valid_tensor(turn @ np.diag(m) @ turn.T)
    assert np.allclose(turn.T @ turned @ turn, nearest_valid_tensor(np.diag(m)), atol=1e-9)


@pytest.mark.parametrize("m", [(1, 1, 1), (1, 1, 1.99), (0.01, 1, 1)])
def test_possible_tensors_stay_untouched(m):
    assert np.array_equal(nearest_valid_moments(np.array(m, dtype=float)), m)


def test_triangle_violation_is_shared_equally():
    assert np.allclose(nearest_valid_moments(np.array([1.0, 1.0, 2.3])), [1.1, 1.1, 2.2], atol=1e-8)


def test_scale_does_not_matter():
    m = np.array([-0.1, 0.5, 1.0])
    assert np.allclose(nearest_valid_moments(m * 1e-12), nearest_valid_moments(m) * 1e-12, rtol=1e-12)


def test_relative_change_is_the_largest_over_all_axes():
    assert relative_change(np.diag([1.0, 1.0, 2.0]), np.diag([1.1, 1.0, 1.8])) == pytest.approx(0.1)
