# SPDX-FileCopyrightText: The inertia_tools authors
# SPDX-License-Identifier: Apache-2.0
"""The page of commands, from their parsers."""

from __future__ import annotations

import argparse
from collections.abc import Iterator

from inertia_tools.cli import COMMANDS, command_parser
from inertia_tools.cli.examples import EXAMPLES


def page() -> str:
    """Return the page of all commands."""
    lines = [
        "# Commands",
        "",
        "Generated from the program by `make reference`; `inertia-tools COMMAND --help` shows the same.",
    ]
    for command, summary in COMMANDS.items():
        lines += ["", f"## {command}", "", f"{summary[0].upper()}{summary[1:]}.", "", *_command(command)]
    return "\n".join(lines) + "\n"


def _command(command: str) -> Iterator[str]:
    parser = command_parser(command)
    yield "```sh"
    for words, comment in EXAMPLES[command]:
        yield f"inertia-tools {command} {words}".rstrip() + f"  # {comment}"
    yield from ("```", "", "| option | meaning |", "|---|---|")
    for action in parser._actions:
        if action.help != argparse.SUPPRESS and "--help" not in action.option_strings:
            yield f"| `{_names(action)}` | {_help(action, parser)} |"
    last = (parser.epilog or "").rpartition("\n\n")
    if last[0]:
        yield from ("", f"{last[2][0].upper()}{last[2][1:]}.")


def _names(action: argparse.Action) -> str:
    metavar = action.metavar if isinstance(action.metavar, str) else action.dest.upper()
    if not action.option_strings:
        return metavar
    value = "\\|".join(map(str, action.choices)) if action.choices else metavar
    takes_value = action.nargs != 0 and not isinstance(action, argparse.BooleanOptionalAction)
    return ", ".join(action.option_strings) + (f" {value}" if takes_value else "")


def _help(action: argparse.Action, parser: argparse.ArgumentParser) -> str:
    text = (action.help or "") % {**vars(action), "prog": parser.prog}
    return text.replace("|", "\\|").replace("<", "&lt;")
