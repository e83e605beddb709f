# SPDX-FileCopyrightText: The inertia_tools authors
# SPDX-License-Identifier: Apache-2.0
"""`inertia-tools fix FILE`: correct what is wrong, and leave every other byte alone."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Mapping
from contextlib import suppress
from pathlib import Path

from inertia_tools.cli.direct_repairs import add_direct_repairs, direct_repairs
from inertia_tools.cli.documents import STANDARD_STREAM, wants_json, write_document, write_json
from inertia_tools.cli.interactive import Interview
from inertia_tools.cli.masses import add_masses, mass_model
from inertia_tools.cli.materials import add_materials, print_materials
from inertia_tools.cli.next_step import corrected_name, included_alone, next_command, same_command
from inertia_tools.cli.options import (
    DESCRIPTION,
    add_geometry,
    add_integration,
    add_json,
    add_reading,
    file_name,
    params,
    read,
)
from inertia_tools.cli.output import print_findings, print_lines
from inertia_tools.cli.progress import mesh_progress
from inertia_tools.cli.tables import Change, change_lines
from inertia_tools.cli.terminal import Terminal
from inertia_tools.description import Description
from inertia_tools.description.format import FORMAT_OF_SUFFIX, Format
from inertia_tools.errors import OptionError, WriteError
from inertia_tools.inertia.correct import fix
from inertia_tools.inertia.correction import Correction
from inertia_tools.inertia.correction_scope import SCOPES
from inertia_tools.inertia.finding import Finding, Severity
from inertia_tools.inertia.link_inertial import LinkInertial
from inertia_tools.inertia.link_patterns import values_by_link
from inertia_tools.inertia.number_text import numbers_of, stated_numbers
from inertia_tools.inertia.report_json import file_entry, report_document
from inertia_tools.inertial import Inertial
from inertia_tools.wording import counted, listed

CORRECTED, ERRORS_LEFT = 0, 1


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the command's options."""
    file = parser.add_argument("file", type=file_name, metavar="FILE", help=DESCRIPTION)
    target = parser.add_mutually_exclusive_group()
    target.add_argument("-o", "--output", metavar="OUT", help="file to write; '-' is standard output")
    target.add_argument("--in-place", action="store_true", help="overwrite the input file")
    parser.add_argument("--diff", action="store_true", help="print the changes as a unified diff")
    parser.add_argument(
        "--scope",
        choices=SCOPES,
        default="invalid",
        help="links to correct: with an error, with an error or a warning, or all with geometry (default %(default)s)",
    )
    parser.add_argument(
        "--apply",
        metavar="CAUSE",
        action="append",
        default=[],
        help="undo only this cause, in links where check proves it; LINK=CAUSE for a link with a possible cause",
    )
    parser.add_argument(
        "--target",
        metavar="NAME",
        action="append",
        default=[],
        help="simulators that must take the result as stated, such as gazebo,mujoco (see `simulators`)",
    )
    parser.add_argument(
        "--links", metavar="LINK", action="append", default=[], help="correct only these links; a name or a pattern"
    )
    parser.add_argument(
        "--interactive",
        action="store_true",
        help="show each change and other possible causes, and ask before it is made",
    )
    add_direct_repairs(parser)
    add_masses(parser)
    add_materials(parser, file)
    add_reading(parser)
    add_geometry(parser)
    add_integration(parser)
    add_json(parser)
    parser.epilog = "exit codes: 0 no errors remain, 1 errors remain, 2 could not run"


def run(options: argparse.Namespace) -> int:
    """Correct the file, write the requested documents, and print the changes."""
    if options.list_materials:
        return print_materials(options)
    if options.interactive and options.file == STANDARD_STREAM:
        raise OptionError(
            "--interactive", options.file, "used with a file, because standard input is needed for answers"
        )
    robot = read(options.file, options)
    _require_own_format(robot, options)
    stamps = _stamps(robot)
    with mesh_progress(quiet=options.quiet) as progress:
        correction = fix(
            robot,
            options.scope,
            masses=mass_model(robot, options),
            geometry=options.geometry,
            params=params(options),
            apply=options.apply,
            links=_links(robot, options),
            targets=options.target,
            repairs=direct_repairs(robot, options),
            choose=Interview(options.file) if options.interactive else None,
            progress=progress,
        )
    if options.in_place:
        _require_place(correction)
        _require_unchanged(stamps)
    target = options.file if options.in_place else options.output
    _write(correction, target)  # before the summary, which names the written file
    if wants_json(options):
        write_json(report_document([file_entry(options.file, correction.report)]), options, [robot])
    if options.diff and not options.json:
        write_document(STANDARD_STREAM, correction.patch)
        if not options.quiet:
            print(_next(correction, target, options), file=sys.stderr)
    elif target != STANDARD_STREAM and not options.json:
        _print_account(correction, target, options)
    return CORRECTED if correction.is_complete else ERRORS_LEFT


def _links(robot: Description, options: argparse.Namespace) -> list[str] | None:
    """Return the names of the only links to change; None for all."""
    if not options.links:
        return None
    return list(values_by_link(robot, dict.fromkeys(options.links), options.excepted, option="--links"))


