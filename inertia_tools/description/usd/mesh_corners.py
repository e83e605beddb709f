# SPDX-FileCopyrightText: The inertia_tools authors
# SPDX-License-Identifier: Apache-2.0
"""Corner attributes of a mesh prim's triangles: normals and texture coordinates.

A mesh of a scene has one normal and one pair of coordinates per vertex, so points with different ones are split.
"""

from __future__ import annotations

import logging
import re
from dataclasses import dataclass
from typing import Any

import numpy as np

from inertia_tools.description.usd.attributes import beginning
from inertia_tools.description.usd.geometry import fan
from inertia_tools.description.usd.library import pxr
from inertia_tools.spatial import Array

LOG = logging.getLogger(__name__)

SMOOTH_ANGLE = 25.0
"""Normals at one point that differ by less [degrees] are merged: they belong to a tessellated curve, not an edge."""

USUAL = re.compile(r"(st|uv)(_?\d+)?|UVMap|map1", re.IGNORECASE)
"""Default names of primvars with texture coordinates."""

PLANE = 2
"""Number of texture coordinates of a corner."""


@dataclass(frozen=True, eq=False)
class Divided:
    """Triangles with one normal and one pair of coordinates per vertex.

    Attributes:
        points: Point index of each vertex, shape (n,).
        triangles: Vertices of the triangles, shape (m, 3).
        normals: Unit vectors, shape (n, 3); None without.
        coordinates: Texture coordinates, shape (n, 2); None without.
    """

    points: np.ndarray
    triangles: np.ndarray
    normals: Array | None
    coordinates: Array | None


@dataclass(frozen=True, eq=False)
class Topology:
    """The faces of a mesh prim, split into triangles from their first corner.

    Attributes:
        counts: Corners of each face, shape (k,).
        points: Point of each corner, shape (c,).
        corners: Corners of each triangle, shape (m, 3).
        faces: Face of each triangle, shape (m,).
        point_count: Number of points.
    """

    counts: np.ndarray
    points: np.ndarray
    corners: np.ndarray
    faces: np.ndarray
    point_count: int

    @classmethod
    def of(cls, prim: Any) -> Topology:
        """Read the faces of a mesh prim; those of a left-handed one are reversed."""
        mesh = pxr().UsdGeom.Mesh(prim)
        counts = np.asarray(mesh.GetFaceVertexCountsAttr().Get(beginning()), dtype=np.int64)
        points = np.asarray(mesh.GetFaceVertexIndicesAttr().Get(beginning()), dtype=np.int64)
        corners = fan(counts, np.arange(len(points)))
        faces = np.repeat(np.arange(len(counts)), np.maximum(counts - 2, 0))
        if str(mesh.GetOrientationAttr().Get(beginning())) == "leftHanded":
            corners = corners[:, ::-1]
        return cls(counts, points, corners, faces, len(mesh.GetPointsAttr().Get(beginning())))

    def within(self, faces: np.ndarray) -> Topology:
        """Return the topology restricted to the triangles of some faces."""
        kept = np.isin(self.faces, faces)
        return Topology(self.counts, self.points, self.corners[kept], self.faces[kept], self.point_count)

    def at_corners(self, values: Array, interpolation: str) -> Array | None:
        """Return a value for each corner; None if their number does not match the interpolation."""
        wanted = {"constant": 1, "uniform": len(self.counts), "faceVarying": len(self.points)}
        if len(values) != wanted.get(interpolation, self.point_count):
            return None
        if interpolation == "faceVarying":
            return values
        if interpolation == "constant":
            return np.repeat(values, len(self.points), axis=0)
        return np.repeat(values, self.counts, axis=0) if interpolation == "uniform" else values[self.points]


def normals_at_corners(prim: Any, topology: Topology) -> Array | None:
    """Return the unit normals that a mesh states, at all corners, shape (c, 3); None without usable ones."""
    lib = pxr()
    primvar = lib.UsdGeom.PrimvarsAPI(prim).GetPrimvar("normals")
    if primvar and primvar.HasAuthoredValue():
        values, interpolation = primvar.ComputeFlattened(beginning()), primvar.GetInterpolation()
    else:
        mesh = lib.UsdGeom.Mesh(prim)
        values, interpolation = mesh.GetNormalsAttr().Get(beginning()), mesh.GetNormalsInterpolation()
    if not values:
        return None
    found = topology.at_corners(np.asarray(values, dtype=np.float64), str(interpolation))
    if found is None:
        LOG.info(
            "%s: the number of normals is neither that of points nor that of corners; normals are omitted",
            prim.GetPath(),
        )
        return None
    return unit(found)


def face_normals_at_corners(topology: Topology, vertices: Array) -> Array:
    """Return the normal of each corner's own face, shape (c, 3)."""
    a, b, c = np.moveaxis(vertices[topology.points[topology.corners]], 1, 0)
    found = np.zeros((len(topology.points), 3))
    found[topology.corners] = unit(np.cross(b - a, c - a))[:, None]
    return found


