# SPDX-FileCopyrightText: The inertia_tools authors
# SPDX-License-Identifier: Apache-2.0
"""Forward kinematics of single joints, and the start poses of the bodies of a scene."""

from __future__ import annotations

import warnings
from collections.abc import Sequence

import numpy as np

from inertia_tools.sim.scene.bodies import WORLD
from inertia_tools.sim.scene.built_joint import BuiltJoint
from inertia_tools.sim.scene.joint_kind import ANGULAR_X, JointKind, Turning
from inertia_tools.sim.scene.notices import SceneWarning
from inertia_tools.sim.scene.scene import Scene
from inertia_tools.spatial import Array, ArrayLike, Pose, rotation_from_quaternion

GAP = 1e-3
"""Constraint error of a joint at the start [m or rad] above which a warning is given; files round their poses, and the
first step removes the error."""

TO_CALLER_OF_FINALIZE = 4
"""Frames between a warning given here and the line that called `ModelBuilder.finalize`."""


def motion_of_joint(joint: BuiltJoint, coordinates: ArrayLike) -> Pose:
    """Return the pose of the joint's frame on the child seen from the one on the parent; see `BuiltJoint`.

    Args:
        joint: A joint that is neither free nor keeps a distance.
        coordinates: Its coordinates [rad or m]; a ball has a quaternion x, y, z, w.
    """
    values = np.asarray(coordinates, dtype=np.float64)
    if joint.kind is JointKind.BALL:
        return Pose(rotation=joint.turn @ rotation_from_quaternion(values))
    slide, turn = np.zeros(3), joint.turn
    for dof, value in zip(joint.dofs, values, strict=True):
        if dof.row < ANGULAR_X:
            slide[dof.row] = dof.sign * value
        else:
            turn = turn @ _about(dof.row - ANGULAR_X, dof.sign * float(value))
    return Pose(slide, turn)


def _about(axis: int, angle: float) -> Array:
    """Return the rotation about an axis of a frame, shape (3, 3)."""
    turn = np.eye(3)
    second, third = (axis + 1) % 3, (axis + 2) % 3
    turn[second, second] = turn[third, third] = np.cos(angle)
    turn[third, second] = np.sin(angle)
    turn[second, third] = -turn[third, second]
    return turn


def coordinates_of_joint(joint: BuiltJoint, parent: Pose, child: Pose) -> list[float]:
    """Return the coordinates of a joint from the poses of its bodies [rad or m]."""
    if joint.kind is JointKind.FREE:
        return [*child.position.tolist(), *child.quaternion.tolist()]
    at_parent, at_child = parent @ joint.pose_parent, child @ joint.pose_child
    rel = (at_parent.rotation @ joint.turn).T @ at_child.rotation
    if joint.kind is JointKind.BALL:
        coordinates: list[float] = Pose(rotation=rel).quaternion.tolist()
        return coordinates
    off = at_parent.rotation.T @ (at_child.position - at_parent.position)
    if joint.kind is JointKind.DISTANCE:
        return [float(np.linalg.norm(off))]
    return [dof.sign * _coordinate(joint, dof.row, off, rel) for dof in joint.dofs]


def _coordinate(joint: BuiltJoint, row: int, off: Array, rel: Array) -> float:
    """Read one coordinate of a joint from the displacement and rotation between its frames."""
    if row < ANGULAR_X:
        return float(off[row])
    if joint.turning is Turning.TWIST:
        x, _, _, w = Pose(rotation=rel).quaternion
        return float(2.0 * np.arctan2(x, w))
    if joint.turning is Turning.CROSS:
        about_x = np.arctan2(rel[2, 1], rel[1, 1])
        return float(about_x if row == ANGULAR_X else np.arctan2(rel[0, 2], rel[0, 0]))
    angles = (
        np.arctan2(-rel[1, 2], rel[2, 2]),
        np.arcsin(np.clip(rel[0, 2], -1.0, 1.0)),
        np.arctan2(-rel[0, 1], rel[0, 0]),
    )
    return float(angles[row - ANGULAR_X])


def child_of_joint(joint: BuiltJoint, parent: Pose, coordinates: Sequence[float]) -> Pose | None:
    """Return the pose that a joint gives its child in the world; None for a joint that keeps a distance only."""
    if joint.kind is JointKind.DISTANCE:
        return None
    if joint.kind is JointKind.FREE:
        return Pose(np.asarray(coordinates[:3]), rotation_from_quaternion(coordinates[3:]))
    return parent @ joint.pose_parent @ motion_of_joint(joint, coordinates) @ joint.pose_child.inverse()


def gap_of_joint(joint: BuiltJoint, parent: Pose, child: Pose) -> float:
    """Return the largest constraint error of a joint at the poses of its bodies [m or rad]."""
    if joint.kind in (JointKind.FREE, JointKind.DISTANCE):
        return 0.0
    held = child_of_joint(joint, parent, coordinates_of_joint(joint, parent, child))
    assert held is not None
    off = held.inverse() @ child
    return float(max(np.abs(off.position).max(), np.abs(off.rotation - np.eye(3)).max()))


def start_poses(builder: Scene) -> tuple[Pose, ...]:
    """Return the initial poses of the bodies of a scene.

    A body is where it was placed. One that was placed nowhere is where its joint holds it, at the coordinates in
    `joint_q`; so is one whose coordinates were written there, and all that hangs on it moves along. A joint whose
    bodies were placed apart from each other is named in a warning.
    """
    poses, moved = list(builder.body_pose), set()
    written, first = builder.written_joints(), builder.joint_q_start
    apart = []
    for body in builder.bodies_parents_first():
        index = builder.joint_above(body)
        if index is None:
            continue
        joint = builder.joints[index]
        parent = Pose() if joint.parent == WORLD else poses[joint.parent]
        is_free = joint.kind is JointKind.FREE
        if index in written or not builder.body_placed[body]:
            start = builder.joint_q[first[index] : first[index] + joint.coordinate_count]
        elif joint.parent in moved and not is_free:
            start = built_coordinates(builder, joint)
        else:
            gap = gap_of_joint(joint, parent, poses[body])
            if gap > GAP and joint.enabled:
                apart.append(f"{joint.name!r} by {gap:.3g}")
            continue
        posed = child_of_joint(joint, parent, start)
        if posed is not None:
            poses[body] = posed
            moved.add(body)
    if apart:
        shown = ", ".join(apart[:8]) + (f" and {len(apart) - 8} more" if len(apart) > 8 else "")
        message = f"joints start with a gap (m or rad), which closes in the first steps: {shown}"
        warnings.warn(message, SceneWarning, stacklevel=TO_CALLER_OF_FINALIZE)
    return tuple(poses)


def built_coordinates(builder: Scene, joint: BuiltJoint) -> list[float]:
    """Return the coordinates of a joint whose bodies are where they were put [rad or m]."""
    parent = Pose() if joint.parent == WORLD else builder.body_pose[joint.parent]
    return coordinates_of_joint(joint, parent, builder.body_pose[joint.child])
