# SPDX-FileCopyrightText: The inertia_tools authors
# SPDX-License-Identifier: Apache-2.0
"""Rows that the elimination tree does not hold: joints that close loops, and couplings of two degrees of freedom.

Their multipliers follow from a dense Schur complement, one column of which is the island's answer to a unit impulse on
a row. Rows of one group of loops are solved together; groups that only touch each other are made to agree by the
iterates of Newton's method.
"""

from functools import lru_cache
from types import SimpleNamespace
from typing import Any

import warp as wp

from inertia_tools.sim.device.precision import Precision, precision
from inertia_tools.sim.solve.factorisation import factor_functions
from inertia_tools.sim.xpbd.island_types import island_types
from inertia_tools.sim.xpbd.linear_algebra import algebra_functions
from inertia_tools.sim.xpbd.loops import GIVE, loop_functions
from inertia_tools.sim.xpbd.rounding import rounding_functions


@lru_cache(maxsize=2)
def closure_functions(p: Precision) -> Any:
    """Return the device functions of one precision."""
    scalar, vec6, wide_vec6 = p.scalar, p.vec6, precision("float64").vec6
    Bodies, Joints, Loops, System = p.references("Bodies", "Joints", "Loops", "System")
    Work, JointWork, LoopWork = p.references("Work", "JointWork", "LoopWork")
    Islands, loop = wp.ref[island_types(p).Islands], loop_functions(p)
    read_row, free_mobility, solve_dense = loop.read_row, loop.free_mobility, algebra_functions(p).solve_dense
    exact_six, answer_island = rounding_functions(p).exact_six, factor_functions(p).answer_island
    give = wp.constant(scalar(GIVE[p.name]))

    @wp.func
    def clear_loads(islands: Islands, system: System, n: int):
        for i in range(islands.first_body[n], islands.end_body[n]):
            system.node[islands.body[i]].load = wide_vec6()

    @wp.func
    def load_row(lw: LoopWork, system: System, k: int, impulse: scalar):
        """Put the impulse of a row onto its bodies."""
        for e in range(4):
            b = lw.body[4 * k + e]
            if b >= 0:
                system.node[b].load = system.node[b].load + wp.float64(impulse) * exact_six(lw.reads[4 * k + e])

    @wp.func
    def reading(lw: LoopWork, moves: wp.array(dtype=wide_vec6), k: int) -> scalar:
        """Return what a row reads of displacements."""
        total = wp.float64(0.0)
        for e in range(4):
            b = lw.body[4 * k + e]
            if b >= 0:
                total += wp.dot(exact_six(lw.reads[4 * k + e]), moves[b])
        return scalar(total)

    @wp.func(inline=False)
    def close_group(
        bodies: Bodies, joints: Joints, loops: Loops, islands: Islands, work: Work, jw: JointWork, lw: LoopWork, system: System, n: int, group: int, share: scalar,
    ):  # fmt: skip
        """Correct a Newton step, `System.step`, so that the loops of a group close; note the impulses that it takes.

        Couplings take away such a share of what they are off: all of it, or none where velocities are solved for.
        """
        first, rows, at = loops.first_row[group], loops.row_count[group], loops.first_entry[group]
        for i in range(rows):
            read_row(bodies, joints, loops, jw, lw, first + i, share)
        for i in range(islands.first_body[n], islands.end_body[n]):
            b = islands.body[i]
            system.base[b] = system.step[b]
        for i in range(rows):
            k = first + i
            if lw.held[k] == 1:
                clear_loads(islands, system, n)
                load_row(lw, system, k, scalar(1.0))
                answer_island(bodies, jw, islands, system, n)
            for m in range(rows):
                entry = scalar(0.0)
                if lw.held[k] == 1 and lw.held[first + m] == 1:
                    entry = reading(lw, system.step, first + m)
                lw.matrix[at + m * rows + i] = entry
            own = at + i * rows + i
            lw.matrix[own] = lw.matrix[own] + give * free_mobility(bodies, work, lw, k) + lw.compliance[k]
            if lw.held[k] == 0:
                lw.matrix[own] = scalar(1.0)
        for i in range(rows):
            k = first + i
            if lw.held[k] == 1:
                lw.error[k] = -(lw.error[k] + reading(lw, system.move, k) + reading(lw, system.base, k))
        solve_dense(lw.matrix, at, rows, lw.error, first)
        clear_loads(islands, system, n)
        for i in range(rows):
            k = first + i
            lw.step_impulse[k] = scalar(0.0)
            if lw.held[k] == 1:
                lw.step_impulse[k] = lw.error[k]
                load_row(lw, system, k, lw.error[k])
        answer_island(bodies, jw, islands, system, n)
        for i in range(islands.first_body[n], islands.end_body[n]):
            b = islands.body[i]
            system.step[b] = system.step[b] + system.base[b]

    @wp.func
    def close_island(
        bodies: Bodies, joints: Joints, loops: Loops, islands: Islands, work: Work, jw: JointWork, lw: LoopWork, system: System, n: int, share: scalar,
    ):  # fmt: skip
        """Correct a Newton step so that all loops of an island close."""
        for i in range(islands.first_group[n], islands.end_group[n]):
            close_group(bodies, joints, loops, islands, work, jw, lw, system, n, islands.group[i], share)

    @wp.func
    def take_impulses(loops: Loops, islands: Islands, jw: JointWork, lw: LoopWork, n: int, t: wp.float64):
        """Add such a part of the impulses of a step, on the rows and on the bodies."""
        for g in range(islands.first_group[n], islands.end_group[n]):
            group = islands.group[g]
            for k in range(loops.first_row[group], loops.first_row[group] + loops.row_count[group]):
                impulse = scalar(t) * lw.step_impulse[k]
                lw.impulse[k] = lw.impulse[k] + impulse
                if loops.row_dof[k] < 0:
                    j = loops.row_joint[k]
                    given = jw.joint[j].impulse
                    given[loops.row_index[k]] = given[loops.row_index[k]] + impulse
                    jw.joint[j].impulse = given
                for e in range(4):
                    b = lw.body[4 * k + e]
                    if b >= 0 and impulse != scalar(0.0):
                        lw.load[b] = lw.load[b] + impulse * lw.reads[4 * k + e]

    @wp.func
    def clear_impulses(islands: Islands, lw: LoopWork, n: int):
        """Begin an outer iterate: forget what loops have put on bodies."""
        for i in range(islands.first_body[n], islands.end_body[n]):
            lw.load[islands.body[i]] = vec6()

    return SimpleNamespace(close_island=close_island, take_impulses=take_impulses, clear_impulses=clear_impulses)
