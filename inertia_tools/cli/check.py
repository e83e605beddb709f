# SPDX-FileCopyrightText: The inertia_tools authors
# SPDX-License-Identifier: Apache-2.0
"""`inertia-tools check FILE...`: every finding of every link, in one pass."""

from __future__ import annotations

import argparse
from collections import Counter
from dataclasses import dataclass

from inertia_tools import __version__
from inertia_tools.cli.documents import STANDARD_STREAM, json_text, wants_json, write_document, write_json
from inertia_tools.cli.listing import summary_lines
from inertia_tools.cli.next_step import corrected_name, expansion_lines, next_command
from inertia_tools.cli.options import DESCRIPTION, add_geometry, add_json, add_reading, add_static, read
from inertia_tools.cli.output import print_findings, print_lines, summary
from inertia_tools.cli.progress import mesh_progress
from inertia_tools.cli.terminal import Terminal
from inertia_tools.description import Description
from inertia_tools.errors import ModelError
from inertia_tools.geometry.mesh.batch import prepare
from inertia_tools.inertia.baseline import Baseline
from inertia_tools.inertia.explanations import known_codes
from inertia_tools.inertia.finding import Severity
from inertia_tools.inertia.report import Report, check, wanted_meshes
from inertia_tools.inertia.report_json import file_entry, report_document, unreadable_entry
from inertia_tools.inertia.sarif import sarif_document

CLEAN, FOUND, COULD_NOT_RUN = 0, 1, 2


@dataclass(frozen=True)
class Verdict:
    """What became of one file: its report, or why it could not be read."""

    file: str
    report: Report | None = None
    reason: str = ""

    def exit_code(self, threshold: Severity) -> int:
        """Return what the file alone would make the command exit with."""
        if self.report is None:
            return COULD_NOT_RUN
        return FOUND if self.report.worst is not None and self.report.worst >= threshold else CLEAN


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the command's options."""
    parser.add_argument("files", nargs="+", metavar="FILE", help=DESCRIPTION)
    parser.add_argument(
        "--fail-on",
        choices=("error", "warning", "info"),
        default="error",
        help="lowest severity that makes the exit code 1 (default %(default)s)",
    )
    parser.add_argument("--baseline", metavar="PATH", help="an earlier --json report; its findings are left out")
    parser.add_argument(
        "--ignore",
        metavar="CODE",
        action="append",
        default=[],
        help="leave out findings of this code; may be given several times, or with commas",
    )
    parser.add_argument("--summary", action="store_true", help="print one line a code instead of every finding")
    parser.add_argument("--sarif", metavar="PATH", help="also write the findings as SARIF 2.1.0")
    add_reading(parser)
    add_static(parser)
    add_geometry(parser)
    add_json(parser)
    parser.epilog = "exit codes: 0 nothing at or above --fail-on, 1 findings there, 2 a file could not be read"


def run(options: argparse.Namespace) -> int:
    """Check the files and return the worst exit code."""
    baseline = Baseline.read(options.baseline) if options.baseline else Baseline()
    ignored = known_codes(options.ignore, "--ignore") if options.ignore else frozenset()
    robots = {file: _read(file, options) for file in options.files}
    readable = [robot for robot in robots.values() if isinstance(robot, Description)]
    with mesh_progress(quiet=options.quiet) as progress:
        prepare(
            (
                mesh
                for robot in readable
                for mesh in wanted_meshes(robot, options.geometry, include_static=options.include_static)
            ),
            progress,
        )
    verdicts = [_judge(file, robot, baseline, ignored, options) for file, robot in robots.items()]
    if wants_json(options):
        write_json(report_document(_entry(verdict) for verdict in verdicts), options, readable)
    if options.sarif:
        write_document(options.sarif, _sarif(verdicts).encode(), readable)
    if not options.json and options.sarif != STANDARD_STREAM:
        for verdict in verdicts:
            _print(verdict, options)
        if not options.quiet:
            print(_next(verdicts, options))
    return max(verdict.exit_code(Severity[options.fail_on.upper()]) for verdict in verdicts)


def _read(file: str, options: argparse.Namespace) -> Description | str:
    """Read a file, or say why that cannot be done."""
    try:
        return read(file, options)
    except ModelError as error:
        return str(error)


def _judge(
    file: str, robot: Description | str, baseline: Baseline, ignored: frozenset[str], options: argparse.Namespace
) -> Verdict:
    if isinstance(robot, str):
        return Verdict(file, reason=robot)
    report = check(robot, density=options.density, geometry=options.geometry, include_static=options.include_static)
    return Verdict(file, baseline.without_known(file, report.without_codes(ignored)))


def _entry(verdict: Verdict) -> dict[str, object]:
    if verdict.report is None:
        return unreadable_entry(verdict.file, verdict.reason)
    return file_entry(verdict.file, verdict.report)


def _print(verdict: Verdict, options: argparse.Namespace) -> None:
    if verdict.report is None:
        print(f"{verdict.reason} [unreadable]")
        return
    findings = verdict.report.findings
    if options.quiet:
        findings = tuple(one for one in findings if one.severity >= Severity[options.fail_on.upper()])
    if options.summary:
        print_lines(summary_lines(findings, Terminal.of()))
    else:
        print_findings(findings)
    if not options.quiet:
        print(f"{verdict.file}: {summary(verdict.report)}")
        print_lines(expansion_lines(verdict.report.robot, findings, options))


def _next(verdicts: list[Verdict], options: argparse.Namespace) -> str:
    """Return what to type next: a correction, else an explanation of the commonest finding, else a drop test."""
    reports = [(verdict.file, verdict.report) for verdict in verdicts if verdict.report is not None]
    for file, report in reports:
        if report.worst is Severity.ERROR:
            return next_command("fix", file, "-o", corrected_name(report.robot), options=options)
    codes = Counter(one.code for _, report in reports for one in report.findings if one.severity is Severity.WARNING)
    if codes:
        return next_command("explain", codes.most_common(1)[0][0])
    if reports:
        return next_command("simulate", reports[0][0], options=options)
    return next_command("check", "--help")


def _sarif(verdicts: list[Verdict]) -> str:
    """Return the findings of all files as SARIF."""
    findings = [finding for verdict in verdicts if verdict.report for finding in verdict.report.findings]
    unreadable = [(verdict.file, verdict.reason) for verdict in verdicts if verdict.report is None]
    return json_text(sarif_document(findings, unreadable, __version__))
