# SPDX-FileCopyrightText: The inertia_tools authors
# SPDX-License-Identifier: Apache-2.0
"""Findings as text: one line each for programs, grouped by link for people, or one line per code."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from typing import TYPE_CHECKING, Any

from inertia_tools.cli.next_step import included_alone
from inertia_tools.cli.tables import aligned
from inertia_tools.cli.terminal import BOLD, COLOUR, DIM, Terminal
from inertia_tools.inertia.finding import Finding, Severity
from inertia_tools.wording import counted

if TYPE_CHECKING:
    from inertia_tools.collection.verdict import Verdict

SEVERITY_WIDTH = len("warning")

Content = tuple[tuple[Severity, str, str], ...]
"""The findings of a link: severity, code and message of each."""


def finding_lines(findings: Iterable[Finding], terminal: Terminal) -> Iterator[str]:
    """Lay out findings: grouped for a terminal, else one line each as compilers write them.

    Findings that a cause explains are left out: the finding about the cause lists them.
    """
    findings = [finding for finding in findings if not finding.explained_by]
    if terminal.is_interactive:
        yield from _grouped(findings, terminal)
    else:
        yield from map(str, findings)


def cause_lines(verdict: Verdict) -> Iterator[str]:
    """Lay out the possible causes of links without a proven one, and the command that undoes one.

    Links of which every finding is known or ignored are left out.
    """
    of_link: dict[str, list[dict[str, Any]]] = {}
    for cause in verdict.entry["causes"]:
        of_link.setdefault(cause["link"], []).append(cause)
    for link, causes in of_link.items():
        first, found = causes[0], [one for one in verdict.findings if one.link == link]
        if first["proven"] or not found:
            continue
        if first["rival"]:
            said = f"this link or {first['rival']!r} has {first['code']}: {first['change']}"
        else:
            said = "; ".join(f"{one['code']} ({one['probability']:.0%}): {one['change']}" for one in causes)
        included = included_alone(verdict.file, verdict.format, found)
        remedy = f"with fix --apply {link}={first['code']}" if not included else f"in {included[0]}"
        yield f"{verdict.file}: note: {link}: possible cause: {said}; undo it {remedy}"


def summary_lines(findings: Iterable[Finding], terminal: Terminal) -> Iterator[str]:
    """Lay out one line per code: severity, code, count and links."""
    by_code: dict[tuple[Severity, str], list[Finding]] = {}
    for finding in (one for one in findings if not one.explained_by):
        by_code.setdefault((finding.severity, finding.code), []).append(finding)
    if not by_code:
        return
    ordered = sorted(by_code.items(), key=lambda item: (-item[0][0], -len(item[1]), item[0][1]))
    rows = [(severity.label, code, str(len(found))) for (severity, code), found in ordered]
    table = aligned([("severity", "code", "count"), *rows], "<<>")
    room = terminal.width - len(table[0]) - 2
    yield terminal.styled(f"{table[0]}  links", DIM)
    for line, ((severity, _), found) in zip(table[1:], ordered, strict=True):
        names = list(dict.fromkeys(finding.link for finding in found if finding.link))
        label = terminal.styled(line[:SEVERITY_WIDTH], COLOUR[severity])
        yield f"{label}{line[SEVERITY_WIDTH:]}  {_fitted(names, room)}".rstrip()


def collection_lines(verdicts: Sequence[Verdict], terminal: Terminal) -> Iterator[str]:
    """Lay out the findings of many files: one line per code, and the results of the files."""
    count: Counter[tuple[Severity, str]] = Counter()
    files: Counter[tuple[Severity, str]] = Counter()
    for verdict in verdicts:
        of_file = Counter((finding.severity, finding.code) for finding in verdict.findings)
        count.update(of_file)
        files.update(of_file.keys())
    ordered = sorted(count, key=lambda one: (-one[0], -files[one], -count[one], one[1]))
    rows = [
        (severity.label, code, str(count[severity, code]), str(files[severity, code])) for severity, code in ordered
    ]
    header, *lines = aligned([("severity", "code", "count", "files"), *rows], "<<>>")
    if lines:
        yield terminal.styled(header, DIM)
    for line, (severity, _) in zip(lines, ordered, strict=True):
        yield terminal.styled(line[:SEVERITY_WIDTH], COLOUR[severity]) + line[SEVERITY_WIDTH:]
    read = [verdict for verdict in verdicts if not verdict.reason]
    links = sum(verdict.link_count for verdict in read)
    wrong = sum(bool(verdict.count(Severity.ERROR)) for verdict in read)
    clean = sum(not verdict.at_least(Severity.WARNING) for verdict in read)
    yield (
        f"{counted(len(verdicts), 'file')}, {counted(links, 'link')}: {wrong} with errors, {clean} without errors and "
        f"warnings, {len(verdicts) - len(read)} unreadable"
    )


def _fitted(names: Sequence[str], room: int) -> str:
    """Join as many names as fit, at least one, and count the others."""
    for shown in range(len(names), 0, -1):
        others = len(names) - shown
        text = ", ".join(names[:shown]) + (f" and {others} more" if others else "")
        if len(text) <= room or shown == 1:
            return text
    return ""


def _grouped(findings: Sequence[Finding], terminal: Terminal) -> Iterator[str]:
    """Yield files, and in them links with their findings; links with equal findings are grouped."""
    for file in dict.fromkeys(finding.file for finding in findings):
        yield terminal.styled(file, BOLD)
        of_link: dict[str, list[Finding]] = {}
        for finding in findings:
            if finding.file == file:
                of_link.setdefault(finding.link, []).append(finding)
        alike: dict[Content, list[str]] = {}
        for link, found in of_link.items():
            alike.setdefault(tuple((one.severity, one.code, one.message) for one in found), []).append(link)
        for links in alike.values():
            yield from _group(links, of_link, terminal)


def _group(links: Sequence[str], of_link: dict[str, list[Finding]], terminal: Terminal) -> Iterator[str]:
    """Yield the links, then each of their findings."""
    first = of_link[links[0]]
    yield "  " + terminal.styled(_placed(links[0] or "the whole document", first), BOLD)
    if len(links) > 1:
        others = ", ".join(_placed(link, of_link[link]) for link in links[1:])
        yield from terminal.wrapped(f"same findings for {counted(len(links) - 1, 'other')}: {others}", 4)
    for finding in first:
        place = "" if finding.line in (None, first[0].line) else f" (line {finding.line})"
        label = f"{finding.severity.label:{SEVERITY_WIDTH}}"
        indent = 4 + SEVERITY_WIDTH + 2
        lines = terminal.wrapped(f"{finding.message}{place} [{finding.code}]", indent)
        yield f"    {terminal.styled(label, COLOUR[finding.severity])}  {lines[0].lstrip()}"
        yield from lines[1:]


def _placed(link: str, found: Sequence[Finding]) -> str:
    line = found[0].line
    return link if line is None else f"{link} (line {line})"
