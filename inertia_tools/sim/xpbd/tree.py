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
"""

from functools import lru_cache
from types import SimpleNamespace
from typing import Any

import warp as wp

from inertia_tools.sim.device.precision import Precision
from inertia_tools.sim.xpbd.island_types import island_types
from inertia_tools.sim.xpbd.joint_axes import axes_functions
from inertia_tools.sim.xpbd.joints import FREE_BODY, GIVES, ROWS
from inertia_tools.sim.xpbd.loop_counts import looped
from inertia_tools.sim.xpbd.motion import motion_functions
from inertia_tools.sim.xpbd.places import place
from inertia_tools.sim.xpbd.single_freedom import freedom_functions


@lru_cache(maxsize=2)
def tree_functions(p: Precision) -> Any:
    """Return the device functions of one precision."""
    scalar, vec3, vec6, mat66 = p.scalar, p.vec3, p.vec6, p.mat66
    Bodies, Work, JointWork = p.references("Bodies", "Work", "JointWork")
    Islands = wp.ref[island_types(p).Islands]
    motion = motion_functions(p)
    turn, add, stays, add_momenta = motion.turn, motion.add, motion.stays, motion.add_momenta
    single, axes = freedom_functions(p), axes_functions(p)
    parent_rows, child_moves, move_child = axes.parent_rows, axes.child_moves, axes.move_child
    load_parent, read_parent = axes.load_parent, axes.read_parent
    reduce_mass, reduce_load, resolve_single = single.reduce_mass, single.reduce_load, single.resolve_single
    free_body, rows, gives = wp.constant(FREE_BODY), wp.constant(ROWS), wp.constant(GIVES)

    @wp.func
    def begin_body(bodies: Bodies, work: Work, b: int):
        """Begin a solve with the mass of a body that may hang on a joint."""
        if stays(bodies, b) or bodies.lone[b] == 1:
            return
        own = mat66()
        tensor = work.tensor[b]
        for i in range(3):
            own[i, i] = bodies.mass[b]
            for j in range(3):
                own[i + 3, j + 3] = tensor[i, j]
        work.mass_matrix[b] = own

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
    def has_one_freedom(bodies: Bodies, jw: JointWork, b: int) -> bool:
        """Tell whether a body hangs on a joint with one row that is free or gives in this pass, or none."""
        if bodies.simple[b] == 0:
            return False
        return jw.open_row[place(bodies.joint[b])] < 7

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
        """Eliminate what is free or gives from a mass matrix in the joint's coordinates; keep how.

        A row M_f that gives leaves M_f / (1 + alpha M_ff): reckoned so, as the difference of M_f and what is eliminated
        rounding would leave nothing of a soft spring in a short substep.
        """
        left = m
        column = mat66()
        pivot, springs = vec6(), vec6()
        for f in range(looped(6)):
            spring = spring_of_row(jw, j, f, held)
            if spring >= scalar(0.0):
                row = vec6(left[f, 0], left[f, 1], left[f, 2], left[f, 3], left[f, 4], left[f, 5])
                pivot[f] = row[f] + spring
                springs[f] = spring
                left = left - wp.outer(row, row / pivot[f])
                for k in range(6):
                    column[f, k] = row[k]
                    left[f, k] = (spring / pivot[f]) * row[k]
                    left[k, f] = left[f, k]
        work.column[b] = column
        work.pivot[b] = pivot
        work.spring[b] = springs
        return left

    @wp.func
    def reduced(work: Work, b: int, load: vec6) -> vec6:
        """Return a load in the joint's coordinates, reduced as the mass matrix was; keep what it was at each row."""
        left = load
        stage = vec6()
        column, pivot, spring = work.column[b], work.pivot[b], work.spring[b]
        for f in range(looped(6)):
            if pivot[f] > scalar(0.0):
                stage[f] = left[f]
                share = left[f] / pivot[f]
                for k in range(6):
                    left[k] = left[k] - share * column[f, k]
                left[f] = share * spring[f]
        work.stage[b] = stage
        return left

    @wp.func
    def followed(work: Work, b: int, held: vec6) -> vec6:
        """Return the joint's coordinates when those that are held are known; the others follow in turn."""
        y = held
        stage, column, pivot, spring = work.stage[b], work.column[b], work.pivot[b], work.spring[b]
        for i in range(looped(6)):
            f = 5 - i
            if pivot[f] > scalar(0.0):
                lacks = stage[f] + spring[f] * y[f]
                y[f] = scalar(0.0)
                for k in range(6):
                    lacks = lacks - column[f, k] * y[k]
                y[f] = lacks / pivot[f]
        return y

    @wp.func(inline=False)
    def eliminate_any(bodies: Bodies, work: Work, jw: JointWork, b: int):
        """Reduce a child that has several freedoms, or hangs on nothing, into its parent; see `eliminate`."""
        held, j, parent = held_rows(bodies, jw, b), int(bodies.joint[b]), int(bodies.parent[b])
        mass, load, lacks = mat66(work.mass_matrix[b]), vec6(work.load[b]), vec6()
        if held != int(0):
            back = child_moves(jw, j)
            forth = wp.transpose(back)
            load, lacks = forth * load, vec6(jw.error[j])
            mass = forth * mass * back
        work.response[b] = eliminate_rows(work, jw, b, j, held, mass)
        pull = reduced(work, b, load)
        if held != int(0):
            pull = pull + work.response[b] * lacks
            work.error[b] = pull
            if not stays(bodies, parent):
                work.load[parent] = work.load[parent] - load_parent(jw, j, pull)
                down = parent_rows(jw, j)
                s = work.response[b]
                work.mass_matrix[parent] = work.mass_matrix[parent] + wp.transpose(down) * s * down

    @wp.func
    def eliminate(bodies: Bodies, work: Work, jw: JointWork, b: int):
        """Reduce a child, its own children already reduced, into its parent."""
        b = place(b)
        if has_one_freedom(bodies, jw, b):
            reduce_mass(bodies, work, jw, b, work.link[b])
            reduce_load(work, jw, b, work.link[b])
        elif not stays(bodies, b) and bodies.lone[b] == 0:
            eliminate_any(bodies, work, jw, b)

    @wp.func(inline=False)
    def resolve_any(bodies: Bodies, work: Work, jw: JointWork, b: int):
        """Find the displacement of a body that has several freedoms, or hangs on nothing; see `resolve`."""
        held, above, lacks = held_rows(bodies, jw, b), vec6(), vec6()
        if held != int(0):
            j, parent = bodies.joint[b], bodies.parent[b]
            if not stays(bodies, parent):
                above = read_parent(jw, j, work.move[parent])
            jw.impulse[j] = jw.impulse[j] - work.response[b] * above - work.error[b]
            lacks = -(above + jw.error[j])
        move = followed(work, b, lacks)
        if held != int(0):
            move = move_child(jw, bodies.joint[b], move)
        work.move[b] = move

    @wp.func
    def resolve(bodies: Bodies, work: Work, jw: JointWork, b: int):
        """Find the displacement of a body, its parent's being known."""
        b = place(b)
        if has_one_freedom(bodies, jw, b):
            resolve_single(work, jw, b, work.link[b])
        elif not stays(bodies, b) and bodies.lone[b] == 0:
            resolve_any(bodies, work, jw, b)

    @wp.func(inline=False)
    def solve_trees(bodies: Bodies, islands: Islands, work: Work, jw: JointWork, n: int):
        """Find the displacements of all bodies of an island, `Work.move`, for their loads, `Work.load`."""
        first, end = islands.first_body[n], islands.end_body[n]
        for i in range(first, end):
            eliminate(bodies, work, jw, islands.body[first + end - 1 - i])
        for i in range(first, end):
            resolve(bodies, work, jw, islands.body[i])

    @wp.func
    def displace(bodies: Bodies, work: Work, b: int, h: scalar):
        """Move a body, and its momenta with it."""
        b = place(b)
        move = work.move[b]
        if bodies.simple[b] == 0:
            if stays(bodies, b) or bodies.lone[b] == 1:
                return
        lin = vec3(move[0], move[1], move[2])
        ang = vec3(move[3], move[4], move[5])
        add(work, b, lin)
        add_momenta(work, b, lin / h, work.tensor[b] * (ang / h))
        turn(work, b, ang)

    return SimpleNamespace(
        begin_body=begin_body,
        held_rows=held_rows,
        reduced=reduced,
        followed=followed,
        solve_trees=solve_trees,
        displace=displace,
    )
