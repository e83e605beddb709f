# SPDX-FileCopyrightText: The inertia_tools authors
# SPDX-License-Identifier: Apache-2.0
"""`inertia-tools simulators FILE`: how each simulator treats the inertials of a file."""

from __future__ import annotations

import argparse
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from inertia_tools.cli.documents import wants_json, write_json
from inertia_tools.cli.next_step import next_command
from inertia_tools.cli.options import DESCRIPTION, add_json, add_reading, file_name, read
from inertia_tools.cli.output import print_lines
from inertia_tools.cli.tables import aligned
from inertia_tools.cli.terminal import BOLD, Terminal
from inertia_tools.description import Description
from inertia_tools.inertia.simulators import SIMULATORS, Effect, Outcome, predict, simulators_named
from inertia_tools.inertia.simulators.rules import Simulator
from inertia_tools.wording import counted

SCHEMA = "inertia-tools/simulators/1"
TAKEN, LOST = 0, 1
UNREAD = "not read"

Outcomes = Mapping[str, Mapping[str, Outcome | None]]


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the command's options."""
    parser.add_argument("file", type=file_name, metavar="FILE", help=DESCRIPTION)
    parser.add_argument(
        "--target",
        metavar="NAME",
        action="append",
        default=[],
        help=f"only these simulators; exit code 1 if one does not take the file as stated: {', '.join(SIMULATORS)}",
    )
    parser.add_argument("--all", action="store_true", help="also list links that all simulators take as stated")
    add_reading(parser)
    add_json(parser)
    parser.epilog = "exit codes: 0 all targets take the inertials as stated, 1 a target does not, 2 could not run"


def run(options: argparse.Namespace) -> int:
    """Print the outcome for each link, and the rules behind it."""
    robot = read(options.file, options)
    asked = simulators_named(options.target)
    chosen = asked or list(SIMULATORS.values())
    found = predict(robot, chosen)
    if wants_json(options):
        write_json(_document(options.file, robot, chosen, found), options, [robot])
    if not options.json:
        print_lines(_lines(options, chosen, found))
    lost = any(one is not None and one.effect.is_loss for row in found.values() for one in row.values())
    return LOST if asked and lost else TAKEN


def _lines(options: argparse.Namespace, chosen: Sequence[Simulator], found: Outcomes) -> Iterator[str]:
    """Lay out one row per link, then the meaning of each effect, then the sources."""
    rows = {
        name: row
        for name, row in found.items()
        if options.all or any(one is not None and one.effect is not Effect.AS_STATED for one in row.values())
    }
    if rows:
        cells = [(name, *(_cell(row[one.name]) for one in chosen)) for name, row in rows.items()]
        title, *lines = aligned([("link", *(one.name for one in chosen)), *cells], "<" * (len(chosen) + 1))
        yield Terminal.of().styled(title.rstrip(), BOLD)
        yield from (line.rstrip() for line in lines)
    for one in chosen:
        yield from _explained(one, {name: row[one.name] for name, row in rows.items()}, quiet=options.quiet)
    if not options.quiet:
        yield f"{len(found) - len(rows)} of {counted(len(found), 'link')} are taken as stated by all"
        targets = ",".join(one.name for one in chosen if _loses(found, one))
        if targets:
            yield next_command("fix", options.file, "--target", targets, options=options)


def _explained(simulator: Simulator, row: Mapping[str, Outcome | None], *, quiet: bool) -> Iterator[str]:
    """Return a simulator's treatment in words, each sentence once, and its source."""
    said: dict[str, list[str]] = {}
    for name, one in row.items():
        if one is not None and one.effect is not Effect.AS_STATED:
            said.setdefault(one.says, []).append(name)
    terminal = Terminal.of()
    if said:
        yield terminal.styled(simulator.title, BOLD) + ("" if quiet else f" ({simulator.source})")
    for words, names in said.items():
        shown = ", ".join(names[:3]) + (f" and {len(names) - 3} more" if len(names) > 3 else "")
        yield from terminal.wrapped(f"{shown}: {words}", 2)


def _loses(found: Outcomes, simulator: Simulator) -> bool:
    return any((one := row[simulator.name]) is not None and one.effect.is_loss for row in found.values())


def _cell(outcome: Outcome | None) -> str:
    return UNREAD if outcome is None else outcome.effect.value


def _document(file: str, robot: Description, chosen: Sequence[Simulator], found: Outcomes) -> dict[str, Any]:
    return {
        "schema": SCHEMA,
        "file": file,
        "format": robot.format.value,
        "simulators": [{"name": one.name, "title": one.title, "source": one.source} for one in chosen],
        "links": [
            {"link": name, "outcomes": {key: _entry(one) for key, one in row.items()}} for name, row in found.items()
        ],
    }


def _entry(outcome: Outcome | None) -> dict[str, Any] | None:
    if outcome is None:
        return None
    return {"effect": outcome.effect.value, "loss": outcome.effect.is_loss, "says": outcome.says}
