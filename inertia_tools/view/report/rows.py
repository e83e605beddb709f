# SPDX-FileCopyrightText: The inertia_tools authors
# SPDX-License-Identifier: Apache-2.0
"""Rows of the page's tables, as text."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from inertia_tools.inertia.causes import Cause
from inertia_tools.inertia.correction import Correction
from inertia_tools.inertia.explanations import EXPLANATIONS
from inertia_tools.inertia.finding import Finding, Severity
from inertia_tools.inertia.number_text import Numbers, numbers_of, stated_numbers
from inertia_tools.inertia.report import LinkReport, Report
from inertia_tools.inertial import Inertial
from inertia_tools.spatial import Array
from inertia_tools.view.report.scene import RobotScene, inertial_after, inertial_before

NOTHING = "-"
NOISE = 1e-9
"""Numbers below this ratio of a link's size are rounding errors of its integral."""


@dataclass(frozen=True)
class Tile:
    """One number at the top: its label, the number, its former value if it changed, and a remark.

    Attributes:
        tone: Its colour: "", "good" or "bad".
    """

    title: str
    value: str
    before: str = ""
    remark: str = ""
    tone: str = ""


@dataclass(frozen=True)
class FindingRow:
    """One finding.

    Attributes:
        severity: Its severity, in a word.
        code: Its code.
        link: The link; empty for the whole document.
        message: Its message.
        place: File and line.
        remedy: Its remedy.
        state: "corrected" if the correction removes it, "new" if it exists only after the correction, else "".
        explained_by: Code of the finding about its cause; empty if there is none.
    """

    severity: str
    code: str
    link: str
    message: str
    place: str
    remedy: str
    state: str
    explained_by: str


@dataclass(frozen=True)
class LinkRow:
    """One link.

    Attributes:
        name: Its name.
        severity: Its worst finding's severity, in a word; "ok" without any above info.
        is_changed: Whether the correction changed it.
        reason: Reason of the change, and source of the values.
        before, after: Mass [kg] with centre of mass [m], and tensor [kg m^2], in link axes.
        solid: The same for its geometry with uniform density, at the mass after.
        moments_before, moments_after: Principal moments [kg m^2].
        mass_before, mass_after: Masses for sorting [kg]; -1 for none.
    """

    name: str
    severity: str
    is_changed: bool
    reason: str
    before: Numbers
    after: Numbers
    solid: Numbers
    moments_before: tuple[str, ...]
    moments_after: tuple[str, ...]
    mass_before: float
    mass_after: float


def tiles(correction: Correction, scene: RobotScene) -> Iterator[Tile]:
    """Yield the numbers at the top."""
    before, after = correction.report, correction.after
    masses = [f"{report.total_mass:.4g}" for report in (before, after)]
    yield Tile("Total mass", f"{masses[1]} kg", _if_other(f"{masses[0]} kg", f"{masses[1]} kg"))
    for severity, title in ((Severity.ERROR, "Errors"), (Severity.WARNING, "Warnings")):
        counts = [before.count(severity), after.count(severity)]
        tone = ("bad" if severity is Severity.ERROR else "") if counts[1] else "good"
        yield Tile(title, str(counts[1]), _if_other(str(counts[0]), str(counts[1])), tone=tone)
    changed = sum(entry.changed for entry in before.links)
    yield Tile("Links corrected", str(changed), remark=f"of {before.link_count}")
    heights = [_height(report, scene) for report in (before, after)]
    if heights[1]:
        yield Tile("Centre of mass", heights[1], _if_other(heights[0], heights[1]), remark="above the ground")
    if scene.margin is not None:
        yield _stability(scene.margin)


def _stability(margin: float) -> Tile:
    where = "inside" if margin >= 0.0 else "outside"
    return Tile(
        "Stands by", f"{1e3 * abs(margin):.0f} mm", remark=f"{where} its support", tone="good" if margin >= 0 else "bad"
    )


