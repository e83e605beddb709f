# SPDX-FileCopyrightText: The inertia_tools authors
# SPDX-License-Identifier: Apache-2.0
"""Where the transforms of a stage have its joints."""

from __future__ import annotations

import math
from collections.abc import Mapping

import numpy as np

from inertia_tools.description.joint import Joint, JointType
from inertia_tools.description.types import WORLD, Description
from inertia_tools.description.usd_bodies import UsdBodies
from inertia_tools.sim.importing.start_pose import NOISE, TURNS, Position, motion_of
from inertia_tools.spatial import Array, Pose

ROUNDS = 30
CLOSE = 1e-12
"""Of positions that change by less than this [rad or m], the last ones count."""


def measured_positions(robot: Description, usd_bodies: UsdBodies) -> dict[str, Position]:
    """Return the positions of joints that are not at zero by the stage's transforms, by name.

    What transforms say against a joint is not followed: of its freedoms the nearest positions count.
    """
    found: dict[str, Position] = {}
    for joint in robot.joints.values():
        if joint.type in (JointType.FIXED, JointType.FLOATING):
            continue
        parent = Pose() if joint.parent == WORLD else usd_bodies.bodies[joint.parent].pose_world_body
        motion = (parent @ joint.pose_parent_child).inverse() @ usd_bodies.bodies[joint.child].pose_world_body
        values = _positions_of(joint, motion)
        found |= {name: value for name, value in values.items() if np.abs(value).max() > NOISE}
    return found


def _positions_of(joint: Joint, motion: Pose) -> dict[str, Position]:
    """Return the positions of what moves a body, by name.

    Args:
        joint: It.
        motion: The child, seen from where it is at zero.
    """
    if joint.further:
        return _nearest(joint, motion)
    if joint.type is JointType.BALL:
        return {joint.name: rotation_vector(motion)}
    if joint.type is JointType.PRISMATIC:
        return {joint.name: float(motion.position @ joint.axis)}
    x, y, z, w = motion.quaternion.tolist()
    value = 2.0 * math.atan2(float(np.array([x, y, z]) @ joint.axis), w)
    return {joint.name: math.remainder(value, 2.0 * math.pi)}


def _nearest(joint: Joint, motion: Pose) -> dict[str, Position]:
    """Return the positions at which a row of joints comes nearest to a motion of its child (Gauss-Newton)."""
    freedoms = [one for one in joint.row if one.type in (*TURNS, JointType.PRISMATIC)]
    values = np.zeros(len(freedoms))
    for _ in range(ROUNDS):
        now = dict(zip((one.name for one in freedoms), values.tolist(), strict=True))
        left = motion_of(joint.row, now).inverse() @ motion
        error = np.concatenate([left.position, rotation_vector(left)])
        columns = np.column_stack([_twist(joint.row, now, one) for one in freedoms])
        step = np.linalg.lstsq(columns, error, rcond=None)[0]
        values = values + step
        if np.abs(step).max() < CLOSE:
            break
    return {
        one.name: float(value) if one.type is JointType.PRISMATIC else math.remainder(value, 2.0 * math.pi)
        for one, value in zip(freedoms, values.tolist(), strict=True)
    }


def _twist(row: tuple[Joint, ...], positions: Mapping[str, Position], moved: Joint) -> Array:
    """Return how a row of joints moves its child per unit of one position, in the child's axes, shape (6,)."""
    after = row[row.index(moved) + 1 :]
    back = motion_of(after, positions).inverse()
    axis = back.rotation @ moved.axis
    if moved.type is JointType.PRISMATIC:
        return np.concatenate([axis, np.zeros(3)])
    return np.concatenate([np.cross(axis, -back.transform_points(moved.pose_child_joint.position)), axis])


def rotation_vector(pose: Pose) -> Array:
    """Return the turn of a pose as a vector along its axis, half a turn at most [rad], shape (3,)."""
    x, y, z, w = pose.quaternion.tolist()
    vector = np.array([x, y, z]) if w >= 0.0 else -np.array([x, y, z])
    sine = float(np.linalg.norm(vector))
    return vector * (2.0 * math.atan2(sine, abs(w)) / sine) if sine > 0.0 else vector
