# SPDX-FileCopyrightText: The inertia_tools authors
# SPDX-License-Identifier: Apache-2.0
"""Rows of the same elements in the arrays of two scenes."""

from __future__ import annotations

from collections.abc import Hashable, Iterable, Sequence
from typing import Any

import numpy as np

Rows = tuple[list[int], list[int]]
"""Indices of the same elements in an old scene and in a new one."""


def numbered(labels: Iterable[Hashable]) -> list[Hashable]:
    """Return labels with an index among equal ones."""
    seen: dict[Hashable, int] = {}
    found: list[Hashable] = []
    for label in labels:
        seen[label] = seen.get(label, -1) + 1
        found.append((label, seen[label]))
    return found


def shared(old: Sequence[Hashable], new: Sequence[Hashable]) -> Rows:
    """Return the rows of the elements with the same keys."""
    place = {key: index for index, key in enumerate(old)}
    pairs = [(place[key], index) for index, key in enumerate(new) if key in place]
    return [old_index for old_index, _ in pairs], [new_index for _, new_index in pairs]


def taken(source: Any, target: Any, rows: Rows) -> np.ndarray:
    """Return the values of a device array with those of another in shared rows."""
    values = target.numpy().copy()
    values[rows[1]] = source.numpy()[rows[0]]
    return np.asarray(values)
