# SPDX-FileCopyrightText: The inertia_tools authors
# SPDX-License-Identifier: Apache-2.0
"""Features of a description that this solver does not support."""

from __future__ import annotations

import logging
from collections.abc import Sequence

from inertia_tools.description.joint import UNKNOWN_JOINT_TYPE
from inertia_tools.description.types import Description, JointType
from inertia_tools.errors import SimulationError
from inertia_tools.sim.scene.joint_kind import JointKind

LOG = logging.getLogger(__name__)

KINDS = {
    JointType.FIXED: JointKind.FIXED,
    JointType.REVOLUTE: JointKind.REVOLUTE,
    JointType.CONTINUOUS: JointKind.REVOLUTE,
    JointType.PRISMATIC: JointKind.PRISMATIC,
    JointType.FLOATING: JointKind.FREE,
    JointType.PLANAR: JointKind.PLANAR,
    JointType.BALL: JointKind.BALL,
}
"""Types of joints that are simulated."""


def refuse_what_is_not_simulated(robot: Description) -> None:
    """Raise an error for unsupported joints, rather than leave them out.

    Raises:
        SimulationError: There is a joint of another kind.
    """
    worlds = [model.name for model in robot.models if model.is_world]
    if worlds or not robot.links:
        reason = f"has {len(worlds)} worlds; keep one" if worlds else "has no link"
        raise SimulationError(f"{robot.document.name}: the document {reason}")
    for remark in robot.remarks:
        if remark.code == UNKNOWN_JOINT_TYPE:
            raise SimulationError(f"{remark.place}: {remark.message}")
    for joint in robot.joints.values():
        if joint.type not in KINDS:
            known = ", ".join(type_.value for type_ in KINDS)
            raise SimulationError(f"{joint.place}: {joint.type.value} joints are not simulated; use one of {known}")


def warn_of_what_is_left_out(robot: Description, left_out: Sequence[str]) -> None:
    """Name the unsupported features that a file asks for, in one warning, and each included model that is missing.

    Args:
        robot: The description.
        left_out: Couplings and loops that could not be added.
    """
    for remark in robot.missing_models:
        LOG.warning("%s: %s", remark.place, remark.message)
    said = list(left_out)
    for joint in (one for first in robot.joints.values() for one in first.row):
        said += [f"{joint.name}: {name}" for name in joint.unused]
        if joint.type is JointType.BALL and joint.limit.upper is not None:
            said.append(f"{joint.name}: range of a ball joint")
    if robot.mjcf is not None:
        said += robot.mjcf.unused
    if said:
        LOG.warning("%s: not simulated: %s", robot.name, "; ".join(said))
