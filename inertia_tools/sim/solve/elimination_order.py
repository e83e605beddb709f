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

from inertia_tools.sim.device.precision import Precision
from inertia_tools.sim.xpbd.island_types import island_types
from inertia_tools.sim.xpbd.motion import motion_functions

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
        for i in range(first, first + system.degree[b]):
            if system.neighbour[i] == other:
                return True
        return False

    @wp.func
    def connect(bodies: Bodies, system: System, b: int, other: int) -> bool:
        """Make one body a neighbour of another, unless it is; return whether there was room."""
        if has_neighbour(bodies, system, b, other):
            return True
        degree = system.degree[b]
        if degree == bodies.neighbours:
            return False
        system.neighbour[b * bodies.neighbours + degree] = other
        system.degree[b] = degree + 1
        return True

    @wp.func
    def disconnect(bodies: Bodies, system: System, b: int, other: int):
        first = b * bodies.neighbours
        last = first + system.degree[b] - 1
        for i in range(first, last + 1):
            if system.neighbour[i] == other:
                system.neighbour[i] = system.neighbour[last]
                system.degree[b] = last - first
                return

    @wp.func
    def build_graph(bodies: Bodies, rows: Rows, islands: Islands, system: System, n: int, end_row: int) -> bool:
        """Connect the bodies of an island by its joints and its contacts up to one; return whether there was room."""
        fits = bool(True)
        for i in range(islands.first_body[n], islands.end_body[n]):
            system.degree[islands.body[i]] = int(0)
            system.waiting[islands.body[i]] = int(0)
        for i in range(islands.first_body[n], islands.end_body[n]):
            b = islands.body[i]
            parent = bodies.parent[b]
            if not is_static(bodies, parent):
                system.waiting[parent] = system.waiting[parent] + 1
                fits = fits and connect(bodies, system, b, parent) and connect(bodies, system, parent, b)
        for i in range(islands.first_row[n], end_row):
            one, other = rows.body_a[islands.row[i]], rows.body_b[islands.row[i]]
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
            if system.waiting[b] == 0 and system.degree[b] < least:
                best = b
                least = system.degree[b]
        return best

    @wp.func
    def eliminate(bodies: Bodies, system: System, b: int, first_link: int, end_link: int) -> bool:
        """Eliminate a body from the graph; its links are its neighbours of now. Return whether there was room."""
        degree = system.degree[b]
        system.waiting[b] = eliminated
        system.first_link[b] = first_link
        system.link_count[b] = degree
        if first_link + degree > end_link:
            return False
        parent = bodies.parent[b]
        if not is_static(bodies, parent):
            system.waiting[parent] = system.waiting[parent] - 1
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
        first = system.first_link[b]
        for i in range(first, first + system.link_count[b]):
            if system.link_body[i] == other:
                return i
        return int(-1)

    @wp.func
    def link_rows(bodies: Bodies, rows: Rows, islands: Islands, system: System, n: int):
        """Find the block of each row that lies between two bodies that move."""
        for i in range(islands.first_row[n], islands.end_row[n]):
            k = islands.row[i]
            a, b = rows.body_a[k], rows.body_b[k]
            rows.link[k] = int(-1)
            rows.is_a_first[k] = int(1)
            if rows.planned[k] == 1 and not is_static(bodies, a) and not is_static(bodies, b):
                rows.link[k] = link_of(system, a, b)
                if rows.link[k] < 0:
                    rows.link[k] = link_of(system, b, a)
                    rows.is_a_first[k] = int(0)

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
            link += system.link_count[b]
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
            rows.planned[islands.row[i]] = planned
        link_rows(bodies, rows, islands, system, n)

    return SimpleNamespace(order_island=order_island, link_of=link_of)
