# SPDX-FileCopyrightText: The inertia_tools authors
# SPDX-License-Identifier: Apache-2.0
"""Tensor entries in the wrong order: another order of all six, or two or three exchanged."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from inertia_tools.inertia.causes.codes import SWAPPED_ENTRIES
from inertia_tools.inertia.causes.evidence import Evidence
from inertia_tools.inertia.causes.hypotheses import Hypotheses, of_tensors
from inertia_tools.inertial import six_of_tensor
from inertia_tools.spatial import Array

NAMES = ("ixx", "ixy", "ixz", "iyy", "iyz", "izz")
"""The order of URDF: upper triangle, row by row."""

ORDERS = {
    "diagonal first": ("ixx", "iyy", "izz", "ixy", "ixz", "iyz"),
    "diagonal first, then yz, xz, xy": ("ixx", "iyy", "izz", "iyz", "ixz", "ixy"),
    "diagonal first, then xy, yz, xz": ("ixx", "iyy", "izz", "ixy", "iyz", "ixz"),
    "upper triangle column by column": ("ixx", "ixy", "iyy", "ixz", "iyz", "izz"),
}
"""Orders in which other programs print the six numbers."""

WHOLE_ORDER = 0.4
"""How often all six are in another order, rather than two or three of a kind exchanged."""


def _table() -> tuple[list[str], Array, Array]:
    words: list[str] = []
    orders: list[tuple[int, ...]] = []
    for said, order in ORDERS.items():
        positions = tuple(order.index(name) for name in NAMES)
        words += [f"the six numbers are in the order {said}: {' '.join(order)}; put them into that of the format"]
        orders += [positions]
        inverse = tuple(NAMES.index(name) for name in order)
        if inverse != positions:
            words += [f"the six numbers were reordered once too often, to {said}; undo it"]
            orders += [inverse]
    whole = len(orders)
    diagonal, products = (0, 3, 5), (4, 2, 1)  # each product belongs to the two axes other than that of its moment
    for kinds, moved in (((diagonal,), "moments"), ((products,), "products"), ((diagonal, products), "axes")):
        for target in ((1, 0, 2), (2, 1, 0), (0, 2, 1), (1, 2, 0), (2, 0, 1)):
            position = list(range(6))
            for kind in kinds:
                for place, source in zip(kind, target, strict=True):
                    position[place] = kind[source]
            names = ", ".join(
                f"{NAMES[place]} is {NAMES[source]}" for place, source in enumerate(position) if place != source
            )
            words.append(f"{moved} are swapped: {names}")
            orders.append(tuple(position))
    weights = np.full(len(orders), (1.0 - WHOLE_ORDER) / (len(orders) - whole))
    weights[:whole] = WHOLE_ORDER / whole
    return words, np.array(orders), weights


_CHANGES, _ORDERS, _WEIGHTS = _table()
_PLACES = np.array([[0, 1, 2], [1, 3, 4], [2, 4, 5]])


def swapped_entries(evidence: Evidence) -> Sequence[Hypotheses]:
    """Explain the tensor by the order of its entries."""
    sixes = six_of_tensor(evidence.written)[_ORDERS]
    return (of_tensors(evidence, SWAPPED_ENTRIES, _CHANGES, sixes[:, _PLACES], _WEIGHTS, is_systematic=True),)
