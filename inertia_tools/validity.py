# SPDX-FileCopyrightText: The inertia_tools authors
# SPDX-License-Identifier: Apache-2.0
"""Can a rigid body have these principal moments? The one place that judges, for checks, repairs and simulation.

Every number here is a ratio to the largest moment, so that neither the unit nor the size of the body matters.
"""

from __future__ import annotations

from enum import Enum

import numpy as np

from inertia_tools.spatial import Array

DEFINITE_TOLERANCE = 1e-9
"""A smallest moment within this ratio of zero cannot be told from zero."""

TRIANGLE_ROUNDING = 1e-6
"""Excesses over the triangle inequality below this ratio do no harm: single precision alone makes them."""

TRIANGLE_IMPOSSIBLE = 1e-2
"""Excesses above this ratio are no rounding: three significant digits, as CAD programs print, stay below it."""


class Validity(Enum):
    """What a tensor is worth."""

    VALID = "valid"
    """A rigid body with volume can have it."""

    ROUNDING = "rounding"
    """Its largest moment exceeds the sum of the others by no more than rounded decimals do."""

    INVALID = "invalid"
    """No rigid body with volume has it, nor is it off by rounding only."""


def smallest_ratio(moments: Array) -> float:
    """Return the smallest principal moment over the largest, by size; NaN when all are zero."""
    numbers = moments.tolist()
    size = max(map(abs, numbers))
    return float(min(numbers) / size) if size else np.nan


def triangle_excess(moments: Array) -> float:
    """Return by how much the largest moment exceeds the sum of the other two, over the largest; NaN when all are zero.

    No distribution of mass makes it positive; a flat body has zero.
    """
    low, middle, high = sorted(moments.tolist())
    size = max(abs(low), abs(high))
    return (high - low - middle) / size if size else np.nan


def judge_moments(moments: Array) -> Validity:
    """Judge principal moments of any order and any finite size, shape (3,)."""
    if not smallest_ratio(moments) >= DEFINITE_TOLERANCE:
        return Validity.INVALID
    excess = triangle_excess(moments)
    if excess > TRIANGLE_IMPOSSIBLE:
        return Validity.INVALID
    return Validity.ROUNDING if excess > TRIANGLE_ROUNDING else Validity.VALID
