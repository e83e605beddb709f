# SPDX-FileCopyrightText: The inertia_tools authors
# SPDX-License-Identifier: Apache-2.0
"""Where the joints of a description are at the start: at zero, or at the bound of theirs that is nearest to it."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping
from dataclasses import replace

from inertia_tools.description.types import Description, Joint, JointType
from inertia_tools.inertia.finding import Finding, Severity
from inertia_tools.spatial import Pose, rotation_from_quaternion

TURNS = (JointType.REVOLUTE, JointType.CONTINUOUS)


def nearest_to_zero(robot: Description) -> dict[str, float]:
    """Return the positions of joints that may not be at zero, by name [rad or m].

    Limits are hard, so a joint that started outside of its own would be thrown into them.
    """
    found = {}
    for joint in (one for first in robot.joints.values() for one in first.row):
        low, high = joint.limit.lower, joint.limit.upper
        if joint.type not in (JointType.REVOLUTE, JointType.PRISMATIC):
            continue
        if low is not None and low > 0.0:
            found[joint.name] = low
        elif high is not None and high < 0.0:
            found[joint.name] = high
    return found


def start_findings(robot: Description, positions: Mapping[str, float]) -> Iterator[Finding]:
    """Say which joints start elsewhere than at zero."""
    for joint in (one for first in robot.joints.values() for one in first.row):
        if joint.name in positions:
            value, place = positions[joint.name], joint.place
            message = f"joint {joint.name!r} may not be at zero; it starts at its nearest bound, {value:g}"
            yield Finding.at(Severity.INFO, "start-at-bound", joint.child, message, place)


def posed(robot: Description, positions: Mapping[str, float]) -> Description:
    """Return the description with joints at other positions than zero for its link poses only.

    Args:
        robot: The description.
        positions: Positions by the name of the joint [rad or m].
    """
    joints = {
        name: replace(joint, pose_parent_child=joint.pose_parent_child @ motion_of(joint.row, positions))
        for name, joint in robot.joints.items()
    }
    return replace(robot, joints=joints)


def motion_of(row: tuple[Joint, ...], positions: Mapping[str, float]) -> Pose:
    """Return how joints in a row move their child, seen from the child at zero; each moves those after it."""
    motion = Pose()
    for one in row:
        value = positions.get(one.name, 0.0)
        if value and one.type is JointType.PRISMATIC:
            motion = motion @ Pose(value * one.axis)
        elif value and one.type in TURNS:
            turn = rotation_from_quaternion([*(math.sin(0.5 * value) * one.axis), math.cos(0.5 * value)])
            at = one.pose_child_joint.position
            motion = motion @ Pose(at - turn @ at, turn)
    return motion
