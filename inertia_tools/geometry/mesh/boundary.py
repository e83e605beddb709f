# SPDX-FileCopyrightText: The inertia_tools authors
# SPDX-License-Identifier: Apache-2.0
"""The rims of the holes in a surface, as loops of half-edges that are missing."""

from __future__ import annotations

from collections import defaultdict
from dataclasses import dataclass
from itertools import pairwise

import numpy as np

from inertia_tools.geometry.mesh.surface import WELD_FRACTION, Indices, Surface
from inertia_tools.spatial import Array


@dataclass(frozen=True, eq=False)
class Rim:
    """One loop round a hole.

    Attributes:
        loop: Vertex numbers in the direction in which a cap walks them, shape (k,).
        triangles: The triangle of the surface at each edge of the loop, from corner i to corner i + 1; -1 where none
            is known, shape (k,).
    """

    loop: Indices
    triangles: Indices


def rims(surface: Surface) -> list[Rim]:
    """Return the loops that close the surface when they are capped.

    The missing half-edges form closed walks whatever the surface looks like, since as many lead to a vertex as lead
    away. Where a vertex lies on a neighbour's edge, as where tiles of different sizes meet, that edge is cut there
    first, so that cracks without a width vanish.
    """
    begin, end, triangle = _missing(surface)
    begin, end, triangle = _cut_at_vertices(surface, begin, end, triangle)
    begin, end, triangle = _cancelled(begin, end, triangle)
    return _walks(begin, end, triangle)


def _missing(surface: Surface) -> tuple[Indices, Indices, Indices]:
    """Return begin, end and neighbouring triangle of each half-edge that would have to be added."""
    edges = surface.edges
    loose = np.flatnonzero(edges.surplus)
    times = np.abs(edges.surplus[loose])
    forward = edges.surplus[loose] > 0  # walked too often from low to high, so it is missing from high to low
    begin = np.where(forward, edges.high[loose], edges.low[loose])
    end = np.where(forward, edges.low[loose], edges.high[loose])
    triangle = edges.half_edges[edges.first[loose]] // 3
    return np.repeat(begin, times), np.repeat(end, times), np.repeat(triangle, times)


def _cut_at_vertices(
    surface: Surface, begin: Indices, end: Indices, triangle: Indices
) -> tuple[Indices, Indices, Indices]:
    """Cut edges at rim vertices that lie on them."""
    if not len(begin):
        return begin, end, triangle
    from scipy.spatial import cKDTree

    corners = np.unique(np.concatenate([begin, end]))
    points = surface.vertices[corners] - surface.vertices[corners].mean(axis=0)
    place = np.full(len(surface.vertices), -1)
    place[corners] = np.arange(len(corners))
    p, q = points[place[begin]], points[place[end]]
    reach = 0.5 * np.linalg.norm(q - p, axis=1)
    near = cKDTree(points).query_ball_point(0.5 * (p + q), reach * (1.0 + WELD_FRACTION))
    tolerance = WELD_FRACTION * surface.diagonal
    cut: list[tuple[int, int, int]] = []
    for i, candidates in enumerate(near):
        stops = _stops(points, p[i], q[i], np.array(candidates, dtype=np.int64), tolerance)
        chain = [int(begin[i]), *corners[stops].tolist(), int(end[i])]
        chain = [a for a, b in zip(chain, [None, *chain], strict=False) if a != b]
        cut.extend((a, b, int(triangle[i])) for a, b in pairwise(chain))
    columns = np.array(cut, dtype=np.int64).reshape(-1, 3)
    return columns[:, 0], columns[:, 1], columns[:, 2]


def _stops(points: Array, p: Array, q: Array, candidates: Indices, tolerance: float) -> Indices:
    """Return the candidates strictly between two points, in order, that are no farther off the line than allowed."""
    if len(candidates) <= 2:
        return candidates[:0]
    along = q - p
    length = float(np.linalg.norm(along))
    relative = points[candidates] - p
    where = relative @ along / length
    off = np.linalg.norm(relative - np.outer(where / length, along), axis=1)
    on = (off <= tolerance) & (where > tolerance) & (where < length - tolerance)
    return candidates[on][np.argsort(where[on])]


def _cancelled(begin: Indices, end: Indices, triangle: Indices) -> tuple[Indices, Indices, Indices]:
    """Take away pairs of half-edges that run to and fro."""
    waiting: dict[tuple[int, int], list[int]] = defaultdict(list)
    gone = np.zeros(len(begin), dtype=bool)
    for i, (a, b) in enumerate(zip(begin.tolist(), end.tolist(), strict=True)):
        back = waiting[(b, a)]
        if back:
            gone[[i, back.pop()]] = True
        else:
            waiting[(a, b)].append(i)
    return begin[~gone], end[~gone], triangle[~gone]


def _walks(begin: Indices, end: Indices, triangle: Indices) -> list[Rim]:
    """String half-edges into loops; a walk that comes back to one of its vertices gives that loop off."""
    leaving: dict[int, list[int]] = defaultdict(list)
    for i, a in enumerate(begin.tolist()):
        leaving[a].append(i)
    begins, ends = begin.tolist(), end.tolist()
    found = []
    for start in begins:
        path: list[int] = []
        position = {start: 0}
        vertex = start
        while leaving[vertex]:
            edge = leaving[vertex].pop()
            path.append(edge)
            vertex = ends[edge]
            if vertex not in position:
                position[vertex] = len(path)
                continue
            loop = path[position[vertex] :]
            del path[position[vertex] :]
            for passed in loop[1:]:
                del position[begins[passed]]
            found.append(Rim(begin[loop], triangle[loop]))
    return [rim for rim in found if len(rim.loop) > 2]
