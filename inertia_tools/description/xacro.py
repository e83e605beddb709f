# SPDX-FileCopyrightText: The inertia_tools authors
# SPDX-License-Identifier: Apache-2.0
"""Expanding xacro with the ROS xacro package."""

from __future__ import annotations

import contextlib
import io
import threading
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from types import ModuleType
from typing import Any

from inertia_tools.description.resources import package_folders
from inertia_tools.description.source import Document
from inertia_tools.description.xml import Element
from inertia_tools.errors import MissingDependencyError, ParseError

_ONE_AT_A_TIME = threading.Lock()  # xacro keeps its stacks in module globals


def is_xacro(root: Element, path: Path | None) -> bool:
    """Tell whether a `<robot>` has anything for xacro to do; a namespace declared and not used does not count."""
    return (path is not None and path.suffix == ".xacro") or _uses_xacro(root)


def _uses_xacro(root: Element) -> bool:
    waiting = [root]
    while waiting:
        element = waiting.pop()
        if element.tag.startswith("xacro:"):
            return True
        for value in element.attributes.values():
            if "${" in value or "$(" in value:
                return True
        waiting.extend(element.children)
    return False


def expand(document: Document, arguments: Mapping[str, str]) -> bytes:
    """Expand a xacro document to URDF text.

    Args:
        document: The document; one without a file is expanded as if it lay in the working folder.
        arguments: Values for `<xacro:arg>`.

    Raises:
        MissingDependencyError: xacro is not installed.
        ParseError: xacro refuses the document.
    """
    try:
        import xacro
    except ImportError as error:
        raise MissingDependencyError("xacro", "reading xacro files", "pip install xacro") from error
    said = io.StringIO()
    with _ONE_AT_A_TIME, _finding_packages(document), contextlib.redirect_stderr(said):
        try:
            parsed = _read(xacro, document)
            xacro.process_doc(parsed, mappings=dict(arguments))
        except RecursionError as error:
            raise ParseError("xacro macros or includes nest without end", document.name) from error
        except Exception as error:  # xacro evaluates Python expressions, which may raise anything
            line = getattr(error, "lineno", None)
            raise ParseError(f"xacro cannot expand it: {_message(error, said)}", document.name, line) from error
    return parsed.toprettyxml(indent="  ", encoding="utf-8")


def _read(xacro: ModuleType, document: Document) -> Any:
    """Parse the document with xacro, telling it where the file lies so that includes resolve."""
    name = str(document.path) if document.path is not None else None
    xacro.init_stacks(name)
    return xacro.parse(document.data.decode("utf-8"), name)


def _message(error: Exception, said: io.StringIO) -> str:
    """Say in one line what xacro said."""
    text = str(error) or type(error).__name__
    extra = said.getvalue().strip().splitlines()
    return " ".join(text.split()) + (f" ({extra[-1].strip()})" if extra else "")


@contextlib.contextmanager
def _finding_packages(document: Document) -> Iterator[None]:
    """Let $(find pkg) look where mesh URIs look; xacro alone knows only an installed ROS's index."""
    from xacro import substitution_args

    original: Callable[[str], str] = substitution_args._eval_find

    def find(package: str) -> str:
        for folder in package_folders(package, document):
            if folder.is_dir():
                return str(folder)
        raise substitution_args.SubstitutionException(
            f"package {package!r} was not found; name the folder that holds it with --package-path"
        )

    substitution_args._eval_find = find
    try:
        yield
    finally:
        substitution_args._eval_find = original
