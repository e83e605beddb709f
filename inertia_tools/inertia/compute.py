# SPDX-FileCopyrightText: The inertia_tools authors
# SPDX-License-Identifier: Apache-2.0
"""Mass properties of links from their geometry: the one accumulation rule."""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, replace
from types import MappingProxyType
from typing import Literal

import numpy as np

from inertia_tools.description.types import Description, Link, Mesh, Shape
from inertia_tools.errors import OptionError
from inertia_tools.geometry.mesh.batch import Progress, prepare
from inertia_tools.geometry.mesh.integral import OpenMeshPolicy
from inertia_tools.inertia.calculators import calculator_named
from inertia_tools.inertia.finding import Finding, Severity
from inertia_tools.inertia.method import Method
from inertia_tools.inertia.overlap import Overlap, overlap_of
from inertia_tools.inertia.parameters import AutoInertiaParams, OverlapPolicy
from inertia_tools.inertia.shape import ShapeIntegral, ShapeNote, integrate_shape
from inertia_tools.inertial import Inertial

WATER = 1000.0
"""Density where nothing else is said [kg/m^3]; the default of SDFormat and Newton too."""

UNION_DOUBT = 4e-3
"""Error of what shapes share, of which round ones are polyhedra then: twice what a ball's lack in their moments."""

GeometryChoice = Literal["collision", "visual"]
MassPolicy = Literal["density", "keep"]


