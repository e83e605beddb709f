# SPDX-FileCopyrightText: The inertia_tools authors
# SPDX-License-Identifier: Apache-2.0
"""Options that several commands share, and turning them into calls."""

from __future__ import annotations

import argparse
from collections.abc import Mapping

from inertia_tools.description import Description, load
from inertia_tools.errors import OptionError
from inertia_tools.inertia.compute import WATER
from inertia_tools.inertia.materials import DENSITY, load_materials


def add_reading(parser: argparse.ArgumentParser) -> None:
    """Add the options that say how a description is read."""
    parser.add_argument(
        "--package-path",
        metavar="DIR",
        action="append",
        default=[],
        help="folder to search first for package:// and model:// files; may be given several times",
    )
    parser.add_argument(
        "--xacro-arg",
        metavar="NAME=VALUE",
        action="append",
        default=[],
        help="value for a <xacro:arg>; may be given several times",
    )


def add_geometry(parser: argparse.ArgumentParser, *, material: bool = False) -> None:
    """Add the options that say how geometry becomes mass.

    Args:
        parser: The command's parser.
        material: Whether the density may also be given as the name of a material.
    """
    of_all = parser.add_mutually_exclusive_group()
    of_all.add_argument(
        "--density", type=float, default=WATER, metavar="KG/M3", help="density of the material (default %(default)g)"
    )
    if material:
        of_all.add_argument("--material", metavar="NAME", help="material of all links, instead of a density")
    parser.add_argument(
        "--geometry",
        choices=("collision", "visual"),
        default="collision",
        help="which shapes to integrate where a link has both (default %(default)s)",
    )


def add_materials(parser: argparse.ArgumentParser) -> None:
    """Add the option for materials of the user's own."""
    parser.add_argument(
        "--materials", metavar="FILE", help="materials of your own: a TOML or JSON file of NAME = KG/M3"
    )


def add_json(parser: argparse.ArgumentParser) -> None:
    """Add the option for output that programs read."""
    parser.add_argument("--json", action="store_true", help="print JSON")


def read(file: str, options: argparse.Namespace) -> Description:
    """Read the description of a file as the options say.

    Raises:
        ParseError: It cannot be read.
    """
    return load(file, package_path=options.package_path, xacro_arguments=pairs("--xacro-arg", options.xacro_arg))


def materials(options: argparse.Namespace) -> Mapping[str, float]:
    """Return density [kg/m^3] by material, with those of the user's file.

    Raises:
        ParseError: The file cannot be read.
    """
    return DENSITY if options.materials is None else load_materials(options.materials)


def pairs(option: str, words: list[str]) -> Mapping[str, str]:
    """Split words of the form NAME=VALUE.

    Raises:
        OptionError: A word has no equals sign.
    """
    split = {}
    for word in words:
        name, separator, value = word.partition("=")
        if not (separator and name):
            raise OptionError(option, word, "of the form NAME=VALUE")
        split[name] = value
    return split


def numbers(option: str, words: list[str]) -> Mapping[str, float]:
    """Split words of the form NAME=NUMBER.

    Raises:
        OptionError: A word is not of that form.
    """
    split = pairs(option, words)
    try:
        return {name: float(value) for name, value in split.items()}
    except ValueError as error:
        raise OptionError(option, " ".join(words), "of the form NAME=NUMBER") from error
