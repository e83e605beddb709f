# SPDX-FileCopyrightText: The inertia_tools authors
# SPDX-License-Identifier: Apache-2.0
"""Structure of a triangle surface: shared corners, edges, pieces, duplicate triangles, winding."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np
import numpy.typing as npt

from inertia_tools.geometry.mesh.triangles import TriangleMesh
from inertia_tools.spatial import Array, extents, lengths_of

WELD_FRACTION = 1e-6
"""Corners closer than this fraction of the mesh's diagonal are merged; exporters round to about single precision."""

WELD_EDGES = 0.1
"""They must also be closer than this ratio of a short edge, so that thin and long parts keep their shape."""

CRACKED = 0.3
"""Share of loose edges from which a surface has cracks between its triangles, rather than holes."""

CRACK_FRACTIONS = (3e-6, 1e-5, 3e-5, 1e-4, 3e-4, 1e-3, 3e-3)
"""Widths of cracks that are tried in turn, as ratios of the diagonal."""

SHORT_EDGES, NARROW = 0.05, 0.3
"""A crack is narrow up to the second ratio of an edge that is shorter than all but the first ratio of the edges."""

MOST_PAIRS = 20_000_000
"""Maximum number of close pairs of corners; if there are more, the mesh is a cluster of points and is not welded."""

LINE = np.array([0.5257311121, 0.3090169944, 0.7925246183])
"""Direction along which points are sorted: not parallel to typical axes and diagonals of parts."""

HASH_FACTORS = np.array([0x9E3779B97F4A7C15, 0xC2B2AE3D27D4EB4F, 0x165667B19E3779F9], dtype=np.uint64)
"""Odd numbers without a pattern, one per column."""

Indices = npt.NDArray[np.int64]
Mask = npt.NDArray[np.bool_]


@dataclass(frozen=True, eq=False)
class Edges:
    """The undirected edges of a surface.

    Half-edge 3 i + k of triangle i runs from its corner k to the next one.

    Attributes:
        half_edges: Half-edges sorted so that those of one edge are adjacent, shape (3 m,).
        first: Start of each edge in that list, shape (e,).
        count: Triangles at each edge, shape (e,).
        surplus: Number of half-edges from the lower corner index to the higher, minus those back, shape (e,).
        low, high: Corner indices of each edge, shape (e,).
    """

    half_edges: Indices
    first: Indices
    count: Indices
    surplus: Indices
    low: Indices
    high: Indices

    @property
    def is_closed(self) -> bool:
        """Whether every edge has equally many half-edges in both directions.

        Then the surface has no boundary, and its volume integral does not depend on the apex.
        """
        return not self.surplus.any()

    @property
    def is_manifold(self) -> bool:
        """Whether no edge has more than two triangles."""
        return bool((self.count <= 2).all())


