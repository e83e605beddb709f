# SPDX-FileCopyrightText: The inertia_tools authors
# SPDX-License-Identifier: Apache-2.0
"""The rims of the holes in a surface, as loops of missing half-edges."""

from __future__ import annotations

from collections import defaultdict
from dataclasses import dataclass
from itertools import chain

import numpy as np

from inertia_tools.geometry.mesh.surface import LINE, WELD_FRACTION, Indices, Surface
from inertia_tools.geometry.mesh.triangles import used_corners
from inertia_tools.spatial import Array, lengths_of

MOST_PAIRS = 2_000_000
"""Maximum number of pairs of rim edges and corners for a search without a tree; they take a tenth of a second."""


@dataclass(frozen=True, eq=False)
class Rim:
    """One loop around a hole.

    Attributes:
        loop: Vertex indices in the orientation of a cap, shape (k,).
        triangles: The triangle of the surface at each edge of the loop, from corner i to corner i + 1; -1 if none is
            known, shape (k,).
    """

    loop: Indices
    triangles: Indices


def rims(surface: Surface) -> list[Rim]:
    """Return the loops whose caps close the surface.

    The missing half-edges form closed walks for every surface, since equally many enter and leave a vertex. If a vertex
    is on a neighbour's edge, as between tiles of different sizes, that edge is split there first, so that cracks of
    zero width vanish.
    """
    begin, end, triangle = _missing(surface)
    begin, end, triangle = _cut_at_vertices(surface, begin, end, triangle)
    begin, end, triangle = _cancelled(begin, end, triangle)
    return _walks(begin, end, triangle)


def _missing(surface: Surface) -> tuple[Indices, Indices, Indices]:
    """Return start, end and neighbouring triangle of each missing half-edge."""
    edges = surface.edges
    loose = np.flatnonzero(edges.surplus)
    times = np.abs(edges.surplus[loose])
    forward = edges.surplus[loose] > 0  # surplus from low to high, so it is missing from high to low
    begin = np.where(forward, edges.high[loose], edges.low[loose])
    end = np.where(forward, edges.low[loose], edges.high[loose])
    triangle = edges.half_edges[edges.first[loose]] // 3
    return np.repeat(begin, times), np.repeat(end, times), np.repeat(triangle, times)


def _cut_at_vertices(
    surface: Surface, begin: Indices, end: Indices, triangle: Indices
) -> tuple[Indices, Indices, Indices]:
    """Split edges at rim vertices on them."""
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
    """Return candidate pairs of edges and points, which include all points that are on edges.

    Sorted along a line, few points are usually between the ends of an edge; if many are, a tree finds fewer.
    """
    along, ends = points @ LINE, np.sort([p @ LINE, q @ LINE], axis=0)
    order = np.argsort(along)
    begin = np.searchsorted(along[order], ends[0] - tolerance)
    count = np.searchsorted(along[order], ends[1] + tolerance, side="right") - begin
    if int(count.sum()) <= MOST_PAIRS:
        edge = np.repeat(np.arange(len(p)), count)
        step = np.arange(len(edge)) - np.repeat(np.cumsum(count) - count, count)
        return edge, order[np.repeat(begin, count) + step]
    from scipy.spatial import cKDTree  # imported here, because SciPy takes longer to load than most meshes to integrate

    reach = 0.5 * lengths_of(q - p) * (1.0 + WELD_FRACTION)
    near = cKDTree(points).query_ball_point(0.5 * (p + q), reach)
    edge = np.repeat(np.arange(len(p)), list(map(len, near)))
    return edge, np.fromiter(chain.from_iterable(near), dtype=np.int64, count=len(edge))


def _stops(
    points: Array, p: Array, q: Array, near: tuple[Indices, Indices], tolerance: float
) -> tuple[Indices, Indices, Array]:
    """Find the points strictly between the ends of edges whose distance from the edge is within the tolerance.

    Args:
        points: All points [m], shape (n, 3).
        p: Starts of the edges [m], shape (k, 3).
        q: Ends of the edges [m], shape (k, 3).
        near: Edges, each with a point that may be on it.
        tolerance: Distance from the line [m].

    Returns:
        Indices of edge and point of each hit, and its position along the edge [m].
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
    """Remove pairs of opposite half-edges."""
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
    """Chain half-edges into loops; a walk that returns to one of its vertices splits off a loop there."""
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
