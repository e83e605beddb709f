# SPDX-FileCopyrightText: The inertia_tools authors
# SPDX-License-Identifier: Apache-2.0
"""Elimination of a body on a joint that leaves one row free, or none: the same solution at half the cost.

The displacement of the child is that of the parent, carried to the child's centre, less the errors of the held rows,
and q along the free direction s. With the mass matrix M of the child and of all that hangs on it, and its load f, q
follows from (s^T M s + 1/alpha) q = s^T (f - M y) - e/alpha, where y is the rest of the displacement, and e and alpha
are error and compliance of a row that gives, as that of a drive; the parent gains M - M s s^T M / (s^T M s + 1/alpha)
(Featherstone 1983). Masses are reduced apart from loads, as passes may find the same masses again.

What is left is a difference, so springs of contacts must not be too stiff here.
"""

from functools import lru_cache
from types import SimpleNamespace
from typing import Any

import warp as wp

from inertia_tools.sim.device.precision import Precision
from inertia_tools.sim.xpbd.joint_axes import axes_functions
from inertia_tools.sim.xpbd.motion import motion_functions
from inertia_tools.sim.xpbd.places import place


@lru_cache(maxsize=2)
def freedom_functions(p: Precision) -> Any:
    """Return the device functions of one precision."""
    scalar, vec3, vec6, mat33, mat66 = p.scalar, p.vec3, p.vec6, p.mat33, p.mat66
    Bodies, Work, JointWork = p.references("Bodies", "Work", "JointWork")
    (Link,) = p.references("Link")
    axes = axes_functions(p)
    linear, angular, joined, move_child = axes.linear, axes.angular, axes.joined, axes.move_child
    replaced, stays = axes.replaced, motion_functions(p).stays

    @wp.func
    def crossed(v: vec3, m: mat33) -> mat33:
        """Return the cross product of a vector with each column of a matrix."""
        return wp.matrix_from_rows(v[1] * m[2] - v[2] * m[1], v[2] * m[0] - v[0] * m[2], v[0] * m[1] - v[1] * m[0])

    @wp.func
    def times(m: mat66, v: vec6) -> vec6:
        """Return a symmetric matrix times a vector, by its rows, which lie together."""
        return v[0] * m[0] + v[1] * m[1] + v[2] * m[2] + v[3] * m[3] + v[4] * m[4] + v[5] * m[5]

    @wp.func
    def add_mass(work: Work, parent: int, lever: vec3, m: mat66, push: vec6, give: scalar):
        """Add a mass matrix about a child's centre, less give times a push times itself, to that of a parent."""
        top, corner, low = mat33(), mat33(), mat33()
        for r in range(3):
            for c in range(3):
                top[r, c] = m[r, c] - give * push[r] * push[c]
                corner[r, c] = m[r, c + 3] - give * push[r] * push[c + 3]
                low[r, c] = m[r + 3, c + 3] - give * push[r + 3] * push[c + 3]
        mixed = wp.transpose(crossed(lever, corner))
        corner = corner + wp.transpose(crossed(lever, top))
        low = low + mixed + crossed(lever, corner)
        mine = work.mass_matrix[parent]
        for r in range(3):
            for c in range(3):
                mine[r, c] = mine[r, c] + top[r, c]
                mine[r, c + 3] = mine[r, c + 3] + corner[r, c]
                mine[c + 3, r] = mine[c + 3, r] + corner[r, c]
                mine[r + 3, c + 3] = mine[r + 3, c + 3] + low[r, c]
        work.mass_matrix[parent] = mine

    @wp.func
    def reduce_mass(bodies: Bodies, work: Work, jw: JointWork, b: int, link: Link):
        """Reduce the mass matrix of a child into that of its parent, and keep how."""
        j, parent = place(bodies.joint[b]), int(bodies.parent[b])
        row = int(jw.open_row[j])
        m = work.mass_matrix[b]
        push, give, spring = vec6(), scalar(0.0), scalar(0.0)
        if row < 6:
            if (jw.mask[j] & (int(1) << row)) != int(0):
                spring = scalar(1.0) / jw.compliance[j][row]
            way = move_child(jw, j, replaced(vec6(), row, scalar(1.0)))
            push = times(m, way)
            give = scalar(1.0) / (wp.dot(way, push) + spring)
            link.way = way
        if stays(bodies, parent):
            parent = int(-1)
        else:
            link.lever = work.x0[b] - work.x0[parent]
            add_mass(work, place(parent), link.lever, m, push, give)
        link.joint = j
        link.parent = parent
        link.row = row
        link.spring = spring
        link.push = push
        link.give = give

    @wp.func
    def reduce_load(work: Work, jw: JointWork, b: int, link: Link):
        """Reduce the load of a child, and what its joint is off, into the load of its parent."""
        j, parent, goal = place(link.joint), int(link.parent), scalar(0.0)
        held = jw.error[j]
        if link.spring > scalar(0.0):
            goal = -link.spring * held[link.row]
            held = replaced(held, link.row, scalar(0.0))
        rest = scalar(-1.0) * move_child(jw, j, held)
        load = work.load[b] - times(work.mass_matrix[b], rest)
        link.rest = rest
        if link.row < 6:
            goal = link.give * (goal + wp.dot(link.way, load))
            load = load - goal * link.push
        link.goal = goal
        if parent >= 0:
            parent = place(parent)
            force = linear(load)
            work.load[parent] = work.load[parent] + joined(force, angular(load) + wp.cross(link.lever, force))

    @wp.func
    def resolve_single(work: Work, jw: JointWork, b: int, link: Link):
        """Find the displacement of a body, its parent's being known, and the multipliers of its joint if asked for."""
        j, parent = place(link.joint), int(link.parent)
        carried = vec6()
        if parent >= 0:
            above = work.move[place(parent)]
            turn = angular(above)
            carried = joined(linear(above) + wp.cross(turn, link.lever), turn)
        move = carried + link.rest
        if link.row < 6:
            move = move + (link.goal - link.give * wp.dot(link.push, carried)) * link.way
        work.move[b] = move
        if jw.felt[j] == 1:
            wrench = times(work.mass_matrix[b], move) - work.load[b]
            force = linear(wrench)
            torque = angular(wrench) - wp.cross(jw.arm_child[j], force)
            jw.impulse[j] = jw.impulse[j] + joined(jw.axes[j] * force, jw.turns[j] * torque)

    return SimpleNamespace(reduce_mass=reduce_mass, reduce_load=reduce_load, resolve_single=resolve_single)
