# SPDX-FileCopyrightText: The inertia_tools authors
# SPDX-License-Identifier: Apache-2.0
"""What the `<gazebo reference="link">` elements of a URDF say of how the link falls, slides, and what it touches."""

from __future__ import annotations

from dataclasses import dataclass

from inertia_tools.description.link import Surface
from inertia_tools.description.sdf.values import optional_number
from inertia_tools.description.xml import Element
from inertia_tools.errors import ParseError

SAID = frozenset({"true", "1", "yes"})
"""What Gazebo takes for true in such an element."""


@dataclass(frozen=True)
class LinkSettings:
    """What is said of one link.

    Attributes:
        gravity_scale: Zero where gravity is switched off for it, otherwise one.
        surface: How all its collisions touch others; None where nothing is said.
        self_collides: It touches other links of the robot.
    """

    gravity_scale: float = 1.0
    surface: Surface | None = None
    self_collides: bool = False


def urdf_link_settings(root: Element) -> dict[str, LinkSettings]:
    """Return what a robot says of its links, by their names; of what is said twice, the last counts."""
    found: dict[str, LinkSettings] = {}
    for block in root.all("gazebo"):
        name = block.attributes.get("reference", "")
        before = found.get(name, LinkSettings())
        friction = _friction(block)
        surface = before.surface if friction is None else Surface(friction=friction)
        falls = _said(block, ("gravity",), before.gravity_scale == 1.0)
        falls = not _said(block, ("turnGravityOff",), not falls)
        self_collides = _said(block, ("selfCollide", "self_collide"), before.self_collides)
        found[name] = LinkSettings(float(falls), surface, self_collides)
    return found


def _said(block: Element, tags: tuple[str, ...], before: bool) -> bool:
    """Return what the last of some elements says; what was said before where there is none."""
    words = [element.text.strip().lower() for element in block.children if element.tag in tags]
    return words[-1] in SAID if words else before


def _friction(block: Element) -> float | None:
    """Return the coefficient of sliding friction along its first direction; None where it is absent or no number."""
    try:
        return optional_number(block, "mu1")
    except ParseError:
        return None
