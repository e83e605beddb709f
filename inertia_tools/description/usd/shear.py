# SPDX-FileCopyrightText: The inertia_tools authors
# SPDX-License-Identifier: Apache-2.0
"""Simple solids under shear, which results from unequal scales on an ancestor of a rotated prim.

A cube becomes the mesh of a parallelepiped and a sphere an ellipsoid, both exactly. Bodies of revolution stay round, as
in UsdPhysics without shear: the image of the circle across their axis is replaced by the circle about it. If the axis
is still perpendicular to that circle, the type stays the same; an oblique cylinder or cone becomes a mesh. A capsule is
all points within the radius of a segment, so it is the capsule about the image of that segment.
"""

from __future__ import annotations

import math
from itertools import product

import numpy as np

from inertia_tools.description.geometry import (
    Capsule,
    Cone,
    Cylinder,
    Ellipsoid,
    Geometry,
    InlineMesh,
    Mesh,
    Sphere,
)
from inertia_tools.description.usd.placement import SHEAR
from inertia_tools.spatial import Array, Pose, rotation_between

SIDES = 128
"""Sides of an oblique cylinder; its moments are off by less than 1e-7, the rounding of single precision."""

CORNERS = np.array(list(product((-0.5, 0.5), repeat=3)))
FACES = np.array([[0, 1, 3, 2], [4, 6, 7, 5], [0, 4, 5, 1], [2, 3, 7, 6], [0, 2, 6, 4], [1, 5, 7, 3]])
"""A cube of edge one: corners with z running fastest, and faces that are seen from outside counterclockwise."""


def is_sheared(stretch: Array) -> bool:
    """Return whether a map, shape (3, 3), is not singular and does more than scale along the axes."""
    return bool(np.any(stretch - np.diag(np.diag(stretch)))) and bool(np.linalg.det(stretch))


def sheared_cube(name: str, stretch: Array, size: float) -> tuple[Geometry, Pose]:
    """Return a cube of the given edge [m] under a map, shape (3, 3)."""
    faces = FACES[:, ::-1] if np.linalg.det(stretch) < 0.0 else FACES
    triangles = np.concatenate([faces[:, [0, 1, 2]], faces[:, [0, 2, 3]]])
    return Mesh(name, None, inline=InlineMesh(CORNERS @ (stretch.T * size), triangles)), Pose()


def sheared_sphere(stretch: Array, radius: float) -> tuple[Geometry, Pose]:
    """Return a sphere of the given radius [m] under a map, shape (3, 3): its axes are the left singular vectors."""
    axes, scales, _ = np.linalg.svd(stretch)
    if np.linalg.det(axes) < 0.0:
        axes = -axes
    x, y, z = (radius * scales).tolist()
    return (Sphere(x) if x - z <= SHEAR * x else Ellipsoid((x, y, z))), Pose(rotation=axes)


def sheared_round(
    kind: type[Cylinder | Capsule | Cone], name: str, stretch: Array, axis: int, radius: float, height: float
) -> tuple[Geometry, Pose]:
    """Return a body of revolution under a map with shear.

    Args:
        kind: Its type.
        name: Name of the mesh that it may become.
        stretch: The map, shape (3, 3).
        axis: Index of its axis.
        radius: Its radius before the map [m].
        height: Its height before the map [m].
    """
    along = stretch[:, axis] * height
    basis, scales, _ = np.linalg.svd(np.delete(stretch, axis, axis=1), full_matrices=False)
    radius *= float(scales[0])
    length = float(np.linalg.norm(along))
    if kind is Capsule or np.abs(basis.T @ along).max() <= SHEAR * length:
        return kind(radius, length), Pose(rotation=rotation_between([0.0, 0.0, 1.0], along / length))
    return Mesh(name, None, inline=_oblique(radius * basis.T, along, has_tip=kind is Cone)), Pose()


def _oblique(across: Array, along: Array, *, has_tip: bool) -> InlineMesh:
    """Return a cylinder or cone with an oblique axis.

    Args:
        across: Two perpendicular radii of its base [m], shape (2, 3).
        along: Vector from the centre of its base to that of its top [m], shape (3,).
        has_tip: The top is a point.
    """
    angles = np.arange(SIDES) * (2.0 * math.pi / SIDES)
    same_area = math.sqrt(2.0 * math.pi / SIDES / math.sin(2.0 * math.pi / SIDES))
    turn = np.sign(np.cross(across[0], across[1]) @ along)
    ring = same_area * (np.cos(angles)[:, None] * across[0] + turn * np.sin(angles)[:, None] * across[1])
    top = np.zeros((1, 3)) if has_tip else ring
    vertices = np.concatenate([ring - 0.5 * along, top + 0.5 * along])
    here = np.arange(SIDES)
    following = (here + 1) % SIDES
    inner = here[1:-1]
    base = np.column_stack([np.zeros_like(inner), inner + 1, inner])
    if has_tip:
        sides = np.column_stack([here, following, np.full(SIDES, SIDES)])
        return InlineMesh(vertices, np.concatenate([base, sides]))
    sides = np.column_stack([here, following, following + SIDES, here, following + SIDES, here + SIDES]).reshape(-1, 3)
    return InlineMesh(vertices, np.concatenate([base, base[:, ::-1] + SIDES, sides]))
