# SPDX-FileCopyrightText: The inertia_tools authors
# SPDX-License-Identifier: Apache-2.0
"""`inertia-tools check FILE...`: every finding of every link, in one pass."""

from __future__ import annotations

import argparse
import contextlib
from collections import Counter
from collections.abc import Sequence
from dataclasses import replace

from inertia_tools import __version__
from inertia_tools.cli.documents import STANDARD_STREAM, json_text, wants_json, write_document, write_json
from inertia_tools.cli.listing import cause_lines, collection_lines, summary_lines
from inertia_tools.cli.next_step import correcting, expansion_lines, next_command
from inertia_tools.cli.options import (
    DESCRIPTION,
    add_geometry,
    add_json,
    add_reading,
    add_static,
    file_name,
    read_one_of_several,
    typed_xacro_arguments,
    xacro_arguments,
)
from inertia_tools.cli.output import print_findings, print_lines, summary
from inertia_tools.cli.progress import file_progress, mesh_progress
from inertia_tools.cli.terminal import Terminal
from inertia_tools.cli.workers import add_workers, working
from inertia_tools.collection.files import robot_files
from inertia_tools.collection.verdict import (
    CLEAN,
    COULD_NOT_RUN,
    Rules,
    Verdict,
    judge,
    refuse_undeclared,
    unreadable,
    wanted,
)
from inertia_tools.description import Description
from inertia_tools.errors import MissingOptionError, ModelError
from inertia_tools.geometry.mesh.batch import prepare
from inertia_tools.inertia.baseline import Baseline
from inertia_tools.inertia.finding import Severity
from inertia_tools.inertia.link_inertial import MISSING_MESH
from inertia_tools.inertia.report_json import report_document

FEW = 8
"""Number of files up to which all meshes are prepared together, and the output lists each file's findings."""

FORMATS = ("text", "json", "github", "junit", "sarif")


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the command's options."""
    parser.add_argument("files", nargs="+", type=file_name, metavar="FILE", help=f"{DESCRIPTION}; or a folder of them")
    parser.add_argument(
        "--fail-on",
        choices=("error", "warning", "info"),
        default="error",
        help="lowest severity that makes the exit code 1 (default %(default)s)",
    )
    parser.add_argument("--baseline", metavar="PATH", help="earlier --json report; known findings are omitted")
    parser.add_argument(
        "--update-baseline",
        action="store_true",
        help="write all current findings to the --baseline file and exit with 0",
    )
    parser.add_argument(
        "--ignore",
        metavar="CODE",
        action="append",
        default=[],
        help="omit findings with this code; repeat the option or separate codes by commas",
    )
    parser.add_argument("--summary", action="store_true", help="print one line for each code instead of every finding")
    parser.add_argument(
        "--format", choices=FORMATS, default="text", help="output format (default %(default)s); github: annotations"
    )
    parser.add_argument("--sarif", metavar="PATH", help="also write the findings as SARIF 2.1.0")
    parser.add_argument(
        "--junit", metavar="PATH", help="also write the findings as JUnit XML, one test case for each link"
    )
    add_workers(parser)
    add_reading(parser)
    add_static(parser)
    add_geometry(parser)
    add_json(parser)
    parser.epilog = "exit codes: 0 no finding at or above --fail-on, 1 such findings, 2 a file could not be read"


def run(options: argparse.Namespace) -> int:
    """Check the files and return the worst exit code."""
    if options.update_baseline and not options.baseline:
        raise MissingOptionError("--update-baseline", "--baseline PATH", "which names the file to write")
    options.json = options.json or options.format == "json"
    threshold = Severity[options.fail_on.upper()]
    files, rules = robot_files(options.files), _rules(options)
    is_collection = len(files) > FEW or options.resume or options.scheduler or options.jobs is not None
    verdicts = _judge_many(files, rules, options) if is_collection else _judge_few(files, rules, options)
    refuse_undeclared(verdicts, rules, typed_xacro_arguments(options))
    sources = [source for verdict in verdicts for source in verdict.sources]
    if wants_json(options):
        write_json(report_document(verdict.entry for verdict in verdicts), options, sources=sources)
    if options.sarif:
        write_document(options.sarif, _sarif(verdicts).encode(), sources=sources)
    if options.junit:
        write_document(options.junit, _junit(verdicts, threshold), sources=sources)
    if not (options.json or STANDARD_STREAM in (options.sarif, options.junit)):
        _show(verdicts, options, threshold, is_collection=len(files) > FEW)
    if options.update_baseline:
        write_document(
            options.baseline, json_text(report_document(verdict.entry for verdict in verdicts)).encode(), (), sources
        )
        return max((COULD_NOT_RUN if verdict.reason else CLEAN) for verdict in verdicts)
    return max(verdict.exit_code(threshold) for verdict in verdicts)


def _rules(options: argparse.Namespace) -> Rules:
    has_old = options.baseline and not options.update_baseline
    return Rules(
        tuple(options.package_path),
        dict(xacro_arguments(options)),
        options.xacro,
        options.density,
        options.geometry,
        options.include_static,
        _ignored(options),
        Baseline.read(options.baseline) if has_old else Baseline(),
    )


def _ignored(options: argparse.Namespace) -> frozenset[str]:
    if not options.ignore:
        return frozenset()
    from inertia_tools.inertia.explanations import known_codes

    return known_codes(options.ignore, "--ignore")


