# SPDX-FileCopyrightText: The inertia_tools authors
# SPDX-License-Identifier: Apache-2.0
"""Mass properties of links from their geometry: the one accumulation rule."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from types import MappingProxyType
from typing import Literal

from inertia_tools.description.types import Description, Link, Shape
from inertia_tools.errors import OptionError
from inertia_tools.inertia.finding import Finding, Severity
from inertia_tools.inertia.method import Method
from inertia_tools.inertia.shape import ShapeIntegral, ShapeNote, integrate_shape
from inertia_tools.inertial import Inertial

WATER = 1000.0
"""Density where nothing else is said [kg/m^3]; the default of SDFormat and Newton too."""

GeometryChoice = Literal["collision", "visual"]
MassPolicy = Literal["density", "keep"]
OpenMeshPolicy = Literal["auto", "hull", "fail"]


@dataclass(frozen=True, eq=False)
class LinkInertial:
    """Mass properties of one link and where they came from.

    Attributes:
        link: The link's name.
        inertial: The value in link axes; None when there is nothing to compute it from.
        method: How it was found; `Method.NONE` goes with None.
        volume: Integrated volume [m^3]; None when nothing was integrated.
        density: Mass over volume [kg/m^3]; None when there is no volume.
        error_estimate: Likely relative error of the volume; None when nothing was integrated.
        notes: What was noticed on the way.
    """

    link: str
    inertial: Inertial | None
    method: Method
    volume: float | None = None
    density: float | None = None
    error_estimate: float | None = None
    notes: tuple[Finding, ...] = ()


def compute(
    robot: Description,
    *,
    density: float = WATER,
    geometry: GeometryChoice = "collision",
    mass_policy: MassPolicy = "density",
    open_mesh: OpenMeshPolicy = "auto",
    links: Iterable[str] | None = None,
) -> Mapping[str, LinkInertial]:
    """Compute mass properties from geometry.

    A link's collisions are integrated, else its visuals (or the other way round), each at the density; the masses
    add, and the tensors move to the common centre of mass. Overlapping shapes count twice.

    Args:
        robot: The description.
        density: Density of the material [kg/m^3].
        geometry: Which shapes to integrate where a link has both.
        mass_policy: "density" takes the mass from the volume; "keep" scales to the mass the link declares, where
            that is positive.
        open_mesh: What to do with meshes that are not closed: "auto" and "hull" take the hull, "fail" leaves the
            link without a value.
        links: Names of the links wanted; all by default.

    Raises:
        OptionError: The density is not positive, or a choice is unknown.
        UnknownLinkError: The model has no such link.
    """
    check_options(density, geometry, mass_policy, open_mesh)
    wanted = robot.links.values() if links is None else [robot.link(name) for name in links]
    computed = {}
    for link in wanted:
        result = compute_link(link, density=density, geometry=geometry, open_mesh=open_mesh)
        computed[link.name] = _kept_mass(result, link) if mass_policy == "keep" else result
    return MappingProxyType(computed)


def compute_link(
    link: Link,
    *,
    density: float = WATER,
    geometry: GeometryChoice = "collision",
    open_mesh: OpenMeshPolicy = "auto",
) -> LinkInertial:
    """Compute the mass properties of one link; the arguments are those of `compute`."""
    first, second = (link.collisions, link.visuals) if geometry == "collision" else (link.visuals, link.collisions)
    result, usable = _accumulate(link, first, density, open_mesh)
    if usable or not second:
        return result
    fallback, usable = _accumulate(link, second, density, open_mesh)
    if not usable:
        return _with_notes(fallback, result.notes)
    other = "visual" if geometry == "collision" else "collision"
    why = f"no usable {geometry} geometry; {other} geometry was integrated instead"
    note = Finding(Severity.INFO, "visual-fallback", link.name, why, link.place.file, link.place.line)
    return _with_notes(fallback, (*result.notes, note) if other == "visual" else result.notes)


def scale_to_mass(result: LinkInertial, mass: float) -> LinkInertial:
    """Change the density of a computed value so that the mass becomes the given one [kg]."""
    if result.inertial is None or result.volume is None:
        return result
    return replace(result, inertial=result.inertial.scaled_to_mass(mass), density=mass / result.volume)


def check_options(density: float, geometry: str, mass_policy: str, open_mesh: str) -> None:
    """Check the options that `compute` and `fix` share.

    Raises:
        OptionError: The density is not positive, or a choice is unknown.
    """
    if not (math.isfinite(density) and density > 0.0):
        raise OptionError("density", density, "a positive number of kg/m^3")
    for option, value, allowed in (
        ("geometry", geometry, ("collision", "visual")),
        ("mass_policy", mass_policy, ("density", "keep")),
        ("open_mesh", open_mesh, ("auto", "hull", "fail")),
    ):
        if value not in allowed:
            raise OptionError(option, value, "one of " + ", ".join(allowed))


def _kept_mass(result: LinkInertial, link: Link) -> LinkInertial:
    mass = None if link.declared is None else link.declared.mass
    return scale_to_mass(result, mass) if mass is not None and 0.0 < mass < math.inf else result


def _accumulate(
    link: Link, shapes: tuple[Shape, ...], density: float, open_mesh: OpenMeshPolicy
) -> tuple[LinkInertial, bool]:
    """Add up shapes; the second value tells whether any of them could be used."""
    integrals = [integrate_shape(shape) for shape in shapes]
    notes = tuple(_finding(link, note) for integral in integrals for note in integral.notes)
    usable = [integral for integral in integrals if integral.unit is not None]
    refused = open_mesh == "fail" and any(integral.method is Method.HULL for integral in usable)
    if not usable or refused:
        return LinkInertial(link.name, None, Method.NONE, notes=notes), False
    unit = Inertial.sum(integral.unit for integral in usable if integral.unit is not None)
    inertial = Inertial(unit.mass * density, unit.com, unit.inertia * density)
    error = sum(integral.error_estimate * integral.unit.mass for integral in usable if integral.unit) / unit.mass
    return LinkInertial(link.name, inertial, _method(usable), unit.mass, density, error, notes), True


def _method(integrals: list[ShapeIntegral]) -> Method:
    methods = {integral.method for integral in integrals}
    return methods.pop() if len(methods) == 1 else Method.COMPOSITE


def _finding(link: Link, note: ShapeNote) -> Finding:
    place = note.shape.place
    return Finding(note.severity, note.code, link.name, note.message, place.file, place.line)


def _with_notes(result: LinkInertial, before: tuple[Finding, ...]) -> LinkInertial:
    return replace(result, notes=(*before, *result.notes))
