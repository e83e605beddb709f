# SPDX-FileCopyrightText: The inertia_tools authors
# SPDX-License-Identifier: Apache-2.0
"""A convex geom against a triangle mesh or terrain: each triangle that is near, one side of it solid."""

from functools import lru_cache
from types import SimpleNamespace
from typing import Any

import warp as wp

from inertia_tools.sim.collide.collision_types import collision_types
from inertia_tools.sim.collide.manifold import manifold_functions
from inertia_tools.sim.collide.touching import touching_functions
from inertia_tools.sim.precision import Precision

LEAN = 1e-4
"""Normals that lean over an edge less than this, and edges that bend less, are taken for flat."""

BOUNDS_ROUNDING = 1e-6
"""What the boxes of the tree, in single precision, are widened by, over their coordinates."""


@lru_cache(maxsize=2)
def mesh_functions(p: Precision) -> Any:
    """Return the device functions of one precision."""
    scalar, vec3 = p.scalar, p.vec3
    types = collision_types(p)
    Colliders, Geom, Contact = types.Colliders, types.Geom, types.Contact
    functions, manifold = touching_functions(p), manifold_functions(p).manifold
    touching, separation, support = functions.touching, functions.separation, functions.support
    zero, lean = wp.constant(scalar(0.0)), wp.constant(scalar(LEAN))
    slack = wp.constant(scalar(BOUNDS_ROUNDING))

    @wp.func
    def allowed(colliders: Colliders, triangle: int, b: Geom, up: vec3, n: vec3) -> vec3:
        """Turn a normal back that leans over an edge farther than the neighbour's; all in the world.

        Without this a body that slides over the inner edges of a floor would stumble on them.
        """
        for e in range(3):
            edge = colliders.triangle[triangle, (e + 1) % 3] - colliders.triangle[triangle, e]
            out = wp.normalize(wp.cross(b.r * edge, up))
            beyond = b.r * colliders.beyond[triangle, e]
            if wp.dot(n, out) > lean and wp.length(beyond) > zero:
                bend = wp.dot(beyond, out)
                if bend <= lean:
                    n = up
                elif wp.dot(n, out) * wp.dot(beyond, up) > wp.dot(n, up) * bend:
                    n = beyond
        return n

    @wp.func
    def with_triangle(
        colliders: Colliders,
        a: Geom,
        middle: vec3,
        b: Geom,
        triangle: int,
        open_below: int,
        contacts: wp.array(dtype=Contact),
        first: int,
        count: int,
        limit: scalar,
    ) -> int:
        """Add the contacts of a geom, whose middle is at a place, with one triangle."""
        b.t0 = colliders.triangle[triangle, 0]
        b.t1 = colliders.triangle[triangle, 1]
        b.t2 = colliders.triangle[triangle, 2]
        across = wp.cross(b.t1 - b.t0, b.t2 - b.t0)
        if wp.length(across) == zero:
            return count
        up = b.r * wp.normalize(across)
        if open_below == 0 and wp.dot(up, middle - b.x - b.r * b.t0) < zero:
            return count
        b.reach = scalar(0.5) * wp.max(wp.length(b.t1 - b.t0), wp.max(wp.length(b.t2 - b.t1), wp.length(b.t0 - b.t2)))
        touch = touching(colliders, a, b, limit)
        if touch.state == 1:
            return count
        n = touch.normal
        if wp.dot(n, up) < lean:
            n = up
        n = allowed(colliders, triangle, b, up, n)
        if wp.dot(n, touch.normal) < scalar(1.0):
            gap = separation(colliders, a, b, n)
            if wp.dot(n, touch.normal) < scalar(0.999999):
                touch.on_a = support(colliders, a, -n) - a.radius * n
            touch.normal = n
            touch.gap = gap
            touch.on_b = touch.on_a - gap * n
        if touch.gap > limit:
            return count
        return manifold(colliders, a, b, touch, contacts, first, count, limit)

    @wp.func
    def with_mesh(
        colliders: Colliders,
        a: Geom,
        ca: int,
        b: Geom,
        cb: int,
        contacts: wp.array(dtype=Contact),
        first: int,
        limit: scalar,
    ) -> int:
        """Find the contacts of a convex geom with the triangles near it, and return how many there are."""
        middle = a.x + a.r * colliders.middle[ca]
        turn = wp.transpose(b.r) * a.r
        at = wp.transpose(b.r) * (middle - b.x)
        half = vec3()
        for i in range(3):
            half[i] = limit + slack * wp.abs(at[i])
            for j in range(3):
                half[i] = half[i] + wp.abs(turn[i, j]) * colliders.half[ca][j]
        low = at - half
        high = at + half
        if colliders.open_below[cb] == 1:
            high[2] = high[2] + a.reach
        query = wp.bvh_query_aabb(
            colliders.bvh[cb],
            wp.vec3(wp.float32(low[0]), wp.float32(low[1]), wp.float32(low[2])),
            wp.vec3(wp.float32(high[0]), wp.float32(high[1]), wp.float32(high[2])),
        )
        count = int(0)
        item = int(0)
        start = colliders.first_triangle[cb]
        below = colliders.open_below[cb]
        while wp.bvh_query_next(query, item):
            count = with_triangle(colliders, a, middle, b, start + item, below, contacts, first, count, limit)
        return count

    return SimpleNamespace(with_mesh=with_mesh)
