# SPDX-FileCopyrightText: The inertia_tools authors
# SPDX-License-Identifier: Apache-2.0
"""The step of large islands: a kernel of its own, which the lanes of an island run through together.

Worlds are begun by the step of the others, which passes large islands over (`coloured`). What is done to a body or a
contact is the same here and there.
"""

from functools import lru_cache
from typing import Any

import warp as wp

from inertia_tools.sim.collide.collision_types import collision_types
from inertia_tools.sim.device.precision import Precision
from inertia_tools.sim.xpbd.body_state import state_functions
from inertia_tools.sim.xpbd.coloured_solve import coloured_functions
from inertia_tools.sim.xpbd.colouring import colouring_functions
from inertia_tools.sim.xpbd.contact_rows import row_functions
from inertia_tools.sim.xpbd.impacts import impact_functions
from inertia_tools.sim.xpbd.island_types import island_types
from inertia_tools.sim.xpbd.kinematic_motion import kinematic_functions
from inertia_tools.sim.xpbd.lanes import wait_for_all
from inertia_tools.sim.xpbd.step import scene_type
from inertia_tools.sim.xpbd.substep import free_functions


@lru_cache(maxsize=4)
def large_kernel(p: Precision, bounces: bool) -> Any:
    """Return the kernel of one precision.

    A launch has the worlds `first` to `end`; their large islands are stepped one after the other by all lanes of the
    launch on a CPU, of which this is `lane`, and each by a block of so many on a GPU, where `lane` is -1.
    """
    scalar, vec6 = p.scalar, p.vec6
    Bodies, Shapes, Options = p.references("Bodies", "Shapes", "Options")
    Contacts, Rows, State, Work = p.references("Contacts", "Rows", "State", "Work")
    collision, island, Scene = collision_types(p), island_types(p), scene_type(p)
    Anchored, Colliders, Islands = (wp.ref[t] for t in (collision.Anchored, collision.Colliders, island.Islands))
    leave, free = state_functions(p).leave, free_functions(p)
    take_force, move_freely, advance_body = free.take_force, free.move_freely, kinematic_functions(p).advance_body
    open_row, keep_row = row_functions(p).open_row, row_functions(p).keep_row
    colour_island, solve_island = colouring_functions(p).colour_island, coloured_functions(p).solve_island
    has_bounces, bounce = wp.constant(bounces), impact_functions(p).bounce

    @wp.func
    def begin_substep(
        bodies: Bodies,
        shapes: Shapes,
        contacts: Contacts,
        rows: Rows,
        anchored: Anchored,
        colliders: Colliders,
        state: State,
        islands: Islands,
        work: Work,
        options: Options,
        flags: wp.array(dtype=wp.int64),
        n: int,
        h: scalar,
        first: int,
        per_force: scalar,
        lane: int,
        lanes: int,
    ):
        """Move the bodies freely, and measure the contacts there."""
        if lane == 0:
            for i in range(islands.first_driven[n], islands.end_driven[n]):
                advance_body(work, islands.driven[i], h)
        decay = wp.exp(-options.angular_damping * h)
        for i in range(islands.first_body[n] + lane, islands.end_body[n], lanes):
            take_force(work, state, islands.body[i], first)
            move_freely(bodies, work, islands.body[i], h, decay, True)
        wait_for_all(flags, lane, lanes)
        for i in range(islands.first_row[n] + lane, islands.end_row[n], lanes):
            open_row(bodies, shapes, contacts, rows, anchored, colliders, work, islands.row[i], h, h)
        if has_bounces:
            wait_for_all(flags, lane, lanes)
            if lane == 0:
                bounce(bodies, shapes, contacts, rows, anchored, colliders, islands, work, n, h, per_force * h)
            wait_for_all(flags, lane, lanes)

    @wp.func
    def step_large(
        bodies: Bodies,
        shapes: Shapes,
        contacts: Contacts,
        rows: Rows,
        anchored: Anchored,
        colliders: Colliders,
        work: Work,
        islands: Islands,
        options: Options,
        state_in: State,
        state_out: State,
        flags: wp.array(dtype=wp.int64),
        h: scalar,
        n: int,
        lane: int,
        lanes: int,
    ):
        """Make all substeps of a large island."""
        per_force = scalar(1.0) / (h * h * scalar(options.substeps))
        if lane == 0:
            colour_island(bodies, rows, islands, work, n)
            islands.sweeps[n] = int(0)
        for substep in range(options.substeps):
            begins = int(0)
            if substep == 0:
                begins = int(1)
            begin_substep(
                bodies, shapes, contacts, rows, anchored, colliders, state_in, islands, work, options, flags, n, h,
                begins, per_force, lane, lanes,
            )  # fmt: skip
            solve_island(bodies, contacts, rows, islands, work, flags, n, h, lane, lanes)
            wait_for_all(flags, lane, lanes)
            for i in range(islands.first_row[n] + lane, islands.end_row[n], lanes):
                keep_row(bodies, contacts, rows, work, islands.row[i], h, per_force)
                contacts.rubbed[rows.slot[islands.row[i]]] = rows.rubbed[islands.row[i]]
            wait_for_all(flags, lane, lanes)
        for i in range(islands.first_body[n] + lane, islands.end_body[n], lanes):
            leave(bodies, state_out, work, islands.body[i], h, state_in)
            if options.reactions == 1:
                state_out.parent_f[islands.body[i]] = vec6()

    @wp.kernel(module="unique")
    def step_large_islands(
        scene: wp.array(dtype=Scene), flags: wp.array(dtype=wp.int64), first: int, end: int, lane: int, lanes: int
    ):
        clusters = scene[0].clusters[0].count
        own_lane = lane
        begin, last = first * clusters, end * clusters
        if lane < 0:  # a block has one place for an island
            own_lane = wp.tid() % lanes
            begin = begin + wp.tid() // lanes
            last = begin + 1
        for n in range(begin, last):
            world = n // clusters
            if n - world * clusters < scene[0].islands[0].count[world]:
                if scene[0].islands[0].is_coloured[n] == 1:
                    step_large(
                        scene[0].bodies[0],
                        scene[0].shapes[0],
                        scene[0].contacts[0],
                        scene[0].rows[0],
                        scene[0].anchored[0],
                        scene[0].colliders[0],
                        scene[0].work[0],
                        scene[0].islands[0],
                        scene[0].options[0],
                        scene[0].state_in[0],
                        scene[0].state_out[0],
                        flags,
                        scene[0].h,
                        n,
                        own_lane,
                        lanes,
                    )

    return step_large_islands
