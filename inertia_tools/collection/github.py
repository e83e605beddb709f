# SPDX-FileCopyrightText: The inertia_tools authors
# SPDX-License-Identifier: Apache-2.0
"""Findings as workflow commands of GitHub Actions, which annotates their lines."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from inertia_tools.collection.verdict import Verdict
from inertia_tools.inertia.finding import Finding, Severity, with_explained
from inertia_tools.inertia.sarif import stated_line

COMMAND = {Severity.ERROR: "error", Severity.WARNING: "warning", Severity.INFO: "notice"}


def github_lines(verdicts: Iterable[Verdict]) -> Iterator[str]:
    """Yield a command for each finding that no other finding explains, and for each unreadable file."""
    for verdict in verdicts:
        if verdict.reason:
            line = _at(stated_line(verdict.file, verdict.reason))
            yield f"::error file={_property(verdict.file)}{line},title=unreadable::{_data(verdict.reason)}"
        yield from (_line(head) for head, _ in with_explained(verdict.findings))


def _line(finding: Finding) -> str:
    line = _at(finding.line)
    said = (
        f"{finding.link}: {finding.message} [{finding.code}]" if finding.link else f"{finding.message} [{finding.code}]"
    )
    return f"::{COMMAND[finding.severity]} file={_property(finding.file)}{line},title={finding.code}::{_data(said)}"


def _at(line: int | None) -> str:
    return "" if line is None else f",line={line}"


def _data(text: str) -> str:
    return text.replace("%", "%25").replace("\r", "%0D").replace("\n", "%0A")


def _property(text: str) -> str:
    return _data(text).replace(":", "%3A").replace(",", "%2C")
