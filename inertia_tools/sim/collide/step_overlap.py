# SPDX-FileCopyrightText: The inertia_tools authors
# SPDX-License-Identifier: Apache-2.0
"""Overlaps that two colliders reach in a step, and that their contacts at its start do not foresee.

Contacts are found once a step and follow their anchors in the bodies. The points that are nearest at the start are
seldom those that touch later: points that pass through each other have a positive distance again, and an edge that
turns into a face is not among the contacts of another edge. So the free motion of the step is followed to its end. If
the colliders overlap there by more than their contacts say, bisection finds where that begins, and the contacts of that
instant are added.
"""

from functools import lru_cache
from types import SimpleNamespace
from typing import Any

import warp as wp

from inertia_tools.sim.collide.anchors import anchor_functions
from inertia_tools.sim.collide.collider_kind import ColliderKind
from inertia_tools.sim.collide.geoms import geom_functions
from inertia_tools.sim.collide.mesh_contact import mesh_functions
from inertia_tools.sim.collide.support import support_functions
from inertia_tools.sim.collide.touching import touching_functions
from inertia_tools.sim.kernels.collision_types import MAX_CONTACTS, collision_types
from inertia_tools.sim.kernels.motion import motion_functions
from inertia_tools.sim.kernels.precision import Precision

UNFORESEEN = 1e-3
"""Overlap that contacts need not foresee, relative to the size of the smaller collider."""

SLOW = 0.02
"""Colliders that move relative to each other by less than this in a step, relative to the size of the smaller one, keep
the contacts that they have."""

SEARCHES = 2
"""Number of overlaps for which a pair is searched in a step; a shape may hit with one end and then with the other."""

STAGES = 8
"""Number of stages of a step that are searched at most for an overlap."""

BISECTIONS = 8
"""Number of times that the interval in which the overlap begins is halved."""


