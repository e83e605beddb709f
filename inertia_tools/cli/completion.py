# SPDX-FileCopyrightText: The inertia_tools authors
# SPDX-License-Identifier: Apache-2.0
"""`inertia-tools completion SHELL`: the script with which a shell completes commands, options, codes and materials."""

from __future__ import annotations

import argparse
import importlib

from inertia_tools.cli.documents import STANDARD_STREAM, write_document
from inertia_tools.cli.shells.commands import commands_of

SHELLS = ("bash", "zsh", "fish")


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the command's options."""
    parser.add_argument("shell", metavar="SHELL", choices=SHELLS, help="one of " + ", ".join(SHELLS))
    parser.epilog = (
        "~/.bashrc: source <(inertia-tools completion bash); ~/.zshrc, after compinit: source "
        "<(inertia-tools completion zsh); fish: inertia-tools completion fish > "
        "~/.config/fish/completions/inertia-tools.fish"
    )


def run(options: argparse.Namespace) -> int:
    """Print the script; the exit code is 0."""
    from inertia_tools.cli import COMMANDS, command_parser

    commands = commands_of({name: (summary, command_parser(name)) for name, summary in COMMANDS.items()})
    script = importlib.import_module(f"inertia_tools.cli.shells.{options.shell}").script(commands)
    write_document(STANDARD_STREAM, script.encode())
    return 0
