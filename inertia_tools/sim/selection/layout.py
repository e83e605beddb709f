# SPDX-FileCopyrightText: The inertia_tools authors
# SPDX-License-Identifier: Apache-2.0
"""Positions of the entries of a selection in the arrays of a model, as an offset and strides."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np


@dataclass(frozen=True)
class FrequencyLayout:
    """Regular layout of the entries of articulations in an array.

    The index of entry k of articulation a of world w is `offset + w * stride_between_worlds + a * stride_within_worlds
    + selected_indices[k]`.

    Attributes:
        offset: Index of the first entry.
        stride_between_worlds: Index difference between the first entries of consecutive worlds; 0 for one world.
        stride_within_worlds: Index difference between the first entries of consecutive articulations of a world; 0 for
            one articulation.
        selected_indices: Selected entries of an articulation, relative to its first one.
    """

    offset: int
    stride_between_worlds: int
    stride_within_worlds: int
    selected_indices: tuple[int, ...]

    @property
    def selected_value_count(self) -> int:
        """Number of selected entries per articulation."""
        return len(self.selected_indices)

    @property
    def value_count(self) -> int:
        """Number of entries from the first to the last selected one of an articulation, gaps included."""
        return max(self.selected_indices) + 1


def layout_of(rows: np.ndarray) -> FrequencyLayout | None:
    """Return the layout of indices of shape (worlds, articulations per world, entries); None if they are irregular."""
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
