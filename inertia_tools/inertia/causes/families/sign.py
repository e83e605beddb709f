# SPDX-FileCopyrightText: The inertia_tools authors
# SPDX-License-Identifier: Apache-2.0
"""Products of inertia with the opposite sign: CAD systems disagree on whether ixy is the integral of xy or of -xy."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from inertia_tools.inertia.causes.codes import NEGATED_PRODUCTS
from inertia_tools.inertia.causes.evidence import Evidence
from inertia_tools.inertia.causes.hypotheses import Hypotheses, of_tensors

ALL = 0.85
"""How often all three products are negated, if any are; a single one is a typing error."""

SINGLE = ((0, 1), (0, 2), (1, 2))
NAMES = ("ixy", "ixz", "iyz")


def negated_products(evidence: Evidence) -> Sequence[Hypotheses]:
    """Explain the tensor by the sign of its products, all three or one."""
    tensor = evidence.written
    products = tensor - np.diag(np.diag(tensor))
    if not products.any():
        return ()
    found = [tensor - 2.0 * products]
    for row, column in SINGLE:
        one = tensor.copy()
        one[row, column] = one[column, row] = -tensor[row, column]
        found.append(one)
    changes = ("negate ixy, ixz and iyz", *(f"negate {name}" for name in NAMES))
    weights = np.array([ALL, *[(1.0 - ALL) / 3.0] * 3])
    return (of_tensors(evidence, NEGATED_PRODUCTS, changes, np.array(found), weights, is_systematic=True),)
