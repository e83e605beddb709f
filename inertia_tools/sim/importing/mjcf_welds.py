# SPDX-FileCopyrightText: The inertia_tools authors
# SPDX-License-Identifier: Apache-2.0
"""Groups of MJCF bodies without joints between them, which MuJoCo treats as one body in contact filters.

Bodies of one such group do not collide, nor do those of two groups that a joint connects. Bodies on a joint to the
world do collide with the world and everything fixed to it.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np

from inertia_tools.description.mjcf.joints import held_name
from inertia_tools.description.types import WORLD, Description, Format, Joint, JointType
from inertia_tools.spatial import Array


def weld_groups(robot: Description) -> Mapping[str, str]:
    """Return the first body of the group of every body, by name; empty for other formats."""
    groups: dict[str, str] = {}
    for name in robot.depth_first if robot.format is Format.MJCF else ():
        joint = robot.parent_joint.get(name)
        groups[name] = groups[joint.parent] if joint is not None and _is_weld(joint) else name
    return groups


def _is_weld(joint: Joint) -> bool:
    """Return whether the document welds a body to another; a joint that is held by request is no weld."""
    return joint.type is JointType.FIXED and joint.name == held_name(joint.child)


def are_beyond_joints(robot: Description, groups: Mapping[str, str]) -> bool:
    """Return whether groups keep bodies apart that no single joint of a scene joins."""
    members = any(groups[name] not in (name, WORLD) for name in groups)
    return members or (bool(groups) and any(joint.further for joint in robot.joints.values()))


def apart_by_welds(robot: Description, groups: Mapping[str, str], links: Sequence[str]) -> Array:
    """Return which pairs of shapes do not collide, as their bodies are welded or adjacent; shape (n, n).

    Args:
        robot: The description.
        groups: What `weld_groups` returned.
        links: Name of the body of each shape, n of them.
    """
    number = {name: index for index, name in enumerate(dict.fromkeys(groups.values()))}
    above = dict.fromkeys(number, -1)
    for name in number:
        joint = robot.parent_joint.get(name)
        if joint is not None:
            above[name] = number[groups[joint.parent]]
    own = np.array([number[groups[link]] for link in links], dtype=int)
    next_ = np.array([above[groups[link]] for link in links], dtype=int)
    body = np.unique(links, return_inverse=True)[1]
    moves = own != number.get(WORLD, -1)
    is_next = (own[:, None] == next_[None, :]) & moves[:, None] & moves[None, :]
    is_same = (own[:, None] == own[None, :]) & moves[:, None]  # bodies fixed to the world do not push it
    apart: Array = (is_same | is_next | is_next.T) & (body[:, None] != body[None, :])
    return apart
