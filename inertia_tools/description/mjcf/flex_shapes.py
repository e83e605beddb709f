# SPDX-FileCopyrightText: The inertia_tools authors
# SPDX-License-Identifier: Apache-2.0
"""Points and elements of the flexible bodies that MJCF generates, in the order of MuJoCo.

A cell of four points is a, b, c, d around, a having the lowest numbers; its two triangles meet at the diagonal from a
to c, or from b to d.
"""

from __future__ import annotations

import itertools

import numpy as np

from inertia_tools.spatial import Array

Counts = tuple[int, int, int]

CELL = ((0, 2, 4, 3), (0, 4, 1, 3), (4, 2, 6, 3), (4, 6, 7, 3), (4, 5, 1, 3), (4, 7, 5, 3))
"""Six tetrahedra of a cell whose corners are numbered 4 x + 2 y + z."""


def grid_points(counts: Counts, spacing: Array) -> tuple[Array, Array]:
    """Return the points of a grid about its centre [m], shape (n, 3), and their grid indices; z is the fastest."""
    places = np.indices(counts).reshape(3, -1).T.astype(np.float64)
    return (places - 0.5 * (np.array(counts) - 1.0)) * spacing, places


def grid_elements(counts: Counts, dim: int) -> np.ndarray:
    """Return the segments, triangles or tetrahedra of a grid, shape (n, dim + 1)."""
    number = np.arange(int(np.prod(counts))).reshape(counts)
    if dim == 1:
        line = number.ravel()
        return np.stack([line[:-1], line[1:]], axis=1)
    if dim == 2:
        return _triangles(number[:, :, 0])
    corners = [number[x : x + counts[0] - 1, y : y + counts[1] - 1, z : z + counts[2] - 1].ravel()
               for x, y, z in itertools.product((0, 1), repeat=3)]  # fmt: skip
    return np.stack(corners, axis=1)[:, np.array(CELL)].reshape(-1, 4)


def disc(counts: Counts, spacing: Array) -> tuple[Array, np.ndarray]:
    """Return the points of a disc [m] and its triangles; its radius is the square of half its width, as in MuJoCo."""
    points, _ = grid_points(counts, spacing)
    half = 0.5 * (np.array(counts) - 1.0) * spacing
    points = points * _rounding(points) * np.where(half > 0.0, half, 1.0)
    number = np.arange(counts[0] * counts[1]).reshape(counts[:2])
    lower = [np.arange(count - 1) < 0.5 * (count - 1) for count in counts[:2]]
    return points, _triangles(number, lower[0][:, None] != lower[1][None, :])


def circle(count: int, spacing: float) -> tuple[Array, np.ndarray]:
    """Return the points of a circle [m] and its segments; the last of its points is the first."""
    angles = 2.0 * np.pi * np.arange(count - 1) / (count - 1)
    radius = 0.5 * spacing / np.sin(np.pi / (count - 1))
    points = radius * np.stack([np.cos(angles), np.sin(angles), np.zeros(count - 1)], axis=1)
    first = np.arange(count - 1)
    return points, np.stack([first, np.roll(first, -1)], axis=1)


def hollow(kind: str, counts: Counts, spacing: Array, dim: int) -> tuple[Array, np.ndarray]:
    """Return the points of a box, cylinder or ellipsoid [m], and its elements.

    In a solid, each triangle of the surface and a point in the middle form a tetrahedron. A sheet is open at the top.
    """
    places = _shell_places(counts, dim)
    number = {place: index + (dim == 3) for index, place in enumerate(places)}
    half = 0.5 * (np.array(counts) - 1.0)
    unit = (np.array(places, dtype=np.float64) - half) / half
    if kind == "ellipsoid":
        unit /= np.linalg.norm(unit, axis=1, keepdims=True)
    elif kind == "cylinder":
        unit[:, :2] *= _rounding(unit[:, :2])
    points = unit * half * spacing
    if dim == 3:
        points = np.concatenate([np.zeros((1, 3)), points])
    return points, _shell_elements(counts, number, dim)


def _rounding(points: Array) -> Array:
    """Return the factor that maps points of squares to circles, shape (n, 1)."""
    length = np.linalg.norm(points, axis=1, keepdims=True)
    largest = np.abs(points).max(axis=1, keepdims=True)
    return np.where(length > 0.0, largest / np.where(length > 0.0, length, 1.0), 1.0)


def _triangles(number: np.ndarray, turned: np.ndarray | bool = False) -> np.ndarray:
    """Return two triangles for each cell of a grid of numbered points; those of flipped cells meet at b and d."""
    a, b, c, d = number[:-1, :-1], number[1:, :-1], number[1:, 1:], number[:-1, 1:]
    plain = np.stack([np.stack([a, b, c], -1), np.stack([a, c, d], -1)], axis=-2)
    other = np.stack([np.stack([a, b, d], -1), np.stack([b, c, d], -1)], axis=-2)
    return np.where(np.broadcast_to(turned, a.shape)[..., None, None], other, plain).reshape(-1, 3)


def _shell_places(counts: Counts, dim: int) -> list[tuple[int, int, int]]:
    """Return the grid indices of a shell's points: bottom and top, then the remaining points of the y and x sides."""
    x, y = range(counts[0]), range(counts[1])
    inner_y = range(1, counts[1] - 1)
    inner_z = range(1, counts[2] - 1 if dim == 3 else counts[2])
    ends = [(0, counts[axis] - 1) for axis in range(3)]
    caps = ends[2] if dim == 3 else ends[2][:1]
    places = [(i, j, k) for k in caps for i in x for j in y]
    places += [(i, j, k) for j in ends[1] for i in x for k in inner_z]
    places += [(i, j, k) for i in ends[0] for j in inner_y for k in inner_z]
    return places


def _shell_elements(counts: Counts, number: dict[tuple[int, int, int], int], dim: int) -> np.ndarray:
    """Return the triangles of a shell, or the tetrahedra that they form with point 0."""
    found = []
    for axis, end in ((2, 0), (2, 1), (1, 0), (1, 1), (0, 0), (0, 1)):
        if dim == 2 and (axis, end) == (2, 1):
            continue
        first, second = (other for other in range(3) if other != axis)
        sheet = np.empty((counts[first], counts[second]), dtype=int)
        for i, j in np.ndindex(sheet.shape):
            place = [end * (counts[axis] - 1)] * 3
            place[first], place[second] = i, j
            sheet[i, j] = number[place[0], place[1], place[2]]
        if dim == 3:
            triangles = _triangles(sheet)
            found.append(np.column_stack([np.zeros(len(triangles), dtype=int), triangles]))
        else:
            faces_along = (axis == 1) == (end == 0)
            turned = not faces_along and axis != 2
            triangles = _triangles(sheet, turned)
            found.append(triangles if faces_along else triangles[:, ::-1])
    return np.concatenate(found)
