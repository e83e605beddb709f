# SPDX-FileCopyrightText: The inertia_tools authors
# SPDX-License-Identifier: Apache-2.0
"""What a triangle surface is: closed or open, in how many pieces, wound which way."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from inertia_tools.geometry.mesh_file import TriangleMesh

WELD_FRACTION = 1e-6
"""Corners closer than this fraction of the mesh's diagonal are one; exporters round to about single precision."""

HASH_FACTORS = np.array([0x9E3779B97F4A7C15, 0xC2B2AE3D27D4EB4F, 0x165667B19E3779F9], dtype=np.uint64)
"""Odd numbers without a pattern, one a column."""

Indices = npt.NDArray[np.int64]


@dataclass(frozen=True, eq=False)
class WeldedSurface:
    """A mesh whose coinciding corners share a number.

    Attributes:
        triangles: Corner numbers of the triangles that did not collapse, shape (k, 3).
        kept: Which triangles of the mesh those are, shape (m,), bool.
    """

    triangles: Indices
    kept: npt.NDArray[np.bool_]


def weld(mesh: TriangleMesh) -> WeldedSurface:
    """Number the corners so that coinciding ones share a number, and drop triangles that collapse.

    What is closed as read is left at that; then corners at exactly the same place are shared; only a surface that
    still stays open is welded with the relative tolerance.
    """
    as_read = _renumbered(mesh, np.arange(len(mesh.vertices)))
    if is_closed(as_read.triangles):
        return as_read
    exact = _renumbered(mesh, _number_rows(mesh.vertices))
    if is_closed(exact.triangles):
        return exact
    low, high = mesh.vertices.min(axis=0), mesh.vertices.max(axis=0)
    diagonal = float(np.linalg.norm(high - low))
    if diagonal == 0.0:
        return exact
    return _renumbered(mesh, _number_rows(np.round((mesh.vertices - low) / (WELD_FRACTION * diagonal))))


def is_closed(triangles: Indices) -> bool:
    """Tell whether every edge is walked as often in one direction as in the other.

    Then the surface has no boundary and is wound consistently, and its volume integral does not depend on the apex.
    """
    if len(triangles) == 0:
        return False
    begin = triangles.reshape(-1)
    end = triangles[:, [1, 2, 0]].reshape(-1)
    count = int(triangles.max()) + 1
    return bool(np.array_equal(np.sort(begin * count + end), np.sort(end * count + begin)))


def pieces(triangles: Indices) -> Indices:
    """Number the connected pieces of a surface and return the number of each triangle, shape (k,)."""
    from scipy.sparse import coo_array  # here, because loading scipy takes longer than most checks
    from scipy.sparse.csgraph import connected_components

    count = int(triangles.max()) + 1
    first, second = triangles[:, [0, 1]].reshape(-1), triangles[:, [1, 2]].reshape(-1)
    graph = coo_array((np.ones(len(first), dtype=np.int8), (first, second)), shape=(count, count))
    _, piece_of_corner = connected_components(graph, directed=False)
    return np.asarray(piece_of_corner[triangles[:, 0]], dtype=np.int64)


def _renumbered(mesh: TriangleMesh, number: Indices) -> WeldedSurface:
    """Give the corners these numbers, one a vertex."""
    welded = number[mesh.triangles]
    a, b, c = welded.T
    kept = (a != b) & (b != c) & (c != a)
    return WeldedSurface(welded[kept], kept)


def _number_rows(keys: npt.NDArray[np.float64]) -> Indices:
    """Number the distinct rows; equal rows, zeros of either sign included, get the same number.

    Sorting one hash a row takes a third of the time of sorting by three columns; should two distinct rows ever share
    a hash, the columns are sorted after all.
    """
    rows = np.ascontiguousarray(keys + 0.0)
    with np.errstate(over="ignore"):
        hashes = (rows.view(np.uint64) * HASH_FACTORS).sum(axis=1, dtype=np.uint64)
    order = np.argsort(hashes, kind="stable")
    is_new = np.concatenate([[True], hashes[order][1:] != hashes[order][:-1]])
    first = order[is_new]
    number = np.empty(len(rows), dtype=np.int64)
    number[order] = np.cumsum(is_new) - 1
    if np.array_equal(rows[first][number], rows):
        return number
    order = np.lexsort(rows.T)
    is_new = np.concatenate([[True], (rows[order][1:] != rows[order][:-1]).any(axis=1)])
    number[order] = np.cumsum(is_new) - 1
    return number
