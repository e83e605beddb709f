# SPDX-FileCopyrightText: The inertia_tools authors
# SPDX-License-Identifier: Apache-2.0
"""The mass properties of one geom by the rules of MuJoCo's compiler."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import replace

import numpy as np

from inertia_tools.description.mjcf_bodies import REFUSES, Geom
from inertia_tools.errors import MeshError
from inertia_tools.geometry import primitives
from inertia_tools.geometry.mesh.fit import fitted
from inertia_tools.geometry.mesh.rules import lies_in_plane, mesh_by_rule
from inertia_tools.inertia.finding import Finding, Severity
from inertia_tools.inertia.shape import LARGEST_SIZE
from inertia_tools.inertial import Inertial

MASSLESS = ("plane",)
MESHES = ("mesh", "sdf")
SIZES = {"sphere": 1, "capsule": 2, "cylinder": 2, "ellipsoid": 3, "box": 3, "hfield": 3}
"""Number of sizes of a primitive; a height field has the mass of a box with the sizes of its asset."""

SMALLEST_VOLUME = 1e-15
"""Geoms with a smaller volume [m^3] ignore their stated mass."""

AREA_EXPONENT = 1.6075
"""Exponent of Thomsen's formula for the area of an ellipsoid, which MuJoCo uses; its error is about one per cent."""

SHELL_STEP = 1e-6
"""Thickness with which MuJoCo computes the tensor of a shell of an ellipsoid [m]."""

Formula = Callable[[float, float, float], Inertial]
"""Mass properties at unit density from the three sizes of a geom [m]."""

SHELLS: Mapping[str, Formula] = {
    "sphere": lambda a, _b, _c: primitives.thin_sphere(a),
    "capsule": lambda a, b, _c: primitives.thin_capsule(a, 2.0 * b),
    "cylinder": lambda a, b, _c: primitives.thin_cylinder(a, 2.0 * b),
    "box": lambda a, b, c: primitives.thin_box((2.0 * a, 2.0 * b, 2.0 * c)),
    "hfield": lambda a, b, c: primitives.thin_box((2.0 * a, 2.0 * b, 2.0 * c)),
    "ellipsoid": lambda a, b, c: thin_ellipsoid(a, b, c),
}
SOLIDS: Mapping[str, Formula] = {
    "sphere": lambda a, _b, _c: primitives.solid_sphere(a),
    "capsule": lambda a, b, _c: primitives.solid_capsule(a, 2.0 * b),
    "cylinder": lambda a, b, _c: primitives.solid_cylinder(a, 2.0 * b),
    "box": lambda a, b, c: primitives.solid_box((2.0 * a, 2.0 * b, 2.0 * c)),
    "hfield": lambda a, b, c: primitives.solid_box((2.0 * a, 2.0 * b, 2.0 * c)),
    "ellipsoid": lambda a, b, c: primitives.solid_ellipsoid((a, b, c)),
}


def thin_ellipsoid(a: float, b: float, c: float) -> Inertial:
    """Integrate over the surface of an ellipsoid as MuJoCo does: Thomsen's area, and the tensor of a thin wall.

    Args:
        a: Semi-axis along x [m].
        b: Along y [m].
        c: Along z [m].
    """
    powers = [(first * second) ** AREA_EXPONENT for first, second in ((a, b), (b, c), (a, c))]
    area = 4.0 * np.pi * (sum(powers) / 3.0) ** (1.0 / AREA_EXPONENT)
    inner = primitives.solid_ellipsoid((a, b, c))
    outer = primitives.solid_ellipsoid((a + SHELL_STEP, b + SHELL_STEP, c + SHELL_STEP))
    return (outer - inner).scaled_to_mass(float(area))


def geom_inertial(body: str, geom: Geom, to_bounding_box: bool) -> Inertial | Finding | None:
    """Return the contribution of a geom to its body, in the body's axes; a finding if MuJoCo refuses the geom.

    Args:
        body: Name of the body, for the finding.
        geom: The geom.
        to_bounding_box: Primitives are fitted to the bounding box of their mesh.

    Returns:
        Its mass properties, None without mass, or the reason why MuJoCo refuses it.
    """
    try:
        unit = _unit(geom, to_bounding_box)
    except MeshError as error:
        return _refusal(body, geom, "refused-mesh", f"a geom takes its mass from a mesh that cannot be used: {error}")
    except ValueError as error:
        return _refusal(body, geom, "invalid-size", str(error))
    if unit is None:
        return None
    if geom.mass is not None:
        if geom.mass == 0.0 or not unit.mass > SMALLEST_VOLUME:
            return None
        factor = geom.mass / unit.mass
    else:
        factor = geom.density
    if not factor >= 0.0 or factor == np.inf:
        said = f"mass {geom.mass:g} kg" if geom.mass is not None else f"density {geom.density:g}"
        message = f"a geom has the {said}, which is impossible; write a positive value"
        return _refusal(body, geom, "invalid-density", message)
    if not factor * unit.mass > 0.0:
        return None
    whole = Inertial(unit.mass * factor, unit.com, unit.inertia * factor)
    return whole if geom.mass is None else replace_mass(whole, geom.mass)


