# SPDX-FileCopyrightText: The inertia_tools authors
# SPDX-License-Identifier: Apache-2.0
"""The causes that a user asks to be undone, by name."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Protocol

from inertia_tools.errors import OptionError
from inertia_tools.inertia.causes.codes import CODES
from inertia_tools.inertia.causes.judge import Cause

OPTION = "--apply"


class Entry(Protocol):
    """What is known of a link."""

    @property
    def link(self) -> str:
        """Its name."""

    @property
    def causes(self) -> tuple[Cause, ...]:
        """Why its numbers are wrong."""


class Entries(Protocol):
    """What is known of a robot."""

    @property
    def links(self) -> tuple[Entry, ...]:
        """One entry a link."""


def causes_asked(report: Entries, words: Iterable[str]) -> Mapping[str, Cause] | None:
    """Find the causes that words name, by link; None without words.

    Args:
        report: What was found about the robot.
        words: "CODE" for every link that has it proven, "LINK=CODE" for one link that may have it.

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
            raise OptionError(OPTION, word, f"CAUSE or LINK=CAUSE, the cause one of {', '.join(CODES)}")
        found = {
            entry.link: cause
            for entry in report.links
            for cause in entry.causes
            if code in (cause.code, *cause.also) and (entry.link == link if separator else cause.is_proven)
        }
        if not found:
            raise OptionError(OPTION, word, f"one of the causes that check finds: {_found(report, by_link=bool(link))}")
        chosen.update(found)
    return chosen


def _found(report: Entries, *, by_link: bool) -> str:
    """List what could be asked for; without a link, a cause that is proven stands for all links that have it."""
    found = [
        cause.code if cause.is_proven and not by_link else f"{entry.link}={cause.code}"
        for entry in report.links
        for cause in entry.causes
    ]
    return ", ".join(dict.fromkeys(found)) or "there are none"
