# SPDX-FileCopyrightText: The inertia_tools authors
# SPDX-License-Identifier: Apache-2.0
"""The order in which the bodies of an island are eliminated, and which blocks of the factor that fills in.

The graph has a node for each body that moves, and an edge where a contact or a joint lies between two of them. The node
of minimum degree is eliminated next (Tinney and Walker 1967); its neighbours become neighbours of each other. A body is
eliminated after all bodies that hang on it, so that its joint goes with its own node (`factorisation`).
"""

from functools import lru_cache
from types import SimpleNamespace
from typing import Any

import warp as wp

from inertia_tools.sim.kernels.island_types import island_types
from inertia_tools.sim.kernels.motion import motion_functions
from inertia_tools.sim.kernels.precision import Precision

ELIMINATED = -1
"""Stands for the number of children that a body waits for, once it is eliminated itself."""


@lru_cache(maxsize=2)
def order_functions(p: Precision) -> Any:
    """Return the device functions of one precision."""
    Bodies, Rows, System = p.references("Bodies", "Rows", "System")
    Islands, is_static = wp.ref[island_types(p).Islands], motion_functions(p).is_static
    eliminated = wp.constant(ELIMINATED)

    @wp.func
    def has_neighbour(bodies: Bodies, system: System, b: int, other: int) -> bool:
        first = b * bodies.neighbours
        for i in range(first, first + system.node[b].degree):
            if system.neighbour[i] == other:
                return True
        return False

    @wp.func
    def connect(bodies: Bodies, system: System, b: int, other: int) -> bool:
        """Make one body a neighbour of another, unless it is; return whether there was room."""
        if has_neighbour(bodies, system, b, other):
            return True
        degree = system.node[b].degree
        if degree == bodies.neighbours:
            return False
        system.neighbour[b * bodies.neighbours + degree] = other
        system.node[b].degree = degree + 1
        return True

    @wp.func
    def disconnect(bodies: Bodies, system: System, b: int, other: int):
        first = b * bodies.neighbours
        last = first + system.node[b].degree - 1
        for i in range(first, last + 1):
            if system.neighbour[i] == other:
                system.neighbour[i] = system.neighbour[last]
                system.node[b].degree = last - first
                return

    @wp.func
    def build_graph(bodies: Bodies, rows: Rows, islands: Islands, system: System, n: int, end_row: int) -> bool:
        """Connect the bodies of an island by its joints and its contacts up to one; return whether there was room."""
        fits = bool(True)
        for i in range(islands.first_body[n], islands.end_body[n]):
            system.node[islands.body[i]].degree = int(0)
            system.node[islands.body[i]].waiting = int(0)
        for i in range(islands.first_body[n], islands.end_body[n]):
            b = islands.body[i]
            parent = bodies.parent[b]
            if not is_static(bodies, parent):
                system.node[parent].waiting = system.node[parent].waiting + 1
                fits = fits and connect(bodies, system, b, parent) and connect(bodies, system, parent, b)
        for i in range(islands.first_row[n], end_row):
            one, other = rows.row[islands.row[i]].body_a, rows.row[islands.row[i]].body_b
            if fits and not is_static(bodies, one) and not is_static(bodies, other):
                fits = connect(bodies, system, one, other) and connect(bodies, system, other, one)
        return fits

    @wp.func
    def least_connected(bodies: Bodies, islands: Islands, system: System, n: int) -> int:
        """Return the body of minimum degree among those that wait for no child; -1 for none."""
        best = int(-1)
        least = bodies.neighbours + 1
        for i in range(islands.first_body[n], islands.end_body[n]):
            b = islands.body[i]
            if system.node[b].waiting == 0 and system.node[b].degree < least:
                best = b
                least = system.node[b].degree
        return best

    @wp.func
    def eliminate(bodies: Bodies, system: System, b: int, first_link: int, end_link: int) -> bool:
        """Eliminate a body from the graph; its links are its neighbours of now. Return whether there was room."""
        degree = system.node[b].degree
        system.node[b].waiting = eliminated
        system.node[b].first_link = first_link
        system.node[b].link_count = degree
        if first_link + degree > end_link:
            return False
        parent = bodies.parent[b]
        if not is_static(bodies, parent):
            system.node[parent].waiting = system.node[parent].waiting - 1
        first = b * bodies.neighbours
        fits = bool(True)
        for i in range(degree):
            other = system.neighbour[first + i]
            system.link_body[first_link + i] = other
            disconnect(bodies, system, other, b)
            for k in range(degree):
                if k != i and fits:
                    fits = connect(bodies, system, other, system.neighbour[first + k])
        return fits

    @wp.func
    def link_of(system: System, b: int, other: int) -> int:
        """Return the link of an eliminated body to another one that is eliminated later, or -1."""
        first = system.node[b].first_link
        for i in range(first, first + system.node[b].link_count):
            if system.link_body[i] == other:
                return i
        return int(-1)

    @wp.func
    def link_rows(bodies: Bodies, rows: Rows, islands: Islands, system: System, n: int):
        """Find the block of each row that lies between two bodies that move."""
        for i in range(islands.first_row[n], islands.end_row[n]):
            k = islands.row[i]
            a, b = rows.row[k].body_a, rows.row[k].body_b
            rows.row[k].link = int(-1)
            rows.row[k].is_a_first = int(1)
            if rows.row[k].planned == 1 and not is_static(bodies, a) and not is_static(bodies, b):
                rows.row[k].link = link_of(system, a, b)
                if rows.row[k].link < 0:
                    rows.row[k].link = link_of(system, b, a)
                    rows.row[k].is_a_first = int(0)

    @wp.func
    def order_connected(bodies: Bodies, rows: Rows, islands: Islands, system: System, n: int, end_row: int) -> bool:
        """List the bodies of an island in the order of their elimination, and their links; return whether they fit."""
        if not build_graph(bodies, rows, islands, system, n, end_row):
            return False
        place = islands.first_body[n]
        link = place * bodies.links
        end_link = islands.end_body[n] * bodies.links
        b = least_connected(bodies, islands, system, n)
        while b >= 0:
            islands.order[place] = b
            place += 1
            if not eliminate(bodies, system, b, link, end_link):
                return False
            link += system.node[b].link_count
            b = least_connected(bodies, islands, system, n)
        return True

    @wp.func
    def order_island(bodies: Bodies, rows: Rows, islands: Islands, system: System, n: int, sweeps: int):
        """Order an island, by its joints alone where the factor has no room for its contacts, or they are swept."""
        planned = int(0)
        if sweeps == 0 and order_connected(bodies, rows, islands, system, n, islands.end_row[n]):
            planned = int(1)
        else:
            order_connected(bodies, rows, islands, system, n, islands.first_row[n])
        for i in range(islands.first_row[n], islands.end_row[n]):
            rows.row[islands.row[i]].planned = planned
        link_rows(bodies, rows, islands, system, n)

    return SimpleNamespace(order_island=order_island, link_of=link_of)
