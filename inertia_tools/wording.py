# SPDX-FileCopyrightText: The inertia_tools authors
# SPDX-License-Identifier: Apache-2.0
"""Sentence parts that messages share."""

from __future__ import annotations

import errno
from collections.abc import Iterable

OPENING_REMEDIES = {
    errno.ENOENT: "correct the path",
    errno.ENOTDIR: "correct the path",
    errno.EISDIR: "name a file",
    errno.EACCES: "change its permissions",
    errno.EPERM: "change its permissions",
    errno.ELOOP: "correct the links",
    errno.ENAMETOOLONG: "give a shorter path",
}
"""Remedies for operating system errors when a file is opened."""


def counted(number: int, noun: str, plural: str = "") -> str:
    """Return a number with its noun, as in "1 link" and "2 links"; `plural` is for irregular plurals."""
    return f"{number} {noun if number == 1 else plural or noun + 's'}"


def listed(words: Iterable[str], conjunction: str = "and") -> str:
    """Join words as in a sentence: "a", "a and b", "a, b and c"."""
    *others, last = words
    return f"{', '.join(others)} {conjunction} {last}" if others else last


def not_opened(error: Exception) -> str:
    """Return why a file cannot be opened, with the usual remedy if there is one."""
    reason = getattr(error, "strerror", None) or str(error)
    remedy = OPENING_REMEDIES.get(getattr(error, "errno", None) or 0)
    return f"cannot be opened: {reason}" + (f"; {remedy}" if remedy else "")
