# SPDX-FileCopyrightText: The inertia_tools authors
# SPDX-License-Identifier: Apache-2.0
"""One number with a misplaced decimal point or a wrong exponent."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import chain

import numpy as np

from inertia_tools.inertia.causes.codes import DECIMAL_POINT
from inertia_tools.inertia.causes.evidence import Evidence
from inertia_tools.inertia.causes.hypotheses import Hypotheses, each
from inertia_tools.spatial import Array
from inertia_tools.validity import Validity

POWERS = np.array([power for power in range(-6, 7) if power])
"""Powers of ten by which the number may be off."""

SUPPORTED = 0.7
"""Largest relative deviation of a restored product or coordinate from the geometry, or from a sibling.

Any number times a small power of ten is close to zero, and many links have zeros there.
"""

SHOWN = 10.0
"""Largest ratio of a restored moment's deviation from the geometry to that of the two other moments.

Of three errors of equal size, one exceeds both others by this factor in less than one case of a hundred.
"""

CLOSE = 0.02
"""Relative difference from the geometry, or from a link built alike, that the rounding to few digits explains."""

_WEIGHTS = 0.5 ** np.abs(POWERS)
_FACTORS = 10.0 ** POWERS.astype(float)

COORDINATES = tuple(f"{axis} of the centre of mass" for axis in "xyz")
ENTRIES = (("ixx", 0, 0), ("ixy", 0, 1), ("ixz", 0, 2), ("iyy", 1, 1), ("iyz", 1, 2), ("izz", 2, 2))

_WORDS = {
    name: [f"the decimal point of {name} is off: multiply by 1e{power:+d}" for power in POWERS]
    for name in ("mass", *COORDINATES, *(entry for entry, _, _ in ENTRIES))
}


def decimal_point(evidence: Evidence) -> Sequence[Hypotheses]:
    """Explain the numbers by a power of ten in one of them; every power of `POWERS` is tried."""
    declared, written = evidence.declared, evidence.written
    axes = [axis for axis in range(3) if declared.com[axis] != 0.0]
    entries = [entry for entry in ENTRIES if written[entry[1:]] != 0.0]
    names = ["mass", *(COORDINATES[axis] for axis in axes), *(name for name, _, _ in entries)]
    count = len(POWERS)
    masses = np.full((len(names), count), declared.mass)
    coms = each(declared.com, len(names) * count).reshape(-1, count, 3)
    tensors = each(declared.inertia, len(names) * count).reshape(-1, count, 3, 3)
    weights = each(_WEIGHTS, len(names))
    masses[0] *= _FACTORS
    for place, axis in enumerate(axes, start=1):
        coms[place, :, axis] *= _FACTORS
        weights[place] *= _are_supported(coms[place, :, axis], evidence.expected_coms[:, axis])
    first = 1 + len(axes)
    changed = each(written, len(entries) * count).reshape(-1, count, 3, 3)
    for place, (_, row, column) in enumerate(entries):
        changed[place, :, row, column] = changed[place, :, column, row] = written[row, column] * _FACTORS
        if row != column:
            expected = evidence.expected_tensors[:, row, column]
            weights[first + place] *= _are_supported(changed[place, :, row, column], expected)
        else:
            weights[first + place] *= _are_as_accurate(evidence, row)
    tensors[first:] = evidence.turn @ changed @ evidence.turn.T
    return (
        Hypotheses(
            DECIMAL_POINT,
            list(chain.from_iterable(_WORDS[name] for name in names)),
            masses.reshape(-1),
            coms.reshape(-1, 3),
            tensors.reshape(-1, 3, 3),
            weights.reshape(-1) / len(names) / _WEIGHTS.sum(),
            geometry_scale=np.ones(weights.size),
        ),
    )


def _are_supported(values: Array, expected: Array) -> Array:
    """Return, as ones and zeros, which values agree with an expected one."""
    apart = np.abs(values[:, np.newaxis] - expected).min(axis=1)
    return np.where(apart <= SUPPORTED * np.abs(values), 1.0, 0.0)


def _are_as_accurate(evidence: Evidence, axis: int) -> Array:
    """Return, as ones and zeros, for which powers a moment is about as close to the geometry as the two others.

    The reference is the witness that the other moments are closest to. Instead, a sibling may have the moment. For a
    possible tensor all powers pass, since it is only reported, and changed on request.
    """
    if evidence.declared.validity() is not Validity.INVALID:
        return np.ones(POWERS.size)
    moments = np.diagonal(evidence.written)
    expected = np.diagonal(evidence.expected_tensors, axis1=1, axis2=2)
    apart = np.abs(_logarithm(moments) - _logarithm(expected))
    others = np.delete(apart, axis, axis=1).max(axis=1)
    restored = np.abs(_logarithm(moments[axis] * _FACTORS)[:, np.newaxis] - _logarithm(expected[:, axis]))
    count = len(evidence.witnesses)
    closest = int(np.argmin(others[:count]))
    held = restored[:, closest] <= max(CLOSE, SHOWN * others[closest])
    return np.where(held | (restored[:, count:] <= CLOSE).any(axis=1), 1.0, 0.0)


def _logarithm(values: Array) -> Array:
    """Return logarithms of moments; values that are not positive get one far from all others."""
    return np.where(values > 0.0, np.log(np.where(values > 0.0, values, 1.0)), FAR)


FAR = 1e3
"""Logarithm for values that are not positive."""
