# SPDX-FileCopyrightText: The inertia_tools authors
# SPDX-License-Identifier: Apache-2.0
"""Contact law: multiplier and stiffness of a contact for a displacement, its terms of the merit function.

Multipliers L are scaled by the substep squared, so they are impulses times its length [kg m]; K likewise [kg]. With d
the displacement of the first body relative to the second one since the outer iterate began:

    normal      y = L0 + K (c - n.d)             L = max(0, y)                            stiffness K n n^T where y > 0
    recovery    y = L0 + K (c + a - n.d)         L = min(max(0, y), F)                    K n n^T where 0 < y < F
    tangential  y = L0 - K (s + d_t)             |y| <= b: L = y, sticks                  K (1 - n n^T)
                                                 else:     L = b y / |y|, slides          K b / |y| (1 - n n^T - t t^T)

c is the gap residual, s the slip since sticking began, b = mu L of the last outer iterate. The first multiplier keeps
an old overlap from growing. The second one recovers the part a of it; its bound F limits the force on bodies that are
wedged between others and cannot separate. Torsional and rolling friction have the tangential law for rotations about
the normal and in the tangent plane. L0 are the multipliers of the last outer iterate (augmented Lagrangian; Macklin et
al. 2019, "Non-smooth Newton methods for deformable multi-body dynamics").
"""

from functools import lru_cache
from types import SimpleNamespace
from typing import Any

import warp as wp

from inertia_tools.sim.kernels.precision import Precision, precision
from inertia_tools.sim.kernels.rounding import rounding_functions


@lru_cache(maxsize=2)
def contact_law_functions(p: Precision) -> Any:
    """Return the device functions of one precision."""
    wide_vec3, wide_mat33 = precision("float64").vec3, precision("float64").mat33
    (Row,) = p.references("Row")
    exact, is_single = rounding_functions(p).exact, wp.constant(p.name == "float32")
    zero, one = wp.constant(wp.float64(0.0)), wp.constant(wp.float64(1.0))

    @wp.func
    def unit_normal(row: Row) -> wide_vec3:
        """Return the normal of a contact, normalised in double precision.

        An error of its length would turn overlap into slip.
        """
        if is_single:
            return wp.normalize(exact(row.normal))
        return exact(row.normal)

    @wp.func
    def tangential(n: wide_vec3, v: wide_vec3) -> wide_vec3:
        return v - wp.dot(v, n) * n

    @wp.func
    def clamp_length(y: wide_vec3, bound: wp.float64) -> wide_vec3:
        """Return the vector of at most the length `bound` that is nearest to y."""
        size = wp.length(y)
        if size <= bound:
            return y
        return (bound / size) * y

    @wp.func
    def tangent_stiffness(n: wide_vec3, y: wide_vec3, bound: wp.float64, k: wp.float64) -> wide_mat33:
        """Return the negative derivative of the tangential multiplier by the displacement.

        The rounding error of y along the normal, relatively large for tiny bounds, would make it indefinite.
        """
        if bound <= zero:
            return wide_mat33()
        size = wp.length(y)
        plane = -wp.outer(n, n)
        for i in range(3):
            plane[i, i] = plane[i, i] + one
        if size <= bound:
            return k * plane
        t = (one / size) * tangential(n, y)
        return (k * bound / size) * (plane - wp.outer(t, t))

    @wp.func
    def normal_trial(row: Row, d: wide_vec3) -> wp.float64:
        """Return y of the normal law."""
        return row.lambda_n_start + row.stiffness * (row.residual_n - wp.dot(unit_normal(row), d))

    @wp.func
    def recovery_trial(row: Row, d: wide_vec3) -> wp.float64:
        """Return y of the recovery law."""
        remaining = row.residual_n + row.recovery - wp.dot(unit_normal(row), d)
        return row.recovery_start + row.stiffness * remaining

    @wp.func
    def normal_multiplier(row: Row, d: wide_vec3) -> wp.float64:
        """Return the normal multiplier without recovery."""
        return wp.max(zero, normal_trial(row, d))

    @wp.func
    def recovery_multiplier(row: Row, d: wide_vec3) -> wp.float64:
        """Return the multiplier that recovers an old overlap."""
        return wp.clamp(recovery_trial(row, d), zero, row.recovery_limit)

    @wp.func
    def tangent_trial(row: Row, d: wide_vec3) -> wide_vec3:
        """Return y of the tangential law."""
        n = unit_normal(row)
        return row.lambda_t_start - row.slip_stiffness * (row.slip + tangential(n, d))

    @wp.func
    def force(row: Row, d: wide_vec3) -> wide_vec3:
        """Return the contact multiplier for a displacement, as a vector."""
        n = unit_normal(row)
        normal = normal_multiplier(row, d) + recovery_multiplier(row, d)
        return normal * n + clamp_length(tangent_trial(row, d), row.bound)

    @wp.func
    def stiffness(row: Row, d: wide_vec3) -> wide_mat33:
        """Return its negative derivative."""
        n = unit_normal(row)
        tangent = tangent_stiffness(n, tangent_trial(row, d), row.bound, row.slip_stiffness)
        along = wp.float64(0.0)
        if normal_trial(row, d) > zero:
            along = row.stiffness
        y = recovery_trial(row, d)
        if y > zero and y < row.recovery_limit:
            along = along + row.stiffness
        return tangent + along * wp.outer(n, n)

    @wp.func
    def project_moment(n: wide_vec3, y: wide_vec3, spin_bound: wp.float64, roll_bound: wp.float64) -> wide_vec3:
        """Return the admissible moment of torsional and rolling friction that is nearest to y."""
        along_normal = wp.dot(y, n)
        return wp.clamp(along_normal, -spin_bound, spin_bound) * n + clamp_length(y - along_normal * n, roll_bound)

    @wp.func
    def moment(row: Row, rotation: wide_vec3) -> wide_vec3:
        """Return the moment of torsional and rolling friction for a relative rotation."""
        y = row.lambda_r_start - row.rotation_stiffness * (row.angle + rotation)
        return project_moment(unit_normal(row), y, row.torsion_bound, row.rolling_bound)

    @wp.func
    def rotation_stiffness(row: Row, rotation: wide_vec3) -> wide_mat33:
        """Return its negative derivative."""
        n = unit_normal(row)
        trial = row.lambda_r_start - row.rotation_stiffness * (row.angle + rotation)
        along_normal = wp.dot(trial, n)
        tangent = tangent_stiffness(n, trial - along_normal * n, row.rolling_bound, row.rotation_stiffness)
        if wp.abs(along_normal) < row.torsion_bound:
            tangent = tangent + row.rotation_stiffness * wp.outer(n, n)
        return tangent

    return SimpleNamespace(
        unit_normal=unit_normal, tangential=tangential, clamp_length=clamp_length, tangent_stiffness=tangent_stiffness,
        normal_multiplier=normal_multiplier, recovery_multiplier=recovery_multiplier, project_moment=project_moment,
        force=force, stiffness=stiffness, moment=moment, rotation_stiffness=rotation_stiffness,
    )  # fmt: skip
