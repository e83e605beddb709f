# SPDX-FileCopyrightText: The inertia_tools authors
# SPDX-License-Identifier: Apache-2.0
"""Numbers that most readers take: what the structured changes of files write."""

from __future__ import annotations

from random import Random

STRANGE_SHARE = 0.06
"""Of changed numbers that hardly any reader takes."""

STRANGE = (float("nan"), float("inf"), -float("inf"), 1e30, -3e38)

BESIDE_SHARE = 0.04
"""Of indices that lead beside what there is."""


def changed_float(value: float, random: Random) -> float:
    """Return a number near another, of a usual size, or one that is hard to take."""
    if random.random() < STRANGE_SHARE:
        return random.choice(STRANGE)
    return random.choice(
        (
            0.0,
            -0.0,
            -value,
            1e-3 * value,
            1e3 * value,
            value + random.gauss(0.0, 0.1),
            1e-38,
            1.0,
            random.gauss(0.0, 1.0),
        )
    )


def index_below(count: int, random: Random) -> int:
    """Return an index into so many things, or one just beside them."""
    if random.random() < BESIDE_SHARE or count < 1:
        return random.choice((-1, count, count + 1, 2**31 - 1))
    return random.randrange(count)
