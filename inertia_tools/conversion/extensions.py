# SPDX-FileCopyrightText: The inertia_tools authors
# SPDX-License-Identifier: Apache-2.0
"""The `<gazebo>` elements of URDF: text for Gazebo, about the model, a link or a joint."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from inertia_tools.description.types import Description
from inertia_tools.description.urdf_extensions import SAID
from inertia_tools.description.xml import Element, parse_xml

PRESERVE = "preserveFixedJoint"
LOCK = "disableFixedJointLumping"


@dataclass(frozen=True, eq=False)
class Extension:
    """One element inside a `<gazebo>`.

    Attributes:
        element: The element.
        data: Its text in the document.
    """

    element: Element
    data: bytes

    @property
    def text(self) -> str:
        """The same as text."""
        return self.data.decode("utf-8", "replace")

    def text_of(self, inner: Element) -> str:
        """Return the text of an element inside it."""
        first = self.element.start
        return self.data[inner.start - first : inner.end - first].decode("utf-8", "replace")


@dataclass(frozen=True, eq=False)
class Extensions:
    """The `<gazebo>` elements of a URDF.

    Attributes:
        of_model: Elements about the whole model.
        of: Elements about a link or a joint, by its name.
        preserved: Fixed joints that are kept.
        locked: Fixed joints that are kept as movable joints held at zero.
    """

    of_model: tuple[Extension, ...] = ()
    of: Mapping[str, tuple[Extension, ...]] = field(default_factory=dict)
    preserved: frozenset[str] = frozenset()
    locked: frozenset[str] = frozenset()


def read_extensions(robot: Description) -> Extensions:
    """Read the `<gazebo>` elements of a URDF; other formats have none."""
    if not robot.format.traits.is_urdf:
        return Extensions()
    data = robot.document.data
    of: dict[str, list[Extension]] = {}
    for holder in parse_xml(data, robot.document.name).all("gazebo"):
        found = [Extension(child, data[child.start : child.end]) for child in holder.children]
        of.setdefault(holder.attributes.get("reference", ""), []).extend(found)
    preserved = _wishing(of, PRESERVE)
    return Extensions(
        of_model=tuple(of.pop("", ())),
        of={name: tuple(found) for name, found in of.items()},
        preserved=preserved,
        locked=_wishing(of, LOCK) - preserved,
    )


def _wishing(of: Mapping[str, list[Extension]], tag: str) -> frozenset[str]:
    """Return the names for which an element is true."""
    return frozenset(
        name
        for name, found in of.items()
        for extension in found
        if name and extension.element.tag == tag and extension.element.text.strip().lower() in SAID
    )
