# SPDX-FileCopyrightText: The inertia_tools authors
# SPDX-License-Identifier: Apache-2.0
"""Colours of the contacts of a large island: what has one colour shares no body that moves, and can be solved at once.

Rows that follow each other between the same two bodies make a run, which is solved as one. Runs are coloured one after
the other, each with the first colour that neither of its bodies has yet; the last colour takes what is left, and is
gone through in order. So colours depend on nothing but which rows there are.
"""

from enum import IntEnum
from functools import lru_cache
from types import SimpleNamespace
from typing import Any

import warp as wp

from inertia_tools.sim.device.precision import Precision
from inertia_tools.sim.xpbd.island_types import island_types
from inertia_tools.sim.xpbd.motion import motion_functions

MOST_COLOURS = 62
"""Colours whose runs share no body; they are bits of a number of 64. One more takes the rest."""


class Coloured(IntEnum):
    """Which islands of free bodies are coloured; see `large_islands`."""

    NONE = 0
    LARGE = 1
    ALL = 2


@lru_cache(maxsize=2)
def colouring_functions(p: Precision) -> Any:
    """Return the device functions of one precision."""
    Bodies, Rows, Work = p.references("Bodies", "Rows", "Work")
    Islands, stays = wp.ref[island_types(p).Islands], motion_functions(p).stays
    most_colours = wp.constant(MOST_COLOURS)

    @wp.func
    def colours_of(bodies: Bodies, work: Work, b: int) -> wp.int64:
        if stays(bodies, b):
            return wp.int64(0)
        return work.colours[b]

    @wp.func
    def add_colour(bodies: Bodies, work: Work, b: int, colour: wp.int64):
        if not stays(bodies, b):
            work.colours[b] = work.colours[b] | colour

    @wp.func
    def first_free(taken: wp.int64) -> int:
        """Return the first colour that is not taken, or the last one of all."""
        colour = int(0)
        while colour < most_colours and ((taken >> wp.int64(colour)) & wp.int64(1)) == wp.int64(1):
            colour += 1
        return colour

    @wp.func
    def is_same_run(rows: Rows, one: int, other: int) -> bool:
        return rows.body_a[one] == rows.body_a[other] and rows.body_b[one] == rows.body_b[other]

    @wp.func
    def colour_rows(bodies: Bodies, rows: Rows, islands: Islands, work: Work, n: int):
        """Colour the rows of an island, and count the runs of each colour in `colour_end`."""
        first, end = islands.first_row[n], islands.end_row[n]
        for i in range(islands.first_body[n], islands.end_body[n]):
            work.colours[islands.body[i]] = wp.int64(0)
        count = int(0)
        colour = int(0)
        for i in range(first, end):
            k = islands.row[i]
            begins = i == first
            if not begins:
                begins = not is_same_run(rows, islands.row[wp.max(i - 1, first)], k)
            if begins:
                a, b = rows.body_a[k], rows.body_b[k]
                colour = first_free(colours_of(bodies, work, a) | colours_of(bodies, work, b))
                bit = wp.int64(1) << wp.int64(colour)
                add_colour(bodies, work, a, bit)
                add_colour(bodies, work, b, bit)
                count = wp.max(count, colour + 1)
            rows.colour[k] = colour
        islands.colour_count[n] = count

    @wp.func
    def list_runs(rows: Rows, islands: Islands, n: int):
        """List the rows of an island by their colours, with the ends of runs, and of the runs of each colour."""
        first, end = islands.first_row[n], islands.end_row[n]
        row, run = int(first), int(first)
        for colour in range(islands.colour_count[n]):
            begun = run
            for i in range(first, end):
                k = islands.row[i]
                if rows.colour[k] == colour:
                    if run > begun and is_same_run(rows, islands.coloured[wp.max(row - 1, first)], k):
                        islands.run_end[run - 1] = row + 1
                    else:
                        islands.run_end[run] = row + 1
                        run += 1
                    islands.coloured[row] = k
                    row += 1
            islands.colour_end[first + colour] = run

    @wp.func
    def colour_island(bodies: Bodies, rows: Rows, islands: Islands, work: Work, n: int):
        """Colour an island in this step."""
        colour_rows(bodies, rows, islands, work, n)
        list_runs(rows, islands, n)

    @wp.func
    def first_run_of(islands: Islands, n: int, colour: int) -> int:
        if colour == 0:
            return islands.first_row[n]
        return islands.colour_end[islands.first_row[n] + colour - 1]

    @wp.func
    def first_row_of(islands: Islands, n: int, run: int) -> int:
        if run == islands.first_row[n]:
            return run
        return islands.run_end[run - 1]

    return SimpleNamespace(colour_island=colour_island, first_run_of=first_run_of, first_row_of=first_row_of)
