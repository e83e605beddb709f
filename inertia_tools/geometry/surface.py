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

    Exact coincidence is tried first; only a surface that stays open is welded with the relative tolerance.
    """
    exact = _renumber(mesh, mesh.vertices)
    if is_closed(exact.triangles):
        return exact
    low, high = mesh.vertices.min(axis=0), mesh.vertices.max(axis=0)
    diagonal = float(np.linalg.norm(high - low))
    if diagonal == 0.0:
        return exact
    return _renumber(mesh, np.round((mesh.vertices - low) / (WELD_FRACTION * diagonal)))


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


def _renumber(mesh: TriangleMesh, keys: npt.NDArray[np.float64]) -> WeldedSurface:
    """Give equal rows of `keys`, one a vertex, one number each; zeros of either sign are equal."""
    rows = np.ascontiguousarray(keys + 0.0)
    order = np.lexsort(rows.T)
    ordered = rows[order]
    is_new = np.concatenate([[True], (ordered[1:] != ordered[:-1]).any(axis=1)])
    number = np.empty(len(rows), dtype=np.int64)
    number[order] = np.cumsum(is_new) - 1
    welded = number[mesh.triangles]
    a, b, c = welded.T
    kept = (a != b) & (b != c) & (c != a)
    return WeldedSurface(welded[kept], kept)
