# SPDX-FileCopyrightText: The inertia_tools authors
# SPDX-License-Identifier: Apache-2.0
"""Joints as SDFormat writes them."""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import Protocol

import numpy as np

from inertia_tools.conversion.account import Account, Kind
from inertia_tools.conversion.markup import Node, number, numbers
from inertia_tools.conversion.motors import note_motors
from inertia_tools.description.kinematics import TURNING
from inertia_tools.description.sdf.joints import SCREW, TWO_AXES
from inertia_tools.description.types import WORLD, Joint, JointLimit, JointType
from inertia_tools.errors import ConversionError
from inertia_tools.spatial import Array, Pose

MIMIC_VERSION = (1, 11)
WITHOUT_AXIS = (JointType.FIXED, JointType.BALL)
APART = 1e-9
"""Distance between the axes of two joints that still are one of two axes [m]."""

OBLIQUE = 1e-6
"""Cosine of the angle between the axes of a universal joint, which are perpendicular; other pairs are `revolute2`."""

LACKING = {JointType.PLANAR: "a planar joint", JointType.FLOATING: "a floating joint inside a tree"}


class Names(Protocol):
    """The names of links and joints in the model."""

    @property
    def of_link(self) -> Mapping[str, str]:
        """Names of links."""

    @property
    def of_joint(self) -> Mapping[str, str]:
        """Names of joints by the name of the first in a row."""

    @property
    def of_second(self) -> Mapping[str, str]:
        """Names of joints by the name of the second in a row, which is their second axis."""


def write_joint(
    model: Node, joint: Joint, names: Names, version: tuple[int, int], account: Account, *, locked: bool
) -> Node:
    """Add a joint to a model, and return it.

    Args:
        model: The element to add it to.
        joint: The joint.
        names: Names in the model.
        version: Version of SDFormat.
        account: Receives notes.
        locked: It is fixed and becomes a revolute joint held at zero.

    Raises:
        ConversionError: SDFormat has no such joint, or it is several in one.
    """
    type_ = JointType.REVOLUTE.value if locked else _type_of(joint)
    node = model.add("joint", name=names.of_joint[joint.name], type=type_)
    pose = joint.pose_child_joint
    if not pose.isclose(Pose(), 0.0):
        node.add("pose", f"{numbers(pose.position)} {numbers(pose.rpy)}")
    node.add("parent", WORLD if joint.parent == WORLD else names.of_link[joint.parent])
    node.add("child", names.of_link[joint.child])
    if type_ == SCREW:
        _add_pitch(node, _pitch_of(joint), version)
    if locked or joint.type not in WITHOUT_AXIS:
        _add_axis(node.add("axis"), joint, names, version, account, locked=locked)
    for second in joint.further if type_ in TWO_AXES else ():
        _add_axis(node.add("axis2"), second, names, version, account)
    return node


def _type_of(joint: Joint) -> str:
    """Return the type of a joint in SDFormat, where two rotations about one point are one joint.

    Raises:
        ConversionError: SDFormat has no such joint.
    """
    if joint.type in LACKING:
        reason = f"{LACKING[joint.type]} ({joint.name!r}) cannot be stored in SDFormat; replace it by other joints"
        raise ConversionError(reason, joint.place.file, joint.place.line)
    if not joint.further:
        return joint.type.value
    if _pitch_of(joint):
        return SCREW
    anchors = [one.pose_child_joint.position for one in joint.row]
    if len(joint.row) > 2 or not all(one.type in TURNING for one in joint.row) or np.ptp(anchors, axis=0).max() > APART:
        raise ConversionError(
            f"{len(joint.row)} joints in series move link {joint.child!r}; add a link between them",
            joint.place.file,
            joint.place.line,
        )
    return "universal" if abs(joint.axis @ joint.further[0].axis) <= OBLIQUE else "revolute2"


def _pitch_of(joint: Joint) -> float:
    """Return the advance of a screw [m/rad]: a rotation, and a slide along its axis that follows it; 0 for others.

    The slide of a screw has no limits, resistance or drive of its own.
    """
    slide = joint.further[0]
    mimic, resistance = slide.mimic, (slide.damping, slide.friction, slide.armature, slide.stiffness)
    if joint.type not in TURNING or slide.type is not JointType.PRISMATIC or len(joint.row) > 2 or mimic is None:
        return 0.0
    if slide.limit != JointLimit() or slide.drive is not None or any(resistance):
        return 0.0
    cosine = float(joint.axis @ slide.axis)
    is_screw = mimic.joint == joint.name and mimic.offset == 0.0 and abs(cosine) >= 1.0 - OBLIQUE
    return math.copysign(mimic.multiplier, mimic.multiplier * cosine) if is_screw else 0.0


def _add_axis(
    axis: Node, joint: Joint, names: Names, version: tuple[int, int], account: Account, *, locked: bool = False
) -> None:
    axis.add("xyz", _direction(joint, joint.axis))
    limit = axis.add("limit")
    lower, upper = (0.0, 0.0) if locked else (joint.limit.lower, joint.limit.upper)
    for tag, value in (
        ("lower", -math.inf if lower is None else lower),
        ("upper", math.inf if upper is None else upper),
        ("effort", joint.limit.effort),
        ("velocity", joint.limit.velocity),
    ):
        if value is not None:
            limit.add(tag, number(value) if math.isfinite(value) else f"{math.copysign(1e16, value):g}")
    if joint.damping or joint.friction or joint.stiffness:
        dynamics = axis.add("dynamics")
        dynamics.add_number("damping", joint.damping)
        dynamics.add_number("friction", joint.friction)
        if joint.stiffness:
            dynamics.add_number("spring_reference", joint.rest)
            dynamics.add_number("spring_stiffness", joint.stiffness)
    note_motors(joint, account)
    if joint.mimic is not None:
        _add_mimic(axis, joint, names, version, account)


def _add_mimic(axis: Node, joint: Joint, names: Names, version: tuple[int, int], account: Account) -> None:
    mimic = joint.mimic
    assert mimic is not None
    is_second = mimic.joint in names.of_second
    leaders = names.of_second if is_second else names.of_joint
    if version < MIMIC_VERSION or mimic.joint not in leaders:
        message = (
            "mimic needs SDFormat 1.11" if version < MIMIC_VERSION else f"its leader {mimic.joint!r} is not written"
        )
        account.note(Kind.DROPPED, joint.name, f"its mimic is lost; {message}", joint.place)
        return
    node = axis.add("mimic", joint=leaders[mimic.joint], **({"axis": "axis2"} if is_second else {}))
    node.add_number("multiplier", mimic.multiplier)
    node.add_number("offset", mimic.offset)
    node.add_number("reference", 0.0)


def _add_pitch(node: Node, pitch: float, version: tuple[int, int]) -> None:
    """Write the advance of a screw; before 1.10 it is in radians per metre with the opposite sign."""
    if version >= (1, 10):
        node.add_number("screw_thread_pitch", pitch * 2.0 * math.pi)
    elif pitch:
        node.add_number("thread_pitch", -1.0 / pitch)


def _direction(joint: Joint, axis: Array) -> str:
    """Return an axis in the joint's own frame."""
    return numbers(joint.pose_child_joint.rotation.T @ axis)
