# SPDX-FileCopyrightText: The inertia_tools authors
# SPDX-License-Identifier: Apache-2.0
"""How many times a surface winds around a point: the generalised winding number (Jacobson 2013).

The solid angle of a triangle whose corners are a, b, c seen from a point is 2 atan2(a . (b x c), |a||b||c| + (a . b)|c|
+ (b . c)|a| + (c . a)|b|) (van Oosterom 1983); their sum over 4 pi is 1 inside a closed surface wound
outwards, 0 outside it, and in between where the surface has holes.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from inertia_tools.geometry.mesh.surface import Indices
from inertia_tools.spatial import Array

BLOCK = 1 << 20
"""Points times triangles evaluated at a time, so that the numbers stay in tens of megabytes."""


def winding_numbers(points: Array, vertices: Array, triangles: Indices) -> Array:
    """Return the winding number of a surface about each point, shape (k,).

    Args:
        points: Points [m], shape (k, 3).
        vertices: Positions [m], shape (n, 3).
        triangles: Three vertex indices each, shape (m, 3).
    """
    corners = vertices[triangles]
    step = max(1, BLOCK // max(1, len(triangles)))
    blocks = [_solid_angles(points[i : i + step], corners).sum(axis=1) for i in range(0, len(points), step)]
    return np.concatenate(blocks) / (4.0 * np.pi) if blocks else np.zeros(0)


def _solid_angles(points: Array, corners: Array) -> Array:
    """Return the solid angles of triangles; each vector component is an array of points by triangles."""
    a, b, c = ([corners[:, k, axis] - points[:, axis, None] for axis in range(3)] for k in range(3))
    la, lb, lc = (np.sqrt(_dot(side, side)) for side in (a, b, c))
    across = [b[axis - 2] * c[axis - 1] - b[axis - 1] * c[axis - 2] for axis in range(3)]
    whole = la * lb * lc + _dot(a, b) * lc + _dot(b, c) * la + _dot(c, a) * lb
    return np.asarray(2.0 * np.arctan2(_dot(a, across), whole))


def _dot(a: Sequence[Array], b: Sequence[Array]) -> Array:
    return a[0] * b[0] + a[1] * b[1] + a[2] * b[2]
