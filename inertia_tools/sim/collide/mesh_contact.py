# SPDX-FileCopyrightText: The inertia_tools authors
# SPDX-License-Identifier: Apache-2.0
"""A convex geom against a triangle mesh or terrain: each triangle that is near, one side of it solid."""

from functools import lru_cache
from types import SimpleNamespace
from typing import Any

import numpy as np
import warp as wp

from inertia_tools.sim.collide.inside import inside_functions
from inertia_tools.sim.collide.leaning import LEAN, leaning_functions
from inertia_tools.sim.collide.manifold import manifold_functions
from inertia_tools.sim.collide.touching import ROUNDING, touching_functions
from inertia_tools.sim.kernels.collision_types import collision_types
from inertia_tools.sim.kernels.precision import Precision

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

BURIED = 0.01
"""What is deeper under terrain than this, over its size, is pushed up by the triangle above it too, though it may not
touch it. Less deep, such a triangle beyond an edge would come and go, and what stands on the edge would gain energy."""

NOTES = 3
"""What the search among triangles remembers: whether overlaps were left to neighbours over inner edges, whether it
insists on them, and of what overlaps and is not taken the triangle that is easiest to leave, counted from one."""

AHEAD = 97
"""Triangles beyond valleys that are looked at, at most, and their number."""

BOUNDS_ROUNDING = 1e-6
"""What the boxes of the tree, in single precision, are widened by, over their coordinates."""


