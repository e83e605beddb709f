# SPDX-FileCopyrightText: The inertia_tools authors
# SPDX-License-Identifier: Apache-2.0
"""How the bodies of a stage move at the start: by what they state themselves, and by the rates of their joints."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from inertia_tools.description.staged import Units
from inertia_tools.description.usd.attributes import authored, numbers
from inertia_tools.sim.body_motion import BodyMotion
from inertia_tools.sim.built_joint import BuiltJoint
from inertia_tools.sim.joint_kind import ANGULAR_X, JointKind
from inertia_tools.spatial import Array, Pose

LINEAR, ANGULAR = "physics:velocity", "physics:angularVelocity"


def stated_velocity(prim: Any, pose: Pose, units: Units) -> Array | None:
    """Return the velocity that a rigid body states; None where it states none, or rest.

    Args:
        prim: The prim, whose axes the numbers are in; angles are in degrees.
        pose: Its pose in the world.
        units: Units of the stage.

    Returns:
        Velocity of its centre of mass [m/s] and angular velocity [rad/s], world axes, shape (6,).
    """
    stated = numbers(authored(prim, LINEAR)), numbers(authored(prim, ANGULAR))
    if all(one is None for one in stated):
        return None
    linear, angular = (np.zeros(3) if one is None or not np.isfinite(one).all() else one for one in stated)
    if not (linear.any() or angular.any()):
        return None
    return np.concatenate([pose.rotation @ linear * units.metre, pose.rotation @ np.radians(angular)])


def follow_joints(motion: BodyMotion, joints: Sequence[BuiltJoint], rates: Mapping[int, float]) -> None:
    """Let what hangs on joints with a rate follow them; a joint further out without one is at rest.

    Args:
        motion: The bodies; their velocities are changed.
        joints: Joints, parents before children.
        rates: Rate along or about the x axis of the joint that holds a body [m/s or rad/s], by the body.
    """
    moved: set[int] = set()
    for joint in joints:
        held = joint.kind is not JointKind.FREE and not joint.closes_loop
        if not held or not (joint.child in rates or joint.parent in moved):
            continue
        moved.add(joint.child)
        frame = motion.pose(joint.parent) @ joint.pose_parent
        along = rates.get(joint.child, 0.0) * frame.rotation[:, 0]
        turns = joint.coordinate == ANGULAR_X
        anchor = (motion.pose(joint.child) @ joint.pose_child).position
        spin = motion.spin(joint.parent) + (along if turns else 0.0)
        there = motion.velocity_at(joint.parent, anchor) + (0.0 if turns else along)
        motion.qd[joint.child] = [*(there + np.cross(spin, motion.com(joint.child) - anchor)), *spin]
