# SPDX-FileCopyrightText: The inertia_tools authors
# SPDX-License-Identifier: Apache-2.0
"""Options that several commands share, and their conversion to arguments of calls."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Mapping, Sequence
from functools import partial
from typing import get_args

from inertia_tools.cli.arguments import number
from inertia_tools.cli.documents import STANDARD_STREAM
from inertia_tools.description import Description, load, load_text
from inertia_tools.description.content import content_of_stream
from inertia_tools.description.load import read_declared
from inertia_tools.errors import OptionError, ParseError
from inertia_tools.geometry.mesh.integral import OpenMeshPolicy
from inertia_tools.inertia.compute import WATER
from inertia_tools.inertia.parameters import AutoInertiaParams, OverlapPolicy

DESCRIPTION = "robot description: URDF, xacro, SDFormat, MJCF or USD; '-' is standard input"
"""Help for the description argument."""

STANDARD_INPUT = "<stdin>"
"""Name of a description without a file, in messages."""


def file_name(word: str) -> str:
    """Return the argument that names a file, so that every command line that repeats it reads it as one.

    Raises:
        argparse.ArgumentTypeError: It is empty.
    """
    if not word:
        raise argparse.ArgumentTypeError("the name of a file is empty")
    return f"./{word}" if word.startswith("-") and word != STANDARD_STREAM else word


def add_reading(parser: argparse.ArgumentParser) -> None:
    """Add the options for reading a description."""
    parser.add_argument(
        "--package-path",
        metavar="DIR",
        action="append",
        default=[],
        help="package, folder of packages or workspace that is searched first for package:// and model:// files; may "
        "be given several times",
    )
    parser.add_argument(
        "--xacro-arg",
        metavar="NAME:=VALUE",
        action="append",
        default=[],
        help="value of a <xacro:arg>; NAME=VALUE also works; may be given several times",
    )
    parser.add_argument(
        "--xacro",
        action=argparse.BooleanOptionalAction,
        default=None,
        help="expand xacro, which runs code in the file, for any file name; or refuse xacro (default: expand files "
        "named .xacro)",
    )


def add_geometry(parser: argparse.ArgumentParser, *, material: bool = False) -> None:
    """Add the options for computing mass from geometry.

    Args:
        parser: The command's parser.
        material: Whether the density may also be given as the name of a material.
    """
    of_all = parser.add_mutually_exclusive_group()
    of_all.add_argument(
        "--density", type=number, default=WATER, metavar="KG/M3", help="density of the material (default %(default)g)"
    )
    if material:
        of_all.add_argument(
            "--material",
            metavar="[LINK=]NAME",
            action="append",
            default=[],
            help="material of all links, or of links that a name or pattern matches; replaces --density",
        )
    parser.add_argument(
        "--geometry",
        choices=("collision", "visual"),
        default="collision",
        help="geometry to integrate if a link has both kinds (default %(default)s)",
    )


def add_integration(parser: argparse.ArgumentParser) -> None:
    """Add the options for integrating shapes."""
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
        help="treatment of meshes with holes (default %(default)s: the method with the smallest estimated error)",
    )
    group.add_argument(
        "--overlap",
        choices=get_args(OverlapPolicy),
        default="sum",
        help="count the common volume of overlapping shapes several times or once (default %(default)s)",
    )
    group.add_argument("--thickness", metavar="M", help="treat shapes as hollow, with this wall thickness")
    group.add_argument(
        "--tolerance", metavar="RATIO", help="target relative error of voxel integration (default 0.001)"
    )
    group.add_argument("--voxel-size", metavar="M", help="edge length of the smallest voxels; replaces --tolerance")
    group.add_argument(
        "--param", action="append", default=[], metavar="NAME=VALUE", help="parameter of a registered calculator"
    )


def params(options: argparse.Namespace) -> AutoInertiaParams:
    """Return the integration parameters.

    Raises:
        OptionError: A value is out of range.
    """
    names = ("method", "open_mesh", "overlap", "thickness", "tolerance", "voxel_size")
    words = {name: getattr(options, name) for name in names if getattr(options, name) is not None}
    return AutoInertiaParams.from_words({**pairs("--param", options.param), **words})


def add_static(parser: argparse.ArgumentParser) -> None:
    """Add the switch for static models."""
    parser.add_argument(
        "--include-static",
        action="store_true",
        help="also compute the inertials of static SDFormat models, which simulators ignore, and count them",
    )


def add_json(parser: argparse.ArgumentParser) -> None:
    """Add the options for machine-readable output."""
    parser.add_argument("--json", action="store_true", help="print JSON; its 'error' says why a robot cannot be used")
    parser.add_argument("--json-output", metavar="PATH", help="write the JSON document to a file")


def read(file: str, options: argparse.Namespace) -> Description:
    """Read the description of a file, or of standard input for `-`, according to the options.

    Raises:
        OptionError: An argument for xacro is not of the form NAME:=VALUE.
        ParseError: It cannot be read.
        UndeclaredArgumentError: It does not declare one of the given arguments, or is not a xacro.
    """
    return read_several([file], options)[0]


def read_one_of_several(file: str, options: argparse.Namespace) -> tuple[Description, tuple[str, ...]]:
    """Read a description as `read` does, but without the values for arguments that it does not declare.

    Returns:
        The description, and the names of those arguments, which another file may declare.
    """
    return read_declared(partial(_read, file, options), xacro_arguments(options))


def read_several(files: Sequence[str], options: argparse.Namespace) -> list[Description]:
    """Read descriptions that share values for arguments of xacro; one of them has to declare each.

    Raises:
        ParseError: One cannot be read.
        UndeclaredArgumentError: None of them declares such an argument.
    """
    if files.count(STANDARD_STREAM) > 1:
        raise ParseError("cannot be read twice; name a file", STANDARD_INPUT)
    found = [read_one_of_several(file, options) for file in files]
    given = typed_xacro_arguments(options)
    nowhere = set(given).intersection(*(names for _, names in found))
    if nowhere:
        xacros = [file for file, (robot, _) in zip(files, found, strict=True) if robot.document.generated]
        _read((xacros or files)[0], options, {name: given[name] for name in nowhere})
    return [robot for robot, _ in found]


def typed_xacro_arguments(options: argparse.Namespace) -> Mapping[str, str]:
    """Return the values for xacro arguments without those of the project's file, which need not apply to every xacro.

    Raises:
        OptionError: A word is not of the form NAME:=VALUE, nor NAME=VALUE.
    """
    typed = [word for word in options.xacro_arg if any(one.endswith(word) for one in options.words)]
    return _values(typed)


def xacro_arguments(options: argparse.Namespace) -> Mapping[str, str]:
    """Return the values for arguments of xacro.

    Raises:
        OptionError: A word is not of the form NAME:=VALUE, nor NAME=VALUE.
    """
    return _values(options.xacro_arg)


def _values(words: Sequence[str]) -> Mapping[str, str]:
    given = pairs("--xacro-arg", [word.removeprefix(":") for word in words])  # so that no name is empty
    return {name.removesuffix(":"): value for name, value in given.items()}


def _read(file: str, options: argparse.Namespace, arguments: Mapping[str, str]) -> Description:
    if file != STANDARD_STREAM:
        return load(file, package_path=options.package_path, xacro_arguments=arguments, xacro=options.xacro)
    if sys.stdin is None:
        raise ParseError("cannot be read: it is closed; name a file", STANDARD_INPUT)
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
