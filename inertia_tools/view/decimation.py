# SPDX-FileCopyrightText: The inertia_tools authors
# SPDX-License-Identifier: Apache-2.0
"""Coarser meshes for display, by vertex clustering (Rossignac and Borrel 1993)."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from inertia_tools.geometry.mesh.triangles import TriangleMesh
from inertia_tools.spatial import Array

FINEST = 1024
"""Cells along the longest side of the finest grid; smaller cells would be below the pixel size of any picture."""

MOST_KEYED = 2_000_000
"""Maximum number of vertices whose indices fit three at a time into 63 bits."""

HALVINGS = 10
"""Steps of the search for the finest grid with few enough triangles."""


def shares(counts: Sequence[int], most: int) -> list[int]:
    """Return the number of triangles that each mesh may keep for a given total; small meshes keep all.

    Args:
        counts: Number of triangles of each mesh.
        most: Maximum total.
    """
    low, high = 0, max(counts, default=0)
    while low < high:
        cap = (low + high + 1) // 2
        if sum(min(count, cap) for count in counts) <= most:
            low = cap
        else:
            high = cap - 1
    return [min(count, low) for count in counts]


def decimated(mesh: TriangleMesh, most: int) -> TriangleMesh:
    """Return a simplified mesh with at most `most` triangles; vertices move by less than a cell."""
    if len(mesh.triangles) <= most:
        return mesh
    best = TriangleMesh(np.zeros((0, 3)), np.zeros((0, 3), dtype=np.int64))
    low, high = 1, FINEST
    for _ in range(HALVINGS):
        cells = (low + high) // 2
        coarse = _clustered(mesh, cells)
        if len(coarse.triangles) <= most:
            best, low = coarse, cells + 1
        else:
            high = cells - 1
        if low > high:
            break
    return best


def _clustered(mesh: TriangleMesh, cells: int) -> TriangleMesh:
    """Move the vertices in each cell of a grid to their mean, and drop collapsed and duplicate triangles."""
    low = mesh.vertices.min(axis=0)
    edge = float(np.ptp(mesh.vertices, axis=0).max()) / cells or 1.0
    cell = np.minimum(((mesh.vertices - low) / edge).astype(np.int64), cells)
    keys = (cell[:, 0] * (cells + 1) + cell[:, 1]) * (cells + 1) + cell[:, 2]
    _, number = np.unique(keys, return_inverse=True)
    means = _means(mesh.vertices, number)
    return TriangleMesh(means, _distinct(number[mesh.triangles], len(means)))


def _means(points: Array, number: np.ndarray) -> Array:
    """Return the mean of the points of each index, shape (indices, 3)."""
    count = np.bincount(number)
    return np.stack([np.bincount(number, weights=points[:, axis]) / count for axis in range(3)], axis=1)


def _distinct(triangles: np.ndarray, count: int) -> np.ndarray:
    """Return the triangles with three distinct corners among `count`, each once per side, shape (m, 3)."""
    a, b, c = triangles.T
    triangles = triangles[(a != b) & (b != c) & (c != a)]
    first = triangles.argmin(axis=1)
    rows = np.arange(len(triangles))[:, None]
    a, b, c = triangles[rows, (first[:, None] + np.arange(3)) % 3].T
    if count > MOST_KEYED:
        return np.unique(np.stack([a, b, c], axis=1), axis=0)
    keys = np.unique((a * count + b) * count + c)  # one number each, which sorts faster than three
    return np.stack([keys // count**2, keys // count % count, keys % count], axis=1)
