# SPDX-FileCopyrightText: The inertia_tools authors
# SPDX-License-Identifier: Apache-2.0
"""Writing joints to MJCF: in the body that they move, several in series if one is not enough."""

from __future__ import annotations

import numpy as np

from inertia_tools.conversion.account import Account, Kind
from inertia_tools.conversion.freedoms import freedoms
from inertia_tools.conversion.markup import Node, number, numbers
from inertia_tools.description.types import WORLD, Description, Joint, JointLimit, JointType
from inertia_tools.errors import ConversionError
from inertia_tools.spatial import Array

UNBOUNDED = 1e10
"""Bound written beside a stated one, since MJCF needs both [rad or m]."""

ONE_AXIS = {JointType.REVOLUTE: "hinge", JointType.CONTINUOUS: "hinge", JointType.PRISMATIC: "slide"}
LOOPS = (JointType.BALL, JointType.FIXED)
"""Joints for closing loops in MJCF."""

KNOWN = {*ONE_AXIS, JointType.FIXED, JointType.BALL, JointType.PLANAR}


def refuse_joint(joint: Joint) -> None:
    """Check that MJCF can hold a joint.

    Raises:
        ConversionError: It cannot.
    """
    for one in joint.row:
        if one.type not in KNOWN:
            reason = f"joint {one.name!r} is a {one.type.value} joint, which MJCF lacks; replace it by other joints"
            raise ConversionError(reason, one.place.file, one.place.line)


def write_joint(body: Node, joint: Joint, taken: set[str], account: Account) -> None:
    """Add a joint, and those it carries, to the body that they move.

    Args:
        body: The body.
        joint: The joint.
        taken: Names of all joints; those of replacement joints are added.
        account: Receives notes.
    """
    for one in (part for whole in joint.row for part in freedoms(whole, taken, account)):
        _write_one(body, one, account)


def _write_one(body: Node, joint: Joint, account: Account) -> None:
    match joint.type:
        case JointType.FIXED:
            return
        case JointType.BALL:
            _add(body, joint, "ball", None, JointLimit(joint.limit.lower, joint.limit.upper))
        case _:
            _add(body, joint, ONE_AXIS[joint.type], joint.axis, joint.limit)
    if joint.limit.velocity:
        account.note(Kind.DROPPED, joint.name, "its velocity limit is lost; MJCF has no such limit", joint.place)


def _add(body: Node, joint: Joint, type_: str, axis: Array | None, limit: JointLimit) -> None:
    attributes = {"name": joint.name, "type": type_}
    if joint.pose_child_joint.position.any() and type_ != "slide":
        attributes["pos"] = numbers(joint.pose_child_joint.position)
    if axis is not None:
        attributes["axis"] = numbers(axis)
    if limit.lower is not None or limit.upper is not None:
        low = -UNBOUNDED if limit.lower is None else limit.lower
        high = UNBOUNDED if limit.upper is None else limit.upper
        attributes |= {"range": numbers([low, high])} if low < high else _held(low)
    if limit.effort is not None and 0.0 < limit.effort < np.inf:
        attributes["actuatorfrcrange"] = numbers([-limit.effort, limit.effort])
    if joint.damping:
        attributes["damping"] = number(joint.damping)
    if joint.friction:
        attributes["frictionloss"] = number(joint.friction)
    if joint.armature:
        attributes["armature"] = number(joint.armature)
    if joint.stiffness:
        attributes |= {"stiffness": number(joint.stiffness), "springref": number(joint.rest)}
    body.add("joint", **attributes)


def write_loop(equality: Node, loop: Joint) -> None:
    """Add a constraint between two bodies outside their tree."""
    bodies = {"name": loop.name, "body1": loop.child}
    if loop.parent != WORLD:
        bodies["body2"] = loop.parent
    if loop.type is JointType.BALL:
        equality.add("connect", **bodies, anchor=numbers(loop.pose_child_joint.position))
        return
    between = loop.pose_parent_child.inverse()
    x, y, z, w = between.quaternion
    equality.add("weld", **bodies, relpose=numbers([*between.position, w, x, y, z]))


def write_actuators(robot: Description) -> Node:
    """Return the actuators of joints with drives; at zero control they have the drive's target."""
    node = Node("actuator")
    for joint in (one for first in robot.joints.values() for one in first.row):
        drive = joint.drive
        if drive is None or joint.type not in ONE_AXIS:
            continue
        gain = drive.stiffness or drive.damping
        push = drive.stiffness * drive.position + drive.damping * drive.velocity
        bound = {} if drive.effort is None else {"forcerange": numbers([-drive.effort, drive.effort])}
        node.add(
            "general",
            joint=joint.name,
            gainprm=number(gain),
            biastype="affine",
            biasprm=numbers([push, -drive.stiffness, -drive.damping]),
            **bound,
        )
    return node


NARROWEST = 1e-9
"""Width of the range of a joint held at one position [rad or m]; MuJoCo refuses an empty range."""


def _held(position: float) -> dict[str, str]:
    return {"range": numbers([position - 0.5 * NARROWEST, position + 0.5 * NARROWEST])}
