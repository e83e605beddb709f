# SPDX-FileCopyrightText: The inertia_tools authors
# SPDX-License-Identifier: Apache-2.0
"""Mass properties of the shapes of a scene; no other module computes them."""

from __future__ import annotations

import math
import sys
import warnings
from collections.abc import Callable, Mapping
from typing import Any

import numpy as np

from inertia_tools.errors import OptionError
from inertia_tools.geometry.barrel import hollow_barrel, solid_barrel
from inertia_tools.geometry.primitives import (
    hollow_box,
    hollow_capsule,
    hollow_cone,
    hollow_cylinder,
    hollow_ellipsoid,
    hollow_sphere,
    solid_box,
    solid_capsule,
    solid_cone,
    solid_cylinder,
    solid_ellipsoid,
    solid_sphere,
)
from inertia_tools.inertial import Inertial
from inertia_tools.sim.scene.geo_type import SCALED, WEIGHTLESS, GeoType
from inertia_tools.sim.scene.given import as_number, entries_of
from inertia_tools.sim.scene.heightfield import Heightfield
from inertia_tools.sim.scene.mesh_shape import DEFAULT_WALL, Mesh, Triple
from inertia_tools.sim.scene.notices import InertiaWarning
from inertia_tools.sim.scene.soft_arguments import as_nonnegative
from inertia_tools.spatial import Array, ArrayLike

Source = Mesh | Heightfield | None
"""What a shape is given by besides its scale."""

SIZE_NAMES = {
    GeoType.SPHERE: ("radius",),
    GeoType.BOX: ("hx", "hy", "hz"),
    GeoType.CAPSULE: ("radius", "half_height"),
    GeoType.CYLINDER: ("radius", "half_height"),
    GeoType.CONE: ("radius", "half_height"),
    GeoType.ELLIPSOID: ("a", "b", "c"),
}
"""Meaning of the components of a shape's scale."""


LARGEST_SIZE = sys.float_info.max**0.2
"""A size whose fifth power is still a finite number [m]: moments at unit density grow with it."""


def _along_z(radius: float, half_height: float, _arc: float) -> tuple[float, float]:
    return radius, 2.0 * half_height


FORMS: Mapping[GeoType, tuple[Callable[..., Inertial], Callable[..., Inertial], Callable[..., tuple[Any, ...]]]] = {
    GeoType.SPHERE: (solid_sphere, hollow_sphere, lambda radius, *_: (radius,)),
    GeoType.BOX: (solid_box, hollow_box, lambda hx, hy, hz: ((2.0 * hx, 2.0 * hy, 2.0 * hz),)),
    GeoType.CAPSULE: (solid_capsule, hollow_capsule, _along_z),
    GeoType.CYLINDER: (solid_cylinder, hollow_cylinder, _along_z),
    GeoType.CONE: (solid_cone, hollow_cone, _along_z),
    GeoType.ELLIPSOID: (solid_ellipsoid, hollow_ellipsoid, lambda *semi_axes: (semi_axes,)),
}
"""Closed forms of shapes, filled and with a wall, and what they take of a shape's scale."""


def compute_inertia_shape(
    type: int,
    scale: ArrayLike,
    source: Source,
    density: float,
    is_solid: bool = True,
    thickness: float = DEFAULT_WALL,
) -> tuple[float, Array, Array]:
    """Return mass [kg], centre of mass [m] and tensor about it [kg m^2] of a shape, in its own frame.

    With V the volume, m = density V, and h the whole length of bodies along z (that of a capsule without its caps):
    sphere V = 4/3 pi r^3, I = 2/5 m r^2; box V = 8 hx hy hz, Ixx = m/3 (hy^2 + hz^2); cylinder V = pi r^2 h,
    Ixx = m/12 (3 r^2 + h^2), Izz = m/2 r^2; cone V = pi/3 r^2 h, centre h/4 above the base, Ixx = 3/80 m (4 r^2 + h^2),
    Izz = 3/10 m r^2; ellipsoid V = 4/3 pi a b c, Ixx = m/5 (b^2 + c^2); capsule: `geometry.primitives.solid_capsule`;
    a cylinder with a third size is a barrel: `geometry.barrel.solid_barrel`.
    Meshes are integrated over their triangles, convex ones over their hull. Hollow shapes are the outer solid less the
    inner one. Planes and heightfields have no mass, nor has anything without density.

    Args:
        type: A `GeoType`.
        scale: Sizes [m], in the order of `SIZE_NAMES`; of meshes, the factor along each axis.
        source: The `Mesh` of meshes; ignored for other types.
        density: Density [kg/m^3].
        is_solid: Whether it is solid; otherwise it is a hollow shell.
        thickness: Thickness of that wall, measured inwards [m]; a wall of zero thickness has no mass, with a warning.

    Raises:
        OptionError: The type is unknown, the density is negative or no number, a size is not positive, or the wall is
            thicker than the shape, or its thickness negative or no number.
        SimulationError: A mesh encloses no volume.
        InertiaError: A mesh has holes or is locally too thin, so a wall is impossible.
    """
    kind = known_type(type)
    density = as_nonnegative("density", density, "kg/m^3")
    if kind in WEIGHTLESS or density == 0.0:
        return 0.0, np.zeros(3), np.zeros((3, 3))
    sizes = checked_sizes(kind, scale, source)
    if not is_solid and not 0.0 <= as_number(thickness) < math.inf:
        raise OptionError("thickness", thickness, ">= 0")
    if not is_solid and thickness == 0.0:
        text = "a hollow shape of zero thickness has zero mass and inertia; set ShapeConfig.margin"
        warnings.warn(text, InertiaWarning, stacklevel=2)
        return 0.0, np.zeros(3), np.zeros((3, 3))
    unit = _unit(kind, sizes, source, None if is_solid else float(thickness))
    return density * unit.mass, unit.com, density * unit.inertia


