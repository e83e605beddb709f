# SPDX-FileCopyrightText: The inertia_tools authors
# SPDX-License-Identifier: Apache-2.0
"""The state of a model as a diagnostic status."""

from __future__ import annotations

from collections.abc import Mapping

from diagnostic_msgs.msg import DiagnosticArray, DiagnosticStatus, KeyValue
from rclpy.time import Time

from inertia_tools.inertia.correction import Correction
from inertia_tools.inertia.finding import Severity
from inertia_tools.inertia.report import Report

_LEVELS = {
    None: DiagnosticStatus.OK,
    Severity.INFO: DiagnosticStatus.OK,
    Severity.WARNING: DiagnosticStatus.WARN,
    Severity.ERROR: DiagnosticStatus.ERROR,
}


def summary_of(report: Report) -> str:
    """Return one line with the number of checked links and the findings."""
    errors, warnings = report.count(Severity.ERROR), report.count(Severity.WARNING)
    return f"{_counted(report.link_count, 'link')}, {_counted(errors, 'error')}, {_counted(warnings, 'warning')}"


def model_status(
    name: str, correction: Correction | None, refused: str, busy: int = 0, new_busy: int = 0
) -> DiagnosticStatus:
    """Return the status of the model that a node holds.

    Args:
        name: Name of the node.
        correction: Correction of the model; None before the first model.
        refused: Why the last description was refused; empty if it was not.
        busy: Number of requests refused because too many were waiting.
        new_busy: Number of those since the last status.
    """
    if correction is None:
        message = refused or "waiting for a robot description"
        level = DiagnosticStatus.ERROR if refused else DiagnosticStatus.STALE
        return status(name, level, message, {"requests refused as busy": busy})
    report = correction.report
    level = DiagnosticStatus.ERROR if refused else _LEVELS[report.worst]
    message = f"last description refused: {refused}" if refused else summary_of(report)
    if new_busy and level == DiagnosticStatus.OK:
        level, message = DiagnosticStatus.WARN, f"{message}; {new_busy} requests refused as busy"
    values = {
        "robot": report.robot.name,
        "links": report.link_count,
        "requests refused as busy": busy,
        "errors": report.count(Severity.ERROR),
        "warnings": report.count(Severity.WARNING),
        "corrected links": sum(link.changed for link in report.links),
        "errors after correction": correction.after.count(Severity.ERROR),
        "total mass [kg]": f"{report.total_mass:.6g}",
        "total mass after correction [kg]": f"{correction.after.total_mass:.6g}",
    }
    return status(name, level, message, values)


def status(name: str, level: bytes, message: str, values: Mapping[str, object]) -> DiagnosticStatus:
    """Assemble a status from plain values."""
    pairs = [KeyValue(key=key, value=str(value)) for key, value in values.items()]
    return DiagnosticStatus(name=name, level=level, message=message, hardware_id="inertia_tools", values=pairs)


def array_of(entry: DiagnosticStatus, now: Time) -> DiagnosticArray:
    """Wrap one status for the topic /diagnostics."""
    message = DiagnosticArray(status=[entry])
    message.header.stamp = now.to_msg()
    return message


def _counted(number: int, noun: str) -> str:
    return f"{number} {noun}" if number == 1 else f"{number} {noun}s"
