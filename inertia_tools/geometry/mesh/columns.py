# SPDX-FileCopyrightText: The inertia_tools authors
# SPDX-License-Identifier: Apache-2.0
"""Vertical lines through a closed surface, and the winding number of each of their stretches.

A consistently oriented surface winds once around a solid. A stretch with winding number two is in two overlapping
parts, a negative one in a part that is inside out. The lines are on a lattice, so a triangle meets few of them and the
cost grows with the number of triangles, not with triangles times lines.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from inertia_tools.geometry.mesh.surface import Indices, Surface
from inertia_tools.geometry.polyhedron import VolumeSums
from inertia_tools.spatial import Array, box_of

JITTER = np.array([0.3819660113, 0.7236067977])
"""Position of each line in its cell, as a ratio of the cell: off the lattices on which parts are modelled."""

MOST_CANDIDATES = 4_000_000
"""Maximum number of candidate pairs of triangle and line; they take 0.6 GB and a second.

If triangles as long as the part would give more, the lines are spaced wider.
"""

ROUNDING = 1e-6
"""Distance beyond its triangle at which a cut may be, as a ratio of the line spacing."""

NO_LENGTH = 1e-9
"""Stretches shorter than this ratio of the diagonal are two touching faces."""


@dataclass(frozen=True, eq=False)
class Stretches:
    """Pieces of the lines, one per row.

    Attributes:
        x, y: Position of the line [m].
        low, high: Start and end of the stretch along z [m].
        winding: Winding number of the surface around it.
        cell: Area that each line represents [m^2].
        coarseness: Ratio of that area to the requested one.
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
        """Return the volume that the stretches represent, each counted `weight` times [m^3]."""
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


def stretches(surface: Surface, resolution: int, part: Indices | None = None) -> Stretches:
    """Place about `resolution` squared lines along z through a closed surface, fewer if that is too expensive.

    Args:
        surface: The surface.
        resolution: Lines per side of the box around it.
        part: Index of the part of each triangle, shape (m,): parts are treated separately. None for a single part.
    """
    low, high = box_of(surface.vertices)
    pitch = float(np.sqrt(np.prod((high - low)[:2]))) / resolution
    pitch = pitch if pitch > 0.0 else 1.0
    corners = np.ascontiguousarray(surface.triangles.T)
    on_lattice = _on_lattice(surface, corners, low, pitch)
    wider = _widening(*on_lattice)
    if wider > 1.0:
        pitch *= wider
        on_lattice = _on_lattice(surface, corners, low, pitch)
    owner, column, row, z, sign = _crossings(*on_lattice, surface.vertices[:, 2], corners)
    line = column * (int(row.max(initial=0)) + 1) + row
    if part is not None:
        line += part[owner] * (int(line.max(initial=0)) + 1)
    order = _upwards(line, z)
    line, z, winding = line[order], z[order], np.cumsum(sign[order])
    same = line[1:] == line[:-1]
    same &= z[1:] - z[:-1] > NO_LENGTH * float(np.linalg.norm(high - low))
    same &= winding[:-1] != 0
    kept = order[:-1][same]
    x, y = (low[axis] + (JITTER[axis] + lines[kept]) * pitch for axis, lines in enumerate((column, row)))
    return Stretches(x, y, z[:-1][same], z[1:][same], winding[:-1][same], pitch**2, wider**2)


def _on_lattice(surface: Surface, corners: Indices, low: Array, pitch: float) -> tuple[Array, Array]:
    """Return corner positions in the lattice of lines, which are at integers, across and along: shapes (3, m)."""
    first = low[:2] + JITTER * pitch
    across, along = (_of_corners((surface.vertices[:, axis] - first[axis]) / pitch, corners) for axis in (0, 1))
    return across, along


def _widening(x: Array, y: Array) -> float:
    """Return the factor on the line spacing at which the number of candidate pairs is within the limit.

    Triangles meet lines in proportion to their areas, which scale with the inverse square of the spacing, and rows of
    lines in proportion to their widths, which scale with its inverse: a part as thin as a hair has almost no area.

    Args:
        x: Positions of their corners in the lattice across, shape (3, m).
        y: The same along.
    """
    areas = float(0.5 * np.abs(_cross(x, y)).sum())
    low, high = _ends(y)
    half = 0.5 * float((high - low).sum()) / MOST_CANDIDATES
    return max(1.0, half + float(np.sqrt(half**2 + areas / MOST_CANDIDATES)))


