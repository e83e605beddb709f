# SPDX-FileCopyrightText: The inertia_tools authors
# SPDX-License-Identifier: Apache-2.0
"""Changing the text of a `<gazebo>` element whose link was merged into another: poses, and names in it."""

from __future__ import annotations

import re
from collections.abc import Mapping
from xml.sax.saxutils import quoteattr

from inertia_tools.conversion.account import Account, Kind
from inertia_tools.conversion.extensions import Extension
from inertia_tools.conversion.grounded import free_name
from inertia_tools.conversion.markup import numbers
from inertia_tools.description.sdf.values import pose_of
from inertia_tools.description.source import Place
from inertia_tools.description.xml import Element
from inertia_tools.errors import ParseError
from inertia_tools.spatial import Pose

PLACED = ("sensor", "light", "projector", "particle_emitter", "audio_source")
"""Elements of a link with a pose of their own in it."""

LINK_NAMES = frozenset(
    {"bodyName", "body_name", "linkName", "link_name", "link", "palm_link", "gripper_link", "frameName"}
)
"""Elements of plugins and grippers that name a link."""

NAME = re.compile(r"""(\sname\s*=\s*)(?:"[^"]*"|'[^']*')""")
"""The name of an element in its text."""


class Renaming:
    """Replaces names of removed elements in extensions."""

    def __init__(
        self, names: Mapping[str, str], into: Mapping[str, str], collisions: Mapping[str, str], account: Account
    ) -> None:
        """Store the results of merging.

        Args:
            names: New names of links, by their former ones.
            into: Links into which others were merged, by the name of the merged one.
            collisions: Names of collisions, by their other names.
            account: Receives notes.
        """
        self._account, self._collisions = account, collisions
        self._carrier = {old: names[new] for old, new in into.items()}
        self._carrier |= {old: new for old, new in names.items() if old != new}

    def with_free_name(self, element: Element, text: str, taken: set[tuple[str, str]]) -> str:
        """Give an element a name that is unique among its kind on the link."""
        stated = element.attributes.get("name", "")
        name = free_name(stated, {name for tag, name in taken if tag == element.tag}) if stated else ""
        taken.add((element.tag, name))
        if name == stated:
            return text
        self._account.note(
            Kind.RENAMED, stated, f"is renamed {name!r}, as the link has another one of that name", element.place
        )
        return NAME.sub(lambda match: f"{match.group(1)}{quoteattr(name)}", text, count=1)

    def retargeted(self, element: Element, text: str) -> str:
        """Replace the names of merged links in an extension by those of their carriers."""
        for old, new in self._carrier.items():
            for tag in LINK_NAMES:
                text = self._replace(text, tag, old, new, element.place)
        if "<collision>" in text:
            for old, new in self._collisions.items():
                text = self._replace(text, "collision", old, new, element.place)
        return text

    def _replace(self, text: str, tag: str, old: str, new: str, place: Place) -> str:
        """Replace a name that is the whole content of an element."""
        pattern = f"<{tag}>{old}</{tag}>"
        if pattern not in text:
            return text
        self._account.note(Kind.CHANGED, old, f"<{tag}> in <gazebo> now refers to {new!r}", place)
        return text.replace(pattern, f"<{tag}>{new}</{tag}>")


def moved_text(extension: Extension, pose: Pose) -> str:
    """Return the text of an element with its pose transformed from a merged link to its carrier."""
    element = extension.element
    if element.tag not in PLACED or pose.isclose(Pose(), 0.0) or element.is_self_closing:
        return extension.text
    stated = next(element.all("pose"), None)
    if stated is not None and (stated.attributes.get("relative_to") or stated.attributes.get("frame")):
        return extension.text
    try:
        new = pose @ pose_of(stated)
    except ParseError:
        return extension.text
    text = f"<pose>{numbers(new.position)} {numbers(new.rpy)}</pose>"
    start, end = (element.open_end, element.open_end) if stated is None else (stated.start, stated.end)
    data = extension.data
    return (data[: start - element.start] + text.encode() + data[end - element.start :]).decode("utf-8", "replace")
