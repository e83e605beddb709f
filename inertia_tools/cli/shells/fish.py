# SPDX-FileCopyrightText: The inertia_tools authors
# SPDX-License-Identifier: Apache-2.0
"""Completion for fish."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from inertia_tools.cli.shells.commands import Command, Kind, Option, Value

BEGIN = """# fish completion for inertia-tools; load it with: inertia-tools completion fish | source
complete -c inertia-tools -n __fish_use_subcommand -f -l help -d 'show help'
complete -c inertia-tools -n __fish_use_subcommand -f -l version -d 'show the version'"""


def script(commands: Sequence[Command]) -> str:
    """Return the script."""
    return "\n".join([BEGIN, *(line for command in commands for line in _lines(command))]) + "\n"


def _lines(command: Command) -> Iterator[str]:
    yield f"complete -c inertia-tools -n __fish_use_subcommand -f -a {command.name} -d {_quoted(command.help)}"
    after = f"complete -c inertia-tools -n '__fish_seen_subcommand_from {command.name}'"
    if command.argument.words:
        yield f"{after} -f -a {_quoted(' '.join(command.argument.words))}"
    for option in command.options:
        yield f"{after} {_names(option)} {_value(option.value)} -d {_quoted(option.help)}".replace("  ", " ")


def _names(option: Option) -> str:
    return " ".join(f"-l {name[2:]}" if name.startswith("--") else f"-s {name[1:]}" for name in option.names)


def _value(value: Value) -> str:
    if value.kind is Kind.NONE:
        return ""
    if value.words:
        return f"-x -a {_quoted(' '.join(value.words))}"
    return {Kind.FILE: "-r -F", Kind.FOLDER: "-x -a '(__fish_complete_directories)'", Kind.WORD: "-x"}[value.kind]


def _quoted(text: str) -> str:
    return "'" + text.replace("\\", "\\\\").replace("'", "\\'") + "'"
