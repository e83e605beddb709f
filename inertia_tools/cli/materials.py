# SPDX-FileCopyrightText: The inertia_tools authors
# SPDX-License-Identifier: Apache-2.0
"""Options that name materials, and the list of them."""

from __future__ import annotations

import argparse
from collections.abc import Mapping, Sequence

from inertia_tools.cli.options import pairs
from inertia_tools.cli.output import print_lines
from inertia_tools.cli.tables import aligned
from inertia_tools.description import Description
from inertia_tools.inertia.link_patterns import values_by_link
from inertia_tools.inertia.materials import DENSITY, density_of, load_materials


class _ListMaterials(argparse.Action):
    """Requests the list, for which no file is needed."""

    def __init__(self, option_strings: Sequence[str], dest: str, help: str, file: argparse.Action) -> None:
        super().__init__(option_strings, dest, nargs=0, default=False, help=help)
        self._file = file

    def __call__(self, _parser: object, namespace: argparse.Namespace, *_: object) -> None:
        """Store the request."""
        setattr(namespace, self.dest, True)
        self._file.required = False


def add_materials(parser: argparse.ArgumentParser, file: argparse.Action) -> None:
    """Add the options for the user's materials, for the list, and for exceptions.

    Args:
        parser: The command's parser.
        file: Its positional argument, which is optional when materials are listed.
    """
    parser.add_argument("--materials", metavar="FILE", help="TOML or JSON file of additional materials, NAME = KG/M3")
    parser.add_argument("--list-materials", action=_ListMaterials, file=file, help="list the materials and exit")
    parser.add_argument(
        "--except",
        dest="excepted",
        metavar="LINK",
        action="append",
        default=[],
        help="links that wildcards do not match; a name or a pattern; may be given several times",
    )


def materials(options: argparse.Namespace) -> Mapping[str, float]:
    """Return density [kg/m^3] by material, with those of the user's file.

    Raises:
        ParseError: The file cannot be read.
    """
    return DENSITY if options.materials is None else load_materials(options.materials)


def print_materials(options: argparse.Namespace) -> int:
    """Print names and densities; the exit code is 0."""
    rows = [(name, f"{density:g}") for name, density in sorted(materials(options).items())]
    print_lines(aligned([("material", "kg/m^3"), *rows], "<>"))
    return 0


def material_densities(robot: Description, words: list[str], options: argparse.Namespace) -> dict[str, float]:
    """Return density [kg/m^3] by link, from words of the form LINK=NAME.

    Raises:
        OptionError: A word is not of that form, a material is unknown, or a pattern matches no link.
        UnknownLinkError: The robot has no such link.
    """
    table = materials(options)
    given = {link: density_of(name, table) for link, name in pairs("--material", words).items()}
    return values_by_link(robot, given, options.excepted, option="--material")
