# SPDX-FileCopyrightText: The inertia_tools authors
# SPDX-License-Identifier: Apache-2.0
"""Triangles of terrain, and what lies across the edges of triangles."""

from __future__ import annotations

import numpy as np

from inertia_tools.sim.scene.heightfield import Heightfield
from inertia_tools.spatial import Array


def height_triangles(field: Heightfield) -> Array:
    """Return two triangles for each cell of a grid of heights, seen from above counter-clockwise, shape (n, 3, 3)."""
    rows, columns = field.data.shape
    x, y = np.meshgrid(np.linspace(-field.hx, field.hx, columns), np.linspace(-field.hy, field.hy, rows))
    grid = np.stack([x, y, field.data], axis=-1)
    a, b, c, d = grid[:-1, :-1], grid[:-1, 1:], grid[1:, 1:], grid[1:, :-1]
    return np.stack([np.stack([a, b, c], axis=2), np.stack([a, c, d], axis=2)], axis=2).reshape(-1, 3, 3)


def normals_beyond(triangles: Array) -> Array:
    """Return the unit normal of the triangle across each edge, from corner i to i + 1, shape (n, 3, 3).

    It is zero where there is none, or more than one. Corners are the same when their coordinates are.
    """
    corners, index = np.unique(triangles.reshape(-1, 3) + 0.0, axis=0, return_inverse=True)
    index = index.reshape(-1, 3)
    normal = np.cross(triangles[:, 1] - triangles[:, 0], triangles[:, 2] - triangles[:, 0])
    size = np.linalg.norm(normal, axis=1, keepdims=True)
    normal = np.divide(normal, size, out=np.zeros_like(normal), where=size > 0.0)
    start, end = index.ravel(), np.roll(index, -1, axis=1).ravel()
    forth, back = start * len(corners) + end, end * len(corners) + start
    order = np.argsort(forth, kind="stable")
    first = np.searchsorted(forth[order], back, side="left")
    last = np.searchsorted(forth[order], back, side="right")
    twin = order[np.minimum(first, len(order) - 1)] // 3
    beyond = np.where((last - first == 1)[:, None], normal[twin], 0.0)
    return beyond.reshape(-1, 3, 3)
