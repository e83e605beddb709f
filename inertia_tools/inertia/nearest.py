# SPDX-FileCopyrightText: The inertia_tools authors
# SPDX-License-Identifier: Apache-2.0
"""The possible inertia tensor nearest to an impossible one.

Nearest means smallest Frobenius norm of the difference. That norm and the set of possible tensors are invariant under
rotation, so the nearest tensor has the same principal axes, and the search is over three moments: the projection of a
point onto a polyhedral cone, found exactly by trying every set of active bounds. A possible tensor is its own nearest;
the result for an impossible one is a margin inside the boundary, so that it stays possible in a file.
"""

from __future__ import annotations

from functools import cache
from itertools import combinations

import numpy as np

from inertia_tools.spatial import Array
from inertia_tools.validity import Validity, judge_moments, triangle_excess

MOMENT_FLOOR = 1e-6
"""Smallest moment, as a ratio of the largest declared one, that a repair leaves: it survives single precision."""

TRIANGLE_MARGIN = 1e-9
"""How far, as a ratio of the largest declared moment, a repair stays inside the triangle inequality."""

SMALL_CHANGE = 0.1
"""A nearest valid tensor that changes no moment by more than this ratio of the largest is taken as a correction."""

FEASIBLE = 1e-13
"""Tolerance of the bounds on moments, as a ratio of the largest: the rounding error of eigenvalues."""

NORMALS = np.array([*np.eye(3), [-1.0, 1.0, 1.0], [1.0, -1.0, 1.0], [1.0, 1.0, -1.0]])
"""Normals of the planes that bound the possible moments: each is positive, and none exceeds the sum of the others."""


def nearest_valid_tensor(inertia: Array) -> Array:
    """Return the nearest tensor that a rigid body with volume can have [kg m^2], shape (3, 3).

    A possible tensor is returned bit for bit; an impossible one keeps its principal axes.

    Args:
        inertia: A finite symmetric tensor, not zero [kg m^2], shape (3, 3).
    """
    moments, axes = np.linalg.eigh(inertia)
    if _are_possible(moments):
        return inertia
    tensor: Array = (axes * nearest_valid_moments(moments)) @ axes.T
    return 0.5 * (tensor + tensor.T)


def nearest_within_small_change(inertia: Array) -> Array:
    """Return the nearest valid tensor where that changes no moment by more than `SMALL_CHANGE`, else the same tensor.

    Args:
        inertia: A finite symmetric tensor, not zero [kg m^2], shape (3, 3).
    """
    nearest = nearest_valid_tensor(inertia)
    return nearest if relative_change(inertia, nearest) <= SMALL_CHANGE else inertia


def nearest_valid_moments(moments: Array) -> Array:
    """Return the nearest principal moments that a rigid body with volume can have [kg m^2], shape (3,)."""
    if _are_possible(moments):
        return moments
    size = float(np.abs(moments).max())
    bounds = size * np.array([MOMENT_FLOOR] * 3 + [TRIANGLE_MARGIN] * 3)
    best, best_distance = moments, np.inf
    for count in range(4):
        for active in combinations(range(6), count):
            candidate = _onto_planes(moments, active, bounds)
            distance = float(np.linalg.norm(candidate - moments))
            if distance < best_distance and (NORMALS @ candidate >= bounds - FEASIBLE * size).all():
                best, best_distance = candidate, distance
    return best


def _are_possible(moments: Array) -> bool:
    """Return whether a rigid body with volume can have these moments, to the rounding of eigenvalues."""
    return judge_moments(moments) is Validity.VALID and triangle_excess(moments) <= FEASIBLE


def _onto_planes(point: Array, active: tuple[int, ...], bounds: Array) -> Array:
    """Project a point onto the intersection of planes normal . x = bound, given by their numbers."""
    if not active:
        return point
    chosen = list(active)
    return point + _pseudoinverse(active) @ (bounds[chosen] - NORMALS[chosen] @ point)


@cache
def _pseudoinverse(active: tuple[int, ...]) -> Array:
    """Return the pseudoinverse of some planes' normals; there are 41 choices, and a robot needs each once per link."""
    return np.linalg.pinv(NORMALS[list(active)])


def relative_change(before: Array, after: Array) -> float:
    """Return the largest change of the moment about any axis, over the largest principal moment of `before`."""
    return float(np.linalg.norm(after - before, 2) / np.linalg.norm(before, 2))
