# SPDX-FileCopyrightText: The inertia_tools authors
# SPDX-License-Identifier: Apache-2.0
"""Reversing triangles so that neighbours agree on the outside."""

from __future__ import annotations

import numpy as np

from inertia_tools.geometry.mesh.surface import Indices, Mask, Surface, components
from inertia_tools.spatial import Array, lengths_of


def oriented(surface: Surface) -> tuple[Surface, int]:
    """Reverse triangles so that the two at an edge run along it in opposite directions.

    Two neighbours agree or disagree. In a graph with two nodes per triangle, one for each of its sides, agreeing
    neighbours join equal sides and disagreeing ones opposite sides; each patch then splits into two components, one the
    mirror of the other, and the one with the larger area as read gives the orientation of the patch. A patch in one
    component is one-sided, as a Moebius strip is; it is left as read.

    Returns:
        The surface and the number of reversed triangles.
    """
    first, second = surface.pairs
    begin = surface.triangles.reshape(-1)
    count = len(surface.triangles)
    agree = begin[first] != begin[second]  # the edge runs from opposite ends
    a, b = first // 3, second // 3
    same_side, other_side = np.where(agree, b, b + count), np.where(agree, b + count, b)
    side = components(np.concatenate([a, a + count]), np.concatenate([same_side, other_side]), 2 * count)
    upper, lower = side[:count], side[count:]
    weight = np.bincount(upper, areas(surface), minlength=int(side.max()) + 1)
    turned = (weight[lower] > weight[upper]) | ((weight[lower] == weight[upper]) & (lower < upper))
    turned &= upper != lower
    return flipped(surface, turned), int(turned.sum())


def flipped(surface: Surface, turned: Mask) -> Surface:
    """Reverse some triangles."""
    if not turned.any():
        return surface
    triangles: Indices = surface.triangles.copy()
    triangles[turned] = triangles[turned][:, ::-1]
    return surface.with_triangles(triangles)


def areas(surface: Surface) -> Array:
    """Return the area of each triangle [m^2], shape (m,)."""
    return 0.5 * lengths_of(area_vectors(surface.vertices, surface.triangles))


def area_vectors(vertices: Array, triangles: Indices) -> Array:
    """Return the cross product of two sides of each triangle: normal, twice its area long [m^2], shape (m, 3)."""
    a, b, c = (vertices[triangles[:, k]] for k in range(3))
    return np.asarray(np.cross(b - a, c - a))
