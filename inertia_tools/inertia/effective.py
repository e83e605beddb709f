# SPDX-FileCopyrightText: The inertia_tools authors
# SPDX-License-Identifier: Apache-2.0
"""The mass properties each link really has under the rules of its format.

URDF has what it states, or nothing. SDFormat has defaults for what is not stated, and integrates the collisions of a
link that asks for it. MJCF is compiled. A USD body has each of mass, tensor and centre of mass by the first rule that
gives it. Nothing here happens when a file is loaded: whoever needs the values asks for
them.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from types import MappingProxyType

import numpy as np

from inertia_tools.description.sdf.inertial import DEFAULT_MASS, default_inertial
from inertia_tools.description.types import DeclaredInertial, Description, Format, Link
from inertia_tools.geometry.mesh.batch import Progress, prepare
from inertia_tools.inertia.accumulate import counts
from inertia_tools.inertia.compute import WATER, compute_link, wanted_integrals
from inertia_tools.inertia.finding import Finding, Severity
from inertia_tools.inertia.link_inertial import MISSING_MESH, LinkInertial
from inertia_tools.inertia.method import Method
from inertia_tools.inertia.mjcf_mass import MjcfInertial, mjcf_inertials
from inertia_tools.inertia.mjcf_mass import bodies as compiled_bodies
from inertia_tools.inertia.parameters import AutoInertiaParams
from inertia_tools.inertia.usd_mass import usd_inertials
from inertia_tools.inertial import Inertial
from inertia_tools.spatial import Pose, are_usable

NO_COLLISION = "auto-without-collision"
NO_MASS = "auto-without-mass"
INCOMPLETE = "auto-incomplete"
STATIC = "static-inertial"

UNRESOLVED = frozenset({NO_COLLISION, NO_MASS})
"""Findings of automatic inertials that came to nothing."""

SETTLED = UNRESOLVED | {INCOMPLETE} | compiled_bodies.SETTLED
"""Findings after which there is nothing more to say about an inertial."""


@dataclass(frozen=True, eq=False)
class EffectiveInertial:
    """What one link really has.

    Attributes:
        link: The link with the declaration that is in force: defaults filled in, the automatic computed.
        value: The mass properties; None when its format gives it none.
        findings: What was noticed on the way.
    """

    link: Link
    value: LinkInertial | None
    findings: tuple[Finding, ...] = ()


def effective(
    robot: Description,
    *,
    params: AutoInertiaParams | None = None,
    include_static: bool = False,
    progress: Progress | None = None,
) -> Mapping[str, EffectiveInertial]:
    """Find the mass properties that every link has under the rules of its format.

    Args:
        robot: The description.
        params: How shapes are integrated where the file does not say.
        include_static: Also calculate the automatic inertials of SDFormat's static models, which nothing uses.
        progress: Called with the number of meshes done, and of all, after each mesh.

    Raises:
        OptionError: No calculator has the name of the method.
    """
    if robot.format is Format.MJCF:
        found = mjcf_inertials(robot)
        return MappingProxyType({name: _compiled(link, found[name]) for name, link in robot.links.items()})
    if robot.usd is not None:
        return _staged(robot, params or AutoInertiaParams(), progress)
    chosen = params or AutoInertiaParams()
    wanted = [link for link in robot.links.values() if include_static or not is_ignored(robot, link)]
    automatic = [link for link in wanted if link.declared is not None and link.declared.auto]
    prepare(wanted_integrals(automatic, "collision", chosen), progress)
    return MappingProxyType(
        {
            link.name: effective_inertial(robot, link, chosen, include_static=include_static)
            for link in robot.links.values()
        }
    )


def is_ignored(robot: Description, link: Link) -> bool:
    """Tell whether the mass properties of a link count for nothing: those of SDFormat's static models."""
    return robot.format is Format.SDF and link.is_static


def resolve(
    robot: Description, *, params: AutoInertiaParams | None = None, progress: Progress | None = None
) -> Description:
    """Return the description with every link declaring what it really has; the document stays as it is.

    Args:
        robot: The description.
        params: How shapes are integrated where the file does not say.
        progress: Called with the number of meshes done, and of all, after each mesh.
    """
    return resolve_noting(robot, params=params, progress=progress)[0]


