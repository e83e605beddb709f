# SPDX-FileCopyrightText: The inertia_tools authors
# SPDX-License-Identifier: Apache-2.0
"""Results of checks, as data that the command line, reports, services and logs all render."""

from __future__ import annotations

import enum
from collections.abc import Iterable
from dataclasses import dataclass

from inertia_tools.description.source import Origin, Place
from inertia_tools.description.types import Remark


class Severity(enum.IntEnum):
    """Severity of a finding; the numbers are those of `Finding.msg`."""

    INFO = 0
    WARNING = 1
    ERROR = 2

    @property
    def label(self) -> str:
        """The name as it stands in JSON."""
        return self.name.lower()

    def __str__(self) -> str:
        return self.label


@dataclass(frozen=True)
class Finding:
    """One finding about one link.

    Attributes:
        severity: Its severity.
        code: Stable identifier in kebab-case.
        link: The link's name; empty for the whole model.
        message: One sentence with the numbers that led to it.
        file: The file that it refers to.
        line: Line there, counted from 1; None when unknown.
        path: The element there, as XPath writes it; empty when unknown.
        explained_by: Code of the finding about the same link that names the cause of this one; empty when none does.
    """

    severity: Severity
    code: str
    link: str
    message: str
    file: str
    line: int | None
    path: str = ""
    explained_by: str = ""

    @classmethod
    def at(cls, severity: Severity, code: str, link: str, message: str, place: Place) -> Finding:
        """Make a finding about an element; in an expanded xacro, about the source of that element."""
        written = place.origin or place
        if isinstance(written, Origin) and written.macro:
            message = f"{message} (in macro {written.macro!r})"
        return cls(severity, code, link, message, written.file, written.line, place.path)

    def __str__(self) -> str:
        place = Place(self.file, self.line)
        link = f"{self.link}: " if self.link else ""
        return f"{place}: {self.severity.label}: {link}{self.message} [{self.code}]"


def from_remarks(remarks: Iterable[Remark]) -> tuple[Finding, ...]:
    """Return the remarks of a reader as findings."""
    return tuple(Finding.at(Severity[one.level.upper()], one.code, one.link, one.message, one.place) for one in remarks)


def worst(findings: tuple[Finding, ...]) -> Severity | None:
    """Return the highest severity; None without findings."""
    return max((finding.severity for finding in findings), default=None)


def most_severe_first(findings: list[Finding]) -> tuple[Finding, ...]:
    """Order findings by severity, keeping the order among equals."""
    return tuple(sorted(findings, key=lambda finding: -finding.severity))


def with_explained(findings: Iterable[Finding]) -> list[tuple[Finding, list[Finding]]]:
    """Return each finding with those that it explains; one whose explanation is missing is listed on its own."""
    listed = list(findings)
    heads = {(one.file, one.link, one.code) for one in listed if not one.explained_by}
    explained: dict[tuple[str, str, str], list[Finding]] = {}
    for one in listed:
        if (key := (one.file, one.link, one.explained_by)) in heads:
            explained.setdefault(key, []).append(one)
    return [
        (one, [] if one.explained_by else explained.get((one.file, one.link, one.code), []))
        for one in listed
        if (one.file, one.link, one.explained_by) not in heads
    ]
