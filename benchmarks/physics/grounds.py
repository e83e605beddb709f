# SPDX-FileCopyrightText: The inertia_tools authors
# SPDX-License-Identifier: Apache-2.0
"""Rough terrain and a stair of triangles for robots to stand on, and how deep points are in them."""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache

import numpy as np

import inertia_tools as it
from inertia_tools.spatial import Array

EXTENT = 4.0
"""Half the width of the grounds [m]."""

CELL = 0.05
"""Cells of the terrain, about as large as a foot [m]."""

ROUGHNESS = 0.04
"""Heights of the terrain lie between plus and minus this [m]."""

RISE, RUN, FLIGHT = 0.12, 0.30, 4
"""A step of the stair [m], and how many there are."""


@dataclass(frozen=True)
class Floor:
    """The plane z = 0."""

    ground: bool = True

    def height(self, points: Array) -> Array:
        """Return zeros, shape (n,)."""
        return np.zeros(len(points))

    def depth(self, points: Array) -> Array:
        """Return how far points are below the floor [m], shape (n,)."""
        return -points[:, 2]


@dataclass(frozen=True)
class Terrain:
    """Heights at random, a cell to each."""

    ground: it.Heightfield

    def height(self, points: Array) -> Array:
        """Return the height of the surface above or below points [m], shape (n,)."""
        return self._seen(points)[0]

    def depth(self, points: Array) -> Array:
        """Return how far points are below the triangle that is above them [m], shape (n,)."""
        height, steepness = self._seen(points)
        return np.asarray((height - points[:, 2]) / steepness)

    def _seen(self, points: Array) -> tuple[Array, Array]:
        """Return the height of the triangle above or below points, and the secant of its slope."""
        data, field = self.ground.data, self.ground
        rows, columns = data.shape
        per_x, per_y = (columns - 1) / (2 * field.hx), (rows - 1) / (2 * field.hy)
        u, v = (points[:, 0] + field.hx) * per_x, (points[:, 1] + field.hy) * per_y
        i, j = np.clip(v.astype(int), 0, rows - 2), np.clip(u.astype(int), 0, columns - 2)
        s, t = u - j, v - i
        a, b, c, d = data[i, j], data[i, j + 1], data[i + 1, j + 1], data[i + 1, j]
        across, along = np.where(s >= t, b - a, c - d), np.where(s >= t, c - b, d - a)
        height = a + across * s + along * t
        return np.asarray(height), np.sqrt(1.0 + (across * per_x) ** 2 + (along * per_y) ** 2)


@dataclass(frozen=True)
class Stair:
    """Steps up along x, which begin in front of the origin; each is a block that reaches to the end."""

    ground: it.Mesh
    fronts: Array
    treads: Array

    def height(self, points: Array) -> Array:
        """Return the height of the tread above or below points [m], shape (n,)."""
        return np.asarray(self.treads[np.searchsorted(self.fronts, points[:, 0]) - 1])

    def depth(self, points: Array) -> Array:
        """Return how far points are inside of the block in which they are deepest [m], shape (n,)."""
        within = np.minimum(points[:, :1] - self.fronts, self.treads - points[:, 2:])
        return np.asarray(within.max(axis=1))


@lru_cache(maxsize=4)
def terrain(seed: int = 0) -> Terrain:
    """Make terrain."""
    cells = round(2 * EXTENT / CELL)
    heights = np.random.default_rng(seed).uniform(-ROUGHNESS, ROUGHNESS, (cells + 1, cells + 1))
    return Terrain(it.Heightfield(heights, cells + 1, cells + 1, EXTENT, EXTENT))


@lru_cache(maxsize=1)
def stair() -> Stair:
    """Make the stair, whose blocks are joined to one surface."""
    import trimesh

    fronts = np.array([-EXTENT, *(0.1 + RUN * np.arange(FLIGHT))])
    treads = RISE * np.arange(FLIGHT + 1)
    blocks = [
        trimesh.creation.box(bounds=[[front, -EXTENT, -1.0], [EXTENT, EXTENT, tread]])
        for front, tread in zip(fronts, treads, strict=True)
    ]
    union = trimesh.boolean.union(blocks, engine="manifold")
    return Stair(it.Mesh(union.vertices, union.faces, compute_inertia=False), fronts, treads)