def _require_own_format(robot: Description, options: argparse.Namespace) -> None:
    """Refuse the name of a file of another format, as if a correction converted; `.xml` may be any of them.

    Raises:
        WriteError: The suffix of the output belongs to another format.
    """
    suffix = "" if options.output is None else Path(options.output).suffix.lower()
    named = FORMAT_OF_SUFFIX.get(suffix)
    kept = Format.URDF if robot.format.traits.is_urdf else robot.format
    if named is None or named is kept or suffix == ".xml" or robot.usd is not None:
        return
    convert = next_command("convert", options.file, "-o", options.output, "--fix", options=options)
    raise WriteError(
        f"{options.output} is named as another format than that of {options.file}, which a correction keeps; name it "
        f".{kept.value}; {convert}"
    )


def _has_place(robot: Description) -> bool:
    """Return whether the document can be overwritten: it is a file, and neither a stage nor a xacro."""
    return robot.document.path is not None and robot.usd is None and not robot.document.generated


def _require_place(correction: Correction) -> None:
    """Refuse to overwrite a stage or a xacro, and print the values to enter by hand.

    Raises:
        WriteError: The document has no file, or was made from another file, or its correction goes into another.
    """
    if correction.robot.document.path is None:
        raise WriteError("standard input cannot be corrected in place; use -o OUT, or '-o -' for standard output")
    if correction.robot.usd is not None:
        path = correction.robot.document.path or Path(correction.robot.document.name)
        other = path.with_suffix(".corrected.usda")
        raise WriteError(f"{path} is a USD stage; its correction is a layer over it, write that with -o {other}")
    if not correction.robot.document.generated:
        return
    for name, repair in correction.changes.items():
        (mass, *com), six = numbers_of(repair.after)
        values = f"mass {mass}, com {' '.join(com)}, ixx ixy ixz iyy iyz izz {' '.join(six)}"
        print(f"{name}: {values} ({correction.robot.links[name].place})", file=sys.stderr)
    source = correction.robot.document.path
    raise WriteError(
        f"{source} is a xacro file, which is not edited in place; copy the values above into it, or use -o OUT.urdf"
    )


def _stamps(robot: Description) -> Mapping[Path, tuple[int, ...]]:
    """Return values that later show whether a file to be replaced in place was changed."""
    included = [] if robot.mjcf is None else map(Path, robot.mjcf.files)
    stamps = {}
    for file in [*included, *([robot.document.path] if robot.document.path else [])]:
        with suppress(OSError):
            status = file.stat()
            stamps[file] = (status.st_ino, status.st_size, status.st_mtime_ns)
    return stamps


def _require_unchanged(stamps: Mapping[Path, tuple[int, ...]]) -> None:
    """Check that a correction in place replaces the text that was read, not a later one.

    Raises:
        WriteError: A file was changed or removed while this run worked.
    """
    for file, stamp in stamps.items():
        status = file.stat() if file.exists() else None
        if status is None or (status.st_ino, status.st_size, status.st_mtime_ns) != stamp:
            raise WriteError(f"{file} changed during the correction; nothing was written, run the command again")


def _write(correction: Correction, target: str | None) -> None:
    if target == STANDARD_STREAM:
        correction.require_one_file()
        write_document(target, correction.data)
    elif target is not None and not (Path(target) == correction.robot.document.path and not correction.changes):
        correction.save(target)


def _print_account(correction: Correction, target: str | None, options: argparse.Namespace) -> None:
    """Print the changes with their reasons, and the remaining findings."""
    report, links = correction.report, correction.robot.links
    left = _errors_left(correction)
    if options.quiet:
        print_findings([*left, *correction.suspected_geometry])
        return
    changes = [
        Change(name, stated_numbers(links[name].declared), numbers_of(_inertial(report[name].corrected)), repair.reason)
        for name, repair in correction.changes.items()
    ]
    terminal = Terminal.of()
    print_lines(change_lines(correction.robot.document.name, changes, terminal))
    print_findings([*left, *correction.suspected_geometry])
    how = "-o OUT or --in-place" if _has_place(correction.robot) else "-o OUT"
    how = "--in-place" if correction.included else how
    written = f"no file written (use {how})" if target is None else f"written to {target}"
    changed = f"{len(correction.changes)} of {counted(report.link_count, 'link')} changed"
    print_lines(terminal.wrapped(f"{changed}, {counted(len(left), 'error')} left; {written}", 0))
    if included := _included(correction, left):
        said = f"links of included files are unchanged; correct the included files: {listed(included)}"
        print_lines(terminal.wrapped(said, 0))
    print(_next(correction, target, options))


def _included(correction: Correction, left: list[Finding]) -> list[str]:
    """Return the included, unchanged files that contain all remaining errors."""
    return included_alone(correction.robot.document.name, correction.robot.format, left)


def _inertial(value: LinkInertial | None) -> Inertial | None:
    return None if value is None else value.inertial


def _errors_left(correction: Correction) -> list[Finding]:
    return [finding for finding in correction.after.findings if finding.severity is Severity.ERROR]


def _next(correction: Correction, target: str | None, options: argparse.Namespace) -> str:
    """Return the next command.

    Wrong units of the geometry are explained first; then the same command with a file to write; else a correction of
    the included file that still has errors, or an explanation of one; else a drop test.
    """
    if correction.suspected_geometry:
        return next_command("explain", correction.suspected_geometry[0].code)
    if target is None and correction.changes:
        elsewhere = ("-o", corrected_name(options.file, correction.robot.format))
        return same_command(options, *(("--in-place",) if correction.included else elsewhere))
    left = _errors_left(correction)
    if included := _included(correction, left):
        return next_command("fix", included[0], "--in-place", options=options)
    if left:
        return next_command("explain", left[0].code)
    file = target or options.file
    return next_command("simulate", file, options=options, is_written=file != options.file)
