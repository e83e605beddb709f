# SPDX-FileCopyrightText: The inertia_tools authors
# SPDX-License-Identifier: Apache-2.0
"""The bound on the time step is that of the integration itself: powers of its matrix grow above it, and not below."""

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from inertia_tools.diagnosis.step_stability import effective_inertias, longest_stable_step, longest_step

SIZES = st.floats(1e-6, 1e3)


def growth(mass, stiffness, damping, step, implicit=0.0):
    """Return the largest factor by which a step of semi-implicit Euler multiplies a motion."""
    count, identity = len(mass), np.eye(len(mass))
    implicit = np.diag(np.zeros(count) + implicit)
    inverse = np.linalg.inv(mass + step * implicit)
    rate_of_position = -step * inverse @ np.diag(stiffness)
    rate_of_rate = identity - step * inverse @ (np.diag(damping) + implicit)
    matrix = np.block([[identity + step * rate_of_position, step * rate_of_rate], [rate_of_position, rate_of_rate]])
    assert matrix.shape == (2 * count, 2 * count)
    return float(np.abs(np.linalg.eigvals(matrix)).max())


@given(SIZES, SIZES)
def test_a_spring_alone_allows_two_over_omega(inertia, stiffness):
    assert longest_step(inertia, stiffness, 0.0) == pytest.approx(2.0 / math.sqrt(stiffness / inertia))


@given(SIZES, SIZES)
def test_a_damper_alone_allows_twice_the_inertia_over_it(inertia, damping):
    assert longest_step(inertia, 0.0, damping) == pytest.approx(2.0 * inertia / damping)


def test_nothing_bounds_what_nothing_resists():
    assert longest_step(1.0, 0.0, 0.0) == math.inf
    assert longest_stable_step(np.eye(3), np.zeros(3), np.zeros(3)).longest == math.inf


@given(SIZES, SIZES, SIZES)
def test_one_degree_of_freedom_has_the_bound_of_the_matrix(inertia, stiffness, damping):
    study = longest_stable_step(np.array([[inertia]]), np.array([stiffness]), np.array([damping]))
    assert study.longest == pytest.approx(longest_step(inertia, stiffness, damping), rel=1e-6)
    assert study.shares == pytest.approx([1.0])


def any_mass_matrix(random):
    """Return the mass matrix of one to seven degrees of freedom."""
    count = int(random.integers(1, 8))
    root = random.normal(size=(count, count))
    return root @ root.T + 0.1 * np.eye(count)


@pytest.mark.parametrize("seed", range(20))
def test_motion_grows_above_the_bound_and_not_below(seed):
    random = np.random.default_rng(seed)
    mass = any_mass_matrix(random)
    count = len(mass)
    acts = random.random(count) < 0.7
    acts[0] = True
    stiffness = np.where(acts, 10.0 ** random.uniform(-2, 4, count), 0.0) * (random.random(count) < 0.7)
    damping = np.where(acts, 10.0 ** random.uniform(-2, 3, count), 0.0)
    bound = longest_stable_step(mass, stiffness, damping).longest
    assert growth(mass, stiffness, damping, 0.999 * bound) <= 1.0 + 1e-9
    assert growth(mass, stiffness, damping, 1.01 * bound) > 1.0 + 1e-6


@pytest.mark.parametrize("seed", range(20))
def test_implicit_damping_counts_as_negative(seed):
    random = np.random.default_rng(seed)
    mass = any_mass_matrix(random)
    count = len(mass)
    stiffness, damping, implicit = (
        10.0 ** random.uniform(-2, 3, count) * (random.random(count) < 0.6) for _ in range(3)
    )
    bound = longest_stable_step(mass, stiffness, damping - implicit).longest
    if math.isinf(bound):
        assert growth(mass, stiffness, damping, 1e3, implicit) <= 1.0 + 1e-9
        return
    assert growth(mass, stiffness, damping, 0.999 * bound, implicit) <= 1.0 + 1e-9
    assert growth(mass, stiffness, damping, 1.01 * bound, implicit) > 1.0


def test_all_together_allow_no_more_than_each_alone():
    mass = np.array([[2.0, 0.9], [0.9, 0.5]])
    stiffness, damping = np.array([30.0, 80.0]), np.array([1.0, 4.0])
    each = [longest_step(i, k, d) for i, k, d in zip(effective_inertias(mass), stiffness, damping, strict=True)]
    assert longest_stable_step(mass, stiffness, damping).longest <= min(each)


def test_one_resisted_joint_meets_the_effective_inertia():
    mass = np.array([[2.0, 0.9], [0.9, 0.5]])
    bound = longest_stable_step(mass, np.zeros(2), np.array([0.0, 3.0]))
    assert bound.longest == pytest.approx(longest_step(effective_inertias(mass)[1], 0.0, 3.0))
    assert bound.shares == pytest.approx([0.0, 1.0])
