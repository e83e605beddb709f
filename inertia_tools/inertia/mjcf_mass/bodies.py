# SPDX-FileCopyrightText: The inertia_tools authors
# SPDX-License-Identifier: Apache-2.0
"""Mass properties of bodies by the rules of MuJoCo's compiler, in the order in which it applies them.

From `<inertial>` or from geoms; then the least mass and moments; then the balance of the moments; then the total mass.
Faults of all bodies are found in one pass, whereas MuJoCo stops at the first.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace

import numpy as np

from inertia_tools.description.mjcf_bodies import REFUSES, Compiler, MjcfBodies
from inertia_tools.description.types import WORLD, DeclaredInertial, Description, JointType, Link
from inertia_tools.inertia.finding import Finding, Severity
from inertia_tools.inertia.link_inertial import LinkInertial
from inertia_tools.inertia.method import Method
from inertia_tools.inertia.mjcf_mass.geoms import geom_faults, geom_inertial
from inertia_tools.inertial import Inertial, rotate_tensor
from inertia_tools.spatial import Array, Pose, are_usable
from inertia_tools.wording import listed

LEAST = 1e-15
"""Mass [kg] and moments [kg m^2] under which MuJoCo refuses a movable body."""

TRIANGLE_SLACK = 1e-14
"""Excess over the triangle inequality [kg m^2] that MuJoCo accepts."""

WELDED = "massless-frame"
"""Code of bodies that need no mass: nothing moves them, or bodies welded to them have it."""

POINT = "welded-point-mass"
"""Code of fixed bodies with a mass and no tensor."""

SETTLED = frozenset({WELDED, POINT})
"""Findings after which an inertial needs no further check."""


@dataclass(frozen=True, eq=False)
class MjcfInertial:
    """The mass properties of one body.

    Attributes:
        before_total: The declaration in force before the total mass is set; None without mass.
        value: The final mass properties; None without mass.
        findings: Reasons for which MuJoCo refuses it, and other remarks.
        is_of_geoms: Mass and tensor are those of its geoms: neither an `<inertial>` nor a bound of the compiler is in
            force.
        bounds: Settings of the compiler that change mass or tensor, as they are written.
    """

    before_total: DeclaredInertial | None
    value: LinkInertial | None
    findings: tuple[Finding, ...] = ()
    is_of_geoms: bool = False
    bounds: tuple[str, ...] = ()


def mjcf_inertials(robot: Description) -> Mapping[str, MjcfInertial]:
    """Compute the mass properties of every body of an MJCF document, in the axes that the file gives it."""
    rules = robot.mjcf
    assert rules is not None
    found = {name: _compile(link, rules) for name, link in robot.links.items() if name != WORLD}
    massive = {name for name, one in found.items() if _has_mass(one)}
    found = {name: _judged(robot, robot.links[name], one, massive) for name, one in found.items()}
    factor = _total_factor(found, rules.compiler.settotalmass)
    whole = {name: one if factor is None else _scaled(one, factor) for name, one in found.items()}
    nothing = MjcfInertial(None, None)
    carried = _carried(robot)
    return {name: _with_faults(name, rules, whole.get(name, nothing), is_moved=name in carried) for name in robot.links}


def _with_faults(body: str, rules: MjcfBodies, one: MjcfInertial, *, is_moved: bool) -> MjcfInertial:
    """Add findings about geoms that contribute no mass."""
    said = {(finding.code, finding.file, finding.path) for finding in one.findings}
    to_box = rules.compiler.fitaabb
    faults = geom_faults(body, rules.geoms[body], is_moved=is_moved, to_bounding_box=to_box)
    new = [fault for fault in faults if (fault.code, fault.file, fault.path) not in said]
    return replace(one, findings=(*one.findings, *new)) if new else one


def _carried(robot: Description) -> set[str]:
    """Return the bodies that a joint moves, directly or through a body to which they are fixed."""
    carried: set[str] = set()
    for body in robot.depth_first:
        joint = robot.parent_joint.get(body)
        if joint is not None and (robot.is_moved(body) or joint.parent in carried):
            carried.add(body)
    return carried


def declared_in_force(link: Link, rules: MjcfBodies) -> DeclaredInertial | None:
    """Return the `<inertial>` of a body; None if there is none, or its geoms override it."""
    comes_from_geoms = rules.compiler_of(link.name).inertiafromgeom == "true"
    return None if comes_from_geoms and _from_geoms(link.name, rules)[0] is not None else link.declared


def _compile(link: Link, rules: MjcfBodies) -> MjcfInertial:
    compiler = rules.compiler_of(link.name)
    findings: list[Finding] = []
    declared, method = link.declared, Method.DECLARED
    if compiler.inertiafromgeom == "true" or (compiler.inertiafromgeom == "auto" and declared is None):
        total, findings = _from_geoms(link.name, rules)
        if total is not None:
            declared = DeclaredInertial(total.mass, Pose(total.com), total.inertia, link.place)
            method = Method.COMPOSITE
        findings += _lost_geoms(link.name, rules)
    if declared is None:
        if findings or not (compiler.boundmass > 0.0 or compiler.boundinertia > 0.0):
            return MjcfInertial(None, None, tuple(findings))
        pose = rules.own_poses[link.name]  # MuJoCo also uses the body's pose in its parent as the inertial frame
        declared, method = DeclaredInertial(0.0, pose, np.zeros((3, 3)), link.place), Method.ASSUMED
    bounded = _bounded(declared, compiler)
    bounds = () if bounded is declared else tuple(_bounds_at_work(declared, bounded, compiler))
    if bounds and method is not Method.ASSUMED:
        findings.append(_bound_finding(link, declared, bounded, bounds))
    is_of_geoms = method is Method.COMPOSITE and bounded is declared
    return replace(_valued(link, bounded, method, findings), is_of_geoms=is_of_geoms, bounds=bounds)


def compiled(inertial: Inertial, compiler: Compiler, link: Link) -> Inertial:
    """Apply the bounds of the compiler to a stated inertial; the same object if they change nothing."""
    stated = DeclaredInertial(inertial.mass, Pose(inertial.com), inertial.inertia, link.place)
    bounded = _bounded(stated, compiler)
    if bounded is stated:
        return inertial
    assert bounded.inertial is not None
    return bounded.inertial


def _valued(link: Link, declared: DeclaredInertial, method: Method, findings: list[Finding]) -> MjcfInertial:
    inertial = declared.inertial
    if inertial is None and declared.mass is not None:
        inertial = Inertial(declared.mass, declared.pose_link_inertial.position)
    is_nothing = inertial is None or inertial.mass < 0.0 or not (inertial.mass or inertial.inertia.any())
    value = None if is_nothing else LinkInertial(link.name, inertial, method)
    return MjcfInertial(declared, value, tuple(findings))


def _from_geoms(body: str, rules: MjcfBodies) -> tuple[Inertial | None, list[Finding]]:
    """Add up the geoms of the selected groups; None if none has a mass."""
    low, high = rules.compiler_of(body).inertiagrouprange
    counted = [geom for geom in rules.geoms[body] if low <= geom.group <= high]
    parts = [geom_inertial(body, geom, rules.compiler.fitaabb) for geom in counted]
    findings = [part for part in parts if isinstance(part, Finding)]
    massive = [part for part in parts if isinstance(part, Inertial)]
    return (Inertial.sum(massive) if massive else None), findings


def _lost_geoms(body: str, rules: MjcfBodies) -> list[Finding]:
    """Report a geom that MuJoCo would remove although it should contribute to the body's mass."""
    if not (rules.compiler.discardvisual and rules.compiler_of(body).inertiafromgeom == "true"):
        return []
    low, high = rules.compiler_of(body).inertiagrouprange
    seen = [geom for geom in rules.geoms[body] if low <= geom.group <= high and not geom.touches]
    lost = [geom for geom in seen if isinstance(geom_inertial(body, geom, rules.compiler.fitaabb), Inertial)]
    message = "discardvisual would remove a geom that contributes mass; MuJoCo refuses the file"
    return [Finding.at(Severity.ERROR, REFUSES, body, message, geom.place) for geom in lost[:1]]


