# SPDX-FileCopyrightText: The inertia_tools authors
# SPDX-License-Identifier: Apache-2.0
"""`inertia-tools diff A B`: how the mass properties of two robots differ."""

from __future__ import annotations

import argparse
import math
from collections.abc import Iterator
from typing import Any

import numpy as np

from inertia_tools.cli.arguments import number
from inertia_tools.cli.documents import wants_json, write_json
from inertia_tools.cli.options import DESCRIPTION, add_json, add_reading, file_name, read_several
from inertia_tools.cli.output import print_lines
from inertia_tools.cli.tables import aligned
from inertia_tools.cli.terminal import BOLD, Terminal
from inertia_tools.inertia.difference import Difference, LinkDifference, Tolerances, diff
from inertia_tools.inertia.report_json import numbers_or_null
from inertia_tools.inertial import Inertial, six_of_tensor
from inertia_tools.wording import counted

SCHEMA = "inertia-tools/diff/1"
SAME, DIFFERENT = 0, 1
HEADER = ("link", "mass [kg]", "to", "change", "com [m]", "moments", "axes [deg]", "tensor")


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the command's options."""
    parser.add_argument("file", type=file_name, metavar="A", help=DESCRIPTION)
    parser.add_argument("other", type=file_name, metavar="B", help="robot to compare with; its format may differ")
    parser.add_argument("--all", action="store_true", help="also list links that do not differ")
    parser.add_argument(
        "--frame",
        choices=("link", "robot"),
        default="link",
        help="compare in link axes, or in the robot's axes at joint positions zero (default %(default)s)",
    )
    default = Tolerances()
    for name, unit, of in (
        ("mass", "RATIO", "masses"),
        ("com", "M", "centres of mass"),
        ("inertia", "RATIO", "tensors"),
    ):
        parser.add_argument(
            f"--{name}-tolerance",
            type=number,
            default=getattr(default, name),
            metavar=unit,
            help=f"differences of {of} up to this are ignored (default %(default)g)",
        )
    add_reading(parser)
    add_json(parser)
    parser.epilog = "exit codes: 0 no difference, 1 differences, 2 could not run"


def run(options: argparse.Namespace) -> int:
    """Compare two robots and print the differences."""
    robots = read_several((options.file, options.other), options)
    tolerances = Tolerances(options.mass_tolerance, options.com_tolerance, options.inertia_tolerance)
    found = diff(*robots, tolerances=tolerances, in_robot_frame=options.frame == "robot")
    if wants_json(options):
        write_json(_document(options, found), options, robots)
    if not options.json:
        print_lines(_lines(found, options))
    return DIFFERENT if found.differs else SAME


def _lines(found: Difference, options: argparse.Namespace) -> Iterator[str]:
    """Lay out the links that differ, and the totals."""
    rows = [*(found.links if options.all else found.differing), found.total]
    if found.differs or options.all:
        title, *lines = aligned([HEADER, *(_cells(one) for one in rows)], "<>>>>>>>")
        yield Terminal.of().styled(title, BOLD)
        yield from lines
    for one in rows:
        if one.lumped:
            yield f"{one.link}: with {', '.join(one.lumped)}, separate in only one of the files"
    if not options.quiet:
        count = counted(len(found.links), "link")
        yield f"{len(found.differing)} of {count} differ; the totals {'differ' if found.total.differs else 'agree'}"


def _cells(one: LinkDifference) -> tuple[str, ...]:
    masses = ["-" if value is None else f"{value.mass:.6g}" for value in (one.before, one.after)]
    if not one.is_in_both:
        side = "only in A" if one.after is None else "only in B"
        return (f"{one.link} ({side})", *masses, "", "", "", "", "")
    axes = "-" if one.axes is None else f"{math.degrees(one.axes):.3g}"
    return (
        one.link,
        *masses,
        f"{one.mass_change:+.3%}",
        f"{one.com:.3g}",
        f"{one.moments:.3%}",
        axes,
        f"{one.inertia:.3%}",
    )


def _document(options: argparse.Namespace, found: Difference) -> dict[str, Any]:
    return {
        "schema": SCHEMA,
        "files": [options.file, options.other],
        "frame": options.frame,
        "tolerances": {
            "mass": options.mass_tolerance,
            "com": options.com_tolerance,
            "inertia": options.inertia_tolerance,
        },
        "differs": found.differs,
        "total": _entry(found.total),
        "links": [_entry(one) for one in found.links],
    }


def _entry(one: LinkDifference) -> dict[str, Any]:
    is_both = one.is_in_both
    values = (one.mass_change, one.com, one.moments, one.inertia) if is_both else (math.nan,) * 4
    mass, com, moments, tensor = numbers_or_null(np.array(values))
    return {
        "link": one.link,
        "differs": one.differs,
        "a": _value(one.before),
        "b": _value(one.after),
        "mass_change": mass,
        "com_distance": com,
        "moments_change": moments,
        "axes_angle": one.axes if is_both else None,
        "inertia_change": tensor,
        "lumped": list(one.lumped),
    }


def _value(inertial: Inertial | None) -> dict[str, Any] | None:
    if inertial is None:
        return None
    numbers = numbers_or_null(np.array([inertial.mass, *inertial.com, *six_of_tensor(inertial.inertia)]))
    return {"mass": numbers[0], "com": numbers[1:4], "inertia": numbers[4:]}
