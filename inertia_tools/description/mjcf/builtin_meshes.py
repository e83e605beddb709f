# SPDX-FileCopyrightText: The inertia_tools authors
# SPDX-License-Identifier: Apache-2.0
"""Built-in meshes of MJCF: `<mesh builtin="..." params="..."/>`, as MuJoCo 4 makes them.

Each has its own unit size, which `scale` changes. MuJoCo stores vertices in single precision. A mesh without faces is
the convex hull of its vertices, in MuJoCo as well.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from inertia_tools.description.geometry import InlineMesh
from inertia_tools.spatial import Array

GOLDEN = (1.0 + 5.0**0.5) / 2.0
"""Ratio of the edges of the three rectangles that span an icosahedron."""

ICOSAHEDRON = (
    *((0, 11, 5), (0, 5, 1), (0, 1, 7), (0, 7, 10), (0, 10, 11)),
    *((1, 5, 9), (5, 11, 4), (11, 10, 2), (10, 7, 6), (7, 1, 8)),
    *((3, 9, 4), (3, 4, 2), (3, 2, 6), (3, 6, 8), (3, 8, 9)),
    *((4, 9, 5), (2, 4, 11), (6, 2, 10), (8, 6, 7), (9, 8, 1)),
)
"""Faces of an icosahedron whose corners `_sphere` lists."""

MOST_SPHERE, MOST_HEMISPHERE = 4, 10
"""Finest resolutions of these in MuJoCo."""

MOST_POINTS = 300_000
"""Maximum number of vertices of one mesh; a larger number is a typing error, and the hull of a million takes 6 s."""

MOST_RINGS = int(MOST_POINTS**0.5)
"""Finest resolution of a surface with equally many points in both directions."""

BLOCK_PARAMS = (6, 7)
"""Number of parameters of a block: three counts, three spacings, and its dimension."""

SHEET, SOLID = 2, 3
"""Possible dimensions of a block."""

Faces = npt.NDArray[np.int64]


@dataclass(frozen=True)
class Recipe:
    """How a built-in mesh is made.

    Attributes:
        counts: Permitted numbers of parameters.
        make: Makes it; raises `ValueError` for invalid parameters.
    """

    counts: tuple[int, ...]
    make: Callable[..., InlineMesh]


def is_open_block(params: list[float]) -> bool:
    """Return whether the parameters of a box, cylinder or ellipsoid request only its surface, without the top."""
    return len(params) == BLOCK_PARAMS[-1] and int(params[-1]) == SHEET


def builtin_mesh(kind: str, params: list[float]) -> InlineMesh:
    """Make a mesh.

    Args:
        kind: Its name, one of `RECIPES`.
        params: Its parameters.

    Raises:
        ValueError: There is no such mesh; the message can follow the mesh's name.
    """
    recipe = RECIPES[kind]
    if len(params) not in recipe.counts:
        wanted = " or ".join(str(count) for count in recipe.counts)
        raise ValueError(f"has {len(params)} params; {wanted} are needed")
    if not np.isfinite(params).all():
        raise ValueError("has params that are not finite; write finite numbers")
    return recipe.make(*params)


def _check(holds: bool, reason: str) -> None:
    """Check a parameter.

    Raises:
        ValueError: The parameter is invalid.
    """
    if not holds:
        raise ValueError(reason)


def _check_counts(counts: Sequence[int], least: int) -> None:
    """Check the number of points of a mesh in each direction.

    Raises:
        ValueError: One is below the least, or their product is above `MOST_POINTS`.
    """
    said = " by ".join(str(count) for count in counts)
    _check(
        min(counts) >= least and math.prod(counts) <= MOST_POINTS,
        f"has {said} points; write {least} or more each way, {MOST_POINTS} at most in all",
    )


def _sphere(subdivisions: float) -> InlineMesh:
    """Divide each face of an icosahedron in four, repeatedly, with all vertices on the unit sphere."""
    times = int(subdivisions)
    _check(0 <= times <= MOST_SPHERE, f"has subdivision {times}; write one from 0 to {MOST_SPHERE}")
    g = GOLDEN
    corners = np.array(
        [
            *((-1, g, 0), (1, g, 0), (-1, -g, 0), (1, -g, 0), (0, -1, g), (0, 1, g)),
            *((0, -1, -g), (0, 1, -g), (g, 0, -1), (g, 0, 1), (-g, 0, -1), (-g, 0, 1)),
        ]
    )
    vertices = corners / np.hypot(1.0, g)
    faces: Faces = np.array(ICOSAHEDRON, dtype=np.int64)
    for _ in range(times):
        vertices, faces = _divided(vertices, faces)
    return InlineMesh(vertices, faces)


def _divided(vertices: Array, faces: Faces) -> tuple[Array, Faces]:
    """Add a vertex over the middle of each edge, and make four triangles of each."""
    edges = np.sort(faces[:, [[0, 1], [1, 2], [2, 0]]].reshape(-1, 2), axis=1)
    pairs, number = np.unique(edges, axis=0, return_inverse=True)
    middles = vertices[pairs].sum(axis=1)
    middles /= np.linalg.norm(middles, axis=1, keepdims=True)
    a, b, c = faces.T
    ab, bc, ca = (len(vertices) + number.reshape(-1, 3)).T
    parts = [(a, ab, ca), (b, bc, ab), (c, ca, bc), (ab, bc, ca)]
    return np.concatenate([vertices, middles]), np.concatenate([np.stack(part, axis=1) for part in parts])


def _hemisphere(resolution: float) -> InlineMesh:
    """Project rows of points on the upper half of an octahedron onto the unit sphere; a flat cap closes it."""
    rows = int(resolution)
    _check(0 <= rows <= MOST_HEMISPHERE, f"has resolution {rows}; write one from 0 to {MOST_HEMISPHERE}")
    corners = np.array([(1.0, 0.0), (0.0, 1.0), (-1.0, 0.0), (0.0, -1.0), (1.0, 0.0)])
    rings = []
    for row in range(1, rows + 2):
        along = (np.arange(row) / row)[:, None]
        flat = np.concatenate([corners[i] + along * (corners[i + 1] - corners[i]) for i in range(4)])
        share = row / (rows + 1)
        ring = np.column_stack([share * flat, np.full(4 * row, 1.0 - share)])
        rings.append(ring / np.linalg.norm(ring, axis=1, keepdims=True))
    vertices = np.concatenate([[(0.0, 0.0, 1.0)], *rings, [(0.0, 0.0, 0.0)]])
    return InlineMesh(vertices, np.array(list(_hemisphere_faces(rows)), dtype=np.int64))


def _hemisphere_faces(rows: int) -> list[tuple[int, int, int]]:
    """List triangles from the pole down; a ring has four vertices more than the one above it."""
    faces = [(0, 1 + i, 1 + (i + 1) % 4) for i in range(4)]
    start = 1
    for row in range(1, rows + 1):
        near, far = 4 * row, 4 * (row + 1)
        below = start + near
        for side in range(4):
            for i in range(row + 1):
                upper, lower = side * row + i, side * (row + 1) + i
                last = below + (lower + 1) % far
                faces.append((start + upper % near, below + lower, last))
                if i < row:
                    faces.append((start + upper, last, start + (upper + 1) % near))
        start = below
    count = 4 * (rows + 1)
    return faces + [(start + i, start + count, start + (i + 1) % count) for i in range(count)]


def _cone(edges: float, radius: float) -> InlineMesh:
    """Return the hull of a polygon at z = -1, and one of another radius, or a point, at z = 1."""
    count = int(edges)
    _check(3 <= count <= MOST_POINTS, f"has {count} corners; write 3 to {MOST_POINTS}")
    _check(0.0 <= radius <= 1.0, f"has the radius {radius:g}; write one from 0 to 1")
    angles = 2.0 * np.pi * np.arange(count) / count
    ring = np.column_stack([np.cos(angles), np.sin(angles)])
    base = np.column_stack([ring, np.full(count, -1.0)])
    top = np.column_stack([radius * ring, np.ones(count)]) if radius > 0.0 else np.array([(0.0, 0.0, 1.0)])
    return InlineMesh(np.concatenate([base, top]))


def _power(values: Array, exponent: float) -> Array:
    """Raise the absolute value of each entry to a power, and keep its sign."""
    return np.copysign(np.abs(values) ** exponent, values)


def _supersphere(resolution: float, e: float, n: float) -> InlineMesh:
    """Make a superquadric ellipsoid of rings between two poles."""
    count = int(resolution)
    _check(3 <= count <= MOST_RINGS, f"has resolution {count}; write one from 3 to {MOST_RINGS}")
    _check(e >= 0.0 and n >= 0.0, f"has the exponents {e:g} and {n:g}; write none below 0")
    v = (-np.pi / 2 + np.arange(1, count) * np.pi / count)[:, None]
    u = -np.pi + np.arange(count) * 2.0 * np.pi / count
    out, up = _power(np.cos(v), n), _power(np.sin(v), n)
    rings = np.stack(
        [out * _power(np.cos(u), e), out * _power(np.sin(u), e), np.broadcast_to(up, (count - 1, count))], axis=2
    )
    vertices = np.concatenate([[(0.0, 0.0, -1.0)], rings.reshape(-1, 3), [(0.0, 0.0, 1.0)]])
    number = 1 + np.arange((count - 1) * count).reshape(count - 1, count)
    across = np.roll(number, -1, axis=1)
    south = [np.zeros(count, dtype=np.int64), across[0], number[0]]
    north = [number[-1], across[-1], np.full(count, len(vertices) - 1)]
    bands = _halved(number[:-1], across[:-1], across[1:], number[1:])
    return InlineMesh(vertices, np.concatenate([np.stack(south, axis=1), bands, np.stack(north, axis=1)]))


def _halved(*corners: Faces) -> Faces:
    """Split quadrilaterals along the diagonal from their second corner to their fourth, shape (2 n, 3)."""
    a, b, c, d = (corner.ravel() for corner in corners)
    return np.concatenate([np.stack([a, b, d], axis=1), np.stack([b, c, d], axis=1)])


def _supertorus(resolution: float, radius: float, s: float, t: float) -> InlineMesh:
    """Make a superquadric torus about z, one metre from the axis to the centre of the tube."""
    count = int(resolution)
    _check(3 <= count <= MOST_RINGS, f"has resolution {count}; write one from 3 to {MOST_RINGS}")
    _check(0.0 < radius <= 1.0, f"has the radius {radius:g}; write one above 0, 1 at most")
    _check(s > 0.0 and t > 0.0, f"has the exponents {s:g} and {t:g}; write some above 0")
    angles = 2.0 * np.pi * np.arange(count) / count
    u, v = angles[:, None], angles
    out, up = 1.0 + radius * _power(np.cos(v), s), radius * _power(np.sin(v), s)
    x, y = out * _power(np.cos(u), t), out * _power(np.sin(u), t)
    vertices = np.stack([x, y, np.broadcast_to(up, x.shape)], axis=2).reshape(-1, 3)
    number = np.arange(count * count).reshape(count, count)
    further = np.roll(number, -1, axis=0)
    return InlineMesh(vertices, _halved(number, further, np.roll(further, -1, axis=1), np.roll(number, -1, axis=1)))


def _wedge(rows: float, columns: float, width: float, height: float, gamma: float) -> InlineMesh:
    """Place points on a slice of the unit sphere about -z, denser in the middle for more gamma; angles in degrees."""
    counts = int(rows), int(columns)
    _check_counts(counts, least=1)
    _check(0.0 < width <= 180.0 and 0.0 < height <= 90.0, f"has fields of {width:g} and {height:g} degrees")
    _check(0.0 <= gamma <= 1.0, f"has gamma {gamma:g}; write one from 0 to 1")
    a = _middles(counts[0], gamma)[:, None] * np.deg2rad(width)
    e = _middles(counts[1], gamma) * np.deg2rad(height)
    points = np.stack([np.cos(e) * np.sin(a), np.broadcast_to(np.sin(e), counts), -np.cos(e) * np.cos(a)], axis=2)
    return InlineMesh(points.reshape(-1, 3))


def _middles(count: int, gamma: float) -> Array:
    """Return the centres of that many bins over -1 to 1, narrower about 0 as gamma rises."""
    edges = -1.0 + 2.0 * np.arange(count + 1) / count
    bent = gamma * edges**5 + (1.0 - gamma) * edges
    return np.asarray(0.5 * (bent[1:] + bent[:-1]))


def _plate(rows: float, columns: float) -> InlineMesh:
    """Place points on the square of 2 m at z = -1, each at the centre of its cell, with triangles between them."""
    counts = int(rows), int(columns)
    _check_counts(counts, least=1)
    x, y = (-1.0 + (np.arange(n) + 0.5) * 2.0 / n for n in counts)
    points = np.stack([*np.meshgrid(x, y, indexing="ij"), np.full(counts, -1.0)], axis=2).reshape(-1, 3)
    number = np.arange(counts[0] * counts[1]).reshape(counts)
    return InlineMesh(points, _halved(number[:-1, :-1], number[1:, :-1], number[1:, 1:], number[:-1, 1:]))


def _block(bend: Callable[[Array], Array]) -> Callable[..., InlineMesh]:
    """Return the recipe of a block of points whose surface is mapped onto a shape."""

    def make(*params: float) -> InlineMesh:
        counts = [int(count) for count in params[:3]]
        spacing, dim = np.array(params[3:6]), int(params[6]) if len(params) > 6 else SOLID
        _check(dim in (SHEET, SOLID), f"has the dim {dim}; write 2 or 3")
        _check_counts(counts, least=2)
        half = 0.5 * spacing * (np.array(counts) - 1)
        vertices = bend(_grid(counts)) * half
        if dim == SOLID:
            return InlineMesh(vertices)
        used, faces = np.unique(_open_box(counts), return_inverse=True)
        return InlineMesh(vertices[used], faces.reshape(-1, 3))

    return make


def _grid(counts: list[int]) -> Array:
    """Return all points of a grid over the cube from -1 to 1, x slowest, shape (n, 3); inner ones change no hull."""
    axes = [np.linspace(-1.0, 1.0, count) for count in counts]
    return np.stack(np.meshgrid(*axes, indexing="ij"), axis=3).reshape(-1, 3)


def _open_box(counts: list[int]) -> Faces:
    """List the triangles of a grid's bottom and sides; MuJoCo 4 leaves the top open."""
    number = np.arange(math.prod(counts)).reshape(counts)
    bottom = number[:, :, 0]
    floor = _halved(bottom[1:, :-1], bottom[:-1, :-1], bottom[:-1, 1:], bottom[1:, 1:])
    rim = np.concatenate([number[:-1, 0], number[-1, :-1], number[:0:-1, -1], number[0, :0:-1]])
    after = np.roll(rim, -1, axis=0)
    return np.concatenate([floor, _halved(rim[:, 1:], rim[:, :-1], after[:, :-1], after[:, 1:])])


def _round(points: Array, dimensions: int) -> Array:
    """Move points of a square, or a cube, along their rays so that its surface becomes round."""
    part = points[:, :dimensions]
    length = np.linalg.norm(part, axis=1)
    factor = np.abs(part).max(axis=1) / np.where(length > 0.0, length, 1.0)
    return np.concatenate([part * factor[:, None], points[:, dimensions:]], axis=1)


RECIPES: Mapping[str, Recipe] = {
    "sphere": Recipe((1,), _sphere),
    "hemisphere": Recipe((1,), _hemisphere),
    "cone": Recipe((2,), _cone),
    "supersphere": Recipe((3,), _supersphere),
    "supertorus": Recipe((4,), _supertorus),
    "wedge": Recipe((5,), _wedge),
    "plate": Recipe((2,), _plate),
    "box": Recipe(BLOCK_PARAMS, _block(lambda points: points)),
    "cylinder": Recipe(BLOCK_PARAMS, _block(lambda points: _round(points, 2))),
    "ellipsoid": Recipe(BLOCK_PARAMS, _block(lambda points: _round(points, 3))),
}
"""Recipe of each mesh, by its name."""
