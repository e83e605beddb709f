# SPDX-FileCopyrightText: The inertia_tools authors
# SPDX-License-Identifier: Apache-2.0
"""Inertials that make a robot unstable, from the findings of `check`, with the corrections of `fix`."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import replace

import numpy as np

from inertia_tools.description.source import Place
from inertia_tools.description.types import Description
from inertia_tools.diagnosis.reason import FIND_MESHES, Reason, reason_at, score_beyond
from inertia_tools.inertia.checks.density import DensityRange
from inertia_tools.inertia.checks.kin import MASS_RATIO, MassesAcross, carriers, masses_across_joints
from inertia_tools.inertia.checks.units import MILLIMETRE, USUAL_DENSITY
from inertia_tools.inertia.checks.view import LinkView
from inertia_tools.inertia.compute import HUGE, UNITS
from inertia_tools.inertia.correction import Correction
from inertia_tools.inertia.finding import Finding, Severity
from inertia_tools.inertia.repair import inertial_faults
from inertia_tools.inertia.report import STATED, LinkReport, Report

WRONG_DENSITY = frozenset({"density-low", "density-high"})
"""Warnings about masses that are too small or too large for the geometry."""

WRONG_SIZE = WRONG_DENSITY | {
    "undersized-inertia",
    "oversized-inertia",
    "exceeds-geometry",
    "placeholder-inertia",
    "unit-suspect",
}
"""Warnings about masses or tensors that are too small or too large for the geometry, whatever their cause."""

MASS_RATIO_CODE = "mass-ratio"
"""Warning about masses across a joint."""

WRONG_MESH_UNIT = "wrong-mesh-unit"
"""Cause of numbers that disagree with geometry in another unit."""

WIDER = "fix --scope implausible"
"""Command that corrects implausible numbers, too."""

OFF_BALANCE = "com-outside-geometry"
"""Warning about links that may tip the robot over."""

HEAVY = 0.1
"""Share of the robot's mass above which an off-balance link tips the robot over.

A centre of mass farther outside the geometry than that is long counts in proportion.
"""

SMALL = 0.01
"""Ratio to the geometry's moments below which a tensor is far too small."""

LARGE = 100.0
"""Ratio to the geometry's moments above which a tensor is far too large."""

MERGED = 0.5
"""Score of an impossible inertial that is sound together with the links on fixed joints, if those are merged."""


def inertial_reasons(
    report: Report, correction: Correction, wider: Correction, *, is_refused: bool
) -> Iterator[Reason]:
    """Turn findings that affect stability into reasons.

    Args:
        report: The findings of `check`.
        correction: The correction of `fix`.
        wider: The correction of `fix --scope implausible`.
        is_refused: The robot cannot be simulated as it is; otherwise all moving groups are possible as a whole.
    """
    unequal = _unequal_masses(report, wider)
    yield from unequal.values()
    masses = _masses(report)
    weightless = _weightless(report.robot, masses)
    for entry in report.links:
        found = _by_code(entry)
        errors = _errors(entry)
        is_moved = report.robot.is_moved(entry.link) or entry.link in report.robot.roots
        if errors:  # one link, one story: all of it is corrected together
            severity, score = _of_error(is_moved, is_refused=is_refused, is_weightless=entry.link in weightless)
            yield _made(_told(found, errors[-1]), severity, score, _fixed(correction, entry.link, "fix"))
            continue
        remedy = _fixed(wider, entry.link, WIDER)
        if OFF_BALANCE in found:
            yield _off_balance(report.robot, entry, found, masses, remedy)
        if is_moved and entry.link not in unequal:
            yield from _of_wrong_numbers(entry, found, remedy)


def _by_code(entry: LinkReport) -> dict[str, Finding]:
    """Return the first finding of each code about a link."""
    return {one.code: one for one in reversed(entry.findings) if one.link}


def _errors(entry: LinkReport) -> list[Finding]:
    """Return the findings for which the inertial of a link is impossible."""
    faults = inertial_faults(_by_code(entry).values(), entry.effective)
    return [one for one in faults if one.severity is Severity.ERROR]


def _of_error(is_moved: bool, *, is_refused: bool, is_weightless: bool) -> tuple[Severity, float]:
    """Return severity and score of an impossible inertial."""
    if is_moved and is_refused:
        return Severity.ERROR, 1.0
    return (Severity.WARNING, 1.0) if is_moved and is_weightless else (Severity.INFO, MERGED)


def _weightless(robot: Description, masses: Mapping[str, float]) -> set[str]:
    """Return the links that have no mass together with those on fixed joints: each simulator assumes another one."""
    carrier = carriers(robot)
    heavy = {carrier[name] for name, mass in masses.items() if mass > 0.0 and name in carrier}
    return {name for name, carries in carrier.items() if carries not in heavy}


