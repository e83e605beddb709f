# SPDX-FileCopyrightText: The inertia_tools authors
# SPDX-License-Identifier: Apache-2.0
"""Laws of joint coordinates that have a bound, as terms of the merit function: dry friction, and drives.

With s how far a coordinate is from where the law gives nothing, d what the Newton iterate adds to it, K the law's
stiffness and b the most that it gives in the substep:

    L = min(max(-K (s + d), -b), b)      stiffness K where |L| < b, else 0

Dry friction counts from the start of the substep, with a K that hardly lets go. A drive counts from where its implicit
spring would be at rest, and b is its limit of effort.
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
        """Tell whether a row of a joint has such a law in this iterate."""
        return joint.friction_stiffness[row] + joint.drive_stiffness[row] > zero

    @wp.func
    def friction_force(joint: Joint, row: int, d: wp.float64) -> wp.float64:
        """Return what dry friction on a row of a joint gives for a displacement."""
        return bounded_force(
            joint.friction_stiffness[row], joint.friction_bound[row], joint.friction_displacement[row] + d
        )

    @wp.func
    def law_force(joint: Joint, row: int, d: wp.float64) -> wp.float64:
        """Return what the laws of a row of a joint give for a displacement."""
        return friction_force(joint, row, d) + bounded_force(
            joint.drive_stiffness[row], joint.drive_bound[row], joint.drive_displacement[row] + d
        )

    @wp.func
    def law_stiffness(joint: Joint, row: int, d: wp.float64) -> wp.float64:
        """Return the negative of its derivative."""
        friction_force = stiffness_within(
            joint.friction_stiffness[row], joint.friction_bound[row], joint.friction_displacement[row] + d
        )
        return friction_force + stiffness_within(
            joint.drive_stiffness[row], joint.drive_bound[row], joint.drive_displacement[row] + d
        )

    return SimpleNamespace(
        is_bounded=is_bounded, friction_force=friction_force, law_force=law_force, law_stiffness=law_stiffness
    )