@dataclass(frozen=True, eq=False)
class Surface:
    """Triangles whose coincident corners share an index; none has two coincident corners.

    Attributes:
        vertices: Positions [m], shape (n, 3).
        triangles: Three vertex indices each, shape (m, 3).
        gap: Mean width of the cracks that were closed by moving corners [m]; zero if there were none.
    """

    vertices: Array
    triangles: Indices
    gap: float = 0.0

    @cached_property
    def is_clean(self) -> bool:
        """Whether every edge has exactly two triangles, in opposite directions."""
        if len(self.triangles) == 0 or (np.bincount(self.triangles.reshape(-1)) == 1).any():
            return False  # a corner of only one triangle has edges of only one, as in a file of loose triangles
        begin, end = _half_edges(self.triangles)
        is_forth, count = begin < end, len(self.vertices)
        if 2 * np.count_nonzero(is_forth) != len(begin):
            return False
        number = np.uint32 if count**2 <= np.iinfo(np.uint32).max else np.int64  # short ones are sorted faster
        keys = (np.minimum(begin, end) * count + np.maximum(begin, end)).astype(number)
        forth, back = np.sort(keys[is_forth]), np.sort(keys[~is_forth])
        return bool(np.array_equal(forth, back) and (forth[1:] > forth[:-1]).all())

    @property
    def is_closed(self) -> bool:
        """Whether the surface has no boundary; see `Edges.is_closed`."""
        return self.is_clean or (len(self.triangles) > 0 and self.edges.is_closed)

    @cached_property
    def edges(self) -> Edges:
        """The edges."""
        begin, end = _half_edges(self.triangles)
        low, high = np.minimum(begin, end), np.maximum(begin, end)
        order = lexical_order(low, high)
        keys = low * len(self.vertices) + high
        first = np.flatnonzero(np.diff(keys[order], prepend=-1))
        count = np.diff(first, append=len(keys))
        forward = np.where(begin < end, 1, -1)[order]
        surplus = np.add.reduceat(forward, first) if len(first) else forward
        return Edges(order, first, count, surplus, low[order[first]], high[order[first]])

    @cached_property
    def pieces(self) -> Indices:
        """Index of the connected piece of each triangle, shape (m,); pieces share no corner."""
        begin, end = self.triangles[:, [0, 1]].reshape(-1), self.triangles[:, [1, 2]].reshape(-1)
        return components(begin, end, len(self.vertices))[self.triangles[:, 0]]

    @cached_property
    def patches(self) -> Indices:
        """Index of the patch of each triangle, shape (m,); edges with exactly two triangles connect them."""
        first, second = self.pairs
        return components(first // 3, second // 3, len(self.triangles))

    @property
    def pairs(self) -> tuple[Indices, Indices]:
        """The two half-edges of every edge with exactly two triangles."""
        begin = self.edges.first[self.edges.count == 2]
        return self.edges.half_edges[begin], self.edges.half_edges[begin + 1]

    def with_triangles(self, triangles: Indices) -> Surface:
        """Return the same vertices with other triangles."""
        return Surface(self.vertices, triangles, self.gap)

    @property
    def looseness(self) -> float:
        """Share of the edges that prevent the surface from being closed."""
        return float(np.count_nonzero(self.edges.surplus)) / len(self.edges.count) if len(self.triangles) else 1.0

    @property
    def diagonal(self) -> float:
        """Length of the diagonal of the bounding box [m]."""
        return float(np.linalg.norm(extents(self.vertices))) if len(self.vertices) else 0.0


def weld(mesh: TriangleMesh) -> Surface:
    """Merge coincident corners, and remove triangles that collapse.

    A surface that is clean as read is kept; otherwise corners at exactly the same position are merged; only a surface
    that is still not closed is welded with a tolerance relative to its size. If then almost no triangle has a
    neighbour, wider cracks are closed, as long as they are narrow relative to the triangles.
    """
    as_read = _without_collapsed(mesh.vertices, mesh.triangles)
    if as_read.is_clean:
        return as_read
    exact = _renumbered(mesh.vertices, mesh.triangles, _number_rows(mesh.vertices))
    if exact.is_closed or not len(exact.triangles):
        return exact
    shortest = _short_edge(exact)
    close = _welded(exact, min(WELD_FRACTION * exact.diagonal, WELD_EDGES * shortest))
    if not len(close.triangles) or close.is_closed or close.looseness < CRACKED:
        return Surface(close.vertices, close.triangles, _mean_distance(exact, close))
    return _without_cracks(close, shortest)


def _short_edge(surface: Surface) -> float:
    """Return a length that all but the shortest edges exceed [m]."""
    begin, end = (surface.vertices[ends] for ends in _half_edges(surface.triangles))
    return float(np.quantile(lengths_of(end - begin), SHORT_EDGES))


def _without_cracks(surface: Surface, shortest: float) -> Surface:
    """Close cracks with the smallest sufficient width, or return the surface unchanged."""
    best = surface
    for fraction in CRACK_FRACTIONS:
        tolerance = fraction * surface.diagonal
        if tolerance > NARROW * shortest:
            break
        wider = _welded(surface, tolerance)
        if not len(wider.triangles):
            break
        if wider.looseness < 0.5 * best.looseness:
            best = wider
    if best is surface:
        return surface
    return Surface(best.vertices, best.triangles, _mean_distance(surface, best))


def _mean_distance(before: Surface, after: Surface) -> float:
    """Return the mean displacement of corners [m]; no triangle was lost."""
    if len(before.triangles) != len(after.triangles):
        return CRACK_FRACTIONS[-1] * before.diagonal
    moved = after.vertices[after.triangles] - before.vertices[before.triangles]
    return float(lengths_of(moved.reshape(-1, 3)).mean())


def _welded(surface: Surface, tolerance: float) -> Surface:
    """Merge corners closer than the tolerance, at their mean."""
    number = _number_close(surface.vertices, tolerance)
    count = np.bincount(number)
    middle = surface.vertices.mean(axis=0)
    sums = [np.bincount(number, surface.vertices[:, k] - middle[k]) for k in range(3)]
    places = np.stack(sums, axis=1) / count[:, None] + middle
    alone = count[number] == 1
    places[number[alone]] = surface.vertices[alone]  # to the last digit
    return _without_collapsed(places, number[surface.triangles])


def components(first: Indices, second: Indices, count: int) -> Indices:
    """Number the connected components of a graph of `count` nodes with these edges, shape (count,).

    Every node gets the least reachable index, along the links known in each iteration; SciPy takes as long, and half a
    second to load.
    """
    least = np.arange(count)
    while True:
        a, b = least[first], least[second]
        apart = a != b
        if not apart.any():
            break
        first, second, a, b = first[apart], second[apart], a[apart], b[apart]
        np.minimum.at(least, np.maximum(a, b), np.minimum(a, b))
        while not np.array_equal(least, farther := least[least]):
            least = farther
    is_least = least == np.arange(count)
    return np.asarray((np.cumsum(is_least) - 1)[least], dtype=np.int64)


def repeated(triangles: Indices) -> tuple[Indices, Indices] | None:
    """Group triangles that have the same three corners.

    Returns:
        The index of each triangle's group, and +1 or -1 for its direction within the group; both of shape (m,). None if
        no two triangles have the same corners.
    """
    a, b, c = triangles.T
    low, high = np.minimum(np.minimum(a, b), c), np.maximum(np.maximum(a, b), c)
    corners = low, a + b + c - low - high, high
    order = lexical_order(*corners)
    is_new = np.concatenate([[True], np.any([np.diff(one[order]) != 0 for one in corners], axis=0)])
    if is_new.all():
        return None
    group = np.empty(len(order), dtype=np.int64)
    group[order] = np.cumsum(is_new) - 1
    even = ((a < b) & (b < c)) | ((b < c) & (c < a)) | ((c < a) & (a < b))
    return group, np.where(even, 1, -1)


def lexical_order(*columns: Indices) -> Indices:
    """Return the order of rows by the first column, then by the next; equal rows keep their order.

    NumPy radix-sorts 16-bit numbers, in a third of the time.

    Args:
        *columns: Numbers that are not negative, shape (n,) each.
    """
    order: Indices | None = None
    for column in reversed(columns):
        short = column.astype(np.uint16) if column.max(initial=0) <= np.iinfo(np.uint16).max else column
        order = np.argsort(short, kind="stable") if order is None else order[np.argsort(short[order], kind="stable")]
    assert order is not None
    return order


def _half_edges(triangles: Indices) -> tuple[Indices, Indices]:
    return triangles.reshape(-1), triangles[:, [1, 2, 0]].reshape(-1)


def _renumbered(vertices: Array, triangles: Indices, number: Indices) -> Surface:
    """Give the corners these indices, one per vertex; equal ones get the position of the first."""
    places = np.empty((int(number.max()) + 1 if len(number) else 0, 3))
    places[number[::-1]] = vertices[::-1]
    return _without_collapsed(places, number[triangles])


def _without_collapsed(vertices: Array, triangles: Indices) -> Surface:
    a, b, c = triangles.T
    collapsed = (a == b) | (b == c) | (c == a)
    return Surface(vertices, triangles[~collapsed] if collapsed.any() else triangles)


def _number_close(points: Array, tolerance: float) -> Indices:
    """Number points so that those closer than the tolerance share an index.

    Sorted along a line that is parallel to no lattice, close points are consecutive. Where too many are close, they are
    a cluster, and each gets its own index.
    """
    alone = np.arange(len(points))
    if tolerance == 0.0:
        return alone
    centred = points - points.mean(axis=0)
    along = centred @ LINE
    order = np.argsort(along)
    along, centred = along[order], centred[order]
    pairs = [(alone[:0], alone[:0])]
    active, looked_at = alone, 0
    for step in range(1, len(points)):
        active = active[: np.searchsorted(active, len(points) - step)]
        active = active[along[active + step] - along[active] <= tolerance]
        looked_at += len(active)
        if not len(active):
            break
        if looked_at > MOST_PAIRS:
            return alone
        close = active[lengths_of(centred[active + step] - centred[active]) <= tolerance]
        pairs.append((order[close], order[close + step]))
    first, second = (np.concatenate(column) for column in zip(*pairs, strict=True))
    return components(first, second, len(points))


def _number_rows(keys: npt.NDArray[np.float64]) -> Indices:
    """Number the distinct rows; equal rows, with zeros of either sign, get the same number.

    Sorting one hash per row takes a third of the time of sorting by three columns; if two distinct rows share a hash,
    the columns are sorted after all.
    """
    rows = np.ascontiguousarray(keys + 0.0)
    x, y, z = rows.view(np.uint64).T
    hashes = x * HASH_FACTORS[0] + y * HASH_FACTORS[1] + z * HASH_FACTORS[2]  # overflowing bits are dropped
    order = np.argsort(hashes)
    is_new = np.concatenate([[True], np.diff(hashes[order]) != 0])
    first = order[is_new]
    number = np.empty(len(rows), dtype=np.int64)
    number[order] = np.cumsum(is_new) - 1
    if np.array_equal(rows.take(first, axis=0).take(number, axis=0), rows):
        return number
    order = np.lexsort(rows.T)
    is_new = np.concatenate([[True], (rows[order][1:] != rows[order][:-1]).any(axis=1)])
    number[order] = np.cumsum(is_new) - 1
    return number
