# SPDX-FileCopyrightText: The inertia_tools authors
# SPDX-License-Identifier: Apache-2.0
"""Convex hulls in the plane against Qhull, and margins by their laws."""

import itertools

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays
from scipy.spatial import ConvexHull, QhullError

from inertia_tools.geometry.planar_hull import inside_margin, planar_hull

CLOUDS = arrays(np.float64, st.tuples(st.integers(1, 30), st.just(2)), elements=st.floats(-5, 5, width=16))
POINTS = arrays(np.float64, 2, elements=st.floats(-8, 8, width=16))


@given(CLOUDS)
def test_hulls_have_the_area_that_qhull_finds(cloud):
    corners = planar_hull(cloud)
    x, y = corners.T
    area = 0.5 * float(x @ np.roll(y, -1) - y @ np.roll(x, -1))
    try:
        expected, error = (ConvexHull(cloud).volume if len(cloud) > 2 else 0.0), 1e-9
    except QhullError:  # which refuses flat clouds
        expected, error = 0.0, 1e-3
    assert area == pytest.approx(expected, abs=error)


@given(CLOUDS, POINTS)
def test_a_hull_holds_its_points_and_no_point_outside_is_in_it(cloud, point):
    corners = planar_hull(cloud)
    assert all(inside_margin(one, corners) >= -1e-9 for one in cloud)
    margin = inside_margin(point, corners)
    joined = planar_hull(np.vstack([cloud, point]))
    if margin < -1e-6:
        assert any(np.array_equal(one, point) for one in joined)
    elif margin > 1e-6:
        assert np.array_equal(joined, corners)


@given(CLOUDS, POINTS)
def test_a_margin_is_the_distance_to_the_rim(cloud, point):
    corners = planar_hull(cloud)
    ring = np.vstack([corners, corners[:1]])
    rim = np.concatenate([np.linspace(a, b, 200) for a, b in itertools.pairwise(ring)])
    nearest = np.linalg.norm(rim - point, axis=1).min()
    assert abs(inside_margin(point, corners)) == pytest.approx(nearest, abs=0.08)


def test_points_and_lines_have_no_inside():
    assert inside_margin(np.array([3.0, 4.0]), np.zeros((1, 2))) == -5.0
    line = planar_hull(np.array([[0.0, 0.0], [1.0, 0.0], [2.0, 0.0]]))
    assert inside_margin(np.array([5.0, 0.0]), line) == -3.0
    assert inside_margin(np.array([1.0, 0.0]), line) == 0.0
