# SPDX-FileCopyrightText: The inertia_tools authors
# SPDX-License-Identifier: Apache-2.0
"""A quick look, in NumPy, at whether all bodies are sound: then no kernel has to be compiled to repair them."""

from __future__ import annotations

import numpy as np

from inertia_tools.sim.scene.inertia_rules import Numbers
from inertia_tools.spatial import LARGEST_NUMBER, Array

CLEAR = 2.0
"""How many times farther than asked a body keeps from each threshold that is told from moments, so that no rounding of
eigenvalues decides."""


def surely_sound(
    mass: Array, com: Array, inertia: Array, numbers: Numbers, bound_mass: float = 0.0, bound_inertia: float = 0.0
) -> bool:
    """Return whether the checks would find nothing wrong with any body, nor change a bit of it.

    False says nothing: some body is near a threshold, or beyond it.

    Args:
        mass: Shape (n,) [kg].
        com: Centres of mass, shape (n, 3) [m].
        inertia: Tensors about them, shape (n, 3, 3) [kg m^2].
        numbers: The thresholds.
        bound_mass: Least mass [kg]; zero for none.
        bound_inertia: Least moment [kg m^2]; zero for none.
    """
    for values in (mass, com, inertia):
        if not (np.abs(values) <= LARGEST_NUMBER).all():
            return False
    moves = mass > 0.0
    if (mass < 0.0).any() or inertia[~moves].any() or (mass[moves] < bound_mass).any():
        return False
    tensors = inertia[moves]
    if not np.array_equal(tensors, tensors.transpose(0, 2, 1)):
        return False
    low, middle, high = np.linalg.eigvalsh(tensors).T
    definite = low > CLEAR * np.maximum(numbers.definite_ratio * high, max(numbers.definite_size, bound_inertia))
    excess = high - middle - low
    balanced = CLEAR * excess < np.maximum(numbers.triangle_ratio * high, numbers.triangle_size)
    return bool((definite & balanced).all())
