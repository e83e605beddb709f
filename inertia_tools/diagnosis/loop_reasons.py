# SPDX-FileCopyrightText: The inertia_tools authors
# SPDX-License-Identifier: Apache-2.0
"""Joints that close loops, and welds, which are not closed at the start."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from inertia_tools.description.joint import Joint, JointType
from inertia_tools.description.kinematics import coordinate_joints, poses_at
from inertia_tools.description.types import Description
from inertia_tools.diagnosis.reason import Reason, reason_at, score_beyond
from inertia_tools.inertia.finding import Severity
from inertia_tools.spatial import Pose

MEETING_IN_A_POINT = (JointType.FIXED, JointType.REVOLUTE, JointType.CONTINUOUS, JointType.BALL)
"""Joints that hold a point of one link at a point of the other."""

GAP = 1e-3
"""Distance that rounding in a file leaves [m]."""

TURN = 1e-2
"""Angle that rounding in a file leaves [rad]."""


def loop_reasons(robot: Description) -> Iterator[Reason]:
    """Report loops whose joint does not fit the poses of its two links at the start."""
    starts = {name: joint.start for name, joint in coordinate_joints(robot).items() if joint.start is not None}
    poses = poses_at(robot, starts) if robot.loop_joints else {}
    for joint in robot.loop_joints:
        if joint.type not in MEETING_IN_A_POINT or not {joint.parent, joint.child} <= poses.keys():
            continue
        wanted = poses[joint.parent] @ joint.pose_parent_child @ joint.pose_child_joint
        found = poses[joint.child] @ joint.pose_child_joint
        gap = float(np.linalg.norm(wanted.position - found.position))
        turn = _angle(wanted, found) if joint.type is JointType.FIXED else 0.0
        if gap > GAP or turn > TURN:
            yield _open(joint, gap, turn)


def _angle(a: Pose, b: Pose) -> float:
    """Return the angle of the rotation between two frames [rad]."""
    cosine = 0.5 * (float(np.trace(a.rotation.T @ b.rotation)) - 1.0)
    return float(np.arccos(np.clip(cosine, -1.0, 1.0)))


def _open(joint: Joint, gap: float, turn: float) -> Reason:
    apart = f"{1e3 * gap:.4g} mm" + (f" and {np.degrees(turn):.3g} degrees" if turn > TURN else "")
    is_turned = turn / TURN > gap / GAP
    value, bound = (turn, TURN) if is_turned else (gap, GAP)
    return reason_at(
        joint.place,
        Severity.WARNING,
        "loop-open",
        f"it joins {joint.parent!r} and {joint.child!r}, whose joint frames are {apart} apart at the start; a "
        "simulation closes that in one step",
        "correct the pose of the joint (relpose or anchor in MJCF), or start the links where it holds them",
        score=score_beyond(value, bound),
        joint=joint.name,
        value=value,
        bound=bound,
    )
