# SPDX-FileCopyrightText: The inertia_tools authors
# SPDX-License-Identifier: Apache-2.0
"""Findings suppressed by comments in the file.

`<!-- inertia-tools: ignore CODE, CODE -->` applies to the enclosing element, such as a link, with all elements in it;
between links it applies to the next one. `ignore-file` applies to the whole file, and is the only form in USD text,
after `#`.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path

from inertia_tools.description.content import is_usd
from inertia_tools.description.encoding import as_utf8
from inertia_tools.description.xml import new_parser, parse_xml, with_plain_comments
from inertia_tools.errors import ParseError
from inertia_tools.inertia.finding import Finding
from inertia_tools.inertia.report import Report

WISH = re.compile(r"inertia-tools:\s*(ignore|ignore-file)\s+([a-z][a-z-]*(?:[\s,]+[a-z][a-z-]*)*)")
WHOLE_FILE = "ignore-file"
CONTAINERS = frozenset({"robot", "sdf", "world", "model", "mujoco", "worldbody"})
"""Elements that contain links; a comment directly in one of them applies to the next element."""

MARK = b"inertia-tools:"

Ignored = tuple[str, str]
"""Path of an element, empty for the whole file; and the code that is suppressed there."""


def without_commented(report: Report) -> Report:
    """Return the report without the findings that comments in its files suppress."""
    document = report.robot.document
    own = frozenset(_wishes(document.data, document.name))
    of_file: dict[str, frozenset[Ignored]] = {document.name: own}
    if not document.generated:  # an expansion holds the comments of all its files
        for file in {finding.file for finding in report.findings} - {document.name}:
            of_file[file] = frozenset(_wishes_of_file(file))
    if not any(of_file.values()):
        return report
    return report.filtered(lambda finding: not _is_ignored(finding, of_file.get(finding.file, own)))


def _is_ignored(finding: Finding, ignored: frozenset[Ignored]) -> bool:
    return any(
        code == finding.code and (not path or finding.path == path or finding.path.startswith(f"{path}/"))
        for path, code in ignored
    )


def _wishes_of_file(file: str) -> Iterator[Ignored]:
    try:
        yield from _wishes(as_utf8(Path(file).read_bytes(), file), file)
    except (OSError, ParseError):
        return


def _wishes(data: bytes, name: str) -> Iterator[Ignored]:
    if MARK not in data:
        return
    if is_usd(data):
        for line in data.decode("utf-8", errors="replace").splitlines():
            yield from (("", code) for code in _codes(line.partition("#")[2], WHOLE_FILE))
        return
    try:
        yield from _wishes_of_xml(data, name)
    except ParseError:
        return


def _wishes_of_xml(data: bytes, name: str) -> Iterator[Ignored]:
    """Yield the suppressed codes, with the paths of the elements to which they apply."""
    starts = {}
    waiting = [parse_xml(data, name)]
    while waiting:
        element = waiting.pop()
        starts[element.start] = element.place.path
        waiting.extend(element.children)
    for around, following, text in _comments(data):
        yield from (("", code) for code in _codes(text, WHOLE_FILE))
        meant = around if around is not None else following
        if meant in starts:
            yield from ((starts[meant], code) for code in _codes(text, "ignore"))


def _comments(data: bytes) -> list[tuple[int | None, int | None, str]]:
    """Return comments, each with the start of its enclosing element, None in a container, and of the next element."""
    found: list[tuple[int | None, int | None, str]] = []
    opened: list[int | None] = []
    unfinished: list[int] = []
    parser = new_parser()

    def start(tag: str, _: object) -> None:
        for index in unfinished:
            found[index] = (found[index][0], parser.CurrentByteIndex, found[index][2])
        unfinished.clear()
        opened.append(None if tag in CONTAINERS else parser.CurrentByteIndex)

    def comment(text: str) -> None:
        unfinished.append(len(found))
        found.append((opened[-1] if opened else None, None, text))

    def end(_: object) -> None:
        opened.pop()
        unfinished.clear()

    parser.StartElementHandler, parser.CommentHandler, parser.EndElementHandler = start, comment, end
    parser.Parse(with_plain_comments(data), True)
    return found


def _codes(text: str, wish: str) -> Iterator[str]:
    for said, codes in WISH.findall(text):
        if said == wish:
            yield from re.split(r"[\s,]+", codes)
