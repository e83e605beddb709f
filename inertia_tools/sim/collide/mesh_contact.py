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
from inertia_tools.sim.device.precision import Precision

LEAN = 1e-4
"""Edges that bend less than this are taken for flat [rad]."""

UNSURE = {"float32": 3e-6, "float64": 3e-11}
"""Error of a nearest point, over the size of the shapes; over the gap, it is that of the normal."""

LEAST_SLACK = {"float32": 2e-3, "float64": 1e-6}
MOST_SLACK = 0.01
"""Bounds of the angle that a normal may lean over an edge too far [rad]: the root of what the distance is known to."""

FEATURES_TOLD = 2**22
TRIANGLES_TOLD = 2**9 - 1
"""Features of triangles are different numbers, but for those of every so many."""

BESIDE = 0.9
"""Where a normal leans too far, but is as near to the triangle's as this cosine, the triangle counts where it lies
below: a face that is tilted a little touches the triangles under all its corners, each of which would call another
nearer."""

BOUNDS_ROUNDING = 1e-6
"""What the boxes of the tree, in single precision, are widened by, over their coordinates."""


@lru_cache(maxsize=2)
def mesh_functions(p: Precision) -> Any:
    """Return the device functions of one precision."""
    scalar, vec3 = p.scalar, p.vec3
    types = collision_types(p)
    Colliders, Geom, Touch, Contact = types.Colliders, types.Geom, types.Touch, types.Contact
    functions, manifold = touching_functions(p), manifold_functions(p).manifold
    touching, separation, support = functions.touching, functions.separation, functions.support
    zero, lean = wp.constant(scalar(0.0)), wp.constant(scalar(LEAN))
    least_slack, most_slack = wp.constant(scalar(LEAST_SLACK[p.name])), wp.constant(scalar(MOST_SLACK))
    beside = wp.constant(scalar(BESIDE))
    widening, unsure = wp.constant(scalar(BOUNDS_ROUNDING)), wp.constant(scalar(UNSURE[p.name]))

    @wp.func
    def leans_too_far(colliders: Colliders, triangle: int, b: Geom, up: vec3, n: vec3, slack: scalar) -> int:
        """Tell over what edge a normal leans farther than the neighbour: 0 none, 1 a flat or inner one, 2 an outer.

        Then the neighbour is what touches. Without this a body that slides over a floor would stumble on its edges.
        """
        worst = int(0)
        for e in range(3):
            edge = colliders.triangle[triangle, (e + 1) % 3] - colliders.triangle[triangle, e]
            out = wp.normalize(wp.cross(b.r * edge, up))
            beyond = b.r * colliders.beyond[triangle, e]
            if wp.dot(n, out) > slack and wp.length(beyond) > zero:
                bend = wp.dot(beyond, out)
                if bend <= lean:
                    worst = wp.max(worst, 1)
                elif wp.dot(n, out) * wp.dot(beyond, up) > wp.dot(n, up) * bend + slack:
                    worst = int(2)
        return worst

    @wp.func
    def upward(colliders: Colliders, a: Geom, b: Geom, up: vec3, touch: Touch) -> Touch:
        """Take the triangle's own normal."""
        touch.normal = up
        touch.gap = separation(colliders, a, b, up)
        touch.on_a = support(colliders, a, -up) - a.radius * up
        touch.on_b = touch.on_a - touch.gap * up
        return touch

    @wp.func
    def with_triangle(
        colliders: Colliders,
        a: Geom,
        middle: vec3,
        b: Geom,
        triangle: int,
        open_below: int,
        insist: int,
        passed_over: wp.array(dtype=wp.int32),
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
        facing = wp.dot(touch.normal, up)
        if facing < -lean:  # seen from behind
            if open_below == 0 or touch.gap > zero:
                return count
            touch = upward(colliders, a, b, up, touch)
            if facing > -beside and insist == 0:  # past an edge
                passed_over[0] = int(1)
                touch.state = int(3)
        else:
            slack = least_slack
            if touch.gap > zero:
                slack = wp.clamp(unsure * (a.reach + b.reach) / touch.gap, least_slack, most_slack)
            leaning = leans_too_far(colliders, triangle, b, up, touch.normal, slack)
            if leaning == 1 and touch.gap <= zero:
                passed_over[0] = int(1)
            deep = touch.gap <= zero and (open_below == 1 or (leaning == 1 and insist == 1))
            if leaning > 0:
                if not (deep or facing > beside):
                    return count
                touch = upward(colliders, a, b, up, touch)
                if insist == 0 or leaning == 2 or facing > beside:
                    touch.state = int(3)
        if touch.gap > limit:
            return count
        return manifold(
            colliders, a, b, touch, contacts, first, count, limit, FEATURES_TOLD * (triangle % TRIANGLES_TOLD)
        )

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
        """Find the contacts of a convex geom with the triangles near it, and return how many there are.

        When none overlaps, those are asked again whose nearest way out was over an inner edge: what lies deep astride
        of an edge would find each triangle too small.
        """
        middle = a.x + a.r * colliders.middle[ca]
        turn = wp.transpose(b.r) * a.r
        at = wp.transpose(b.r) * (middle - b.x)
        half = vec3()
        for i in range(3):
            half[i] = limit + widening * wp.abs(at[i])
            for j in range(3):
                half[i] = half[i] + wp.abs(turn[i, j]) * colliders.half[ca][j]
        low = at - half
        high = at + half
        if colliders.open_below[cb] == 1:
            high[2] = high[2] + a.reach
        count = int(0)
        item = int(0)
        start = colliders.first_triangle[cb]
        below = colliders.open_below[cb]
        passed_over = wp.zeros(shape=(1,), dtype=wp.int32)
        for insist in range(2):
            query = wp.bvh_query_aabb(
                colliders.bvh[cb],
                wp.vec3(wp.float32(low[0]), wp.float32(low[1]), wp.float32(low[2])),
                wp.vec3(wp.float32(high[0]), wp.float32(high[1]), wp.float32(high[2])),
            )
            while wp.bvh_query_next(query, item):
                triangle = start + item
                count = with_triangle(
                    colliders, a, middle, b, triangle, below, insist, passed_over, contacts, first, count, limit
                )
            if passed_over[0] == 0:
                return count
            for i in range(first, first + count):
                if contacts[i].gap < zero:
                    return count
        return count

    return SimpleNamespace(with_mesh=with_mesh)
