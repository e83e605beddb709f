# SPDX-FileCopyrightText: The inertia_tools authors
# SPDX-License-Identifier: Apache-2.0
"""Moving link frames onto the axes of their joints, as in URDF."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

import numpy as np

from inertia_tools.conversion.account import Account, Kind
from inertia_tools.description.types import Description, Joint, JointType, Link, Shape
from inertia_tools.spatial import Pose

TURNING = (JointType.REVOLUTE, JointType.CONTINUOUS)
"""Joints for which the position of the axis matters; for a prismatic one only the direction does."""

ON_AXIS = 1e-12
"""Distance from the axis at which a link frame counts as being on it [m]."""


def links_at_joints(robot: Description, account: Account) -> Description:
    """Return the same robot with the frame of each link on the axis of the joint that carries it.

    Nothing moves: shapes, mass and children of a link keep their places, relative to the new origin.
    """
    offsets = {joint.child: joint.pose_child_joint.position for joint in robot.joints.values() if _is_off(joint)}
    if not offsets:
        return robot
    for name, offset in offsets.items():
        x, y, z = offset.tolist()
        message = f"its frame moves by {x:g} {y:g} {z:g} m onto the axis of its joint, as URDF requires"
        account.note(Kind.CHANGED, name, message, robot.links[name].place)
    return with_frames_moved(robot, {name: Pose(offset) for name, offset in offsets.items()})


def with_frames_moved(robot: Description, moves: Mapping[str, Pose]) -> Description:
    """Return the same robot with new frames of some links.

    Args:
        robot: The robot.
        moves: New frame of a link seen from its former one, by the link's name.
    """
    return replace(
        robot,
        links={name: _seen_from(link, moves.get(name, Pose())) for name, link in robot.links.items()},
        joints={name: _between(joint, moves) for name, joint in robot.joints.items()},
        root_poses={name: pose @ moves.get(name, Pose()) for name, pose in robot.root_poses.items()},
        frames=tuple(
            replace(frame, pose_link_frame=moves.get(frame.link, Pose()).inverse() @ frame.pose_link_frame)
            for frame in robot.frames
        ),
    )


def _is_off(joint: Joint) -> bool:
    offset = joint.pose_child_joint.position
    across = offset - (offset @ joint.axis) * joint.axis
    return joint.type in TURNING and float(np.linalg.norm(across)) > ON_AXIS


def _between(joint: Joint, moves: Mapping[str, Pose]) -> Joint:
    into_child = moves.get(joint.child, Pose())
    out_of_parent = moves.get(joint.parent, Pose()).inverse()
    return joint.with_parent_frame(joint.parent, out_of_parent).with_child_frame(joint.child, into_child)


def _seen_from(link: Link, move: Pose) -> Link:
    back = move.inverse()
    declared = link.declared
    if declared is not None:
        declared = replace(declared, pose_link_inertial=back @ declared.pose_link_inertial)
    return replace(
        link,
        declared=declared,
        collisions=tuple(_moved(shape, back) for shape in link.collisions),
        visuals=tuple(_moved(shape, back) for shape in link.visuals),
    )


def _moved(shape: Shape, pose: Pose) -> Shape:
    return replace(shape, pose_link_shape=pose @ shape.pose_link_shape)
