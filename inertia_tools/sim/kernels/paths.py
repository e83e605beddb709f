# SPDX-FileCopyrightText: The inertia_tools authors
# SPDX-License-Identifier: Apache-2.0
"""Paths of what is moved to given positions, one a step: rigid drives and kinematic bodies.

A position that is asked for at the end of a step tells neither the velocity there nor the acceleration until then. A
path begins at the present velocity v0 and goes on with the constant acceleration that ends at the position:
v1 = 2 way / dt - v0. So contacts feel the acceleration of whatever samples a smooth motion, and a position that stays
leaves no velocity. In between the path is Hermite's cubic.
"""

from functools import lru_cache
from types import SimpleNamespace
from typing import Any

import warp as wp

from inertia_tools.sim.kernels.constants import PATH_JUMP, PATH_OVERSHOOT, PATH_TREMBLE
from inertia_tools.sim.kernels.precision import Precision


@lru_cache(maxsize=2)
def path_functions(p: Precision) -> Any:
    """Return the device functions of one precision."""
    scalar, vec3 = p.scalar, p.vec3
    jump, most, overshoot = (wp.constant(scalar(number)) for number in (PATH_JUMP, PATH_TREMBLE, PATH_OVERSHOOT))
    zero, two = wp.constant(scalar(0.0)), wp.constant(scalar(2.0))

    @wp.func
    def plan(way: vec3, rate: vec3, bent: vec3, zigzag: int, time: scalar, gravity: scalar):
        """Plan the path over a step.

        Args:
            way: From the present position to the one to reach.
            rate: Present velocity.
            bent: Acceleration of the step before.
            zigzag: It was against that of the step before it.
            time: Length of the step.
            gravity: Acceleration that jumps are told by.

        Returns:
            Velocity at the start and at the end, mean acceleration, and whether that is against `bent`. An acceleration
            that goes to and fro stems from a velocity that set in; the path ends at its mean velocity then.
        """
        mean = way / time
        bend = (two / time) * (mean - rate)
        end = mean + (mean - rate)
        back = int(wp.dot(bend, bent) < zero and most * wp.length(bent) > wp.length(bend))
        is_over = back == 1 and wp.length(bend) > overshoot * wp.length(bent) and wp.dot(rate, end) < zero
        if is_over or wp.length(bend) > jump * gravity:
            return mean, mean, vec3(), int(0)
        if back == 1 and zigzag == 1:
            end = mean
        return rate, end, bend, back

    @wp.func
    def advance(way: vec3, rate: vec3, end: vec3, left: int, h: scalar):
        """Return the way of the first of so many substeps that are left, and the velocity after it."""
        if left <= 1:
            return way, end
        time, s = scalar(left) * h, scalar(1.0) / scalar(left)
        s2 = s * s
        s3 = s2 * s
        go = (scalar(3.0) * s2 - two * s3) * way
        go = go + time * ((s - two * s2 + s3) * rate + (s3 - s2) * end)
        speed = (scalar(6.0) * (s - s2) / time) * way
        speed = speed + (scalar(1.0) - scalar(4.0) * s + scalar(3.0) * s2) * rate
        return go, speed + (scalar(3.0) * s2 - two * s) * end

    return SimpleNamespace(plan=plan, advance=advance)
