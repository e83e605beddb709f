# SPDX-FileCopyrightText: The inertia_tools authors
# SPDX-License-Identifier: Apache-2.0
"""Joints of all trees of bodies at once, by a direct solve whose cost grows with the number of bodies.

Each joint holds up to six rows J_c d_c + J_p d_p = -C, some with a compliance. Minimising the kinetic metric of the
displacements d under these rows is a linear system with the tree's own sparsity. Going from the leaves to the roots,
each child is reduced into its parent (Baraff 1996), as in the recursion of articulated bodies (Featherstone 1983): in
the joint's coordinates y = J_c d_c its mass matrix is M = J_c^-T M_c J_c^-1, and each row f that is free, or gives by a
compliance alpha, is eliminated from it, M <- M - M_f M_f^T / (M_ff + 1 / alpha), which leaves S. With z = J_p d_p the
multipliers are -(S (z + C) + l), where l is the load, reduced likewise; so the parent gains the mass matrix
J_p^T S J_p. Going back, the rows that were eliminated follow in turn. A body that nothing holds has six free rows.
Directions are frozen at the start of the substep, which keeps energy as SHAKE does (Ryckaert, Ciccotti and Berendsen
1977).

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
from inertia_tools.sim.xpbd.single_freedom import freedom_functions

GIVE = {"float32": 1e-5, "float64": 1e-9}
"""Ratio of the mobility that a row of a loop would have with its bodies free, by which it gives in a pass.

