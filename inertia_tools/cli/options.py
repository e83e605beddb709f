# SPDX-FileCopyrightText: The inertia_tools authors
# SPDX-License-Identifier: Apache-2.0
"""Options that several commands share, and turning them into calls."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Mapping
from typing import get_args

from inertia_tools.cli.documents import STANDARD_STREAM
from inertia_tools.description import Description, load, load_text
from inertia_tools.description.content import content_of_stream
from inertia_tools.errors import OptionError, ParseError
from inertia_tools.geometry.mesh.integral import OpenMeshPolicy
from inertia_tools.inertia.compute import WATER
from inertia_tools.inertia.parameters import AutoInertiaParams, OverlapPolicy

DESCRIPTION = "robot description: URDF, xacro, SDFormat, MJCF or USD; '-' is standard input"
"""Help for the argument that names one."""

STANDARD_INPUT = "<stdin>"
"""What messages call a description without a file."""


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
    parser.add_argument(
        "--xacro",
        action=argparse.BooleanOptionalAction,
        default=None,
        help="expand xacro, which runs the code in it, whatever the file is called, or refuse to (default: expand a "
        "file named .xacro)",
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
        of_all.add_argument(
            "--material",
            metavar="[LINK=]NAME",
            action="append",
            default=[],
            help="material of all links, instead of a density, or of those that a name or pattern means",
        )
    parser.add_argument(
        "--geometry",
        choices=("collision", "visual"),
        default="collision",
        help="which shapes to integrate where a link has both (default %(default)s)",
    )


def add_integration(parser: argparse.ArgumentParser) -> None:
    """Add the options that say how shapes are integrated."""
    group = parser.add_argument_group("integration of shapes")
    group.add_argument(
        "--method",
        default="auto",
        metavar="NAME",
        help="auto, integration, voxel, hull, shell, or the name of a registered calculator (default %(default)s)",
    )
    group.add_argument(
        "--open-mesh",
        choices=get_args(OpenMeshPolicy),
        default="auto",
        help="what to do with meshes that have holes (default %(default)s: whatever leaves least in doubt)",
    )
    group.add_argument(
        "--overlap",
        choices=get_args(OverlapPolicy),
        default="sum",
        help="count what shapes of a link share as often as it is there, or once (default %(default)s)",
    )
    group.add_argument("--thickness", metavar="M", help="shapes are hollow, with a wall of this thickness")
    group.add_argument("--tolerance", metavar="RATIO", help="relative error asked of voxels (default 0.001)")
    group.add_argument("--voxel-size", metavar="M", help="edge of the smallest voxels, instead of the tolerance")
    group.add_argument(
        "--param", action="append", default=[], metavar="NAME=VALUE", help="parameter for a calculator of your own"
    )


def params(options: argparse.Namespace) -> AutoInertiaParams:
    """Return how shapes are integrated.

    Raises:
        OptionError: A value is outside what it may be.
    """
    names = ("method", "open_mesh", "overlap", "thickness", "tolerance", "voxel_size")
    words = {name: getattr(options, name) for name in names if getattr(options, name) is not None}
    return AutoInertiaParams.from_words({**pairs("--param", options.param), **words})


def add_static(parser: argparse.ArgumentParser) -> None:
    """Add the switch for static models."""
    parser.add_argument(
        "--include-static",
        action="store_true",
        help="also calculate the inertials of SDFormat's static models, which nothing uses, and count them in totals",
    )


def add_json(parser: argparse.ArgumentParser) -> None:
    """Add the options for output that programs read."""
    parser.add_argument("--json", action="store_true", help="print JSON")
    parser.add_argument("--json-output", metavar="PATH", help="write that JSON to a file")


def read(file: str, options: argparse.Namespace) -> Description:
    """Read the description of a file, or of standard input for `-`, as the options say.

    Raises:
        ParseError: It cannot be read.
    """
    arguments = pairs("--xacro-arg", options.xacro_arg)
    if file != STANDARD_STREAM:
        return load(file, package_path=options.package_path, xacro_arguments=arguments, xacro=options.xacro)
    try:
        content = content_of_stream(sys.stdin.buffer)
    except OSError as error:
        raise ParseError(f"cannot be read: {error.strerror}", STANDARD_INPUT) from error
    return load_text(
        content,
        name=STANDARD_INPUT,
        package_path=options.package_path,
        xacro_arguments=arguments,
        xacro=bool(options.xacro),
    )


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
