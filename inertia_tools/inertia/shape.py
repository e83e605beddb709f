# SPDX-FileCopyrightText: The inertia_tools authors
# SPDX-License-Identifier: Apache-2.0
"""Mass properties of one shape of a description: its geometry integrated at unit density, in link axes."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from inertia_tools.description.types import Box, Capsule, Cylinder, Geometry, Mesh, Shape, Sphere
from inertia_tools.errors import MeshError
from inertia_tools.geometry.mesh import EXACT_ERROR, MeshFault, MeshIntegral, integrate_mesh
from inertia_tools.geometry.mesh_file import read_mesh
from inertia_tools.geometry.primitives import solid_box, solid_capsule, solid_cylinder, solid_sphere
from inertia_tools.inertia.finding import Severity
from inertia_tools.inertia.method import Method
from inertia_tools.inertial import Inertial


@dataclass(frozen=True)
class ShapeNote:
    """Something noticed while a shape was integrated; a check turns it into a finding."""

    severity: Severity
    code: str
    message: str
    shape: Shape


@dataclass(frozen=True, eq=False)
class ShapeIntegral:
    """Mass properties of one shape at unit density, in link axes.

    Attributes:
        unit: Inertial whose mass is the volume [m^3]; None when the shape is of no use.
        method: How it was found.
        error_estimate: Likely relative error of the volume.
        notes: What was noticed.
    """

    unit: Inertial | None
    method: Method
    error_estimate: float = EXACT_ERROR
    notes: tuple[ShapeNote, ...] = ()


SMALLEST_SIZE = 1e-9
LARGEST_SIZE = 1e9
"""Sizes and distances outside these bounds [m] are no part of a robot, and their fifth power leaves the numbers."""

MESH_NOTES = {
    MeshFault.OPEN: "{uri} is not closed; its convex hull stands in, with a likely error of {error:.0%} in the volume",
    MeshFault.INVERTED: "{uri} has triangles wound inside out; they were turned round",
    MeshFault.FLAT: "{uri} encloses no volume, so it gives no mass",
}
"""Sentences for the faults of a mesh."""


def integrate_shape(shape: Shape) -> ShapeIntegral:
    """Integrate a shape at unit density and place it on its link; what cannot be integrated says why in its notes."""
    fault = shape_fault(shape)
    if fault is not None:
        return ShapeIntegral(None, Method.NONE, notes=(fault,))
    if isinstance(shape.geometry, Mesh):
        return _integrate_mesh_shape(shape, shape.geometry)
    return ShapeIntegral(_integrate_primitive(shape.geometry).transform(shape.pose_link_shape), Method.PRIMITIVE)


def shape_fault(shape: Shape) -> ShapeNote | None:
    """Say why a shape is no solid in any place, whatever its mesh holds; None when it can be one."""
    bad = _bad_size(shape.geometry)
    if bad is not None:
        message = f"{bad}; the shape was left out, give it a positive size"
        return ShapeNote(Severity.ERROR, "invalid-size", message, shape)
    if not _is_near(shape):
        message = "the origin of the shape is no place; the shape was left out, write finite numbers"
        return ShapeNote(Severity.ERROR, "invalid-origin", message, shape)
    return None


def _is_near(shape: Shape) -> bool:
    """Tell whether a shape's pose is made of finite numbers of a usable size."""
    pose = shape.pose_link_shape
    return bool(np.isfinite(pose.rotation).all() and (np.abs(pose.position) <= LARGEST_SIZE).all())


def _integrate_primitive(geometry: Box | Sphere | Cylinder | Capsule) -> Inertial:
    match geometry:
        case Box(size):
            return solid_box(size)
        case Sphere(radius):
            return solid_sphere(radius)
        case Cylinder(radius, length):
            return solid_cylinder(radius, length)
        case Capsule(radius, length):
            return solid_capsule(radius, length)


def _bad_size(geometry: Geometry) -> str | None:
    """Name the first size that no part can have; a capsule's cylinder may have no length, a mesh may be mirrored."""
    match geometry:
        case Box(size):
            named = list(zip(("x", "y", "z"), size, strict=True))
        case Sphere(radius):
            named = [("radius", radius)]
        case Cylinder(radius, length):
            named = [("radius", radius), ("length", length)]
        case Capsule(radius, length):
            named = [("radius", radius), ("length", length if length != 0.0 else 1.0)]
        case Mesh():
            named = [("scale", abs(factor)) for factor in geometry.scale]
    bad = next(((name, value) for name, value in named if not SMALLEST_SIZE <= value <= LARGEST_SIZE), None)
    return None if bad is None else f"the {type(geometry).__name__.lower()} has {bad[0]} {bad[1]:g}"


def _integrate_mesh_shape(shape: Shape, geometry: Mesh) -> ShapeIntegral:
    try:
        mesh = read_mesh(geometry)
    except MeshError as error:
        return ShapeIntegral(None, Method.NONE, notes=(ShapeNote(Severity.INFO, "missing-mesh", str(error), shape),))
    integral = integrate_mesh(mesh)
    notes = tuple(_mesh_note(fault, integral, shape, geometry) for fault in integral.faults)
    if integral.unit is None:
        return ShapeIntegral(None, Method.NONE, notes=notes)
    method = Method.MESH if integral.exact else Method.HULL
    return ShapeIntegral(integral.unit.transform(shape.pose_link_shape), method, integral.error_estimate, notes)


def _mesh_note(fault: MeshFault, integral: MeshIntegral, shape: Shape, geometry: Mesh) -> ShapeNote:
    message = MESH_NOTES[fault].format(uri=geometry.uri, error=integral.error_estimate)
    return ShapeNote(Severity.INFO, fault.value, message, shape)