@lru_cache(maxsize=2)
def step_overlap_functions(p: Precision) -> Any:
    """Return the device functions of one precision."""
    scalar = p.scalar
    types = collision_types(p)
    Colliders, Contact, Motion, Geom = wp.ref[types.Colliders], types.Contact, types.PairMotion, types.Geom
    geom_at, touch_between = geom_functions(p).geom_at, touching_functions(p).touch_between
    separation = support_functions(p).separation
    follow, turned = anchor_functions(p).follow, motion_functions(p).turned
    unforeseen, slow, bisections = wp.constant(scalar(UNFORESEEN)), wp.constant(scalar(SLOW)), wp.constant(BISECTIONS)
    triangles, most = wp.constant(int(ColliderKind.TRIANGLES)), wp.constant(MAX_CONTACTS)
    with_mesh, most_stages = mesh_functions(p).with_mesh, wp.constant(STAGES)
    zero, half, one = (wp.constant(scalar(value)) for value in (0.0, 0.5, 1.0))

    @wp.func
    def advanced(m: Motion, time: scalar) -> Motion:
        """Return the poses of a pair after a part of the step, in free motion."""
        later = Motion()
        later.xa = m.xa + time * m.displacement
        later.ra = turned(m.ra, time * m.rotation_a)
        later.xb = m.xb
        later.rb = turned(m.rb, time * m.rotation_b)
        return later

    @wp.func
    def size_of_smaller(colliders: Colliders, ca: int, cb: int) -> scalar:
        """Return half the diagonal of the box of the smaller collider [m]."""
        return wp.min(wp.length(colliders.half[ca]), wp.length(colliders.half[cb]))

    @wp.func
    def way_of_step(colliders: Colliders, ca: int, cb: int, m: Motion) -> scalar:
        """Return an upper bound of how far points of two colliders move relative to each other [m]."""
        turning = wp.length(m.rotation_a) * wp.length(colliders.half[ca])
        return wp.length(m.displacement) + turning + wp.length(m.rotation_b) * wp.length(colliders.half[cb])

    @wp.func
    def moves_fast(colliders: Colliders, ca: int, cb: int, m: Motion) -> bool:
        """Return whether two colliders move far relative to each other in a step, compared with their size."""
        return way_of_step(colliders, ca, cb, m) > slow * size_of_smaller(colliders, ca, cb)

    @wp.func
    def stages_of_step(colliders: Colliders, ca: int, cb: int, m: Motion) -> int:
        """Return into how many stages a step is divided, in each of which the colliders do not pass through each other.

        Ground is solid all the way down, so the end of the step shows a hit.
        """
        if colliders.open_below[cb] == 1:
            return int(1)
        thick = wp.min(colliders.half[ca])
        if colliders.kind[cb] != triangles or colliders.closed[cb] == 1:
            thick += wp.min(colliders.half[cb])
        return int(wp.clamp(wp.ceil(way_of_step(colliders, ca, cb, m) / thick), one, scalar(most_stages)))

    @wp.func(inline=False)
    def deepest_in_mesh(colliders: Colliders, a: Geom, ca: int, b: Geom, cb: int, limit: scalar) -> scalar:
        """Return the least gap of a convex geom and a mesh, or `limit` if it is greater [m]."""
        found = wp.zeros(shape=(most,), dtype=Contact)
        least = limit
        for i in range(with_mesh(colliders, a, ca, b, cb, found, 0, limit)):
            least = wp.min(least, found[i].gap)
        return least

    @wp.func(inline=False)
    def overlaps_unforeseen(
        colliders: Colliders,
        ca: int,
        cb: int,
        m: Motion,
        limit: scalar,
        contacts: wp.array(dtype=Contact),
        first: int,
        count: int,
    ) -> bool:
        """Return whether two colliders overlap by more than their contacts say, at given poses of their bodies.

        Their gap is the greatest separation along any direction, so that along a contact's normal may show that they do
        not, without a search.
        """
        a, b = geom_at(colliders, ca, m.xa, m.ra), geom_at(colliders, cb, m.xb, m.rb)
        margin = colliders.margin[ca] + colliders.margin[cb]
        is_mesh = b.kind == triangles
        foreseen, separated = margin, -(a.reach + b.reach)
        for i in range(first, first + count):
            c = follow(colliders, contacts[i], m.xa, m.ra, m.xb, m.rb)
            foreseen = wp.min(foreseen, c.gap + margin)
            if not is_mesh:
                separated = wp.max(separated, separation(colliders, a, b, c.normal))
        if is_mesh:
            return deepest_in_mesh(colliders, a, ca, b, cb, margin) < foreseen - unforeseen * a.reach
        foreseen -= unforeseen * wp.min(a.reach, b.reach)
        if separated >= foreseen:
            return False
        touch = touch_between(colliders, a, b, limit)
        return touch.state != 1 and touch.gap < foreseen

    @wp.func
    def time_of_overlap(
        colliders: Colliders,
        ca: int,
        cb: int,
        m: Motion,
        limit: scalar,
        contacts: wp.array(dtype=Contact),
        first: int,
        count: int,
    ) -> scalar:
        """Return the part of the step after which two colliders begin to overlap unforeseen; 0 if they do not.

        `count` contacts, from `first` on, are known. Colliders farther apart than `limit` [m] do not touch.
        """
        early, late, found = scalar(0.0), scalar(0.0), bool(False)
        stages = stages_of_step(colliders, ca, cb, m)
        for stage in range(stages):
            if not found:
                early = late
                late = scalar(stage + 1) / scalar(stages)
                found = overlaps_unforeseen(colliders, ca, cb, advanced(m, late), limit, contacts, first, count)
        if not found:
            return zero
        for _bisection in range(bisections):
            middle = half * (early + late)
            if overlaps_unforeseen(colliders, ca, cb, advanced(m, middle), limit, contacts, first, count):
                late = middle
            else:
                early = middle
        return late

    @wp.func
    def after_impact(
        colliders: Colliders,
        ca: int,
        cb: int,
        m: Motion,
        contacts: wp.array(dtype=Contact),
        first: int,
        count: int,
    ):
        """Return whether a known contact closes in the rest of a step, and the motion after that impact.

        The impact is that of the contact which free motion overlaps most, plastic and without friction. Bodies may turn
        so far after it that another part of them strikes in the same step.
        """
        end = advanced(m, one)
        which, least = int(-1), -unforeseen * size_of_smaller(colliders, ca, cb)
        for i in range(first, first + count):
            c = follow(colliders, contacts[i], end.xa, end.ra, end.xb, end.rb)
            if c.gap < least:
                which = i
                least = c.gap
        if which < 0:
            return False, m
        now = follow(colliders, contacts[which], m.xa, m.ra, m.xb, m.rb)
        time = wp.clamp(now.gap / wp.max(now.gap - least, -least), zero, one)
        there = advanced(m, time)
        c = follow(colliders, contacts[which], there.xa, there.ra, there.xb, there.rb)
        n, arm_a, arm_b = c.normal, c.on_a - there.xa, c.on_b - there.xb
        turn_a, turn_b = m.inv_tensor_a * wp.cross(arm_a, n), m.inv_tensor_b * wp.cross(arm_b, n)
        mobility = m.inv_mass_a + m.inv_mass_b + wp.dot(wp.cross(turn_a, arm_a) + wp.cross(turn_b, arm_b), n)
        approach = wp.dot(m.displacement + wp.cross(m.rotation_a, arm_a) - wp.cross(m.rotation_b, arm_b), n)
        if approach >= zero or mobility == zero:
            return False, m
        blow = -approach / mobility
        rest = one - time
        there.displacement = rest * (m.displacement + blow * (m.inv_mass_a + m.inv_mass_b) * n)
        there.rotation_a = rest * (m.rotation_a + blow * turn_a)
        there.rotation_b = rest * (m.rotation_b - blow * turn_b)
        there.inv_mass_a = m.inv_mass_a
        there.inv_mass_b = m.inv_mass_b
        there.inv_tensor_a = m.inv_tensor_a
        there.inv_tensor_b = m.inv_tensor_b
        return True, there

    return SimpleNamespace(
        advanced=advanced, moves_fast=moves_fast, time_of_overlap=time_of_overlap, after_impact=after_impact
    )
