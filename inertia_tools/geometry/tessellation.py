# SPDX-FileCopyrightText: The inertia_tools authors
# SPDX-License-Identifier: Apache-2.0
"""Shapes as closed triangle surfaces, for uniting them; curved ones become fine polyhedra."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from inertia_tools.description.types import Massless, Mesh, Prism, Shape
from inertia_tools.geometry.extent import shape_points
from inertia_tools.geometry.hull import quick_hull
from inertia_tools.geometry.mesh.cap import capped
from inertia_tools.geometry.mesh.defects import mend
from inertia_tools.geometry.mesh.file import read_mesh
from inertia_tools.geometry.mesh.nesting import outward
from inertia_tools.geometry.mesh.surface import Surface
from inertia_tools.geometry.union import extruded
from inertia_tools.spatial import Array

FINE = 128
"""Points on a circle of shapes that are to be united; what they share is then within 0.1 %."""


def shape_surface(shape: Shape) -> Surface | None:
    """Return the boundary of a shape in link axes, holes of meshes capped; None when it holds nothing.

    Raises:
        MeshError: The shape is a mesh that cannot be read.
        MissingDependencyError: The shape is a prism and manifold3d is not installed.
    """
    geometry, pose = shape.geometry, shape.pose_link_shape
    if isinstance(geometry, Massless):
        return None
    if isinstance(geometry, Mesh):
        mended = mend(read_mesh(geometry)).surface
        closed = mended if mended.is_closed else capped(mended).surface
        surface = outward(closed)[0] if len(closed.triangles) else closed
    elif isinstance(geometry, Prism):
        surface = extruded([np.asarray(outline) for outline in geometry.outlines], geometry.height)
    else:
        return _convex(shape_points(shape, FINE))
    if not len(surface.triangles):
        return None
    return replace(surface, vertices=pose.transform_points(surface.vertices))


def hull_surface(shape: Shape) -> Surface | None:
    """Return the boundary of a shape's convex hull in link axes; None when it lies in a plane, or is no solid.

    Raises:
        MeshError: The shape is a mesh that cannot be read.
    """
    points = shape_points(shape)
    return _convex(points) if len(points) else None


def _convex(points: Array) -> Surface | None:
    """Return the boundary of the convex hull of points; None when they lie in a plane."""
    hull = quick_hull(points)
    return None if hull is None else Surface(*hull)