def _bounded(declared: DeclaredInertial, compiler: Compiler) -> DeclaredInertial:
    """Raise mass and moments to their bounds and balance the moments, if that changes anything."""
    mass = declared.mass
    if mass is None or not are_usable(mass):
        return declared
    tensor = np.zeros((3, 3)) if declared.inertia is None and compiler.boundinertia > 0.0 else declared.inertia
    bounded = replace(declared, mass=compiler.boundmass) if mass < compiler.boundmass > 0.0 else declared
    if tensor is None or not are_usable(tensor):
        return bounded
    moments, axes = principal(tensor)
    raised = np.maximum(moments, compiler.boundinertia) if compiler.boundinertia > 0.0 else moments
    if compiler.balanceinertia and triangle_excess(raised) > 0.0:
        raised = np.full(3, raised.mean())
    if np.array_equal(raised, moments):
        return bounded
    return replace(bounded, inertia=rotate_tensor(axes, np.diag(raised)), absent=())


def principal(tensor: Array) -> tuple[Array, Array]:
    """Return principal moments and axes; a diagonal tensor keeps its own axes and their order."""
    if not np.any(tensor - np.diag(np.diag(tensor))):
        return np.diag(tensor).copy(), np.eye(3)
    moments, axes = np.linalg.eigh(tensor)
    return np.asarray(moments), np.asarray(axes)


