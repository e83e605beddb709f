# SPDX-FileCopyrightText: The inertia_tools authors
# SPDX-License-Identifier: Apache-2.0
"""`inertia-tools diagnose FILE`: why the robot is unstable in simulation, the likeliest reason first."""

from __future__ import annotations

import argparse
import math
from collections.abc import Iterator
from dataclasses import asdict, fields
from typing import TYPE_CHECKING, Any

from inertia_tools.cli.arguments import number
from inertia_tools.cli.documents import wants_json, write_json
from inertia_tools.cli.next_step import corrected_name, next_command
from inertia_tools.cli.options import DESCRIPTION, add_json, add_reading, file_name, read
from inertia_tools.cli.output import print_lines
from inertia_tools.cli.progress import mesh_progress
from inertia_tools.cli.terminal import COLOUR, DIM, Terminal
from inertia_tools.errors import MissingDependencyError
from inertia_tools.inertia.finding import Severity
from inertia_tools.wording import counted

if TYPE_CHECKING:
    from inertia_tools.diagnosis import InstabilityReport, Reason
    from inertia_tools.diagnosis.drop_tests import DropTest

SCHEMA = "inertia-tools/diagnosis/1"
STABLE, UNSTABLE = 0, 1

FEW = 20
"""Number of reasons printed, unless all are requested."""


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the command's options."""
    parser.add_argument("file", type=file_name, metavar="FILE", help=DESCRIPTION)
    parser.add_argument(
        "--step",
        type=number,
        metavar="S",
        help="time step of your simulation (default: the file's value, else the default of the format's simulator)",
    )
    parser.add_argument(
        "--stiffness",
        type=number,
        default=0.0,
        metavar="K",
        help="position gain of your controller, for joints without a drive in the file",
    )
    parser.add_argument(
        "--damping", type=number, default=0.0, metavar="D", help="velocity gain of your controller, for the same joints"
    )
    parser.add_argument("--fixed-base", action="store_true", help="fix the root link to the world")
    parser.add_argument(
        "--seconds", type=number, default=2.0, metavar="S", help="simulated duration of each drop test (default 2)"
    )
    parser.add_argument("--no-drop", action="store_true", help="skip the drop tests before and after correction")
    parser.add_argument("--all", action="store_true", help=f"print more than the first {FEW} reasons, and all joints")
    add_reading(parser)
    add_json(parser)
    parser.epilog = "exit codes: 0 the robot stands and has no findings except remarks, 1 otherwise, 2 could not run"


def run(options: argparse.Namespace) -> int:
    """Diagnose the file and print the reasons."""
    robot = read(options.file, options)
    try:
        from inertia_tools.diagnosis import diagnose
    except ImportError as error:
        raise MissingDependencyError("warp-lang", "diagnosing", "pip install warp-lang") from error
    with mesh_progress(quiet=options.quiet) as progress:
        found = diagnose(
            robot,
            step=options.step,
            stiffness=options.stiffness,
            damping=options.damping,
            fixed_base=options.fixed_base,
            settle=not options.no_drop,
            seconds=options.seconds,
            progress=progress,
        )
    if wants_json(options):
        write_json(_document(options.file, found), options, [robot])
    if not options.json:
        print_lines(_reason_lines(found.reasons, options))
        if not options.quiet:
            print_lines(_account(found, options))
    return STABLE if found.is_stable else UNSTABLE


def _reason_lines(reasons: tuple[Reason, ...], options: argparse.Namespace) -> Iterator[str]:
    """Lay out each reason with its rank and score, and the remedy below it."""
    terminal = Terminal.of()
    kept = [one for one in reasons if not options.quiet or one.severity is not Severity.INFO]
    for rank, reason in enumerate(kept if options.all else kept[:FEW], start=1):
        label = terminal.styled(f"{rank}.", COLOUR[reason.severity])
        yield f"{label} {reason} (score {reason.score:.2f})"
        remedy = f"do: {reason.remedy}"
        lines = terminal.wrapped(remedy, 3) if terminal.is_interactive else [f"   {remedy}"]
        yield from (terminal.styled(line, DIM) for line in lines)
    if len(kept) > FEW and not options.all:
        yield f"and {counted(len(kept) - FEW, 'more reason')}; --all prints them"


def _account(found: InstabilityReport, options: argparse.Namespace) -> Iterator[str]:
    count = sum(one.severity is not Severity.INFO for one in found.reasons)
    remarks = len(found.reasons) - count
    yield f"{options.file}: {counted(count, 'reason')}, {counted(remarks, 'remark')}"
    if found.unsimulated:
        yield f"cannot be simulated as stated: {found.unsimulated}"
    yield from _step_lines(found, options)
    if found.before is not None and found.after is not None:
        yield f"drop test   {found.before.said}"
        yield f"after fix   {found.after.said if found.correction.changes else 'no difference: fix changes nothing'}"
    yield _next(found, options)


def _step_lines(found: InstabilityReport, options: argparse.Namespace) -> Iterator[str]:
    said = f"time step   {found.step.seconds:g} s ({found.step.source})"
    if found.study is None:
        yield said
        return
    longest = found.study.whole.longest
    bound = f"stable up to {longest:.3g} s" if math.isfinite(longest) else "no limit from gains or damping"
    yield f"{said}; {bound}; suggested {found.study.suggested:g} s"
    if not options.all:
        return
    yield "joint: effective inertia, longest step [s], largest position and velocity gain at this step"
    for one in found.study.joints:
        yield (
            f"  {one.joint}: {one.inertia:.3g}, {one.longest:.3g}, {one.largest_stiffness:.3g}, "
            f"{one.largest_damping:.3g}"
        )


def _next(found: InstabilityReport, options: argparse.Namespace) -> str:
    graver = [one for one in found.reasons if one.severity is not Severity.INFO]
    if any(one.link in found.correction.changes for one in graver):
        target = corrected_name(options.file, found.robot.format)
        return next_command("fix", options.file, "-o", target, options=options)
    if found.reasons and (graver or found.unsimulated):
        return next_command("explain", (graver or found.reasons)[0].code)
    return next_command("simulate", options.file, options=options)


def _document(file: str, found: InstabilityReport) -> dict[str, Any]:
    return {
        "schema": SCHEMA,
        "file": file,
        "robot": found.robot.name,
        "stable": found.is_stable,
        "reasons": [
            {"rank": rank, **asdict(one), "severity": one.severity.label}
            for rank, one in enumerate(found.reasons, start=1)
        ],
        "unsimulated": found.unsimulated or None,
        "step": {
            "seconds": found.step.seconds,
            "source": found.step.source,
            "longest": None if found.study is None else _finite(found.study.whole.longest),
            "suggested": found.suggested_step,
        },
        "joints": []
        if found.study is None
        else [{**asdict(one), "longest": _finite(one.longest)} for one in found.study.joints],
        "drop_test": {"before": _test(found.before), "after": _test(found.after)},
        "changes": {name: change.reason for name, change in found.correction.changes.items()},
    }


def _test(test: DropTest | None) -> dict[str, Any] | None:
    """Return a drop test without its samples; numbers that are not finite become null."""
    if test is None:
        return None
    measured: dict[str, Any] = {}
    if test.result is not None:
        names = [item.name for item in fields(test.result) if item.name not in ("start", "end", "samples")]
        measured = {name: _finite(getattr(test.result, name)) for name in names}
    return {"stands": test.stands, "says": test.said, **measured}


def _finite(value: float) -> float | None:
    return value if math.isfinite(value) else None
