# SPDX-FileCopyrightText: The inertia_tools authors
# SPDX-License-Identifier: Apache-2.0
"""Rotating a robot from a stage, in which x or y may point up, so that z does, as in all other formats."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from inertia_tools.conversion.account import Account, Kind
from inertia_tools.conversion.links_at_joints import with_frames_moved
from inertia_tools.description.types import WORLD, Description, Format, Joint, Place
from inertia_tools.spatial import Pose, rotation_between

UP = (0.0, 0.0, 1.0)


def upright(robot: Description, axis: str, target: Format, account: Account) -> Description:
    """Return a grounded robot rotated so that its stage's up axis is z; a written stage keeps its axis.

    Roots and gravity are rotated; everything below a root moves with it. A URDF cannot hold the pose of a free root, so
    there the frame of that link is rotated back and its content is not.

    Args:
        robot: The robot.
        axis: "X", "Y" or "Z": the upward axis.
        target: The format to write.
        account: Receives notes.
    """
    if axis == "Z" or target is Format.USD:
        return robot
    message = f"the stage has {axis} up; the robot is rotated to z up"
    account.note(Kind.CHANGED, robot.name, message, Place(robot.document.name))
    turn = Pose(rotation=np.rint(rotation_between(np.eye(3)["XYZ".index(axis)], UP)))  # a quarter turn: all 0 or 1
    turned = replace(
        robot,
        root_poses={name: turn @ pose for name, pose in robot.root_poses.items()},
        joints={name: _turned(joint, turn) for name, joint in robot.joints.items()},
        loop_joints=tuple(_turned(joint, turn) for joint in robot.loop_joints),
        gravity=None if robot.gravity is None else turn.rotation @ robot.gravity,
    )
    return _with_roots_along_the_world(turned, account) if target is Format.URDF else turned


def _turned(joint: Joint, turn: Pose) -> Joint:
    """Return a joint, rotated if its parent is the world."""
    return joint if joint.parent != WORLD else replace(joint, pose_parent_child=turn @ joint.pose_parent_child)


def _with_roots_along_the_world(robot: Description, account: Account) -> Description:
    """Return the robot with the frames of its free roots parallel to the world's, and note them."""
    free = [name for name in robot.roots if name not in robot.parent_joint and not robot.links[name].is_static]
    for name in free:
        message = "its frame is aligned with the world frame, as URDF has no pose for a free root"
        account.note(Kind.CHANGED, name, message, robot.links[name].place)
    return with_frames_moved(robot, {name: Pose(rotation=robot.root_poses[name].rotation.T) for name in free})
