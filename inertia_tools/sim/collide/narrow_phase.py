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
from inertia_tools.sim.collide.touching import touching_functions
from inertia_tools.sim.kernels.collision_types import MAX_CONTACTS, collision_types
from inertia_tools.sim.kernels.precision import Precision


@lru_cache(maxsize=2)
def narrow_phase_kernel(p: Precision) -> Any:
    """Return the kernel of one precision; each thread handles pairs in steps of the number of threads."""
    scalar, vec3, quat = p.scalar, p.vec3, p.quat
    types = collision_types(p)
    Colliders, Contact = wp.ref[types.Colliders], types.Contact
    geoms, to_body_frames = geom_functions(p), anchor_functions(p).to_body_frames
    geom_of, body_point, body_axes = geoms.geom_of, geoms.body_point, geoms.body_axes
    manifolds, touch_between = manifold_functions(p), touching_functions(p).touch_between
    manifold, on_plane, with_mesh = manifolds.manifold, manifolds.on_plane, mesh_functions(p).with_mesh
    plane, triangles = wp.constant(int(ColliderKind.PLANE)), wp.constant(int(ColliderKind.TRIANGLES))

    @wp.func
    def contacts_of_colliders(
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
        """Write the contacts of two colliders, relative to an origin in world axes; return their number."""
        a = geom_of(colliders, x, r, ca, origin)
        b = geom_of(colliders, x, r, cb, origin)
        if b.kind == plane:
            return on_plane(colliders, a, b, contacts, first, limit)
        if b.kind == triangles:
            return with_mesh(colliders, a, ca, b, cb, contacts, first, limit)
        touch = touch_between(colliders, a, b, limit)
        if touch.state == 1 or touch.gap > limit:
            return int(0)
        return manifold(colliders, a, b, touch, contacts, first, int(0), limit, int(0))

    @wp.func(inline=False)
    def contacts_of_pair(
        colliders: Colliders,
        x: wp.array(dtype=vec3),
        r: wp.array(dtype=quat),
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
        body_a = colliders.body[ca]
        body_b = colliders.body[cb]
        origin = body_point(x, body_a) + wp.quat_rotate(body_axes(r, body_a), colliders.point[ca])
        offset = body_point(x, body_b) - origin
        if not wp.isfinite(wp.dot(offset, offset)):
            return int(0)
        count = contacts_of_colliders(colliders, x, r, ca, cb, origin, limit, contacts, first)
        for i in range(first, first + count):
            c = to_body_frames(
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
        """Write the contacts of the pairs, `MAX_CONTACTS` slots each, and their numbers."""
        pair = first_pair + wp.tid()
        while pair < wp.min(pair_count[0], pair_a.shape[0]):
            contact_count[pair] = int(0)
            ahead = foresight[pair // pairs_of_world]
            if ahead >= scalar(0.0):  # negative for pairs that are skipped
                contact_count[pair] = contacts_of_pair(
                    colliders, x, r, pair_a[pair], pair_b[pair], ahead, contacts, pair
                )
            pair += threads

    return narrow_phase
