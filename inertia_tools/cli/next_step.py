# SPDX-FileCopyrightText: The inertia_tools authors
# SPDX-License-Identifier: Apache-2.0
"""The suggested next command, which ends a command's output for people."""

from __future__ import annotations

import argparse
import shlex
import shutil
import sys
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from inertia_tools.cli.options import file_name, xacro_arguments
from inertia_tools.description.types import Format

if TYPE_CHECKING:
    from inertia_tools.collection.verdict import Verdict
    from inertia_tools.inertia.finding import Finding

PROGRAM = "inertia-tools"

SEARCHING = (("package_path", "--package-path"),)
"""Options that the next command needs to find the same meshes and models."""

EXPANDING = (("xacro_arg", "--xacro-arg"),)
"""Options that the next command needs to expand the same xacro in the same way."""

SHOWING = frozenset({"--diff", "-q", "--quiet"})
"""Options that select what is shown, not what is done."""


def next_command(command: str, *words: str, options: argparse.Namespace | None = None, is_written: bool = False) -> str:
    """Return a complete command line.

    Args:
        command: Name of the command.
        words: Its arguments.
        options: Options of this run; those for reading files are repeated.
        is_written: Whether this run wrote the file that the command reads, which is then not a xacro.
    """
    expanding = [] if is_written else _expanding(options)
    return f"next: {shlex.join([_program(), command, *words, *_repeated(options, SEARCHING), *expanding])}"


def same_command(options: argparse.Namespace, *words: str) -> str:
    """Return the command line of this run with additional words."""
    kept = [word for word in options.words if word not in SHOWING]
    return f"next: {shlex.join([_program(), *kept, *words])}"


def corrected_name(file: str, format_: Format) -> str:
    """Return a name for the corrected file, beside the original."""
    path = Path(file)
    if not path.is_file():  # standard input, or a pipe
        path = Path("robot.urdf")
    corrected = path.with_name(f"{path.stem}.fixed{path.suffix}")
    if format_ is Format.USD:
        corrected = path.with_suffix(".corrected.usda")
    if format_ is Format.XACRO:
        stem = path.name.removesuffix(".xacro").removesuffix(".urdf")
        corrected = path.with_name(f"{stem}.fixed.urdf")
    return file_name(str(corrected))


def included_alone(file: str, format_: Format, findings: Iterable[Finding]) -> list[str]:
    """Return the files of findings, if an SDFormat file only includes them, so that `fix` does not change them.

    Args:
        file: The file that includes them.
        format_: Its format.
        findings: The findings to correct.
    """
    files = list(dict.fromkeys(one.file for one in findings if one.file))
    return files if format_ is Format.SDF and file not in files else []


def correcting(verdict: Verdict, words: Sequence[str], findings: Sequence[Finding], options: argparse.Namespace) -> str:
    """Return the command that corrects a file: by writing another one, or in place for mistakes in included files.

    Args:
        verdict: The result for the file.
        words: Options of the correction.
        findings: The findings to correct.
        options: Options of this run.
    """
    file, output = verdict.file, ["-o", corrected_name(verdict.file, verdict.format)]
    if included := included_alone(file, verdict.format, findings):
        file, output = included[0], ["--in-place"]
    elif verdict.format is Format.MJCF and any(one.file not in ("", file) for one in findings):
        output = ["--in-place"]
    return next_command("fix", file, *words, *output, options=options)


def expansion_lines(verdict: Verdict, options: argparse.Namespace) -> Iterator[str]:
    """Say how to see the expansion of a xacro, if findings have line numbers in it because their origin is unknown."""
    if verdict.unplaced:
        arguments = [f"{name}:={value}" for name, value in xacro_arguments(options).items()]
        command = shlex.join(["xacro", verdict.file, *arguments, "-o", "expanded.urdf"])
        yield f"some line numbers refer to the expanded file, as their origin is unknown; to see it: {command}"


def _repeated(options: argparse.Namespace | None, repeated: Iterable[tuple[str, str]]) -> Iterator[str]:
    for attribute, name in repeated:
        for value in getattr(options, attribute, None) or ():
            yield from (name, value)


def _expanding(options: argparse.Namespace | None) -> Iterator[str]:
    yield from _repeated(options, EXPANDING)
    if (expands := getattr(options, "xacro", None)) is not None:
        yield "--xacro" if expands else "--no-xacro"


def _program() -> str:
    """Return the program's name, with its path if the shell would not find it by name."""
    called = sys.argv[0]
    if Path(called).name != PROGRAM or shutil.which(PROGRAM) == called:
        return PROGRAM
    return called
