# SPDX-FileCopyrightText: The inertia_tools authors
# SPDX-License-Identifier: Apache-2.0
"""Changing the text of a `<gazebo>` element where its link became part of another: poses, and names it mentions."""

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
    """Lets extensions name what is there in the place of what they name."""

    def __init__(
        self, names: Mapping[str, str], into: Mapping[str, str], collisions: Mapping[str, str], account: Account
    ) -> None:
        """Keep what became of the links.

        Args:
            names: Names of links in the model, by the ones they had.
            into: Links that others became part of, by the name of the lost one.
            collisions: Names of collisions, by others that they are known by.
            account: Takes notes.
        """
        self._account, self._collisions = account, collisions
        self._carrier = {old: names[new] for old, new in into.items()}
        self._carrier |= {old: new for old, new in names.items() if old != new}

    def with_free_name(self, element: Element, text: str, taken: set[tuple[str, str]]) -> str:
        """Let an element have a name that no other of its kind on the link has."""
        stated = element.attributes.get("name", "")
        name = free_name(stated, {name for tag, name in taken if tag == element.tag}) if stated else ""
        taken.add((element.tag, name))
        if name == stated:
            return text
        self._account.note(Kind.RENAMED, stated, f"is {name!r}, as the link has another of that name", element.place)
        return NAME.sub(lambda match: f"{match.group(1)}{quoteattr(name)}", text, count=1)

    def retargeted(self, element: Element, text: str) -> str:
        """Let an extension name what links that are gone became part of."""
        for old, new in self._carrier.items():
            for tag in LINK_NAMES:
                text = self._replace(text, tag, old, new, element.place)
        if "<collision>" in text:
            for old, new in self._collisions.items():
                text = self._replace(text, "collision", old, new, element.place)
        return text

    def _replace(self, text: str, tag: str, old: str, new: str, place: Place) -> str:
        """Replace a name that is all that an element holds."""
        pattern = f"<{tag}>{old}</{tag}>"
        if pattern not in text:
            return text
        self._account.note(Kind.CHANGED, old, f"<{tag}> in <gazebo> says {new!r} now", place)
        return text.replace(pattern, f"<{tag}>{new}</{tag}>")


def moved_text(extension: Extension, pose: Pose) -> str:
    """Return the text of an element whose pose in a link that is gone becomes the one in its carrier."""
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
