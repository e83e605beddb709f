# SPDX-FileCopyrightText: The inertia_tools authors
# SPDX-License-Identifier: Apache-2.0
"""What the `<gazebo reference="link">` elements of a URDF say of how the link falls and slides."""

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
    """

    gravity_scale: float = 1.0
    surface: Surface | None = None


def urdf_link_settings(root: Element) -> dict[str, LinkSettings]:
    """Return what a robot says of its links, by their names; of what is said twice, the last counts."""
    found: dict[str, LinkSettings] = {}
    for block in root.all("gazebo"):
        name = block.attributes.get("reference", "")
        before = found.get(name, LinkSettings())
        friction = _friction(block)
        surface = before.surface if friction is None else Surface(friction=friction)
        found[name] = LinkSettings(_gravity_scale(block, before.gravity_scale), surface)
    return found


def _gravity_scale(block: Element, scale: float) -> float:
    for element in block.children:
        if element.tag in ("gravity", "turnGravityOff"):
            is_said = element.text.strip().lower() in SAID
            scale = float(is_said == (element.tag == "gravity"))
    return scale


def _friction(block: Element) -> float | None:
    """Return the coefficient of sliding friction along its first direction; None where it is absent or no number."""
    try:
        return optional_number(block, "mu1")
    except ParseError:
        return None
