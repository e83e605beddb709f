# SPDX-FileCopyrightText: The inertia_tools authors
# SPDX-License-Identifier: Apache-2.0
"""Settings of links and joints in the `<gazebo>` and `<ros2_control>` elements of a URDF."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace

from inertia_tools.description.link import Surface
from inertia_tools.description.sdf.surface import read_surface
from inertia_tools.description.xml import Element, parse_numbers

SAID = frozenset({"true", "1", "yes"})
"""Values that Gazebo takes for true in such an element."""


@dataclass(frozen=True)
class LinkSettings:
    """The settings of one link.

    Attributes:
        gravity_scale: Zero if gravity is disabled for it, otherwise one.
        surface: Contact properties of all its collisions; None if none are stated.
        self_collides: It collides with other links of the robot.
    """

    gravity_scale: float = 1.0
    surface: Surface | None = None
    self_collides: bool = False


@dataclass(frozen=True)
class JointSettings:
    """The settings of one joint.

    Attributes:
        stiffness: Stiffness of a spring in it [N m/rad or N/m].
        rest: Rest position of that spring [rad or m].
        start: Initial position [rad or m]; None if none is stated.
    """

    stiffness: float = 0.0
    rest: float = 0.0
    start: float | None = None


@dataclass(frozen=True)
class UrdfExtensions:
    """Settings of links and joints by their names, and of all links without their own."""

    links: Mapping[str, LinkSettings]
    joints: Mapping[str, JointSettings]
    of_all: LinkSettings

    def of_link(self, name: str) -> LinkSettings:
        """Return the settings of a link."""
        return self.links.get(name, self.of_all)

    def of_joint(self, name: str) -> JointSettings:
        """Return the settings of a joint."""
        return self.joints.get(name, JointSettings())


def read_extensions(root: Element) -> UrdfExtensions:
    """Read a robot's settings of links and joints; of duplicates the last one counts."""
    of_all = LinkSettings()
    for block in root.all("gazebo"):
        if "reference" not in block.attributes:
            of_all = replace(of_all, self_collides=_said(block, ("self_collide",), of_all.self_collides))
    links: dict[str, LinkSettings] = {}
    joints: dict[str, JointSettings] = {}
    for block in (block for block in root.all("gazebo") if "reference" in block.attributes):
        name = block.attributes["reference"]
        links[name] = _of_link(block, links.get(name, of_all))
        joints[name] = _of_joint(block, joints.get(name, JointSettings()))
    for name, start in _starts(root):
        joints[name] = replace(joints.get(name, JointSettings()), start=start)
    return UrdfExtensions(links, joints, of_all)


def _of_link(block: Element, before: LinkSettings) -> LinkSettings:
    falls = _said(block, ("gravity",), before.gravity_scale == 1.0)
    falls = not _said(block, ("turnGravityOff",), not falls)
    surface = before.surface
    for collision in block.all("collision"):
        surface = read_surface(collision) or surface
    friction = _number(block, "mu1")
    if friction is not None:
        surface = replace(surface or Surface(), friction=friction)
    return LinkSettings(float(falls), surface, _said(block, ("selfCollide", "self_collide"), before.self_collides))


def _of_joint(block: Element, before: JointSettings) -> JointSettings:
    stiffness, rest = _number(block, "springStiffness"), _number(block, "springReference")
    return JointSettings(
        before.stiffness if stiffness is None else stiffness, before.rest if rest is None else rest, before.start
    )


def _starts(root: Element) -> Iterator[tuple[str, float]]:
    """Yield the joints whose initial position `<ros2_control>` states, as simulators of ros2_control use it."""
    for hardware in root.all("ros2_control"):
        for joint in hardware.all("joint"):
            for interface in joint.all("state_interface"):
                for param in interface.all("param"):
                    is_start = param.attributes.get("name") == "initial_value"
                    start = _as_number(param.text) if is_start else None
                    if interface.attributes.get("name") == "position" and start is not None:
                        yield joint.attributes.get("name", ""), start


def _word(element: Element) -> str:
    """Return the value of an element for Gazebo: its attribute `value`, else its text."""
    return element.attributes.get("value", element.text).strip()


def _said(block: Element, tags: tuple[str, ...], before: bool) -> bool:
    """Return the value of the last of some elements; the earlier value if none has one."""
    words = [word for element in block.children if element.tag in tags and (word := _word(element).lower())]
    return words[-1] in SAID if words else before


def _number(block: Element, tag: str) -> float | None:
    """Return the number of the last of some elements; None if there is none."""
    numbers = [said_number(element) for element in block.all(tag)]
    return numbers[-1] if numbers else None


def said_number(element: Element) -> float | None:
    """Return the number of an element for Gazebo; None if it has none."""
    return _as_number(_word(element))


def _as_number(text: str) -> float | None:
    try:
        (value,) = parse_numbers(text)
    except ValueError:
        return None
    return float(value)
