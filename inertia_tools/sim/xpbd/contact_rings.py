# SPDX-FileCopyrightText: The inertia_tools authors
# SPDX-License-Identifier: Apache-2.0
"""In which order free bodies are eliminated where their contacts close rings, as in a wall.

Eliminating a body ties those together that it touched. The body with the fewest ties goes first (minimum degree), so
that few are added: a wall keeps about as many ties a body as it is bricks wide or high. Where a body would get more
than there is room for, the rings stay open, and contacts that close them are swept.
"""

from functools import lru_cache
from types import SimpleNamespace
from typing import Any

import warp as wp

from inertia_tools.sim.device.precision import Precision
from inertia_tools.sim.xpbd.island_types import island_types
from inertia_tools.sim.xpbd.motion import motion_functions

GONE = -1
"""Stands for the number of ties a body still has, once it is eliminated."""


@lru_cache(maxsize=2)
def ring_functions(p: Precision) -> Any:
    """Return the device functions of one precision."""
    Bodies, Rows, Work = p.references("Bodies", "Rows", "Work")
    Islands, stays = wp.ref[island_types(p).Islands], motion_functions(p).stays
    gone = wp.constant(GONE)

    @wp.func
    def link_of(bodies: Bodies, work: Work, b: int, above: int) -> int:
        """Return where the tie of a body to another one is, or -1."""
        first = b * bodies.links
        for i in range(first, first + work.link_count[b]):
            if work.above[i] == above:
                return i
        return int(-1)

    @wp.func
    def tie(bodies: Bodies, work: Work, b: int, above: int) -> bool:
        """Tie a free body to another one, unless it is; tell whether there was room."""
        if bodies.lone[b] == 0 or link_of(bodies, work, b, above) >= 0:
            return True
        count = work.link_count[b]
        if count == bodies.links:
            return False
        work.above[b * bodies.links + count] = above
        work.link_count[b] = count + 1
        return True

    @wp.func
    def untie(bodies: Bodies, work: Work, b: int, above: int):
        at = link_of(bodies, work, b, above)
        if at >= 0:
            last = b * bodies.links + work.link_count[b] - 1
            work.above[at] = work.above[last]
            work.link_count[b] = work.link_count[b] - 1

    @wp.func
    def tie_rows(bodies: Bodies, rows: Rows, islands: Islands, work: Work, n: int) -> bool:
        """Tie what rows lie between, within each tree of the forest; `work.root` has its root."""
        fits = bool(True)
        for i in range(islands.first_row[n], islands.end_row[n]):
            k = islands.row[i]
            a, b = rows.body_a[k], rows.body_b[k]
            if fits and not stays(bodies, a) and not stays(bodies, b):
                if work.root[a] == work.root[b]:
                    fits = tie(bodies, work, a, b) and tie(bodies, work, b, a)
        return fits

    @wp.func
    def fewest_ties(bodies: Bodies, islands: Islands, work: Work, n: int) -> int:
        """Return the free body of an island that has the fewest ties of those left; -1 for none."""
        best = int(-1)
        fewest = bodies.links + 1
        for i in range(islands.first_body[n], islands.end_body[n]):
            b = islands.body[i]
            if work.hanging[b] != gone and bodies.lone[b] == 1 and work.link_count[b] < fewest:
                best = b
                fewest = work.link_count[b]
        return best

    @wp.func
    def tie_neighbours(bodies: Bodies, work: Work, b: int) -> bool:
        """Tie all that a body was tied to with each other, as it is eliminated; tell whether there was room."""
        first = b * bodies.links
        end = first + work.link_count[b]
        for i in range(first, end):
            if bodies.lone[work.above[i]] == 1:
                untie(bodies, work, work.above[i], b)
        fits = bool(True)
        for i in range(first, end):
            for j in range(first, end):
                if i != j and fits:
                    fits = tie(bodies, work, work.above[i], work.above[j])
        return fits

    @wp.func
    def order_rings(bodies: Bodies, rows: Rows, islands: Islands, work: Work, n: int) -> bool:
        """List the free bodies of an island in the order of their elimination; tell whether there is room for it."""
        for i in range(islands.first_body[n], islands.end_body[n]):
            work.link_count[islands.body[i]] = int(0)
            work.hanging[islands.body[i]] = int(0)
        if not tie_rows(bodies, rows, islands, work, n):
            return False
        tail = islands.first_body[n]
        b = fewest_ties(bodies, islands, work, n)
        while b >= 0:
            work.hanging[b] = gone
            work.rank[b] = tail
            islands.leaf[tail] = b
            tail += 1
            if not tie_neighbours(bodies, work, b):
                return False
            b = fewest_ties(bodies, islands, work, n)
        islands.leaf_end[n] = tail
        for i in range(islands.first_row[n], islands.end_row[n]):
            k = islands.row[i]
            one, other = rows.body_a[k], rows.body_b[k]
            rows.ringed[k] = int(1)
            if not stays(bodies, one) and not stays(bodies, other) and work.root[one] == work.root[other]:
                if bodies.lone[one] == 1 or bodies.lone[other] == 1:
                    rows.planned[k] = int(1)
        return True

    return SimpleNamespace(link_of=link_of, order_rings=order_rings)
