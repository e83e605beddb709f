# SPDX-FileCopyrightText: The inertia_tools authors
# SPDX-License-Identifier: Apache-2.0
"""Rows that no tree holds: joints that close loops, and couplings of two degrees of freedom.

They are solved on top of the trees: each row L of them is answered by the trees with T L^T, so their multipliers solve
(L T L^T + alpha) x = -(C + L d), a dense system for each island.
"""

from functools import lru_cache
from types import SimpleNamespace
from typing import Any

import warp as wp

from inertia_tools.sim.device.precision import Precision
from inertia_tools.sim.xpbd.joint_axes import axes_functions
from inertia_tools.sim.xpbd.joints import GIVES, joint_functions
from inertia_tools.sim.xpbd.linear_algebra import algebra_functions
from inertia_tools.sim.xpbd.motion import motion_functions
from inertia_tools.sim.xpbd.tree import tree_functions

GIVE = {"float32": 1e-5, "float64": 1e-9}
"""Ratio of the mobility that a row of a loop would have with its bodies free, by which it gives in a pass.

Rows of loops may depend on each other (a planar linkage in space), and the system must stay definite. What is left is
taken back in the next pass.
"""


@lru_cache(maxsize=2)
def loop_functions(p: Precision) -> Any:
    """Return the device functions of one precision."""
    scalar, vec6 = p.scalar, p.vec6
    Bodies, Joints, Loops = p.references("Bodies", "Joints", "Loops")
    Work, JointWork, DofWork, LoopWork = p.references("Work", "JointWork", "DofWork", "LoopWork")
    algebra, joint, tree, stays = algebra_functions(p), joint_functions(p), tree_functions(p), motion_functions(p).stays
    axes = axes_functions(p)
    child_rows, parent_rows, child_moves = axes.child_rows, axes.parent_rows, axes.child_moves
    load_child, load_parent = axes.load_child, axes.load_parent
    read_parent, move_child = axes.read_parent, axes.move_child
    own_mobility, solve_dense = algebra.own_mobility, algebra.solve_dense
    acts, note_wrench = joint.acts, joint.note_wrench
    held_rows, reduced, followed = tree.held_rows, tree.reduced, tree.followed
    gives, give = wp.constant(GIVES), wp.constant(scalar(GIVE[p.name]))

    @wp.func
    def answer(bodies: Bodies, loops: Loops, work: Work, jw: JointWork, lw: LoopWork, group: int, keep: int):
        """Find how the trees of a group answer to the loads on their bodies, and keep the multipliers if asked."""
        first, count = loops.first_body[group], loops.body_count[group]
        for i in range(count):
            b = loops.body[first + count - 1 - i]
            held = held_rows(bodies, jw, b)
            load = lw.load[b]
            if held != int(0):
                load = wp.transpose(child_moves(jw, bodies.joint[b])) * load
            pull = reduced(work, b, load)
            work.error[b] = pull
            parent = bodies.parent[b]
            if held != int(0) and not stays(bodies, parent):
                lw.load[parent] = lw.load[parent] - load_parent(jw, bodies.joint[b], pull)
        for i in range(count):
            b = loops.body[first + i]
            j = bodies.joint[b]
            parent = bodies.parent[b]
            if held_rows(bodies, jw, b) == int(0):
                lw.move[b] = followed(work, b, vec6())
            else:
                above = vec6()
                if not stays(bodies, parent):
                    above = read_parent(jw, j, lw.move[parent])
                if keep == 1:
                    jw.impulse[j] = jw.impulse[j] - work.response[b] * above - work.error[b]
                lw.move[b] = move_child(jw, j, followed(work, b, -above))

    @wp.func
    def read_joint(
        bodies: Bodies, joints: Joints, jw: JointWork, lw: LoopWork, slot: int, j: int, i: int, scale: scalar
    ):
        """Let two of the four bodies of a row be those of a joint, read by one of its rows."""
        child, parent = joints.child[j], joints.parent[j]
        lw.body[slot] = int(-1)
        lw.body[slot + 1] = int(-1)
        if not stays(bodies, child):
            lw.body[slot] = child
            jc = child_rows(jw, j)
            lw.reads[slot] = scale * vec6(jc[i, 0], jc[i, 1], jc[i, 2], jc[i, 3], jc[i, 4], jc[i, 5])
        if not stays(bodies, parent):
            lw.body[slot + 1] = parent
            jp = parent_rows(jw, j)
            lw.reads[slot + 1] = scale * vec6(jp[i, 0], jp[i, 1], jp[i, 2], jp[i, 3], jp[i, 4], jp[i, 5])

    @wp.func
    def read_row(
        bodies: Bodies,
        joints: Joints,
        loops: Loops,
        jw: JointWork,
        dw: DofWork,
        lw: LoopWork,
        k: int,
        share: scalar,
    ):
        """Set up one row of a group, with such a share of how far a coupling is off."""
        j, i = loops.row_joint[k], loops.row_index[k]
        lw.held[k] = int(0)
        lw.error[k] = scalar(0.0)
        lw.compliance[k] = scalar(0.0)
        lw.body[4 * k + 2] = int(-1)
        lw.body[4 * k + 3] = int(-1)
        follower = loops.row_dof[k]
        if follower < 0:
            if (jw.mask[j] & (int(1) << i)) != int(0):
                lw.held[k] = int(1)
                lw.error[k] = jw.error[j][i]
                if (jw.mask[j] & gives) != int(0):
                    lw.compliance[k] = jw.compliance[j][i]
                read_joint(bodies, joints, jw, lw, 4 * k, j, i, scalar(1.0))
        elif acts(bodies, joints, j) and acts(bodies, joints, loops.leader_joint[k]):
            ratio = loops.ratio[k]
            lw.held[k] = int(1)
            lw.error[k] = share * (dw.q[follower] - loops.offset[k] - ratio * dw.q[loops.leader_dof[k]])
            read_joint(bodies, joints, jw, lw, 4 * k, j, i, scalar(1.0))
            read_joint(bodies, joints, jw, lw, 4 * k + 2, loops.leader_joint[k], loops.leader_index[k], -ratio)

    @wp.func
    def clear_loads(loops: Loops, lw: LoopWork, group: int):
        for i in range(loops.body_count[group]):
            lw.load[loops.body[loops.first_body[group] + i]] = vec6()

    @wp.func
    def load_row(lw: LoopWork, k: int, impulse: scalar):
        """Put the impulse of a row onto its bodies."""
        for e in range(4):
            b = lw.body[4 * k + e]
            if b >= 0:
                lw.load[b] = lw.load[b] + impulse * lw.reads[4 * k + e]

    @wp.func
    def read_moves(lw: LoopWork, moves: wp.array(dtype=vec6), k: int) -> scalar:
        """Return what a row reads of displacements."""
        total = scalar(0.0)
        for e in range(4):
            b = lw.body[4 * k + e]
            if b >= 0:
                total += wp.dot(lw.reads[4 * k + e], moves[b])
        return total

    @wp.func
    def free_mobility(bodies: Bodies, work: Work, lw: LoopWork, k: int) -> scalar:
        """Return how a row would answer to an impulse on it if nothing held its bodies."""
        total = scalar(0.0)
        for e in range(4):
            b = lw.body[4 * k + e]
            if b >= 0:
                total += wp.dot(lw.reads[4 * k + e], own_mobility(bodies, b, work.r0[b]) * lw.reads[4 * k + e])
        return total

    @wp.func(inline=False)
    def close_loops(
        bodies: Bodies,
        joints: Joints,
        loops: Loops,
        work: Work,
        jw: JointWork,
        dw: DofWork,
        lw: LoopWork,
        group: int,
        share: scalar,
    ):
        """Correct the displacements of a group of trees so that its loops close.

        Couplings take away such a share of what they are off: all of it, or none where velocities are solved for.
        """
        first, n, at = loops.first_row[group], loops.row_count[group], loops.first_entry[group]
        for i in range(n):
            read_row(bodies, joints, loops, jw, dw, lw, first + i, share)
        for i in range(n):
            k = first + i
            if lw.held[k] == 1:
                clear_loads(loops, lw, group)
                load_row(lw, k, scalar(1.0))
                answer(bodies, loops, work, jw, lw, group, int(0))
            for m in range(n):
                entry = scalar(0.0)
                if lw.held[k] == 1 and lw.held[first + m] == 1:
                    entry = read_moves(lw, lw.move, first + m)
                lw.matrix[at + m * n + i] = entry
            own = at + i * n + i
            lw.matrix[own] = lw.matrix[own] + give * free_mobility(bodies, work, lw, k) + lw.compliance[k]
            if lw.held[k] == 0:
                lw.matrix[own] = scalar(1.0)
        for i in range(n):
            k = first + i
            if lw.held[k] == 1:
                lw.error[k] = -(lw.error[k] + read_moves(lw, work.move, k))
        solve_dense(lw.matrix, at, n, lw.error, first)
        clear_loads(loops, lw, group)
        for i in range(n):
            k = first + i
            if lw.held[k] == 1:
                impulse = lw.error[k]
                load_row(lw, k, impulse)
                lw.impulse[k] = lw.impulse[k] + impulse
                if loops.row_dof[k] < 0:
                    j = loops.row_joint[k]
                    given = jw.impulse[j]
                    given[loops.row_index[k]] = given[loops.row_index[k]] + impulse
                    jw.impulse[j] = given
        answer(bodies, loops, work, jw, lw, group, int(1))
        for i in range(loops.body_count[group]):
            b = loops.body[loops.first_body[group] + i]
            work.move[b] = work.move[b] + lw.move[b]

    @wp.func
    def sum_couplings(joints: Joints, loops: Loops, work: Work, jw: JointWork, lw: LoopWork, k: int):
        """End a substep: add what a coupling did through its two joints to the wrenches on their children."""
        follower = loops.row_dof[k]
        if follower >= 0 and lw.impulse[k] != scalar(0.0):
            given = vec6()
            given[loops.row_index[k]] = lw.impulse[k]
            j = loops.row_joint[k]
            note_wrench(joints, work, jw, j, load_child(jw, j, given))
            given = vec6()
            given[loops.leader_index[k]] = -loops.ratio[k] * lw.impulse[k]
            j = loops.leader_joint[k]
            note_wrench(joints, work, jw, j, load_child(jw, j, given))

    return SimpleNamespace(
        close_loops=close_loops, sum_couplings=sum_couplings, read_row=read_row, free_mobility=free_mobility
    )
