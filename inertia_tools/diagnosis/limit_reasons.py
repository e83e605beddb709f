# SPDX-FileCopyrightText: The inertia_tools authors
# SPDX-License-Identifier: Apache-2.0
"""Joints with wrong limits or units, that start outside of their limits, or that follow no joint."""

from __future__ import annotations

from collections.abc import Iterator

from inertia_tools.description.types import Description, Joint, JointType
from inertia_tools.diagnosis.reason import Reason, reason_at
from inertia_tools.inertia.checks.joint_units import LIMIT_IN_DEGREES, ORIGIN_IN_MILLIMETRES
from inertia_tools.inertia.finding import Finding, Severity
from inertia_tools.inertia.report import Report

BOUNDED = (JointType.REVOLUTE, JointType.PRISMATIC)

NOISE = 1e-5
"""A joint this far outside of its limits [rad or m] is there by rounding in the file."""

ALLOWS_NO_START = 0.5
"""Score of a joint with a single permitted position: solvers tolerate it, and a fixed joint is intended."""


MAY_BE_PASSIVE = 0.5
"""Score of a joint that nothing holds: it may be intended to be passive."""

OTHER_UNIT = 0.9
"""Score of a joint whose numbers are in another unit: its link is far away, or turns as if there were no limit."""

AS_FOUND = {
    "limit-zero": (
        Severity.INFO,
        MAY_BE_PASSIVE,
        "state the effort and velocity of the motor; if the joint is passive, ignore this",
    ),
    "mimic-without-leader": (
        Severity.WARNING,
        MAY_BE_PASSIVE,
        "name the joint that leads it in <mimic>, or remove <mimic>",
    ),
    LIMIT_IN_DEGREES: (Severity.WARNING, OTHER_UNIT, "state its limits in radians"),
    ORIGIN_IN_MILLIMETRES: (Severity.WARNING, OTHER_UNIT, "state its origin in metres"),
}
"""Findings about joints that are reasons as they are, with severity, score and remedy."""


def limit_reasons(report: Report) -> Iterator[Reason]:
    """Check the limits and units of every joint, given the findings of `check`."""
    robot = report.robot
    for joint in (one for first in robot.joints.values() for one in first.row):
        lower, upper = joint.limit.lower, joint.limit.upper
        if joint.type not in BOUNDED or joint.child not in robot.links:
            continue
        if lower is not None and upper is not None and lower > upper:
            yield _reversed(joint, lower, upper)
        elif lower is not None and lower == upper:
            yield _empty(joint, lower)
        else:
            yield from _outside(robot, joint, lower, upper)
    for finding in report.findings:
        if finding.code in AS_FOUND:
            yield _as_found(robot.parent_joint[finding.link], finding)


def _reversed(joint: Joint, lower: float, upper: float) -> Reason:
    message = f"the lower limit {lower:g} is above the upper, {upper:g}, so no position is allowed"
    return reason_at(
        joint.place,
        Severity.ERROR,
        "limit-reversed",
        message,
        f"swap them: lower {upper:g}, upper {lower:g}",
        score=0.99,
        joint=joint.name,
        value=lower,
        bound=upper,
    )


def _as_found(joint: Joint, finding: Finding) -> Reason:
    severity, score, remedy = AS_FOUND[finding.code]
    return reason_at(joint.place, severity, finding.code, finding.message, remedy, score=score, joint=joint.name)


def _empty(joint: Joint, at: float) -> Reason:
    message = f"both limits are {at:g}, so the limit acts at every step"
    return reason_at(
        joint.place,
        Severity.WARNING,
        "limit-empty",
        message,
        f"state the range, or make the joint {'continuous or ' if joint.type is JointType.REVOLUTE else ''}fixed",
        score=ALLOWS_NO_START,
        joint=joint.name,
        value=at,
        bound=at,
    )


def _outside(robot: Description, joint: Joint, lower: float | None, upper: float | None) -> Iterator[Reason]:
    """Report a joint whose zero is not within its limits.

    MJCF and USD state initial positions, and that is zero here; for other formats the simulator may choose them.
    """
    nearest = max(lower or 0.0, 0.0) if lower is not None and lower > 0.0 else min(upper or 0.0, 0.0)
    if abs(nearest) <= NOISE:
        return
    width = (upper if upper is not None else nearest) - (lower if lower is not None else nearest)
    unit = "m" if joint.type is JointType.PRISMATIC else "rad"
    states_start = not (robot.format.traits.is_urdf or robot.format.traits.has_static_models)
    message = (
        f"position zero is {abs(nearest):.4g} {unit} outside of the limits {_said(lower)} to {_said(upper)}; a "
        "simulation that starts there jumps to the limit in one step"
    )
    yield reason_at(
        joint.place,
        Severity.WARNING if states_start else Severity.INFO,
        "start-outside-limits",
        message,
        f"start it at {nearest:g} or within the limits (initial joint positions of the simulator or controller)",
        score=abs(nearest) / (abs(nearest) + width),
        joint=joint.name,
        value=0.0,
        bound=nearest,
    )


def _said(limit: float | None) -> str:
    return "none" if limit is None else f"{limit:g}"
