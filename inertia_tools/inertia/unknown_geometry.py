# SPDX-FileCopyrightText: The inertia_tools authors
# SPDX-License-Identifier: Apache-2.0
"""Links with a missing mesh: their geometry is unknown, so a correction that would depend on it is not made."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import replace

from inertia_tools.description.types import Description, Link
from inertia_tools.errors import WriteError
from inertia_tools.inertia.finding import Finding, Severity, most_severe_first
from inertia_tools.inertia.link_inertial import MISSING_MESH, LinkInertial
from inertia_tools.inertia.mass_model import MassModel
from inertia_tools.inertia.report import Report

UNKNOWN = "geometry-unknown"


def finding_of(link: Link, computed: LinkInertial, masses: MassModel) -> Finding:
    """Return the error that a link is not corrected, with the missing mesh."""
    lost = next(note for note in computed.notes if note.code == MISSING_MESH)
    given = [
        what for what, values in (("density", masses.link_density), ("mass", masses.link_mass)) if link.name in values
    ]
    done = f"the {given[0]} given for it is not applied" if given else "it is not corrected"
    message = f"{done}, as its geometry is unknown: {lost.message}"
    place = link.place if link.declared is None else link.declared.place
    return Finding.at(Severity.ERROR, UNKNOWN, link.name, message, place)


def refuse_total(robot: Description, computed: Mapping[str, LinkInertial], masses: MassModel) -> None:
    """Refuse a total mass for a robot with an unknown automatic mass.

    Raises:
        WriteError: The robot has such a link.
    """
    if masses.is_balanced:
        return
    for name, value in computed.items():
        declared = robot.links[name].declared
        if declared is not None and declared.auto and value.lacks_mesh and not robot.links[name].is_static:
            lost = next(note for note in value.notes if note.code == MISSING_MESH)
            raise WriteError(
                f"{lost.file}: the total mass cannot be reached, as the mass of {name!r} is unknown: {lost.message}"
            )


def with_findings(report: Report, findings: Iterable[Finding]) -> Report:
    """Add findings to the entries of their links."""
    new = {finding.link: finding for finding in findings}
    links = tuple(
        replace(entry, findings=most_severe_first([*entry.findings, new[entry.link]])) if entry.link in new else entry
        for entry in report.links
    )
    return replace(report, links=links) if new else report
