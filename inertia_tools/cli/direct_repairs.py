# SPDX-FileCopyrightText: The inertia_tools authors
# SPDX-License-Identifier: Apache-2.0
"""Options of `fix` that name a repair, which is then the only one made."""

from __future__ import annotations

import argparse
from collections.abc import Iterator
from typing import TYPE_CHECKING

from inertia_tools.cli.options import pairs
from inertia_tools.description import Description
from inertia_tools.errors import OptionError
from inertia_tools.inertia.link_patterns import values_by_link

if TYPE_CHECKING:
    from inertia_tools.inertia.direct_repairs import DirectRepair

PLANES = ("xz", "yz", "xy")
FRAMES = ("com", "output")
SIGNS = ("positive", "negative")


def add_direct_repairs(parser: argparse.ArgumentParser) -> None:
    """Add the options."""
    group = parser.add_argument_group(
        "direct repairs", "these repairs replace automatic correction; they run in the order of this list"
    )
    group.add_argument(
        "--convert-units",
        metavar="[PART=]G,MM",
        action="append",
        default=[],
        help="convert inertials from these units of mass and length to SI; with PART=, only the mass, com or tensor",
    )
    group.add_argument("--negate-products", action="store_true", help="change the sign of ixy, ixz and iyz")
    group.add_argument(
        "--from-cad",
        metavar="[LINK=]TABLE",
        action="append",
        default=[],
        help="take mass, centre of mass and tensor of links from the text output of SolidWorks, Fusion or Onshape, or "
        "from a CSV table with one row for each link",
    )
    group.add_argument(
        "--cad-units", metavar="G,MM", help="units of the table (default: as stated in it, else as fits the geometry)"
    )
    group.add_argument(
        "--cad-frame",
        choices=FRAMES,
        help="reference point of its tensors: centre of mass, or origin of the output coordinate system",
    )
    group.add_argument(
        "--cad-sign",
        choices=SIGNS,
        help="sign of its products: integrals of x y dm (positive notation), or tensor entries (negative notation)",
    )
    group.add_argument(
        "--com",
        metavar="LINK=X,Y,Z",
        action="append",
        default=[],
        help="set the centre of mass of a link or pattern [m]",
    )
    group.add_argument(
        "--mirror",
        metavar="LEFT=RIGHT",
        action="append",
        default=[],
        help="set links with RIGHT in their names to the mirror image of their twins with LEFT in the same place",
    )
    group.add_argument(
        "--mirror-plane", choices=PLANES, help="mirror plane of the robot (default: as fits the geometry)"
    )


def direct_repairs(robot: Description, options: argparse.Namespace) -> list[DirectRepair]:
    """Return the repairs that the options name.

    Raises:
        OptionError: An option is malformed.
        ParseError: A table cannot be read.
        UnknownLinkError: The robot has no link of that name.
    """
    asked = options.convert_units or options.negate_products or options.from_cad or options.com or options.mirror
    return list(_named(robot, options)) if asked else []


def _named(robot: Description, options: argparse.Namespace) -> Iterator[DirectRepair]:
    from inertia_tools.inertia.direct_repairs import ConvertUnits, FromCad, Mirror, NegateProducts, SetCom
    from inertia_tools.inertia.direct_repairs.cad_table import Stated, read_cad_table
    from inertia_tools.inertia.repair import PARTS
    from inertia_tools.inertia.unit_table import units_of

    for word in options.convert_units:
        part, separator, units = word.rpartition("=")
        if separator and part not in PARTS:
            raise OptionError("--convert-units", word, "of the form g,mm, or mass=g, com=mm or tensor=g,mm")
        yield ConvertUnits(units_of(units, "--convert-units"), frozenset({part}) if separator else PARTS)
    if options.negate_products:
        yield NegateProducts()
    units = None if options.cad_units is None else units_of(options.cad_units, "--cad-units")
    for word in options.from_cad:
        link, separator, path = word.partition("=")
        named = separator and link in robot.links
        stated = Stated(units, options.cad_frame, options.cad_sign)
        yield FromCad(read_cad_table(path if named else word), stated, link if named else None)
    if options.com:
        coms = {link: _coordinates(value) for link, value in pairs("--com", options.com).items()}
        yield SetCom(values_by_link(robot, coms, options.excepted, option="--com"))
    for source, target in pairs("--mirror", options.mirror).items():
        yield Mirror(source, target, options.mirror_plane)


def _coordinates(words: str) -> tuple[float, ...]:
    try:
        found = tuple(float(word) for word in words.replace(",", " ").split())
    except ValueError:
        found = ()
    if len(found) != 3:
        raise OptionError("--com", words, "of the form LINK=x,y,z, in metres")
    return found
