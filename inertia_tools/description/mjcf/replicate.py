# SPDX-FileCopyrightText: The inertia_tools authors
# SPDX-License-Identifier: Apache-2.0
"""Copies that a `<replicate>` asks for: how many, how each is moved, and what its names end in."""

from __future__ import annotations

import numpy as np

from inertia_tools.description.mjcf.orientation import ORIGIN, from_euler, from_eulers
from inertia_tools.description.mjcf.values import vector, whole
from inertia_tools.description.mjcf_bodies import Compiler
from inertia_tools.description.xml import Element
from inertia_tools.spatial import Pose

MOST_COPIES = 100_000
"""Elements that the copies in one document may come to; more is a slip of the keyboard, or an attack."""


def copy_suffixes(element: Element, outer: str) -> list[str]:
    """Return what the names in each copy end in.

    Args:
        element: The `<replicate>`.
        outer: What names around it end in.

    Raises:
        ParseError: It asks for too many copies, for less than none, or does not say how many.
    """
    count = copy_count(element)
    separator, digits = element.attributes.get("sep", ""), len(str(count))  # of the count, as MuJoCo pads
    return [f"{separator}{number:0{digits}d}{outer}" for number in range(count)]


def copy_count(element: Element) -> int:
    """Return how many copies a `<replicate>` asks for.

    Raises:
        ParseError: It asks for too many copies, for less than none, or does not say how many.
    """
    element.attribute("count")
    count = whole(element, "count", 0)
    if not 0 <= count <= MOST_COPIES:
        raise element.error(f"<replicate> asks for {count} copies; write a count from 0 to {MOST_COPIES}")
    return count


def copy_poses(element: Element, compiler: Compiler, count: int) -> list[Pose]:
    """Return where each copy stands, seen from what the `<replicate>` stands in.

    As MuJoCo has it, a copy is turned by its number times the angles, and lies an offset from the one before it along
    axes that are turned by all angles once for each copy. The two agree where the angles are about one axis.

    Raises:
        ParseError: A number cannot be read.
    """
    offset, angles = vector(element, "offset", ORIGIN), vector(element, "euler", ORIGIN)
    step, turned, place = from_euler(angles, compiler), np.eye(3), np.zeros(3)
    poses = []
    with np.errstate(over="ignore"):
        all_angles = np.outer(np.arange(count), angles)
    if not np.isfinite(all_angles).all():
        raise element.error(f"euler of <replicate> is too large to be turned by {count} times; give angles in a turn")
    for rotation in from_eulers(all_angles, compiler):
        poses.append(Pose(place, rotation))
        place, turned = place + turned @ offset, turned @ step
    return poses
