# SPDX-FileCopyrightText: The inertia_tools authors
# SPDX-License-Identifier: Apache-2.0
"""Convex hulls in the plane, and how far points are inside them."""

from __future__ import annotations

import numpy as np

from inertia_tools.spatial import Array


def planar_hull(points: Array) -> Array:
    """Return the corners of the convex hull of points of a plane, counter-clockwise.

    Andrew's monotone chain (1979).

    Args:
        points: Points, shape (n, 2).

    Returns:
        The corners, shape (k, 2): fewer than three if all points coincide or are collinear.
    """
    ordered = np.unique(points, axis=0)
    if len(ordered) < 3:
        return ordered
    return np.array([*_half(ordered), *_half(ordered[::-1])])


def inside_margin(point: Array, corners: Array) -> float:
    """Return the distance of a point inside the nearest edge of a hull, negative outside.

    Args:
        point: The point, shape (2,).
        corners: Corners from `planar_hull`, one or more; fewer than three have no inside.
    """
    edges = np.roll(corners, -1, axis=0) - corners
    offsets = np.asarray(point) - corners
    lengths = (edges**2).sum(axis=1)
    share = np.clip((offsets * edges).sum(axis=1) / np.where(lengths > 0.0, lengths, 1.0), 0.0, 1.0)
    distance = float(np.linalg.norm(offsets - share[:, None] * edges, axis=1).min())
    left = edges[:, 0] * offsets[:, 1] - edges[:, 1] * offsets[:, 0]
    return distance if len(corners) > 2 and bool((left >= 0.0).all()) else -distance


def _half(points: Array) -> list[Array]:
    """Return the corners of one side of the hull of points in order, without the last."""
    kept: list[Array] = []
    for point in points:
        while len(kept) > 1 and _turn(kept[-2], kept[-1], point) <= 0.0:
            kept.pop()
        kept.append(point)
    return kept[:-1]


def _turn(a: Array, b: Array, c: Array) -> float:
    """Return twice the area of a triangle, positive if it is counter-clockwise."""
    return float((b[0] - a[0]) * (c[1] - a[1]) - (b[1] - a[1]) * (c[0] - a[0]))