def _judge_few(files: Sequence[str], rules: Rules, options: argparse.Namespace) -> list[Verdict]:
    """Check files in this process, after preparing the meshes of all of them on all cores."""
    found = {file: _read(file, options) for file in files}
    readable = [one[0] for one in found.values() if not isinstance(one, str)]
    with mesh_progress(quiet=options.quiet) as progress:
        prepare((mesh for robot in readable for mesh in wanted(robot, rules)), progress)
    return [
        unreadable(file, one) if isinstance(one, str) else replace(judge(file, one[0], rules), undeclared=one[1])
        for file, one in found.items()
    ]


def _judge_many(files: Sequence[str], rules: Rules, options: argparse.Namespace) -> list[Verdict]:
    """Check files on several cores or a cluster, one by one."""
    from inertia_tools.collection.journal import Journal
    from inertia_tools.collection.run import judge_all
    from inertia_tools.collection.verdict_cache import VerdictCache

    with contextlib.ExitStack() as stack:
        journal = stack.enter_context(contextlib.closing(Journal(options.resume, rules))) if options.resume else None
        executor, workers = stack.enter_context(working(options, len(files)))
        progress = stack.enter_context(file_progress(quiet=options.quiet))
        return judge_all(
            files,
            rules,
            executor=executor,
            workers=workers,
            journal=journal,
            cache=VerdictCache.of_environment(rules),
            progress=progress,
        )


def _read(file: str, options: argparse.Namespace) -> tuple[Description, tuple[str, ...]] | str:
    """Read a file that may be one of several, or return the reason why it cannot be read."""
    try:
        return read_one_of_several(file, options)
    except ModelError as error:
        return str(error)


def _show(
    verdicts: Sequence[Verdict], options: argparse.Namespace, threshold: Severity, *, is_collection: bool
) -> None:
    """Print the verdicts in the requested format."""
    if options.format == "github":
        from inertia_tools.collection.github import github_lines

        print_lines(github_lines(verdicts))
    elif options.format == "junit":
        print(_junit(verdicts, threshold).decode(), end="")
    elif options.format == "sarif":
        print(_sarif(verdicts), end="")
    else:
        for verdict in verdicts:
            if not (is_collection and options.summary and not verdict.reason):
                _print(verdict, options, threshold)
        if is_collection:
            print_lines(collection_lines(verdicts, Terminal.of()))
    if options.format in ("text", "github") and not options.quiet:
        print(_next(verdicts, options))


def _print(verdict: Verdict, options: argparse.Namespace, threshold: Severity) -> None:
    if verdict.reason:
        print(f"{verdict.reason} [unreadable]")
        return
    findings = verdict.at_least(threshold) if options.quiet else verdict.findings
    if options.summary:
        print_lines(summary_lines(findings, Terminal.of()))
    else:
        print_findings(findings)
    if not options.quiet:
        if not options.summary:
            print_lines(cause_lines(verdict))
        print(f"{verdict.file}: {summary(verdict)}")
        print_lines(expansion_lines(verdict, options))


def _next(verdicts: Sequence[Verdict], options: argparse.Namespace) -> str:
    """Return the next command: a correction, else an explanation of a finding, else a drop test."""
    read = [verdict for verdict in verdicts if not verdict.reason]
    for asked, severity in ((_mending_errors, Severity.ERROR), (_undoing_mistakes, Severity.WARNING)):
        for verdict in read:
            if (words := asked(verdict)) is not None:
                return correcting(verdict, words, verdict.at_least(severity), options)
    for severity in (Severity.ERROR, Severity.WARNING):
        found = (one for verdict in read for one in verdict.findings if one.severity is severity)
        codes = Counter(one.code for one in found if not one.explained_by)
        if codes:
            return next_command("explain", codes.most_common(1)[0][0])
    if read:
        return next_command("simulate", read[0].file, options=options)
    return next_command("check", "--help")


def _mending_errors(verdict: Verdict) -> list[str] | None:
    """Return the options with which `fix` corrects errors of a file; None if it can correct none."""
    errors = [one for one in verdict.findings if one.severity is Severity.ERROR]
    if not errors:
        return None
    from inertia_tools.inertia.correction_scope import is_mended

    lacking = {one.link for one in verdict.findings if one.code == MISSING_MESH} - verdict.computed
    return [] if any(is_mended(one, lacking) for one in errors) else None


def _undoing_mistakes(verdict: Verdict) -> list[str] | None:
    """Return the options with which `fix` undoes proven mistakes of a file with a warning; None without any."""
    warned = {one.link for one in verdict.findings if one.severity >= Severity.WARNING}
    proven = [cause for cause in verdict.entry["causes"] if cause["proven"] and cause["inertial"] is not None]
    codes = dict.fromkeys(cause["code"] for cause in proven if cause["link"] in warned)
    return [word for code in codes for word in ("--apply", code)] or None


def _junit(verdicts: Sequence[Verdict], threshold: Severity) -> bytes:
    """Return the findings of all files as JUnit XML."""
    from inertia_tools.collection.junit import junit_document

    return junit_document(verdicts, threshold)


def _sarif(verdicts: Sequence[Verdict]) -> str:
    """Return the findings of all files as SARIF."""
    from inertia_tools.inertia.sarif import sarif_document

    findings = [finding for verdict in verdicts for finding in verdict.findings]
    failed = [(verdict.file, verdict.reason) for verdict in verdicts if verdict.reason]
    return json_text(sarif_document(findings, failed, __version__))