def _off_balance(
    robot: Description, entry: LinkReport, found: Mapping[str, Finding], masses: Mapping[str, float], remedy: str
) -> Reason:
    """Report a centre of mass outside the geometry, by the part of the robot's balance that depends on it."""
    share = masses[entry.link] / (sum(masses.values()) or 1.0) * max(_distance_outside(robot, entry), 1.0)
    severity = Severity.WARNING if share >= HEAVY else Severity.INFO
    return _made(_told(found, found[OFF_BALANCE]), severity, share / (1.0 + share), remedy, value=share, bound=HEAVY)


def _distance_outside(robot: Description, entry: LinkReport) -> float:
    """Return the distance of a link's centre of mass from the box around its geometry, over the box's longest side."""
    view = LinkView(robot, robot.links[entry.link])
    stated = None if entry.effective is None else entry.effective.inertial
    if stated is None or view.box is None:
        return 0.0
    low, high = view.box
    outside = float(np.maximum(low - stated.com, stated.com - high).max())
    longest = float((high - low).max())
    return outside / longest if longest > 0.0 else 0.0


def _of_wrong_numbers(entry: LinkReport, found: Mapping[str, Finding], remedy: str) -> Iterator[Reason]:
    """Report the geometry, tensor or mass of a moving link, whichever is wrong first."""
    if _has_huge_geometry(entry, found):
        yield _of_huge_geometry(entry, found)
    elif found.keys() & WRONG_SIZE:
        of_tensor = list(_of_wrong_size(entry, found, remedy))
        yield from of_tensor or _of_wrong_density(entry, found, remedy)


def _has_huge_geometry(entry: LinkReport, found: Mapping[str, Finding]) -> bool:
    """Return whether the geometry of a link is in a smaller unit than the format's, rather than its inertial."""
    if entry.proven_cause is not None:
        return entry.proven_cause.code == WRONG_MESH_UNIT
    value, density = entry.effective, _density(entry)
    if UNITS not in found or value is None or value.inertial is None:
        return False
    if value.method not in STATED:
        return value.inertial.mass >= HUGE
    return density is not None and USUAL_DENSITY[0] <= density / MILLIMETRE**3 <= USUAL_DENSITY[1]


def _of_huge_geometry(entry: LinkReport, found: Mapping[str, Finding]) -> Reason:
    """Report a link whose geometry is in a smaller unit than the format's."""
    assert entry.effective is not None and entry.effective.inertial is not None
    head = found.get(UNITS) or next(iter(found.values()))
    if entry.effective.method in STATED:
        value, bound = _density(entry) or 0.0, DensityRange().low
        score = score_beyond(bound, value)
    else:
        value, bound = entry.effective.inertial.mass, HUGE
        score = score_beyond(value, bound)
    cause = entry.proven_cause
    remedy = f"scale the geometry of {entry.link!r} by 0.001 if it is in millimetres" if cause is None else cause.change
    made = _made(_told(found, head), Severity.WARNING, score, remedy, value=value, bound=bound)
    return replace(made, code=UNITS)


def _of_wrong_density(entry: LinkReport, found: Mapping[str, Finding], remedy: str) -> Iterator[Reason]:
    """Report a moving link whose mass no material has in its size."""
    density, allowed = _density(entry), DensityRange()
    for code in found.keys() & WRONG_DENSITY if density else ():
        assert density is not None
        bound, is_low = (allowed.low, True) if code == "density-low" else (allowed.high, False)
        score = score_beyond(bound, density) if is_low else score_beyond(density, bound)
        story = _told(found, found.get(UNITS, found[code]))
        yield replace(_made(story, Severity.WARNING, score, remedy, value=density, bound=bound), code=code)


def _density(entry: LinkReport) -> float | None:
    """Return the mass in force of a link over the volume of its geometry [kg/m^3]; None if one is unknown."""
    stated = None if entry.effective is None else entry.effective.inertial
    volume = None if entry.computed is None else entry.computed.volume
    return stated.mass / volume if stated is not None and volume else None


def _of_wrong_size(entry: LinkReport, found: Mapping[str, Finding], remedy: str) -> Iterator[Reason]:
    """Report a moving link's tensor that is far from that of its geometry."""
    head = next(one for code, one in found.items() if code in WRONG_SIZE)
    ratio = _size_ratio(entry)
    if ratio is None or SMALL <= ratio <= LARGE:
        return
    story = _told(found, head)
    message = f"its tensor is {ratio:.3g} times what its geometry gives: {story.message}"
    if ratio < SMALL:
        made = _made(story, Severity.WARNING, score_beyond(SMALL, ratio), remedy, value=ratio, bound=SMALL)
        yield replace(made, code="tiny-inertia", message=message)
    else:
        made = _made(story, Severity.INFO, score_beyond(ratio, LARGE), remedy, value=ratio, bound=LARGE)
        yield replace(made, code="huge-inertia", message=message)


