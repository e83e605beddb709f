# SPDX-FileCopyrightText: The inertia_tools authors
# SPDX-License-Identifier: Apache-2.0
"""A file that grows by lines: a killed process loses only the line being written."""

from __future__ import annotations

from pathlib import Path

from inertia_tools.write.target import failure


class LineLog:
    """Appends lines to a file; each starts on a new line, whatever the file ended with."""

    def __init__(self, path: Path) -> None:
        """Open or create the file.

        Raises:
            WriteError: It cannot be opened.
        """
        self._path = path
        try:
            self._file = path.open("ab", buffering=0)
            if self._file.tell():
                self._file.write(b"\n")
        except OSError as error:
            raise failure(path, error) from error

    def append(self, line: str) -> None:
        """Write a line.

        Raises:
            WriteError: The disk is full, or the file was removed.
        """
        try:
            self._file.write(line.encode() + b"\n")
        except OSError as error:
            raise failure(self._path, error) from error

    def close(self) -> None:
        """Close the file."""
        self._file.close()