def _crossings(
    x: Array, y: Array, heights: Array, corners: Indices
) -> tuple[Indices, Indices, Indices, Array, Indices]:
    """Return triangle, column, row, height and direction (+1 going in, upwards) of every crossing.

    A row of lines cuts a triangle in a stretch between two of its sides. The position of a cut depends only on the
    side, and a stretch includes its lower end but not its upper one, so a line through a side meets one of the two
    neighbours.

    Args:
        x: Positions of corners in the lattice across, shape (3, m).
        y: The same along.
        heights: Positions of the vertices along the lines [m], shape (n,).
        corners: Vertex indices of the triangles of a closed surface, shape (3, m).
    """
    met = _may_meet_lines(x, y)
    x, y, z = x[:, met], y[:, met], _of_corners(heights, corners[:, met])
    owner, row = _spread(np.arange(len(met)), *_ends(y))
    number, column = _spread(np.arange(len(owner)), *_cut_sides(x, y, owner, row))
    owner, row = owner[number], row[number]
    normal = _cross(y, z), _cross(z, x), _cross(x, y)
    is_steep = normal[2] == 0.0
    if is_steep.any():
        kept = ~is_steep[owner]
        owner, row, column = owner[kept], row[kept], column[kept]
    slope_x, slope_y = (-normal[axis] / np.where(is_steep, 1.0, normal[2]) for axis in (0, 1))
    low, high = _ends(z)
    height = z[0][owner] + slope_x[owner] * (column - x[0][owner]) + slope_y[owner] * (row - y[0][owner])
    height = np.clip(height, low[owner], high[owner])  # rounding in steep triangles may be large
    return met[owner], column, row, height, np.where(normal[2][owner] > 0.0, -1, 1)


def _upwards(line: Indices, z: Array) -> Indices:
    """Return the order of crossings by line, and upwards on each; short numbers are radix-sorted, in a third."""
    order = np.argsort(z)
    short = line.astype(np.uint16) if line.max(initial=0) <= np.iinfo(np.uint16).max else line
    return np.asarray(order[np.argsort(short[order], kind="stable")])


def _may_meet_lines(x: Array, y: Array) -> Indices:
    """Return the indices of the triangles whose boxes contain a line; most are too small for one."""
    (left, right), (low, high) = _ends(x), _ends(y)
    return np.flatnonzero((np.ceil(low) < np.ceil(high)) & (np.ceil(left - ROUNDING) <= np.floor(right + ROUNDING)))


def _cut_sides(x: Array, y: Array, owner: Indices, row: Indices) -> tuple[Array, Array]:
    """Return the cut positions on the two sides that a row cuts, for each triangle."""
    low, high = np.full(len(row), np.inf), np.full(len(row), -np.inf)
    for begin, end in ((0, 1), (1, 2), (2, 0)):
        is_up = y[begin] <= y[end]
        under, over = np.where(is_up, x[begin], x[end]), np.where(is_up, x[end], x[begin])
        bottom, top = np.minimum(y[begin], y[end]), np.maximum(y[begin], y[end])
        rise = top - bottom
        run = (over - under) / np.where(rise > 0.0, rise, 1.0)
        cut = under[owner] + run[owner] * (row - bottom[owner])
        is_cut = (bottom[owner] <= row) & (row < top[owner])
        low = np.where(is_cut, np.minimum(low, cut), low)
        high = np.where(is_cut, np.maximum(high, cut), high)
    return low, high


def _spread(owner: Indices, low: Array, high: Array) -> tuple[Indices, Indices]:
    """Return the integers from each low bound up to, and excluding, the high one, with the index of their bounds."""
    first = np.ceil(np.where(np.isfinite(low), low, 0.0)).astype(np.int64)
    count = np.maximum(np.ceil(np.where(np.isfinite(high), high, 0.0)).astype(np.int64) - first, 0)
    whose = np.repeat(owner, count)
    step = np.arange(len(whose)) - np.repeat(np.cumsum(count) - count, count)
    return whose, np.repeat(first, count) + step


def _of_corners(values: Array, corners: Indices) -> Array:
    """Return one coordinate of the three corners of triangles, shape (3, m)."""
    return np.asarray(np.ascontiguousarray(values).take(corners))


def _ends(values: Array) -> tuple[Array, Array]:
    """Return the least and the greatest of the corners' values of each triangle, shapes (m,)."""
    a, b, c = values
    return np.minimum(np.minimum(a, b), c), np.maximum(np.maximum(a, b), c)


def _cross(x: Array, y: Array) -> Array:
    """Return the component of triangles' area vectors across two coordinates of their corners, shape (m,)."""
    return np.asarray((x[1] - x[0]) * (y[2] - y[0]) - (y[1] - y[0]) * (x[2] - x[0]))
