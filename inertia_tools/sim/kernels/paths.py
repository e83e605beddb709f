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

from inertia_tools.sim.kernels.constants import PATH_ANSWER, PATH_JUMP, PATH_OVERSHOOT
from inertia_tools.sim.kernels.precision import Precision


@lru_cache(maxsize=2)
def path_functions(p: Precision) -> Any:
    """Return the device functions of one precision."""
    scalar, vec3 = p.scalar, p.vec3
    jump, most, overshoot = (wp.constant(scalar(number)) for number in (PATH_JUMP, PATH_ANSWER, PATH_OVERSHOOT))
    zero, half, two, quarter = (wp.constant(scalar(number)) for number in (0.0, 0.5, 2.0, 0.25))

    @wp.func
    def answers(change: vec3, changed: vec3) -> bool:
        """Tell whether two changes of acceleration are so much of one size that they belong to one motion."""
        a, b = wp.length(change), wp.length(changed)
        return a <= most * b and b <= most * a

    @wp.func
    def plan(way: vec3, rate: vec3, bent: vec3, changed: vec3, time: scalar, gravity: scalar):
        """Plan the path over a step.

        Args:
            way: From the present position to the one to reach.
            rate: Present velocity.
            bent: Acceleration of the step before.
            changed: How much that differed from the one of the step before it.
            time: Length of the step.
            gravity: Acceleration that jumps are told by.

        Returns:
            Velocity at the start and at the end, acceleration, and how much that differs from `bent`.
        """
        mean = way / time
        bend = (two / time) * (mean - rate)
        is_over = wp.dot(bend, bent) < zero and answers(bend, bent) and wp.length(bend) > overshoot * wp.length(bent)
        is_over = is_over and wp.dot(rate, two * mean - rate) < zero
        if is_over or wp.length(bend) > jump * gravity:
            return mean, mean, vec3(), vec3()
        change = bend - bent
        if answers(change, changed):
            bend = bend - quarter * (change - changed)
            change = half * (change + changed)
        return rate, mean + (half * time) * bend, bend, change

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
