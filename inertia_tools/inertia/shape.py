# SPDX-FileCopyrightText: The inertia_tools authors
# SPDX-License-Identifier: Apache-2.0
"""Mass properties of one shape of a description: its geometry integrated at unit density, in link axes."""

from __future__ import annotations

import math
from dataclasses import dataclass
from functools import lru_cache

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
    Primitive,
    Prism,
    Shape,
    Sphere,
)
from inertia_tools.errors import InertiaError, MeshError, OptionError
from inertia_tools.geometry import primitives, prism
from inertia_tools.geometry.mesh.defects import MeshFault
from inertia_tools.geometry.mesh.file import NO_FILE
from inertia_tools.geometry.mesh.integral import MeshIntegral, Rung
from inertia_tools.geometry.mesh.record import mesh_integral
from inertia_tools.geometry.mesh.solid import EXACT_ERROR
from inertia_tools.inertia.calculators import CustomInertiaCalcProperties, calculator_named, run_calculator
from inertia_tools.inertia.finding import Severity
from inertia_tools.inertia.link_inertial import MISSING_MESH
from inertia_tools.inertia.method import Method
from inertia_tools.inertia.parameters import AutoInertiaParams
from inertia_tools.inertial import Inertial
from inertia_tools.validity import Validity


@dataclass(frozen=True)
class ShapeNote:
    """A remark on the integration of a shape; a check turns it into a finding."""

    severity: Severity
    code: str
    message: str
    shape: Shape


@dataclass(frozen=True, eq=False)
class ShapeIntegral:
    """Mass properties of one shape at unit density, in link axes.

    Attributes:
        unit: Inertial whose mass is the volume [m^3]; None if the shape is unusable.
        method: How it was found.
        error_estimate: Likely relative error of the volume, and of the moments over the largest; None if unknown.
        notes: Remarks on the integration.
    """

    unit: Inertial | None
    method: Method
    error_estimate: float | None = EXACT_ERROR
    notes: tuple[ShapeNote, ...] = ()


KEPT = 512
"""Number of cached integrals of primitives; links of a crowd, and copies in one link, have equal ones."""

SMALLEST_SIZE = 1e-9
LARGEST_SIZE = 1e9
"""Sizes and distances outside these bounds [m] belong to no robot part, and their fifth power overflows."""

METHOD_OF = {
    Rung.EXACT: Method.MESH,
    Rung.CAPPED: Method.CAPPED,
    Rung.VOXEL: Method.VOXEL,
    Rung.HULL: Method.HULL,
    Rung.SHELL: Method.SHELL,
    Rung.NONE: Method.NONE,
}

FAULT_SENTENCES = {
    MeshFault.INVERTED: "has triangles wound inside out; they were reversed",
    MeshFault.MIXED_WINDING: "has triangles wound opposite to their neighbours; they were reversed",
    MeshFault.DUPLICATE_FACES: "has duplicate triangles; they were counted once",
    MeshFault.NON_MANIFOLD: "has edges with more than two triangles",
    MeshFault.OVERLAP: "has parts that overlap; their common volume was counted once",
    MeshFault.FLAT: "encloses no volume, so it has no mass",
}
"""Messages for the faults of a mesh, after its name; open meshes have messages of their own."""

DOUBTFUL = 0.05
"""Likely error of an open mesh above which the finding is a warning."""

INSTEAD = {
    Rung.VOXEL: "its volume was integrated with voxels",
    Rung.HULL: "its convex hull was used",
    Rung.SHELL: "its surface was treated as a sheet",
}
"""The treatment of an open mesh in words; for capped ones the reason contains it."""


def integrate_shape(shape: Shape, params: AutoInertiaParams | None = None, density: float = 1000.0) -> ShapeIntegral:
    """Integrate a shape at unit density and place it on its link; the notes say why a shape cannot be integrated.

    Args:
        shape: The shape.
        params: How to integrate it.
        density: Density passed to a calculator [kg/m^3].

    Raises:
        OptionError: The method is neither a built-in one nor a registered calculator.
    """
    chosen = params or AutoInertiaParams()
    fault = shape_fault(shape)
    if fault is not None:
        return ShapeIntegral(None, Method.NONE, notes=(fault,))
    match shape.geometry:
        case Plane() | Heightmap() | OtherGeometry():
            return ShapeIntegral(None, Method.NONE)
        case Mesh() as mesh if chosen.calculator is not None:
            return _by_calculator(shape, mesh, chosen, density)
        case Mesh() as mesh:
            return _integrate_mesh_shape(shape, mesh, chosen)
        case _:
            if chosen.calculator is not None:
                calculator_named(chosen.calculator)  # raises if there is none; it integrates meshes only
            return _integrate_primitive_shape(shape, shape.geometry, chosen)


