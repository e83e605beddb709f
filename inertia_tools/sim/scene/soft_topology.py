# SPDX-FileCopyrightText: The inertia_tools authors
# SPDX-License-Identifier: Apache-2.0
"""Edges of triangle meshes, and surfaces of tetrahedral ones."""

from __future__ import annotations

import numpy as np

from inertia_tools.errors import SimulationError
from inertia_tools.spatial import Array

BOUNDARY = -1
"""Stands for the corner that is missing opposite an edge on the boundary."""

FACES = np.array([[0, 2, 1], [0, 1, 3], [0, 3, 2], [1, 2, 3]])
"""Corners of the faces of a tetrahedron of positive volume, seen from outside counterclockwise."""


def edges_of_triangles(triangles: np.ndarray, manifold_only: bool = True) -> np.ndarray:
    """Return each edge of a mesh once, with the corners opposite it, shape (n, 4).

    Each row is i, j, k, l: the triangles are (i, k, l) and (j, l, k) as they wind; j is -1 at the boundary.

    Args:
        triangles: Corners of the triangles, shape (n, 3).
        manifold_only: Refuse edges that have more than two triangles, or two that wind against each other; otherwise
            such edges are left out.

    Raises:
        SimulationError: An edge has more than two triangles, or two that wind against each other.
    """
    if not len(triangles):
        return np.zeros((0, 4), dtype=np.int32)
    first = np.concatenate([triangles[:, 0], triangles[:, 1], triangles[:, 2]]).astype(np.int64)
    second = np.concatenate([triangles[:, 1], triangles[:, 2], triangles[:, 0]]).astype(np.int64)
    opposite = np.concatenate([triangles[:, 2], triangles[:, 0], triangles[:, 1]]).astype(np.int64)
    key = np.minimum(first, second) * (int(triangles.max()) + 1) + np.maximum(first, second)
    order = np.argsort(key, kind="stable")
    first, second, opposite, key = first[order], second[order], opposite[order], key[order]
    starts = np.nonzero(np.r_[True, key[1:] != key[:-1]])[0]
    counts = np.diff(np.r_[starts, len(key)])
    has_two = counts == 2
    partner = np.where(has_two, np.minimum(starts + 1, len(key) - 1), starts)
    is_odd = (counts > 2) | (has_two & (first[starts] == first[partner]))
    if manifold_only and is_odd.any():
        raise _not_manifold(first, second, starts, counts, int(np.nonzero(is_odd)[0][0]))
    rows = np.stack(
        [opposite[starts], np.where(has_two, opposite[partner], BOUNDARY), first[starts], second[starts]], axis=1
    )
    kept: np.ndarray = rows[~is_odd].astype(np.int32)
    return kept


def of_positive_volume(points: Array, tetrahedra: np.ndarray) -> np.ndarray:
    """Return tetrahedra with two corners swapped of those that are inverted, shape (n, 4)."""
    corner = points[tetrahedra]
    is_inverted = np.linalg.det(corner[:, 1:] - corner[:, :1]) < 0.0
    return np.where(is_inverted[:, None], tetrahedra[:, [0, 2, 1, 3]], tetrahedra)


def counted_on(elements: np.ndarray, step: int) -> np.ndarray:
    """Return indices of particles that begin so much later; those below zero stand for none and stay."""
    return np.where(elements < 0, elements, elements + step)


def _not_manifold(
    first: np.ndarray, second: np.ndarray, starts: np.ndarray, counts: np.ndarray, edge: int
) -> SimulationError:
    """Return the error that names an edge, with what to do about it."""
    pair = sorted((int(first[starts[edge]]), int(second[starts[edge]])))
    ends = f"{pair[0]} and {pair[1]}"
    if counts[edge] > 2:
        return SimulationError(
            f"the mesh is not manifold: {int(counts[edge])} triangles share the edge between vertices {ends}; "
            "an edge has one or two: split the mesh there, or remove duplicate triangles"
        )
    return SimulationError(
        f"the triangles at the edge between vertices {ends} have opposite winding: swap two corners of one triangle"
    )


def surface_of_tetrahedra(tetrahedra: np.ndarray) -> np.ndarray:
    """Return the faces that belong to a single tetrahedron, counterclockwise seen from outside, shape (n, 3).

    Raises:
        SimulationError: A face belongs to more than two tetrahedra, which therefore overlap.
    """
    faces = tetrahedra[:, FACES].reshape(-1, 3)
    _, first, inverse, counts = np.unique(
        np.sort(faces, axis=1), axis=0, return_index=True, return_inverse=True, return_counts=True
    )
    if (counts > 2).any():
        face = faces[first[np.nonzero(counts > 2)[0][0]]]
        raise SimulationError(
            f"more than two tetrahedra share the face of vertices {', '.join(map(str, face.tolist()))}; "
            "remove duplicate tetrahedra, or those that overlap"
        )
    return np.ascontiguousarray(faces[counts[np.ravel(inverse)] == 1].astype(np.int32))