@dataclass(frozen=True, eq=False)
class LinkInertial:
    """Mass properties of one link and where they came from.

    Attributes:
        link: The link's name.
        inertial: The value in link axes; None when there is nothing to compute it from.
        method: How it was found; `Method.NONE` goes with None.
        volume: Integrated volume [m^3]; None when nothing was integrated.
        density: Mass over volume [kg/m^3]; None when there is no volume.
        error_estimate: Likely relative error of the volume, and of the moments over the largest; None when nothing was
            integrated.
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
    params: AutoInertiaParams | None = None,
    links: Iterable[str] | None = None,
    progress: Progress | None = None,
) -> Mapping[str, LinkInertial]:
    """Compute mass properties from geometry.

    A link's collisions are integrated, else its visuals (or the other way round), each at the density; the masses
    add, and the tensors move to the common centre of mass. Overlapping shapes count twice unless `params` says
    otherwise.

    Args:
        robot: The description.
        density: Density of the material [kg/m^3].
        geometry: Which shapes to integrate where a link has both.
        mass_policy: "density" takes the mass from the volume; "keep" scales to the mass the link declares, where
            that is positive.
        open_mesh: What to do with meshes that have holes: "auto" caps them, counts voxels or takes the hull, whichever
            leaves least in doubt; "cap", "voxel" and "hull" do that; "fail" leaves the link without a value. Short for
            the same entry of `params`.
        params: How shapes are integrated, in all detail.
        links: Names of the links wanted; all by default.
        progress: Called with the number of meshes done, and of all, after each mesh.

    Raises:
        OptionError: The density is not positive, a choice is unknown, or no calculator has the name of the method.
        UnknownLinkError: The model has no such link.
    """
    chosen = check_options(density, geometry, mass_policy, open_mesh, params)
    wanted = list(robot.links.values()) if links is None else [robot.link(name) for name in links]
    if chosen.calculator is None:
        prepare(((mesh, chosen.mesh_options) for mesh in _meshes(wanted, geometry)), progress)
    computed = {}
    for link in wanted:
        result = compute_link(link, density=density, geometry=geometry, params=chosen)
        computed[link.name] = _kept_mass(result, link) if mass_policy == "keep" else result
    return MappingProxyType(computed)


def compute_link(
    link: Link,
    *,
    density: float = WATER,
    geometry: GeometryChoice = "collision",
    params: AutoInertiaParams | None = None,
) -> LinkInertial:
    """Compute the mass properties of one link; the arguments are those of `compute`."""
    chosen = params or AutoInertiaParams()
    first, second = (link.collisions, link.visuals) if geometry == "collision" else (link.visuals, link.collisions)
    result, usable = _accumulate(link, first, density, chosen)
    if usable or not second:
        return result
    fallback, usable = _accumulate(link, second, density, chosen)
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


def check_options(
    density: float, geometry: str, mass_policy: str, open_mesh: OpenMeshPolicy, params: AutoInertiaParams | None
) -> AutoInertiaParams:
    """Check the options that `compute` and `fix` share, and return the parameters with what `open_mesh` says.

    Raises:
        OptionError: The density is not positive, or a choice is unknown.
    """
    if not (math.isfinite(density) and density > 0.0):
        raise OptionError("density", density, "a positive number of kg/m^3")
    for option, value, allowed in (
        ("geometry", geometry, ("collision", "visual")),
        ("mass_policy", mass_policy, ("density", "keep")),
    ):
        if value not in allowed:
            raise OptionError(option, value, "one of " + ", ".join(allowed))
    chosen = params or AutoInertiaParams()
    if chosen.calculator is not None:
        calculator_named(chosen.calculator)  # says so now when there is none
    return chosen if open_mesh == "auto" else replace(chosen, open_mesh=open_mesh)


def _meshes(links: Iterable[Link], geometry: GeometryChoice) -> Iterator[Mesh]:
    """List the meshes that will be integrated, at the least."""
    for link in links:
        first, second = (link.collisions, link.visuals) if geometry == "collision" else (link.visuals, link.collisions)
        yield from (shape.geometry for shape in first or second if isinstance(shape.geometry, Mesh))


def _kept_mass(result: LinkInertial, link: Link) -> LinkInertial:
    mass = None if link.declared is None else link.declared.mass
    return scale_to_mass(result, mass) if mass is not None and 0.0 < mass < math.inf else result


def _accumulate(
    link: Link, shapes: tuple[Shape, ...], density: float, params: AutoInertiaParams
) -> tuple[LinkInertial, bool]:
    """Add up shapes; the second value tells whether any of them could be used."""
    integrals = [integrate_shape(shape, params, density) for shape in shapes]
    notes = tuple(_finding(link, note) for integral in integrals for note in integral.notes)
    pairs = [(shape, integral) for shape, integral in zip(shapes, integrals, strict=True) if integral.unit is not None]
    refused = params.open_mesh == "fail" and any(note.code == "open-mesh" for note in notes)
    if not pairs or refused:
        return LinkInertial(link.name, None, Method.NONE, notes=notes), False
    usable = [integral for _, integral in pairs]
    unit = Inertial.sum(integral.unit for integral in usable if integral.unit is not None)
    error = _error(usable, unit)
    if params.thickness is None:
        sure = {integral.method for integral in usable} <= {Method.PRIMITIVE, Method.MESH}
        if sure or params.overlap == "union":  # holes of meshes are capped anew only when somebody asks
            overlap = overlap_of([shape for shape, _ in pairs], asked=params.overlap == "union")
            if overlap is not None:
                notes += (_overlap_finding(link, pairs[0][0], len(pairs), overlap, params.overlap),)
            if overlap is not None and params.overlap == "union":
                unit = unit - overlap.excess
                error = None if error is None else error + UNION_DOUBT * overlap.share / (1.0 - overlap.share)
    inertial = Inertial(unit.mass * density, unit.com, unit.inertia * density)
    return LinkInertial(link.name, inertial, _method(usable), unit.mass, density, error, notes), True


def _error(integrals: list[ShapeIntegral], total: Inertial) -> float | None:
    """Return the error of a sum: of its mass, or of a moment over the largest if that is more; None if none is known.

    What a shape may be off in its moments counts with its distance from the centre of mass.
    """
    if any(integral.error_estimate is None for integral in integrals):
        return None
    mass = moment = 0.0
    for integral in integrals:
        if integral.unit is not None and integral.error_estimate is not None:
            off = float(np.linalg.norm(integral.unit.inertia, 2))
            off += integral.unit.mass * float(np.sum((integral.unit.com - total.com) ** 2))
            mass += integral.error_estimate * integral.unit.mass
            moment += integral.error_estimate * off
    return max(mass / total.mass, moment / float(np.linalg.norm(total.inertia, 2)))


def _overlap_finding(link: Link, shape: Shape, count: int, overlap: Overlap, policy: OverlapPolicy) -> Finding:
    """Say how much shapes share."""
    counted = "it was counted once" if policy == "union" else "it counts twice (overlap: union counts it once)"
    message = f"its {count} shapes overlap by {overlap.share:.1%} of their volume; {counted}"
    return Finding(Severity.INFO, "overlapping-shapes", link.name, message, shape.place.file, shape.place.line)


def _method(integrals: list[ShapeIntegral]) -> Method:
    methods = {integral.method for integral in integrals}
    return methods.pop() if len(methods) == 1 else Method.COMPOSITE


def _finding(link: Link, note: ShapeNote) -> Finding:
    place = note.shape.place
    return Finding(note.severity, note.code, link.name, note.message, place.file, place.line)


def _with_notes(result: LinkInertial, before: tuple[Finding, ...]) -> LinkInertial:
    return replace(result, notes=(*before, *result.notes))