def shape_fault(shape: Shape) -> ShapeNote | None:
    """Return why a shape cannot be a solid, whatever its mesh contains; None if it can."""
    bad = _bad_size(shape.geometry)
    if bad is not None:
        message = f"{bad}; the shape was omitted, give it a size from {SMALLEST_SIZE:g} to {LARGEST_SIZE:g}"
        return ShapeNote(Severity.ERROR, "invalid-size", message, shape)
    if not _is_near(shape):
        message = (
            "the origin of the shape is not finite or too far away; the shape was omitted, write numbers up to "
            f"{LARGEST_SIZE:g}"
        )
        return ShapeNote(Severity.ERROR, "invalid-origin", message, shape)
    return None


def _is_near(shape: Shape) -> bool:
    """Return whether a shape's pose consists of finite numbers within `LARGEST_SIZE`."""
    pose = shape.pose_link_shape
    is_turned = all(map(math.isfinite, pose.rotation.ravel().tolist()))  # nine numbers: NumPy takes five times as long
    return is_turned and all(abs(number) <= LARGEST_SIZE for number in pose.position.tolist())


def _integrate_primitive_shape(shape: Shape, geometry: Primitive, params: AutoInertiaParams) -> ShapeIntegral:
    wall = params.thickness
    try:
        unit = integrate_primitive(geometry) if wall is None else integrate_wall(geometry, wall)
    except (InertiaError, OptionError) as error:
        message = f"{error}; the shape was omitted"
        return ShapeIntegral(None, Method.NONE, notes=(ShapeNote(Severity.ERROR, "invalid-size", message, shape),))
    method = Method.PRIMITIVE if wall is None else Method.SHELL
    return ShapeIntegral(unit.transform(shape.pose_link_shape), method)


@lru_cache(maxsize=KEPT)
def integrate_primitive(geometry: Primitive) -> Inertial:
    """Integrate a filled primitive in its own frame at unit density.

    Raises:
        InertiaError: The outlines of a prism enclose no area, or cross.
    """
    match geometry:
        case Box(size):
            return primitives.solid_box(size)
        case Sphere(radius):
            return primitives.solid_sphere(radius)
        case Cylinder(radius, length):
            return primitives.solid_cylinder(radius, length)
        case Capsule(radius, length):
            return primitives.solid_capsule(radius, length)
        case Cone(radius, length):
            return primitives.solid_cone(radius, length)
        case Ellipsoid(semi_axes):
            return primitives.solid_ellipsoid(semi_axes)
        case Prism(outlines, height):
            return prism.solid_prism(outlines, height)


def integrate_wall(geometry: Primitive, thickness: float) -> Inertial:
    """Integrate the wall of a hollow primitive, measured inwards [m], in its own frame at unit density.

    Raises:
        OptionError: The wall is thicker than the primitive.
        InertiaError: The outlines of a prism enclose no area, or cross, or leave no room for the wall.
    """
    match geometry:
        case Box(size):
            return primitives.hollow_box(size, thickness)
        case Sphere(radius):
            return primitives.hollow_sphere(radius, thickness)
        case Cylinder(radius, length):
            return primitives.hollow_cylinder(radius, length, thickness)
        case Capsule(radius, length):
            return primitives.hollow_capsule(radius, length, thickness)
        case Cone(radius, length):
            return primitives.hollow_cone(radius, length, thickness)
        case Ellipsoid(semi_axes):
            return primitives.hollow_ellipsoid(semi_axes, thickness)
        case Prism(outlines, height):
            return prism.hollow_prism(outlines, height, thickness)


