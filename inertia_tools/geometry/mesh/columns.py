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
    coarseness = max(1.0, _candidates(surface, pitch) / MOST_CANDIDATES)
    pitch *= float(np.sqrt(coarseness))
    origin = low[:2] + JITTER * pitch
    column, z, sign = _crossings(surface, origin, pitch)
    order = np.lexsort((z, column[:, 1], column[:, 0]))
    column, z, winding = column[order], z[order], np.cumsum(sign[order])
    same = (column[1:] == column[:-1]).all(axis=1)
    same &= z[1:] - z[:-1] > NO_LENGTH * float(np.linalg.norm(high - low))
    same &= winding[:-1] != 0
    place = origin + column[:-1][same] * pitch
    return Stretches(place[:, 0], place[:, 1], z[:-1][same], z[1:][same], winding[:-1][same], pitch**2, coarseness)


def _candidates(surface: Surface, pitch: float) -> float:
    """Return about how many lines stand in the boxes of all triangles."""
    corners = surface.vertices[:, :2][surface.triangles]
    return float(np.prod(np.ptp(corners, axis=1) / pitch, axis=1).sum())


def _crossings(surface: Surface, origin: Array, pitch: float) -> tuple[Indices, Array, Indices]:
    """Return lattice numbers, height and direction (+1 going in, upwards) of every crossing."""
    x, y = ((surface.vertices[:, axis] - origin[axis]) / pitch for axis in (0, 1))
    corners = np.ascontiguousarray(surface.triangles.T)
    spans = [_span(coordinate[corners]) for coordinate in (x, y)]
    counts = [np.maximum(last - first + 1, 0) for first, last in spans]
    met = np.flatnonzero(counts[0] * counts[1])
    columns, rows = counts[0][met], counts[1][met]
    each = columns * rows
    number = np.repeat(np.arange(len(met)), each)
    step = np.arange(len(number)) - np.repeat(np.cumsum(each) - each, each)
    owner = met[number]
    i, j = spans[0][0][owner] + step // rows[number], spans[1][0][owner] + step % rows[number]
    (ax, bx, cx), (ay, by, cy) = (c[corners[:, owner]] - foot for c, foot in ((x, i), (y, j)))
    # Twice the areas that the line's foot spans with the triangle's sides; all of one sign when it lies inside.
    alpha, beta, gamma = bx * cy - by * cx, cx * ay - cy * ax, ax * by - ay * bx
    inside = ((alpha > 0) & (beta > 0) & (gamma > 0)) | ((alpha < 0) & (beta < 0) & (gamma < 0))
    weights = np.stack([alpha, beta, gamma])[:, inside]
    z = (weights * surface.vertices[:, 2][corners[:, owner[inside]]]).sum(axis=0) / weights.sum(axis=0)
    return np.stack([i, j], axis=1)[inside], z, np.where(weights[0] > 0, -1, 1)


def _span(coordinate: Array) -> tuple[Indices, Indices]:
    """Return the first and last lattice number between the corners of each triangle, given as three rows."""
    a, b, c = coordinate
    low, high = np.minimum(np.minimum(a, b), c), np.maximum(np.maximum(a, b), c)
    return np.ceil(low).astype(np.int64), np.floor(high).astype(np.int64)
