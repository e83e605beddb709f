# SPDX-FileCopyrightText: The inertia_tools authors
# SPDX-License-Identifier: Apache-2.0
"""Where links are for positions of the joints."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np

from inertia_tools.description.joint import Joint, JointType
from inertia_tools.description.types import Description
from inertia_tools.spatial import Array, Pose, rotation_about

TURNING = frozenset({JointType.REVOLUTE, JointType.CONTINUOUS})
"""Joints that turn about their axis; of the others with one coordinate, a prismatic one moves along it, a screw does
both."""

MOST_LEADERS = 8
"""Joints in a row that follow one another; more are a circle."""


def coordinate_joints(robot: Description) -> dict[str, Joint]:
    """Return the joints with one coordinate of their own by name, in document order: none that follows another."""
    kinds = {*TURNING, JointType.PRISMATIC, JointType.SCREW}
    rows = (one for joint in robot.joints.values() for one in joint.row)
    return {joint.name: joint for joint in rows if joint.type in kinds and joint.mimic is None}


def poses_at(robot: Description, positions: Mapping[str, float]) -> dict[str, Pose]:
    """Return the frames of all links seen from the document's frame.

    Args:
        robot: The description.
        positions: Of some joints [rad or m]; the others are at zero, those that follow another go with it. Joints with
            several coordinates stay at zero, and joints that close loops are not minded.
    """
    moves = {joint.child: motion for joint in robot.joints.values() if (motion := _motion(robot, joint, positions))}
    poses = {name: robot.root_poses.get(name, Pose()) for name in robot.roots}
    for name in robot.depth_first:
        for joint in robot.child_joints[name]:
            poses[joint.child] = poses[name] @ joint.pose_parent_child @ moves.get(joint.child, Pose())
    return poses


def _motion(robot: Description, joint: Joint, positions: Mapping[str, float]) -> Pose | None:
    """Return how far the joints between two links move the child, seen from it at zero; None where they do not."""
    motion = None
    for one in joint.row:
        position = _position(robot, one, positions)
        if position != 0.0:
            moved = _moved(one, position)
            motion = moved if motion is None else motion @ moved
    return motion


def _position(robot: Description, joint: Joint, positions: Mapping[str, float]) -> float:
    """Return the position of a joint, or what follows from that of the joint that it follows [rad or m]."""
    factor, offset = 1.0, 0.0
    for _ in range(MOST_LEADERS):
        if joint.mimic is None:
            return factor * positions.get(joint.name, 0.0) + offset
        offset += factor * joint.mimic.offset
        factor *= joint.mimic.multiplier
        if joint.mimic.joint not in robot.joints:
            break
        joint = robot.joints[joint.mimic.joint]
    return 0.0


def _moved(joint: Joint, position: float) -> Pose:
    """Return what a joint does to the child at a position, seen from the child's frame at zero."""
    axis = joint.axis
    if joint.type is JointType.PRISMATIC:
        return Pose(position * axis)
    if joint.type in TURNING:
        return _turned(joint, position)
    if joint.type is JointType.SCREW:
        return Pose(position * (joint.thread_pitch or 0.0) * axis) @ _turned(joint, position)
    return Pose()


def _turned(joint: Joint, angle: float) -> Pose:
    """Return a turn about a joint's axis, which passes through the origin of the joint's frame."""
    rotation = rotation_about(joint.axis, angle)
    centre: Array = joint.pose_child_joint.position
    return Pose(centre - np.asarray(rotation @ centre), rotation)
