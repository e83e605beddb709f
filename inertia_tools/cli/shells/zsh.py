# SPDX-FileCopyrightText: The inertia_tools authors
# SPDX-License-Identifier: Apache-2.0
"""Completion for zsh."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from inertia_tools.cli.shells.commands import Command, Kind, Option, Value

BEGIN = """#compdef inertia-tools
# zsh completion for inertia-tools; load it with: source <(inertia-tools completion zsh), after compinit
_inertia-tools() {
    local context state state_descr line
    typeset -A opt_args
    _arguments -C '--help[show help]' '--version[show the version]' '1:command:->command' '*::argument:->argument'
    case $state in
        command)
            local -a commands=("""

END = """            esac ;;
    esac
}
if [[ $funcstack[1] == _inertia-tools ]]; then _inertia-tools "$@"; else compdef _inertia-tools inertia-tools; fi"""


def script(commands: Sequence[Command]) -> str:
    """Return the script."""
    return "\n".join([BEGIN, *_body(commands), END]) + "\n"


def _body(commands: Sequence[Command]) -> Iterator[str]:
    for command in commands:
        yield f"                {_quoted(f'{command.name}:{command.help}')}"
    yield "            )"
    yield "            _describe command commands ;;"
    yield "        argument)"
    yield "            case $words[1] in"
    for command in commands:
        specs = [spec for option in command.options for spec in _specs(option)]
        argument = _action(command.argument)
        yield f"                {command.name}) _arguments \\"
        yield from (f"                    {_quoted(spec)} \\" for spec in specs)
        yield f"                    {_quoted(f'*{argument}')} ;;" if argument else "                    ;;"


def _specs(option: Option) -> Iterator[str]:
    """Yield one specification per name; the other names, and the same again, are then excluded."""
    others = "" if option.is_repeated else f"({' '.join(option.names)})"
    repeated = "*" if option.is_repeated else ""
    for name in option.names:
        yield f"{others}{repeated}{name}[{_escaped(option.help)}]{_action(option.value)}"


def _action(value: Value) -> str:
    if value.kind is Kind.NONE:
        return ""
    label = _escaped(value.label.lower())
    if value.words:
        return f":{label}:({' '.join(value.words)})"
    actions = {Kind.FOLDER: "_files -/", Kind.FILE: "_files", Kind.WORD: " "}
    return f":{label}:{actions[value.kind]}"


def _escaped(text: str) -> str:
    for character in "\\:[]":
        text = text.replace(character, f"\\{character}")
    return text


def _quoted(text: str) -> str:
    return "'" + text.replace("'", "'\\''") + "'"
