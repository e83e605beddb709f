# SPDX-FileCopyrightText: The inertia_tools authors
# SPDX-License-Identifier: Apache-2.0
"""The contacts of each pair of colliders that is near."""

from functools import lru_cache
from typing import Any

import warp as wp

from inertia_tools.kernel_loading import LONG_WAY
from inertia_tools.sim.collide.anchors import anchor_functions
from inertia_tools.sim.collide.collider_kind import ColliderKind
from inertia_tools.sim.collide.geoms import geom_functions
from inertia_tools.sim.collide.manifold import manifold_functions
from inertia_tools.sim.collide.mesh_contact import mesh_functions
from inertia_tools.sim.collide.touching import touching_functions
from inertia_tools.sim.kernels.collision_types import MAX_CONTACTS, collision_types
from inertia_tools.sim.kernels.precision import Precision


@lru_cache(maxsize=2)
def narrow_phase_kernel(p: Precision) -> Any:
    """Return the kernel of one precision; each thread takes every so many pairs."""
    scalar, vec3, quat = p.scalar, p.vec3, p.quat
    types = collision_types(p)
    Colliders, Contact = wp.ref[types.Colliders], types.Contact
    geoms, settle = geom_functions(p), anchor_functions(p).settle
    geom_of, body_point, body_axes = geoms.geom_of, geoms.body_point, geoms.body_axes
    manifolds, touching = manifold_functions(p), touching_functions(p).touching
    manifold, on_plane, with_mesh = manifolds.manifold, manifolds.on_plane, mesh_functions(p).with_mesh
    plane, triangles = wp.constant(int(ColliderKind.PLANE)), wp.constant(int(ColliderKind.TRIANGLES))

    @wp.func
    def find(
        colliders: Colliders,
        x: wp.array(dtype=vec3),
        r: wp.array(dtype=quat),
        ca: int,
        cb: int,
        origin: vec3,
        limit: scalar,
        contacts: wp.array(dtype=Contact),
        first: int,
    ) -> int:
        """Find the contacts of two colliders, seen from an origin, and return how many there are."""
        a = geom_of(colliders, x, r, ca, origin)
        b = geom_of(colliders, x, r, cb, origin)
        if b.kind == plane:
            return on_plane(colliders, a, b, contacts, first, limit)
        if b.kind == triangles:
            return with_mesh(colliders, a, ca, b, cb, contacts, first, limit)
        touch = touching(colliders, a, b, limit)
        if touch.state == 1 or touch.gap > limit:
            return int(0)
        return manifold(colliders, a, b, touch, contacts, first, int(0), limit, int(0))

    @wp.func(inline=False)
    def look(
        colliders: Colliders,
        x: wp.array(dtype=vec3),
        r: wp.array(dtype=quat),
        one: int,
        other: int,
        ahead: scalar,
        contacts: wp.array(dtype=Contact),
        pair: int,
    ) -> int:
        """Find the contacts of a pair, as far ahead as its margins, gaps and a way ask for, and return how many.

        What has left the numbers touches nothing.
        """
        ca = one
        cb = other
        if colliders.kind[ca] > colliders.kind[cb]:
            ca = other
            cb = one
        first = MAX_CONTACTS * pair
        margin = colliders.margin[ca] + colliders.margin[cb]
        limit = margin + wp.max(ahead, colliders.gap[ca] + colliders.gap[cb])
        body_a = colliders.body[ca]
        body_b = colliders.body[cb]
        origin = body_point(x, body_a) + wp.quat_rotate(body_axes(r, body_a), colliders.point[ca])
        between = body_point(x, body_b) - origin
        if not wp.isfinite(wp.dot(between, between)):
            return int(0)
        count = find(colliders, x, r, ca, cb, origin, limit, contacts, first)
        for i in range(first, first + count):
            c = settle(
                contacts[i],
                body_point(x, body_a) - origin,
                body_axes(r, body_a),
                body_point(x, body_b) - origin,
                body_axes(r, body_b),
            )
            c.a = ca
            c.b = cb
            c.gap = c.gap - margin
            c.on_a = c.on_a + origin
            c.on_b = c.on_b + origin
            contacts[i] = c
        return count

    @wp.kernel(module="unique", module_options=LONG_WAY)
    def narrow_phase(
        colliders: types.Colliders,
        x: wp.array(dtype=vec3),
        r: wp.array(dtype=quat),
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
        pair = first_pair + wp.tid()
        while pair < wp.min(pair_count[0], pair_a.shape[0]):
            contact_count[pair] = int(0)
            ahead = foresight[pair // pairs_of_world]
            if ahead >= scalar(0.0):  # less than that where the pair is not to be looked at
                contact_count[pair] = look(colliders, x, r, pair_a[pair], pair_b[pair], ahead, contacts, pair)
            pair += threads

    return narrow_phase
