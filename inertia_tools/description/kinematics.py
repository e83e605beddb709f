# SPDX-FileCopyrightText: The inertia_tools authors
# SPDX-License-Identifier: Apache-2.0
"""Poses of links for given joint positions."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np

from inertia_tools.description.joint import Joint, JointMimic, JointType
from inertia_tools.description.types import Description
from inertia_tools.spatial import Array, Pose, rotation_about

TURNING = frozenset({JointType.REVOLUTE, JointType.CONTINUOUS})
"""Joints that rotate about their axis; a prismatic joint slides along it."""

WITH_ONE_COORDINATE = TURNING | {JointType.PRISMATIC}
"""Joints with one coordinate."""


def coordinate_joints(robot: Description) -> dict[str, Joint]:
    """Return the joints with one coordinate of their own by name, in document order, without followers."""
    rows = (one for joint in robot.joints.values() for one in joint.row)
    return {joint.name: joint for joint in rows if joint.type in WITH_ONE_COORDINATE and joint.mimic is None}


def poses_at(robot: Description, positions: Mapping[str, float]) -> dict[str, Pose]:
    """Return the frames of all links seen from the document's frame.

    Args:
        robot: The description.
        positions: Positions of some joints [rad or m]; others are at zero, and followers depend on their leaders.
            Joints with several coordinates stay at zero, and joints that close loops are ignored.
    """
    led = {name: mimic.position(positions.get(mimic.joint, 0.0)) for name, mimic in followers(robot).items()}
    positions = {**positions, **led}
    moves = {joint.child: motion for joint in robot.joints.values() if (motion := _motion(joint, positions))}
    poses = {name: robot.root_poses.get(name, Pose()) for name in robot.roots}
    for name in robot.depth_first:
        for joint in robot.child_joints[name]:
            poses[joint.child] = poses[name] @ joint.pose_parent_child @ moves.get(joint.child, Pose())
    return poses


def led_by_first(mimics: Mapping[str, JointMimic]) -> dict[str, JointMimic]:
    """Return how joints follow the first of their chain, by the follower's name; circular chains are left out."""
    found: dict[str, JointMimic | None] = {}
    for name in mimics:
        row: list[str] = []
        while name in mimics and name not in found:
            row.append(name)
            found[name] = None  # what it follows is not known yet, or is itself
            name = mimics[name].joint
        for one in reversed(row):
            mimic = mimics[one]
            above = found.get(mimic.joint)
            if mimic.joint not in mimics:
                found[one] = mimic
            elif above is not None:
                found[one] = mimic.after(above)
    return {name: led for name in mimics if (led := found[name]) is not None}


def followers(robot: Description) -> dict[str, JointMimic]:
    """Return how joints follow one with a coordinate of its own, by the name of the follower."""
    row = {one.name: one for joint in robot.joints.values() for one in joint.row if one.type in WITH_ONE_COORDINATE}
    led = led_by_first({name: one.mimic for name, one in row.items() if one.mimic is not None})
    return {name: mimic for name, mimic in led.items() if mimic.joint in row}


def _motion(joint: Joint, positions: Mapping[str, float]) -> Pose | None:
    """Return the motion of the child by the joints between two links, seen from its zero pose; None without motion."""
    motion = None
    for one in joint.row:
        position = positions.get(one.name, 0.0)
        if position != 0.0:
            moved = _moved(one, position)
            motion = moved if motion is None else motion @ moved
    return motion


def _moved(joint: Joint, position: float) -> Pose:
    """Return the motion of the child by a joint at a position, seen from the child's frame at zero."""
    axis = joint.axis
    if joint.type is JointType.PRISMATIC:
        return Pose(position * axis)
    if joint.type in TURNING:
        return _turned(joint, position)
    return Pose()


def _turned(joint: Joint, angle: float) -> Pose:
    """Return a rotation about a joint's axis, which passes through the origin of the joint's frame."""
    rotation = rotation_about(joint.axis, angle)
    centre: Array = joint.pose_child_joint.position
    return Pose(centre - np.asarray(rotation @ centre), rotation)