Rows of loops may depend on each other (a planar linkage in space), and the system must stay definite. What is left is
taken back in the next pass.
"""


@lru_cache(maxsize=2)
def tree_functions(p: Precision) -> Any:
    """Return the device functions of one precision."""
    scalar, vec3, vec6, mat66 = p.scalar, p.vec3, p.vec6, p.mat66
    Bodies, Joints, Loops = p.Bodies, p.Joints, p.Loops
    Work, JointWork, DofWork, LoopWork = p.Work, p.JointWork, p.DofWork, p.LoopWork
    motion, algebra = motion_functions(p), algebra_functions(p)
    turned, add, stays = motion.turned, motion.add, motion.stays
    own_mobility, solve_dense = algebra.own_mobility, algebra.solve_dense
    single = freedom_functions(p)
    open_row, eliminate_single, resolve_single = single.open_row, single.eliminate_single, single.resolve_single
    acts, note_wrench = joint_functions(p).acts, joint_functions(p).note_wrench
    free_body, rows, gives = wp.constant(FREE_BODY), wp.constant(ROWS), wp.constant(GIVES)
    give = wp.constant(scalar(GIVE[p.name]))

    @wp.func
    def held_rows(bodies: Bodies, jw: JointWork, b: int) -> int:
        """Return the mask of the joint that a body hangs on; none for a body that nothing holds in this pass."""
        if bodies.parent[b] == free_body:
            return int(0)
        held = jw.mask[bodies.joint[b]]
        if (held & rows) == int(0):
            return int(0)
        return held

    @wp.func
    def spring_of_row(jw: JointWork, j: int, row: int, held: int) -> scalar:
        """Return the stiffness of a row that is eliminated: zero for a free one, negative for one that is hard."""
        if (held & (int(1) << row)) == int(0):
            return scalar(0.0)
        if (held & gives) != int(0):
            if jw.compliance[j][row] > scalar(0.0):
                return scalar(1.0) / jw.compliance[j][row]
        return scalar(-1.0)

    @wp.func
    def eliminate_rows(work: Work, jw: JointWork, b: int, j: int, held: int, m: mat66) -> mat66:
        """Eliminate what is free or gives from a mass matrix in the joint's coordinates; keep how."""
        left = m
        column = mat66()
        pivot = vec6()
        for f in range(6):
            spring = spring_of_row(jw, j, f, held)
            if spring >= scalar(0.0):
                row = vec6(left[f, 0], left[f, 1], left[f, 2], left[f, 3], left[f, 4], left[f, 5])
                pivot[f] = row[f] + spring
                left = left - wp.outer(row, row / pivot[f])
                for k in range(6):
                    column[f, k] = row[k]
                    if spring == scalar(0.0):
                        left[f, k] = scalar(0.0)
                        left[k, f] = scalar(0.0)
        work.column[b] = column
        work.pivot[b] = pivot
        return left

    @wp.func
    def reduced(work: Work, b: int, load: vec6, held: int) -> vec6:
        """Return a load in the joint's coordinates, reduced as the mass matrix was; keep what it was at each row."""
        left = load
        stage = vec6()
        column, pivot = work.column[b], work.pivot[b]
        for f in range(6):
            if pivot[f] > scalar(0.0):
                stage[f] = left[f]
                share = left[f] / pivot[f]
                for k in range(6):
                    left[k] = left[k] - share * column[f, k]
                if (held & (int(1) << f)) == int(0):
                    left[f] = scalar(0.0)
        work.stage[b] = stage
        return left

    @wp.func
    def followed(work: Work, b: int, held: vec6) -> vec6:
        """Return the joint's coordinates when those that are held are known; the others follow in turn."""
        y = held
        stage, column, pivot = work.stage[b], work.column[b], work.pivot[b]
        for i in range(6):
            f = 5 - i
            if pivot[f] > scalar(0.0):
                lacks = stage[f]
                for k in range(6):
                    lacks = lacks - column[f, k] * y[k]
                y[f] = y[f] + lacks / pivot[f]
        return y

    @wp.func
    def eliminate(bodies: Bodies, work: Work, jw: JointWork, b: int):
        """Reduce a child, its own children already reduced, into its parent."""
        if stays(bodies, b) or bodies.lone[b] == 1:
            return
        if bodies.simple[b] == 1:
            work.open_row[b] = open_row(jw, bodies.joint[b])
            if work.open_row[b] < 7:
                eliminate_single(bodies, work, jw, b, work.open_row[b])
                return
        held = held_rows(bodies, jw, b)
        j = bodies.joint[b]
        if held == int(0):
            eliminate_rows(work, jw, b, j, held, work.mass_matrix[b])
            reduced(work, b, work.load[b], held)
            return
        back = jw.inverse_child[j]
        forth = wp.transpose(back)
        s = eliminate_rows(work, jw, b, j, held, forth * work.mass_matrix[b] * back)
        pull = reduced(work, b, forth * work.load[b], held) + s * jw.error[j]
        work.response[b] = s
        work.error[b] = pull
        parent = bodies.parent[b]
        if not stays(bodies, parent):
            up = wp.transpose(jw.jacobian_parent[j])
            work.mass_matrix[parent] = work.mass_matrix[parent] + up * s * jw.jacobian_parent[j]
            work.load[parent] = work.load[parent] - up * pull

    @wp.func
    def resolve(bodies: Bodies, work: Work, jw: JointWork, b: int):
        """Find the displacement of a body, its parent's being known."""
        if stays(bodies, b) or bodies.lone[b] == 1:
            return
        if bodies.simple[b] == 1 and work.open_row[b] < 7:
            resolve_single(bodies, work, jw, b, work.open_row[b])
            return
        if held_rows(bodies, jw, b) == int(0):
            work.move[b] = followed(work, b, vec6())
            return
        j, parent = bodies.joint[b], bodies.parent[b]
        above = vec6()
        if not stays(bodies, parent):
            above = jw.jacobian_parent[j] * work.move[parent]
        jw.impulse[j] = jw.impulse[j] - work.response[b] * above - work.error[b]
        work.move[b] = jw.inverse_child[j] * followed(work, b, -(above + jw.error[j]))

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
            held = held_rows(bodies, jw, b)
            load = lw.load[b]
            if held != int(0):
                load = wp.transpose(jw.inverse_child[bodies.joint[b]]) * load
            pull = reduced(work, b, load, held)
            work.error[b] = pull
            parent = bodies.parent[b]
            if held != int(0) and not stays(bodies, parent):
                lw.load[parent] = lw.load[parent] - wp.transpose(jw.jacobian_parent[bodies.joint[b]]) * pull
        for i in range(count):
            b = loops.body[first + i]
            j = bodies.joint[b]
            parent = bodies.parent[b]
            if held_rows(bodies, jw, b) == int(0):
                lw.move[b] = followed(work, b, vec6())
            else:
                above = vec6()
                if not stays(bodies, parent):
                    above = jw.jacobian_parent[j] * lw.move[parent]
                if keep == 1:
                    jw.impulse[j] = jw.impulse[j] - work.response[b] * above - work.error[b]
                lw.move[b] = jw.inverse_child[j] * followed(work, b, -above)

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
