# SPDX-FileCopyrightText: The inertia_tools authors
# SPDX-License-Identifier: Apache-2.0
"""Points that span a shape: corners where it has them, a close mesh of points where it is curved."""

from __future__ import annotations

import numpy as np

from inertia_tools.description.types import (
    Box,
    Capsule,
    Cone,
    Cylinder,
    Ellipsoid,
    Geometry,
    Heightmap,
    Mesh,
    OtherGeometry,
    Plane,
    Prism,
    Shape,
    Sphere,
)
from inertia_tools.geometry.mesh.record import mesh_hull
from inertia_tools.spatial import Array

CORNERS = np.array(np.meshgrid([-1, 1], [-1, 1], [-1, 1])).reshape(3, -1).T
"""Corners of a box with edges of two, shape (8, 3)."""

RING_POINTS = 32
"""Points on a circle; a polygon of 32 corners has 99.4 % of its area."""


def shape_points(shape: Shape, ring: int = RING_POINTS) -> Array:
    """Return points whose convex hull is that of the shape, or nearly, in link axes [m], shape (n, 3).

    Args:
        shape: The shape.
        ring: Points on a circle, of round shapes.

    Raises:
        MeshError: The shape is a mesh that cannot be read.
    """
    return shape.pose_link_shape.transform_points(geometry_points(shape.geometry, ring))


def geometry_points(geometry: Geometry, ring: int = RING_POINTS) -> Array:
    """Return points whose convex hull is that of a geometry, or nearly, in its own frame [m], shape (n, 3).

    Raises:
        MeshError: It is a mesh that cannot be read.
    """
    match geometry:
        case Box(size):
            return 0.5 * np.array(size) * CORNERS
        case Sphere(radius):
            return _ball(radius, ring)
        case Cylinder(radius, length):
            return np.concatenate([_ring(radius, -0.5 * length, ring), _ring(radius, 0.5 * length, ring)])
        case Capsule(radius, length):
            up = np.array([0.0, 0.0, 0.5 * length])
            return np.concatenate([_ball(radius, ring) - up, _ball(radius, ring) + up])
        case Cone(radius, length):
            return np.concatenate([_ring(radius, -0.5 * length, ring), [[0.0, 0.0, 0.5 * length]]])
        case Ellipsoid(semi_axes):
            return _ball(1.0, ring) * np.array(semi_axes)
        case Prism(outlines, height):
            corners = np.concatenate([np.reshape(outline, (-1, 2)) for outline in outlines])
            return np.concatenate([np.insert(corners, 2, z, axis=1) for z in (0.0, height)])
        case Plane() | Heightmap() | OtherGeometry():
            return np.zeros((0, 3))
        case Mesh():
            return mesh_hull(geometry)


def _ring(radius: float, height: float, count: int) -> Array:
    angles = np.arange(count) * (2.0 * np.pi / count)
    return np.stack([radius * np.cos(angles), radius * np.sin(angles), np.full(count, height)], axis=1)


def _ball(radius: float, count: int) -> Array:
    latitudes = np.linspace(-0.5 * np.pi, 0.5 * np.pi, count // 2 + 1)
    return np.concatenate([_ring(radius * np.cos(angle), radius * np.sin(angle), count) for angle in latitudes])
