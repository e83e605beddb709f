# SPDX-FileCopyrightText: The inertia_tools authors
# SPDX-License-Identifier: Apache-2.0
"""The command to type next, which ends what a command says to people."""

from __future__ import annotations

import argparse
import shlex
import shutil
import sys
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from inertia_tools.cli.options import xacro_arguments
from inertia_tools.description.types import Format

if TYPE_CHECKING:
    from inertia_tools.collection.verdict import Verdict
    from inertia_tools.inertia.finding import Finding

PROGRAM = "inertia-tools"

READING = (("package_path", "--package-path"), ("xacro_arg", "--xacro-arg"))
"""Options without which the next command would not read the file as this one did."""

SHOWING = frozenset({"--diff", "-q", "--quiet"})
"""Options that say what is shown, and not what is done."""


def next_command(command: str, *words: str, options: argparse.Namespace | None = None) -> str:
    """Return a command line that can be typed as it stands.

    Args:
        command: Name of the command.
        words: Its arguments.
        options: Those of this run; what says how files are read is said again.
    """
    return f"next: {shlex.join([_program(), command, *words, *_reading(options)])}"


def same_command(options: argparse.Namespace, *words: str) -> str:
    """Return the command line of this run with more words, as one that can be typed."""
    kept = [word for word in options.words if word not in SHOWING]
    return f"next: {shlex.join([_program(), *kept, *words])}"


def corrected_name(file: str, format_: Format) -> str:
    """Return a name for the corrected file, beside the one that was read."""
    path = Path(file)
    if not path.is_file():  # standard input, or a pipe
        path = Path("robot.urdf")
    if format_ is Format.USD:
        return str(path.with_suffix(".corrected.usda"))
    if format_ is Format.XACRO:
        stem = path.name.removesuffix(".xacro").removesuffix(".urdf")
        return str(path.with_name(f"{stem}.fixed.urdf"))
    return str(path.with_name(f"{path.stem}.fixed{path.suffix}"))


def included_alone(file: str, format_: Format, findings: Iterable[Finding]) -> list[str]:
    """Return the files that findings stand in, where an SDFormat file only includes those, and `fix` leaves them alone.

    Args:
        file: The file that includes them.
        format_: Its format.
        findings: What is to be corrected.
    """
    files = list(dict.fromkeys(one.file for one in findings if one.file))
    return files if format_ is Format.SDF and file not in files else []


def correcting(verdict: Verdict, words: Sequence[str], findings: Sequence[Finding], options: argparse.Namespace) -> str:
    """Return the command that corrects a file: by another one, or in place where the mistakes stand in included files.

    Args:
        verdict: What became of the file.
        words: Options of the correction.
        findings: What is to be corrected.
        options: Those of this run.
    """
    file, output = verdict.file, ["-o", corrected_name(verdict.file, verdict.format)]
    if included := included_alone(file, verdict.format, findings):
        file, output = included[0], ["--in-place"]
    elif verdict.format is Format.MJCF and any(one.file not in ("", file) for one in findings):
        output = ["--in-place"]
    return next_command("fix", file, *words, *output, options=options)


def expansion_lines(verdict: Verdict, options: argparse.Namespace) -> Iterator[str]:
    """Say how to see the expansion of a xacro, if lines of findings count in that because their origin is unknown."""
    if verdict.unplaced:
        arguments = [f"{name}:={value}" for name, value in xacro_arguments(options).items()]
        command = shlex.join(["xacro", verdict.file, *arguments, "-o", "expanded.urdf"])
        yield f"some lines count in the expansion, whose origin is unknown; to see it: {command}"


def _reading(options: argparse.Namespace | None) -> Iterator[str]:
    for attribute, name in READING:
        for value in getattr(options, attribute, None) or ():
            yield from (name, value)
    if (expands := getattr(options, "xacro", None)) is not None:
        yield "--xacro" if expands else "--no-xacro"


def _program() -> str:
    """Return the program's name, with its path where the shell would not find it by the name."""
    called = sys.argv[0]
    if Path(called).name != PROGRAM or shutil.which(PROGRAM) == called:
        return PROGRAM
    return called
