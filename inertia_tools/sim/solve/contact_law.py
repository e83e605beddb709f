# SPDX-FileCopyrightText: The inertia_tools authors
# SPDX-License-Identifier: Apache-2.0
"""What a contact gives for a displacement of its bodies: the terms of the merit function that it adds.

Multipliers are scaled by the square of the substep, so they are impulses times its length [kg m]; K likewise [kg].
With d the displacement of one body along the other at the contact, since the outer iterate began:

    normal      y = L0 + K (c - n.d)             L = max(0, y)                            stiffness K n n^T where y > 0
    recovery    y = L0 + K (c + a - n.d)         L = min(max(0, y), F)                    K n n^T where 0 < y < F
    tangential  y = L0 - K (s + d_t)             |y| <= b: L = y, sticks                  K (1 - n n^T)
                                                 else:     L = b y / |y|, slides          K b / |y| (1 - n n^T - t t^T)

c is the residual of the gap, s the slip since sticking began, b = mu L of the last outer iterate. An overlap that was
there before the substep is kept from growing by the multiplier; what is to be recovered of it, a, is left to a second
one that is at most F, so that what is wedged between others, and has nowhere to go, is pushed with a bounded force.
Torsional and rolling friction are the same for the angles about the normal and across it. L0 are the multipliers of
the last outer iterate (augmented Lagrangian; Macklin et al. 2019, "Non-smooth Newton methods for deformable multi-
body dynamics").
"""

from functools import lru_cache
from types import SimpleNamespace
from typing import Any

import warp as wp

from inertia_tools.sim.device.precision import Precision, precision
from inertia_tools.sim.xpbd.rounding import rounding_functions


@lru_cache(maxsize=2)
def law_functions(p: Precision) -> Any:
    """Return the device functions of one precision."""
    wide_vec3, wide_mat33 = precision("float64").vec3, precision("float64").mat33
    (Rows,) = p.references("Rows")
    exact, is_single = rounding_functions(p).exact, wp.constant(p.name == "float32")
    zero, one = wp.constant(wp.float64(0.0)), wp.constant(wp.float64(1.0))

    @wp.func
    def unit_normal(rows: Rows, k: int) -> wide_vec3:
        """Return the normal of a contact; what rounding leaves of its length would make slip of overlap."""
        if is_single:
            return wp.normalize(exact(rows.normal[k]))
        return exact(rows.normal[k])

    @wp.func
    def across(n: wide_vec3, v: wide_vec3) -> wide_vec3:
        return v - wp.dot(v, n) * n

    @wp.func
    def within(y: wide_vec3, bound: wp.float64) -> wide_vec3:
        """Return the vector no longer than a bound that is nearest to another one."""
        size = wp.length(y)
        if size <= bound:
            return y
        return (bound / size) * y

    @wp.func
    def tangent_stiffness(n: wide_vec3, y: wide_vec3, bound: wp.float64, k: wp.float64) -> wide_mat33:
        """Return the derivative of `within` by the displacement."""
        if bound <= zero:
            return wide_mat33()
        size = wp.length(y)
        plane = -wp.outer(n, n)
        for i in range(3):
            plane[i, i] = plane[i, i] + one
        if size <= bound:
            return k * plane
        t = (one / size) * y
        return (k * bound / size) * (plane - wp.outer(t, t))

    @wp.func
    def normal_trial(rows: Rows, k: int, d: wide_vec3) -> wp.float64:
        """Return y of the normal for a displacement."""
        return rows.lambda_n_start[k] + rows.stiffness[k] * (rows.residual_n[k] - wp.dot(unit_normal(rows, k), d))

    @wp.func
    def recovery_trial(rows: Rows, k: int, d: wide_vec3) -> wp.float64:
        """Return y of the recovery of an old overlap for a displacement."""
        left = rows.residual_n[k] + rows.recovery[k] - wp.dot(unit_normal(rows, k), d)
        return rows.recovery_start[k] + rows.stiffness[k] * left

    @wp.func
    def hard_normal(rows: Rows, k: int, d: wide_vec3) -> wp.float64:
        """Return the normal multiplier that keeps the gap from closing further."""
        return wp.max(zero, normal_trial(rows, k, d))

    @wp.func
    def recovery_normal(rows: Rows, k: int, d: wide_vec3) -> wp.float64:
        """Return the normal multiplier that takes an old overlap back."""
        return wp.clamp(recovery_trial(rows, k, d), zero, rows.recovery_limit[k])

    @wp.func
    def tangent_trial(rows: Rows, k: int, d: wide_vec3) -> wide_vec3:
        """Return y of the tangent for a displacement."""
        n = unit_normal(rows, k)
        return rows.lambda_t_start[k] - rows.slip_stiffness[k] * (rows.slip[k] + across(n, d))

    @wp.func
    def force(rows: Rows, k: int, d: wide_vec3) -> wide_vec3:
        """Return the multipliers of a contact for a displacement, as one vector."""
        n = unit_normal(rows, k)
        normal = hard_normal(rows, k, d) + recovery_normal(rows, k, d)
        return normal * n + within(tangent_trial(rows, k, d), rows.bound[k])

    @wp.func
    def stiffness(rows: Rows, k: int, d: wide_vec3) -> wide_mat33:
        """Return its derivative, negative."""
        n = unit_normal(rows, k)
        spring = tangent_stiffness(n, tangent_trial(rows, k, d), rows.bound[k], rows.slip_stiffness[k])
        along = wp.float64(0.0)
        if normal_trial(rows, k, d) > zero:
            along = rows.stiffness[k]
        y = recovery_trial(rows, k, d)
        if y > zero and y < rows.recovery_limit[k]:
            along = along + rows.stiffness[k]
        return spring + along * wp.outer(n, n)

    @wp.func
    def moment_within(n: wide_vec3, y: wide_vec3, spin_bound: wp.float64, roll_bound: wp.float64) -> wide_vec3:
        """Return the moment that torsional and rolling friction allow nearest to another one."""
        about = wp.dot(y, n)
        return wp.clamp(about, -spin_bound, spin_bound) * n + within(y - about * n, roll_bound)

    @wp.func
    def moment(rows: Rows, k: int, turn: wide_vec3) -> wide_vec3:
        """Return the moment of torsional and rolling friction for a rotation of one body against the other."""
        y = rows.lambda_r_start[k] - rows.turn_stiffness[k] * (rows.angle[k] + turn)
        return moment_within(unit_normal(rows, k), y, rows.spin_bound[k], rows.roll_bound[k])

    @wp.func
    def turn_spring(rows: Rows, k: int, turn: wide_vec3) -> wide_mat33:
        """Return its derivative, negative."""
        n = unit_normal(rows, k)
        spin = rows.lambda_r_start[k] - rows.turn_stiffness[k] * (rows.angle[k] + turn)
        about = wp.dot(spin, n)
        spring = tangent_stiffness(n, spin - about * n, rows.roll_bound[k], rows.turn_stiffness[k])
        if wp.abs(about) < rows.spin_bound[k]:
            spring = spring + rows.turn_stiffness[k] * wp.outer(n, n)
        return spring

    return SimpleNamespace(
        unit_normal=unit_normal, across=across, within=within, hard_normal=hard_normal,
        recovery_normal=recovery_normal, moment_within=moment_within, force=force, stiffness=stiffness, moment=moment,
        turn_spring=turn_spring,
    )  # fmt: skip
