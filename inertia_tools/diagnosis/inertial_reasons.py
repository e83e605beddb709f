# SPDX-FileCopyrightText: The inertia_tools authors
# SPDX-License-Identifier: Apache-2.0
"""Inertials that make a robot unstable, from the findings of `check`, with the corrections of `fix`."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import replace

from inertia_tools.description.source import Place
from inertia_tools.diagnosis.reason import FIND_MESHES, Reason, reason_at, score_beyond
from inertia_tools.inertia.checks.kin import MASS_RATIO, masses_across_joints
from inertia_tools.inertia.compute import HUGE, UNITS
from inertia_tools.inertia.correction import Correction
from inertia_tools.inertia.finding import Finding, Severity
from inertia_tools.inertia.repair import inertial_faults
from inertia_tools.inertia.report import STATED, LinkReport, Report

WRONG_SIZE = frozenset(
    {"undersized-inertia", "oversized-inertia", "exceeds-geometry", "placeholder-inertia", "density-low"}
    | {"density-high", "unit-suspect"}
)
"""Warnings about tensors that are too small or too large for the geometry, whatever their cause."""

OFF_BALANCE = "com-outside-geometry"
"""Warning about links that may tip the robot over."""

HEAVY = 0.1
"""Share of the robot's mass above which an off-balance link tips the robot over."""

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
    ratios, masses = _ratios(report), _masses(report)
    total = sum(masses.values()) or 1.0
    for entry in report.links:
        found = {one.code: one for one in reversed(entry.findings) if one.link}
        faults = inertial_faults(found.values(), entry.effective)
        errors = [one for one in faults if one.severity is Severity.ERROR]
        is_moved = report.robot.is_moved(entry.link) or entry.link in report.robot.roots
        if errors:  # one link, one story: all of it is corrected together
            is_cause = is_moved and is_refused
            severity, score = (Severity.ERROR, 1.0) if is_cause else (Severity.INFO, MERGED)
            yield _made(_told(found, errors[-1]), severity, score, _fixed(correction, entry.link, "fix"))
            continue
        if "mass-ratio" in found:
            yield _unequal(found["mass-ratio"], ratios.get(entry.link))
        remedy = _fixed(wider, entry.link, "fix --scope implausible")
        if OFF_BALANCE in found:
            share = masses[entry.link] / total
            severity = Severity.WARNING if share >= HEAVY else Severity.INFO
            yield _made(_told(found, found[OFF_BALANCE]), severity, share, remedy, value=share, bound=HEAVY)
        if is_moved and UNITS in found and _is_huge(entry):
            yield _of_huge_geometry(entry, found[UNITS])
        elif is_moved and found.keys() & WRONG_SIZE:
            yield from _of_wrong_size(entry, found, remedy)


def _is_huge(entry: LinkReport) -> bool:
    """Return whether a link has an implausible mass because its geometry does."""
    value = entry.effective
    return (
        value is not None and value.method not in STATED and value.inertial is not None and value.inertial.mass >= HUGE
    )


def _of_huge_geometry(entry: LinkReport, finding: Finding) -> Reason:
    """Report a link whose geometry is in a smaller unit than the format's."""
    assert entry.effective is not None and entry.effective.inertial is not None
    mass = entry.effective.inertial.mass
    remedy = f"scale the geometry of {entry.link!r} by 0.001 if it is in millimetres"
    return _made(finding, Severity.WARNING, score_beyond(mass, HUGE), remedy, value=mass, bound=HUGE)


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


def _unequal(finding: Finding, ratio: float | None) -> Reason:
    """Report masses across a joint; the ratio is unknown if it is that without the impossible links."""
    remedy = f"give {finding.link!r} its real mass, or merge it into its neighbour by a fixed joint"
    score = 0.0 if ratio is None else score_beyond(ratio, MASS_RATIO)
    return _made(finding, Severity.WARNING, score, remedy, value=ratio, bound=MASS_RATIO)


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


def _ratios(report: Report) -> dict[str, float]:
    """Return, for each link, the largest ratio of masses across a joint on whose lighter side it is."""
    found: dict[str, float] = {}
    for across in masses_across_joints(report.robot, _masses(report)):
        found[across.lighter] = max(found.get(across.lighter, 0.0), across.ratio)
    return found


def _masses(report: Report) -> dict[str, float]:
    """Return the mass in force of each link under the rules of its format [kg]; zero if unknown."""
    found = {}
    for entry in report.links:
        inertial = None if entry.effective is None else entry.effective.inertial
        found[entry.link] = inertial.mass if inertial is not None and inertial.mass > 0.0 else 0.0
    return found
