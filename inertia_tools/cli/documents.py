# SPDX-FileCopyrightText: The inertia_tools authors
# SPDX-License-Identifier: Apache-2.0
"""Destinations of documents that a command writes: standard output or files, one each, and never an input."""

from __future__ import annotations

import argparse
import json
import os
import sys
from collections.abc import Iterable, Iterator
from itertools import chain, combinations, product
from pathlib import Path
from typing import TYPE_CHECKING, Any

from inertia_tools.errors import (
    ConversionError,
    InertiaError,
    InertiaToolsError,
    ModelError,
    SimulationError,
    UndeclaredArgumentError,
    WriteError,
)
from inertia_tools.write.target import file_of, is_standard_output
from inertia_tools.write.whole import write_whole

if TYPE_CHECKING:
    from inertia_tools.description import Description

STANDARD_STREAM = "-"
"""Word for standard input or output in place of a file."""

OUTPUTS = ("output", "json_output", "sarif", "junit", "plot")
INPUTS = ("file", "files", "other", "baseline", "materials", "mass_model", "from_cad")
"""Options and arguments that name a file to write, or files to read."""

REPORTS = ("json", "github", "junit", "sarif")
"""Values of `--format` with which a report is the document on standard output."""

CORRECTED = ("output", "file")
"""The only output that may be an input, which the correction then replaces; the writer checks other cases."""

ABOUT_THE_ROBOT = (ModelError, InertiaError, ConversionError, SimulationError)
"""Errors that a document states; others concern the options, or what is installed."""


def settle_outputs(options: argparse.Namespace) -> None:
    """Determine what is written to standard output, and refuse outputs that would destroy an input or one another.

    `-`, `/dev/stdout` and the like all become `-`, and a JSON output of that kind becomes `--json`.

    Raises:
        WriteError: An output is an input or a folder, or two outputs are the same.
    """
    for name in OUTPUTS:
        path = getattr(options, name, None)
        if path is not None and path != STANDARD_STREAM and is_standard_output(Path(path)):
            setattr(options, name, STANDARD_STREAM)
    if getattr(options, "json_output", None) == STANDARD_STREAM:
        options.json, options.json_output = True, None
    outputs = [(name, path) for name in OUTPUTS if (path := getattr(options, name, None)) is not None]
    printed = ["json"] * bool(getattr(options, "json", False)) + ["diff"] * bool(getattr(options, "diff", False))
    printed += ["format"] * (getattr(options, "format", "") in REPORTS and printed != [options.format])
    printed += [name for name, path in outputs if path == STANDARD_STREAM]
    if len(printed) > 1:
        raise WriteError(
            f"standard output can hold one document, not {' and '.join(map(_option, printed))}; name a file"
        )
    files = [(name, path) for name, path in outputs if path != STANDARD_STREAM]
    for _, path in files:
        file_of(path)
    for (name, path), (other, other_path) in combinations(files, 2):
        if _is_same(path, other_path):
            raise WriteError(f"{_option(name)} and {_option(other)} both name {path}; name two files")
    for (name, path), (role, source) in product(files, list(_inputs(options))):
        if (name, role) != CORRECTED and _is_same(path, source):
            raise WriteError(f"{_option(name)} {path} is an input file; write to another file")


def write_document(path: str, data: bytes, robots: Iterable[Description] = (), sources: Iterable[str] = ()) -> None:
    """Write a document to a file, or to standard output for `-`.

    Args:
        path: The file.
        data: Its content.
        robots: The descriptions that the command has read; none of their files is overwritten.
        sources: Further files that are not overwritten.

    Raises:
        WriteError: It cannot be written.
    """
    if path == STANDARD_STREAM:
        if sys.stdout is None:
            raise WriteError("standard output is closed; name a file")
        sys.stdout.flush()
        sys.stdout.buffer.write(data)
        return
    from inertia_tools.description.files import files_of

    write_whole(path, data, inputs=chain(chain.from_iterable(map(files_of, robots)), map(Path, sources)))


def wants_json(options: argparse.Namespace) -> bool:
    """Return whether the JSON document of a command is to be printed or written."""
    return bool(options.json or options.json_output)


def write_json(
    document: dict[str, Any],
    options: argparse.Namespace,
    robots: Iterable[Description] = (),
    sources: Iterable[str] = (),
) -> None:
    """Write the JSON document of a command to `--json-output`, and print it for `--json`.

    Raises:
        WriteError: It cannot be written.
    """
    text = json_text(document)
    if options.json_output:
        write_document(options.json_output, text.encode(), robots, sources)
    if options.json:
        write_document(STANDARD_STREAM, text.encode())


def write_error(error: InertiaToolsError, options: argparse.Namespace) -> None:
    """Write the JSON document of a command that cannot use its robot: the reason is its `error`.

    Raises:
        WriteError: It cannot be written.
    """
    is_about_robot = isinstance(error, ABOUT_THE_ROBOT) and not isinstance(error, UndeclaredArgumentError)
    if not (is_about_robot and "json" in options and wants_json(options)):
        return
    if options.schema is not None:
        write_json({"schema": options.schema, "error": str(error)}, options)
        return
    from inertia_tools.inertia.report_json import report_document, unreadable_entry

    names = options.files if "files" in options else [options.file]
    write_json(report_document([unreadable_entry(name, str(error)) for name in names]), options)


def json_text(document: dict[str, Any]) -> str:
    """Return a document as indented JSON."""
    return json.dumps(document, indent=2, allow_nan=False) + "\n"


def _inputs(options: argparse.Namespace) -> Iterator[tuple[str, str]]:
    for name in INPUTS:
        value = getattr(options, name, None)
        yield from ((name, path) for path in ([value] if isinstance(value, str) else value or ()))


def _is_same(path: str, other: str) -> bool:
    """Return whether two paths are one file, existing or not; streams may be read and written, and are not files."""
    try:
        if os.path.exists(path) and os.path.exists(other):
            return os.path.samefile(path, other) and os.path.isfile(path)
    except (OSError, ValueError):
        return False
    return os.path.realpath(path) == os.path.realpath(other)


def _option(name: str) -> str:
    return f"--{name.replace('_', '-')}"
