# SPDX-FileCopyrightText: The inertia_tools authors
# SPDX-License-Identifier: Apache-2.0
"""Mass properties of links from their geometry."""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import replace
from types import MappingProxyType
from typing import Literal

from inertia_tools.description.source import Place
from inertia_tools.description.types import Description, Link, Mesh
from inertia_tools.errors import InertiaError, OptionError
from inertia_tools.geometry.mesh.batch import Progress, prepare
from inertia_tools.geometry.mesh.integral import MeshOptions, OpenMeshPolicy
from inertia_tools.inertia.accumulate import accumulate, shape_params
from inertia_tools.inertia.calculators import calculator_named
from inertia_tools.inertia.finding import Finding, Severity
from inertia_tools.inertia.given import names_of, require_description, require_positive
from inertia_tools.inertia.link_inertial import LinkInertial as LinkInertial
from inertia_tools.inertia.mjcf_mass.bodies import declared_in_force
from inertia_tools.inertia.parameters import AutoInertiaParams, params_of
from inertia_tools.inertia.shape import shape_fault

WATER = 1000.0
"""Density where none is given [kg/m^3]; the default of SDFormat and Newton too."""

HUGE = 1e6
"""Mass [kg] above which the geometry of a link is suspicious: that of a 10 m cube of water."""

UNITS = "unit-suspect"

VISUAL_FALLBACK = "visual-fallback"

