# SPDX-FileCopyrightText: The inertia_tools authors
# SPDX-License-Identifier: Apache-2.0
"""The causes that a user asks to undo, by name."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Protocol

from inertia_tools.errors import OptionError
from inertia_tools.inertia.causes.codes import CODES
from inertia_tools.inertia.causes.judge import Cause

OPTION = "--apply"


class Entry(Protocol):
    """The causes found for one link."""

    @property
    def link(self) -> str:
        """The link's name."""

    @property
    def causes(self) -> tuple[Cause, ...]:
        """Why its numbers are wrong."""


class Entries(Protocol):
    """The causes found for a robot."""

    @property
    def links(self) -> tuple[Entry, ...]:
        """One entry per link."""


def causes_asked(report: Entries, words: Iterable[str]) -> Mapping[str, Cause] | None:
    """Return the causes that words name, by link; None without words.

    Args:
        report: The causes found for the robot.
        words: "CODE" for every link in which that cause is proven, "LINK=CODE" for one link in which it is possible.

    Raises:
        OptionError: A code is unknown, or no link has the cause.
    """
    chosen: dict[str, Cause] = {}
    listed = [word.strip() for one in words for word in one.split(",") if word.strip()]
    if not listed:
        return None
    for word in listed:
        link, separator, code = word.rpartition("=")
        if code not in CODES:
            raise OptionError(OPTION, word, f"CAUSE or LINK=CAUSE, where CAUSE is one of {', '.join(CODES)}")
        found = {
            entry.link: cause
            for entry in report.links
            for cause in entry.causes
            if code in (cause.code, *cause.also) and (entry.link == link if separator else cause.is_proven)
        }
        if not found:
            raise OptionError(OPTION, word, f"a cause that check finds ({_found(report, by_link=bool(link))})")
        chosen.update(found)
    return chosen


def _found(report: Entries, *, by_link: bool) -> str:
    """List the selectable causes; without `by_link`, a proven cause is listed once for all its links."""
    found = [
        cause.code if cause.is_proven and not by_link else f"{entry.link}={cause.code}"
        for entry in report.links
        for cause in entry.causes
    ]
    return ", ".join(dict.fromkeys(found)) or "there are none"
