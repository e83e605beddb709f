# SPDX-FileCopyrightText: The inertia_tools authors
# SPDX-License-Identifier: Apache-2.0
"""Mass properties of links by the rules of SDFormat: stated, default, or computed from collisions."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from types import MappingProxyType

import numpy as np

from inertia_tools.description.sdf.inertial import DEFAULT_MASS, default_inertial
from inertia_tools.description.types import DeclaredInertial, Description, Link
from inertia_tools.geometry.mesh.batch import Progress, prepare
from inertia_tools.inertia.accumulate import counts
from inertia_tools.inertia.compute import WATER, compute_link, wanted_integrals
from inertia_tools.inertia.effective_inertial import EffectiveInertial
from inertia_tools.inertia.finding import Finding, Severity
from inertia_tools.inertia.link_inertial import MISSING_MESH, LinkInertial
from inertia_tools.inertia.method import Method
from inertia_tools.inertia.parameters import AutoInertiaParams
from inertia_tools.inertial import Inertial
from inertia_tools.spatial import Pose, are_usable

NO_COLLISION = "auto-without-collision"
NO_MASS = "auto-without-mass"
INCOMPLETE = "auto-incomplete"
STATIC = "static-inertial"

UNRESOLVED = frozenset({NO_COLLISION, NO_MASS})
"""Findings about automatic inertials that could not be computed."""


def sdf_inertials(
    robot: Description, params: AutoInertiaParams, *, include_static: bool = False, progress: Progress | None = None
) -> Mapping[str, EffectiveInertial]:
    """Return the inertial in force of every link; the arguments are those of `effective`."""
    wanted = [link for link in robot.links.values() if include_static or not link.is_static]
    automatic = [link for link in wanted if link.declared is not None and link.declared.auto]
    prepare(wanted_integrals(automatic, "collision", params), progress)
    return MappingProxyType(
        {name: sdf_inertial(link, params, include_static=include_static) for name, link in robot.links.items()}
    )


def sdf_inertial(link: Link, params: AutoInertiaParams, *, include_static: bool = False) -> EffectiveInertial:
    """Return the inertial in force of one link; the arguments are those of `effective`."""
    declared = link.declared or default_inertial(link.place)
    if declared.auto and link.is_static and not include_static:
        message = "the model is static, so its automatic inertial is not computed; simulators ignore it"
        return EffectiveInertial(link, None, (_finding(link, declared, Severity.INFO, STATIC, message),))
    if declared.auto:
        return _automatic(link, declared, params)
    assert declared.inertial is not None
    method = Method.DECLARED if declared.is_stated else Method.ASSUMED
    value = LinkInertial(link.name, declared.inertial, method)
    return EffectiveInertial(replace(link, declared=declared), value)


def _automatic(link: Link, declared: DeclaredInertial, params: AutoInertiaParams) -> EffectiveInertial:
    """Integrate the collisions of a link, never its visuals, at the stated mass or their densities."""
    wish = declared.stated_mass
    if not link.collisions:
        default = Inertial(DEFAULT_MASS if wish is None else wish, inertia=np.eye(3))
        remedy = "add one, or let fix take the visuals" if link.visuals else "add one"
        message = (
            f"auto is true but there is no collision, so the link has {default.mass:g} kg and the identity; {remedy}"
        )
        failed = _finding(link, declared, Severity.ERROR, NO_COLLISION, message)
        return _outcome(link, declared, LinkInertial(link.name, default, Method.ASSUMED), (failed,))
    computed = compute_link(replace(link, visuals=()), density=WATER, params=params)
    result = _at_mass(computed, wish)
    is_sound = wish is None or (wish > 0.0 and are_usable(wish))  # otherwise the mass is the only finding
    remarks = _remarks(link, declared, result.inertial, params) if is_sound else ()
    findings = (*remarks, *computed.notes)
    lost = next((note for note in computed.notes if note.code == MISSING_MESH), None)
    if lost is not None:
        message = f"auto is true, but a collision is missing: {lost.message}"
        findings = (replace(lost, severity=Severity.ERROR, code=INCOMPLETE, message=message), *findings)
    if computed.inertial is None:
        what = "no collision has a mass that could be integrated" if lost is None else "no collision could be read"
        message = f"auto is true, but {what}; the tensor is zero"
        failed = _finding(link, declared, Severity.ERROR, NO_MASS, message)
        value = LinkInertial(link.name, Inertial(wish if wish is not None else 0.0), Method.NONE)
        return _outcome(link, declared, value, (failed, *findings))
    return _outcome(link, declared, result, findings)


def _at_mass(computed: LinkInertial, mass: float | None) -> LinkInertial:
    """Scale computed mass properties to the mass in the file, valid or not; the checks report invalid ones."""
    whole = computed.inertial
    if mass is None or whole is None:
        return computed
    with np.errstate(invalid="ignore", over="ignore"):
        scaled = Inertial(mass, whole.com, whole.inertia * (mass / whole.mass))
    density = None if not computed.volume else mass / computed.volume
    return replace(computed, inertial=scaled, density=density)


def _outcome(
    link: Link, declared: DeclaredInertial, value: LinkInertial, findings: tuple[Finding, ...]
) -> EffectiveInertial:
    """Replace the declaration by a value; added mass is kept. For a static link nothing is reported."""
    inertial = value.inertial
    assert inertial is not None
    in_force = DeclaredInertial(
        mass=inertial.mass,
        pose_link_inertial=Pose(inertial.com),
        inertia=inertial.inertia,
        place=declared.place,
        defaulted=("mass",) if value.method is Method.ASSUMED and "mass" in declared.defaulted else (),
        added_mass=declared.added_mass,
    )
    if link.is_static:
        message = f"the model is static, so its automatic {inertial.mass:g} kg are informational"
        findings = (_finding(link, declared, Severity.INFO, STATIC, message),)
    return EffectiveInertial(replace(link, declared=in_force), value, findings)


def _remarks(
    link: Link, declared: DeclaredInertial, result: Inertial | None, params: AutoInertiaParams
) -> tuple[Finding, ...]:
    """Report stated values that are ignored and differ from the result, and collisions with the default density."""
    found = []
    stated = [name for name in ("pose", *TENSOR) if name not in declared.defaulted]
    if stated and not _repeats(declared, result):
        named = "pose" if stated == ["pose"] else "tensor" if "pose" not in stated else "pose and tensor"
        message = f"auto is true, so the {named} in the file is ignored; remove it, or set auto to false"
        found.append(_finding(link, declared, Severity.WARNING, "auto-overrides", message))
    unknown = [s for s in link.collisions if s.density is None and counts(s, WATER, params)]
    if unknown:
        names = ", ".join(repr(shape.name) for shape in unknown)
        message = f"no density is stated for {names}; {WATER:g} kg/m^3 was used; state one"
        found.append(_finding(link, declared, Severity.WARNING, "default-density", message))
    return tuple(found)


def _repeats(declared: DeclaredInertial, result: Inertial | None) -> bool:
    """Return whether the values stated beside `auto` equal the result, as when it was saved there."""
    stated = declared.inertial
    if result is None or stated is None or not stated.is_finite():
        return False
    has_tensor = not set(TENSOR) <= set(declared.defaulted)
    com = result.com if "pose" in declared.defaulted else stated.com
    return Inertial(result.mass, com, stated.inertia if has_tensor else result.inertia).isclose(result, REPEATED)


REPEATED = 1e-9
"""Relative difference of numbers after writing and reading."""

TENSOR = ("ixx", "ixy", "ixz", "iyy", "iyz", "izz")


def _finding(link: Link, declared: DeclaredInertial, severity: Severity, code: str, message: str) -> Finding:
    return Finding.at(severity, code, link.name, message, declared.place)
