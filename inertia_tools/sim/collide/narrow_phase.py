# SPDX-FileCopyrightText: The inertia_tools authors
# SPDX-License-Identifier: Apache-2.0
"""The narrow phase: contacts of each pair of nearby colliders."""

from functools import lru_cache
from typing import Any

import warp as wp

from inertia_tools.kernel_loading import LONG_WAY
from inertia_tools.sim.collide.anchors import anchor_functions
from inertia_tools.sim.collide.collider_kind import ColliderKind
from inertia_tools.sim.collide.geoms import geom_functions
from inertia_tools.sim.collide.manifold import manifold_functions
from inertia_tools.sim.collide.mesh_contact import mesh_functions
from inertia_tools.sim.collide.patch import SAME_PLACE, patch_functions
from inertia_tools.sim.collide.step_overlap import SEARCHES, step_overlap_functions
from inertia_tools.sim.collide.touching import touching_functions
from inertia_tools.sim.kernels.collision_types import MAX_CONTACTS, collision_types
from inertia_tools.sim.kernels.precision import Precision


@lru_cache(maxsize=2)
def narrow_phase_kernel(p: Precision) -> Any:
    """Return the kernel of one precision; each thread handles pairs in steps of the number of threads."""
    scalar, vec3 = p.scalar, p.vec3
    types = collision_types(p)
    Colliders, Contact, Motions, PairMotion = wp.ref[types.Colliders], types.Contact, types.Motions, types.PairMotion
    MotionsRef = wp.ref[Motions]
    geoms, follow, to_body_frames = geom_functions(p), anchor_functions(p).follow, anchor_functions(p).to_body_frames
    geom_at, body_point, body_axes = geoms.geom_at, geoms.body_point, geoms.body_axes
    overlaps = step_overlap_functions(p)
    advanced, moves_fast = overlaps.advanced, overlaps.moves_fast
    time_of_overlap, after_impact = overlaps.time_of_overlap, overlaps.after_impact
    manifolds, touch_between = manifold_functions(p), touching_functions(p).touch_between
    manifold, on_plane, with_mesh = manifolds.manifold, manifolds.on_plane, mesh_functions(p).with_mesh
    plane, triangles = wp.constant(int(ColliderKind.PLANE)), wp.constant(int(ColliderKind.TRIANGLES))
    most, same_place = wp.constant(MAX_CONTACTS), wp.constant(scalar(SAME_PLACE))
    add_contact = patch_functions(p).add_contact
    zero, searches = wp.constant(scalar(0.0)), wp.constant(SEARCHES)

    @wp.func
    def motion_of_pair(motions: MotionsRef, a: int, b: int, origin: vec3) -> PairMotion:
        """Return the motion of two bodies, relative to an origin."""
        m = PairMotion()
        m.xa = body_point(motions.x, a) - origin
        m.ra = body_axes(motions.r, a)
        m.xb = body_point(motions.x, b) - origin
        m.rb = body_axes(motions.r, b)
        if motions.displacement.shape[0] > 0:
            m.displacement = body_point(motions.displacement, a) - body_point(motions.displacement, b)
            m.rotation_a = body_point(motions.rotation, a)
            m.rotation_b = body_point(motions.rotation, b)
            if a >= 0:
                m.inv_mass_a = motions.inv_mass[a]
                m.inv_tensor_a = motions.inv_tensor[a]
            if b >= 0:
                m.inv_mass_b = motions.inv_mass[b]
                m.inv_tensor_b = motions.inv_tensor[b]
        return m

    @wp.func
    def add_contacts(
        colliders: Colliders,
        ca: int,
        cb: int,
        m: PairMotion,
        limit: scalar,
        contacts: wp.array(dtype=Contact),
        first: int,
        known: int,
    ) -> int:
        """Add the contacts of two colliders at given poses to those that are known; return their number."""
        a, b = geom_at(colliders, ca, m.xa, m.ra), geom_at(colliders, cb, m.xb, m.rb)
        if b.kind == plane:
            return on_plane(colliders, a, b, contacts, first, limit)
        if b.kind == triangles and known == 0:
            return with_mesh(colliders, a, ca, b, cb, contacts, first, limit)
        if b.kind == triangles:
            count = known
            found = wp.zeros(shape=(most,), dtype=Contact)
            for i in range(with_mesh(colliders, a, ca, b, cb, found, 0, limit)):
                count = add_contact(contacts, first, count, found[i], same_place * a.reach)
            return count
        touch = touch_between(colliders, a, b, limit)
        if touch.state == 1 or touch.gap > limit:
            return known
        return manifold(colliders, a, b, touch, contacts, first, known, limit, int(0))

    @wp.func
    def fix_anchors(
        ca: int,
        cb: int,
        m: PairMotion,
        contacts: wp.array(dtype=Contact),
        first: int,
        count: int,
    ):
        """Transform new contacts, which name no colliders yet, from the axes of the poses to those of the bodies."""
        for i in range(first, first + count):
            if contacts[i].a == contacts[i].b:
                c = to_body_frames(contacts[i], m.xa, m.ra, m.xb, m.rb)
                c.a = ca
                c.b = cb
                contacts[i] = c

    @wp.func(inline=False)
    def contacts_of_pair(
        colliders: Colliders,
        motions: MotionsRef,
        one: int,
        other: int,
        ahead: scalar,
        contacts: wp.array(dtype=Contact),
        pair: int,
    ) -> int:
        """Write the contacts of a pair, and return the number of contacts.

        The contact distance is the sum of the margins plus the larger of `ahead` and the sum of the gaps [m]. Poses
        that are not finite give no contacts.
        """
        ca = one
        cb = other
        if colliders.kind[ca] > colliders.kind[cb]:
            ca = other
            cb = one
        first = MAX_CONTACTS * pair
        margin = colliders.margin[ca] + colliders.margin[cb]
        limit = margin + wp.max(ahead, colliders.gap[ca] + colliders.gap[cb])
        body_a, body_b = colliders.body[ca], colliders.body[cb]
        turn = body_axes(motions.r, body_a)
        origin = body_point(motions.x, body_a) + wp.quat_rotate(turn, colliders.point[ca])
        m = motion_of_pair(motions, body_a, body_b, origin)
        if not wp.isfinite(wp.dot(m.xb, m.xb)):
            return int(0)
        count = add_contacts(colliders, ca, cb, m, limit, contacts, first, int(0))
        fix_anchors(ca, cb, m, contacts, first, count)
        met = bool(False)
        if colliders.kind[cb] != plane and moves_fast(colliders, ca, cb, m):
            rest = m
            for _search in range(searches):
                time = time_of_overlap(colliders, ca, cb, rest, limit, contacts, first, count)
                if time > zero:
                    there = advanced(rest, time)
                    for i in range(first, first + count):
                        contacts[i] = follow(colliders, contacts[i], there.xa, there.ra, there.xb, there.rb)
                        contacts[i].gap = contacts[i].gap + margin
                    count = add_contacts(colliders, ca, cb, there, limit, contacts, first, count)
                    fix_anchors(ca, cb, there, contacts, first, count)
                    met = True
                closes, rest = after_impact(colliders, ca, cb, rest, contacts, first, count)
                if time == zero and not closes:
                    break
        for i in range(first, first + count):
            c = contacts[i]
            if met:
                c = follow(colliders, c, m.xa, m.ra, m.xb, m.rb)
            else:
                c.gap = c.gap - margin
            c.on_a = c.on_a + origin
            c.on_b = c.on_b + origin
            contacts[i] = c
        return count

    @wp.kernel(module="unique", module_options=LONG_WAY)
    def narrow_phase(
        colliders: types.Colliders,
        motions: Motions,
        pair_a: wp.array(dtype=wp.int32),
        pair_b: wp.array(dtype=wp.int32),
        pair_count: wp.array(dtype=wp.int32),
        foresight: wp.array(dtype=scalar),
        first_pair: int,
        pairs_of_world: int,
        threads: int,
        contacts: wp.array(dtype=Contact),
        contact_count: wp.array(dtype=wp.int32),
    ):
        """Write the contacts of the pairs, `MAX_CONTACTS` slots each, and their numbers."""
        pair = first_pair + wp.tid()
        while pair < wp.min(pair_count[0], pair_a.shape[0]):
            contact_count[pair] = int(0)
            ahead = foresight[pair // pairs_of_world]
            if ahead >= zero:  # negative for pairs that are skipped
                contact_count[pair] = contacts_of_pair(
                    colliders, motions, pair_a[pair], pair_b[pair], ahead, contacts, pair
                )
            pair += threads

    return narrow_phase
