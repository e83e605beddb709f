# SPDX-FileCopyrightText: The inertia_tools authors
# SPDX-License-Identifier: Apache-2.0
"""Search for robot descriptions in folders."""

from __future__ import annotations

import os
import re
from collections.abc import Iterable, Iterator
from pathlib import Path

from inertia_tools.errors import ParseError

SUFFIXES = (".urdf", ".urdf.xacro", ".sdf", ".world", ".sdf.xacro", ".mjcf", ".usd", ".usda", ".usdc", ".usdz")
"""Suffixes of robot descriptions; other .xacro files only define macros."""

ROOT = re.compile(rb"<(mujoco|sdf|robot)[\s>]")
"""Root elements of .xml files that are robot descriptions."""

BEGINNING = 4096
"""Number of leading bytes searched for the root element."""

PASSED_OVER = frozenset({"build", "install", "log", "node_modules"})
"""Folders of build tools, which are skipped like hidden folders."""


def robot_files(names: Iterable[str]) -> list[str]:
    """Return the named files, and the descriptions in named folders, each once and sorted within a folder.

    Raises:
        ParseError: A folder contains no robot description.
    """
    found: dict[str, None] = {}
    for name in names:
        listed = sorted(_files_in(name)) if Path(name).is_dir() else [name]
        if not listed:
            raise ParseError(f"the folder has no robot description ({', '.join(SUFFIXES)}, or .xml of MuJoCo)", name)
        found.update(dict.fromkeys(listed))
    return list(found)


def _files_in(folder: str) -> Iterator[str]:
    for here, folders, files in os.walk(folder):
        folders[:] = [name for name in folders if not name.startswith(".") and name not in PASSED_OVER]
        yield from (os.path.join(here, name) for name in files if _is_robot(Path(here, name)))


def _is_robot(path: Path) -> bool:
    if path.name.startswith(".") or not path.is_file():
        return False
    if path.suffix.lower() != ".xml":
        return path.name.lower().endswith(SUFFIXES)
    try:
        with path.open("rb") as file:
            return ROOT.search(file.read(BEGINNING)) is not None
    except OSError:
        return False
