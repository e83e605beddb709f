# SPDX-FileCopyrightText: The inertia_tools authors
# SPDX-License-Identifier: Apache-2.0
"""Elimination of a body on a joint that leaves one row free, or none: the same solution at half the cost.

The displacement of the child is that of the parent, carried to the child's centre, less the errors of the held rows,
and q along the free direction s. With the mass matrix M of the child and of all that hangs on it, and its load f, q
follows from (s^T M s + 1/alpha) q = s^T (f - M y) - e/alpha, where y is the rest of the displacement, and e and alpha
are error and compliance of a row that gives, as that of a drive; the parent gains M - M s s^T M / (s^T M s + 1/alpha)
(Featherstone 1983).

What is left is a difference, so springs of contacts must not be too stiff here.
"""

from functools import lru_cache
from types import SimpleNamespace
from typing import Any

import warp as wp

from inertia_tools.sim.device.precision import Precision
from inertia_tools.sim.xpbd.joint_axes import axes_functions
from inertia_tools.sim.xpbd.joints import GIVES
from inertia_tools.sim.xpbd.motion import motion_functions


@lru_cache(maxsize=2)
def freedom_functions(p: Precision) -> Any:
    """Return the device functions of one precision."""
    scalar, vec3, vec6, mat33, mat66 = p.scalar, p.vec3, p.vec6, p.mat33, p.mat66
    Bodies, Work, JointWork = p.references("Bodies", "Work", "JointWork")
    axes = axes_functions(p)
    linear, angular, joined, move_child = axes.linear, axes.angular, axes.joined, axes.move_child
    replaced = axes.replaced
    stays, gives = motion_functions(p).stays, wp.constant(GIVES)

    @wp.func
    def open_row(jw: JointWork, j: int) -> int:
        """Return the one row of a joint that is free or gives; 6 for none, 7 for more than one."""
        row = int(6)
        mask, compliance = jw.mask[j], jw.compliance[j]
        for i in range(6):
            opens = (mask & (int(1) << i)) == int(0)
            if (mask & gives) != int(0):
                opens = opens or compliance[i] > scalar(0.0)
            if opens:
                row = wp.where(row == 6, i, int(7))
        return row

    @wp.func
    def from_parent(work: Work, b: int, parent: int, move: vec6) -> vec6:
        """Carry a displacement from a parent's centre to that of a child."""
        ang = vec3(move[3], move[4], move[5])
        lin = vec3(move[0], move[1], move[2]) + wp.cross(ang, work.x0[b] - work.x0[parent])
        return vec6(lin[0], lin[1], lin[2], ang[0], ang[1], ang[2])

    @wp.func
    def add_to_parent(work: Work, b: int, parent: int, m: mat66, load: vec6):
        """Add a mass matrix and a load, both about the child's centre, to those of the parent."""
        turn = wp.skew(work.x0[b] - work.x0[parent])
        top, corner, low = mat33(), mat33(), mat33()
        for r in range(3):
            for c in range(3):
                top[r, c] = m[r, c]
                corner[r, c] = m[r, c + 3]
                low[r, c] = m[r + 3, c + 3]
        lever = turn * top
        mixed = turn * corner
        corner = corner - top * turn
        low = low + mixed + wp.transpose(mixed) - lever * turn
        mine = work.mass_matrix[parent]
        for r in range(3):
            for c in range(3):
                mine[r, c] = mine[r, c] + top[r, c]
                mine[r, c + 3] = mine[r, c + 3] + corner[r, c]
                mine[c + 3, r] = mine[c + 3, r] + corner[r, c]
                mine[r + 3, c + 3] = mine[r + 3, c + 3] + low[r, c]
        work.mass_matrix[parent] = mine
        force = vec3(load[0], load[1], load[2])
        torque = vec3(load[3], load[4], load[5]) + turn * force
        work.load[parent] = work.load[parent] + vec6(force[0], force[1], force[2], torque[0], torque[1], torque[2])

    @wp.func
    def eliminate_single(bodies: Bodies, work: Work, jw: JointWork, b: int, row: int):
        """Reduce a child, its own children already eliminated, into its parent."""
        j, parent = bodies.joint[b], bodies.parent[b]
        held = jw.error[j]
        m, load = work.mass_matrix[b], work.load[b]
        spring, pull = scalar(0.0), scalar(0.0)
        if row < 6:
            if (jw.mask[j] & (int(1) << row)) != int(0):
                spring = scalar(1.0) / jw.compliance[j][row]
                pull = spring * held[row]
            held = replaced(held, row, scalar(0.0))
        rest = scalar(-1.0) * move_child(jw, j, held)
        work.rest[b] = rest
        reduced = load - m * rest
        if row < 6:
            s = move_child(jw, j, replaced(vec6(), row, scalar(1.0)))
            u = m * s
            inverse = scalar(1.0) / (wp.dot(s, u) + spring)
            q = inverse * (wp.dot(s, reduced) - pull)
            work.free_way[b] = s
            work.free_weight[b] = inverse * u
            work.free_goal[b] = q
            if not stays(bodies, parent):
                add_to_parent(work, b, parent, m - inverse * wp.outer(u, u), reduced - q * u)
        elif not stays(bodies, parent):
            add_to_parent(work, b, parent, m, reduced)

    @wp.func
    def resolve_single(bodies: Bodies, work: Work, jw: JointWork, b: int, row: int):
        """Find the displacement of a body and the multipliers of its joint, its parent's displacement being known."""
        j, parent = bodies.joint[b], bodies.parent[b]
        carried = vec6()
        if not stays(bodies, parent):
            carried = from_parent(work, b, parent, work.move[parent])
        move = carried + work.rest[b]
        if row < 6:
            q = work.free_goal[b] - wp.dot(work.free_weight[b], carried)
            move = move + q * work.free_way[b]
        work.move[b] = move
        wrench = work.mass_matrix[b] * move - work.load[b]
        force = linear(wrench)
        torque = angular(wrench) - wp.cross(jw.arm_child[j], force)
        jw.impulse[j] = jw.impulse[j] + joined(jw.axes[j] * force, jw.turns[j] * torque)

    return SimpleNamespace(open_row=open_row, eliminate_single=eliminate_single, resolve_single=resolve_single)
