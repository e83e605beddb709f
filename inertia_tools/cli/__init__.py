# SPDX-FileCopyrightText: The inertia_tools authors
# SPDX-License-Identifier: Apache-2.0
"""The command line, `inertia-tools`: one module per command, loaded only when it is used."""

from __future__ import annotations

import argparse
import difflib
import gc
import importlib
import io
import os
import shlex
import sys
from collections.abc import Sequence
from contextlib import suppress

from inertia_tools import __version__
from inertia_tools.cli.configuration import add_configuration, configure
from inertia_tools.cli.documents import settle_outputs, write_error
from inertia_tools.cli.examples import epilog_of
from inertia_tools.errors import InertiaToolsError
from inertia_tools.wording import listed

COULD_NOT_RUN = 2

COMMANDS = {
    "check": "check the inertial of every link",
    "compute": "compute inertials from geometry",
    "stats": "print the inertial of each link and the totals",
    "fix": "correct wrong inertials and leave the rest of the file unchanged",
    "view": "show the robot, its inertias and its findings in the browser",
    "report": "write findings, mass properties and pictures to one HTML page",
    "diff": "compare the mass properties of two robots, link by link",
    "simulators": "list how each simulator treats the inertials",
    "convert": "convert the robot to another format",
    "diagnose": "rank the reasons why the robot is unstable in simulation",
    "explain": "explain a finding and its repair",
    "simulate": "drop the robot onto the ground and report whether it stands",
    "warm-up": "compile the kernels of the simulator ahead of time",
    "serve": "start the ROS 2 nodes",
    "completion": "print a completion script for bash, zsh or fish",
}

SELDOM = (50_000, 20, 100)
"""Thresholds of Python's cyclic garbage collector.

They are the number of new objects before a collection, and how often older ones are included. Documents are many
objects that live as long as the process, and collecting them takes a fifth of its time.
"""

QUIETABLE = frozenset(COMMANDS) - {"serve", "completion"}
"""Commands with the option --quiet; `serve` passes all its arguments to the nodes."""


def main(arguments: Sequence[str] | None = None) -> int:
    """Run one command and return its exit code.

    Args:
        arguments: The arguments after the program's name; those of the process by default.
    """
    words = list(sys.argv[1:] if arguments is None else arguments)
    if arguments is None:  # the process is this program's
        gc.set_threshold(*SELDOM)
        os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")  # products here are small, and NumPy is not loaded yet
    _print_any_name()
    try:
        parser = _parser(words)
        _require_command(parser, words)
        options, unknown = parser.parse_known_args(words)
        if unknown:
            _refuse(unknown, options.command)
        options.words = words
        settle_outputs(options)
        code = _run(options)
        if sys.stdout is not None:
            sys.stdout.flush()  # so that a full disk is noticed here
        return code
    except InertiaToolsError as error:
        _complain(str(error))
        return COULD_NOT_RUN
    except KeyboardInterrupt:
        _complain("interrupted")
        return 130
    except BrokenPipeError:  # the reader of the output is gone
        _abandon_output()
        return COULD_NOT_RUN
    except OSError as error:
        _abandon_output()
        _complain(f"cannot write to standard output or to a file: {error}")
        return COULD_NOT_RUN


def _run(options: argparse.Namespace) -> int:
    """Run the command; if it cannot use the robot, its JSON document says so, too."""
    try:
        return int(options.run(options))
    except InertiaToolsError as error:
        write_error(error, options)
        raise


def _complain(reason: str) -> None:
    """Print on standard error why the command ends, if possible: the exit code tells it in any case."""
    if sys.stderr is not None:
        with suppress(OSError):
            print(f"inertia-tools: {reason}", file=sys.stderr, flush=True)


def _abandon_output() -> None:
    """Discard the rest of the output; Python would report another error when it closes standard output."""
    with suppress(OSError, ValueError, AttributeError):
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())


def _print_any_name() -> None:
    """Replace characters that the terminal's encoding lacks, instead of failing within a report."""
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, io.TextIOWrapper):
            stream.reconfigure(errors="backslashreplace")


def _parser(words: Sequence[str]) -> argparse.ArgumentParser:
    """Build the parser; only the options of the named command are loaded."""
    parser = argparse.ArgumentParser(
        prog="inertia-tools",
        description="Compute, check and correct the inertials of robot descriptions, and test them in simulation.",
    )
    parser.add_argument("--version", action="version", version=f"%(prog)s {__version__}")
    commands = parser.add_subparsers(title="commands", metavar="COMMAND", dest="command", required=True)
    asked = next((word for word in words if word in COMMANDS), None)
    for name, summary in COMMANDS.items():
        command = commands.add_parser(name, help=summary, description=summary[0].upper() + summary[1:] + ".")
        if name == asked:
            _add_command(name, command)
            if name in QUIETABLE:
                configure(command, words)
    return parser


def _require_command(parser: argparse.ArgumentParser, words: Sequence[str]) -> None:
    """End with the list of commands if none is named, or with the intended one."""
    if not words:
        parser.print_help(sys.stderr)
        parser.exit(COULD_NOT_RUN)
    name = words[0]
    if name.startswith("-") or name in COMMANDS:
        return
    close = difflib.get_close_matches(name, COMMANDS, n=1)
    if close:
        parser.error(f"{name!r} is not a command; did you mean {close[0]}?")
    remedy = f"inertia-tools check {shlex.quote(name)}" if os.path.exists(name) else "inertia-tools --help"
    parser.error(f"{name!r} is not a command; run: {remedy}")


MEANT = {"--duration": "--seconds", "--time": "--seconds", "--step": "--dt", "--timestep": "--dt"}
"""Options of other simulators, and their names here."""


def _refuse(unknown: Sequence[str], name: str) -> None:
    """End with the words that a command does not know, and the intended option."""
    command = command_parser(name)
    known = [option for action in command._actions for option in action.option_strings]
    stated = [word.partition("=")[0] for word in unknown if word.startswith("--")]
    close = [option for word in stated for option in difflib.get_close_matches(MEANT.get(word, word), known, n=1)]
    meant = f"; did you mean {listed(close, 'or')}?" if close else ""
    command.error(f"unrecognized arguments: {' '.join(unknown)}{meant}")


def _add_command(name: str, parser: argparse.ArgumentParser) -> None:
    """Load a command and add its options."""
    module = importlib.import_module(f"inertia_tools.cli.{name.replace('-', '_')}")
    module.add_arguments(parser)
    parser.epilog = epilog_of(name, parser.epilog)
    parser.formatter_class = argparse.RawDescriptionHelpFormatter
    if name in QUIETABLE:
        parser.add_argument(
            "-q", "--quiet", action="store_true", help="print problems only, without progress, summary and next command"
        )
        add_configuration(parser)
    parser.set_defaults(run=module.run, schema=getattr(module, "SCHEMA", None))


def command_parser(name: str) -> argparse.ArgumentParser:
    """Return the parser of one command with all its options."""
    parser = argparse.ArgumentParser(prog=f"inertia-tools {name}")
    _add_command(name, parser)
    return parser
