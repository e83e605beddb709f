# SPDX-FileCopyrightText: The inertia_tools authors
# SPDX-License-Identifier: Apache-2.0
"""Cache of verdicts of earlier runs in the folder INERTIA_TOOLS_CACHE, one file each.

A verdict is valid while all files that were read for it, the rules, the package folders and this package itself are
unchanged. Verdicts that may depend on unknown files are never stored: those of expanded xacro files, which may read any
file, and those of robots with a missing mesh, model or layer, which may appear later.
"""

from __future__ import annotations

import hashlib
import json
import os
from collections.abc import Iterable
from contextlib import suppress
from pathlib import Path

import inertia_tools
from inertia_tools.collection.stored import digest, line_of, parsed, stamp, verdict_of
from inertia_tools.collection.verdict import Rules, Verdict
from inertia_tools.description.resources import MODEL_PATH_VARIABLES
from inertia_tools.description.types import Format
from inertia_tools.errors import WriteError
from inertia_tools.geometry.mesh.record import CACHE_VARIABLE
from inertia_tools.write.stored import store

SEARCH_VARIABLES = ("ROS_PACKAGE_PATH", "AMENT_PREFIX_PATH", *MODEL_PATH_VARIABLES)
"""Environment variables with the search paths of packages and models."""


class VerdictCache:
    """Verdicts stored in a folder.

    Args:
        folder: The folder, which is created at the first write.
        rules: How files are read and judged.
    """

    def __init__(self, folder: Path, rules: Rules) -> None:
        self._folder = folder / "verdicts"
        places = [os.path.abspath(path) for path in rules.package_path]
        told = [digest(rules), _package(), places, [os.environ.get(name) for name in SEARCH_VARIABLES]]
        self._rules = hashlib.sha256(json.dumps(told).encode()).hexdigest()[:16]

    @classmethod
    def of_environment(cls, rules: Rules) -> VerdictCache | None:
        """Return the cache in the folder of the environment variable; None if that is not set."""
        folder = os.environ.get(CACHE_VARIABLE)
        return cls(Path(folder).expanduser(), rules) if folder else None

    def verdicts(self, files: Iterable[str]) -> dict[str, Verdict]:
        """Return the valid verdicts of files, by name."""
        found = {}
        for file in files:
            with suppress(OSError):
                verdict = verdict_of(parsed(self._place(file).read_bytes()), self._rules)
                if verdict is not None and verdict.file == file:
                    found[file] = verdict
        return found

    def note(self, verdict: Verdict) -> None:
        """Store a verdict if its validity can be checked later; write errors are ignored, as they cost only time."""
        if verdict.reason or verdict.lacks_files or verdict.format is Format.XACRO:
            return
        with suppress(WriteError):
            line = json.dumps(line_of(verdict, self._rules), allow_nan=False)
            store(self._place(verdict.file), line.encode())

    def _place(self, file: str) -> Path:
        """Return the cache file for the verdict of a file, which depends on its name and the working folder."""
        name = f"{os.path.abspath(file)}\n{file}"
        return self._folder / f"{hashlib.sha256(os.fsencode(name)).hexdigest()[:32]}.json"


def _package() -> list[list[int]]:
    """Return the modification times and sizes of this package's modules."""
    return stamp(str(path) for path in sorted(Path(inertia_tools.__file__).parent.rglob("*.py")))
