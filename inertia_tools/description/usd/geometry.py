# SPDX-FileCopyrightText: The inertia_tools authors
# SPDX-License-Identifier: Apache-2.0
"""Geometric prims as shapes, in metres and without scale.

UsdPhysics scales the radius of a body of revolution by the larger of the two scales across its axis; here, a sphere
with different scales becomes an ellipsoid. Scale, shear and mirroring of a mesh are applied to its vertices. `shear.py`
handles shear of the other shapes.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from inertia_tools.description.geometry import (
    Box,
    Capsule,
    Cone,
    Cylinder,
    Ellipsoid,
    Geometry,
    InlineMesh,
    Mesh,
    OtherGeometry,
    Plane,
    Sphere,
)
from inertia_tools.description.usd.attributes import beginning
from inertia_tools.description.usd.shear import is_sheared, sheared_cube, sheared_round, sheared_sphere
from inertia_tools.spatial import Array, Pose

AXES = {"X": 0, "Y": 1, "Z": 2}
TURN_OF_AXIS = {
    "X": np.array([[0.0, 0.0, 1.0], [0.0, 1.0, 0.0], [-1.0, 0.0, 0.0]]),
    "Y": np.array([[1.0, 0.0, 0.0], [0.0, 0.0, 1.0], [0.0, -1.0, 0.0]]),
    "Z": np.eye(3),
}
"""Rotations from z, the axis of shapes here, to the axis that a prim names."""

EQUAL_SCALES = 1e-6
"""Relative difference of scales that single precision explains."""


def read_geometry(prim: Any, stretch: Array, metre: float) -> tuple[Geometry, Pose] | None:
    """Read a geometric prim.

    Args:
        prim: The prim.
        stretch: Scale and shear, which are applied before the rotation of its frame, shape (3, 3).
        metre: Length of one unit [m].

    Returns:
        The geometry, and its frame seen from the prim's frame; None if the prim is not geometry.
    """
    read = READERS.get(str(prim.GetTypeName()))
    return None if read is None else read(prim, stretch * metre)


def _value(prim: Any, name: str) -> Any:
    return prim.GetAttribute(name).Get(beginning())


def _scales(stretch: Array) -> Array:
    return np.abs(np.diag(stretch))


def _cube(prim: Any, stretch: Array) -> tuple[Geometry, Pose]:
    size = float(_value(prim, "size"))
    if is_sheared(stretch):
        return sheared_cube(str(prim.GetPath()), stretch, size)
    x, y, z = (size * _scales(stretch)).tolist()
    return Box((x, y, z)), Pose()


def _sphere(prim: Any, stretch: Array) -> tuple[Geometry, Pose]:
    radius = float(_value(prim, "radius"))
    if is_sheared(stretch):
        return sheared_sphere(stretch, radius)
    x, y, z = (radius * _scales(stretch)).tolist()
    is_round = max(x, y, z) - min(x, y, z) <= EQUAL_SCALES * max(x, y, z)
    return (Sphere(x) if is_round else Ellipsoid((x, y, z))), Pose()


def _along(
    kind: type[Cylinder | Capsule | Cone], prim: Any, stretch: Array, radius: float, height: float
) -> tuple[Geometry, Pose]:
    """Return a body of revolution after scaling, and the rotation from z to its axis."""
    axis = str(_value(prim, "axis"))
    number = AXES[axis]
    if is_sheared(stretch):
        return sheared_round(kind, str(prim.GetPath()), stretch, number, radius, height)
    scales = _scales(stretch)
    across = np.delete(scales, number)
    turn = TURN_OF_AXIS[axis]
    if stretch[number, number] < 0.0:  # a mirror reverses the direction of a cone
        turn = turn @ np.diag([1.0, -1.0, -1.0])
    return kind(radius * float(across.max()), height * float(scales[number])), Pose(rotation=turn)


def _round(kind: type[Cylinder | Capsule | Cone]) -> Callable[[Any, Array], tuple[Geometry, Pose]]:
    """Return a reader of a body of revolution."""

    def read(prim: Any, stretch: Array) -> tuple[Geometry, Pose]:
        return _along(kind, prim, stretch, float(_value(prim, "radius")), float(_value(prim, "height")))

    return read


def _tapered(kind: type[Cylinder | Capsule]) -> Callable[[Any, Array], tuple[Geometry, Pose]]:
    """Return a reader of shapes with two radii, which are supported only if the radii are equal."""

    def read(prim: Any, stretch: Array) -> tuple[Geometry, Pose]:
        top, bottom = float(_value(prim, "radiusTop")), float(_value(prim, "radiusBottom"))
        geometry, pose = _along(kind, prim, stretch, max(top, bottom), float(_value(prim, "height")))
        return (geometry if top == bottom else OtherGeometry(str(prim.GetTypeName()))), pose

    return read


def _plane(prim: Any, _stretch: Array) -> tuple[Geometry, Pose]:
    normal = np.eye(3)[AXES[str(_value(prim, "axis"))]]
    return Plane((float(normal[0]), float(normal[1]), float(normal[2]))), Pose()


def _mesh(prim: Any, stretch: Array) -> tuple[Geometry, Pose]:
    """Read a mesh, with its faces split into triangles from their first corner."""
    points = _value(prim, "points")
    counts, corners = _value(prim, "faceVertexCounts"), _value(prim, "faceVertexIndices")
    if points is None or counts is None or corners is None or not len(points):
        return OtherGeometry("mesh without points"), Pose()
    vertices = np.asarray(points, dtype=np.float64)
    triangles = fan(np.asarray(counts, dtype=np.int64), np.asarray(corners, dtype=np.int64))
    if len(triangles) and not (triangles.min() >= 0 and triangles.max() < len(vertices)):
        return OtherGeometry("mesh with faces that name no point"), Pose()
    is_left = str(_value(prim, "orientation")) == "leftHanded"
    if is_left != (np.linalg.det(stretch) < 0.0):
        triangles = triangles[:, ::-1]
    return Mesh(str(prim.GetPath()), None, inline=InlineMesh(vertices @ stretch.T, triangles)), Pose()


def fan(counts: np.ndarray, corners: np.ndarray) -> np.ndarray:
    """Split polygons into triangles that share the first corner, shape (m, 3).

    Args:
        counts: Number of corners of each polygon.
        corners: All corners, one polygon after the other.
    """
    if len(counts) and (counts.sum() > len(corners) or counts.min() < 0):
        return np.zeros((0, 3), dtype=np.int64)
    if (counts == 3).all():
        return corners[: 3 * len(counts)].reshape(-1, 3)
    starts = np.cumsum(counts) - counts
    pieces = np.maximum(counts - 2, 0)
    first = np.repeat(starts, pieces)
    step = np.arange(pieces.sum()) - np.repeat(np.cumsum(pieces) - pieces, pieces)
    return np.column_stack([corners[first], corners[first + step + 1], corners[first + step + 2]])


def _other(prim: Any, _stretch: Array) -> tuple[Geometry, Pose]:
    return OtherGeometry(str(prim.GetTypeName())), Pose()


READERS: dict[str, Callable[[Any, Array], tuple[Geometry, Pose]]] = {
    "Cube": _cube,
    "Sphere": _sphere,
    "Cylinder": _round(Cylinder),
    "Capsule": _round(Capsule),
    "Cone": _round(Cone),
    "Cylinder_1": _tapered(Cylinder),
    "Capsule_1": _tapered(Capsule),
    "Plane": _plane,
    "Mesh": _mesh,
    "Points": _other,
    "TetMesh": _other,
    "BasisCurves": _other,
    "NurbsPatch": _other,
}
