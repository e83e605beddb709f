# SPDX-FileCopyrightText: The inertia_tools authors
# SPDX-License-Identifier: Apache-2.0
"""What the drives of a robot gave in the last step."""

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

    A drive with finite gains gives what its law says of where the joint is now, within its limit, and the effort that
    was set besides. One that holds rigidly gives what the joint carries about its axis.

    Args:
        joints: The joints.
        drives: What was set of their drives.
        snapshot: The robot as it is now.
        motion: Gives the bodies as they are now.
        reactions: `State.body_parent_f`; None where it was not asked for.

    Returns:
        By name; zero for a rigid drive without reactions.
    """
    given = drives.efforts_at(snapshot.joints[:, 0], snapshot.joints[:, 1])
    efforts = dict(zip(joints.names, given.tolist(), strict=True))
    rigid = drives.rigid
    if not rigid:
        return efforts
    if reactions is not None:
        now, wrenches = motion(), reactions.numpy().astype(np.float64)
        return efforts | {name: _carried(joints.freedoms[name], now, wrenches) for name in rigid}
    return efforts | dict.fromkeys(rigid, 0.0)


def _carried(freedom: Freedom, motion: BodyMotion, wrenches: Array) -> float:
    """Return what a joint exerts on its child along or about an axis of it [N or N m]."""
    child = freedom.joint.child
    axis, wrench = motion.direction(freedom), wrenches[child]
    force = wrench[:3]
    if not freedom.turns:
        return float(axis @ force)
    anchor = (motion.pose(child) @ freedom.joint.pose_child).position
    return float(axis @ (wrench[3:] + np.cross(motion.com(child) - anchor, force)))
