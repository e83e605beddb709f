# SPDX-FileCopyrightText: The inertia_tools authors
# SPDX-License-Identifier: Apache-2.0
"""Conversion of values of the library to messages of this package. An undefined float becomes NaN, never zero."""

from __future__ import annotations

import math
from collections.abc import Iterable

import numpy as np
from geometry_msgs.msg import Inertia, Point, Pose, Quaternion, Transform, Vector3

import inertia_tools.msg as msg
from inertia_tools.inertia.compute import LinkInertial
from inertia_tools.inertia.finding import Finding, Severity
from inertia_tools.inertia.method import Method
from inertia_tools.inertia.report import LinkReport
from inertia_tools.inertial import Inertial, six_of_tensor
from inertia_tools.spatial import ArrayLike

_UNDEFINED = Inertial(math.nan, np.full(3, math.nan), np.full((3, 3), math.nan))


def to_vector3(values: ArrayLike) -> Vector3:
    """Convert three numbers."""
    x, y, z = (float(value) for value in np.asarray(values))
    return Vector3(x=x, y=y, z=z)


def to_point(values: ArrayLike) -> Point:
    """Convert a position [m]."""
    x, y, z = (float(value) for value in np.asarray(values))
    return Point(x=x, y=y, z=z)


def to_pose(position: ArrayLike, quaternion: ArrayLike) -> Pose:
    """Convert a position [m] and a unit quaternion in the order x, y, z, w."""
    x, y, z, w = (float(value) for value in np.asarray(quaternion))
    return Pose(position=to_point(position), orientation=Quaternion(x=x, y=y, z=z, w=w))


def to_transform(position: ArrayLike, quaternion: ArrayLike) -> Transform:
    """Convert a position [m] and a unit quaternion in the order x, y, z, w."""
    return Transform(translation=to_vector3(position), rotation=to_pose(position, quaternion).orientation)


def to_inertia(inertial: Inertial) -> Inertia:
    """Convert mass [kg], centre of mass [m] and tensor about it [kg m^2], all in link axes."""
    terms = dict(
        zip(("ixx", "ixy", "ixz", "iyy", "iyz", "izz"), map(float, six_of_tensor(inertial.inertia)), strict=True)
    )
    return Inertia(m=inertial.mass, com=to_vector3(inertial.com), **terms)


def to_link_inertial(link: str, value: LinkInertial | None) -> msg.LinkInertial:
    """Convert the mass properties of a link; None gives METHOD_NONE and NaN."""
    inertial = value.inertial if value is not None and value.inertial is not None else _UNDEFINED
    known = value is not None and value.inertial is not None
    moments = inertial.principal_moments if np.isfinite(inertial.inertia).all() else np.full(3, math.nan)
    return msg.LinkInertial(
        link=link,
        inertia=to_inertia(inertial),
        method=int(value.method) if value is not None and known else int(Method.NONE),
        density=_or_nan(value.density if value is not None else None),
        volume=_or_nan(value.volume if value is not None else None),
        principal_moments=to_vector3(moments),
    )


def to_finding(finding: Finding) -> msg.Finding:
    """Convert a finding; its file and line, for which the message has no fields, are appended to the text."""
    where = f" ({finding.file}:{finding.line})" if finding.file and finding.line is not None else ""
    return msg.Finding(
        severity=int(finding.severity), code=finding.code, link=finding.link, message=f"{finding.message}{where}"
    )


def to_findings(findings: Iterable[Finding]) -> list[msg.Finding]:
    """Convert findings, keeping their order."""
    return [to_finding(finding) for finding in findings]


def to_link_report(report: LinkReport) -> msg.LinkReport:
    """Convert the report of one link; a corrected value replaces the computed one."""
    computed = report.corrected if report.corrected is not None else report.computed
    return msg.LinkReport(
        link=report.link,
        declared=to_link_inertial(report.link, report.declared),
        computed=to_link_inertial(report.link, computed),
        valid=report.worst is not Severity.ERROR,
        changed=report.changed,
        findings=to_findings(report.findings),
    )


def _or_nan(value: float | None) -> float:
    return math.nan if value is None else float(value)
