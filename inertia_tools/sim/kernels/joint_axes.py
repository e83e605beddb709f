# SPDX-FileCopyrightText: The inertia_tools authors
# SPDX-License-Identifier: Apache-2.0
"""Jacobian of a joint: its directions, constant in a substep, applied to displacements and impulses.

Rows 0 to 2 are the displacement of the joint's point on the child relative to the parent along three orthogonal axes,
rows 3 to 5 the relative rotation along three further directions. Both bodies use the same axes, and arms to one common
point, so that impulses conserve angular momentum. A joint stores the axes and two arms; 6 x 6 matrices are built on
demand. Displacements are about the centre of mass, (linear, angular), in world axes.
"""

from functools import lru_cache
from types import SimpleNamespace
from typing import Any

import warp as wp

from inertia_tools.sim.kernels.precision import Precision


@lru_cache(maxsize=2)
def axes_functions(p: Precision) -> Any:
    """Return the device functions of one precision."""
    scalar, vec3, vec6, mat33, mat66 = p.scalar, p.vec3, p.vec6, p.mat33, p.mat66
    (Joint,) = p.references("Joint")

    @wp.func
    def linear(v: vec6) -> vec3:
        return vec3(v[0], v[1], v[2])

    @wp.func
    def angular(v: vec6) -> vec3:
        return vec3(v[3], v[4], v[5])

    @wp.func
    def at_arm(v: vec6, arm: vec3) -> vec3:
        """Return the displacement, or velocity, of a body's point at an arm."""
        return linear(v) + wp.cross(angular(v), arm)

    @wp.func
    def joined(lin: vec3, ang: vec3) -> vec6:
        return vec6(lin[0], lin[1], lin[2], ang[0], ang[1], ang[2])

    @wp.func
    def replaced(v: vec6, row: int, value: scalar) -> vec6:
        """Return a vector with one entry replaced; branch-free, as a store would stall a following wide load."""
        return vec6(
            wp.where(row == 0, value, v[0]),
            wp.where(row == 1, value, v[1]),
            wp.where(row == 2, value, v[2]),
            wp.where(row == 3, value, v[3]),
            wp.where(row == 4, value, v[4]),
            wp.where(row == 5, value, v[5]),
        )

    @wp.func
    def masked(v: vec6, rows: int) -> vec6:
        """Return a vector with zero in all rows outside a bit mask."""
        none = scalar(0.0)
        return vec6(
            wp.where((rows & 1) != 0, v[0], none),
            wp.where((rows & 2) != 0, v[1], none),
            wp.where((rows & 4) != 0, v[2], none),
            wp.where((rows & 8) != 0, v[3], none),
            wp.where((rows & 16) != 0, v[4], none),
            wp.where((rows & 32) != 0, v[5], none),
        )

    @wp.func
    def columns(axes: mat33, v: vec3) -> vec3:
        """Return the transpose of a matrix times a vector."""
        return vec3(
            axes[0, 0] * v[0] + axes[1, 0] * v[1] + axes[2, 0] * v[2],
            axes[0, 1] * v[0] + axes[1, 1] * v[1] + axes[2, 1] * v[2],
            axes[0, 2] * v[0] + axes[1, 2] * v[1] + axes[2, 2] * v[2],
        )

    @wp.func
    def read(joint: Joint, arm: vec3, move: vec6) -> vec6:
        turn = angular(move)
        return joined(joint.axes * (linear(move) + wp.cross(turn, arm)), joint.turns * turn)

    @wp.func
    def read_child(joint: Joint, move: vec6) -> vec6:
        """Return J_c d: the rows of a joint for a displacement of its child."""
        return read(joint, joint.arm_child, move)

    @wp.func
    def read_parent(joint: Joint, move: vec6) -> vec6:
        """Return J_p d: the rows of a joint for a displacement of its parent."""
        return -read(joint, joint.arm_parent, move)

    @wp.func
    def between(joint: Joint, of_child: vec6, of_parent: vec6) -> vec6:
        """Return displacement and rotation of the child's joint point relative to the parent's, world axes."""
        turn, carried = angular(of_child), angular(of_parent)
        way = linear(of_child) + wp.cross(turn, joint.arm_child)
        return joined(way - linear(of_parent) - wp.cross(carried, joint.arm_parent), turn - carried)

    @wp.func
    def on_row(joint: Joint, row: int, apart: vec6) -> scalar:
        """Return one row of a joint for such a relative displacement."""
        if row < 3:
            axes = joint.axes
            return wp.dot(axes[row], linear(apart))
        turns = joint.turns
        return wp.dot(turns[row - 3], angular(apart))

    @wp.func
    def load(joint: Joint, arm: vec3, rows: vec6) -> vec6:
        force = columns(joint.axes, linear(rows))
        return joined(force, columns(joint.turns, angular(rows)) + wp.cross(arm, force))

    @wp.func
    def load_child(joint: Joint, rows: vec6) -> vec6:
        """Return J_c^T L: impulse and moment on the child, about its centre of mass, for impulses on the rows."""
        return load(joint, joint.arm_child, rows)

    @wp.func
    def load_parent(joint: Joint, rows: vec6) -> vec6:
        """Return J_p^T L: the same for the parent."""
        return -load(joint, joint.arm_parent, rows)

    @wp.func
    def jacobian(axes: mat33, turns: mat33, arm: vec3) -> mat66:
        across = axes * wp.skew(arm)
        m = mat66()
        for i in range(3):
            for k in range(3):
                m[i, k] = axes[i, k]
                m[i, k + 3] = -across[i, k]
                m[i + 3, k + 3] = turns[i, k]
        return m

    @wp.func
    def child_rows(joint: Joint) -> mat66:
        """Return the matrix J_c of `read_child`."""
        return jacobian(joint.axes, joint.turns, joint.arm_child)

    @wp.func
    def parent_rows(joint: Joint) -> mat66:
        """Return the matrix J_p of `read_parent`."""
        return scalar(-1.0) * jacobian(joint.axes, joint.turns, joint.arm_parent)

    return SimpleNamespace(
        linear=linear,
        angular=angular,
        at_arm=at_arm,
        joined=joined,
        replaced=replaced,
        masked=masked,
        columns=columns,
        read_child=read_child,
        read_parent=read_parent,
        between=between,
        on_row=on_row,
        load_child=load_child,
        load_parent=load_parent,
        child_rows=child_rows,
        parent_rows=parent_rows,
    )
