# SPDX-FileCopyrightText: The inertia_tools authors
# SPDX-License-Identifier: Apache-2.0
"""Dry friction of joints as a term of the merit function.

With s the way of a coordinate since the start of the substep, d what the Newton iterate adds to it, and b the most that
friction gives in the substep:

    y = -K (s + d)      L = min(max(y, -b), b)      stiffness K where |y| < b, else 0
"""

from functools import lru_cache
from types import SimpleNamespace
from typing import Any

import warp as wp

from inertia_tools.sim.device.precision import Precision

STIFFEST = 1e6
"""K over the inertia that the coordinate shows."""


@lru_cache(maxsize=2)
def dry_friction_functions(p: Precision) -> Any:
    """Return the device functions of one precision."""
    (JointWork,) = p.references("JointWork")

    @wp.func
    def friction(jw: JointWork, j: int, row: int, d: wp.float64) -> wp.float64:
        """Return what dry friction gives on a row of a joint for a displacement."""
        k = jw.rub_stiffness[j][row]
        if k <= wp.float64(0.0):
            return wp.float64(0.0)
        bound = jw.rub_bound[j][row]
        return wp.clamp(-k * (jw.rub_way[j][row] + d), -bound, bound)

    @wp.func
    def friction_stiffness(jw: JointWork, j: int, row: int, d: wp.float64) -> wp.float64:
        """Return its derivative, negative."""
        k = jw.rub_stiffness[j][row]
        if k <= wp.float64(0.0) or k * wp.abs(jw.rub_way[j][row] + d) >= jw.rub_bound[j][row]:
            return wp.float64(0.0)
        return k

    return SimpleNamespace(friction=friction, friction_stiffness=friction_stiffness)
