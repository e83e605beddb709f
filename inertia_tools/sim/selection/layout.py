# SPDX-FileCopyrightText: The inertia_tools authors
# SPDX-License-Identifier: Apache-2.0
"""Positions of the entries of a selection in the arrays of a model, as an offset and strides."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np


@dataclass(frozen=True)
class FrequencyLayout:
    """A rule for the indices of entries that articulations at equal distances have.

    Entry k of articulation a of world w stands at `offset + w * stride_between_worlds + a * stride_within_worlds +
    selected_indices[k]`.

    Attributes:
        offset: Index of the first entry of all.
        stride_between_worlds: From the first entry of one world to that of the next; 0 where there is one world.
        stride_within_worlds: From the first entry of one articulation to that of the next of the same world; 0 where
            there is one.
        selected_indices: Entries of each articulation, counted from its first one.
    """

    offset: int
    stride_between_worlds: int
    stride_within_worlds: int
    selected_indices: tuple[int, ...]

    @property
    def selected_value_count(self) -> int:
        """Number of entries of each articulation."""
        return len(self.selected_indices)

    @property
    def value_count(self) -> int:
        """Number of entries from the first to the last of an articulation, those between that are not its own too."""
        return max(self.selected_indices) + 1


def layout_of(rows: np.ndarray) -> FrequencyLayout | None:
    """Return the layout of some indices, shape (worlds, articulations a world, entries); None if they are irregular."""
    if not rows.size:
        return None
    worlds, count, _ = rows.shape
    first = rows[:, :, 0]
    between = int(first[1, 0] - first[0, 0]) if worlds > 1 else 0
    within = int(first[0, 1] - first[0, 0]) if count > 1 else 0
    own = rows[0, 0] - first[0, 0]
    places = between * np.arange(worlds)[:, None, None] + within * np.arange(count)[:, None] + own
    if int(own.min()) < 0 or not np.array_equal(rows, first[0, 0] + places):
        return None
    return FrequencyLayout(int(first[0, 0]), between, within, tuple(own.tolist()))
