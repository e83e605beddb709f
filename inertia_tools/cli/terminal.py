# SPDX-FileCopyrightText: The inertia_tools authors
# SPDX-License-Identifier: Apache-2.0
"""Properties of the output's destination: its width, whether it is a terminal, and whether it has colours."""

from __future__ import annotations

import os
import shutil
import sys
import textwrap
from dataclasses import dataclass
from typing import TextIO

from inertia_tools.inertia.finding import Severity

DEFAULT_WIDTH = 80
"""Default width of a table in columns, without a terminal and the variable COLUMNS."""

BOLD, DIM = "1", "2"
COLOUR = {Severity.ERROR: "1;31", Severity.WARNING: "33", Severity.INFO: "36"}
"""Select Graphic Rendition parameters by severity: bold red, yellow, cyan."""


@dataclass(frozen=True)
class Terminal:
    """The destination of output.

    Attributes:
        width: Columns that a table may take.
        is_interactive: It is a terminal, so that lines are laid out for people; otherwise programs may parse them.
        has_colour: Escape sequences are supported, and wanted.
    """

    width: int = DEFAULT_WIDTH
    is_interactive: bool = False
    has_colour: bool = False

    @classmethod
    def of(cls, stream: TextIO | None = None) -> Terminal:
        """Inspect a stream, standard output by default, and COLUMNS, NO_COLOR, FORCE_COLOR and TERM."""
        shown = stream or sys.stdout  # None if the shell has closed it
        is_interactive = shown is not None and shown.isatty()
        refused = bool(os.environ.get("NO_COLOR")) or os.environ.get("TERM") == "dumb"
        width = shutil.get_terminal_size((DEFAULT_WIDTH, 24)).columns
        wanted = is_interactive or bool(os.environ.get("FORCE_COLOR"))
        return cls(width, is_interactive, wanted and not refused)

    def styled(self, text: str, style: str) -> str:
        """Return the text in bold or in a colour, or as it is."""
        return f"\x1b[{style}m{text}\x1b[0m" if self.has_colour and text else text

    def wrapped(self, text: str, indent: int, first: int | None = None) -> list[str]:
        """Break a text between words into lines that fit; a word too long for a line is not cut.

        Args:
            text: The text.
            indent: Blanks before every line.
            first: Blanks before the first line, if that differs.
        """
        return textwrap.wrap(
            text,
            max(self.width, indent + 20),
            initial_indent=" " * (indent if first is None else first),
            subsequent_indent=" " * indent,
            break_long_words=False,
            break_on_hyphens=False,
        )
