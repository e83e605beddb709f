# SPDX-FileCopyrightText: The inertia_tools authors
# SPDX-License-Identifier: Apache-2.0
"""Joints of all trees of bodies at once, by a direct solve whose cost grows with the number of bodies.

Each joint holds up to six rows J_c d_c + J_p d_p = -C, some with a compliance. Minimising the kinetic metric of the
displacements d under these rows is a linear system with the tree's own sparsity. Going from the leaves to the roots,
each child is eliminated into its parent, which gains the mass matrix J_p^T S J_p with
S = (J_c M_c^-1 J_c^T + alpha)^-1; going back, multipliers and displacements follow (Baraff 1996; the recursion is that
of articulated-body inertia, Featherstone 1983). Directions are frozen at the start of the substep, which keeps energy
as SHAKE does (Ryckaert, Ciccotti and Berendsen 1977).

Rows that close loops, and couplings of two degrees of freedom, are solved on top: each row L of them is answered by the
trees with T L^T, so their multipliers solve (L T L^T + alpha) x = -(C + L d), a dense system for each island.
"""

from functools import lru_cache
from types import SimpleNamespace
from typing import Any

import warp as wp

from inertia_tools.sim.precision import Precision
from inertia_tools.sim.xpbd.joints import FREE_BODY, GIVES, ROWS, joint_functions
from inertia_tools.sim.xpbd.linear_algebra import algebra_functions
from inertia_tools.sim.xpbd.motion import motion_functions

GIVE = {"float32": 1e-5, "float64": 1e-9}
"""Ratio of the mobility that a row of a loop would have with its bodies free, by which it gives in a pass.

Rows of loops may depend on each other (a planar linkage in space), and the system must stay definite. What is left is
taken back in the next pass.
"""


