# SPDX-FileCopyrightText: The inertia_tools authors
# SPDX-License-Identifier: Apache-2.0
"""Rotations between axes by their names, on the host."""

import itertools
from typing import Any

import warp as wp

from inertia_tools.sim.kernels.spatial_functions import PARALLEL, quat_between_vectors_robust
from inertia_tools.sim.scene.axis import Axis


def quat_between_axes(*axes: Any) -> wp.quat:
    """Return the rotation of the first of some axes into the last, by way of those between: "x", 1, or `Axis.Z`.

    Raises:
        OptionError: There is no such axis.
    """
    directions = [wp.vec3(*Axis.from_any(axis).to_vector()) for axis in axes]
    turn: Any = wp.quat_identity()
    for start, end in itertools.pairwise(directions):
        turn = quat_between_vectors_robust(start, end, PARALLEL) * turn
    return wp.quat(*turn)
