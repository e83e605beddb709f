# SPDX-FileCopyrightText: The inertia_tools authors
# SPDX-License-Identifier: Apache-2.0
"""How many numbers say how a joint moves, and where it is."""

from __future__ import annotations

from inertia_tools.sim.joint_kind import JointKind
from inertia_tools.sim.scene_joints import BuiltJoint

DOFS = {JointKind.FREE: 6, JointKind.BALL: 3, JointKind.PLANAR: 3, JointKind.FIXED: 0}
COORDINATES = {JointKind.FREE: 7, JointKind.BALL: 4}
"""Of joints with rotation in all directions, whose coordinates hold a quaternion."""


def dof_count(joint: BuiltJoint) -> int:
    """Return the number of velocities that describe the motion of a joint."""
    return DOFS.get(joint.kind, 1)


def coordinate_count(joint: BuiltJoint) -> int:
    """Return the number of coordinates that say where a joint is."""
    return COORDINATES.get(joint.kind, dof_count(joint))