def _unequal_masses(report: Report, wider: Correction) -> dict[str, Reason]:
    """Return the largest mass ratio across a joint at each link that it is due to, by the name of that link.

    That is the link of an implausible density on one of the two sides, else the lighter one.
    """
    found = {entry.link: _by_code(entry) for entry in report.links}
    carrier = carriers(report.robot)
    doubted = {carrier[name]: name for name in found if found[name].keys() & WRONG_DENSITY and name in carrier}
    worst: dict[str, Reason] = {}
    largest = _largest_ratios(report)
    for name, codes in found.items():
        if MASS_RATIO_CODE not in codes or _errors(report[name]):
            continue
        across = largest.get(name)
        sides = () if across is None else (across.heavier, across.lighter)
        due = next((doubted[side] for side in sides if side in doubted), name)
        made = _unequal(codes[MASS_RATIO_CODE], None if across is None else across.ratio)
        if due != name or found[due].keys() & WRONG_DENSITY:
            made = _due_to(made, found[due], _fixed(wider, due, WIDER))
        if due not in worst or made.score > worst[due].score:
            worst[due] = made
    return worst


def _unequal(finding: Finding, ratio: float | None) -> Reason:
    """Report masses across a joint; the ratio is unknown if it is that without the impossible links."""
    remedy = f"give {finding.link!r} its real mass, or merge it into its neighbour by a fixed joint"
    score = 0.0 if ratio is None else score_beyond(ratio, MASS_RATIO)
    return _made(finding, Severity.WARNING, score, remedy, value=ratio, bound=MASS_RATIO)


def _due_to(reason: Reason, found: Mapping[str, Finding], remedy: str) -> Reason:
    """Report a mass ratio at the link whose mass is implausible."""
    head = _told(found, next(found[code] for code in sorted(found.keys() & WRONG_DENSITY)))
    made = _made(head, reason.severity, reason.score, remedy, value=reason.value, bound=reason.bound)
    return replace(made, code=reason.code, message=f"{reason.message}: {head.message}")


def _told(found: Mapping[str, Finding], finding: Finding) -> Finding:
    """Return a finding with the message of the one that names its cause, if there is one."""
    cause = found.get(finding.explained_by)
    return finding if cause is None else replace(finding, message=cause.message)


def _made(
    finding: Finding,
    severity: Severity,
    score: float,
    remedy: str,
    *,
    value: float | None = None,
    bound: float | None = None,
) -> Reason:
    """Make a reason from a finding."""
    return reason_at(
        Place(finding.file, finding.line),
        severity,
        finding.code,
        finding.message,
        remedy,
        score=score,
        link=finding.link,
        value=value,
        bound=bound,
    )


def _fixed(correction: Correction, link: str, command: str) -> str:
    """Return the effect of a correction on a link, or how to supply the unknown values."""
    change = correction.changes.get(link)
    if change is None and any(shape.missing_mesh is not None for shape in correction.robot.links[link].shapes):
        return f"{FIND_MESHES}, and run {command}"
    if change is None and any(one.code == UNITS for one in correction.report[link].findings):
        return f"if so, inertia-tools fix --links {link} --convert-units with these units, such as g,m"
    if change is None:
        return f"measure or compute it, and state it by {command} --link-mass {link}=KG"
    return f"inertia-tools {command}: {change.reason}"


def _size_ratio(entry: LinkReport) -> float | None:
    """Return the trace of a link's tensor over that of its geometry; None if one is unknown.

    Geometry is taken at the link's mass and at the density of water, as the mass may be wrong too: the smaller counts.
    """
    stated = None if entry.effective is None else entry.effective.inertial
    shaped = None if entry.computed is None else entry.computed.inertial
    if stated is None or shaped is None or not (stated.mass > 0.0 and shaped.mass > 0.0):
        return None
    whole = float(shaped.inertia.trace())
    if not whole > 0.0:
        return None
    by_mass = float(stated.inertia.trace()) / (whole * stated.mass / shaped.mass)
    return max(min(by_mass, float(stated.inertia.trace()) / whole), 0.0)


def _largest_ratios(report: Report) -> dict[str, MassesAcross]:
    """Return, for each link, the largest ratio of masses across a joint on whose lighter side it is."""
    found: dict[str, MassesAcross] = {}
    for across in masses_across_joints(report.robot, _masses(report)):
        if across.lighter not in found or across.ratio > found[across.lighter].ratio:
            found[across.lighter] = across
    return found


def _masses(report: Report) -> dict[str, float]:
    """Return the mass in force of each link under the rules of its format [kg]; zero if unknown."""
    found = {}
    for entry in report.links:
        inertial = None if entry.effective is None else entry.effective.inertial
        found[entry.link] = inertial.mass if inertial is not None and inertial.mass > 0.0 else 0.0
    return found
