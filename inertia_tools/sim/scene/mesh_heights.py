# SPDX-FileCopyrightText: The inertia_tools authors
# SPDX-License-Identifier: Apache-2.0
"""Heights of a mesh on a grid: the highest surface at each grid point."""

from __future__ import annotations

from typing import Any

import numpy as np

from inertia_tools.errors import OptionError
from inertia_tools.spatial import Array

EDGE = 1e-9
"""Tolerance beyond the edges of a triangle, relative to its size, so that no grid point falls between two triangles."""


def rasterize_mesh_to_heightfield(
    mesh: Any, resolution: float, *, max_cells_per_axis: int = 4096
) -> tuple[Array, tuple[float, float, float, float]]:
    """Return the heights of the upper surface of a mesh on a grid; see `heights_of_mesh`.

    Args:
        mesh: A Warp mesh, or one of this package.
        resolution: Largest distance between grid points along x and y [m].
        max_cells_per_axis: Largest number of grid points along each axis.

    Raises:
        OptionError: The resolution is not positive, or fewer than two grid points are allowed.
    """
    points, triangles = _geometry(mesh)
    return heights_of_mesh(points, triangles, resolution, max_cells_per_axis)


def heights_of_mesh(
    points: Array, triangles: Array, resolution: float, max_cells_per_axis: int
) -> tuple[Array, tuple[float, float, float, float]]:
    """Return the heights of the upper surface of triangles on a grid.

    Grid points without a triangle have the height of the lowest vertex.

    Args:
        points: Corners [m], shape (points, 3).
        triangles: Indices of corners, shape (triangles, 3).
        resolution: Largest distance between grid points along x and y [m].
        max_cells_per_axis: Largest number of grid points along each axis; it increases the distance if necessary.

    Returns:
        Heights [m], shape (rows along y, columns along x); and least x and y, largest x and y [m].

    Raises:
        OptionError: The resolution is not positive, or fewer than two grid points are allowed.
    """
    if not (np.isfinite(resolution) and resolution > 0.0):
        raise OptionError("resolution", resolution, "a positive number of metres")
    if max_cells_per_axis < 2:
        raise OptionError("max_cells_per_axis", max_cells_per_axis, "at least 2")
    low, high = points.min(axis=0), points.max(axis=0)
    columns, rows = (
        int(np.clip(np.ceil((high[k] - low[k]) / resolution - EDGE) + 1, 2, max_cells_per_axis)) for k in (0, 1)
    )
    x, y = np.linspace(low[0], high[0], columns), np.linspace(low[1], high[1], rows)
    heights = np.full((rows, columns), -np.inf)
    for corners in points[triangles]:
        _raise_to(heights, x, y, corners)
    heights[np.isneginf(heights)] = low[2]
    return heights, (float(low[0]), float(low[1]), float(high[0]), float(high[1]))


def _raise_to(heights: Array, x: Array, y: Array, corners: Array) -> None:
    """Raise heights to a triangle where it is above them."""
    a, b, c = corners
    area = (b[0] - a[0]) * (c[1] - a[1]) - (c[0] - a[0]) * (b[1] - a[1])
    if area == 0.0:  # upright, or without area
        return
    low, high = corners.min(axis=0), corners.max(axis=0)
    slack = EDGE * (high - low)
    i = slice(np.searchsorted(y, low[1] - slack[1]), np.searchsorted(y, high[1] + slack[1], side="right"))
    j = slice(np.searchsorted(x, low[0] - slack[0]), np.searchsorted(x, high[0] + slack[0], side="right"))
    px, py = np.meshgrid(x[j], y[i])
    share_b = ((px - a[0]) * (c[1] - a[1]) - (c[0] - a[0]) * (py - a[1])) / area
    share_c = ((b[0] - a[0]) * (py - a[1]) - (px - a[0]) * (b[1] - a[1])) / area
    inside = np.minimum(np.minimum(share_b, share_c), 1.0 - share_b - share_c) >= -EDGE
    height = a[2] + share_b * (b[2] - a[2]) + share_c * (c[2] - a[2])
    heights[i, j] = np.where(inside, np.maximum(heights[i, j], height), heights[i, j])


def _geometry(mesh: Any) -> tuple[Array, Array]:
    """Return corners [m] and triangles of a `Mesh`, or of a Warp mesh."""
    points, indices = (mesh.vertices, mesh.indices) if hasattr(mesh, "vertices") else (mesh.points, mesh.indices)
    points, indices = (one.numpy() if hasattr(one, "numpy") else np.asarray(one) for one in (points, indices))
    return points.astype(np.float64).reshape(-1, 3), indices.reshape(-1, 3).astype(int)
