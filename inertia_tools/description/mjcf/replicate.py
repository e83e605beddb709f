# SPDX-FileCopyrightText: The inertia_tools authors
# SPDX-License-Identifier: Apache-2.0
"""Copies made by `<replicate>`: their number, poses, and name suffixes."""

from __future__ import annotations

import numpy as np

from inertia_tools.description.mjcf.orientation import ORIGIN, from_euler, from_eulers
from inertia_tools.description.mjcf.values import vector, whole
from inertia_tools.description.mjcf_bodies import Compiler
from inertia_tools.description.xml import Element
from inertia_tools.spatial import Pose

MOST_COPIES = 100_000
"""Maximum number of elements in the copies of one document; a larger number is a typing error, or an attack."""


def copy_suffixes(element: Element, outer: str) -> list[str]:
    """Return the name suffix of each copy.

    Args:
        element: The `<replicate>`.
        outer: Suffix of the names around it.

    Raises:
        ParseError: The number of copies is too large, negative or missing.
    """
    count = copy_count(element)
    separator, digits = element.attributes.get("sep", ""), len(str(count))  # digits of the count, as MuJoCo pads
    return [f"{separator}{number:0{digits}d}{outer}" for number in range(count)]


def copy_count(element: Element) -> int:
    """Return the number of copies of a `<replicate>`.

    Raises:
        ParseError: The number of copies is too large, negative or missing.
    """
    element.attribute("count")
    count = whole(element, "count", 0)
    if not 0 <= count <= MOST_COPIES:
        raise element.error(f"<replicate> asks for {count} copies; write a count from 0 to {MOST_COPIES}")
    return count


def copy_poses(element: Element, compiler: Compiler, count: int) -> list[Pose]:
    """Return the pose of each copy, seen from the parent of the `<replicate>`.

    As in MuJoCo, a copy is rotated by its number times the angles, and is offset from the previous one along axes that
    are rotated by all angles once per copy. The two rotations agree if the angles are about one axis.

    Raises:
        ParseError: A number cannot be read.
    """
    offset, angles = vector(element, "offset", ORIGIN), vector(element, "euler", ORIGIN)
    step, turned, place = from_euler(angles, compiler), np.eye(3), np.zeros(3)
    poses = []
    with np.errstate(over="ignore"):
        all_angles = np.outer(np.arange(count), angles)
    if not np.isfinite(all_angles).all():
        raise element.error(
            f"euler of <replicate> is too large to be repeated {count} times; give angles below one turn"
        )
    for rotation in from_eulers(all_angles, compiler):
        poses.append(Pose(place, rotation))
        place, turned = place + turned @ offset, turned @ step
    return poses