def triangle_excess(moments: Array) -> float:
    """Return by how much the largest moment exceeds the sum of the others [kg m^2]."""
    return float(2.0 * moments.max() - moments.sum())


def tensor_excess(tensor: Array) -> float:
    """Return `triangle_excess` of the principal moments as MuJoCo tests it [kg m^2]; zero if it is not finite.

    MuJoCo raises negative moments to zero first.
    """
    return triangle_excess(np.maximum(principal(tensor)[0], 0.0)) if are_usable(tensor) else 0.0


def _bounds_at_work(before: DeclaredInertial, after: DeclaredInertial, compiler: Compiler) -> Iterator[str]:
    """Yield the settings that changed values, as they are written."""
    if before.mass != after.mass:
        yield f'boundmass="{compiler.boundmass:g}"'
    if before.inertia is after.inertia:
        return
    moments = np.zeros(3) if before.inertia is None else principal(before.inertia)[0]
    if moments.min() < compiler.boundinertia:
        yield f'boundinertia="{compiler.boundinertia:g}"'
    if compiler.balanceinertia and triangle_excess(np.maximum(moments, compiler.boundinertia)) > 0.0:
        yield 'balanceinertia="true"'


def _bound_finding(link: Link, before: DeclaredInertial, after: DeclaredInertial, bounds: tuple[str, ...]) -> Finding:
    made = [] if before.mass == after.mass else [f"{after.mass:g} kg instead of {before.mass:g} kg"]
    if after.inertia is not None and before.inertia is not after.inertia:
        moments = ", ".join(f"{moment:.4g}" for moment in principal(after.inertia)[0])
        made.append(f"the moments {moments} kg m^2 instead of those of its tensor")
    message = f"it has {' and '.join(made)}, due to {listed(bounds)} of <compiler>"
    return Finding.at(Severity.INFO, "compiler-changed", link.name, message, before.place)


def _has_mass(one: MjcfInertial) -> bool:
    """Return whether MuJoCo would accept the body with a joint of its own."""
    declared = one.before_total
    if declared is None or declared.mass is None or declared.inertia is None or not declared.mass >= LEAST:
        return False
    if not are_usable(declared.inertia):
        return False
    return bool(principal(declared.inertia)[0].min() >= LEAST)


def _judged(robot: Description, link: Link, one: MjcfInertial, massive: set[str]) -> MjcfInertial:
    """Add faults that MuJoCo refuses and the checks of all formats accept, and note bodies that need no mass."""
    if one.findings and one.before_total is None:
        return one
    declared = one.before_total
    found = (
        _against_triangle(link, declared)
        or _harmless(robot, link, declared, massive)
        or _too_light(robot, link, declared, massive)
    )
    return one if found is None else replace(one, findings=(*one.findings, found))


