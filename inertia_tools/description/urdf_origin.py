# SPDX-FileCopyrightText: The inertia_tools authors
# SPDX-License-Identifier: Apache-2.0
"""The `<origin>` of URDF: a position, and a rotation by roll, pitch and yaw or, from version 1.1, by a quaternion."""

from __future__ import annotations

import re
from collections.abc import Iterator

from inertia_tools.description.types import Remark
from inertia_tools.description.xml import Element
from inertia_tools.spatial import Pose, rotation_from_quaternion

ORIGIN = (0.0, 0.0, 0.0)
QUATERNION = "quat_xyzw"

VERSION = re.compile(r"(\d+)\.(\d+)")
FIRST_WITH_QUATERNIONS = (1, 1)
"""Version of URDF from which urdfdom reads quaternions; it ignores them in older files, and in those without one."""


def has_quaternions(robot: Element) -> bool:
    """Return whether the version that a `<robot>` states has quaternions."""
    version = VERSION.fullmatch(robot.attributes.get("version", "").strip())
    return version is not None and tuple(map(int, version.groups())) >= FIRST_WITH_QUATERNIONS


def read_origin(element: Element, with_quaternions: bool) -> Pose:
    """Read the `<origin>` of an element; the identity if there is none.

    Args:
        element: The element that the origin is in.
        with_quaternions: The version has quaternions, see `has_quaternions`.

    Raises:
        ParseError: There are several, a number is invalid, or the rotation is stated twice or by no quaternion.
    """
    origin = element.only("origin")
    if origin is None:
        return Pose()
    position, angles = origin.numbers("xyz", 3, ORIGIN), origin.numbers("rpy", 3, ORIGIN)
    if not with_quaternions or QUATERNION not in origin.attributes:
        return Pose.from_xyz_rpy(position, angles)
    if "rpy" in origin.attributes:
        raise origin.error(f"<origin> has rpy and {QUATERNION}; keep one")
    quaternion = origin.numbers(QUATERNION, 4)
    try:
        return Pose(position, rotation_from_quaternion(quaternion))
    except ValueError as error:
        raise origin.error(f"{QUATERNION} of <origin> is no rotation; write 0 0 0 1 for none") from error


def ignored_quaternions(robot: Element) -> Iterator[Remark]:
    """Report the quaternions of a `<robot>` whose version has none, on the link that each would rotate."""
    if has_quaternions(robot):
        return
    for element in robot.children:
        link = element.attributes.get("name", "")
        if element.tag == "joint":
            link = element.required("child").attribute("link")
        for origin in (one for holder in (element, *element.children) for one in holder.all("origin")):
            if QUATERNION in origin.attributes:
                message = (
                    f"<origin> has no attribute {QUATERNION!r} before URDF 1.1, so it is ignored; "
                    'write version="1.1" in <robot>, or rpy'
                )
                yield Remark("warning", "unknown-attribute", link, message, origin.place)
