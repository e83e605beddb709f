# SPDX-FileCopyrightText: The inertia_tools authors
# SPDX-License-Identifier: Apache-2.0
"""Search for robot descriptions in folders."""

from __future__ import annotations

import os
import re
from collections.abc import Iterable, Iterator
from pathlib import Path

from inertia_tools.description.content import content_of
from inertia_tools.description.encoding import as_utf8
from inertia_tools.description.xacro import is_xacro
from inertia_tools.description.xml import parse_xml
from inertia_tools.errors import ParseError
from inertia_tools.wording import not_opened

SUFFIXES = (".urdf", ".urdf.xacro", ".sdf", ".world", ".sdf.xacro", ".mjcf", ".usd", ".usda", ".usdc", ".usdz")
"""Suffixes of robot descriptions; other .xacro files are parts of them."""

MACRO, INCLUDE = "xacro:macro", "xacro:include"
DEFINITIONS = frozenset({MACRO, INCLUDE, "xacro:property", "xacro:arg", "material"})
"""Elements of a xacro that make no link, except an include of a file that does."""

ROOT = re.compile(rb"<(mujoco|sdf|robot)[\s>]")
"""Root elements of .xml files that are robot descriptions."""

BEGINNING = 4096
"""Number of leading bytes searched for the root element."""

PASSED_OVER = frozenset({"build", "install", "log", "node_modules"})
"""Folders of build tools, which are skipped like hidden folders."""


def robot_files(names: Iterable[str]) -> list[str]:
    """Return the named files, and the descriptions in named folders, each once and sorted within a folder.

    Raises:
        ParseError: A folder contains no robot description, or cannot be listed.
    """
    found: dict[str, None] = {}
    for name in names:
        listed = sorted(_files_in(name)) if os.path.isdir(name) else [name]
        if not listed:
            raise ParseError(f"the folder has no robot description ({', '.join(SUFFIXES)}, or .xml of MuJoCo)", name)
        found.update(dict.fromkeys(listed))
    return list(found)


def _files_in(folder: str) -> Iterator[str]:
    for here, folders, files in os.walk(folder, onerror=_refuse):
        folders[:] = [name for name in folders if not name.startswith(".") and name not in PASSED_OVER]
        yield from (os.path.join(here, name) for name in files if _is_robot(Path(here, name)))


def _refuse(error: OSError) -> None:
    """Report a folder that cannot be listed, as the files in it would remain unchecked."""
    raise ParseError(not_opened(error), str(error.filename)) from error


def _is_robot(path: Path) -> bool:
    """Return whether a file may be a robot description; one that cannot be opened may, so that it is reported."""
    if path.name.startswith(".") or (os.path.exists(path) and not os.path.isfile(path)):
        return False
    if path.suffix.lower() != ".xml":
        return path.name.lower().endswith(SUFFIXES) and not (is_xacro(path) and _only_defines(path))
    try:
        with path.open("rb") as file:
            return ROOT.search(file.read(BEGINNING)) is not None
    except OSError:
        return True


def _only_defines(path: Path) -> bool:
    """Return whether a xacro makes nothing by itself: other files include it and call its macros."""
    try:
        tags = {child.tag for child in parse_xml(as_utf8(content_of(path), str(path)), str(path)).children}
    except (OSError, ParseError):
        return False
    return bool(tags) and tags <= DEFINITIONS and (MACRO in tags or INCLUDE not in tags)