def checked_sizes(kind: GeoType, scale: ArrayLike, source: Source) -> Triple:
    """Return the scale as three numbers, those that the shape has not being zero.

    Raises:
        OptionError: A size is not positive or exceeds `LARGEST_SIZE`, a mesh scale is zero, or the mesh is missing.
    """
    entries = entries_of(scale)
    given = [as_number(entry) for entry in entries]
    if kind in SCALED:
        name, wanted = ("heightfield", Heightfield) if kind is GeoType.HFIELD else ("mesh", Mesh)
        if not isinstance(source, wanted):
            raise OptionError(name, source, f"an inertia_tools.{wanted.__name__}")
        if len(given) != 3 or not all(math.isfinite(factor) and factor != 0.0 for factor in given):
            raise OptionError("scale", scale, "three factors other than zero")
        if max(abs(factor) for factor in given) > LARGEST_SIZE:
            largest = f"at most {LARGEST_SIZE:.0e} along each axis, so that moments are finite"
            raise OptionError("scale", scale, largest)
        return (given[0], given[1], given[2])
    if kind is GeoType.PLANE:
        x, y = (*given, 0.0, 0.0)[:2]
        if x == y == math.inf:
            return (0.0, 0.0, 0.0)
        if not (0.0 <= x < math.inf and 0.0 <= y < math.inf):
            raise OptionError(
                "scale", scale, "the width and the length of a plane in metres, zero or more, or both inf"
            )
        return (x, y, 0.0)
    names = SIZE_NAMES.get(kind, ())
    if len(given) < len(names):
        raise OptionError("scale", scale, f"{len(names)} numbers: {', '.join(names)}")
    for name, value, entry in zip(names, given, entries, strict=False):
        may_be_zero = kind is GeoType.CAPSULE and name == "half_height"  # a ball
        if not (math.isfinite(value) and (value > 0.0 or (may_be_zero and value == 0.0))):
            raise OptionError(name, entry, f"a positive size of a {kind.name.lower()} in metres")
        if value > LARGEST_SIZE:
            raise OptionError(name, entry, f"at most {LARGEST_SIZE:.0e} m, so that moments are finite")
    arc = given[2] if kind is GeoType.CYLINDER and len(given) > len(names) else 0.0
    if not (math.isfinite(arc) and arc >= 0.0):
        raise OptionError("barrel_radius", arc, "zero, or the arc radius of a barrel in metres")
    x, y, z = [*given[: len(names)], arc, 0.0, 0.0][:3] if arc else [*given[: len(names)], 0.0, 0.0, 0.0][:3]
    return (x, y, z)


def known_type(type: int) -> GeoType:
    """Return the member of a number.

    Raises:
        OptionError: No type has this number.
    """
    try:
        return GeoType(type)
    except ValueError as error:
        raise OptionError("type", type, "one of " + ", ".join(kind.name for kind in GeoType)) from error


def _unit(kind: GeoType, sizes: Triple, source: Source, wall: float | None) -> Inertial:
    """Return the mass properties at unit density, filled or with a wall of a thickness [m]."""
    if kind not in FORMS:
        if wall is not None and not wall > 0.0:
            raise OptionError("thickness", wall, "more than 0")
        return _mesh(kind, source).unit_inertial(sizes, wall)
    solid, hollow, arguments = FORMS[kind]
    given = arguments(*sizes)
    if kind is GeoType.CYLINDER and sizes[2]:
        solid, hollow, given = solid_barrel, hollow_barrel, (*given, sizes[2])
    return solid(*given) if wall is None else hollow(*given, wall)


def _mesh(kind: GeoType, source: Source) -> Mesh:
    assert isinstance(source, Mesh)  # `checked_sizes` saw to it
    return source if kind is GeoType.MESH else source.hull
