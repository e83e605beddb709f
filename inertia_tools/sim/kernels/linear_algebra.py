# SPDX-FileCopyrightText: The inertia_tools authors
# SPDX-License-Identifier: Apache-2.0
"""Small symmetric systems: the six rows of a joint, and the dense Schur complement of a group of loops."""

from functools import lru_cache
from types import SimpleNamespace
from typing import Any

import warp as wp

from inertia_tools.sim.kernels.loop_counts import looped
from inertia_tools.sim.kernels.motion import motion_functions
from inertia_tools.sim.kernels.precision import Precision
from inertia_tools.sim.kernels.scene_types import scene_type


@lru_cache(maxsize=2)
def algebra_functions(p: Precision) -> Any:
    """Return the device functions of one precision."""
    Scene = wp.ref[scene_type(p)]
    scalar, vec3, vec6, quat = p.scalar, p.vec3, p.vec6, p.quat
    mat33, mat66 = p.mat33, p.mat66
    Bodies, Joint = p.references("Bodies", "Joint")
    motion = motion_functions(p)
    world_tensor, is_static = motion.world_tensor, motion.is_static

    @wp.func
    def lower_factor(a: mat66) -> mat66:
        """Return the lower Cholesky factor of a symmetric positive definite matrix."""
        low = mat66()
        for i in range(6):
            for j in range(i + 1):
                s = a[i, j]
                for k in range(j):
                    s -= low[i, k] * low[j, k]
                if i == j:
                    low[i, i] = wp.sqrt(s)
                else:
                    low[i, j] = s / low[j, j]
        return low

    @wp.func
    def inverse(a: mat66) -> mat66:
        """Return the inverse of a symmetric positive definite matrix."""
        low = lower_factor(a)
        down = mat66()  # inverse of the lower factor
        for c in range(6):
            down[c, c] = scalar(1.0) / low[c, c]
            for i in range(c + 1, 6):
                s = scalar(0.0)
                for k in range(c, i):
                    s -= low[i, k] * down[k, c]
                down[i, c] = s / low[i, i]
        return wp.transpose(down) * down

    @wp.func
    def inverse_of_rows(a: mat66, rows: int) -> mat66:
        """Return the inverse of the submatrix of some rows; the others are zero."""
        part = a
        for i in range(6):
            if (rows & (int(1) << i)) == 0:
                for k in range(6):
                    part[i, k] = scalar(0.0)
                    part[k, i] = scalar(0.0)
                part[i, i] = scalar(1.0)
        s = inverse(part)
        for i in range(6):
            if (rows & (int(1) << i)) == 0:
                s[i, i] = scalar(0.0)
        return s

    @wp.func
    def blocks(linear: scalar, tensor: mat33) -> mat66:
        m = mat66()
        for i in range(3):
            m[i, i] = linear
            for k in range(3):
                m[i + 3, k + 3] = tensor[i, k]
        return m

    @wp.func
    def own_mobility(bodies: Bodies, b: int, q: quat) -> mat66:
        """Return the inverse of a body's own 6 x 6 mass matrix, at an orientation."""
        return blocks(bodies.inv_mass[b], world_tensor(q, bodies.inv_inertia[b]))

    @wp.func
    def response_of_rows(joint: Joint, arm: vec3, linear: scalar, tensor: mat33) -> mat66:
        """Return J W J^T of a joint for one of its bodies, free otherwise."""
        axes, turns = joint.axes, joint.turns
        levers = scalar(-1.0) * axes * wp.skew(arm)  # rows are the moments of unit impulses
        by_levers, by_turns = levers * tensor, turns * tensor
        back = wp.transpose(levers)
        low, corner, high = by_turns * wp.transpose(turns), by_turns * back, by_levers * back
        a = mat66()
        for i in range(3):
            for k in range(3):
                a[i, k] = high[i, k]
                a[i + 3, k] = corner[i, k]
                a[k, i + 3] = corner[i, k]
                a[i + 3, k + 3] = low[i, k]
            a[i, i] = a[i, i] + linear
        return a

    @wp.func
    def mobility_of_rows(scene: Scene, joint: Joint, j: int) -> mat66:
        """Return J W J^T of a joint: the response of its rows to impulses on them, if nothing else holds its bodies."""
        child, parent = scene.joints.child[j], scene.joints.parent[j]
        a = mat66()
        if not is_static(scene.bodies, child):
            tensor = world_tensor(scene.body[child].r, scene.bodies.inv_inertia[child])
            a = response_of_rows(joint, joint.arm_child, scene.bodies.inv_mass[child], tensor)
        if not is_static(scene.bodies, parent):
            tensor_of_parent = world_tensor(scene.body[parent].r, scene.bodies.inv_inertia[parent])
            a = a + response_of_rows(joint, joint.arm_parent, scene.bodies.inv_mass[parent], tensor_of_parent)
        return a

    @wp.func
    def inertia_of_row(mobility: mat66, held: int, row: int) -> scalar:
        """Return the effective inertia of a row while others are locked: these are eliminated from the mobility."""
        a = mobility
        for f in range(looped(6)):
            if f != row and (held & (int(1) << f)) != 0:
                inverse = scalar(1.0) / a[f, f]
                line = vec6(a[f, 0], a[f, 1], a[f, 2], a[f, 3], a[f, 4], a[f, 5])
                a = a - wp.outer(inverse * line, line)
        return scalar(1.0) / a[row, row]

    @wp.func
    def lighter_first(scene: Scene, j: int) -> bool:
        """Return whether the child of a joint is the lighter one of its dynamic bodies."""
        child, parent = scene.joints.child[j], scene.joints.parent[j]
        if is_static(scene.bodies, child):
            return False
        return is_static(scene.bodies, parent) or scene.bodies.mass[child] <= scene.bodies.mass[parent]

    @wp.func
    def inertia_of_free_row(scene: Scene, joint: Joint, j: int, row: int) -> scalar:
        """Return the effective inertia of the only free row of a joint.

        One body moves along the row. The two bodies that follow as one reduce its inertia by their common motion: p^2 /
        m and L^T I^-1 L about their common centre.
        """
        one, other, arm, apart = scene.joints.child[j] + 0, scene.joints.parent[j] + 0, joint.arm_child + vec3(), vec3()
        if not is_static(scene.bodies, other):
            apart = arm - joint.arm_parent
        if not lighter_first(scene, j):
            one, other = other, one
            arm, apart = arm - apart, -apart
        axes, turns = joint.axes, joint.turns
        along, about = axes[wp.min(row, 2)], vec3()
        if row > 2:
            about = turns[row - 3]
            along = wp.cross(arm, about)
        tensor = world_tensor(scene.body[one].r, scene.bodies.inertia[one])
        pull, twist = scene.bodies.mass[one] * along, tensor * about
        effective_inertia = wp.dot(along, pull) + wp.dot(about, twist)
        if not is_static(scene.bodies, other):
            share = scene.bodies.mass[other] / (scene.bodies.mass[one] + scene.bodies.mass[other])
            lever = wp.skew(apart)
            both = tensor + world_tensor(scene.body[other].r, scene.bodies.inertia[other])
            both = both - (share * scene.bodies.mass[one]) * (lever * lever)
            twist = twist - share * wp.cross(apart, pull)
            effective_inertia = effective_inertia - (scalar(1.0) - share) * wp.dot(along, pull)
            effective_inertia = effective_inertia - wp.dot(twist, wp.inverse(both) * twist)
        return effective_inertia

    @wp.func
    def solve_dense(matrix: wp.array(dtype=scalar), first: int, n: int, x: wp.array(dtype=scalar), at: int):
        """Solve a symmetric positive definite system in place (Cholesky).

        The matrix has its rows from `first` on, the right side its entries from `at` on.
        """
        for i in range(n):
            for j in range(i + 1):
                s = matrix[first + i * n + j]
                for k in range(j):
                    s -= matrix[first + i * n + k] * matrix[first + j * n + k]
                if i == j:
                    matrix[first + i * n + i] = wp.sqrt(s)
                else:
                    matrix[first + i * n + j] = s / matrix[first + j * n + j]
        for i in range(n):
            s = x[at + i]
            for k in range(i):
                s -= matrix[first + i * n + k] * x[at + k]
            x[at + i] = s / matrix[first + i * n + i]
        for r in range(n):
            i = n - 1 - r
            s = x[at + i]
            for k in range(i + 1, n):
                s -= matrix[first + k * n + i] * x[at + k]
            x[at + i] = s / matrix[first + i * n + i]

    return SimpleNamespace(
        lower_factor=lower_factor,
        inverse=inverse,
        inverse_of_rows=inverse_of_rows,
        own_mobility=own_mobility,
        mobility_of_rows=mobility_of_rows,
        inertia_of_row=inertia_of_row,
        inertia_of_free_row=inertia_of_free_row,
        solve_dense=solve_dense,
    )
