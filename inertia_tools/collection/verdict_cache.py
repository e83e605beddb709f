# SPDX-FileCopyrightText: The inertia_tools authors
# SPDX-License-Identifier: Apache-2.0
"""Verdicts of earlier runs in the folder that INERTIA_TOOLS_CACHE names, one file each.

A verdict holds while every file that was read for it, the rules, the folders of packages and this package itself are
what they were. What may depend on files that nobody can name is never kept: an expanded xacro, whose program may read
any, and a robot with a mesh that was not found, which may turn up.
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
"""Environment variables that say where packages and models are."""


class VerdictCache:
    """Verdicts in a folder.

    Args:
        folder: The folder; it is made when it is first written to.
        rules: How files are judged.
    """

    def __init__(self, folder: Path, rules: Rules) -> None:
        self._folder = folder / "verdicts"
        places = [os.path.abspath(path) for path in rules.package_path]
        told = [digest(rules), _package(), places, [os.environ.get(name) for name in SEARCH_VARIABLES]]
        self._rules = hashlib.sha256(json.dumps(told).encode()).hexdigest()[:16]

    @classmethod
    def of_environment(cls, rules: Rules) -> VerdictCache | None:
        """Return the cache that the environment names; None where it names none."""
        folder = os.environ.get(CACHE_VARIABLE)
        return cls(Path(folder).expanduser(), rules) if folder else None

    def verdicts(self, files: Iterable[str]) -> dict[str, Verdict]:
        """Return the verdicts that still hold."""
        found = {}
        for file in files:
            with suppress(OSError):
                verdict = verdict_of(parsed(self._place(file).read_bytes()), self._rules)
                if verdict is not None and verdict.file == file:
                    found[file] = verdict
        return found

    def note(self, verdict: Verdict) -> None:
        """Keep a verdict, where that can be told to hold; a full or read-only disk costs time, not the result."""
        if verdict.reason or verdict.meshes_not_found or verdict.format is Format.XACRO:
            return
        with suppress(WriteError):
            line = json.dumps(line_of(verdict, self._rules), allow_nan=False)
            store(self._place(verdict.file), line.encode())

    def _place(self, file: str) -> Path:
        """Return the file for the verdict on another, as it is named from here."""
        name = f"{os.path.abspath(file)}\n{file}"
        return self._folder / f"{hashlib.sha256(os.fsencode(name)).hexdigest()[:32]}.json"


def _package() -> list[list[int]]:
    """Return what tells whether this package is another than it was: the state of its modules."""
    return stamp(str(path) for path in sorted(Path(inertia_tools.__file__).parent.rglob("*.py")))
