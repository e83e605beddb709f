# SPDX-FileCopyrightText: The inertia_tools authors
# SPDX-License-Identifier: Apache-2.0
"""The rims of the holes in a surface, as loops of half-edges that are missing."""

from __future__ import annotations

from collections import defaultdict
from dataclasses import dataclass
from itertools import chain

import numpy as np

from inertia_tools.geometry.mesh.surface import LINE, WELD_FRACTION, Indices, Surface
from inertia_tools.geometry.mesh.triangles import used_corners
from inertia_tools.spatial import Array, lengths_of

MOST_PAIRS = 2_000_000
"""Pairs of a rim's edges and corners that are looked at without a tree; they take a tenth of a second."""


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
    corners = used_corners(np.concatenate([begin, end]), len(surface.vertices))
    points = surface.vertices[corners] - surface.vertices[corners].mean(axis=0)
    place = np.full(len(surface.vertices), -1)
    place[corners] = np.arange(len(corners))
    p, q = points[place[begin]], points[place[end]]
    tolerance = WELD_FRACTION * surface.diagonal
    edge, stop, where = _stops(points, p, q, _near(points, p, q, tolerance), tolerance)
    every = np.arange(len(begin))
    edge = np.concatenate([every, edge, every])
    order = np.lexsort((np.concatenate([np.full(len(begin), -np.inf), where, np.full(len(begin), np.inf)]), edge))
    edge, walk = edge[order], np.concatenate([begin, corners[stop], end])[order]
    is_step = (edge[1:] == edge[:-1]) & (walk[1:] != walk[:-1])
    return walk[:-1][is_step], walk[1:][is_step], triangle[edge[:-1][is_step]]


def _near(points: Array, p: Array, q: Array, tolerance: float) -> tuple[Indices, Indices]:
    """Return pairs of edges and points among which are all of points that lie on edges.

    In the order along a line, few points mostly come between the ends of an edge; where many do, a tree finds fewer.
    """
    along, ends = points @ LINE, np.sort([p @ LINE, q @ LINE], axis=0)
    order = np.argsort(along)
    begin = np.searchsorted(along[order], ends[0] - tolerance)
    count = np.searchsorted(along[order], ends[1] + tolerance, side="right") - begin
    if int(count.sum()) <= MOST_PAIRS:
        edge = np.repeat(np.arange(len(p)), count)
        step = np.arange(len(edge)) - np.repeat(np.cumsum(count) - count, count)
        return edge, order[np.repeat(begin, count) + step]
    from scipy.spatial import cKDTree  # here, because SciPy takes longer to load than most meshes to integrate

    reach = 0.5 * lengths_of(q - p) * (1.0 + WELD_FRACTION)
    near = cKDTree(points).query_ball_point(0.5 * (p + q), reach)
    edge = np.repeat(np.arange(len(p)), list(map(len, near)))
    return edge, np.fromiter(chain.from_iterable(near), dtype=np.int64, count=len(edge))


def _stops(
    points: Array, p: Array, q: Array, near: tuple[Indices, Indices], tolerance: float
) -> tuple[Indices, Indices, Array]:
    """Find the points strictly between the ends of edges that are no farther off their lines than allowed.

    Args:
        points: All points [m], shape (n, 3).
        p: Where the edges begin [m], shape (k, 3).
        q: Where they end [m], shape (k, 3).
        near: Edges, and a point that may lie on each.
        tolerance: Distance from the line [m].

    Returns:
        Numbers of the edge and of the point of each find, and how far it is along the edge [m].
    """
    edge, point = near
    along = q - p
    length = np.maximum(lengths_of(along), np.finfo(float).tiny)
    relative = points[point] - p[edge]
    where = (relative * along[edge]).sum(axis=1) / length[edge]
    off = lengths_of(relative - (where / length[edge])[:, None] * along[edge])
    on = (off <= tolerance) & (where > tolerance) & (where < length[edge] - tolerance)
    return edge[on], point[on], where[on]


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
