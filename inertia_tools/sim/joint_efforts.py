# SPDX-FileCopyrightText: The inertia_tools authors
# SPDX-License-Identifier: Apache-2.0
"""Efforts of the drives of a robot in the last step."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from inertia_tools.sim.drives import Drives
from inertia_tools.sim.named_joints import NamedJoints
from inertia_tools.sim.observation import Snapshot
from inertia_tools.sim.scene.body_motion import BodyMotion
from inertia_tools.sim.scene.built_joint import Freedom
from inertia_tools.spatial import Array


def drive_efforts(
    joints: NamedJoints,
    drives: Drives,
    snapshot: Snapshot,
    motion: Callable[[], BodyMotion],
    reactions: Any,
) -> dict[str, float]:
    """Return the effort of the drive of each joint with one coordinate [N m or N].

    The effort of a drive with finite gains follows from its law at the current position and velocity, within its limit,
    plus the added effort. The effort of a rigid drive is the load that the joint carries along its axis, plus the
    loads of its followers times their multipliers, by the principle of virtual work.

    Args:
        joints: The joints.
        drives: Settings of their drives.
        snapshot: Current snapshot of the robot.
        motion: Returns the current poses and velocities of the bodies.
        reactions: `State.body_parent_f`; None if it was not requested.

    Returns:
        Efforts by joint name; zero for a rigid drive if `reactions` is None.
    """
    given = drives.efforts_at(snapshot.joints[:, 0], snapshot.joints[:, 1])
    efforts = dict(zip(joints.names, given.tolist(), strict=True))
    rigid = drives.rigid
    if not rigid:
        return efforts
    if reactions is not None:
        now, wrenches = motion(), reactions.numpy().astype(np.float64)
        loads = {name: _carried(joints.freedoms[name], now, wrenches) for name in rigid}
        for name, mimic in joints.led.items():
            if mimic.joint in loads:
                loads[mimic.joint] += mimic.multiplier * _carried(joints.freedoms[name], now, wrenches)
        return efforts | loads
    return efforts | dict.fromkeys(rigid, 0.0)


def _carried(freedom: Freedom, motion: BodyMotion, wrenches: Array) -> float:
    """Return the force along, or torque about, an axis of a joint on its child [N or N m]."""
    child = freedom.joint.child
    axis, wrench = motion.direction(freedom), wrenches[child]
    force = wrench[:3]
    if not freedom.turns:
        return float(axis @ force)
    anchor = (motion.pose(child) @ freedom.joint.pose_child).position
    return float(axis @ (wrench[3:] + np.cross(motion.com(child) - anchor, force)))
