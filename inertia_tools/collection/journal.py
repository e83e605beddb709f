# SPDX-FileCopyrightText: The inertia_tools authors
# SPDX-License-Identifier: Apache-2.0
"""The journal of a run over many files: one verdict a line, so that a run that was ended can go on."""

from __future__ import annotations

import hashlib
import json
import os
from collections.abc import Iterable
from pathlib import Path
from typing import Any

from inertia_tools import __version__
from inertia_tools.collection.verdict import Rules, Verdict
from inertia_tools.errors import WriteError
from inertia_tools.write.line_log import LineLog

SCHEMA = "inertia-tools/journal/1"


class Journal:
    """Verdicts that are kept in a file while they are made.

    A file that has changed since, or is judged by other rules, is judged again. A line that was being written when
    the run ended is passed over.
    """

    def __init__(self, path: str, rules: Rules) -> None:
        """Open or begin a journal.

        Raises:
            WriteError: The file is there and no journal, or cannot be read or written.
        """
        self._path = Path(path)
        self._rules = _digest(rules)
        self._kept: dict[str, dict[str, Any]] = {}
        try:
            lines = self._path.read_bytes().splitlines() if self._path.exists() else []
            if lines and _parsed(lines[0]).get("schema") != SCHEMA:
                raise WriteError(f"{path} is there and no journal of a check; name another file")
            for line in map(_parsed, lines[1:]):
                if line.get("rules") == self._rules:
                    self._kept[line["file"]] = line
        except OSError as error:
            raise WriteError(f"{path} cannot be read: {error.strerror}") from error
        self._log = LineLog(self._path)
        if not lines:
            self._log.append(json.dumps({"schema": SCHEMA}))

    def verdicts(self, files: Iterable[str]) -> dict[str, Verdict]:
        """Return what is known of files that have not changed since."""
        kept = {file: self._kept[file] for file in files if file in self._kept}
        return {
            file: Verdict(file, line["entry"], tuple(line["sources"]), line["unplaced"], line["meshes_not_found"])
            for file, line in kept.items()
            if line["stamp"] == _stamp(file)
        }

    def note(self, verdict: Verdict) -> None:
        """Add a verdict, and see it written."""
        line = {
            "file": verdict.file,
            "rules": self._rules,
            "stamp": _stamp(verdict.file),
            "entry": verdict.entry,
            "sources": verdict.sources,
            "unplaced": verdict.unplaced,
            "meshes_not_found": verdict.meshes_not_found,
        }
        self._log.append(json.dumps(line, allow_nan=False))

    def close(self) -> None:
        """Close the file."""
        self._log.close()


def _parsed(line: bytes) -> dict[str, Any]:
    try:
        value = json.loads(line)
    except ValueError:
        return {}
    return value if isinstance(value, dict) else {}


def _stamp(file: str) -> list[int]:
    """Return what tells whether a file has changed: when it was written, and its size."""
    try:
        status = os.stat(file)
    except OSError:
        return []
    return [status.st_mtime_ns, status.st_size]


def _digest(rules: Rules) -> str:
    """Return what tells rules apart."""
    known = sorted(rules.baseline.known)
    told: list[object] = [__version__, rules.package_path, sorted(rules.xacro_arguments.items()), rules.xacro]
    told += [rules.density, rules.geometry, rules.include_static, sorted(rules.ignored), known]
    return hashlib.sha256(json.dumps(told).encode()).hexdigest()[:16]
