# SPDX-FileCopyrightText: The inertia_tools authors
# SPDX-License-Identifier: Apache-2.0
"""`inertia-tools stats FILE`: the inertial in force of each link, and the totals."""

from __future__ import annotations

import argparse

from inertia_tools.cli.documents import wants_json, write_json
from inertia_tools.cli.next_step import next_command
from inertia_tools.cli.options import DESCRIPTION, add_json, add_reading, add_static, file_name, read
from inertia_tools.cli.output import print_findings, print_lines
from inertia_tools.cli.progress import mesh_progress
from inertia_tools.cli.tables import Row, inertial_lines
from inertia_tools.cli.terminal import Terminal
from inertia_tools.inertia.effective_inertial import has_usable_mass
from inertia_tools.inertia.finding import Severity
from inertia_tools.inertia.report import stats
from inertia_tools.inertia.report_json import file_entry, report_document


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the command's options."""
    parser.add_argument("file", type=file_name, metavar="FILE", help=DESCRIPTION)
    add_reading(parser)
    add_static(parser)
    add_json(parser)


def run(options: argparse.Namespace) -> int:
    """Print every link's inertial, the totals, and the findings; the exit code is 0."""
    robot = read(options.file, options)
    with mesh_progress(quiet=options.quiet) as progress:
        report = stats(robot, include_static=options.include_static, progress=progress)
    if wants_json(options):
        write_json(report_document([file_entry(options.file, report)]), options, [robot])
    if options.json:
        return 0
    rows = [Row(entry.link, None if entry.effective is None else entry.effective.inertial) for entry in report.links]
    if robot.models:
        worlds = {model.name for model in robot.models if model.is_world} or ({robot.name} if robot.is_world else set())
        rows += [Row(f"{'world' if m.name in worlds else 'model'} {m.name}", m.inertial) for m in report.models]
    else:
        whole = None if report.totals is None else report.totals.inertial
        rows.append(Row("all, at joint positions zero", whole))
    title = f"{options.file}: {robot.format.traits.heading}"
    print_lines(inertial_lines(title, rows, Terminal.of()))
    if options.quiet:
        return 0
    left_out = [one.link for one in report.links if one.effective is not None and not has_usable_mass(one.effective)]
    if left_out:
        print(f"without a usable mass, omitted from totals: {', '.join(left_out)}")
    print_findings(finding for finding in report.findings if finding.severity > Severity.INFO)
    print(next_command("check", options.file, options=options))
    return 0
