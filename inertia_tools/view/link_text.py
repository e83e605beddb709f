# SPDX-FileCopyrightText: The inertia_tools authors
# SPDX-License-Identifier: Apache-2.0
"""The panel's text about a robot and a link, as HTML in which all text from files is escaped."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from html import escape

from inertia_tools.inertia.correction import Correction
from inertia_tools.inertia.finding import Severity
from inertia_tools.view.report.rows import FindingRow, LinkRow
from inertia_tools.wording import counted

NAMES = ("mass [kg]", "com x [m]", "com y", "com z", "ixx [kg m²]", "ixy", "ixz", "iyy", "iyz", "izz")
CELL = 'style="text-align:right;padding:1px 0 1px 10px;font-variant-numeric:tabular-nums;font-size:12px"'
BOX = 'style="padding:4px 12px;font-size:13px;line-height:1.5"'


def robot_html(correction: Correction, counts: Mapping[Severity, int]) -> str:
    """Return the text about a robot."""
    before, after = correction.report, correction.after
    masses = [f"{report.total_mass:.4g} kg" for report in (before, after)]
    changed = sum(entry.changed for entry in before.links)
    lines = [
        f"<b>{escape(correction.robot.name)}</b>, {counted(before.link_count, 'link')}",
        f"total mass {masses[1]}" + (f" (before: {masses[0]})" if masses[0] != masses[1] else ""),
        f"{counted(counts[Severity.ERROR], 'error')}, {counted(counts[Severity.WARNING], 'warning')}; "
        f"{counted(changed, 'link')} corrected, {counted(after.count(Severity.ERROR), 'error')} left",
        "Click a link, or choose one above.",
    ]
    return f"<div {BOX}>{'<br>'.join(lines)}</div>"


def finding_html(row: FindingRow) -> str:
    """Return the text about a finding."""
    return f"<div {BOX}><b>{escape(row.link or 'robot')}</b>{_said(row)}</div>"


def _said(row: FindingRow) -> str:
    fix = (
        ""
        if not row.remedy
        else f"<br><i>{'corrected' if row.state == 'corrected' else 'fix'}: {escape(row.remedy)}</i>"
    )
    return f"<p><b>{escape(row.severity)} {escape(row.code)}</b><br>{escape(row.message)}{fix}</p>"


def link_html(row: LinkRow, findings: Iterable[FindingRow]) -> str:
    """Return the text about a link: its numbers before and after, and its findings."""
    columns = {"before": [*row.before[0], *row.before[1]], "after": [*row.after[0], *row.after[1]]}
    if not row.is_changed:
        columns = {"declared": columns["after"]}
    columns["even solid"] = [*row.solid[0], *row.solid[1]]
    head = "".join(f"<th {CELL}>{title}</th>" for title in columns)
    lines = "".join(
        f'<tr><td style="font-size:12px;opacity:0.75">{name}</td>'
        + "".join(f"<td {CELL}>{escape(values[index])}</td>" for values in columns.values())
        + "</tr>"
        for index, name in enumerate(NAMES)
    )
    said = "".join(map(_said, findings))
    reason = f"<p>{escape(row.reason)}</p>" if row.reason else ""
    return f"<div {BOX}><b>{escape(row.name)}</b>{reason}<table><tr><th></th>{head}</tr>{lines}</table>{said}</div>"
