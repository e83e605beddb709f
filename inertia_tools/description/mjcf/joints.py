# SPDX-FileCopyrightText: The inertia_tools authors
# SPDX-License-Identifier: Apache-2.0
"""The joints of MJCF. They stand in the body they move, several in a row move it one after the other."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import numpy as np

from inertia_tools.description.compiled import Compiler
from inertia_tools.description.joint import Joint, JointLimit, JointType
from inertia_tools.description.mjcf.values import choice, first_number, vector
from inertia_tools.description.source import Place
from inertia_tools.description.xml import Element
from inertia_tools.spatial import Array, Pose, are_usable

TYPES = {
    "free": JointType.FLOATING,
    "ball": JointType.BALL,
    "slide": JointType.PRISMATIC,
    "hinge": JointType.REVOLUTE,
}
UP = (0.0, 0.0, 1.0)


def read_joint(element: Element, pose_body_frame: Pose, compiler: Compiler, name: str) -> Joint:
    """Read one joint with its defaults; whom it joins is filled in later.

    Raises:
        ParseError: A number cannot be read, the axis has no direction, or the type is unknown.
    """
    word = "free" if element.tag == "freejoint" else choice(element, "type", tuple(TYPES), "hinge")
    type_ = TYPES[word]
    limit = _read_limit(element, word, compiler)
    if type_ is JointType.REVOLUTE and limit == JointLimit():
        type_ = JointType.CONTINUOUS
    position = np.zeros(3) if word == "free" else vector(element, "pos", (0.0, 0.0, 0.0))
    return Joint(
        name=name,
        type=type_,
        parent="",
        child="",
        pose_parent_child=Pose(),
        place=element.place,
        axis=pose_body_frame.rotation @ _read_axis(element) if word in ("slide", "hinge") else np.array(UP),
        limit=limit,
        damping=first_number(element, "damping", 0.0),
        friction=first_number(element, "frictionloss", 0.0),
        pose_child_joint=Pose(pose_body_frame.transform_points(position), pose_body_frame.rotation),
    )


def joined(joints: Sequence[Joint], parent: str, child: str, pose: Pose, place: Place) -> Joint:
    """Return what joins a body to the one it stands in: its joints in a row, or a fixed one where it has none.

    Args:
        joints: The joints of the body, in document order.
        parent: Name of the body it stands in.
        child: Its own name.
        pose: Its frame seen from the body it stands in.
        place: Where it stands.
    """
    if not joints:
        return Joint(f"{child}:fixed", JointType.FIXED, parent, child, pose, place)
    first, *further = (replace(joint, parent=parent, child=child, pose_parent_child=pose) for joint in joints)
    return replace(first, further=tuple(further))


def _read_axis(element: Element) -> Array:
    direction = vector(element, "axis", UP)
    length = float(np.linalg.norm(direction)) if are_usable(direction) else np.nan
    if not length > 0.0:
        raise element.error(f"axis={element.attributes.get('axis')!r} of the joint has no direction; give it one")
    return direction / length


def _read_limit(element: Element, word: str, compiler: Compiler) -> JointLimit:
    limited = choice(element, "limited", ("auto", "true", "false"), "auto")
    is_limited = limited == "true" or (limited == "auto" and compiler.autolimits and "range" in element.attributes)
    if not is_limited or word == "free":
        return JointLimit()
    low, high = vector(element, "range", (0.0, 0.0))
    factor = np.pi / 180.0 if compiler.in_degrees and word != "slide" else 1.0
    return JointLimit(float(low * factor), float(high * factor))
