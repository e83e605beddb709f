# SPDX-FileCopyrightText: The inertia_tools authors
# SPDX-License-Identifier: Apache-2.0
"""Triangles of terrain, and the adjacency of triangles: neighbour normals at edges, and edges at corners."""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np

from inertia_tools.sim.scene.heightfield import Heightfield
from inertia_tools.spatial import Array


def rectangle(half_x: float, half_y: float) -> Array:
    """Return the two triangles of a rectangle about the origin that faces z [m], shape (2, 3, 3)."""
    a, b = np.array([-half_x, -half_y, 0.0]), np.array([half_x, -half_y, 0.0])
    c, d = -a, -b
    return np.array([[a, b, c], [a, c, d]])


def height_triangles(field: Heightfield) -> Array:
    """Return two triangles per cell of a heightfield, counter-clockwise from above [m], shape (n, 3, 3)."""
    heights = field.heights
    rows, columns = heights.shape
    x, y = np.meshgrid(np.linspace(-field.hx, field.hx, columns), np.linspace(-field.hy, field.hy, rows))
    grid = np.stack([x, y, heights], axis=-1)
    a, b, c, d = grid[:-1, :-1], grid[:-1, 1:], grid[1:, 1:], grid[1:, :-1]
    return np.stack([np.stack([a, b, c], axis=2), np.stack([a, c, d], axis=2)], axis=2).reshape(-1, 3, 3)


@dataclass(frozen=True, eq=False)
class Corners:
    """Edges at the corners of triangles.

    Attributes:
        ways: Unit directions of the edges, grouped by corner, shape (k, 3).
        first: First edge of each corner of each triangle, shape (n, 3).
        count: Number of edges of each corner, shape (n, 3); zero at a border of the surface.
    """

    ways: Array = field(default_factory=lambda: np.zeros((0, 3)))
    first: np.ndarray = field(default_factory=lambda: np.zeros((0, 3), dtype=np.int32))
    count: np.ndarray = field(default_factory=lambda: np.zeros((0, 3), dtype=np.int32))


def edges_at_corners(triangles: Array) -> Corners:
    """Return the edges at the corners of triangles, shape (n, 3, 3); corners match as in `normals_beyond`."""
    places, index = _numbered(triangles)
    start, end = index.ravel(), np.roll(index, -1, axis=1).ravel()
    both, times = np.unique(
        np.concatenate([np.stack([start, end]), np.stack([end, start])], axis=1), axis=1, return_counts=True
    )
    ends = np.unique(both[:, times != 2])
    pairs = both[:, both[0] != both[1]]
    ways = places[pairs[1]] - places[pairs[0]]
    first = np.searchsorted(pairs[0], index, side="left")
    count = np.where(np.isin(index, ends), 0, np.searchsorted(pairs[0], index, side="right") - first)
    return Corners(ways / np.linalg.norm(ways, axis=1, keepdims=True), first.astype(np.int32), count.astype(np.int32))


def normals_beyond(triangles: Array) -> Array:
    """Return the unit normal of the neighbour triangle across each edge, from corner i to i + 1, shape (n, 3, 3).

    It is zero at an edge without a neighbour or with more than one. Corners with equal coordinates are the same corner.
    """
    corners, index = _numbered(triangles)
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


def _numbered(triangles: Array) -> tuple[Array, np.ndarray]:
    """Return the distinct corners of triangles, shape (k, 3), and the index of each corner, shape (n, 3)."""
    places, index = np.unique(triangles.reshape(-1, 3) + 0.0, axis=0, return_inverse=True)
    return places, index.reshape(-1, 3)