@lru_cache(maxsize=2)
def tree_functions(p: Precision) -> Any:
    """Return the device functions of one precision."""
    scalar, vec3, vec6 = p.scalar, p.vec3, p.vec6
    Bodies, Joints, Loops = p.Bodies, p.Joints, p.Loops
    Work, JointWork, DofWork, LoopWork = p.Work, p.JointWork, p.DofWork, p.LoopWork
    motion, algebra = motion_functions(p), algebra_functions(p)
    turned, add, stays = motion.turned, motion.add, motion.stays
    inverse, inverse_of_rows = algebra.inverse, algebra.inverse_of_rows
    own_mobility, solve_dense = algebra.own_mobility, algebra.solve_dense
    acts, note_wrench = joint_functions(p).acts, joint_functions(p).note_wrench
    free_body, rows, gives = wp.constant(FREE_BODY), wp.constant(ROWS), wp.constant(GIVES)
    give = wp.constant(scalar(GIVE[p.name]))

    @wp.func
    def is_held(bodies: Bodies, jw: JointWork, b: int) -> bool:
        """Tell whether some row of a joint holds a body to its parent in this pass."""
        if bodies.parent[b] == free_body:
            return False
        return (jw.mask[bodies.joint[b]] & rows) != int(0)

    @wp.func
    def eliminate(bodies: Bodies, work: Work, jw: JointWork, b: int):
        """Reduce a child, its own children already eliminated, into its parent."""
        if stays(bodies, b) or bodies.lone[b] == 1:
            return
        work.inv_mass_matrix[b] = inverse(work.mass_matrix[b])
        if not is_held(bodies, jw, b):
            return
        j = bodies.joint[b]
        jc = jw.jacobian_child[j]
        a = jc * work.inv_mass_matrix[b] * wp.transpose(jc)
        if (jw.mask[j] & gives) != int(0):
            compliance = jw.compliance[j]
            for i in range(6):
                a[i, i] = a[i, i] + compliance[i]
        s = inverse_of_rows(a, jw.mask[j])
        g = jw.error[j] + jc * (work.inv_mass_matrix[b] * work.load[b])
        work.response[b] = s
        work.error[b] = g
        parent = bodies.parent[b]
        if not stays(bodies, parent):
            jp = jw.jacobian_parent[j]
            work.mass_matrix[parent] = work.mass_matrix[parent] + wp.transpose(jp) * s * jp
            work.load[parent] = work.load[parent] - wp.transpose(jp) * (s * g)

    @wp.func
    def resolve(bodies: Bodies, work: Work, jw: JointWork, b: int):
        """Find the displacement of a body, its parent's being known."""
        if stays(bodies, b) or bodies.lone[b] == 1:
            return
        pull = work.load[b]
        if is_held(bodies, jw, b):
            j, parent = bodies.joint[b], bodies.parent[b]
            g = work.error[b]
            if not stays(bodies, parent):
                g = g + jw.jacobian_parent[j] * work.move[parent]
            step = scalar(-1.0) * (work.response[b] * g)
            jw.impulse[j] = jw.impulse[j] + step
            pull = pull + wp.transpose(jw.jacobian_child[j]) * step
        work.move[b] = work.inv_mass_matrix[b] * pull

    @wp.func
    def displace(bodies: Bodies, work: Work, b: int, h: scalar):
        """Move a body, and its momenta with it."""
        if stays(bodies, b) or bodies.lone[b] == 1:
            return
        move = work.move[b]
        lin = vec3(move[0], move[1], move[2])
        ang = vec3(move[3], move[4], move[5])
        add(work, b, lin)
        work.v[b] = work.v[b] + lin / h
        work.spin[b] = work.spin[b] + work.tensor[b] * (ang / h)
        work.r[b] = turned(work.r[b], ang)

    @wp.func
    def answer(bodies: Bodies, loops: Loops, work: Work, jw: JointWork, lw: LoopWork, group: int, keep: int):
        """Find how the trees of a group answer to the loads on their bodies, and keep the multipliers if asked."""
        first, count = loops.first_body[group], loops.body_count[group]
        for i in range(count):
            b = loops.body[first + count - 1 - i]
            parent = bodies.parent[b]
            if is_held(bodies, jw, b) and not stays(bodies, parent):
                j = bodies.joint[b]
                g = jw.jacobian_child[j] * (work.inv_mass_matrix[b] * lw.load[b])
                lw.load[parent] = lw.load[parent] - wp.transpose(jw.jacobian_parent[j]) * (work.response[b] * g)
        for i in range(count):
            b = loops.body[first + i]
            pull = lw.load[b]
            if is_held(bodies, jw, b):
                j = bodies.joint[b]
                parent = bodies.parent[b]
                g = jw.jacobian_child[j] * (work.inv_mass_matrix[b] * pull)
                if not stays(bodies, parent):
                    g = g + jw.jacobian_parent[j] * lw.move[parent]
                step = scalar(-1.0) * (work.response[b] * g)
                pull = pull + wp.transpose(jw.jacobian_child[j]) * step
                if keep == 1:
                    jw.impulse[j] = jw.impulse[j] + step
            lw.move[b] = work.inv_mass_matrix[b] * pull

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
            jc = jw.jacobian_child[j]
            lw.reads[slot] = scale * vec6(jc[i, 0], jc[i, 1], jc[i, 2], jc[i, 3], jc[i, 4], jc[i, 5])
        if not stays(bodies, parent):
            lw.body[slot + 1] = parent
            jp = jw.jacobian_parent[j]
            lw.reads[slot + 1] = scale * vec6(jp[i, 0], jp[i, 1], jp[i, 2], jp[i, 3], jp[i, 4], jp[i, 5])

    @wp.func
    def read_row(bodies: Bodies, joints: Joints, loops: Loops, jw: JointWork, dw: DofWork, lw: LoopWork, k: int):
        """Set up one row of a group."""
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
            lw.error[k] = dw.q[follower] - loops.offset[k] - ratio * dw.q[loops.leader_dof[k]]
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

    @wp.func
    def close_loops(
        bodies: Bodies,
        joints: Joints,
        loops: Loops,
        work: Work,
        jw: JointWork,
        dw: DofWork,
        lw: LoopWork,
        group: int,
    ):
        """Correct the displacements of a group of trees so that its loops close."""
        first, n, at = loops.first_row[group], loops.row_count[group], loops.first_entry[group]
        for i in range(n):
            read_row(bodies, joints, loops, jw, dw, lw, first + i)
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
            note_wrench(joints, work, jw, j, wp.transpose(jw.jacobian_child[j]) * given)
            given = vec6()
            given[loops.leader_index[k]] = -loops.ratio[k] * lw.impulse[k]
            j = loops.leader_joint[k]
            note_wrench(joints, work, jw, j, wp.transpose(jw.jacobian_child[j]) * given)

    return SimpleNamespace(
        eliminate=eliminate,
        resolve=resolve,
        displace=displace,
        close_loops=close_loops,
        sum_couplings=sum_couplings,
    )
