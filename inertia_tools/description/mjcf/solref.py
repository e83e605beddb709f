# SPDX-FileCopyrightText: The inertia_tools authors
# SPDX-License-Identifier: Apache-2.0
"""MuJoCo's solver reference as stiffness and damping of a contact."""

from __future__ import annotations

from collections.abc import Sequence


def solref_to_stiffness(solref: Sequence[float]) -> float | None:
    """Return the contact stiffness of a `solref`; None if it does not define one.

    For a time constant and a damping ratio (t, d), both positive, k = 1 / (t d)^2; of two negative numbers the first is
    the negative stiffness.
    """
    first, second = float(solref[0]), float(solref[1])
    if first > 0.0 and second > 0.0:
        return 1.0 / (first * second) ** 2
    return -first if first < 0.0 and second < 0.0 else None


def solref_to_damping(solref: Sequence[float]) -> float | None:
    """Return the contact damping of a `solref`: b = 2 / t, or the second number with its sign reversed."""
    first, second = float(solref[0]), float(solref[1])
    if first > 0.0 and second > 0.0:
        return 2.0 / first
    return -second if first < 0.0 and second < 0.0 else None
