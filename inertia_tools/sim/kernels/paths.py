# SPDX-FileCopyrightText: The inertia_tools authors
# SPDX-License-Identifier: Apache-2.0
"""Paths of what is moved to given positions, one a step: rigid drives and kinematic bodies.

A position that is asked for at the end of a step tells neither the velocity there nor the acceleration until then. A
path begins at the present velocity v0 and goes on with the constant acceleration that ends at the position:
v1 = 2 way / dt - v0. So contacts feel the acceleration of whatever samples a smooth motion, and a position that stays
leaves no velocity. In between the path is Hermite's cubic.

By itself that would keep an error e of the velocity for ever, as e, -e, e: where motion sets in between two samples, or
at a speed. It makes accelerations change by c, c', c with c - c' = 8 e / dt, where those of a smooth motion change
evenly, and so it is found and taken away.
"""

from functools import lru_cache
from types import SimpleNamespace
from typing import Any

import warp as wp

from inertia_tools.sim.kernels.constants import PATH_CHANGE_RATIO, PATH_JUMP, PATH_OVERSHOOT
from inertia_tools.sim.kernels.precision import Precision


@lru_cache(maxsize=2)
def path_functions(p: Precision) -> Any:
    """Return the device functions of one precision."""
    scalar, vec3 = p.scalar, p.vec3
    jump, most, overshoot = (wp.constant(scalar(number)) for number in (PATH_JUMP, PATH_CHANGE_RATIO, PATH_OVERSHOOT))
    zero, half, two, quarter = (wp.constant(scalar(number)) for number in (0.0, 0.5, 2.0, 0.25))

    @wp.func
    def belong_together(change: vec3, last_change: vec3) -> bool:
        """Tell whether two changes of acceleration are so much of one size that they belong to one motion."""
        a, b = wp.length(change), wp.length(last_change)
        return a <= most * b and b <= most * a

    @wp.func
    def plan(remaining: vec3, rate: vec3, last_acceleration: vec3, last_change: vec3, time: scalar, gravity: scalar):
        """Plan the path over a step.

        Args:
            remaining: Displacement from the present position to the one to reach.
            rate: Present velocity.
            last_acceleration: That of the step before.
            last_change: How much that differed from the acceleration one step earlier.
            time: Length of the step.
            gravity: Acceleration that jumps are told by.

        Returns:
            Velocity at the start and at the end, acceleration, and how much that differs from `last_acceleration`.
        """
        mean = remaining / time
        acceleration = (two / time) * (mean - rate)
        is_over = (
            wp.dot(acceleration, last_acceleration) < zero
            and belong_together(acceleration, last_acceleration)
            and wp.length(acceleration) > overshoot * wp.length(last_acceleration)
        )
        is_over = is_over and wp.dot(rate, two * mean - rate) < zero
        if is_over or wp.length(acceleration) > jump * gravity:
            return mean, mean, vec3(), vec3()
        change = acceleration - last_acceleration
        if belong_together(change, last_change):
            acceleration = acceleration - quarter * (change - last_change)
            change = half * (change + last_change)
        return rate, mean + (half * time) * acceleration, acceleration, change

    @wp.func
    def advance(remaining: vec3, rate: vec3, end: vec3, left: int, h: scalar):
        """Return the way of the first of so many substeps that are left, and the velocity after it."""
        if left <= 1:
            return remaining, end
        time, s = scalar(left) * h, scalar(1.0) / scalar(left)
        s2 = s * s
        s3 = s2 * s
        displacement = (scalar(3.0) * s2 - two * s3) * remaining
        displacement = displacement + time * ((s - two * s2 + s3) * rate + (s3 - s2) * end)
        speed = (scalar(6.0) * (s - s2) / time) * remaining
        speed = speed + (scalar(1.0) - scalar(4.0) * s + scalar(3.0) * s2) * rate
        return displacement, speed + (scalar(3.0) * s2 - two * s) * end

    return SimpleNamespace(plan=plan, advance=advance)
