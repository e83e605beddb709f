# SPDX-FileCopyrightText: The inertia_tools authors
# SPDX-License-Identifier: Apache-2.0
"""Asking for confirmation of each change."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from dataclasses import dataclass, field

from inertia_tools.cli.listing import finding_lines
from inertia_tools.cli.tables import Change, change_lines
from inertia_tools.cli.terminal import Terminal
from inertia_tools.inertia.method import Method
from inertia_tools.inertia.number_text import numbers_of
from inertia_tools.inertia.repair import Repair
from inertia_tools.inertia.report import LinkReport
from inertia_tools.inertia.writable import made_possible

QUESTION = "{link}: [y]es, [n]o, [a]ll, [q]uit{causes}? "
YES, NO, ALL, QUIT = "y", "n", "a", "q"


@dataclass
class Interview:
    """Asks on standard error, so that standard output stays a document; answers come from standard input.

    Attributes:
        file: Name of the description.
        answer: The answer for all further links, once there is one.
    """

    file: str
    answer: str = ""
    _terminal: Terminal = field(default_factory=Terminal.of)

    def __call__(self, entry: LinkReport, repair: Repair) -> Repair | None:
        """Show a change with its findings, and return the change to make, or None."""
        if self.answer:
            return repair if self.answer == ALL else None
        options = [repair, *_other_causes(entry, repair)]
        for line in self._lines(entry, options):
            print(line, file=sys.stderr)
        numbered = "".join(f", [{place}]" for place in range(2, len(options) + 1))
        while True:
            answer = self._ask(QUESTION.format(link=entry.link, causes=numbered))
            if answer in (ALL, QUIT):
                self.answer = answer
            if answer in (YES, ALL, "1"):
                return repair
            if answer in (NO, QUIT):
                return None
            if answer.isdecimal() and 1 <= int(answer) <= len(options):
                return options[int(answer) - 1]

    def _ask(self, question: str) -> str:
        """Return the first letter of an answer, or its number; the end of the input ends the questions."""
        print(question, end="", file=sys.stderr, flush=True)
        line = "" if sys.stdin is None else sys.stdin.readline()
        word = line.strip().lower()
        return QUIT if not line else word if word.isdecimal() else word[:1]

    def _lines(self, entry: LinkReport, options: list[Repair]) -> Iterator[str]:
        yield from finding_lines(entry.findings, self._terminal)
        before = numbers_of(None if entry.declared is None else entry.declared.inertial)
        for place, one in enumerate(options, start=1):
            reason = one.reason if len(options) == 1 else f"[{place}] {one.reason}"
            yield from change_lines(
                self.file, [Change(entry.link, before, numbers_of(one.after), reason)], self._terminal
            )


def _other_causes(entry: LinkReport, repair: Repair) -> Iterator[Repair]:
    """Yield the repairs of other possible causes."""
    for cause in entry.causes:
        if cause.after is not None and cause.restores and not cause.after.isclose(repair.after):
            yield made_possible(Repair(entry.link, cause.after, Method.DECLARED, f"{cause.code}: {cause.change}"))