def _harmless(robot: Description, link: Link, declared: DeclaredInertial | None, massive: set[str]) -> Finding | None:
    """Return why a missing mass or tensor of a body does no harm; None if it does, or if nothing is missing."""
    place = link.place if link.declared is None else link.declared.place
    if link.name in massive or (declared is not None and declared.mass is None):
        return None
    if declared is not None and declared.inertia is not None and not are_usable(declared.inertia):
        return None
    if declared is None or declared.mass == 0.0:
        reason = _why_no_mass_is_needed(robot, link, massive)
        message = f"it has no mass; harmless, {reason}"
        return Finding.at(Severity.INFO, WELDED, link.name, message, place) if reason else None
    is_point = declared.inertia is None or not declared.inertia.any()
    if is_point and declared.mass is not None and declared.mass > 0.0:
        reason = _why_no_mass_is_needed(robot, link, massive)
        message = f"it is a point mass of {declared.mass:g} kg; harmless, {reason}"
        return Finding.at(Severity.INFO, POINT, link.name, message, place) if reason else None
    return None


def _too_light(robot: Description, link: Link, declared: DeclaredInertial | None, massive: set[str]) -> Finding | None:
    """Report a movable body whose mass or smallest moment MuJoCo refuses although they are positive."""
    if link.name in massive or declared is None or declared.mass is None or declared.inertia is None:
        return None
    if not (are_usable(declared.mass) and are_usable(declared.inertia)):
        return None
    smallest = float(principal(declared.inertia)[0].min())
    if min(declared.mass, smallest) <= 0.0 or _why_no_mass_is_needed(robot, link, massive):
        return None
    message = (
        f"its mass is {declared.mass:.3g} kg and its smallest moment {smallest:.3g} kg m^2; MuJoCo refuses the file: "
        f"it takes no moving body under {LEAST:g} kg or kg m^2; correct its sizes or its unit, or set boundmass and "
        "boundinertia"
    )
    place = link.place if link.declared is None else link.declared.place
    return Finding.at(Severity.ERROR, REFUSES, link.name, message, place)


def _against_triangle(link: Link, declared: DeclaredInertial | None) -> Finding | None:
    """Report a tensor that MuJoCo refuses for the triangle inequality, which it tests to the last digits."""
    excess = 0.0 if declared is None or declared.inertia is None else tensor_excess(declared.inertia)
    if declared is None or not excess > TRIANGLE_SLACK:
        return None
    message = (
        f"the largest moment exceeds the sum of the other two by {excess:.3g} kg m^2, and MuJoCo refuses the file for "
        "it; run fix, or set balanceinertia"
    )
    place = declared.place
    return Finding.at(Severity.ERROR, REFUSES, link.name, message, place)


def _why_no_mass_is_needed(robot: Description, link: Link, massive: set[str]) -> str:
    """Return the reason; empty if MuJoCo refuses the body."""
    if not robot.is_moved(link.name):
        return "no joint moves it"
    waiting = [link.name]
    while waiting:
        name = waiting.pop()
        if name in massive:
            return f"body {name!r}, which is welded to it, has mass"
        waiting += [joint.child for joint in robot.child_joints[name] if joint.type is JointType.FIXED]
    return ""


def _total_factor(found: Mapping[str, MjcfInertial], wanted: float) -> float | None:
    """Return the factor that scales all bodies to the compiler's total mass; None if there is no such setting."""
    values = [one.value.inertial.mass for one in found.values() if one.value is not None and one.value.inertial]
    total = sum(mass for mass in values if are_usable(mass))
    return wanted / total if wanted > 0.0 and total > 0.0 else None


def _scaled(one: MjcfInertial, factor: float) -> MjcfInertial:
    if one.value is None or one.value.inertial is None:
        return one
    whole = one.value.inertial
    inertial = Inertial(whole.mass * factor, whole.com, whole.inertia * factor)
    return replace(one, value=replace(one.value, inertial=inertial))
