# SPDX-FileCopyrightText: The inertia_tools authors
# SPDX-License-Identifier: Apache-2.0
"""`inertia-tools report FILE -o OUT.html`: findings, numbers and pictures of robots as one page."""

from __future__ import annotations

import argparse
import contextlib
import shlex
import sys
from collections.abc import Sequence
from dataclasses import replace
from functools import partial
from pathlib import Path

from inertia_tools.cli.arguments import whole_number
from inertia_tools.cli.documents import STANDARD_STREAM, write_document
from inertia_tools.cli.next_step import PROGRAM, corrected_name, next_command
from inertia_tools.cli.options import DESCRIPTION, add_geometry, add_reading, file_name, read, read_one_of_several
from inertia_tools.cli.progress import file_progress, mesh_progress
from inertia_tools.cli.workers import add_jobs, working
from inertia_tools.collection.files import robot_files
from inertia_tools.description import Description
from inertia_tools.errors import InertiaToolsError, ModelError, OptionError, WriteError
from inertia_tools.geometry.mesh.batch import Progress
from inertia_tools.inertia.correct import fix
from inertia_tools.inertia.correction import Correction
from inertia_tools.inertia.correction_scope import SCOPES
from inertia_tools.inertia.ignore_comments import without_commented
from inertia_tools.inertia.report import check
from inertia_tools.view.report.page import MOST_OF_ALL, MOST_TRIANGLES, RobotPage, Unreadable, page_text, robot_page
from inertia_tools.wording import counted

WRITTEN, SOME_UNREADABLE = 0, 2

SUFFIXES = ("", ".html", ".htm", ".xhtml")
"""Suffixes of pages; a stream has none."""


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the command's options."""
    parser.add_argument("files", nargs="+", type=file_name, metavar="FILE", help=f"{DESCRIPTION}; or a folder of them")
    parser.add_argument(
        "-o", "--output", metavar="OUT.html", required=True, help="page to write; '-' is standard output"
    )
    parser.add_argument(
        "--scope",
        choices=SCOPES,
        default="invalid",
        help="links whose correction the page shows: with an error, with an error or a warning, or all with geometry "
        "(default %(default)s)",
    )
    parser.add_argument(
        "--triangles",
        type=whole_number,
        default=MOST_TRIANGLES,
        metavar="N",
        help="most triangles in the picture of a robot; larger models are simplified (default %(default)s)",
    )
    add_jobs(parser)
    add_reading(parser)
    add_geometry(parser)
    parser.epilog = "exit codes: 0 the page is written, 2 no page, or a file in it could not be read"


def run(options: argparse.Namespace) -> int:
    """Write the page; a file among several that cannot be read is listed there."""
    if options.triangles < 1:
        raise OptionError("--triangles", options.triangles, "1 or more")
    _require_page(options.output)
    files = robot_files(options.files)
    most = max(1, min(options.triangles, MOST_OF_ALL // len(files)))
    with contextlib.ExitStack() as stack:
        executor, _ = stack.enter_context(working(options, len(files)))
        is_one = len(files) == 1  # for one file, its meshes are counted instead
        progress = stack.enter_context(file_progress("drawing robots", quiet=options.quiet or is_one))
        work = partial(_page_or_reason, options, most, is_one=is_one)
        made = []
        for page in (executor.map if executor else map)(work, files):
            made.append(page)
            progress(len(made), len(files))
    pages = [one for one in made if isinstance(one, RobotPage)]
    unreadable = [one for one in made if isinstance(one, Unreadable)]
    if unreadable and is_one:
        print(f"inertia-tools: {unreadable[0].reason}", file=sys.stderr)
        return SOME_UNREADABLE
    text = page_text(pages, unreadable)
    data = text.encode(errors="backslashreplace")  # the name of a file may be invalid text
    write_document(options.output, data, sources=[source for page in pages for source in page.sources])
    if options.output != STANDARD_STREAM and not options.quiet:
        _print_account(pages, unreadable, len(text), options)
    return SOME_UNREADABLE if unreadable else WRITTEN


def _require_page(output: str) -> None:
    """Refuse the name of another kind of file, as if the report could be one.

    Raises:
        WriteError: The suffix is not that of a page.
    """
    suffix = Path(output).suffix
    if output != STANDARD_STREAM and suffix.lower() not in SUFFIXES:
        raise WriteError(f"a report is a page of HTML, and {output} is named {suffix}; name it .html")


def _page_or_reason(options: argparse.Namespace, most: int, file: str, *, is_one: bool) -> RobotPage | Unreadable:
    """Return the page's entry for a file, or why it cannot be read; called in separate processes."""
    try:
        robot = read(file, options) if is_one else read_one_of_several(file, options)[0]
        shown, note = shown_correction(robot, options, quiet=options.quiet or not is_one)
    except InertiaToolsError as error:
        return Unreadable(file, str(error))
    words = [PROGRAM, "fix", file, "-o", corrected_name(file, robot.format)]
    words += ["--scope", options.scope] if options.scope != "invalid" else []
    return robot_page(file, shown, command=shlex.join(words), note=note, most=most)


def shown_correction(robot: Description, options: argparse.Namespace, *, quiet: bool = False) -> tuple[Correction, str]:
    """Correct a robot as `fix` would, or only check it if that is impossible, with the reason.

    Raises:
        ModelError: The robot cannot be used at all.
    """
    note = ""
    with mesh_progress(quiet=quiet) as progress:
        try:
            found = fix(robot, options.scope, density=options.density, geometry=options.geometry, progress=progress)
        except ModelError:
            raise
        except InertiaToolsError as error:
            found = _uncorrected(robot, options, progress)
            note = f"The page shows no correction: {error}"
    return replace(found, report=without_commented(found.report), after=without_commented(found.after)), note


def _uncorrected(robot: Description, options: argparse.Namespace, progress: Progress) -> Correction:
    report = check(robot, density=options.density, geometry=options.geometry, progress=progress)
    kept = replace(report, links=tuple(replace(entry, corrected=entry.effective) for entry in report.links))
    return Correction(robot, robot, {}, kept, kept)


def _print_account(
    pages: Sequence[RobotPage], unreadable: Sequence[Unreadable], size: int, options: argparse.Namespace
) -> None:
    """Print the written file and the next command."""
    for one in unreadable:
        print(f"{one.reason} [unreadable]", file=sys.stderr)
    errors, warnings = (sum(getattr(one, name) for one in pages) for name in ("errors", "warnings"))
    found = f"{counted(errors, 'error')}, {counted(warnings, 'warning')}"
    print(f"{options.output}: {counted(len(pages), 'robot')}, {found}; {size / 1e6:.1f} MB, for any browser")
    if pages:
        print(next_command("view", pages[0].file, options=options))