def resolve_noting(
    robot: Description, *, params: AutoInertiaParams | None = None, progress: Progress | None = None
) -> tuple[Description, tuple[Finding, ...]]:
    """Do as `resolve` does, and return what was noticed on the way, too."""
    if not _has_rules(robot):
        return robot, ()
    values = effective(robot, params=params, include_static=True, progress=progress)
    found = replace(robot, links={name: _with_total(value) for name, value in values.items()}, usd=None)
    return found, tuple(finding for value in values.values() for finding in value.findings)


def before_total(robot: Description, *, params: AutoInertiaParams | None = None) -> Description:
    """Return what `resolve` does, before a total mass that the document asks for scales everything."""
    if not _has_rules(robot):
        return robot
    return replace(robot, links={name: value.link for name, value in effective(robot, params=params).items()})


def _has_rules(robot: Description) -> bool:
    """Tell whether links may have something else than they declare."""
    return robot.format in (Format.SDF, Format.MJCF) or robot.usd is not None


def _staged(
    robot: Description, params: AutoInertiaParams, progress: Progress | None
) -> Mapping[str, EffectiveInertial]:
    """Find what the bodies of a USD stage have."""
    prepare(wanted_integrals(robot.links.values(), "collision", params), progress)
    found = usd_inertials(robot, params)
    return MappingProxyType(
        {
            name: EffectiveInertial(
                replace(link, declared=found[name].declared), found[name].value, found[name].findings
            )
            for name, link in robot.links.items()
        }
    )


def _with_total(found: EffectiveInertial) -> Link:
    """Return the link with the mass that it has in the end."""
    declared, value = found.link.declared, found.value
    inertial = None if declared is None else declared.inertial
    if declared is None or inertial is None or value is None or value.inertial is None:
        return found.link
    if value.inertial.mass == inertial.mass or not inertial.mass > 0.0 or declared.inertia is None:
        return found.link
    factor = value.inertial.mass / inertial.mass
    scaled = replace(declared, mass=value.inertial.mass, inertia=declared.inertia * factor)
    return replace(found.link, declared=scaled)


def _compiled(link: Link, found: MjcfInertial) -> EffectiveInertial:
    """Put what a body has, before the total mass is set, in the place of its declaration."""
    return EffectiveInertial(replace(link, declared=found.before_total), found.value, found.findings)


def effective_inertial(
    robot: Description, link: Link, params: AutoInertiaParams, *, include_static: bool = False
) -> EffectiveInertial:
    """Find the mass properties of one link; the arguments are those of `effective`."""
    if robot.format is Format.MJCF or robot.usd is not None:
        return effective(robot, params=params)[link.name]
    if robot.format is not Format.SDF:
        return EffectiveInertial(link, declared_inertial(link))
    declared = link.declared or default_inertial(link.place)
    if declared.auto and link.is_static and not include_static:
        message = "the model is static, so its automatic inertial is not calculated, and nothing would use it"
        return EffectiveInertial(link, None, (_finding(link, declared, Severity.INFO, STATIC, message),))
    if declared.auto:
        return _automatic(link, declared, params)
    assert declared.inertial is not None
    method = Method.DECLARED if declared.is_stated else Method.ASSUMED
    value = LinkInertial(link.name, declared.inertial, method)
    return EffectiveInertial(replace(link, declared=declared), value)


def declared_inertial(link: Link) -> LinkInertial | None:
    """Wrap what a link declares; None when it is incomplete or absent."""
    if link.declared is None or not link.declared.is_stated:
        return None
    return LinkInertial(link.name, link.inertial, Method.DECLARED)


