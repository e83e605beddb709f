# SPDX-FileCopyrightText: The inertia_tools authors
# SPDX-License-Identifier: Apache-2.0
"""Matching of labels against patterns."""

from __future__ import annotations

import re
from collections.abc import Sequence
from fnmatch import fnmatchcase

from inertia_tools.errors import OptionError
from inertia_tools.sim.scene.given import as_list

Pattern = str | re.Pattern[str] | Sequence[str] | Sequence[int]
"""A shell pattern, a list of them, a compiled regular expression for the whole label, or indices."""


def matching(name: str, labels: Sequence[str], pattern: Pattern) -> list[int]:
    """Return the indices of the labels that match a pattern, in ascending order.

    Args:
        name: Name of the option, for messages.
        labels: The labels.
        pattern: The pattern.

    Raises:
        OptionError: The pattern has another type, or an index is out of range.
    """
    if isinstance(pattern, re.Pattern):
        return [index for index, label in enumerate(labels) if pattern.fullmatch(label)]
    wanted = [pattern] if isinstance(pattern, str) else as_list(name, pattern, "patterns of labels, or indices")
    if all(isinstance(one, str) for one in wanted):
        return [index for index, label in enumerate(labels) if any(fnmatchcase(label, str(one)) for one in wanted)]
    indices = [one for one in wanted if isinstance(one, int)]
    if len(indices) < len(wanted) or any(not 0 <= index < len(labels) for index in indices):
        raise OptionError(name, pattern, f"patterns of labels, or indices from 0 to {len(labels) - 1}")
    return sorted(set(indices))


def last_part(label: str) -> str:
    """Return the part of a label after the last slash."""
    return label.rpartition("/")[2]
