# SPDX-FileCopyrightText: The inertia_tools authors
# SPDX-License-Identifier: Apache-2.0
"""Long searches for requests, which worker processes execute. Nothing here depends on ROS."""

from __future__ import annotations

import os
import re
from collections.abc import Sequence
from pathlib import Path

from inertia_tools.errors import OptionError

SUFFIXES = (".urdf", ".sdf", ".world", ".xml", ".usd", ".usda", ".usdc", ".xacro")
"""File extensions of files that can be spawned."""


def names_matching(pattern: str, names: Sequence[str]) -> list[str]:
    """Return the names that match a regular expression completely.

    Raises:
        OptionError: The pattern is not a regular expression.
    """
    try:
        compiled = re.compile(pattern)
    except re.error as error:
        raise OptionError("filter", pattern, f"a regular expression ({error})") from None
    return [name for name in names if compiled.fullmatch(name)]


def descriptions_in(folders: Sequence[str]) -> list[tuple[str, str]]:
    """Return names and URIs of the files in folders and their subfolders that may be spawned."""
    found = {
        file
        for folder in folders
        for file in Path(folder).rglob("*")
        if file.suffix.lower() in SUFFIXES and os.path.isfile(file)
    }
    return [(os.fsencode(file.name).decode(errors="replace"), file.resolve().as_uri()) for file in sorted(found)]
