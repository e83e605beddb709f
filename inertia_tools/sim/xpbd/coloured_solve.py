# SPDX-FileCopyrightText: The inertia_tools authors
# SPDX-License-Identifier: Apache-2.0
"""Contacts of a large island, swept colour by colour, and made to converge by conjugate gradients.

A sweep begins with the impulses of the last substep, so that what rests is at rest from the first one on. Each row
gets the normal impulse that closes its gap, and the friction that takes back its slip as far as Coulomb's law grants;
what a sweep changes is the gradient of a nonlinear conjugate gradient method (Fletcher and Reeves; Silcowitz, Niebuhr
and Erleben, "A nonsmooth nonlinear conjugate gradient method for interactive contact force problems", 2010), which
goes on along the last direction before the next sweep. A sweep is always the last, so no contact pulls, and friction
is within its disc.

Sweeps change displacements that are kept beside the bodies; at the end each body is pushed once, by the sum of the
impulses of its contacts, which its neighbours feel alike. All lanes of an island do this together (`lanes`), and in
such an order that the result does not depend on how many there are.
"""

from functools import lru_cache
from types import SimpleNamespace
from typing import Any

import warp as wp

from inertia_tools.sim.device.precision import Precision, precision
from inertia_tools.sim.xpbd.colouring import MOST_COLOURS, colouring_functions
from inertia_tools.sim.xpbd.contact_bracing import OWN_WEIGHT
from inertia_tools.sim.xpbd.contact_rows import row_functions
from inertia_tools.sim.xpbd.island_types import CHUNKS, island_types
from inertia_tools.sim.xpbd.lanes import wait_for_all
from inertia_tools.sim.xpbd.motion import motion_functions
from inertia_tools.sim.xpbd.rounding import rounding_functions

MOST_SWEEPS = 40
"""Sweeps of a substep at most."""

SOFTNESS = 0.01
"""What a contact gives under the impulse that it bears, over what its bodies give to that.

Bending of a column, and other things that hardly anything resists, take hundreds of sweeps without it. A body of a heap
sinks in by some 1e-7 m for each that lies on it, and is carried with its whole weight; it does not creep.
"""


SETTLED = {"float32": 1e-4, "float64": 1e-6}
"""Displacement that a sweep may change a contact by where no other is needed, over the fall in a substep."""


