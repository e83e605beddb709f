# SPDX-FileCopyrightText: The inertia_tools authors
# SPDX-License-Identifier: Apache-2.0
"""Elimination order of the bodies of an island, and the blocks of the factor that fill in.

The graph has a node for each dynamic body, and an edge for each contact or joint between two of them. The node of
minimum degree is eliminated next (Tinney and Walker 1967); its neighbours become neighbours of each other. A body is
eliminated after all its children in the joint tree, so that its joint belongs to its own node (`factorisation`).
"""

from functools import lru_cache
from types import SimpleNamespace
from typing import Any

import warp as wp

from inertia_tools.sim.kernels.motion import motion_functions
from inertia_tools.sim.kernels.precision import Precision
from inertia_tools.sim.kernels.scene_types import scene_type

ELIMINATED = -1
"""Value of `Node.pending_children` once the body itself is eliminated."""


@lru_cache(maxsize=2)
def order_functions(p: Precision) -> Any:
    """Return the device functions of one precision."""
    Scene = wp.ref[scene_type(p)]
    (System,) = p.references("System")
    is_static = motion_functions(p).is_static
    eliminated = wp.constant(ELIMINATED)

    @wp.func
    def has_neighbour(scene: Scene, b: int, other: int) -> bool:
        first = b * scene.bodies.neighbours
        for i in range(first, first + scene.system.node[b].degree):
            if scene.system.neighbour[i] == other:
                return True
        return False

    @wp.func
    def connect(scene: Scene, b: int, other: int) -> bool:
        """Make one body a neighbour of another; return whether there was room."""
        if has_neighbour(scene, b, other):
            return True
        degree = scene.system.node[b].degree
        if degree == scene.bodies.neighbours:
            return False
        scene.system.neighbour[b * scene.bodies.neighbours + degree] = other
        scene.system.node[b].degree = degree + 1
        return True

    @wp.func
    def disconnect(scene: Scene, b: int, other: int):
        first = b * scene.bodies.neighbours
        last = first + scene.system.node[b].degree - 1
        for i in range(first, last + 1):
            if scene.system.neighbour[i] == other:
                scene.system.neighbour[i] = scene.system.neighbour[last]
                scene.system.node[b].degree = last - first
                return

    @wp.func
    def build_graph(scene: Scene, n: int, end_row: int) -> bool:
        """Connect the bodies of an island by its joints and its rows up to `end_row`; return whether there was room."""
        fits = bool(True)
        for i in range(scene.islands.first_body[n], scene.islands.end_body[n]):
            scene.system.node[scene.islands.body[i]].degree = int(0)
            scene.system.node[scene.islands.body[i]].pending_children = int(0)
        for i in range(scene.islands.first_body[n], scene.islands.end_body[n]):
            b = scene.islands.body[i]
            parent = scene.bodies.parent[b]
            if not is_static(scene.bodies, parent):
                scene.system.node[parent].pending_children = scene.system.node[parent].pending_children + 1
                fits = fits and connect(scene, b, parent) and connect(scene, parent, b)
        for i in range(scene.islands.first_row[n], end_row):
            one, other = scene.rows.row[scene.islands.row[i]].body_a, scene.rows.row[scene.islands.row[i]].body_b
            if fits and not is_static(scene.bodies, one) and not is_static(scene.bodies, other):
                fits = connect(scene, one, other) and connect(scene, other, one)
        return fits

    @wp.func
    def least_connected(scene: Scene, n: int) -> int:
        """Return the body of minimum degree without pending children; -1 for none."""
        best = int(-1)
        least = scene.bodies.neighbours + 1
        for i in range(scene.islands.first_body[n], scene.islands.end_body[n]):
            b = scene.islands.body[i]
            if scene.system.node[b].pending_children == 0 and scene.system.node[b].degree < least:
                best = b
                least = scene.system.node[b].degree
        return best

    @wp.func
    def eliminate(scene: Scene, b: int, first_link: int, end_link: int) -> bool:
        """Eliminate a body from the graph; its present neighbours become its links. Return whether there was room."""
        degree = scene.system.node[b].degree
        scene.system.node[b].pending_children = eliminated
        scene.system.node[b].first_link = first_link
        scene.system.node[b].link_count = degree
        if first_link + degree > end_link:
            return False
        parent = scene.bodies.parent[b]
        if not is_static(scene.bodies, parent):
            scene.system.node[parent].pending_children = scene.system.node[parent].pending_children - 1
        first = b * scene.bodies.neighbours
        fits = bool(True)
        for i in range(degree):
            other = scene.system.neighbour[first + i]
            scene.system.link_body[first_link + i] = other
            disconnect(scene, other, b)
            for k in range(degree):
                if k != i and fits:
                    fits = connect(scene, other, scene.system.neighbour[first + k])
        return fits

    @wp.func
    def link_of(system: System, b: int, other: int) -> int:
        """Return the link of an eliminated body to one that is eliminated later, or -1."""
        first = system.node[b].first_link
        for i in range(first, first + system.node[b].link_count):
            if system.link_body[i] == other:
                return i
        return int(-1)

    @wp.func
    def link_rows(scene: Scene, n: int):
        """Find the block of each row between two dynamic bodies."""
        for i in range(scene.islands.first_row[n], scene.islands.end_row[n]):
            k = scene.islands.row[i]
            a, b = scene.rows.row[k].body_a, scene.rows.row[k].body_b
            scene.rows.row[k].link = int(-1)
            scene.rows.row[k].is_a_first = int(1)
            if scene.rows.row[k].is_direct == 1 and not is_static(scene.bodies, a) and not is_static(scene.bodies, b):
                scene.rows.row[k].link = link_of(scene.system, a, b)
                if scene.rows.row[k].link < 0:
                    scene.rows.row[k].link = link_of(scene.system, b, a)
                    scene.rows.row[k].is_a_first = int(0)

    @wp.func
    def order_connected(scene: Scene, n: int, end_row: int) -> bool:
        """List the bodies of an island in elimination order, and their links; return whether they fit."""
        if not build_graph(scene, n, end_row):
            return False
        place = scene.islands.first_body[n]
        link = place * scene.bodies.links
        end_link = scene.islands.end_body[n] * scene.bodies.links
        b = least_connected(scene, n)
        while b >= 0:
            scene.islands.order[place] = b
            place += 1
            if not eliminate(scene, b, link, end_link):
                return False
            link += scene.system.node[b].link_count
            b = least_connected(scene, n)
        return True

    @wp.func
    def order_island(scene: Scene, n: int, sweeps: int):
        """Order an island; without its contacts if these are swept, or the factor has no room for them."""
        planned = int(0)
        if sweeps == 0 and order_connected(scene, n, scene.islands.end_row[n]):
            planned = int(1)
        else:
            order_connected(scene, n, scene.islands.first_row[n])
        for i in range(scene.islands.first_row[n], scene.islands.end_row[n]):
            scene.rows.row[scene.islands.row[i]].is_direct = planned
        link_rows(scene, n)

    return SimpleNamespace(order_island=order_island, link_of=link_of)
