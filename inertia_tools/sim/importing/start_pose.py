# SPDX-FileCopyrightText: The inertia_tools authors
# SPDX-License-Identifier: Apache-2.0
"""Where the joints of a description are at the start: as asked for, or at zero, or at the bound nearest to that."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping
from dataclasses import replace

import numpy as np

from inertia_tools.description.types import Description, Joint, JointType
from inertia_tools.inertia.finding import Finding, Severity
from inertia_tools.spatial import Array, Pose, rotation_from_quaternion

Position = float | Array
"""Position of a joint [rad or m]; of a ball and socket its turn as a vector along the axis [rad], shape (3,)."""

NOISE = 1e-5
"""Positions [rad or m] that single precision in a file explains."""

TURNS = (JointType.REVOLUTE, JointType.CONTINUOUS)


def start_positions(robot: Description, asked: Mapping[str, Position]) -> dict[str, Position]:
    """Return the positions of joints that do not start at zero, by name.

    Limits are hard, so a joint that started outside of its own would be thrown into them.

    Args:
        robot: The description.
        asked: Where joints are to start, by name; the others where the file says, or at zero.
    """
    found: dict[str, Position] = {}
    for joint in (one for first in robot.joints.values() for one in first.row):
        value = asked.get(joint.name, joint.start or 0.0)
        if isinstance(value, float):
            value = _within(joint, value)
        if np.any(value):
            found[joint.name] = value
    return found


def _within(joint: Joint, value: float) -> float:
    """Return the position nearest to another that the limits of a joint allow."""
    low, high = joint.limit.lower, joint.limit.upper
    if joint.type not in (JointType.REVOLUTE, JointType.PRISMATIC):
        return value
    return min(max(value, -math.inf if low is None else low), math.inf if high is None else high)


def start_findings(
    robot: Description, positions: Mapping[str, Position], asked: Mapping[str, Position]
) -> Iterator[Finding]:
    """Say which joints start elsewhere than asked for, or than at zero."""
    for joint in (one for first in robot.joints.values() for one in first.row):
        value, wanted = positions.get(joint.name, 0.0), asked.get(joint.name, joint.start or 0.0)
        if isinstance(value, float) and isinstance(wanted, float) and abs(value - wanted) > NOISE:
            there = f"at {wanted:g}" if wanted else "at zero"
            message = f"joint {joint.name!r} may not be {there}; it starts at its nearest bound, {value:g}"
            yield Finding.at(Severity.INFO, "start-at-bound", joint.child, message, joint.place)


def posed(robot: Description, positions: Mapping[str, Position]) -> Description:
    """Return the description with joints at other positions than zero for its link poses only.

    Args:
        robot: The description.
        positions: Positions by the name of the joint.
    """
    joints = {
        name: replace(joint, pose_parent_child=joint.pose_parent_child @ motion_of(joint.row, positions))
        for name, joint in robot.joints.items()
    }
    return replace(robot, joints=joints)


def motion_of(row: tuple[Joint, ...], positions: Mapping[str, Position]) -> Pose:
    """Return how joints in a row move their child, seen from the child at zero; each moves those after it."""
    motion = Pose()
    for one in row:
        value = positions.get(one.name, 0.0)
        if not np.any(value):
            continue
        if one.type is JointType.PRISMATIC:
            motion = motion @ Pose(value * one.axis)
        elif one.type in (*TURNS, JointType.BALL):
            turn = turn_along(np.asarray(value * one.axis if isinstance(value, float) else value))
            at = one.pose_child_joint.position
            motion = motion @ Pose(at - turn @ at, turn)
    return motion


def turn_along(vector: Array) -> Array:
    """Return the turn about an axis by its length [rad], shape (3, 3)."""
    angle = float(np.linalg.norm(vector))
    axis = vector / angle if angle > 0.0 else vector
    return rotation_from_quaternion([*(math.sin(0.5 * angle) * axis), math.cos(0.5 * angle)])