@lru_cache(maxsize=2)
def coloured_functions(p: Precision) -> Any:
    """Return the device functions of one precision."""
    scalar, vec3, vec6, wide_vec3 = p.scalar, p.vec3, p.vec6, precision("float64").vec3
    Bodies, Contacts, Rows, Work = p.references("Bodies", "Contacts", "Rows", "Work")
    Islands = wp.ref[island_types(p).Islands]
    motion, row, colouring = motion_functions(p), row_functions(p), colouring_functions(p)
    stays, push_exactly = motion.stays, motion.push_exactly
    slipped, across = row.slipped, row.across
    exact, rounded = rounding_functions(p).exact, rounding_functions(p).rounded
    first_run_of, first_row_of = colouring.first_run_of, colouring.first_row_of
    most_sweeps, chunks, last_colour = wp.constant(MOST_SWEEPS), wp.constant(CHUNKS), wp.constant(MOST_COLOURS)
    settled, own_weight = wp.constant(scalar(SETTLED[p.name])), wp.constant(scalar(OWN_WEIGHT))
    least = wp.constant(scalar(1.0e-30))
    softness = wp.constant(scalar(SOFTNESS))
    firmness = wp.constant(scalar(1.0 / (1.0 + SOFTNESS)))

    @wp.func
    def largest_give(bodies: Bodies, rows: Rows, work: Work, k: int) -> scalar:
        """Return the greatest displacement across the normal for a unit impulse [1/kg], whatever its direction."""
        n = rows.normal[k]
        t = across(n)
        s = wp.cross(n, t)
        tt, ss, ts = scalar(0.0), scalar(0.0), scalar(0.0)
        for side in range(2):
            b = rows.body_a[k]
            arm = rows.arm_a[k]
            if side == 1:
                b = rows.body_b[k]
                arm = rows.arm_b[k]
            if not stays(bodies, b):
                about_t, about_s = wp.cross(arm, t), wp.cross(arm, s)
                turned = work.inv_tensor[b] * about_t
                tt += bodies.inv_mass[b] + wp.dot(about_t, turned)
                ts += wp.dot(about_s, turned)
                ss += bodies.inv_mass[b] + wp.dot(about_s, work.inv_tensor[b] * about_s)
        half = scalar(0.5) * (tt - ss)
        return scalar(0.5) * (tt + ss) + wp.sqrt(half * half + ts * ts)

    @wp.func
    def open_coloured(bodies: Bodies, contacts: Contacts, rows: Rows, work: Work, k: int):
        """Begin a row, which is measured, with the impulses of the last substep."""
        slot = rows.slot[k]
        n = rows.normal[k]
        pressed = contacts.load[slot]
        rubbed = contacts.rubbed[slot]
        rubbed = rubbed - wp.dot(rubbed, n) * n
        rows.pressed[k] = pressed
        rows.rubbed[k] = rubbed * wp.min(scalar(1.0), rows.mu[k] * pressed / (wp.length(rubbed) + least))
        rows.sideways[k] = largest_give(bodies, rows, work, k)
        rows.lacks[k] = slipped(contacts, rows, k, wide_vec3())
        rows.direction[k] = vec3()
        rows.change[k] = vec3()

    @wp.func
    def moved_at(move: vec6, arm: vec3) -> vec3:
        """Return how far a body is displaced at an arm; what stays has no displacement."""
        return vec3(move[0], move[1], move[2]) + wp.cross(vec3(move[3], move[4], move[5]), arm)

    @wp.func
    def displaced(bodies: Bodies, work: Work, b: int, move: vec6, arm: vec3, impulse: vec3) -> vec6:
        """Return the displacement of a body, an impulse at an arm added."""
        way = bodies.inv_mass[b] * impulse
        angle = work.inv_tensor[b] * wp.cross(arm, impulse)
        return move + vec6(way[0], way[1], way[2], angle[0], angle[1], angle[2])

    @wp.func
    def load_run(bodies: Bodies, rows: Rows, islands: Islands, work: Work, first: int, end: int):
        """Displace two bodies by the impulses that their rows begin with."""
        a, b = rows.body_a[islands.coloured[first]], rows.body_b[islands.coloured[first]]
        for i in range(first, end):
            k = islands.coloured[i]
            impulse = rows.pressed[k] * rows.normal[k] + rows.rubbed[k]
            if not stays(bodies, a):
                work.move[a] = displaced(bodies, work, a, work.move[a], rows.arm_a[k], impulse)
            if not stays(bodies, b):
                work.move[b] = displaced(bodies, work, b, work.move[b], rows.arm_b[k], -impulse)

    @wp.func
    def draw_run(bodies: Bodies, rows: Rows, islands: Islands, work: Work, first: int, end: int):
        """Add the impulses of rows up for their two bodies, alike."""
        a, b = rows.body_a[islands.coloured[first]], rows.body_b[islands.coloured[first]]
        for i in range(first, end):
            k = islands.coloured[i]
            impulse = exact(rows.pressed[k] * rows.normal[k] + rows.rubbed[k])
            if not stays(bodies, a):
                work.drawn[a] = work.drawn[a] + impulse
                work.drawn_twist[a] = work.drawn_twist[a] + wp.cross(exact(rows.arm_a[k]), impulse)
            if not stays(bodies, b):
                work.drawn[b] = work.drawn[b] - impulse
                work.drawn_twist[b] = work.drawn_twist[b] - wp.cross(exact(rows.arm_b[k]), impulse)

    @wp.func
    def sweep_run(
        bodies: Bodies, rows: Rows, islands: Islands, work: Work, run: int, first: int, end: int, further: scalar
    ):
        """Resolve the rows between two bodies, one after the other, having gone on along the last direction.

        Note the square of the change, weighted by what rows give, and the greatest displacement that it made.
        """
        a, b = rows.body_a[islands.coloured[first]], rows.body_b[islands.coloured[first]]
        a_moves, b_moves = not stays(bodies, a), not stays(bodies, b)
        move_a, move_b = vec6(), vec6()
        if a_moves:
            move_a = work.move[a]
        if b_moves:
            move_b = work.move[b]
        changed, farthest = scalar(0.0), scalar(0.0)
        for i in range(first, end):
            k = islands.coloured[i]
            n, arm_a, arm_b = rows.normal[k], rows.arm_a[k], rows.arm_b[k]
            direction = rows.direction[k]
            goes_on = further * direction
            rows.direction[k] = goes_on + rows.change[k]
            along = wp.dot(goes_on, n)
            pressed = rows.pressed[k] + along
            rubbed = rows.rubbed[k] + (goes_on - along * n)
            way = moved_at(move_a, arm_a) - moved_at(move_b, arm_b)
            lacks = (scalar(rows.to_goal[k]) - wp.dot(n, way)) / rows.give[k] - softness * pressed
            more = wp.max(pressed + firmness * lacks, scalar(0.0)) - pressed
            if a_moves:
                move_a = displaced(bodies, work, a, move_a, arm_a, more * n)
            if b_moves:
                move_b = displaced(bodies, work, b, move_b, arm_b, -more * n)
            way = moved_at(move_a, arm_a) - moved_at(move_b, arm_b)
            slip = rounded(rows.lacks[k]) + way - wp.dot(way, n) * n
            held = rubbed - firmness * (slip / rows.sideways[k] + softness * rubbed)
            most = rows.mu[k] * (pressed + more)
            asked = wp.length(held)
            rows.slides[k] = int(0)
            if asked > most:
                held = (most / asked) * held
                rows.slides[k] = int(1)
            rub = held - rubbed
            if a_moves:
                move_a = displaced(bodies, work, a, move_a, arm_a, rub)
            if b_moves:
                move_b = displaced(bodies, work, b, move_b, arm_b, -rub)
            rows.pressed[k] = pressed + more
            rows.rubbed[k] = held
            rows.change[k] = more * n + rub
            changed += rows.give[k] * more * more + rows.sideways[k] * wp.dot(rub, rub)
            farthest = wp.max(farthest, wp.max(rows.give[k] * wp.abs(more), rows.sideways[k] * wp.length(rub)))
        if a_moves:
            work.move[a] = move_a
        if b_moves:
            work.move[b] = move_b
        islands.run_changed[run] = changed
        islands.run_farthest[run] = farthest

    @wp.func
    def begin_moves(bodies: Bodies, islands: Islands, work: Work, n: int, lane: int, lanes: int):
        for i in range(islands.first_body[n] + lane, islands.end_body[n], lanes):
            b = islands.body[i]
            work.move[b] = vec6()
            work.move_before[b] = vec6()
            work.move_direction[b] = vec6()
            work.drawn[b] = wide_vec3()
            work.drawn_twist[b] = wide_vec3()

    @wp.func
    def go_on(islands: Islands, work: Work, n: int, further: scalar, lane: int, lanes: int):
        """Go on along the last direction, and note the next one."""
        for i in range(islands.first_body[n] + lane, islands.end_body[n], lanes):
            b = islands.body[i]
            goes_on = further * work.move_direction[b]
            work.move_direction[b] = goes_on + (work.move[b] - work.move_before[b])
            work.move[b] = work.move[b] + goes_on
            work.move_before[b] = work.move[b]

    @wp.func
    def runs_of_lane(islands: Islands, n: int, colour: int, lane: int, lanes: int):
        """Return the first run of a colour that a lane has, their end, and the step from one to the next."""
        first, end = first_run_of(islands, n, colour), islands.colour_end[islands.first_row[n] + colour]
        if colour == last_colour:  # what may share bodies is for the first lane alone
            if lane > 0:
                return end, end, int(1)
            return first, end, int(1)
        return first + lane, end, lanes

    @wp.func
    def add_up(islands: Islands, n: int, lane: int, lanes: int):
        """Sum the changes of runs in chunks."""
        first = islands.first_row[n]
        end = islands.colour_end[first + islands.colour_count[n] - 1]
        for chunk in range(lane, chunks, lanes):
            changed, farthest = scalar(0.0), scalar(0.0)
            for run in range(first + chunk, end, chunks):
                changed += islands.run_changed[run]
                farthest = wp.max(farthest, islands.run_farthest[run])
            islands.changed[chunks * n + chunk] = changed
            islands.farthest[chunks * n + chunk] = farthest

    @wp.func
    def whole_change(islands: Islands, n: int):
        """Return the square of the change of all rows, and the greatest displacement that one made."""
        changed, farthest = scalar(0.0), scalar(0.0)
        for chunk in range(chunks):
            changed += islands.changed[chunks * n + chunk]
            farthest = wp.max(farthest, islands.farthest[chunks * n + chunk])
        return changed, farthest

    @wp.func
    def solve_island(
        bodies: Bodies,
        contacts: Contacts,
        rows: Rows,
        islands: Islands,
        work: Work,
        flags: wp.array(dtype=wp.int64),
        n: int,
        h: scalar,
        lane: int,
        lanes: int,
    ):
        """Find the impulses of all contacts of an island in this substep, and push its bodies by them."""
        begin_moves(bodies, islands, work, n, lane, lanes)
        for i in range(islands.first_row[n] + lane, islands.end_row[n], lanes):
            open_coloured(bodies, contacts, rows, work, islands.row[i])
        wait_for_all(flags, lane, lanes)
        for colour in range(islands.colour_count[n]):
            first, end, step = runs_of_lane(islands, n, colour, lane, lanes)
            for run in range(first, end, step):
                load_run(bodies, rows, islands, work, first_row_of(islands, n, run), islands.run_end[run])
            wait_for_all(flags, lane, lanes)
        enough = settled * own_weight * h * h
        further, before = scalar(0.0), scalar(0.0)
        farthest = enough
        sweep = int(0)
        while sweep < most_sweeps and farthest >= enough:
            go_on(islands, work, n, further, lane, lanes)
            wait_for_all(flags, lane, lanes)
            for colour in range(islands.colour_count[n]):
                first, end, step = runs_of_lane(islands, n, colour, lane, lanes)
                for run in range(first, end, step):
                    begin = first_row_of(islands, n, run)
                    sweep_run(bodies, rows, islands, work, run, begin, islands.run_end[run], further)
                wait_for_all(flags, lane, lanes)
            add_up(islands, n, lane, lanes)
            wait_for_all(flags, lane, lanes)
            changed, farthest = whole_change(islands, n)
            further = scalar(0.0)
            if changed < before:
                further = changed / before
            before = changed
            sweep += 1
        if lane == 0:
            islands.sweeps[n] = islands.sweeps[n] + sweep
        for colour in range(islands.colour_count[n]):
            first, end, step = runs_of_lane(islands, n, colour, lane, lanes)
            for run in range(first, end, step):
                draw_run(bodies, rows, islands, work, first_row_of(islands, n, run), islands.run_end[run])
            wait_for_all(flags, lane, lanes)
        for i in range(islands.first_body[n] + lane, islands.end_body[n], lanes):
            b = islands.body[i]
            push_exactly(bodies, work, b, work.drawn[b], work.drawn_twist[b], h)

    return SimpleNamespace(solve_island=solve_island)