GeometryChoice = Literal["collision", "visual"]
MassPolicy = Literal["density", "keep"]


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

    A link's collisions are integrated, else its visuals (or the reverse), each at its own density if the file states
    one, else at the density given here; masses add, and the tensors are moved to the common centre of mass. Overlapping
    volumes count twice unless `params` says otherwise. Integration parameters in the file take precedence over
    `params`.

    Args:
        robot: The description.
        density: Density of the material where the file states none [kg/m^3].
        geometry: Which shapes to integrate where a link has both.
        mass_policy: "density" takes the mass from the volume; "keep" scales to the mass that the link declares, if that
            is positive. A mass that SDFormat assumes, or that MJCF's geoms override, is not declared.
        open_mesh: Treatment of meshes with holes: "auto" caps them, counts voxels or takes the hull, whichever has the
            smallest error estimate; "cap", "voxel" and "hull" select one; "fail" leaves the link without a value. Short
            for the same entry of `params`.
        params: All integration parameters.
        links: Names of the links to compute; all by default.
        progress: Called with the number of meshes done, and of all, after each mesh.

    Raises:
        OptionError: The density is not positive, a choice is unknown, or no calculator has the name of the method.
        UnknownLinkError: The model has no such link.
    """
    require_description(robot)
    chosen = check_options(density, geometry, mass_policy, open_mesh, params)
    wanted = list(robot.links.values()) if links is None else [robot.link(name) for name in names_of("links", links)]
    prepare(wanted_integrals(wanted, geometry, chosen), progress)
    computed = {}
    for link in wanted:
        result = compute_link(link, density=density, geometry=geometry, params=chosen)
        computed[link.name] = _kept_mass(robot, result) if mass_policy == "keep" else _with_doubt(result, link)
    return MappingProxyType(computed)


def compute_link(
    link: Link,
    *,
    density: float = WATER,
    geometry: GeometryChoice = "collision",
    params: AutoInertiaParams | None = None,
) -> LinkInertial:
    """Compute the mass properties of one link; the arguments are those of `compute`."""
    chosen = params_of(params, AutoInertiaParams())
    first, second = (link.collisions, link.visuals) if geometry == "collision" else (link.visuals, link.collisions)
    result, usable = accumulate(link, first, density, chosen)
    if usable or not second:
        return result
    fallback, usable = accumulate(link, second, density, chosen)
    if not usable:
        return _with_notes(fallback, result.notes)
    other = "visual" if geometry == "collision" else "collision"
    why = f"no usable {geometry} geometry; {other} geometry was integrated instead"
    note = Finding.at(Severity.INFO, VISUAL_FALLBACK, link.name, why, link.place)
    return _with_notes(fallback, (*result.notes, note) if other == "visual" else result.notes)


def without_densities(link: Link) -> Link:
    """Return the link without its file's densities and masses of shapes, so that the caller's density counts."""
    collisions = tuple(replace(shape, density=None, mass=None) for shape in link.collisions)
    visuals = tuple(replace(shape, density=None, mass=None) for shape in link.visuals)
    return replace(link, collisions=collisions, visuals=visuals)


def scale_to_mass(result: LinkInertial, mass: float, place: Place) -> LinkInertial:
    """Change the density of computed mass properties so that the mass becomes the given one [kg].

    Args:
        result: The mass properties.
        mass: The mass [kg].
        place: Location of the link in the file.

    Raises:
        InertiaError: The present mass is too small for any factor; the message names place and link.
    """
    if result.inertial is None or result.volume is None:
        return result
    try:
        scaled = result.inertial.scaled_to_mass(mass)
    except InertiaError as error:
        raise InertiaError(f"{place}: link {result.link!r}: {error}; change the density of its shapes") from error
    return replace(result, inertial=scaled, density=mass / result.volume)


def check_options(
    density: float, geometry: str, mass_policy: str, open_mesh: OpenMeshPolicy, params: AutoInertiaParams | None
) -> AutoInertiaParams:
    """Check the options that `compute` and `fix` share, and return the parameters with `open_mesh` applied.

    Raises:
        OptionError: The density is not positive, or a choice is unknown.
    """
    require_positive("density", density, "kg/m^3")
    for option, value, allowed in (
        ("geometry", geometry, ("collision", "visual")),
        ("mass_policy", mass_policy, ("density", "keep")),
    ):
        if value not in allowed:
            raise OptionError(option, value, "one of " + ", ".join(allowed))
    chosen = params_of(params, AutoInertiaParams())
    if chosen.calculator is not None:
        calculator_named(chosen.calculator)  # raises if there is none
    return chosen if open_mesh == "auto" else replace(chosen, open_mesh=open_mesh)


def wanted_integrals(
    links: Iterable[Link], geometry: GeometryChoice, params: AutoInertiaParams
) -> Iterator[tuple[Mesh, MeshOptions]]:
    """List the meshes that will certainly be integrated by this package, with their options."""
    for link in links:
        first, second = (link.collisions, link.visuals) if geometry == "collision" else (link.visuals, link.collisions)
        for shape in first or second:
            if shape_fault(shape) is not None:
                continue
            own = shape_params(shape, params)
            if isinstance(shape.geometry, Mesh) and isinstance(own, AutoInertiaParams) and own.calculator is None:
                yield shape.geometry, own.mesh_options


def _kept_mass(robot: Description, result: LinkInertial) -> LinkInertial:
    """Scale a computed inertial to the mass that the file states; a default or overridden mass does not count."""
    link = robot.links[result.link]
    declared = link.declared if robot.mjcf is None else declared_in_force(link, robot.mjcf)
    mass = None if declared is None else declared.stated_mass
    return scale_to_mass(result, mass, link.place) if mass is not None and 0.0 < mass < math.inf else result


def _with_doubt(result: LinkInertial, link: Link) -> LinkInertial:
    """Add a finding if the geometry has an implausible mass."""
    doubt = size_doubt(result, link.place, Severity.INFO)
    return result if doubt is None else replace(result, notes=(*result.notes, doubt))


def size_doubt(result: LinkInertial, place: Place, severity: Severity) -> Finding | None:
    """Report geometry with an implausible mass, as when it is in millimetres; None if the mass is plausible.

    Args:
        result: Mass properties of a link from its geometry.
        place: Location of the link in the file.
        severity: Severity of the finding.
    """
    inertial, volume = result.inertial, result.volume
    if inertial is None or not volume or not inertial.mass >= HUGE:
        return None
    said = (
        f"the geometry has a mass of {inertial.mass:.3g} kg and the volume of a cube of "
        f"{abs(volume) ** (1.0 / 3.0):.3g} m"
    )
    message = f"{said}; if it is in millimetres, scale it by 0.001"
    return Finding.at(severity, UNITS, result.link, message, place)


def _with_notes(result: LinkInertial, before: tuple[Finding, ...]) -> LinkInertial:
    return replace(result, notes=(*before, *result.notes))
