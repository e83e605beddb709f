# SPDX-FileCopyrightText: The inertia_tools authors
# SPDX-License-Identifier: Apache-2.0
"""Triangle meshes of simple solids."""

from __future__ import annotations

from typing import Any

import numpy as np

from inertia_tools.errors import OptionError, UnknownOptionError
from inertia_tools.sim.scene.axis import up_rotation
from inertia_tools.spatial import Array

SEGMENTS = 32
"""Corners around an axis, and rings from pole to pole."""

SEEN = frozenset({"compute_normals", "compute_uvs", "duplicate_vertices"})
"""Options of Newton about drawing."""

OPTIONS = (
    "up_axis", "segments", "num_latitudes", "num_longitudes", "reverse_winding", "barrel_radius", *sorted(SEEN)
)  # fmt: skip

Triangles = np.ndarray
"""Three indices a triangle, counter-clockwise seen from outside, shape (n, 3)."""


def solid_form(form: str, sizes: tuple[float, ...], **options: Any) -> tuple[Array, Triangles]:
    """Return the vertices [m] and triangles of a solid.

    Args:
        form: "box", "ellipsoid", "capsule", "cylinder", "cone" or "plane".
        sizes: Half edges; semi-axes; radius and half height; or width and length [m].
        options: `segments` around the axis; `num_latitudes` and `num_longitudes` of a ball; `up_axis`, along which
            bodies of revolution lie; `reverse_winding` turns it inside out; `barrel_radius` lets the side of a cylinder
            bulge by an arc of that radius [m]; what is about drawing has no effect.

    Raises:
        UnknownOptionError: There is no such option.
        OptionError: The arc of a barrel is shorter than the barrel.
    """
    for name in options.keys() - set(OPTIONS):
        raise UnknownOptionError("Mesh", name, OPTIONS)
    around = int(options.get("num_longitudes") or options.get("segments") or SEGMENTS)
    rings = int(options.get("num_latitudes") or SEGMENTS)
    if form == "box":
        vertices, triangles = _box(*sizes)
    elif form == "plane":
        vertices, triangles = _plane(*sizes)
    elif form == "ellipsoid":
        angles = np.linspace(0.0, np.pi, rings + 1)
        vertices, triangles = _turned(np.column_stack([np.sin(angles), -np.cos(angles)]), around)
        vertices = vertices * sizes
    else:
        arc = float(options.get("barrel_radius") or 0.0)
        profile = _barrel(sizes[0], sizes[1], arc, rings) if arc else _profile(form, sizes[0], sizes[1], around)
        vertices, triangles = _turned(profile, around)
        vertices = vertices @ up_rotation(options.get("up_axis", "Y"))
    return vertices, triangles[:, ::-1] if options.get("reverse_winding") else triangles


def _profile(form: str, radius: float, half: float, around: int) -> Array:
    """Return distance from the axis and height of the outline of a body of revolution, from below [m], shape (n, 2)."""
    if form == "cylinder":
        return np.array([[0.0, -half], [radius, -half], [radius, half], [0.0, half]])
    if form == "cone":
        return np.array([[0.0, -half], [radius, -half], [0.0, half]])
    angles = np.linspace(0.0, 0.5 * np.pi, max(around // 4, 1) + 1)
    cap = radius * np.column_stack([np.sin(angles), np.cos(angles)])
    below = np.column_stack([cap[:, 0], -half - cap[:, 1]])
    return np.concatenate([below, np.column_stack([cap[::-1, 0], half + cap[::-1, 1]])])


def _barrel(radius: float, half: float, arc: float, rings: int) -> Array:
    """Return the outline of a barrel, as `_profile` does; see `geometry.barrel`."""
    if not arc >= half:
        raise OptionError("barrel_radius", arc, f"zero, or half the length, {half:g} m, or more")
    end = np.arcsin(min(half / arc, 1.0))
    angles = np.linspace(-end, end, rings + 1)
    side = np.column_stack([radius + arc * (np.cos(angles) - np.cos(end)), arc * np.sin(angles)])
    return np.concatenate([[[0.0, -half]], side, [[0.0, half]]])


def _turned(profile: Array, around: int) -> tuple[Array, Triangles]:
    """Return the surface that an outline sweeps around z; its ends are on the axis."""
    turns = np.arange(around) * (2.0 * np.pi / around)
    ring = np.column_stack([np.cos(turns), np.sin(turns)])
    inner = profile[1:-1]
    rings = [np.column_stack([r * ring, np.full(around, z)]) for r, z in inner]
    vertices = np.concatenate([[[0.0, 0.0, profile[0, 1]]], *rings, [[0.0, 0.0, profile[-1, 1]]]])
    last, here = len(vertices) - 1, np.arange(around)
    after, top = (here + 1) % around, 1 + (len(inner) - 1) * around
    faces = [np.column_stack([np.zeros(around, dtype=int), 1 + after, 1 + here])]
    for index in range(len(inner) - 1):
        low, high = 1 + index * around, 1 + (index + 1) * around
        faces.append(np.column_stack([low + here, low + after, high + after]))
        faces.append(np.column_stack([low + here, high + after, high + here]))
    faces.append(np.column_stack([top + here, top + after, np.full(around, last)]))
    return vertices, np.concatenate(faces)


def _box(hx: float, hy: float, hz: float) -> tuple[Array, Triangles]:
    corners = np.array([[x, y, z] for x in (-hx, hx) for y in (-hy, hy) for z in (-hz, hz)])
    sides = [(0, 1, 3, 2), (4, 6, 7, 5), (0, 4, 5, 1), (2, 3, 7, 6), (0, 2, 6, 4), (1, 5, 7, 3)]
    return corners, np.array([half for a, b, c, d in sides for half in ((a, b, c), (a, c, d))])


def _plane(width: float, length: float) -> tuple[Array, Triangles]:
    x, y = 0.5 * width, 0.5 * length
    return np.array([[-x, -y, 0.0], [x, -y, 0.0], [x, y, 0.0], [-x, y, 0.0]]), np.array([[0, 1, 2], [0, 2, 3]])
