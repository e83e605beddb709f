# SPDX-FileCopyrightText: The inertia_tools authors
# SPDX-License-Identifier: Apache-2.0
"""One number with its decimal point elsewhere, or with another exponent."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from inertia_tools.inertia.causes.codes import DECIMAL_POINT
from inertia_tools.inertia.causes.evidence import Evidence
from inertia_tools.inertia.causes.hypotheses import Hypotheses
from inertia_tools.spatial import Array

POWERS = np.array([power for power in range(-6, 7) if power])
"""By how many places the point may be off."""

SUPPORTED = 0.7
"""A product or coordinate is one again when the geometry, or a link built alike, has it within this ratio of itself.

Any number times a small power of ten is next to nothing, where many links have nothing.
"""

_WEIGHTS = 0.5 ** np.abs(POWERS)

ENTRIES = (("ixx", 0, 0), ("ixy", 0, 1), ("ixz", 0, 2), ("iyy", 1, 1), ("iyz", 1, 2), ("izz", 2, 2))


def decimal_point(evidence: Evidence) -> Sequence[Hypotheses]:
    """Explain the numbers by a power of ten in one of them."""
    declared, written = evidence.declared, evidence.written
    factors = 10.0 ** POWERS.astype(float)
    names: list[str] = []
    parts: list[tuple[Array, Array, Array, Array]] = []

    def add(name: str, masses: Array, coms: Array, tensors: Array, matters: Array | float = 1.0) -> None:
        """Add a number, with every power that may be missing from it."""
        count = len(POWERS)
        names.append(name)
        shapes: tuple[tuple[int, ...], ...] = ((count,), (count, 3), (count, 3, 3))
        numbers = zip((masses, coms, tensors), shapes, strict=True)
        mass, com, tensor = (np.broadcast_to(one, shape) for one, shape in numbers)
        parts.append((mass, com, tensor, _WEIGHTS * matters))

    mass = np.array(declared.mass)
    add("mass", mass * factors, declared.com, declared.inertia)
    for axis in range(3):
        if declared.com[axis] != 0.0:
            moved = np.tile(declared.com, (len(POWERS), 1))
            moved[:, axis] *= factors
            given = _are_supported(moved[:, axis], evidence.expected_coms[:, axis])
            add("xyz"[axis] + " of the centre of mass", mass, moved, declared.inertia, given)
    for name, row, column in ENTRIES:
        if written[row, column] != 0.0:
            changed = np.tile(written, (len(POWERS), 1, 1))
            changed[:, row, column] = changed[:, column, row] = written[row, column] * factors
            expected = evidence.expected_tensors[:, row, column]
            matters = _are_supported(changed[:, row, column], expected) if row != column else 1.0
            add(name, mass, declared.com, evidence.turn @ changed @ evidence.turn.T, matters)
    masses, coms, tensors, weights = (np.concatenate(one) for one in zip(*parts, strict=True))
    return (
        Hypotheses(
            DECIMAL_POINT,
            [f"the decimal point of {name} is off: multiply by 1e{power:+d}" for name in names for power in POWERS],
            masses,
            coms,
            tensors,
            weights / len(names) / _WEIGHTS.sum(),
            geometry_scale=np.ones(len(weights)),
        ),
    )


def _are_supported(values: Array, expected: Array) -> Array:
    """Tell which values are expected, as ones and zeros."""
    apart = np.abs(values[:, np.newaxis] - expected).min(axis=1)
    return np.where(apart <= SUPPORTED * np.abs(values), 1.0, 0.0)
