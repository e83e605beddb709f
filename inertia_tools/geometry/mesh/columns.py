# SPDX-FileCopyrightText: The inertia_tools authors
# SPDX-License-Identifier: Apache-2.0
"""Vertical lines through a closed surface, and how often each stretch of them is inside.

Where a solid is, a surface wound consistently runs round once. A stretch inside twice belongs to two parts that
overlap, one inside less than zero times to a part wound inside out. The lines stand on a lattice, so a triangle meets
few of them and the work grows with the triangles, not with triangles times lines.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from inertia_tools.geometry.mesh.surface import Indices, Surface
from inertia_tools.geometry.polyhedron import VolumeSums
from inertia_tools.spatial import Array

JITTER = np.array([0.3819660113, 0.7236067977])
"""Where in its cell each line stands, as a ratio of the cell: off the lattices that parts are made on."""

MOST_CANDIDATES = 4_000_000
"""Pairs of a triangle and a line beside it that are looked at; where triangles as long as the part would make more, the
lines stand farther apart. They take 0.6 GB and a second."""

NO_LENGTH = 1e-9
"""Stretches shorter than this ratio of the diagonal are two faces that touch."""


@dataclass(frozen=True, eq=False)
class Stretches:
    """Pieces of the lines, one row each.

    Attributes:
        x, y: Where the line stands [m].
        low, high: Where the stretch begins and ends along z [m].
        winding: How many times the surface runs round it.
        cell: Area that each line stands for [m^2].
        coarseness: How many times larger that area is than what was asked for.
    """

    x: Array
    y: Array
    low: Array
    high: Array
    winding: Indices
    cell: float
    coarseness: float = 1.0

    @property
    def lengths(self) -> Array:
        """Lengths of the stretches [m]."""
        return self.high - self.low

    def volume(self, weight: Array) -> float:
        """Return the volume that the stretches stand for, each counted `weight` times [m^3]."""
        return float((weight * self.lengths).sum()) * self.cell

    def sums(self, weight: Array, apex: Array) -> VolumeSums:
        """Return the moments of the stretches, each counted `weight` times, about an apex."""
        x, y = self.x - apex[0], self.y - apex[1]
        low, high = self.low - apex[2], self.high - apex[2]
        length = weight * (high - low) * self.cell
        square = length * (high + low) / 2.0
        cube = length * (high * high + high * low + low * low) / 3.0
        first = np.array([(length * x).sum(), (length * y).sum(), square.sum()])
        xy, xz, yz = (length * x * y).sum(), (square * x).sum(), (square * y).sum()
        second = np.array([[(length * x * x).sum(), xy, xz], [xy, (length * y * y).sum(), yz], [xz, yz, cube.sum()]])
        volume = float(length.sum())
        return VolumeSums(apex, 6.0 * volume, 6.0 * float(np.abs(length).sum()), 24.0 * first, 120.0 * second)


def stretches(surface: Surface, resolution: int) -> Stretches:
    """Stand about `resolution` squared lines along z through a closed surface, fewer where that is too much work."""
    low, high = surface.vertices.min(axis=0), surface.vertices.max(axis=0)
    pitch = float(np.sqrt(np.prod((high - low)[:2]))) / resolution
    pitch = pitch if pitch > 0.0 else 1.0
    wider = _widening(surface, pitch)
    pitch *= wider
    origin = low[:2] + JITTER * pitch
    column, z, sign = _crossings(surface, origin, pitch)
    order = np.lexsort((z, column[:, 1], column[:, 0]))
    column, z, winding = column[order], z[order], np.cumsum(sign[order])
    same = (column[1:] == column[:-1]).all(axis=1)
    same &= z[1:] - z[:-1] > NO_LENGTH * float(np.linalg.norm(high - low))
    same &= winding[:-1] != 0
    place = origin + column[:-1][same] * pitch
    return Stretches(place[:, 0], place[:, 1], z[:-1][same], z[1:][same], winding[:-1][same], pitch**2, wider**2)


def _widening(surface: Surface, pitch: float) -> float:
    """Return how many times farther apart lines stand so that triangles meet, in all, no more than may be looked at.

    Triangles meet lines by their areas, which fall with the square of the distance, and reach into rows of lines by
    their widths, which fall with the distance itself: a part as flat as a hair has next to no area.
    """
    a, b, c = surface.vertices[:, :2][surface.triangles.T] / pitch
    areas = float(0.5 * np.abs(_cross(b - a, c - a)).sum())
    rows = float(np.ptp(surface.vertices[:, 1][surface.triangles], axis=1).sum()) / pitch
    half = 0.5 * rows / MOST_CANDIDATES
    return max(1.0, half + float(np.sqrt(half**2 + areas / MOST_CANDIDATES)))


def _crossings(surface: Surface, origin: Array, pitch: float) -> tuple[Indices, Array, Indices]:
    """Return lattice numbers, height and direction (+1 going in, upwards) of every crossing.

    A row of lines cuts a triangle in a stretch between two of its sides. Where a side is cut follows from the side
    alone, and a stretch has its lower end and not its upper, so a line through a side meets one neighbour of the two.
    """
    corners = np.concatenate([(surface.vertices[:, :2] - origin) / pitch, surface.vertices[:, 2:]], axis=1)
    triangles = corners[surface.triangles.T]  # (3 corners, m, 3)
    y = triangles[:, :, 1]
    owner, row = _spread(np.arange(y.shape[1]), y.min(axis=0), y.max(axis=0))
    low, high = _cut_sides(triangles, owner, row)
    number, column = _spread(np.arange(len(owner)), low, high)
    owner, row = owner[number], row[number]
    a, b, c = triangles
    normal = np.cross(b - a, c - a)
    owner_is_steep = normal[:, 2] == 0.0
    if owner_is_steep.any():
        kept = ~owner_is_steep[owner]
        owner, row, column = owner[kept], row[kept], column[kept]
    slope = -normal[:, :2] / np.where(owner_is_steep, 1.0, normal[:, 2])[:, None]
    z = a[owner, 2] + slope[owner, 0] * (column - a[owner, 0]) + slope[owner, 1] * (row - a[owner, 1])
    heights = triangles[:, :, 2]
    z = np.clip(z, heights.min(axis=0)[owner], heights.max(axis=0)[owner])  # a steep triangle lets rounding run away
    return np.stack([column, row], axis=1), z, np.where(normal[owner, 2] > 0.0, -1, 1)


def _cut_sides(triangles: Array, owner: Indices, row: Indices) -> tuple[Array, Array]:
    """Return where the two sides of each triangle that a row cuts are cut."""
    low, high = np.full(len(row), np.inf), np.full(len(row), -np.inf)
    for k in range(3):
        begin, end = triangles[k], triangles[(k + 1) % 3]
        is_up = begin[:, 1] <= end[:, 1]
        under, over = np.where(is_up[:, None], begin, end), np.where(is_up[:, None], end, begin)
        rise = over[:, 1] - under[:, 1]
        run = (over[:, 0] - under[:, 0]) / np.where(rise > 0.0, rise, 1.0)
        cut = under[owner, 0] + run[owner] * (row - under[owner, 1])
        is_cut = (under[owner, 1] <= row) & (row < over[owner, 1])
        low = np.where(is_cut, np.minimum(low, cut), low)
        high = np.where(is_cut, np.maximum(high, cut), high)
    return low, high


def _spread(owner: Indices, low: Array, high: Array) -> tuple[Indices, Indices]:
    """Return the whole numbers from each low bound up to, and without, the high one, and whose they are."""
    first = np.ceil(np.where(np.isfinite(low), low, 0.0)).astype(np.int64)
    count = np.maximum(np.ceil(np.where(np.isfinite(high), high, 0.0)).astype(np.int64) - first, 0)
    whose = np.repeat(owner, count)
    step = np.arange(len(whose)) - np.repeat(np.cumsum(count) - count, count)
    return whose, np.repeat(first, count) + step


def _cross(a: Array, b: Array) -> Array:
    return np.asarray(a[:, 0] * b[:, 1] - a[:, 1] * b[:, 0])
