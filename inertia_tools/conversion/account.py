# SPDX-FileCopyrightText: The inertia_tools authors
# SPDX-License-Identifier: Apache-2.0
"""The record of a conversion: merged, assumed and renamed elements, and those that the target cannot hold."""

from __future__ import annotations

import enum
from collections.abc import Iterator
from dataclasses import dataclass

from inertia_tools.description.source import Place


class Kind(enum.StrEnum):
    """The kind of a note."""

    LUMPED = "lumped"
    KEPT = "kept"
    ASSUMED = "assumed"
    REFUSED = "refused"
    CHANGED = "changed"
    RENAMED = "renamed"
    CARRIED = "carried"
    DROPPED = "dropped"


MEANING = {
    Kind.LUMPED: "a link was merged into the link that it is fixed to",
    Kind.KEPT: "a fixed joint was kept, as requested",
    Kind.ASSUMED: "a link without a usable inertial was given one",
    Kind.REFUSED: "the inertial is written as stated, but readers of the target format refuse it",
    Kind.CHANGED: "an element is written in another form",
    Kind.RENAMED: "a name is not possible in the target",
    Kind.CARRIED: "an element of the source is written into the target",
    Kind.DROPPED: "an element cannot be stored in the target format, or is unknown",
}


@dataclass(frozen=True)
class Note:
    """A remark on a conversion.

    Attributes:
        kind: Its kind.
        name: The link, joint or element that it is about.
        message: One sentence.
        file: The file that it refers to.
        line: Line there, counted from 1; None if it refers to no single one.
    """

    kind: Kind
    name: str
    message: str
    file: str
    line: int | None

    def __str__(self) -> str:
        return f"{Place(self.file, self.line)}: {self.kind}: {self.name}: {self.message}"


def more_like(count: int) -> str:
    """Return the text after the first of several elements that share a note."""
    return "" if count == 1 else f" and {count - 1} more like it"


class Account:
    """Collects notes in order."""

    def __init__(self) -> None:
        self._notes: dict[Note, None] = {}

    def note(self, kind: Kind, name: str, message: str, place: Place) -> None:
        """Add a note; duplicates are dropped."""
        written = place.origin or place
        self._notes.setdefault(Note(kind, name, message, written.file, written.line))

    def __iter__(self) -> Iterator[Note]:
        return iter(self._notes)