def _height(report: Report, scene: RobotScene) -> str:
    """Return the height of the centre of mass above the ground, in words; empty without a ground."""
    if scene.support is None or report.totals is None:
        return ""
    centre = report.robot.pose_world_document.transform_points(report.totals.inertial.com)
    return f"{float(centre[2]) - scene.support.height:.3f} m"


def _if_other(before: str, after: str) -> str:
    return before if before != after else ""


def finding_rows(correction: Correction) -> Iterator[FindingRow]:
    """Yield the findings before the correction, most severe first, then new ones after it."""
    before, after = (
        {(finding.link, finding.code) for finding in report.findings}
        for report in (correction.report, correction.after)
    )
    for finding in correction.report.findings:
        is_corrected = finding.link in correction.changes and (finding.link, finding.code) not in after
        yield _finding_row(finding, correction, "corrected" if is_corrected else "")
    for finding in correction.after.findings:
        if (finding.link, finding.code) not in before:
            yield _finding_row(finding, correction, "new")


def _finding_row(finding: Finding, correction: Correction, state: str) -> FindingRow:
    file = Path(finding.file).name
    return FindingRow(
        severity=finding.severity.label,
        code=finding.code,
        link=finding.link,
        message=finding.message,
        place=f"{file}:{finding.line}" if finding.line else file,
        remedy=_remedy(finding, correction, state),
        state=state,
        explained_by=finding.explained_by,
    )


def _remedy(finding: Finding, correction: Correction, state: str) -> str:
    """Return the remedy of a finding: the change made, else the one for its proven cause, else a possible one."""
    if state == "corrected":
        return correction.changes[finding.link].reason
    cause = correction.report[finding.link].proven_cause if finding.link else None
    if cause is not None and _explains(cause, finding):
        return f"{cause.change} (fix --apply {cause.code})"
    explanation = EXPLANATIONS.get(finding.code)
    return "" if explanation is None else explanation.repair


def _explains(cause: Cause, finding: Finding) -> bool:
    return cause.code in (finding.code, finding.explained_by)


def link_rows(correction: Correction) -> Iterator[LinkRow]:
    """Yield the links in the order of the file."""
    for entry in correction.report.links:
        before, after = inertial_before(entry), inertial_after(entry)
        declared = correction.robot.links[entry.link].declared
        repair = correction.changes.get(entry.link)
        worst = entry.worst
        yield LinkRow(
            name=entry.link,
            severity=worst.label if worst is not None and worst > Severity.INFO else "ok",
            is_changed=entry.changed,
            reason="" if repair is None else repair.reason,
            before=stated_numbers(declared) if before is None else numbers_of(before),
            after=numbers_of(after),
            solid=numbers_of(_even_solid(entry, after)),
            moments_before=_moments(before),
            moments_after=_moments(after),
            mass_before=-1.0 if before is None else before.mass,
            mass_after=-1.0 if after is None else after.mass,
        )


def _even_solid(entry: LinkReport, after: Inertial | None) -> Inertial | None:
    """Return the inertial of a link's geometry at the link's mass; None without either."""
    computed = None if entry.computed is None else entry.computed.inertial
    if computed is None or after is None or not (computed.mass > 0.0 and after.mass > 0.0):
        return None
    even = computed.scaled_to_mass(after.mass)
    size = float(np.sqrt(np.abs(even.inertia).max() / even.mass))
    return Inertial(even.mass, _cleaned(even.com, size), _cleaned(even.inertia, even.mass * size**2))


def _cleaned(values: Array, size: float) -> Array:
    """Return numbers with rounding errors relative to a size set to zero."""
    return np.where(np.abs(values) < NOISE * size, 0.0, values)


def _moments(inertial: Inertial | None) -> tuple[str, ...]:
    if inertial is None or not inertial.is_finite():
        return (NOTHING,) * 3
    return tuple(f"{moment:.4g}" for moment in inertial.principal_moments)
