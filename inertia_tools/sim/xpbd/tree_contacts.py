# SPDX-FileCopyrightText: The inertia_tools authors
# SPDX-License-Identifier: Apache-2.0
"""Contacts between bodies on joints, as of two robots, or of two links of one: springs that no tree holds.

With M what the trees of joints are solved with, all other contacts in it, and J what these rows read, displacements u
solve (M + J^T K J) u = f + J^T K c. That is found by conjugate gradients with M for a preconditioner: each step is a
solve of the trees, and as only the rows disturb M, three steps a row are enough (Hestenes and Stiefel 1952). All its
vectors are J^T of something, or M^-1 J^T of it, so they are kept by rows alone; what is found is an impulse a row,
which both sides feel alike however far the steps have come. The energy of the springs never rises from step to step.
"""

from functools import lru_cache
from types import SimpleNamespace
from typing import Any

import warp as wp

from inertia_tools.sim.device.precision import Precision, precision
from inertia_tools.sim.xpbd.contact_elimination import elimination_functions
from inertia_tools.sim.xpbd.island_types import island_types
from inertia_tools.sim.xpbd.motion import motion_functions
from inertia_tools.sim.xpbd.tree import tree_functions

SETTLED = {"float32": 1e-10, "float64": 1e-24}
"""Square of what is left to find, over that at the beginning, which ends the steps."""

SPARE_STEPS = 6
"""Steps over three a row that rounding may ask for."""

MOST_STEPS = 60
"""Steps at most."""


@lru_cache(maxsize=2)
def tree_contact_functions(p: Precision) -> Any:
    """Return the device functions of one precision."""
    vec6, wide_vec3 = p.vec6, precision("float64").vec3
    Bodies, Rows, Work, JointWork = p.references("Bodies", "Rows", "Work", "JointWork")
    Islands, stays = wp.ref[island_types(p).Islands], motion_functions(p).stays
    solve_trees, contact = tree_functions(p).solve_trees, elimination_functions(p)
    load_at, moved_at = contact.load_at, contact.move_at
    settled = wp.constant(wp.float64(SETTLED[p.name]))
    spare_steps, most_steps = wp.constant(SPARE_STEPS), wp.constant(MOST_STEPS)

    @wp.func
    def ties_trees(rows: Rows, k: int) -> bool:
        """Tell whether a row is one of these, and takes part in this pass."""
        return rows.ties_trees[k] == 1 and rows.direct[k] == 1 and rows.braced[k] == 1

    @wp.func
    def parted(rows: Rows, work: Work, k: int) -> wide_vec3:
        """Return how far the bodies of a row part by the displacements of the trees."""
        a, b = rows.body_a[k], rows.body_b[k]
        return moved_at(work.move[a], rows.arm_a[k]) - moved_at(work.move[b], rows.arm_b[k])

    @wp.func(inline=False)
    def answer(
        bodies: Bodies,
        rows: Rows,
        islands: Islands,
        work: Work,
        jw: JointWork,
        impulses: wp.array(dtype=wide_vec3),
        n: int,
    ):
        """Find the displacements, `Work.move`, for impulses at the rows; joints are where they should be."""
        for i in range(islands.first_body[n], islands.end_body[n]):
            work.load[islands.body[i]] = vec6()
        for i in range(islands.first_row[n], islands.end_row[n]):
            k = islands.row[i]
            if ties_trees(rows, k):
                load_at(work, rows.body_a[k], rows.arm_a[k], impulses[k])
                load_at(work, rows.body_b[k], rows.arm_b[k], -impulses[k])
        solve_trees(bodies, islands, work, jw, n, False)

    @wp.func
    def find_pulls(bodies: Bodies, rows: Rows, islands: Islands, work: Work, jw: JointWork, n: int):
        """Find the impulses of all rows, `Rows.pull`."""
        first, end = islands.first_row[n], islands.end_row[n]
        most = int(spare_steps)
        for i in range(first, end):
            k = islands.row[i]
            if ties_trees(rows, k):
                most += 3
                rows.rest[k] = rows.spring[k] * (rows.lacks[k] - parted(rows, work, k))
                rows.pull[k] = wide_vec3()
                rows.search[k] = wide_vec3()
                rows.parted[k] = wide_vec3()
        before, enough = wp.float64(0.0), wp.float64(0.0)
        for step in range(wp.min(most, most_steps)):
            answer(bodies, rows, islands, work, jw, rows.rest, n)
            size, ratio = wp.float64(0.0), wp.float64(0.0)
            for i in range(first, end):
                k = islands.row[i]
                if ties_trees(rows, k):
                    size += wp.dot(rows.rest[k], parted(rows, work, k))
            if step == 0:
                enough = settled * size
            else:
                ratio = size / before
            if size <= enough:
                return
            before = size
            against = wp.float64(0.0)
            for i in range(first, end):
                k = islands.row[i]
                if ties_trees(rows, k):
                    rows.search[k] = rows.rest[k] + ratio * rows.search[k]
                    rows.parted[k] = parted(rows, work, k) + ratio * rows.parted[k]
                    against += wp.dot(rows.parted[k], rows.search[k] + rows.spring[k] * rows.parted[k])
            far = size / against
            for i in range(first, end):
                k = islands.row[i]
                if ties_trees(rows, k):
                    rows.pull[k] = rows.pull[k] + far * rows.search[k]
                    rows.rest[k] = rows.rest[k] - far * (rows.search[k] + rows.spring[k] * rows.parted[k])

    @wp.func
    def tie_trees(bodies: Bodies, rows: Rows, islands: Islands, work: Work, jw: JointWork, n: int):
        """Correct what the trees of an island have been solved for by the contacts between them."""
        ties = bool(False)
        for i in range(islands.first_row[n], islands.end_row[n]):
            ties = ties or ties_trees(rows, islands.row[i])
        if not ties:
            return
        for i in range(islands.first_body[n], islands.end_body[n]):
            b = islands.body[i]
            work.untied_move[b] = work.move[b]
        for i in range(islands.first_joint[n], islands.end_joint[n]):
            j = islands.joint[i]
            jw.untied_impulse[j] = jw.impulse[j]
            jw.error[j] = vec6()
        find_pulls(bodies, rows, islands, work, jw, n)
        for i in range(islands.first_joint[n], islands.end_joint[n]):
            j = islands.joint[i]
            jw.impulse[j] = jw.untied_impulse[j]
        answer(bodies, rows, islands, work, jw, rows.pull, n)
        for i in range(islands.first_body[n], islands.end_body[n]):
            b = islands.body[i]
            if not stays(bodies, b) and bodies.lone[b] == 0:
                work.move[b] = work.move[b] + work.untied_move[b]

    return SimpleNamespace(tie_trees=tie_trees)
