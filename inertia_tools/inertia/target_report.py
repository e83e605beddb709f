# SPDX-FileCopyrightText: The inertia_tools authors
# SPDX-License-Identifier: Apache-2.0
"""Adding to a report how the target simulators of a file treat its links."""

from __future__ import annotations

from collections.abc import Sequence

from inertia_tools.inertia.finding import Severity
from inertia_tools.inertia.report import Report
from inertia_tools.inertia.simulators import target_findings
from inertia_tools.inertia.simulators.rules import Simulator
from inertia_tools.inertia.unknown_geometry import with_findings


def with_target_findings(report: Report, targets: Sequence[Simulator]) -> Report:
    """Return the report with an error for each otherwise error-free link that a target does not take as stated."""
    if not targets:
        return report
    sound = {entry.link for entry in report.links if entry.worst is not Severity.ERROR}
    return with_findings(report, [one for one in target_findings(report.robot, targets) if one.link in sound])
