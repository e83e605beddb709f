# SPDX-FileCopyrightText: The inertia_tools authors
# SPDX-License-Identifier: Apache-2.0
"""Shapes as closed triangle surfaces for unions; curved ones become fine polyhedra."""

from __future__ import annotations

from dataclasses import replace
from functools import cache, lru_cache

import numpy as np

from inertia_tools.description.types import (
    Capsule,
    Cone,
    Cylinder,
    Ellipsoid,
    Geometry,
    Massless,
    Mesh,
    Prism,
    Shape,
    Sphere,
)
from inertia_tools.geometry.extent import RING_POINTS, geometry_points
from inertia_tools.geometry.hull import quick_hull
from inertia_tools.geometry.mesh.cap import capped
from inertia_tools.geometry.mesh.defects import mend
from inertia_tools.geometry.mesh.file import read_mesh
from inertia_tools.geometry.mesh.nesting import nested
from inertia_tools.geometry.mesh.record import mesh_hull, record_key
from inertia_tools.geometry.mesh.surface import Surface
from inertia_tools.geometry.union import extruded
from inertia_tools.spatial import Array

FINE = 128
"""Points per circle of shapes to unite; the error of their overlap is then within 0.1 %."""

KEPT = 32
"""Number of cached mesh boundaries: more than the meshes that several links of a robot share."""


def shape_surface(shape: Shape, ring: int = FINE) -> Surface | None:
    """Return the boundary of a shape in link axes, holes of meshes capped; None if it has no volume.

    Args:
        shape: The shape.
        ring: Points per circle of round shapes.

    Raises:
        MeshError: The shape is a mesh that cannot be read.
        MissingDependencyError: The shape is a prism and manifold3d is not installed.
    """
    geometry = shape.geometry
    if isinstance(geometry, Massless):
        return None
    if isinstance(geometry, Mesh):
        return _placed(_mesh_surface(geometry, record_key(geometry, None)), shape)
    if isinstance(geometry, Prism):
        return _placed(extruded([np.asarray(outline) for outline in geometry.outlines], geometry.height), shape)
    return _placed(_convex(geometry, ring), shape)


def hull_surface(shape: Shape) -> Surface | None:
    """Return the boundary of a shape's convex hull in link axes; None if it is planar, or not a solid.

    Raises:
        MeshError: The shape is a mesh that cannot be read.
    """
    geometry = shape.geometry
    if isinstance(geometry, Mesh):
        return _placed(_mesh_hull(geometry, record_key(geometry, None)), shape)
    return None if isinstance(geometry, Massless) else _placed(_convex(geometry, RING_POINTS), shape)


def _placed(surface: Surface | None, shape: Shape) -> Surface | None:
    """Transform a surface from the frame of a shape to link axes; None if it has no triangles."""
    if surface is None or not len(surface.triangles):
        return None
    return replace(surface, vertices=shape.pose_link_shape.transform_points(surface.vertices))


@lru_cache(maxsize=KEPT)
def _mesh_surface(geometry: Mesh, _content: str) -> Surface:
    """Return the boundary of a mesh, closed and wound outwards; several links often share one, as legs do."""
    mended = mend(read_mesh(geometry)).surface
    if not len(mended.triangles):
        return mended
    if mended.is_closed:
        return nested(mended).surface
    whole = capped(mended)
    return mended if whole is None else nested(whole.surface).surface


@lru_cache(maxsize=KEPT)
def _mesh_hull(geometry: Mesh, _content: str) -> Surface | None:
    return _hull(mesh_hull(geometry))


def _convex(geometry: Geometry, ring: int) -> Surface | None:
    """Return the boundary of a convex geometry in its own frame; None if it is flat.

    Round shapes are scaled from one of unit size, since the search for the hull of some thousand points takes longer
    than everything else.
    """
    unit, factors = _unit_of(geometry)
    if unit is None or not min(factors) > 0.0:
        return _hull(geometry_points(geometry, ring))
    surface = _unit_surface(unit, ring)
    if isinstance(geometry, Capsule):  # two halves of a ball, separated by its length
        ends = 0.5 * np.sign(surface.vertices) * [0.0, 0.0, 1.0]
        return replace(surface, vertices=geometry.radius * (surface.vertices - ends) + geometry.length * ends)
    return replace(surface, vertices=surface.vertices * factors)


def _unit_of(geometry: Geometry) -> tuple[Geometry | None, tuple[float, ...]]:
    """Return the unit geometry from which another is scaled, and the factor along each axis."""
    match geometry:
        case Sphere(radius):
            return Sphere(1.0), (radius, radius, radius)
        case Ellipsoid(semi_axes):
            return Sphere(1.0), semi_axes
        case Cylinder(radius, length):
            return Cylinder(1.0, 1.0), (radius, radius, length)
        case Cone(radius, length):
            return Cone(1.0, 1.0), (radius, radius, length)
        case Capsule(radius, length):
            return Capsule(1.0, 1.0), (radius, radius, length)
        case _:
            return None, ()


@cache
def _unit_surface(unit: Geometry, ring: int) -> Surface:
    surface = _hull(geometry_points(unit, ring))
    assert surface is not None
    return surface


def _hull(points: Array) -> Surface | None:
    """Return the boundary of the convex hull of points; None if they are planar."""
    hull = quick_hull(points) if len(points) else None
    return None if hull is None else Surface(*hull)
