# SPDX-FileCopyrightText: The inertia_tools authors
# SPDX-License-Identifier: Apache-2.0
"""What a description may ask for and this solver does not do."""

from __future__ import annotations

import logging

from inertia_tools.description.types import Description, JointType
from inertia_tools.errors import SimulationError
from inertia_tools.sim.joint_kind import JointKind

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
"""The joints that are simulated."""


def refuse_what_is_not_simulated(robot: Description) -> None:
    """Say clearly what this solver does not do yet, rather than leave it out.

    Raises:
        SimulationError: There is a joint of another kind, or several of one link.
    """
    for joint in robot.joints.values():
        if joint.type not in KINDS:
            known = ", ".join(type_.value for type_ in KINDS)
            raise SimulationError(f"{joint.place}: {joint.type.value} joints are not simulated; use one of {known}")
        if joint.further:
            said = f"{len(joint.further) + 1} joints move body {joint.child!r}, and one is simulated"
            raise SimulationError(f"{joint.place}: {said}; put bodies between them")


def warn_of_what_is_left_out(robot: Description) -> None:
    """Name what the file asks for and this solver does not do."""
    mimics = [joint.name for joint in robot.joints.values() if joint.mimic is not None]
    if mimics:
        LOG.warning("%s: joints move on their own although the file has them mimic others: %s", robot.name, mimics)
    if robot.loop_joints:
        names = [joint.name for joint in robot.loop_joints]
        LOG.warning("%s: joints that close loops are not simulated: %s", robot.name, names)
    rubbing = [joint.name for joint in robot.joints.values() if joint.friction > 0.0]
    if rubbing:
        LOG.warning("%s: dry friction of joints is not simulated: %s", robot.name, rubbing)
