# SPDX-FileCopyrightText: The inertia_tools authors
# SPDX-License-Identifier: Apache-2.0
"""Completion for bash."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from inertia_tools.cli.shells.commands import Command, Kind, Option, Value

BEGIN = """# bash completion for inertia-tools; load it with: source <(inertia-tools completion bash)
_inertia_tools() {
    local current=${COMP_WORDS[COMP_CWORD]} previous=${COMP_WORDS[COMP_CWORD-1]} command=${COMP_WORDS[1]}
    COMPREPLY=()
    # bash parts words at an equals sign
    if [[ $current == = ]]; then current=; elif [[ $previous == = ]]; then previous=${COMP_WORDS[COMP_CWORD-2]}; fi"""

END = """}
complete -o filenames -o bashdefault -o default -F _inertia_tools inertia-tools"""


def script(commands: Sequence[Command]) -> str:
    """Return the script."""
    return "\n".join([BEGIN, *_body(commands), END]) + "\n"


def _body(commands: Sequence[Command]) -> Iterator[str]:
    names = " ".join(command.name for command in commands)
    yield "    if (( COMP_CWORD == 1 )); then"
    yield f'        COMPREPLY=($(compgen -W "{names} --help --version" -- "$current"))'
    yield "        return"
    yield "    fi"
    yield "    case $command:$previous in"
    for command in commands:
        for option in command.options:
            if option.value.kind is not Kind.NONE:
                yield f"        {_pattern(command, option)}) {_reply(option.value)}; return ;;"
    yield "    esac"
    yield "    case $command in"
    for command in commands:
        flags = " ".join(name for option in command.options for name in option.names)
        yield f"        {command.name})"
        yield f'            if [[ $current == -* ]]; then COMPREPLY=($(compgen -W "{flags}" -- "$current"))'
        yield f"            else {_reply(command.argument)}; fi ;;"
    yield "    esac"


def _pattern(command: Command, option: Option) -> str:
    return "|".join(f"{command.name}:{name}" for name in option.names)


def _reply(value: Value) -> str:
    """Return the shell code that sets the reply; without one, bash completes files."""
    if value.words:
        return f'COMPREPLY=($(compgen -W "{" ".join(value.words)}" -- "$current"))'
    if value.kind is Kind.FOLDER:
        return 'COMPREPLY=($(compgen -d -- "$current"))'
    return 'COMPREPLY=($(compgen -f -- "$current"))' if value.kind is Kind.FILE else "compopt +o default +o bashdefault"