def _automatic(link: Link, declared: DeclaredInertial, params: AutoInertiaParams) -> EffectiveInertial:
    """Integrate the collisions of a link, and never its visuals, at the mass that the file gives or their densities."""
    wish = None if "mass" in declared.defaulted else declared.mass
    if not link.collisions:
        default = Inertial(DEFAULT_MASS if wish is None else wish, inertia=np.eye(3))
        remedy = "add one, or let fix take the visuals" if link.visuals else "add one"
        message = f"auto is true without a collision, so the link has {default.mass:g} kg and the identity; {remedy}"
        failed = _finding(link, declared, Severity.ERROR, NO_COLLISION, message)
        return _outcome(link, declared, LinkInertial(link.name, default, Method.ASSUMED), (failed,))
    computed = compute_link(replace(link, visuals=()), density=WATER, params=params)
    result = _at_mass(computed, wish)
    is_sound = wish is None or (wish > 0.0 and are_usable(wish))  # of another one the mass is all that is said
    remarks = _remarks(link, declared, result.inertial, params) if is_sound else ()
    findings = (*remarks, *computed.notes)
    lost = next((note for note in computed.notes if note.code == MISSING_MESH), None)
    if lost is not None:
        message = f"auto is true and a collision is lost to it: {lost.message}"
        findings = (replace(lost, severity=Severity.ERROR, code=INCOMPLETE, message=message), *findings)
    if computed.inertial is None:
        what = "no collision has a mass that could be integrated" if lost is None else "no collision could be read"
        message = f"auto is true and {what}; the tensor is zero"
        failed = _finding(link, declared, Severity.ERROR, NO_MASS, message)
        value = LinkInertial(link.name, Inertial(wish if wish is not None else 0.0), Method.NONE)
        return _outcome(link, declared, value, (failed, *findings))
    return _outcome(link, declared, result, findings)


def _at_mass(computed: LinkInertial, mass: float | None) -> LinkInertial:
    """Scale what was computed to the mass that a file gives, sound or not; the checks judge it."""
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
    """Put a value in the place of the declaration; added mass stays. Of a static link nothing matters."""
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
        message = f"the model is static, so its automatic {inertial.mass:g} kg are for information only"
        findings = (_finding(link, declared, Severity.INFO, STATIC, message),)
    return EffectiveInertial(replace(link, declared=in_force), value, findings)


def _remarks(
    link: Link, declared: DeclaredInertial, result: Inertial | None, params: AutoInertiaParams
) -> tuple[Finding, ...]:
    """Say what of the file is ignored and is not what was found, and what it leaves to the default density."""
    found = []
    stated = [name for name in ("pose", *TENSOR) if name not in declared.defaulted]
    if stated and not _repeats(declared, result):
        named = "pose" if stated == ["pose"] else "tensor" if "pose" not in stated else "pose and tensor"
        message = f"auto is true, so the {named} given besides is ignored; remove it, or set auto to false"
        found.append(_finding(link, declared, Severity.WARNING, "auto-overrides", message))
    unknown = [s for s in link.collisions if s.density is None and counts(s, WATER, params)]
    if unknown:
        names = ", ".join(repr(shape.name) for shape in unknown)
        message = f"no density is stated for {names}; {WATER:g} kg/m^3 was taken, give one"
        found.append(_finding(link, declared, Severity.WARNING, "default-density", message))
    return tuple(found)


def _repeats(declared: DeclaredInertial, result: Inertial | None) -> bool:
    """Tell whether what a file states beside `auto` is what was found, as when it was saved there."""
    stated = declared.inertial
    if result is None or stated is None or not stated.is_finite():
        return False
    has_tensor = not set(TENSOR) <= set(declared.defaulted)
    com = result.com if "pose" in declared.defaulted else stated.com
    return Inertial(result.mass, com, stated.inertia if has_tensor else result.inertia).isclose(result, REPEATED)


REPEATED = 1e-9
"""Relative difference of numbers that were written and read again."""

TENSOR = ("ixx", "ixy", "ixz", "iyy", "iyz", "izz")


def _finding(link: Link, declared: DeclaredInertial, severity: Severity, code: str, message: str) -> Finding:
    return Finding.at(severity, code, link.name, message, declared.place)


def has_usable_mass(value: LinkInertial | None) -> bool:
    """Tell whether a value can be added to others: it is finite and has a mass."""
    inertial = None if value is None else value.inertial
    return inertial is not None and inertial.is_finite() and inertial.mass > 0.0 and are_usable(inertial.mass)
