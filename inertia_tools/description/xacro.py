# SPDX-FileCopyrightText: The inertia_tools authors
# SPDX-License-Identifier: Apache-2.0
"""Expanding xacro with the ROS xacro package.

A xacro is a program: its expressions reach the shell, the environment and every file. It is therefore expanded only if
its file's name or the caller says so, never because a text looks like xacro.
"""

from __future__ import annotations

import contextlib
import io
import os
import threading
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from types import ModuleType
from typing import Any

from inertia_tools.description.circle import circle_of, circle_text
from inertia_tools.description.resources import package_folders
from inertia_tools.description.source import Document, Origin
from inertia_tools.description.xacro_errors import expansion_error
from inertia_tools.description.xacro_origins import OriginMarks
from inertia_tools.description.xml import Element
from inertia_tools.errors import MissingDependencyError, ParseError, UndeclaredArgumentError

SUFFIX = ".xacro"
PREFIX = "xacro:"
MARKS = ("${", "$(")
"""Prefixes of expressions."""

FOREIGN = ("plugin",)
"""Elements of SDFormat whose text belongs to plugins."""

LONGEST_SHOWN = 40
"""Maximum number of characters of an expression in a message."""

_ONE_AT_A_TIME = threading.Lock()  # xacro keeps its stacks in module globals


def is_xacro(path: Path) -> bool:
    """Return whether a file's name is that of a xacro."""
    return path.suffix.lower() == SUFFIX


def refuse_xacro(root: Element) -> None:
    """Refuse a document with xacro in it.

    Raises:
        ParseError: An element or a value is xacro.
    """
    waiting = [(root, root.tag == "sdf")]
    while waiting:
        element, has_values = waiting.pop()
        found = _xacro_in(element, has_values)
        if found:
            raise element.error(
                f"{found} is xacro, and expanding xacro runs code in the file; if you trust it, name it {SUFFIX} or "
                "use --xacro (xacro=True); for topics and services, send the expanded text"
            )
        inner = has_values and element.tag not in FOREIGN
        waiting.extend((child, inner) for child in reversed(element.children))


def _xacro_in(element: Element, has_values: bool) -> str:
    """Quote the xacro in an element without its children; an empty text if there is none.

    Args:
        element: The element.
        has_values: Whether its text may be a value, as in SDFormat; URDF and MJCF have only attributes.
    """
    if element.tag.startswith(PREFIX):
        return f"<{element.tag}>"
    for name, value in element.attributes.items():
        if _is_expression(value):
            return f"{name}={_shortened(value)!r}"
    if has_values and not element.children and _is_expression(element.text):
        return repr(_shortened(element.text.strip()))
    return ""


def _is_expression(value: str) -> bool:
    return any(mark in value for mark in MARKS)


def _shortened(value: str) -> str:
    return value if len(value) <= LONGEST_SHOWN else value[:LONGEST_SHOWN] + "..."


def expand(document: Document, arguments: Mapping[str, str]) -> tuple[bytes, Mapping[str, Origin]]:
    """Expand a xacro document to URDF text, and return the source of each of its elements by path.

    Args:
        document: The document; one without a file is expanded as if it were in the working folder.
        arguments: Values for `<xacro:arg>`.

    Raises:
        MissingDependencyError: xacro is not installed.
        ParseError: xacro refuses the document.
        UndeclaredArgumentError: Neither it nor its includes declare one of the given arguments.
    """
    try:
        import xacro
    except ImportError as error:
        raise MissingDependencyError("xacro", "reading xacro files", "pip install xacro") from error
    said, marks, values = io.StringIO(), OriginMarks(), _Arguments(arguments)
    with _ONE_AT_A_TIME, _finding_packages(document), contextlib.redirect_stderr(said):
        try:
            with marks.marking(xacro, document.name):
                parsed = _read(xacro, document)
                xacro.process_doc(parsed, mappings=values)
            origins = marks.collect(parsed)
        except RecursionError as error:
            raise ParseError(_endless(xacro), document.name) from error
        except Exception as error:  # xacro evaluates Python expressions, which may raise anything
            raise expansion_error(error, said.getvalue(), document.name) from error
    known = marks.arguments | values.used
    if unknown := [name for name in arguments if name not in known]:
        raise UndeclaredArgumentError(document.name, unknown, sorted(known))
    return parsed.toprettyxml(indent="  ", encoding="utf-8"), origins


def _read(xacro: ModuleType, document: Document) -> Any:
    """Parse the document with xacro, with the location of the file so that includes resolve."""
    name = str(document.path) if document.path is not None else None
    xacro.init_stacks(name)
    return xacro.parse(document.data.decode("utf-8"), name)


def _endless(xacro: ModuleType) -> str:
    """Return the cause of endless nesting: files, if xacro still has some open, or else macros."""
    files = [str(file) for file in xacro.filestack]
    circles = (circle_of(files[:index], file) for index, file in enumerate(files))
    circle = next(filter(None, circles), ())
    return circle_text(circle) if circle else "xacro macros nest without end; add a condition to the recursive one"


class _Arguments(dict[str, str]):
    """Values for `<xacro:arg>`, which record those in use; xacro accepts a value without a declaration."""

    def __init__(self, values: Mapping[str, str]) -> None:
        super().__init__(values)
        self.used: set[str] = set()

    def __getitem__(self, name: str) -> str:
        self.used.add(name)
        return super().__getitem__(name)


@contextlib.contextmanager
def _finding_packages(document: Document) -> Iterator[None]:
    """Let $(find pkg) search where mesh URIs are searched; xacro alone knows only an installed ROS's index."""
    from xacro import substitution_args

    original: Callable[[str], str] = substitution_args._eval_find

    def find(package: str) -> str:
        for folder in package_folders(package, document):
            if os.path.isdir(folder):
                return os.path.abspath(folder)  # xacro resolves a relative path in the folder of the including file
        raise substitution_args.SubstitutionException(
            f"package {package!r} was not found; name the folder that holds it with --package-path"
        )

    substitution_args._eval_find = find
    try:
        yield
    finally:
        substitution_args._eval_find = original
