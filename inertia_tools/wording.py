# SPDX-FileCopyrightText: The inertia_tools authors
# SPDX-License-Identifier: Apache-2.0
"""Words in what is told to people."""

from __future__ import annotations

from collections.abc import Iterable


def counted(number: int, noun: str, plural: str = "") -> str:
    """Return a number with its noun: 1 link, 2 links; a plural that is not the noun and an s is given."""
    return f"{number} {noun if number == 1 else plural or noun + 's'}"


def listed(words: Iterable[str], conjunction: str = "and") -> str:
    """Join words as a sentence does: a; a and b; a, b and c."""
    *others, last = words
    return f"{', '.join(others)} {conjunction} {last}" if others else last