def replace_mass(whole: Inertial, mass: float) -> Inertial:
    """Return the inertial with exactly this mass [kg]."""
    return Inertial(mass, whole.com, whole.inertia)


def _unit(geom: Geom, to_bounding_box: bool) -> Inertial | None:
    """Integrate a geom at unit density, in body axes; None for one that never has mass.

    Raises:
        MeshError: Its mesh cannot be used.
        ValueError: A size is not positive.
    """
    if geom.type in MASSLESS:
        return None
    if geom.type in MESHES:
        assert geom.mesh is not None
        if geom.is_shell:
            raise MeshError(geom.mesh.name, 'shellinertia is for primitives; write inertia="shell" at the <mesh>')
        return mesh_by_rule(geom.mesh).transform(geom.pose_body_geom)
    if geom.mesh is not None:
        size, pose = fitted(geom, to_bounding_box)
        geom = replace(geom, size=size, pose_body_geom=pose, mesh=None)
    fault = _size_fault(geom)
    if fault:
        raise ValueError(fault)
    table = SHELLS if geom.is_shell else SOLIDS
    return table[geom.type](*geom.size).transform(geom.pose_body_geom)


def geom_faults(body: str, geoms: Iterable[Geom], *, is_moved: bool, to_bounding_box: bool) -> Iterator[Finding]:
    """Report geoms that MuJoCo refuses with or without mass: those without a size or hull, and planes that move.

    Args:
        body: Name of the body, for the finding.
        geoms: Its geoms.
        is_moved: A joint moves it.
        to_bounding_box: Primitives are fitted to the bounding box of their mesh.
    """
    for geom in geoms:
        if geom.type == "plane" and is_moved:
            yield _refusal(body, geom, REFUSES, "a plane is on a moving body; move it into <worldbody>")
        elif geom.type == "plane" and not geom.size[2] > 0.0:
            yield _refusal(body, geom, "invalid-size", "the plane has no third size; write the spacing of its grid")
        elif geom.type in MESHES and geom.is_shell:
            yield _refusal(
                body, geom, "refused-mesh", 'shellinertia is for primitives; write inertia="shell" at the <mesh>'
            )
        elif geom.type in MESHES and geom.touches:
            yield from _without_hull(body, geom)
        elif geom.type in SIZES:
            fault = _size_fault(_sized(geom, to_bounding_box))
            if fault:
                yield _refusal(body, geom, "invalid-size", fault)


def _without_hull(body: str, geom: Geom) -> Iterator[Finding]:
    """Report a colliding mesh that is flat; an unreadable one that contributes mass has another finding."""
    assert geom.mesh is not None
    try:
        is_flat = lies_in_plane(geom.mesh)
    except MeshError:
        return
    if is_flat:
        message = (
            f"mesh {geom.mesh.name!r} collides but is flat, so it has no hull; make it a thin box, "
            'or write contype="0" conaffinity="0"'
        )
        yield _refusal(body, geom, "refused-mesh", message)


def _sized(geom: Geom, to_bounding_box: bool) -> Geom:
    """Return a geom with its sizes after fitting; unchanged if its mesh does not give them."""
    if geom.mesh is None:
        return geom
    try:
        return replace(geom, size=fitted(geom, to_bounding_box)[0])
    except MeshError:
        return replace(geom, size=(1.0, 1.0, 1.0))  # its mesh has another finding


def _size_fault(geom: Geom) -> str:
    """Return why a primitive has no size; empty if it has one."""
    bad = next((size for size in geom.size[: SIZES[geom.type]] if not 0.0 < size <= LARGEST_SIZE), None)
    if bad is None:
        return ""
    return f"the {geom.type} has a size of {bad:g}, which is impossible; write a positive size"


def _refusal(body: str, geom: Geom, code: str, message: str) -> Finding:
    return Finding.at(Severity.ERROR, code, body, message, geom.place)
