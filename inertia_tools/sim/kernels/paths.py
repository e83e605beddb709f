# SPDX-FileCopyrightText: The inertia_tools authors
# SPDX-License-Identifier: Apache-2.0
"""Paths through positions that are given once a step, for rigid drives and kinematic bodies.

A target position at the end of a step defines neither the velocity there nor the acceleration until then. A path starts
at the present velocity v0 and has the constant acceleration that reaches the position: v1 = 2 way / dt - v0. So
contacts feel the acceleration of any smooth sampled motion, and a constant position has no velocity. Between steps the
path is Hermite's cubic.

An error e of the velocity would persist as e, -e, e: where motion starts between two samples, or with a velocity. Then
accelerations change by c, c', c with c - c' = 8 e / dt, while those of a smooth motion change evenly; so the error is
detected and removed.
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
        """Return whether two changes of acceleration are of similar size, as in one smooth motion."""
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
        """Return the displacement in the first of the remaining substeps, and the velocity after it."""
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
