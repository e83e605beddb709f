# SPDX-FileCopyrightText: The inertia_tools authors
# SPDX-License-Identifier: Apache-2.0
"""Values in SDFormat: the text of an element, with the default if it is empty."""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np

from inertia_tools.description.xml import Element, number_remedy, parse_numbers
from inertia_tools.spatial import Array, Pose, are_usable, rotation_from_quaternion, rotation_from_rpy

TRUE, FALSE = frozenset({"true", "1"}), frozenset({"false", "0"})

POSE_LENGTHS = {"euler_rpy": 6, "quat_xyzw": 7}
"""Numbers in a pose, by the format of its rotation."""


def text_in(element: Element, tag: str, default: str = "") -> str:
    """Return the text of a child; the default when it is absent or empty."""
    child = element.only(tag)
    return default if child is None else child.text.strip() or default


def has_text(element: Element, tag: str) -> bool:
    """Return whether a child is there and not empty."""
    return bool(text_in(element, tag))


def numbers_in(element: Element, tag: str, count: int, default: tuple[float, ...] | None = None) -> list[float]:
    """Return the numbers of a child.

    Raises:
        ParseError: It is absent or empty without a default, has another count, or holds something other than numbers.
    """
    if not has_text(element, tag):
        if default is not None:
            return list(default)
        child = element.required(tag)
        raise child.error(f"<{tag}> of <{element.tag}> is empty; write {_count(count)}")
    return numbers_of(element.required(tag), count)


def number_in(element: Element, tag: str, default: float | None = None) -> float:
    """Return the number of a child; the arguments are those of `numbers_in`.

    Raises:
        ParseError: It is absent or empty without a default, or no number.
    """
    return numbers_in(element, tag, 1, None if default is None else (default,))[0]


def optional_number(element: Element, tag: str) -> float | None:
    """Return the number of a child; None when it is absent or empty.

    Raises:
        ParseError: It is not a number.
    """
    return number_in(element, tag) if has_text(element, tag) else None


def numbers_of(element: Element, count: int) -> list[float]:
    """Return the numbers in an element's text.

    Raises:
        ParseError: They are not that many, or not all of them numbers.
    """
    text = " ".join(element.text.split())
    try:
        values: list[float] = parse_numbers(text)
    except ValueError as error:
        reason = f"<{element.tag}> holds {text!r}, which is not a number; {number_remedy(text)}"
        raise element.error(reason) from error
    if len(values) != count:
        raise element.error(f"<{element.tag}> holds {_count(len(values))}; {count} are needed")
    return values


def truth_of(text: str, element: Element, what: str, default: bool = False) -> bool:
    """Return a text as true or false; the default if it is empty.

    Raises:
        ParseError: It is neither.
    """
    word = text.strip().lower()
    if not word:
        return default
    if word not in TRUE | FALSE:
        raise element.error(f"{what} is {text.strip()!r}; write true or false")
    return word in TRUE


def truth_in(element: Element, tag: str, default: bool = False) -> bool:
    """Return a child's text as true or false; the default if it is absent or empty.

    Raises:
        ParseError: It is something else.
    """
    child = element.only(tag)
    return default if child is None else truth_of(child.text, child, f"<{tag}>", default)


def pose_of(element: Element | None) -> Pose:
    """Return the pose that a `<pose>` states in the frame it is relative to; identity when absent or empty.

    Raises:
        ParseError: Its numbers or attributes are not those of a pose.
    """
    if element is None:
        return Pose()
    format_ = element.attributes.get("rotation_format", "euler_rpy")
    if format_ not in POSE_LENGTHS:
        known = " or ".join(POSE_LENGTHS)
        raise element.error(f"rotation_format={format_!r} of <pose> is unknown; write {known}")
    if not element.text.strip():
        return Pose()
    degrees = truth_of(element.attributes.get("degrees", ""), element, "degrees")
    values = numbers_of(element, POSE_LENGTHS[format_])
    if format_ == "quat_xyzw":
        if degrees:
            raise element.error(
                "degrees do not apply to a quaternion; remove degrees or write rotation_format='euler_rpy'"
            )
        return Pose(np.array(values[:3]), _rotation_from_quaternion(element, values[3:]))
    rpy = [math.radians(angle) for angle in values[3:]] if degrees else values[3:]
    return Pose(np.array(values[:3]), rotation_from_rpy(rpy)) if any(rpy) else Pose(np.array(values[:3]))


def radians_of(element: Element | None) -> Sequence[float]:
    """Return roll, pitch and yaw of a `<pose>` in radians; none if it uses another format."""
    if element is None or not element.text.strip() or {"degrees", "rotation_format"} & element.attributes.keys():
        return ()
    return numbers_of(element, POSE_LENGTHS["euler_rpy"])[3:]


def frame_pose_of(element: Element | None) -> Pose:
    """Return the pose of a frame that others depend on, as `pose_of`.

    Raises:
        ParseError: It is not a pose, or has numbers that are not finite.
    """
    pose = pose_of(element)
    if element is not None and not (are_usable(pose.position) and are_usable(pose.rotation)):
        raise element.error("<pose> holds values that are not finite numbers; write digits")
    return pose


def _rotation_from_quaternion(element: Element, quaternion: list[float]) -> Array:
    try:
        with np.errstate(invalid="ignore"):  # files may state any number
            return rotation_from_quaternion(quaternion)
    except ValueError as error:
        raise element.error("the quaternion of <pose> is zero; write 0 0 0 1 for no rotation") from error


def _count(count: int) -> str:
    return "one number" if count == 1 else f"{count} numbers"
