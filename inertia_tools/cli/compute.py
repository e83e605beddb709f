# SPDX-FileCopyrightText: The inertia_tools authors
# SPDX-License-Identifier: Apache-2.0
"""`inertia-tools compute FILE`: inertials from geometry."""

from __future__ import annotations

import argparse
from collections.abc import Sequence
from dataclasses import replace
from typing import Any

from inertia_tools.cli.documents import wants_json, write_json
from inertia_tools.cli.materials import add_materials, material_densities, materials, print_materials
from inertia_tools.cli.next_step import next_command
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
from inertia_tools.cli.tables import Row, inertial_lines
from inertia_tools.cli.terminal import Terminal
from inertia_tools.inertia.compute import compute, compute_link, without_densities
from inertia_tools.inertia.finding import Finding, Severity
from inertia_tools.inertia.materials import density_of
from inertia_tools.inertia.report import Report, stats
from inertia_tools.inertia.report_json import file_entry, report_document


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the command's options."""
    file = parser.add_argument("file", type=file_name, metavar="FILE", help=DESCRIPTION)
    add_reading(parser)
    add_geometry(parser, material=True)
    add_materials(parser, file)
    add_integration(parser)
    add_json(parser)
    parser.epilog = "exit codes: 0 all geometry was computed, 1 some is missing or invalid, 2 could not run"


def run(options: argparse.Namespace) -> int:
    """Compute and print; the exit code is 1 if some geometry is missing or invalid."""
    if options.list_materials:
        return print_materials(options)
    robot = read(options.file, options)
    of_all = [word for word in options.material if "=" not in word]
    of_links = material_densities(robot, [word for word in options.material if "=" in word], options)
    density = density_of(of_all[-1], materials(options)) if of_all else options.density
    how: dict[str, Any] = {"geometry": options.geometry, "params": params(options)}
    with mesh_progress(quiet=options.quiet) as progress:
        computed = dict(compute(robot, density=density, progress=progress, **how))
        for name, own in of_links.items():
            computed[name] = compute_link(without_densities(robot.link(name)), density=own, **how)
    links = tuple(
        replace(entry, computed=computed[entry.link], findings=computed[entry.link].notes)
        for entry in stats(robot).links
    )
    report = Report(robot, links)
    if wants_json(options):
        write_json(report_document([file_entry(options.file, report)]), options, [robot])
    code = int(any(entry.computed.lacks_mesh or _is_invalid(entry.findings) for entry in links if entry.computed))
    if options.json:
        return code
    rows = [Row(entry.link, entry.computed.inertial, entry.computed.method.label) for entry in links if entry.computed]
    print_lines(inertial_lines(f"{options.file}: from geometry", rows, Terminal.of()))
    if not options.quiet:
        print_findings(report.findings)
        print(next_command("check", options.file, options=options))
    return code


def _is_invalid(findings: Sequence[Finding]) -> bool:
    return any(one.severity is Severity.ERROR for one in findings)