def coordinates_at_corners(prim: Any, topology: Topology, name: str) -> Array | None:
    """Return texture coordinates at all corners, shape (c, 2); None without usable ones.

    Args:
        prim: The mesh.
        topology: Its faces.
        name: Primvar that the material reads; the default one if it is empty or missing.
    """
    api = pxr().UsdGeom.PrimvarsAPI(prim)
    known = {str(one.GetPrimvarName()): one for one in api.GetPrimvarsWithValues()}
    usual = sorted(key for key in known if USUAL.fullmatch(key))
    chosen = next((key for key in (name, "st", *usual) if key in known), None)
    values = None if chosen is None else known[chosen].ComputeFlattened(beginning())
    if not values or np.ndim(values) != PLANE or np.shape(values)[1] != PLANE:
        return None
    assert chosen is not None
    found = topology.at_corners(np.asarray(values, dtype=np.float64), str(known[chosen].GetInterpolation()))
    if found is None:
        LOG.info(
            "%s: %r has a number of values that is neither that of points nor that of corners; omitted",
            prim.GetPath(),
            chosen,
        )
    return found


def divide(topology: Topology, normals: Array | None, coordinates: Array | None, angle: float) -> Divided:
    """Split points whose corners differ in normals or coordinates.

    The corners of a point join the first group whose mean normal so far is within the angle, and whose coordinates are
    equal. A group becomes one vertex, with the mean of its normals.

    Args:
        topology: The triangles.
        normals: Unit normal of each corner, shape (c, 3); None for none.
        coordinates: Texture coordinates of each corner, shape (c, 2); None for none.
        angle: Least angle between normals of an edge [degrees].
    """
    used = np.unique(topology.corners)
    group_of = np.zeros(len(topology.points), dtype=np.int64)
    points = topology.points[used]
    order = np.argsort(points, kind="stable")
    used, points = used[order], points[order]
    first = np.flatnonzero(np.diff(points, prepend=-1))
    rank = np.arange(len(used)) - np.repeat(first, np.diff(np.append(first, len(used))))
    groups = _Groups(topology.point_count, np.cos(np.radians(angle)))
    for turn in range(int(rank.max(initial=-1)) + 1):
        corners = used[rank == turn]
        own = None if normals is None else normals[corners]
        pair = None if coordinates is None else coordinates[corners]
        group_of[corners] = groups.join(topology.points[corners], own, pair)
    keys = topology.points[used] * (group_of[used].max(initial=0) + 1) + group_of[used]
    _, representative, vertex = np.unique(keys, return_index=True, return_inverse=True)
    vertex_of = np.zeros(len(topology.points), dtype=np.int64)
    vertex_of[used] = vertex
    summed = None
    if normals is not None:
        summed = np.zeros((len(representative), 3))
        np.add.at(summed, vertex, normals[used])
        summed = unit(summed)
    kept = used[representative]
    return Divided(
        topology.points[kept],
        vertex_of[topology.corners],
        summed,
        None if coordinates is None else coordinates[kept],
    )


class _Groups:
    """Groups of the corners of all points, each with the sum of its normals and its texture coordinates."""

    def __init__(self, point_count: int, cosine: float) -> None:
        self._count = np.zeros(point_count, dtype=np.int64)
        self._cosine = cosine
        self._sums: list[Array] = []
        self._pairs: list[Array] = []
        self._points = point_count

    def join(self, points: np.ndarray, normals: Array | None, pairs: Array | None) -> np.ndarray:
        """Add one corner of each of several points to a group, and return the group's index at its point."""
        found = np.full(len(points), -1)
        normals = np.zeros((len(points), 3)) if normals is None else normals
        pairs = np.zeros((len(points), PLANE)) if pairs is None else pairs
        for number in range(len(self._sums)):
            fits = (found < 0) & (number < self._count[points]) & (self._pairs[number][points] == pairs).all(axis=1)
            mean = unit(self._sums[number][points])
            parallel = np.einsum("ij,ij->i", mean, normals) >= self._cosine - ROUNDING
            found[fits & (parallel | ~normals.any(axis=1))] = number
        alone = found < 0
        found[alone] = self._count[points[alone]]
        self._count[points[alone]] += 1
        while len(self._sums) < self._count.max(initial=0):
            self._sums.append(np.zeros((self._points, 3)))
            self._pairs.append(np.zeros((self._points, PLANE)))
        for number in np.unique(found):
            chosen = found == number
            self._sums[number][points[chosen]] += normals[chosen]
            self._pairs[number][points[chosen]] = pairs[chosen]
        return found


ROUNDING = 1e-9
"""Rounding error in single precision of the cosine of an edge's angle."""


def unit(vectors: Array) -> Array:
    """Return vectors at unit length; those without length stay zero."""
    lengths = np.linalg.norm(vectors, axis=-1, keepdims=True)
    directions: Array = np.divide(vectors, lengths, out=np.zeros_like(vectors), where=lengths > 0.0)
    return directions
