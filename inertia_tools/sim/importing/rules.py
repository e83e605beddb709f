# SPDX-FileCopyrightText: The inertia_tools authors
# SPDX-License-Identifier: Apache-2.0
"""Mass properties of the links of a description, and the assumptions behind them.

Values in the file come first. Where the file states no usable value, the colliders give it at a density; visuals never
do, unless they were made colliders by request. Each assumption is a finding.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np

from inertia_tools.description.types import DeclaredInertial, Description, Link
from inertia_tools.errors import SimulationError
from inertia_tools.geometry.primitives import solid_sphere
from inertia_tools.inertia.compute import WATER, LinkInertial, compute_link
from inertia_tools.inertia.finding import Finding, Severity
from inertia_tools.inertia.parameters import AutoInertiaParams
from inertia_tools.inertial import Inertial
from inertia_tools.spatial import are_usable

WITHOUT_WARP = AutoInertiaParams(may_load_warp=False)
"""Building a scene does not load Warp, so a mesh with holes is capped or takes its hull, and is never put in voxels."""


@dataclass(frozen=True)
class ImportRules:
    """Rules for inertials of a description.

    Attributes:
        density: Density of colliders without a stated mass [kg/m^3].
        ignore_inertial_definitions: Whether stated inertials are ignored.
        colliders_are_visuals: Whether the colliders were visuals in the file.
        strict: Whether an unusable stated inertial is an error; otherwise assumptions replace it.
        thickness: Wall thickness of hollow colliders [m]; None for solid ones.
    """

    density: float
    ignore_inertial_definitions: bool = False
    colliders_are_visuals: bool = False
    strict: bool = False
    thickness: float | None = None


@dataclass(frozen=True, eq=False)
class ImportedInertial:
    """Mass properties of a link, in its axes, and the assumptions behind them."""

    inertial: Inertial
    findings: tuple[Finding, ...] = ()


def imported_inertial(robot: Description, link: Link, rules: ImportRules) -> ImportedInertial:
    """Return the mass properties of a link.

    Raises:
        SimulationError: The rules are strict, and the stated inertial is incomplete, not finite, or negative.
    """
    declared = None if rules.ignore_inertial_definitions else link.declared
    if link.is_static and declared is None:
        return ImportedInertial(Inertial.zero())
    if declared is None:
        leaves_out = not rules.ignore_inertial_definitions and _leaves_out_geoms(robot, link)
        return _without_geoms(robot, link) if leaves_out else _from_colliders(robot, link, rules)
    whole = declared.inertial
    if whole is not None and whole.is_finite() and whole.mass >= 0.0:
        return _as_stated(robot, link, whole)
    if rules.strict:
        raise SimulationError(f"{declared.place}: link {link.name!r} has no usable inertial; run: inertia-tools fix")
    if whole is not None and whole.is_finite():
        message = f"the mass {whole.mass:g} kg is negative; the simulation sets it to zero"
        return ImportedInertial(whole, (_finding(link, Severity.ERROR, "negative-mass", message),))
    return _completed(link, declared, rules)


def _as_stated(robot: Description, link: Link, whole: Inertial) -> ImportedInertial:
    if whole.mass > 0.0:
        return ImportedInertial(whole)
    if not (link.shapes or robot.is_moved(link.name)):
        return ImportedInertial(Inertial.zero())
    message = "the mass is zero, as the file states; a tensor without a mass is ignored"
    return ImportedInertial(Inertial.zero(), (_finding(link, Severity.WARNING, "zero-mass", message),))


def _leaves_out_geoms(robot: Description, link: Link) -> bool:
    """Return whether the file says that geoms give no mass to a body that states none."""
    return robot.mjcf is not None and robot.mjcf.compiler_of(link.name).inertiafromgeom == "false"


def _without_geoms(robot: Description, link: Link) -> ImportedInertial:
    if not robot.is_moved(link.name):
        return ImportedInertial(Inertial.zero())
    message = 'it moves but has no mass: there is no <inertial>, and inertiafromgeom="false" ignores its geoms'
    return ImportedInertial(Inertial.zero(), (_finding(link, Severity.ERROR, "missing-inertial", message),))


def _from_colliders(robot: Description, link: Link, rules: ImportRules) -> ImportedInertial:
    """Return the mass properties of the colliders at the density; a link without any has no mass."""
    computed = _computed(link, rules)
    asked = link.declared is not None  # and it is to be ignored
    if computed is not None:
        findings = [*computed.notes, *_visuals_note(link, rules)]
        if not asked:
            message = f"there is no <inertial>; its colliders at {rules.density:g} kg/m^3 give {_mass(computed):g} kg"
            findings.append(_finding(link, Severity.WARNING, "missing-inertial", message))
        assert computed.inertial is not None
        return ImportedInertial(computed.inertial, tuple(findings))
    if not (link.shapes or robot.is_moved(link.name)):
        return ImportedInertial(Inertial.zero())
    missing = "the <inertial> is ignored" if asked else "there is no <inertial>"
    only_visuals = bool(link.visuals) and not link.collisions
    hint = "; its visuals have mass only with parse_visuals_as_colliders" if only_visuals else ""
    message = f"{missing} and no usable collider, so the link has no mass{hint}"
    return ImportedInertial(Inertial.zero(), (_finding(link, Severity.ERROR, "missing-inertial", message),))


def _completed(link: Link, declared: DeclaredInertial, rules: ImportRules) -> ImportedInertial:
    """Return an inertial whose missing or invalid parts are replaced by assumptions."""
    mass = declared.mass
    code = _code(declared)
    computed = _computed(link, rules)
    if computed is not None and computed.inertial is not None:
        notes = (*computed.notes, *_visuals_note(link, rules))
        if mass is not None and are_usable(mass) and mass > 0.0:
            message = f"{_what(code)}; centre of mass and tensor of its colliders are scaled to the {mass:g} kg stated"
            value = computed.inertial.scaled_to_mass(mass)
        else:
            message = f"{_what(code)}; its colliders at {rules.density:g} kg/m^3 give {_mass(computed):g} kg"
            value = computed.inertial
        return ImportedInertial(value, (*notes, _finding(link, Severity.WARNING, code, message)))
    if mass is not None and are_usable(mass) and mass > 0.0:
        return _sphere(link, declared, mass, code)
    message = f"{_what(code)}, and it has no usable collider, so the link has no mass"
    return ImportedInertial(Inertial.zero(), (_finding(link, Severity.ERROR, code, message),))


def _sphere(link: Link, declared: DeclaredInertial, mass: float, code: str) -> ImportedInertial:
    """Return the inertial of a solid sphere of water about the stated centre of mass."""
    ball = solid_sphere(float(np.cbrt(0.75 / np.pi * mass / WATER))).scaled_to_mass(mass)
    centre = declared.pose_link_inertial.position
    message = f"{_what(code)}, and it has no usable collider; a solid sphere of {WATER:g} kg/m^3 is assumed"
    finding = _finding(link, Severity.WARNING, "assumed-inertial", message)
    return ImportedInertial(ball.shift(centre if are_usable(centre) else np.zeros(3)), (finding,))


def _code(declared: DeclaredInertial) -> str:
    if declared.mass is None:
        return "missing-mass"
    return "missing-tensor" if are_usable(declared.mass) and declared.inertia is None else "non-finite"


def _what(code: str) -> str:
    return {
        "missing-mass": "the <inertial> has no mass",
        "missing-tensor": "the <inertial> has no complete tensor",
        "non-finite": "the <inertial> holds values that are not finite numbers",
    }[code]


def _computed(link: Link, rules: ImportRules) -> LinkInertial | None:
    """Return the inertial integrated over the colliders of a link, never over its visuals."""
    if not link.collisions or not rules.density > 0.0:
        return None
    params = replace(WITHOUT_WARP, thickness=rules.thickness)
    computed = compute_link(replace(link, visuals=()), density=rules.density, params=params)
    return computed if computed.inertial is not None else None


def _mass(computed: LinkInertial) -> float:
    return computed.inertial.mass if computed.inertial is not None else 0.0


def _visuals_note(link: Link, rules: ImportRules) -> tuple[Finding, ...]:
    if not rules.colliders_are_visuals or not link.visuals:
        return ()
    return (_finding(link, Severity.INFO, "visual-fallback", "its visuals are used as colliders, as requested"),)


def _finding(link: Link, severity: Severity, code: str, message: str) -> Finding:
    place = link.place if link.declared is None else link.declared.place
    return Finding.at(severity, code, link.name, message, place)
