# SPDX-FileCopyrightText: The inertia_tools authors
# SPDX-License-Identifier: Apache-2.0
"""The joints of MJCF. They are children of the body they move; several in a row act one after the other."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Literal

import numpy as np

from inertia_tools.description.joint import Joint, JointLimit, JointType
from inertia_tools.description.mjcf.values import choice, first_number, up_to, vector
from inertia_tools.description.mjcf_bodies import REFUSES, Compiler
from inertia_tools.description.source import Place
from inertia_tools.description.types import Remark
from inertia_tools.description.xml import Element
from inertia_tools.spatial import Array, Pose, are_usable

TYPES = {
    "free": JointType.FLOATING,
    "ball": JointType.BALL,
    "slide": JointType.PRISMATIC,
    "hinge": JointType.REVOLUTE,
}
UP = (0.0, 0.0, 1.0)
SWITCHES = ("auto", "true", "false")
WORDS = {"damping": "damping", "friction": "frictionloss", "armature": "armature"}
"""Attributes that resist the motion of a joint, by their names in `Joint`."""

OF_MOTION = ("damping", "frictionloss", "armature", "stiffness")
"""Attributes that a free joint may state and that free bodies here do not have."""

MOST_NUMBERS = 8
"""Maximum number of values of an attribute with terms of higher order."""


def read_joint(element: Element, pose_body_frame: Pose, compiler: Compiler, name: str) -> Joint:
    """Read one joint with its defaults; its links are filled in later.

    Positions count from the pose that the document gives the body, so `ref` is subtracted from limits and spring.

    Raises:
        ParseError: A number cannot be read, the axis has no direction, or the type is unknown.
    """
    word = "free" if element.tag == "freejoint" else choice(element, "type", tuple(TYPES), "hinge")
    type_ = TYPES[word]
    limit = _read_limit(element, word, compiler)
    if type_ is JointType.REVOLUTE and limit.lower is None:
        type_ = JointType.CONTINUOUS
    position = np.zeros(3) if word == "free" else vector(element, "pos", (0.0, 0.0, 0.0))
    has_axis = word in ("slide", "hinge")
    ref = joint_ref(element, word, compiler)
    return Joint(
        name=name,
        type=type_,
        parent="",
        child="",
        pose_parent_child=Pose(),
        place=element.place,
        axis=pose_body_frame.rotation @ _read_axis(element) if has_axis else np.array(UP),
        limit=limit,
        damping=first_number(element, "damping", 0.0),
        friction=first_number(element, "frictionloss", 0.0),
        pose_child_joint=Pose(pose_body_frame.transform_points(position), pose_body_frame.rotation),
        armature=first_number(element, "armature", 0.0),
        stiffness=first_number(element, "stiffness", 0.0),
        rest=_angle(first_number(element, "springref", 0.0), word, compiler) - ref if has_axis else 0.0,
        unused=tuple(_unused(element, word, compiler)),
        stated=frozenset(name for name, word in WORDS.items() if word in element.attributes),
    )


@dataclass(frozen=True)
class DocumentPosition:
    """How the document counts the positions of a joint.

    Attributes:
        ref: Its position in the document's own pose [rad or m].
        range: Stated range [rad or m]; a range that is not a limit is unconverted.
    """

    ref: float = 0.0
    range: tuple[float, float] = (0.0, 0.0)

    def widened(self, share: float) -> tuple[float, float]:
        """Return the range times a factor, about its middle [rad or m]."""
        low, high = self.range
        middle, reach = 0.5 * (low + high), 0.5 * (high - low) * share
        return middle - reach, middle + reach


def document_position(element: Element, compiler: Compiler) -> DocumentPosition:
    """Return how the document counts the positions of a joint with its defaults.

    Raises:
        ParseError: A number cannot be read.
    """
    word = element.attributes.get("type", "hinge")
    low, high = vector(element, "range", (0.0, 0.0)).tolist()
    if is_limited(element, "limited", "range", compiler):  # MuJoCo leaves a range that is no limit in degrees
        low, high = _angle(low, word, compiler), _angle(high, word, compiler)
    return DocumentPosition(joint_ref(element, word, compiler), (low, high))


def joint_ref(element: Element, word: str, compiler: Compiler) -> float:
    """Return a joint's position in the document's own pose [rad or m]."""
    return _angle(first_number(element, "ref", 0.0), word, compiler) if word in ("slide", "hinge") else 0.0


def _angle(value: float, word: str, compiler: Compiler) -> float:
    return value * float(np.pi / 180.0) if compiler.in_degrees and word != "slide" else value


def _unused(element: Element, word: str, compiler: Compiler) -> Iterator[str]:
    """Return the unsupported attributes of a joint."""
    for name in ("damping", "stiffness"):
        if any(up_to(element, name, MOST_NUMBERS)[1:]):
            yield f"{name} beyond its first number"
    if any(up_to(element, "springdamper", 2)):
        yield "springdamper"
    if element.attributes.get("actuatorgravcomp") == "true":
        yield "actuatorgravcomp"
    efforts = _efforts(element, compiler)
    if efforts is not None and efforts[0] != -efforts[1]:
        yield "the smaller side of its actuatorfrcrange"
    if word == "free" and any(first_number(element, name, 0.0) for name in OF_MOTION):
        yield from (name for name in OF_MOTION if first_number(element, name, 0.0))


def held_name(child: str) -> str:
    """Return the name of the fixed joint of a body without joints, which has no name in the document."""
    return f"{child}:fixed"


def joined(joints: Sequence[Joint], parent: str, child: str, pose: Pose, place: Place) -> Joint:
    """Return the joints between a body and its parent: its own in a row, or a fixed one if it has none.

    Args:
        joints: The joints of the body, in document order.
        parent: Name of the parent body.
        child: Its own name.
        pose: Its frame seen from the parent body.
        place: Its location in the file.
    """
    if not joints:
        return Joint(held_name(child), JointType.FIXED, parent, child, pose, place)
    first, *further = (replace(joint, parent=parent, child=child, pose_parent_child=pose) for joint in joints)
    return replace(first, further=tuple(further))


def _read_axis(element: Element) -> Array:
    direction = vector(element, "axis", UP)
    length = float(np.linalg.norm(direction)) if are_usable(direction) else np.nan
    if not length > 0.0:
        raise element.error(
            f"axis={element.attributes.get('axis')!r} of the joint is zero; write a vector of nonzero length"
        )
    return direction / length


def _read_limit(element: Element, word: str, compiler: Compiler) -> JointLimit:
    """Read the range, relative to the document's own pose, and the bound of the actuators' efforts."""
    efforts = _efforts(element, compiler)
    effort = None if efforts is None else max(map(abs, efforts)) or None
    if word == "free" or not is_limited(element, "limited", "range", compiler):
        return JointLimit(effort=effort)
    low, high = (_angle(float(end), word, compiler) for end in vector(element, "range", (0.0, 0.0)))
    ref = joint_ref(element, word, compiler)
    return JointLimit(low - ref, high - ref, effort)


def _efforts(element: Element, compiler: Compiler) -> tuple[float, float] | None:
    """Return the least and the largest total effort of all actuators; None without bounds."""
    if not is_limited(element, "actuatorfrclimited", "actuatorfrcrange", compiler):
        return None
    low, high = vector(element, "actuatorfrcrange", (0.0, 0.0)).tolist()
    return low, high


def is_limited(element: Element, switch: str, range_: str, compiler: Compiler) -> bool:
    """Return whether a range is a limit: by its switch, or in automatic mode if its ends are in ascending order.

    Raises:
        ParseError: The switch is invalid.
    """
    limited = choice(element, switch, SWITCHES, "auto")
    if limited != "auto" or range_ not in element.attributes:
        return limited == "true"
    low, high = vector(element, range_, (0.0, 0.0))
    return bool(compiler.autolimits and low < high)


def range_remarks(element: Element, body: str, compiler: Compiler) -> Iterator[Remark]:
    """Report the ranges of a joint that MuJoCo refuses, and those that it ignores.

    Args:
        element: The joint.
        body: Name of the body that it moves.
        compiler: The settings.

    Raises:
        ParseError: A range or a switch cannot be read.
    """
    word = element.attributes.get("type", "hinge")
    if element.tag == "freejoint" or word == "free":
        return
    for switch, range_ in (("limited", "range"), ("actuatorfrclimited", "actuatorfrcrange")):
        low, high = vector(element, range_, (0.0, 0.0))
        is_ball = word == "ball" and range_ == "range"
        is_auto = choice(element, switch, SWITCHES, "auto") == "auto"
        stated = f"{range_}={element.attributes.get(range_, '0 0')!r} of the joint"
        if is_limited(element, switch, range_, compiler):
            if low if is_ball else not low < high:
                remedy = "begin it at 0" if is_ball else "write the smaller number first"
                yield Remark(
                    "error", REFUSES, body, f"{stated} is empty; MuJoCo refuses the file, {remedy}", element.place
                )
        elif is_auto and (low or high):
            level: Literal["error", "warning"] = "warning" if compiler.autolimits else "error"
            code, message = (
                ("ignored-range", f"{stated} does not ascend, so MuJoCo applies no limit; correct it")
                if compiler.autolimits
                else (REFUSES, f"{stated} needs {switch}, as autolimits is off; MuJoCo refuses the file without it")
            )
            yield Remark(level, code, body, message, element.place)
