# SPDX-FileCopyrightText: The inertia_tools authors
# SPDX-License-Identifier: Apache-2.0
"""Printing reports for a terminal or a pipe."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING

from inertia_tools.cli.listing import finding_lines
from inertia_tools.cli.terminal import Terminal
from inertia_tools.inertia.finding import Finding, Severity
from inertia_tools.wording import counted

if TYPE_CHECKING:
    from inertia_tools.collection.verdict import Verdict


def print_findings(findings: Iterable[Finding]) -> None:
    """Print findings: file:line: severity: link: message [code] into a pipe, by links on a terminal."""
    print_lines(finding_lines(findings, Terminal.of()))


def print_lines(lines: Iterable[str]) -> None:
    """Print one line after the other."""
    for line in lines:
        print(line)


def summary(verdict: Verdict) -> str:
    """Return one line with the result for a file."""
    counts = {severity: verdict.count(severity) for severity in (Severity.ERROR, Severity.WARNING, Severity.INFO)}
    said = ", ".join(f"{count} {_noun(severity, count)}" for severity, count in counts.items())
    lost = verdict.meshes_not_found
    unjudged = f"; {counted(lost, 'mesh', 'meshes')} not found: plausibility not judged" if lost else ""
    return f"{counted(verdict.link_count, 'link')}, {said}{unjudged}"


def _noun(severity: Severity, count: int) -> str:
    word = {Severity.ERROR: "error", Severity.WARNING: "warning", Severity.INFO: "remark"}[severity]
    return word if count == 1 else f"{word}s"
