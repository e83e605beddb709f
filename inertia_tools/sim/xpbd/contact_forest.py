# SPDX-FileCopyrightText: The inertia_tools authors
# SPDX-License-Identifier: Apache-2.0
"""Who carries whom: free bodies that touch as a forest, which the direct solve eliminates from the leaves to the roots.

Each free body is carried by at most one other body that moves. Contacts that would close a ring are left out of the
forest; where they can be afforded, they tie further bodies (see `contact_rings`), else they are swept.
"""

from functools import lru_cache
from types import SimpleNamespace
from typing import Any

import warp as wp

from inertia_tools.sim.device.precision import Precision
from inertia_tools.sim.xpbd.contact_rings import ring_functions
from inertia_tools.sim.xpbd.island_types import island_types
from inertia_tools.sim.xpbd.motion import motion_functions

NO_RINGS, CLOSED_RINGS, OPEN_RINGS = 0, 1, 2
"""What contacts close: no ring; rings that are solved directly; rings that there is no room for."""


@lru_cache(maxsize=2)
def forest_functions(p: Precision) -> Any:
    """Return the device functions of one precision."""
    Bodies, Rows, Work = p.references("Bodies", "Rows", "Work")
    Islands, stays = wp.ref[island_types(p).Islands], motion_functions(p).stays
    order_rings = ring_functions(p).order_rings
    no_rings, closed_rings, open_rings = (wp.constant(i) for i in (NO_RINGS, CLOSED_RINGS, OPEN_RINGS))

    @wp.func
    def root_of(work: Work, b: int) -> int:
        at = b
        while work.carrier[at] >= 0:
            at = work.carrier[at]
        return at

    @wp.func
    def hang(work: Work, b: int, carrier: int):
        """Hang a tree of free bodies, by one of them, on another body; the way up to its root is turned about."""
        above = carrier
        at = b
        while at >= 0:
            then = work.carrier[at]
            work.carrier[at] = above
            above = at
            at = then

    @wp.func
    def join(bodies: Bodies, work: Work, a: int, b: int):
        """Let one of two bodies that touch carry the other, if they are of two trees and one of these is free."""
        root_a, root_b = root_of(work, a), root_of(work, b)
        if root_a != root_b:
            if bodies.lone[root_a] == 1:
                hang(work, a, b)
            elif bodies.lone[root_b] == 1:
                hang(work, b, a)

    @wp.func
    def list_leaves(bodies: Bodies, work: Work, islands: Islands, n: int):
        """List the free bodies of an island from the leaves to the roots."""
        first = islands.first_body[n]
        tail = first
        for i in range(first, islands.end_body[n]):
            b = islands.body[i]
            if bodies.lone[b] == 1 and work.hanging[b] == 0:
                islands.leaf[tail] = b
                work.rank[b] = tail
                tail += 1
        head = first
        while head < tail:
            above = work.carrier[islands.leaf[head]]
            head += 1
            if above >= 0:
                work.hanging[above] = work.hanging[above] - 1
                if bodies.lone[above] == 1 and work.hanging[above] == 0:
                    islands.leaf[tail] = above
                    work.rank[above] = tail
                    tail += 1
        islands.leaf_end[n] = tail

    @wp.func
    def grow(bodies: Bodies, rows: Rows, work: Work, islands: Islands, n: int):
        """Find who carries whom in an island."""
        for i in range(islands.first_body[n], islands.end_body[n]):
            work.carrier[islands.body[i]] = int(-1)
        for i in range(islands.first_row[n], islands.end_row[n]):
            one, other = rows.body_a[islands.row[i]], rows.body_b[islands.row[i]]
            if not stays(bodies, one) and not stays(bodies, other):
                join(bodies, work, one, other)

    @wp.func
    def leave_rings(bodies: Bodies, rows: Rows, work: Work, islands: Islands, n: int) -> bool:
        """Plan to sweep the contacts that close rings, and to solve all others directly; tell whether there are any.

        Those between two bodies on joints tie trees (`tree_contacts`), but not where loops are closed besides.
        """
        rings = bool(False)
        loops = islands.end_group[n] > islands.first_group[n]
        for i in range(islands.first_row[n], islands.end_row[n]):
            k = islands.row[i]
            one, other = rows.body_a[k], rows.body_b[k]
            rows.planned[k] = int(1)
            rows.ringed[k] = int(0)
            rows.ties_trees[k] = int(0)
            if not stays(bodies, one) and not stays(bodies, other):
                if bodies.lone[one] == 0 and bodies.lone[other] == 0 and not loops:
                    rows.ties_trees[k] = int(1)
                elif work.carrier[one] != other and work.carrier[other] != one:
                    rows.planned[k] = int(0)
                    rings = True
        return rings

    @wp.func
    def order_forest(bodies: Bodies, work: Work, islands: Islands, n: int):
        """Tie each free body to its carrier alone, and list them from the leaves to the roots."""
        for i in range(islands.first_body[n], islands.end_body[n]):
            work.hanging[islands.body[i]] = int(0)
            work.link_count[islands.body[i]] = int(0)
        for i in range(islands.first_body[n], islands.end_body[n]):
            b = islands.body[i]
            above = work.carrier[b]
            if above >= 0:
                work.hanging[above] = work.hanging[above] + 1
                work.above[b * bodies.links] = above
                work.link_count[b] = int(1)
        list_leaves(bodies, work, islands, n)

    @wp.func
    def plant(bodies: Bodies, rows: Rows, work: Work, islands: Islands, n: int) -> int:
        """Decide which contacts of an island are solved directly in this step, and in which order.

        Tell whether rings are closed, and whether they are among those.
        """
        grow(bodies, rows, work, islands, n)
        if leave_rings(bodies, rows, work, islands, n):
            for i in range(islands.first_body[n], islands.end_body[n]):
                work.root[islands.body[i]] = root_of(work, islands.body[i])
            if order_rings(bodies, rows, islands, work, n):
                return closed_rings
            order_forest(bodies, work, islands, n)
            return open_rings
        order_forest(bodies, work, islands, n)
        return no_rings

    return SimpleNamespace(plant=plant)
