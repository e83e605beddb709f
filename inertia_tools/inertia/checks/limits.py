# SPDX-FileCopyrightText: The inertia_tools authors
# SPDX-License-Identifier: Apache-2.0
"""Can a joint move between its limits at all, and follow the joint that it names?

Wrong limits make robots explode or stall, as wrong inertials do. A follower of no joint hangs loose.
"""

from __future__ import annotations

from collections.abc import Iterator

from inertia_tools.description.kinematics import WITH_ONE_COORDINATE, followers
from inertia_tools.description.types import Description, Joint, JointMimic, JointType
from inertia_tools.inertia.finding import Finding, Severity

BOUNDED = (JointType.REVOLUTE, JointType.PRISMATIC)
DRIVEN = (*BOUNDED, JointType.CONTINUOUS)
"""Joints for which URDF limits position, or effort and velocity."""


def check_limits(robot: Description) -> Iterator[Finding]:
    """Report inverted or zero limits, and followers without a leader, at the link that the joint moves."""
    led = followers(robot)
    for joint in robot.joints.values():
        if joint.child not in robot.links:
            continue
        if not robot.format.traits.checks_ranges and joint.type in BOUNDED:
            yield from _reversed(joint)
        if robot.format.traits.is_urdf and joint.type in DRIVEN:
            yield from _zero(joint)
        if joint.mimic is not None and joint.type in WITH_ONE_COORDINATE and joint.name not in led:
            yield _unled(joint, joint.mimic)


def _reversed(joint: Joint) -> Iterator[Finding]:
    lower, upper = joint.limit.lower, joint.limit.upper
    if lower is not None and upper is not None and lower > upper:
        message = f"the lower limit {lower:g} of joint {joint.name!r} is above the upper, {upper:g}; swap them"
        yield _finding(joint, "limit-reversed", message)


def _zero(joint: Joint) -> Iterator[Finding]:
    named = [name for name in ("effort", "velocity") if getattr(joint.limit, name) == 0.0]
    if named:
        are = "is" if len(named) == 1 else "are"
        message = (
            f"the {' and '.join(named)} of joint {joint.name!r} {are} limited to zero, so no drive can move it; "
            "state nonzero limits"
        )
        yield _finding(joint, "limit-zero", message)


def _unled(joint: Joint, mimic: JointMimic) -> Finding:
    message = (
        f"joint {joint.name!r} mimics {mimic.joint!r}, which is no joint with one coordinate, or follows others in a "
        "circle; name the joint that leads it, or remove <mimic>"
    )
    return _finding(joint, "mimic-without-leader", message)


def _finding(joint: Joint, code: str, message: str) -> Finding:
    return Finding.at(Severity.WARNING, code, joint.child, message, joint.place)
