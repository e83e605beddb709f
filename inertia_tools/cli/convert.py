# SPDX-FileCopyrightText: The inertia_tools authors
# SPDX-License-Identifier: Apache-2.0
"""`inertia-tools convert IN -o OUT`: the same robot in another format."""

from __future__ import annotations

import argparse
from typing import Any

from inertia_tools.cli.documents import STANDARD_STREAM, wants_json, write_document, write_json
from inertia_tools.cli.next_step import next_command
from inertia_tools.cli.options import DESCRIPTION, add_json, add_reading, file_name, read
from inertia_tools.conversion import Conversion, Kind, convert
from inertia_tools.conversion.convert import EMITTERS
from inertia_tools.description.types import link_count
from inertia_tools.errors import WriteError
from inertia_tools.wording import counted

CONVERTED, REFUSED_BY_READERS = 0, 1
SCHEMA = "inertia-tools/conversion/1"


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the command's options."""
    parser.add_argument("file", type=file_name, metavar="IN", help=DESCRIPTION)
    parser.add_argument(
        "-o",
        "--output",
        metavar="OUT",
        required=True,
        help="file to write; its suffix selects the format; '-' is standard output and needs --format",
    )
    parser.add_argument(
        "--format",
        choices=[format.value for format in EMITTERS],
        help="output format, if the suffix does not select it",
    )
    lumping = parser.add_mutually_exclusive_group()
    lumping.add_argument(
        "--keep-fixed-joints", dest="lump", action="store_false", default=None, help="keep every link and fixed joint"
    )
    lumping.add_argument(
        "--lump-fixed-joints",
        dest="lump",
        action="store_true",
        help="merge links that fixed joints connect (default for SDFormat)",
    )
    parser.add_argument("--fixed-base", action="store_true", help="fix the root link to the world")
    parser.add_argument("--fix", action="store_true", help="first correct inertials that have an error, as `fix` does")
    parser.add_argument("--sdf-version", default="", metavar="1.X", help="version of SDFormat to write (default 1.9)")
    add_reading(parser)
    add_json(parser)
    parser.epilog = "exit codes: 0 converted, 1 converted, but target readers reject an inertial, 2 could not run"


def run(options: argparse.Namespace) -> int:
    """Convert, write, and print the notes."""
    goes_out = options.output == STANDARD_STREAM
    if goes_out and options.format is None:
        known = ", ".join(format.value for format in EMITTERS)
        raise WriteError(f"standard output has no suffix that selects the format; add --format ({known})")
    robot = read(options.file, options)
    conversion = convert(
        robot,
        None if goes_out else options.output,
        format=options.format,
        lump=options.lump,
        fix=options.fix,
        fixed_base=options.fixed_base,
        sdf_version=options.sdf_version,
    )
    if goes_out:
        conversion.require_one_file()
        write_document(options.output, conversion.data)
    if wants_json(options):
        write_json(_document(conversion, options), options, [robot])
    if not (goes_out or options.json):
        _print_account(conversion, options)
    return REFUSED_BY_READERS if conversion.noted(Kind.REFUSED) else CONVERTED


def _document(conversion: Conversion, options: argparse.Namespace) -> dict[str, Any]:
    return {
        "schema": SCHEMA,
        "input": options.file,
        "output": options.output,
        "format": conversion.format.value,
        "robot": conversion.prepared.name,
        "links": list(conversion.prepared.links),
        "joints": list(conversion.prepared.joints),
        "files": list(conversion.files),
        "notes": [
            {"kind": note.kind.value, "name": note.name, "message": note.message, "file": note.file, "line": note.line}
            for note in conversion.notes
        ],
    }


def _print_account(conversion: Conversion, options: argparse.Namespace) -> None:
    for note in conversion.notes if not options.quiet else conversion.noted(Kind.REFUSED):
        print(note)
    if options.quiet:
        return
    counts = ", ".join(f"{len(conversion.noted(kind))} {kind}" for kind in Kind if conversion.noted(kind))
    links, joints = link_count(conversion.prepared.links, conversion.format), len(conversion.prepared.joints)
    print(f"{options.output}: {counted(links, 'link')}, {counted(joints, 'joint')}" + (f"; {counts}" if counts else ""))
    print(next_command("check", options.output, options=options, is_written=True))
