# SPDX-FileCopyrightText: The inertia_tools authors
# SPDX-License-Identifier: Apache-2.0
"""The journal of a run over many files, one verdict per line, from which an interrupted run can resume."""

from __future__ import annotations

import json
from collections.abc import Iterable
from pathlib import Path
from typing import Any

from inertia_tools.collection.stored import digest, line_of, parsed, verdict_of
from inertia_tools.collection.verdict import Rules, Verdict
from inertia_tools.errors import WriteError
from inertia_tools.wording import not_opened
from inertia_tools.write.line_log import LineLog

SCHEMA = "inertia-tools/journal/1"


class Journal:
    """Verdicts that are written to a file as they are made.

    A file is judged again if it or one of its meshes has changed, or if the rules differ. An incomplete last line, from
    an interrupted write, is ignored.
    """

    def __init__(self, path: str, rules: Rules) -> None:
        """Open or create a journal.

        Raises:
            WriteError: The file exists and is not a journal, or cannot be read or written.
        """
        self._path = Path(path)
        self._rules = digest(rules)
        self._kept: dict[str, dict[str, Any]] = {}
        try:
            lines = self._path.read_bytes().splitlines() if self._path.exists() else []
            if lines and parsed(lines[0]).get("schema") != SCHEMA:
                raise WriteError(f"{path} exists and is not a journal of `check --resume`; name another file")
            for line in map(parsed, lines[1:]):
                if line.get("rules") == self._rules:
                    self._kept[line["file"]] = line
        except OSError as error:
            raise WriteError(f"{path} {not_opened(error)}") from error
        self._log = LineLog(self._path)
        if not lines:
            self._log.append(json.dumps({"schema": SCHEMA}))

    def verdicts(self, files: Iterable[str]) -> dict[str, Verdict]:
        """Return the recorded verdicts of unchanged files, by name."""
        kept = {file: verdict_of(self._kept[file], self._rules) for file in files if file in self._kept}
        return {file: verdict for file, verdict in kept.items() if verdict is not None}

    def note(self, verdict: Verdict) -> None:
        """Append a verdict, and flush it to the file."""
        self._log.append(json.dumps(line_of(verdict, self._rules), allow_nan=False))

    def close(self) -> None:
        """Close the file."""
        self._log.close()
