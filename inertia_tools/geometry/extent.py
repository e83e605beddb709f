# SPDX-FileCopyrightText: The inertia_tools authors
# SPDX-License-Identifier: Apache-2.0
"""Points that span a shape: its corners, or a dense set of points on curved surfaces."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cache

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
from inertia_tools.spatial import Array, box_of

CORNERS = np.array(np.meshgrid([-1, 1], [-1, 1], [-1, 1])).reshape(3, -1).T
"""Corners of a box with edges of two, shape (8, 3)."""

RING_POINTS = 32
"""Points on a circle; a polygon of 32 corners has 99.4 % of its area."""


def shape_points(shape: Shape, ring: int = RING_POINTS) -> Array:
    """Return points whose convex hull approximates that of the shape, in link axes [m], shape (n, 3).

    Args:
        shape: The shape.
        ring: Points per circle of round shapes.

    Raises:
        MeshError: The shape is a mesh that cannot be read.
    """
    return shape.pose_link_shape.transform_points(geometry_points(shape.geometry, ring))


def geometry_points(geometry: Geometry, ring: int = RING_POINTS) -> Array:
    """Return points whose convex hull approximates that of a geometry, in its own frame [m], shape (n, 3).

    Raises:
        MeshError: It is a mesh that cannot be read.
    """
    match geometry:
        case Box(size):
            return np.asarray(0.5 * np.array(size) * CORNERS)
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
            return np.asarray(_ball(1.0, ring) * np.array(semi_axes))
        case Prism(outlines, height):
            corners = np.concatenate([np.reshape(outline, (-1, 2)) for outline in outlines])
            return np.concatenate([np.insert(corners, 2, z, axis=1) for z in (0.0, height)])
        case Plane() | Heightmap() | OtherGeometry():
            return np.zeros((0, 3))
        case Mesh():
            return mesh_hull(geometry)


def shape_boxes(shapes: Sequence[Shape]) -> tuple[Array, Array]:
    """Return the boxes of the shapes along the axes of the link: lowest and highest corners [m], shape (n, 3) each.

    A box with half edges h, enlarged by an ellipsoid with semi-axes a, extends |R| h + sqrt(R^2 a^2) from its centre,
    with R^2 and the root entry by entry; boxes and most round shapes are of this form. Other shapes have the box of
    their points. A shape without any is a point at its origin.

    Raises:
        MeshError: A shape is a mesh that cannot be read.
    """
    placed = [shape.pose_link_shape for shape in shapes]
    positions = np.array([pose.position for pose in placed]).reshape(-1, 3)
    rotations = np.array([pose.rotation for pose in placed]).reshape(-1, 3, 3)
    grown = [_grown_box(shape.geometry) for shape in shapes]
    halves, radii = (np.array([sizes[part] if sizes else NO_SIZE for sizes in grown]).reshape(-1, 3) for part in (0, 1))
    straight = np.einsum("nij,nj->ni", np.abs(rotations), halves)
    reach = straight + np.sqrt(np.einsum("nij,nj->ni", rotations**2, radii**2))
    low, high = positions - reach, positions + reach
    for number in (number for number, sizes in enumerate(grown) if sizes is None):
        points = shape_points(shapes[number])
        if len(points):
            low[number], high[number] = box_of(points)
    return low, high


def farthest(points: Array) -> Array:
    """Return the points that are farthest along a dense set of directions, shape (k, 3).

    Points are scaled to equal spread along all axes, and compared along directions so dense that, for points on a
    sphere, the hull of the result extends at least 96 % as far from the centre as the hull of all.

    Args:
        points: Points [m], shape (n, 3), n > 0.
    """
    middle = points.mean(axis=0)
    variances, axes = np.linalg.eigh(np.cov(points.T, ddof=0))
    spread = np.sqrt(np.maximum(variances, FLATTEST * variances[2]))
    upper = _unit_ball(DIRECTIONS_ROUND)[DIRECTIONS_ROUND**2 // 4 : DIRECTIONS_ROUND**2 // 2 + 1]  # half of them
    directions = upper @ (axes / np.where(spread > 0.0, spread, 1.0)).T
    ends = [
        part[_ends(directions @ (part - middle).T)] for part in np.array_split(points, -(-len(points) // AT_A_TIME))
    ]
    left = np.concatenate(ends)
    return np.asarray(left[_ends(directions @ (left - middle).T)])


def _ends(along: Array) -> np.ndarray:
    """Return the indices of the columns with the highest or the lowest value of a row."""
    return np.unique(np.concatenate([along.argmax(axis=1), along.argmin(axis=1)]))


DIRECTIONS_ROUND = 16
"""Directions along which points are compared, on a great circle."""

AT_A_TIME = 10_000
"""Number of points compared at a time; their products with all directions take 5 MB."""

FLATTEST = 1e-12
"""Ratio of the variances of points below which they count as planar."""

Triple = tuple[float, float, float]
NO_SIZE: Triple = (0.0, 0.0, 0.0)


def _grown_box(geometry: Geometry) -> tuple[Triple, Triple] | None:
    """Return half edges of the box and semi-axes of the ellipsoid that form a geometry; None for other geometries."""
    match geometry:
        case Box((x, y, z)):
            return (0.5 * x, 0.5 * y, 0.5 * z), NO_SIZE
        case Sphere(radius):
            return NO_SIZE, (radius, radius, radius)
        case Ellipsoid(semi_axes):
            return NO_SIZE, semi_axes
        case Cylinder(radius, length):
            return (0.0, 0.0, 0.5 * length), (radius, radius, 0.0)
        case Capsule(radius, length):
            return (0.0, 0.0, 0.5 * length), (radius, radius, radius)
        case _:
            return None


def _ring(radius: float, height: float, count: int) -> Array:
    return np.asarray(_unit_ring(count) * radius + np.array([0.0, 0.0, height]))


def _ball(radius: float, count: int) -> Array:
    return _unit_ball(count) * radius


@cache
def _unit_ring(count: int) -> Array:
    angles = np.arange(count) * (2.0 * np.pi / count)
    return np.stack([np.cos(angles), np.sin(angles), np.zeros(count)], axis=1)


@cache
def _unit_ball(count: int) -> Array:
    latitudes = np.linspace(-0.5 * np.pi, 0.5 * np.pi, count // 2 + 1)
    return np.concatenate([_ring(np.cos(angle), np.sin(angle), count) for angle in latitudes])
