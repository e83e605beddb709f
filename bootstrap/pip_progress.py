# SPDX-FileCopyrightText: The inertia_tools authors
# SPDX-License-Identifier: Apache-2.0
"""Run pip and show what it downloads, how large it is, and how far it has come."""

from __future__ import annotations

import re
import subprocess
import sys
import time
from collections.abc import Sequence

from bootstrap.host import SetupError

_COLLECTING = re.compile(r"^(Collecting|Processing|Requirement already satisfied:) ")
_DOWNLOADING = re.compile(r"^\s*(?:Downloading|Using cached) (?:\S*/)?(\S+)(?: \(([\d.]+ \w+)\))?")
_PROGRESS = re.compile(r"^\s*Progress (\d+) of (\d+)")
_QUIET_SECONDS = 5.0  # Without a terminal: time between two progress lines of one download [s].


class Reporter:
    """Render pip's lines as one numbered line a package.

    Attributes:
        total: Number of packages in the lock.
        seen: Number of packages that pip has looked at so far.
    """

    def __init__(self, total: int) -> None:
        self.total = total
        self.seen = 0
        self._label = ""
        self._shown_at = 0.0
        self._is_terminal = sys.stdout.isatty()

    def take(self, line: str) -> None:
        """Show one line of pip's output in short form, or leave it out."""
        if match := _PROGRESS.match(line):
            self._show_progress(int(match[1]), int(match[2]))
        elif match := _DOWNLOADING.match(line):
            self._label = f"[{self.seen:3}/{self.total}] {match[1]}"
            self._print(f"{self._label}  {match[2] or ''}".rstrip())
            self._shown_at = time.monotonic()
        elif _COLLECTING.match(line):
            self.seen += 1
        elif line.startswith(("Building wheel", "Installing collected", "Successfully installed")):
            self._print(line.split(":")[0].split(" (")[0][:79])

    def _show_progress(self, done: int, total: int) -> None:
        text = f"{self._label}  {done / 1e6:.1f} of {total / 1e6:.1f} MB"
        if self._is_terminal:
            print(f"\r\x1b[K  {text}", end="\n" if done >= total else "", flush=True)
        elif time.monotonic() - self._shown_at > _QUIET_SECONDS:
            self._shown_at = time.monotonic()
            self._print(text)

    def _print(self, text: str) -> None:
        print(f"  {text}", flush=True)


def run_pip(command: Sequence[str], total: int, env: dict[str, str]) -> None:
    """Run a pip command to its end, showing its progress.

    Args:
        command: Interpreter and arguments, up to and including ``install`` and its options.
        total: Number of packages the command is about.
        env: Environment variables.

    Raises:
        SetupError: pip failed; its own last words are printed before.
    """
    reporter = Reporter(total)
    tail: list[str] = []
    process = subprocess.Popen(
        command, env=env, text=True, errors="replace", stdout=subprocess.PIPE, stderr=subprocess.STDOUT
    )
    assert process.stdout is not None
    for line in process.stdout:
        reporter.take(line.rstrip())
        if not line.startswith(("Progress", "WARNING: Location")):
            tail = [*tail[-29:], line]
    if process.wait() != 0:
        print("".join(tail), file=sys.stderr)
        raise SetupError("pip could not install the pinned packages; its last lines are above.")
