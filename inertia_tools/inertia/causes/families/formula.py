# SPDX-FileCopyrightText: The inertia_tools authors
# SPDX-License-Identifier: Apache-2.0
"""A tensor from a solid's formula with one error: a missing factor, or lengths twice as long."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from inertia_tools.inertia.causes.codes import WRONG_FORMULA
from inertia_tools.inertia.causes.evidence import Evidence
from inertia_tools.inertia.causes.hypotheses import Hypotheses, confirmed, of_tensors
from inertia_tools.spatial import Array

TWELFTH = "the factor 1/12 of the formula for a box is missing: divide the tensor by 12"
DOUBLED = "the formula was given lengths twice as long, such as diameters for radii: divide the tensor by 4"
DIAMETER = "the formula for a cylinder was given its diameter for its radius: take the radius"

CHANGES = (TWELFTH, DOUBLED, DIAMETER, DIAMETER, DIAMETER)
"""The last about each axis of the inertial frame."""


def wrong_formula(evidence: Evidence) -> Sequence[Hypotheses]:
    """Explain a tensor that differs from the geometry's by one error in the formula."""
    written = evidence.written
    tensors = np.stack([written / 12.0, written / 4.0, *(_with_radius(written, axis) for axis in range(3))])
    weights = np.array([1.0, 1.0, *[1.0 / 3.0] * 3]) / 3.0
    return confirmed(evidence, of_tensors(evidence, WRONG_FORMULA, CHANGES, tensors, weights, is_systematic=True))


def _with_radius(tensor: Array, axis: int) -> Array:
    """Halve the radius of a solid cylinder: m r^2 / 2 about its axis, m r^2 / 4 + m h^2 / 12 about the others."""
    about_axis = tensor[axis, axis]
    less = np.full(3, 0.5 * 0.75 * about_axis)
    less[axis] = 0.75 * about_axis
    return tensor - np.diag(less)