@lru_cache(maxsize=2)
def mesh_functions(p: Precision) -> Any:
    """Return the device functions of one precision."""
    scalar, vec3 = p.scalar, p.vec3
    types = collision_types(p)
    Colliders, Geom, Touch, Contact = wp.ref[types.Colliders], types.Geom, types.Touch, types.Contact
    functions, manifold = touching_functions(p), manifold_functions(p).manifold
    along_plane = manifold_functions(p).along_plane
    touching, separation, support = functions.touching, functions.separation, functions.support
    zero, lean = wp.constant(scalar(0.0)), wp.constant(scalar(LEAN))
    deepest = wp.constant(scalar(np.finfo(p.name).min))
    least_slack, most_slack = wp.constant(scalar(LEAST_SLACK[p.name])), wp.constant(scalar(MOST_SLACK))
    buried = wp.constant(scalar(BURIED))
    passed_over, insisting, untaken = (wp.constant(i) for i in range(NOTES))
    beside, leans_too_far = wp.constant(scalar(BESIDE)), leaning_functions(p).leans_too_far
    leans_over_valley = leaning_functions(p).leans_over_valley
    is_inside, nearest_triangle = inside_functions(p).is_inside, inside_functions(p).nearest_triangle
    most_ahead = wp.constant(AHEAD - 1)
    widening, unsure = wp.constant(scalar(BOUNDS_ROUNDING)), wp.constant(scalar(UNSURE[p.name]))
    rounding = wp.constant(scalar(ROUNDING[p.name]))

    @wp.func
    def single(v: vec3) -> wp.vec3:
        """Return a vector as the tree of triangles takes it."""
        return wp.vec3(wp.float32(v[0]), wp.float32(v[1]), wp.float32(v[2]))

    @wp.func
    def lies_over(b: Geom, up: vec3, point: vec3) -> bool:
        """Tell whether a point of the world is above or below a triangle: along its normal, or z of terrain."""
        local = wp.transpose(b.r) * (point - b.x)
        axis = wp.transpose(b.r) * up
        if b.terrain >= 0:
            axis = vec3(zero, zero, scalar(1.0))
        outside = wp.max(
            wp.dot(wp.cross(b.t1 - b.t0, axis), local - b.t0),
            wp.max(
                wp.dot(wp.cross(b.t2 - b.t1, axis), local - b.t1), wp.dot(wp.cross(b.t0 - b.t2, axis), local - b.t2)
            ),
        )
        return outside <= widening * b.reach * b.reach

    @wp.func
    def upward(colliders: Colliders, a: Geom, b: Geom, up: vec3, touch: Touch) -> Touch:
        """Take the triangle's own normal."""
        touch.normal = up
        touch.gap = separation(colliders, a, b, up)
        touch.on_a = support(colliders, a, -up) - a.radius * up
        touch.on_b = touch.on_a - touch.gap * up
        return touch

    @wp.func
    def laid(colliders: Colliders, b: Geom, triangle: int) -> Geom:
        """Let a geom be one of its triangles."""
        b.t0 = colliders.triangle[triangle, 0]
        b.t1 = colliders.triangle[triangle, 1]
        b.t2 = colliders.triangle[triangle, 2]
        b.reach = scalar(0.5) * wp.max(wp.length(b.t1 - b.t0), wp.max(wp.length(b.t2 - b.t1), wp.length(b.t0 - b.t2)))
        return b

    @wp.func
    def under_terrain(
        colliders: Colliders, a: Geom, middle: vec3, b: Geom, up: vec3, touch: Touch, seen: wp.array(dtype=wp.int32)
    ) -> Touch:
        """Judge a triangle of terrain that is seen from behind, or is far, by what is under it."""
        apart = touch.state == 1 or touch.gap > zero
        past_edge = wp.dot(touch.normal, up) > -beside
        touch = upward(colliders, a, b, up, touch)
        middle_is_under = wp.dot(up, middle - b.x - b.r * b.t0) < zero and lies_over(b, up, middle)
        under = middle_is_under or (touch.gap < -buried * a.reach and lies_over(b, up, touch.on_a))
        touch.state = int(0)
        if apart and not under:
            touch.state = int(1)
        elif not under and past_edge and seen[insisting] == 0:
            seen[passed_over] = int(1)
            touch.state = int(3)
        return touch

    @wp.func
    def note(
        colliders: Colliders,
        a: Geom,
        b: Geom,
        triangle: int,
        up: vec3,
        touch: Touch,
        seen: wp.array(dtype=wp.int32),
        easiest: wp.array(dtype=scalar),
    ):
        """Remember a triangle that overlaps and is not taken, if it is easier to leave than others.

        What rounding makes of one that is touched at an edge, behind which the geom is, is no overlap.
        """
        gap = separation(colliders, a, b, up)
        overlaps = touch.gap < -scalar(10.0) * rounding * (a.reach + b.reach)
        if overlaps and (seen[untaken] == 0 or gap > easiest[0]):
            seen[untaken] = triangle + 1
            easiest[0] = gap

    @wp.func(inline=False)
    def before_triangle(
        colliders: Colliders,
        a: Geom,
        b: Geom,
        triangle: int,
        up: vec3,
        touch: Touch,
        limit: scalar,
        seen: wp.array(dtype=wp.int32),
        ahead: wp.array(dtype=wp.int32),
        easiest: wp.array(dtype=scalar),
    ) -> Touch:
        """Judge a triangle that is seen from its front: take it, its own normal, or leave it to the neighbours."""
        slack = least_slack
        if touch.gap > zero:
            slack = wp.clamp(unsure * (a.reach + b.reach) / touch.gap, least_slack, most_slack)
        leaning = leans_too_far(colliders, triangle, a, b, up, touch, slack)
        facing = wp.dot(touch.normal, up)
        overlaps = touch.gap <= zero
        if leaning == 0:
            if facing < -beside:
                touch.state = int(1)
            return touch
        if overlaps and leaning == 1:
            seen[passed_over] = int(1)
        deep = overlaps and (b.terrain >= 0 or (leaning == 1 and seen[insisting] == 1))
        if overlaps:
            note(colliders, a, b, triangle, up, touch, seen, easiest)
        if not (deep or facing > beside):
            touch.state = int(1)
            return touch
        valley = bool(not overlaps and leaning == 1)
        if valley:
            valley = leans_over_valley(colliders, triangle, b, up, touch, slack)
        touch = upward(colliders, a, b, up, touch)
        if valley and touch.gap > zero and touch.gap < limit and ahead[0] < most_ahead:
            ahead[0] += 1
            ahead[ahead[0]] = triangle
        alone = seen[insisting] == 0 or leaning == 2 or facing > beside
        if alone and not (touch.gap < zero and lies_over(b, up, touch.on_a)):
            touch.state = int(3)
        return touch

    @wp.func(inline=False)
    def judged(
        colliders: Colliders,
        a: Geom,
        middle: vec3,
        b: Geom,
        triangle: int,
        up: vec3,
        limit: scalar,
        seen: wp.array(dtype=wp.int32),
        ahead: wp.array(dtype=wp.int32),
        easiest: wp.array(dtype=scalar),
    ) -> Touch:
        """Find how a geom, whose middle is at a place, lies to one triangle; state 1 when that does not touch it."""
        foot = b.x + b.r * b.t0
        if b.terrain < 0 and wp.dot(up, support(colliders, a, up) - foot) + a.radius < zero:
            touch = Touch()
            touch.state = int(1)  # all of it is behind
            return touch
        touch = touching(colliders, a, b, limit)
        facing = wp.dot(touch.normal, up)
        if b.terrain >= 0 and (touch.state == 1 or facing < -lean):
            return under_terrain(colliders, a, middle, b, up, touch, seen)
        if touch.state == 1:
            return touch
        if b.terrain < 0 and touch.gap <= zero and (facing < -lean or wp.dot(up, middle - foot) < zero):
            note(colliders, a, b, triangle, up, touch, seen, easiest)
            touch.state = int(1)
            return touch
        return before_triangle(colliders, a, b, triangle, up, touch, limit, seen, ahead, easiest)

    @wp.func
    def with_triangle(
        colliders: Colliders,
        a: Geom,
        middle: vec3,
        b: Geom,
        triangle: int,
        seen: wp.array(dtype=wp.int32),
        ahead: wp.array(dtype=wp.int32),
        easiest: wp.array(dtype=scalar),
        contacts: wp.array(dtype=Contact),
        first: int,
        count: int,
        limit: scalar,
    ) -> int:
        """Add the contacts of a geom, whose middle is at a place, with one triangle."""
        b = laid(colliders, b, triangle)
        across = wp.cross(b.t1 - b.t0, b.t2 - b.t0)
        if wp.length(across) == zero:
            return count
        up = b.r * wp.normalize(across)
        touch = judged(colliders, a, middle, b, triangle, up, limit, seen, ahead, easiest)
        if touch.state == 1 or touch.gap > limit:
            return count
        tag = FEATURES_TOLD * (triangle % TRIANGLES_TOLD)
        return manifold(colliders, a, b, touch, contacts, first, count, limit, tag)

    @wp.func
    def on_plane_of(
        colliders: Colliders,
        a: Geom,
        b: Geom,
        triangle: int,
        contacts: wp.array(dtype=Contact),
        first: int,
        count: int,
        least: scalar,
        limit: scalar,
    ) -> int:
        """Add the contacts of a geom with the plane of a triangle, if they are no nearer than the least gap.

        A round side touches it as far as the triangle goes, though it may not be over the triangle yet.
        """
        b = laid(colliders, b, triangle)
        up = b.r * wp.normalize(wp.cross(b.t1 - b.t0, b.t2 - b.t0))
        touch = upward(colliders, a, b, up, Touch())
        if touch.gap < least or touch.gap > limit:
            return count
        tag = FEATURES_TOLD * (triangle % TRIANGLES_TOLD)
        before = count
        count = along_plane(colliders, a, b, up, contacts, first, count, least, limit, tag)
        if count > before:
            return count
        return manifold(colliders, a, b, touch, contacts, first, count, limit, tag)

    @wp.func(inline=False)
    def with_planes_ahead(
        colliders: Colliders,
        a: Geom,
        b: Geom,
        ahead: wp.array(dtype=wp.int32),
        contacts: wp.array(dtype=Contact),
        first: int,
        count: int,
        limit: scalar,
    ) -> int:
        """Add the contacts with planes of triangles beyond valleys, none of which is nearer than what is nearest now.

        What rolls comes onto them within a step; where they were found in the next one only, it sank in, was pushed
        out, and gained energy.
        """
        nearest = limit
        for i in range(first, first + count):
            nearest = wp.min(nearest, contacts[i].gap)
        if count > 0:
            for i in range(ahead[0]):
                count = on_plane_of(colliders, a, b, ahead[i + 1], contacts, first, count, nearest, limit)
        return count

    @wp.func
    def overlap_is_known(contacts: wp.array(dtype=Contact), first: int, count: int) -> bool:
        for i in range(first, first + count):
            if contacts[i].gap < zero:
                return True
        return False

    @wp.func
    def box_around(colliders: Colliders, a: Geom, ca: int, b: Geom, cb: int, middle: vec3, limit: scalar):
        """Return the corners of the box, in axes of a mesh, in which triangles may be near a geom.

        Terrain is solid below its triangles: all of those above count.
        """
        turn = wp.transpose(b.r) * a.r
        at = wp.transpose(b.r) * (middle - b.x)
        half = vec3()
        for i in range(3):
            half[i] = limit + widening * wp.abs(at[i])
            for j in range(3):
                half[i] = half[i] + wp.abs(turn[i, j]) * colliders.half[ca][j]
        low = at - half
        high = at + half
        if b.terrain >= 0:
            high[2] = wp.max(high[2], colliders.middle[cb][2] + colliders.half[cb][2])
        return single(low), single(high)

    @wp.func
    def way_out(
        colliders: Colliders, a: Geom, b: Geom, cb: int, middle: vec3, count: int, seen: wp.array(dtype=wp.int32)
    ) -> int:
        """Return the triangle across whose plane a geom with so many contacts leaves a closed mesh, or -1."""
        triangle = seen[untaken] - 1
        at = wp.transpose(b.r) * (middle - b.x)
        if b.terrain < 0 and count == 0 and triangle < 0 and is_inside(colliders, cb, at):
            triangle = nearest_triangle(colliders, cb, at, a.reach)
        return triangle

    @wp.func(inline=False)
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
        of an edge would find each triangle too small. What is inside a closed mesh goes out by the shortest way.
        """
        if colliders.open_below[cb] == 1:
            b.terrain = cb
        middle = a.x + a.r * colliders.middle[ca]
        low, high = box_around(colliders, a, ca, b, cb, middle, limit)
        count = int(0)
        item = int(0)
        seen = wp.zeros(shape=(NOTES,), dtype=wp.int32)
        easiest = wp.zeros(shape=(1,), dtype=scalar)
        ahead = wp.zeros(shape=(AHEAD,), dtype=wp.int32)
        for insist in range(2):
            seen[insisting] = insist
            ahead[0] = 0
            query = wp.bvh_query_aabb(colliders.bvh[cb], low, high)
            while wp.bvh_query_next(query, item):
                triangle = colliders.first_triangle[cb] + item
                count = with_triangle(
                    colliders, a, middle, b, triangle, seen, ahead, easiest, contacts, first, count, limit
                )
            if seen[passed_over] == 0 or overlap_is_known(contacts, first, count):
                break
        count = with_planes_ahead(colliders, a, b, ahead, contacts, first, count, limit)
        is_solid = colliders.closed[cb] == 1 or b.terrain >= 0
        if not is_solid or overlap_is_known(contacts, first, count):
            return count
        across = way_out(colliders, a, b, cb, middle, count, seen)
        if across < 0:
            return count
        return on_plane_of(colliders, a, b, across, contacts, first, count, deepest, limit)

    return SimpleNamespace(with_mesh=with_mesh)
