# SPDX-FileCopyrightText: The inertia_tools authors
# SPDX-License-Identifier: Apache-2.0
"""`inertia-tools explain CODE`: what a finding means, why it matters, and how to repair it."""

from __future__ import annotations

import argparse
from collections.abc import Iterator, Sequence
from dataclasses import asdict

from inertia_tools.cli.documents import wants_json, write_json
from inertia_tools.cli.next_step import next_command
from inertia_tools.cli.options import add_json
from inertia_tools.cli.output import print_lines
from inertia_tools.cli.tables import aligned
from inertia_tools.cli.terminal import BOLD, Terminal
from inertia_tools.inertia.explanations import EXPLANATIONS, Explanation, explanation_of
from inertia_tools.inertia.explanations.stability import STABILITY

SCHEMA = "inertia-tools/explanations/1"
INDENT = 2


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the command's options."""
    parser.add_argument("codes", nargs="*", metavar="CODE", help="finding code, in brackets at the end of a finding")
    add_json(parser)
    parser.epilog = "without CODE, the command lists all codes"


def run(options: argparse.Namespace) -> int:
    """Print the requested explanations, or the list of all codes; the exit code is 0."""
    chosen = [explanation_of(code) for code in options.codes]
    if wants_json(options):
        write_json({"schema": SCHEMA, "codes": [asdict(one) for one in chosen or EXPLANATIONS.values()]}, options)
    if options.json:
        return 0
    terminal = Terminal.of()
    if chosen:
        for explanation in chosen:
            print_lines(_explained(explanation, terminal))
    else:
        print_lines(_listed(terminal))
    if not options.quiet:
        print(_next(chosen))
    return 0


def _next(chosen: Sequence[Explanation]) -> str:
    """Return the next command: one that finds the explained codes, else an explanation."""
    if not chosen:
        return next_command("explain", next(iter(EXPLANATIONS)))
    return next_command("diagnose" if all(one in STABILITY for one in chosen) else "check", "FILE")


def _explained(explanation: Explanation, terminal: Terminal) -> Iterator[str]:
    yield terminal.styled(f"{explanation.code} ({explanation.severity})", BOLD)
    yield from terminal.wrapped(explanation.meaning, INDENT)
    parts = (
        ("Why it matters", explanation.consequence),
        ("Rule", explanation.rule),
        ("Repair", explanation.repair),
    )
    for title, text in parts:
        yield terminal.styled(title, BOLD)
        yield from terminal.wrapped(text, INDENT)
    yield terminal.styled("Example", BOLD)
    yield from _example(explanation.example, terminal)
    yield ""


def _example(example: str, terminal: Terminal) -> Iterator[str]:
    """Yield the text before and after, beside each other or, if the width requires it, one below the other."""
    line = " " * INDENT + example
    wrong, arrow, right = example.partition("->")
    if len(line) <= terminal.width or not arrow:
        yield line
    else:
        yield " " * INDENT + wrong.rstrip()
        yield f"{'':{INDENT}}-> {right.strip()}"


def _listed(terminal: Terminal) -> Iterator[str]:
    rows = [(one.code, one.severity) for one in EXPLANATIONS.values()]
    table = aligned(rows, "<<")
    for line, explanation in zip(table, EXPLANATIONS.values(), strict=True):
        lines = terminal.wrapped(explanation.meaning, len(line) + 2)
        yield f"{line}  {lines[0].lstrip()}"
        yield from lines[1:]