def _bad_size(geometry: Geometry) -> str | None:
    """Return the first invalid size; a capsule's cylinder may have no length, a mesh may be mirrored."""
    match geometry:
        case Box(size):
            named = list(zip(("x", "y", "z"), size, strict=True))
        case Ellipsoid(size):
            named = list(zip(("semi-axis x", "semi-axis y", "semi-axis z"), size, strict=True))
        case Sphere(radius):
            named = [("radius", radius)]
        case Cylinder(radius, length) | Cone(radius, length):
            named = [("radius", radius), ("length", length)]
        case Capsule(radius, length):
            named = [("radius", radius), ("length", length if length != 0.0 else 1.0)]
        case Prism():
            farthest = max((float(np.abs(outline).max(initial=0.0)) for outline in geometry.outlines), default=0.0)
            named = [("height", geometry.height), ("a corner at", max(farthest, SMALLEST_SIZE))]
        case Mesh():
            named = [("scale", abs(factor)) for factor in geometry.scale]
        case _:
            named = []
    bad = next(((name, value) for name, value in named if not SMALLEST_SIZE <= value <= LARGEST_SIZE), None)
    return None if bad is None else f"the {type(geometry).__name__.lower()} has {bad[0]} {bad[1]:g}"


def _by_calculator(shape: Shape, geometry: Mesh, params: AutoInertiaParams, density: float) -> ShapeIntegral:
    """Run a calculator on a mesh; its messages become findings, errors if it returns no result."""
    if not geometry.uri and geometry.inline is None:
        return _missing_mesh(shape, MeshError(geometry.uri, NO_FILE))
    calculator = calculator_named(str(params.calculator))
    result, complaints = run_calculator(calculator, CustomInertiaCalcProperties(density, geometry, params.custom))
    severity = Severity.ERROR if result is None else Severity.WARNING
    notes = tuple(
        ShapeNote(severity, "calculator-error", f"calculator {params.calculator!r} for {geometry.uri}: {said}", shape)
        for said in complaints
    )
    if result is None:
        return ShapeIntegral(None, Method.NONE, notes=notes)
    if result.validity() is Validity.INVALID:
        said = f"calculator {params.calculator!r} for {geometry.uri}: it returned a tensor that no body can have"
        notes += (ShapeNote(Severity.WARNING, "calculator-error", said, shape),)
    unit = Inertial(result.mass / density, result.com, result.inertia / density)
    return ShapeIntegral(unit.transform(shape.pose_link_shape), Method.CUSTOM, None, notes)


def _integrate_mesh_shape(shape: Shape, geometry: Mesh, params: AutoInertiaParams) -> ShapeIntegral:
    try:
        integral = mesh_integral(geometry, params.mesh_options)
    except MeshError as error:
        return _missing_mesh(shape, error)
    except (InertiaError, OptionError) as error:
        message = f"{geometry.uri}: {error}; the shape was omitted"
        return ShapeIntegral(None, Method.NONE, notes=(ShapeNote(Severity.ERROR, "invalid-size", message, shape),))
    notes = tuple(
        ShapeNote(_severity(fault, integral), fault.value, f"{geometry.uri} {_sentence(fault, integral)}", shape)
        for fault in integral.faults
    )
    if integral.unit is None:
        return ShapeIntegral(None, Method.NONE, notes=notes)
    unit = integral.unit.transform(shape.pose_link_shape)
    return ShapeIntegral(unit, METHOD_OF[integral.rung], integral.error_estimate, notes)


def _missing_mesh(shape: Shape, error: MeshError) -> ShapeIntegral:
    return ShapeIntegral(None, Method.NONE, notes=(ShapeNote(Severity.INFO, MISSING_MESH, str(error), shape),))


def _severity(fault: MeshFault, integral: MeshIntegral) -> Severity:
    """Return the severity of a fault: a warning for a hole that causes a large error estimate."""
    doubt = integral.error_estimate or 0.0
    is_doubtful = fault is MeshFault.OPEN and integral.unit is not None and doubt > DOUBTFUL
    return Severity.WARNING if is_doubtful else Severity.INFO


def _sentence(fault: MeshFault, integral: MeshIntegral) -> str:
    """Return the fault of a mesh and its treatment in words."""
    if fault is not MeshFault.OPEN:
        return FAULT_SENTENCES[fault]
    if integral.unit is None:
        return f"is not closed, and {integral.reason}"
    done = INSTEAD.get(integral.rung, integral.reason)
    others = [
        f"{name} {volume / integral.unit.mass - 1.0:+.1%}"
        for name, volume in integral.alternatives.items()
        if name != integral.rung
    ]
    compared = f"; other methods differ in volume: {', '.join(others)}" if others else ""
    return f"is not closed; {done}, with a likely error of {integral.error_estimate:.2g}{compared}"
