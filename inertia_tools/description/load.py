# SPDX-FileCopyrightText: The inertia_tools authors
# SPDX-License-Identifier: Apache-2.0
"""Reading a description from a file or a text; the content determines the format.

A format's modules are imported when a file of that format is read, which saves the others a fifth of their start.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

from inertia_tools.description.content import content_of, is_usd
from inertia_tools.description.encoding import UTF8
from inertia_tools.description.schema.unknown_words import unknown_words
from inertia_tools.description.source import Document, PathResolver
from inertia_tools.description.types import Description, Format
from inertia_tools.description.urdf import read_urdf
from inertia_tools.description.xacro import expand, is_xacro, refuse_xacro
from inertia_tools.description.xml import Element, parse_xml
from inertia_tools.errors import MissingFileError, OptionTypeError, ParseError, UndeclaredArgumentError
from inertia_tools.wording import not_opened

PathLike = str | os.PathLike[str]

READABLE = ("robot", "sdf", "mujoco")
"""Root elements of the supported formats; xacro may produce any of them."""

USD_SUFFIXES = (".usd", ".usda", ".usdc", ".usdz")

SUFFIXES = (".urdf", ".xacro", ".sdf", ".world", ".xml", ".mjcf", *USD_SUFFIXES)
"""File extensions of descriptions."""

LATER_FORMATS = {"gazebo": "SDFormat before 1.2"}
"""Root elements of formats that are known but not supported yet."""


def load(
    path: PathLike,
    *,
    package_path: Iterable[PathLike] = (),
    xacro_arguments: Mapping[str, str] | None = None,
    xacro: bool | None = None,
    allowed_roots: Iterable[PathLike] = (),
    path_resolver: PathResolver | None = None,
) -> Description:
    """Read a robot description from a file; nothing is computed.

    Args:
        path: The file: URDF, xacro, SDFormat, MJCF or USD.
        package_path: Folders to search first for packages and models that the file names.
        xacro_arguments: Values for the file's `<xacro:arg>`.
        xacro: Whether to expand the file, which runs the code in it; by default where its name ends in `.xacro`.
        allowed_roots: Folders that must contain every file it names, after following links; no restriction by default.
        path_resolver: For MJCF, returns the location of files that it names; see `PathResolver`.

    Raises:
        ParseError: The file cannot be read, is no valid description, or is a xacro that is not to be expanded.
        UndeclaredArgumentError: It does not declare one of the given arguments, or is not a xacro.
        MissingDependencyError: It is USD, and usd-core is not installed.
        OptionTypeError: An argument is of another type.
    """
    if not isinstance(path, str | os.PathLike):
        raise OptionTypeError("path", path, "the path of a file")
    file = Path(path)
    if xacro is False and is_xacro(file):
        raise ParseError(
            "is a xacro file, which --no-xacro (xacro=False) refuses; remove that option, or name the expanded file",
            str(path),
        )
    try:
        data = content_of(file)
    except (OSError, ValueError) as error:
        if isinstance(path, str) and ("\n" in path or path.lstrip().startswith("<")):
            raise ParseError("the path is the text of a document; read it with load_text", "<text>") from None
        kind = MissingFileError if isinstance(error, FileNotFoundError) else ParseError
        if kind is MissingFileError and ":=" in str(path):
            raise kind(f"is no file; give a xacro its arguments by --xacro-arg {path}", str(path)) from error
        raise kind(not_opened(error), str(path)) from error
    document = Document(
        data,
        str(path),
        file,
        folders_of("package_path", package_path),
        allowed_roots=folders_of("allowed_roots", allowed_roots),
        path_resolver=path_resolver,
    )
    return _read(document, xacro_arguments or {}, expands=is_xacro(file) if xacro is None else xacro)


def load_text(
    text: str | bytes,
    *,
    name: str = "<text>",
    base_dir: PathLike | None = None,
    package_path: Iterable[PathLike] = (),
    xacro_arguments: Mapping[str, str] | None = None,
    xacro: bool = False,
    allowed_roots: Iterable[PathLike] = (),
    path_resolver: PathResolver | None = None,
) -> Description:
    """Read a robot description from its text, as it arrives on a topic.

    Args:
        text: The document.
        name: Its name in messages.
        base_dir: Base folder of relative paths; the working folder by default.
        package_path: Folders to search first for packages and models that the text names.
        xacro_arguments: Values for `<xacro:arg>`.
        xacro: Whether to expand the text, which runs the code in it: only for text that you wrote or trust.
        allowed_roots: Folders that must contain every file it names, after following links; no restriction by default.
        path_resolver: For MJCF, returns the location of files that it names; see `PathResolver`.

    Raises:
        ParseError: The text is no valid description, or is xacro that is not to be expanded.
        OptionTypeError: An argument is of another type.
    """
    if not isinstance(text, str | bytes):
        raise OptionTypeError("text", text, "the text of a description, as str or bytes")
    if isinstance(text, str) and text.endswith(SUFFIXES) and "<" not in text:
        raise ParseError("the text is the name of a file; give its content, or read the file with load", name)
    data = text.encode() if isinstance(text, str) else text
    path = None if base_dir is None else Path(base_dir) / "text.urdf"
    document = Document(
        data,
        name,
        path,
        folders_of("package_path", package_path),
        allowed_roots=folders_of("allowed_roots", allowed_roots),
        path_resolver=path_resolver,
        codec=UTF8 if isinstance(text, str) else "",
    )
    return _read(document, xacro_arguments or {}, expands=xacro)


def read_declared(
    read: Callable[[Mapping[str, str]], Description], arguments: Mapping[str, str]
) -> tuple[Description, tuple[str, ...]]:
    """Read one of several files that share values for `<xacro:arg>`, dropping values that it does not declare.

    Args:
        read: Reads the file with given values.
        arguments: The values.

    Returns:
        The description, and the names of the dropped values.

    Raises:
        ParseError: It cannot be read.
    """
    try:
        return read(arguments), ()
    except UndeclaredArgumentError as error:
        return read({name: value for name, value in arguments.items() if name not in error.names}), error.names


def from_urdf_parser(robot: Any, **options: Any) -> Description:
    """Build a description from a `urdf_parser_py.urdf.Robot`.

    Args:
        robot: The object.
        options: As for `load_text`: `base_dir`, `package_path`.

    Raises:
        ParseError: The robot it holds is no valid description.
    """
    return load_text(robot.to_xml_string(), name=f"<urdf_parser_py robot {robot.name}>", **options)


def read_document(document: Document, format_: Format = Format.URDF) -> Description:
    """Read a document of URDF, SDFormat or MJCF that needs no expansion, or an expansion itself.

    Args:
        document: The document.
        format_: The original format, if the document is URDF.

    Raises:
        ParseError: The text is no valid description.
    """
    if is_usd(document.data):
        return _read_usd(document)
    return _read_expanded(parse_xml(document.data, document.name, document.origins), document, format_)


def _read(document: Document, xacro_arguments: Mapping[str, str], *, expands: bool) -> Description:
    if is_usd(document.data):
        return _read_usd(document)
    if (
        document.path is not None
        and document.path.suffix in USD_SUFFIXES
        and not document.data.lstrip().startswith(b"<")
    ):
        reason = "it is neither USD text (#usda), nor a crate (PXR-USDC), nor a USD package; export it again"
        raise ParseError(
            reason if document.data else "the document is empty; check its path, or the program that writes it",
            document.name,
        )
    root = parse_xml(document.data, document.name)
    if root.tag not in READABLE or not expands:
        refuse_xacro(root)
        if xacro_arguments:
            raise UndeclaredArgumentError(document.name, xacro_arguments, ())
        return _read_expanded(root, document, Format.URDF)
    expansion, origins = expand(document, xacro_arguments)
    name = f"{document.name} (expanded)"
    expanded = replace(document, data=expansion, name=name, generated=True, origins=origins)
    return read_document(expanded, Format.XACRO)


def _read_usd(document: Document) -> Description:
    from inertia_tools.description.usd import read_usd

    return read_usd(document)


def _read_expanded(root: Element, document: Document, format_: Format) -> Description:
    if root.tag == "sdf":
        from inertia_tools.description.sdf import read_sdf

        return _with_unknown_words(read_sdf(root, document), root)
    if root.tag == "mujoco":
        from inertia_tools.description.mjcf import read_mjcf

        return read_mjcf(root, document)
    if root.tag == "robot":
        return _with_unknown_words(read_urdf(root, document, format_), root)
    raise _wrong_root(root)


def _with_unknown_words(robot: Description, root: Element) -> Description:
    found = unknown_words(root, robot)
    return replace(robot, remarks=(*robot.remarks, *found)) if found else robot


def _wrong_root(root: Element) -> ParseError:
    if root.tag in LATER_FORMATS:
        return root.error(f"this is {LATER_FORMATS[root.tag]}, which this version does not read; convert it to URDF")
    return root.error(f"the root element is <{root.tag}>; a robot description begins with <robot>, <sdf> or <mujoco>")


def folders_of(option: str, paths: PathLike | Iterable[PathLike] | None) -> tuple[Path, ...]:
    """Return folders given as a list, as a single one, or not at all.

    Args:
        option: Name of the argument.
        paths: The argument.

    Raises:
        OptionTypeError: The argument is something else.
    """
    listed = [paths] if isinstance(paths, str | os.PathLike) else paths
    try:
        return () if listed is None else tuple(Path(folder) for folder in listed)
    except TypeError:
        raise OptionTypeError(option, paths, "a list of folders") from None
