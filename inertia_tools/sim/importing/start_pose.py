# SPDX-FileCopyrightText: The inertia_tools authors
# SPDX-License-Identifier: Apache-2.0
"""Start positions of the joints of a description: as requested, else zero, or the nearest limit.

Joints that follow others start where their leaders put them.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping
from dataclasses import replace

import numpy as np

from inertia_tools.description.joint import JointMimic
from inertia_tools.description.kinematics import followers
from inertia_tools.description.types import Description, Joint, JointType
from inertia_tools.inertia.finding import Finding, Severity
from inertia_tools.spatial import LARGEST_NUMBER, Array, Pose, rotation_from_quaternion

Position = float | Array
"""Position of a joint [rad or m]; for a ball joint a rotation vector [rad], shape (3,)."""

Bounds = tuple[float, float]
"""Lower and upper limit of a joint [rad or m]."""

NOISE = 1e-5
"""Deviations of positions that rounding to single precision in a file explains [rad or m]."""

TURNS = (JointType.REVOLUTE, JointType.CONTINUOUS)


def start_positions(robot: Description, asked: Mapping[str, Position]) -> dict[str, Position]:
    """Return the positions of joints that do not start at zero, by name.

    Limits are hard, so a joint that started outside its limits, or those of its followers, would jump back into
    them. Unusable ratios and offsets are refused later, when joints are built.

    Args:
        robot: The description.
        asked: Requested initial positions by name; others are as the file states, or zero.
    """
    joints = {one.name: one for first in robot.joints.values() for one in first.row}
    led, found = followers(robot), {name: asked.get(name, joint.start or 0.0) for name, joint in joints.items()}
    bounds = {name: _bounds(joint) for name, joint in joints.items()}
    for name, mimic in led.items():
        bounds[mimic.joint] = _bounds_of_both(bounds[mimic.joint], bounds[name], mimic)
    for name, value in found.items():
        if isinstance(value, float):
            found[name] = min(max(value, bounds[name][0]), bounds[name][1])
    placed = {name: mimic.position(float(found[mimic.joint])) for name, mimic in led.items()}
    found |= {name: value for name, value in placed.items() if abs(value) <= LARGEST_NUMBER}
    return {name: value for name, value in found.items() if np.any(value)}


def _bounds(joint: Joint) -> Bounds:
    """Return the limits of a joint [rad or m]."""
    low, high = joint.limit.lower, joint.limit.upper
    if joint.type not in (JointType.REVOLUTE, JointType.PRISMATIC):
        return -math.inf, math.inf
    return -math.inf if low is None else low, math.inf if high is None else high


def _bounds_of_both(leader: Bounds, follower: Bounds, mimic: JointMimic) -> Bounds:
    """Return where a leader may be with what follows it; its own bounds where that leaves no room, as in steps."""
    if mimic.multiplier == 0.0:
        return leader
    low, high = sorted((bound - mimic.offset) / mimic.multiplier for bound in follower)
    both = max(leader[0], low), min(leader[1], high)
    return both if both[0] <= both[1] else leader


def start_findings(
    robot: Description, positions: Mapping[str, Position], asked: Mapping[str, Position]
) -> Iterator[Finding]:
    """Report joints that start away from the requested position, or away from zero without a leader."""
    led = followers(robot)
    for joint in (one for first in robot.joints.values() for one in first.row):
        mimic, value = led.get(joint.name), positions.get(joint.name, 0.0)
        wanted = asked.get(joint.name, joint.start or (0.0 if mimic is None else value))
        if isinstance(value, float) and isinstance(wanted, float) and abs(value - wanted) > NOISE:
            there = f"at {wanted:g}" if wanted else "at zero"
            message = f"joint {joint.name!r} cannot start {there}; it starts at its nearest limit, {value:g}"
            if mimic is not None:
                message = f"joint {joint.name!r} follows {mimic.joint!r}, which puts it at {value:g} and not {there}"
            code = "start-at-bound" if mimic is None else "start-with-leader"
            yield Finding.at(Severity.INFO, code, joint.child, message, joint.place)


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
    """Return the motion of the child of a chain of joints, relative to its zero pose.

    Each joint moves the joints after it.
    """
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
    """Return the rotation of a rotation vector [rad], shape (3, 3)."""
    angle = float(np.linalg.norm(vector))
    axis = vector / angle if angle > 0.0 else vector
    return rotation_from_quaternion([*(math.sin(0.5 * angle) * axis), math.cos(0.5 * angle)])
