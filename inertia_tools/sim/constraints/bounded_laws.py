# SPDX-FileCopyrightText: The inertia_tools authors
# SPDX-License-Identifier: Apache-2.0
"""Bounded laws of joint coordinates as terms of the merit function: dry friction, and drives with an effort limit.

With s the displacement of a coordinate from where the law exerts nothing, d its change in the Newton iterate, K the
stiffness of the law and b the bound of its impulse in the substep (all scaled by the substep squared):

    L = min(max(-K (s + d), -b), b)      stiffness K where |L| < b, else 0

Dry friction is measured from the start of the substep, with a very large K. A drive is measured from the rest position
of its implicit spring, and b is its effort limit.
"""

from functools import lru_cache
from types import SimpleNamespace
from typing import Any

import warp as wp

from inertia_tools.sim.kernels.precision import Precision


@lru_cache(maxsize=2)
def bounded_functions(p: Precision) -> Any:
    """Return the device functions of one precision."""
    (Joint,) = p.references("Joint")
    zero = wp.constant(wp.float64(0.0))

    @wp.func
    def bounded_force(stiffness: wp.float64, bound: wp.float64, displacement: wp.float64) -> wp.float64:
        return wp.clamp(-stiffness * displacement, -bound, bound)

    @wp.func
    def stiffness_within(stiffness: wp.float64, bound: wp.float64, displacement: wp.float64) -> wp.float64:
        return wp.where(stiffness * wp.abs(displacement) < bound, stiffness, zero)

    @wp.func
    def is_bounded(joint: Joint, row: int) -> bool:
        """Return whether a row of a joint has such a law in this iterate."""
        return joint.friction_stiffness[row] + joint.drive_stiffness[row] > zero

    @wp.func
    def friction_force(joint: Joint, row: int, d: wp.float64) -> wp.float64:
        """Return L of dry friction on a row for a displacement d."""
        return bounded_force(
            joint.friction_stiffness[row], joint.friction_bound[row], joint.friction_displacement[row] + d
        )

    @wp.func
    def law_force(joint: Joint, row: int, d: wp.float64) -> wp.float64:
        """Return L of all bounded laws of a row for a displacement d."""
        return friction_force(joint, row, d) + bounded_force(
            joint.drive_stiffness[row], joint.drive_bound[row], joint.drive_displacement[row] + d
        )

    @wp.func
    def law_stiffness(joint: Joint, row: int, d: wp.float64) -> wp.float64:
        """Return -dL/dd of all bounded laws of a row."""
        friction = stiffness_within(
            joint.friction_stiffness[row], joint.friction_bound[row], joint.friction_displacement[row] + d
        )
        return friction + stiffness_within(
            joint.drive_stiffness[row], joint.drive_bound[row], joint.drive_displacement[row] + d
        )

    return SimpleNamespace(
        is_bounded=is_bounded, friction_force=friction_force, law_force=law_force, law_stiffness=law_stiffness
    )
