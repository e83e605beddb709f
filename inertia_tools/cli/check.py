# SPDX-FileCopyrightText: The inertia_tools authors
# SPDX-License-Identifier: Apache-2.0
"""`inertia-tools check FILE...`: every finding of every link, in one pass."""

from __future__ import annotations

import argparse
from typing import Any

from inertia_tools.cli.options import add_geometry, add_json, add_reading, read
from inertia_tools.cli.output import print_findings, print_json, summary
from inertia_tools.errors import ModelError
from inertia_tools.inertia.finding import Severity
from inertia_tools.inertia.report import Report, check
from inertia_tools.inertia.report_json import file_entry, report_document, unreadable_entry

CLEAN, FOUND, COULD_NOT_RUN = 0, 1, 2


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the command's options."""
    parser.add_argument("files", nargs="+", metavar="FILE", help="robot description: URDF or xacro")
    parser.add_argument(
        "--fail-on",
        choices=("error", "warning", "info"),
        default="error",
        help="lowest severity that makes the exit code 1 (default %(default)s)",
    )
    add_reading(parser)
    add_geometry(parser)
    add_json(parser)
    parser.epilog = "exit codes: 0 nothing at or above --fail-on, 1 findings there, 2 a file could not be read"


def run(options: argparse.Namespace) -> int:
    """Check the files and return the worst exit code."""
    threshold = Severity[options.fail_on.upper()]
    entries: list[dict[str, Any]] = []
    code = CLEAN
    for file in options.files:
        try:
            report = check(read(file, options), density=options.density, geometry=options.geometry)
        except ModelError as error:
            entries.append(unreadable_entry(file, str(error)))
            code = COULD_NOT_RUN
            continue
        entries.append(file_entry(file, report))
        code = max(code, _judge(report, threshold))
        if not options.json:
            print_findings(report.findings)
            print(f"{file}: {summary(report)}")
    _finish(entries, options.json)
    return code


def _judge(report: Report, threshold: Severity) -> int:
    return FOUND if report.worst is not None and report.worst >= threshold else CLEAN


def _finish(entries: list[dict[str, Any]], as_json: bool) -> None:
    """Print the JSON, or the files that could not be read."""
    if as_json:
        print_json(report_document(entries))
        return
    for entry in entries:
        if entry["error"] is not None:
            print(f"{entry['error']} [unreadable]")
