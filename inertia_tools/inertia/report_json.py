# SPDX-FileCopyrightText: The inertia_tools authors
# SPDX-License-Identifier: Apache-2.0
"""Reports as JSON: one stable, versioned schema for check, compute, stats and fix.

Numbers that are not finite become null, since JSON cannot represent them.
"""

from __future__ import annotations

import math
from collections.abc import Iterable
from typing import Any

import numpy as np

from inertia_tools.description.types import DeclaredInertial
from inertia_tools.inertia.causes import Cause
from inertia_tools.inertia.compute import LinkInertial
from inertia_tools.inertia.finding import Finding
from inertia_tools.inertia.method import Method
from inertia_tools.inertia.report import LinkReport, ModelTotals, Report
from inertia_tools.inertial import rotate_tensor, six_of_tensor
from inertia_tools.spatial import Array

SCHEMA = "inertia-tools/report/1"

DIAGONAL = frozenset({"ixx", "iyy", "izz"})
"""Entries without which a tensor is not stated."""


def report_document(files: Iterable[dict[str, Any]]) -> dict[str, Any]:
    """Wrap the entries of files into one document."""
    return {"schema": SCHEMA, "files": list(files)}


def file_entry(file: str, report: Report) -> dict[str, Any]:
    """Render the report of one file."""
    robot = report.robot
    return {
        "file": file,
        "format": robot.format.value,
        "robot": robot.name,
        "error": None,
        "total_mass": _number(report.total_mass),
        "models": [_model(totals) for totals in report.models],
        "findings": [finding_entry(finding) for finding in report.document_findings],
        "causes": [_cause(entry.link, cause) for entry in report.links for cause in entry.causes],
        "links": [_link(entry, robot.links[entry.link].declared) for entry in report.links],
    }


def unreadable_entry(file: str, error: str) -> dict[str, Any]:
    """Render a file that could not be read."""
    return {
        "file": file,
        "format": None,
        "robot": None,
        "error": error,
        "total_mass": None,
        "models": [],
        "findings": [],
        "causes": [],
        "links": [],
    }


def _link(entry: LinkReport, declared: DeclaredInertial | None) -> dict[str, Any]:
    return {
        "link": entry.link,
        "declared": None if declared is None else _declared(declared),
        "effective": _value(entry.effective),
        "computed": _value(entry.computed),
        "corrected": _value(entry.corrected),
        "changed": entry.changed,
        "findings": [finding_entry(finding) for finding in entry.findings],
    }


def _cause(link: str, cause: Cause) -> dict[str, Any]:
    """Render a cause, with the link's inertial after its repair."""
    return {
        "link": link,
        "code": cause.code,
        "proven": cause.is_proven,
        "probability": cause.probability,
        "change": cause.change,
        "evidence": cause.evidence,
        "also": list(cause.also),
        "rival": cause.rival or None,
        "inertial": _value(LinkInertial(link, cause.after, Method.DECLARED)),
    }


def finding_entry(finding: Finding) -> dict[str, Any]:
    """Render one finding."""
    return {
        "code": finding.code,
        "severity": finding.severity.label,
        "message": finding.message,
        "file": finding.file,
        "line": finding.line,
        "path": finding.path or None,
        **({"explained_by": finding.explained_by} if finding.explained_by else {}),
    }


def _declared(declared: DeclaredInertial) -> dict[str, Any]:
    """Render the declared values of a file, even if incomplete."""
    pose = declared.pose_link_inertial
    mass = declared.stated_mass
    tensor = declared.inertia if DIAGONAL.isdisjoint(declared.defaulted) else None
    return {
        "mass": _number(mass),
        "com": numbers_or_null(pose.position),
        "inertia": None if tensor is None else numbers_or_null(six_of_tensor(rotate_tensor(pose.rotation, tensor))),
        "method": Method.DECLARED.label,
        "error_estimate": None,
        "density": None,
        "volume": None,
    }


def _value(value: LinkInertial | None) -> dict[str, Any] | None:
    if value is None or value.inertial is None:
        return None
    return {
        "mass": _number(value.inertial.mass),
        "com": numbers_or_null(value.inertial.com),
        "inertia": numbers_or_null(six_of_tensor(value.inertial.inertia)),
        "method": value.method.label,
        "error_estimate": _number(value.error_estimate),
        "density": _number(value.density),
        "volume": _number(value.volume),
    }


def _model(totals: ModelTotals) -> dict[str, Any]:
    inertial = totals.inertial
    return {
        "name": totals.name,
        "mass": _number(inertial.mass),
        "com": numbers_or_null(inertial.com),
        "inertia": numbers_or_null(six_of_tensor(inertial.inertia)),
    }


def _number(value: float | None) -> float | None:
    return None if value is None or not math.isfinite(value) else float(value)


def numbers_or_null(values: Array) -> list[float | None]:
    """Return numbers for JSON, with null for non-finite ones."""
    return [_number(float(value)) for value in np.asarray(values)]
