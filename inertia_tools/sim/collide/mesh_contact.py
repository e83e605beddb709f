# SPDX-FileCopyrightText: The inertia_tools authors
# SPDX-License-Identifier: Apache-2.0
"""Contacts of a convex geom with a triangle mesh or terrain.

Each triangle near the geom is a convex shape with one solid side. A bounding volume hierarchy finds the triangles, GJK
and EPA find the contact with each, and `leaning` decides whether it belongs to a neighbour triangle.
"""

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
"""Error of a witness point, relative to the size of the shapes. Divided by the gap, it is the error of the normal."""

LEAST_SLACK = {"float32": 2e-3, "float64": 1e-6}
MOST_SLACK = 0.01
"""Bounds of the angle by which a normal may lean too far over an edge [rad]; the lower one is the square root of the
relative error of the distance."""

FEATURES_A_TRIANGLE = 2**22
TRIANGLE_TAGS = 2**9 - 1
"""Feature numbers differ between triangles, except triangles whose indices differ by a multiple of `TRIANGLE_TAGS`."""

BESIDE = 0.9
"""If a normal leans too far but its cosine with the normal of the triangle is at least this, the triangle still counts
for the part of the geom above it. A slightly tilted face touches the triangles under all its corners, and for each of
them the contact would belong to a neighbour."""

BURIED = 0.01
"""A shape deeper under terrain than this, relative to its size, is also pushed up by the triangle above it that it does
not touch. At smaller depths such a triangle beyond an edge would appear and disappear, and a body on the edge would
gain energy."""

SEARCH_FLAGS = 3
"""Flags of the search among triangles: whether overlaps were deferred to neighbours across flat or concave edges;
whether the search accepts deferred overlaps; and, counted from one, the rejected overlapping triangle of least
depth."""

AHEAD = 97
"""Length of the list of triangles beyond concave edges: their number, then at most one less than this many of them."""

BOUNDS_ROUNDING = 1e-6
"""Boxes for the hierarchy, in single precision, are widened by this, relative to their coordinates."""


@lru_cache(maxsize=2)
def mesh_functions(p: Precision) -> Any:
    """Return the device functions of one precision."""
    scalar, vec3 = p.scalar, p.vec3
    types = collision_types(p)
    Colliders, Geom, Touch, Contact = wp.ref[types.Colliders], types.Geom, types.Touch, types.Contact
    functions, manifold = touching_functions(p), manifold_functions(p).manifold
    along_plane = manifold_functions(p).along_plane
    touch_between, separation, support = functions.touch_between, functions.separation, functions.support
    zero, lean = wp.constant(scalar(0.0)), wp.constant(scalar(LEAN))
    deepest = wp.constant(scalar(np.finfo(p.name).min))
    least_slack, most_slack = wp.constant(scalar(LEAST_SLACK[p.name])), wp.constant(scalar(MOST_SLACK))
    buried = wp.constant(scalar(BURIED))
    deferred, accepts_deferred, rejected = (wp.constant(i) for i in range(SEARCH_FLAGS))
    beside, leans_too_far = wp.constant(scalar(BESIDE)), leaning_functions(p).leans_too_far
    leans_over_valley = leaning_functions(p).leans_over_valley
    is_inside, nearest_triangle = inside_functions(p).is_inside, inside_functions(p).nearest_triangle
    most_ahead = wp.constant(AHEAD - 1)
    widening, unsure = wp.constant(scalar(BOUNDS_ROUNDING)), wp.constant(scalar(UNSURE[p.name]))
    rounding = wp.constant(scalar(ROUNDING[p.name]))

    @wp.func
    def single(v: vec3) -> wp.vec3:
        """Return a vector in single precision, the precision of the hierarchy."""
        return wp.vec3(wp.float32(v[0]), wp.float32(v[1]), wp.float32(v[2]))

    @wp.func
    def lies_over(b: Geom, up: vec3, point: vec3) -> bool:
        """Return whether the projection of a point of the world onto a triangle is inside it.

        The projection is along the normal of the triangle, or along z for terrain.
        """
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
    def touch_along_normal(colliders: Colliders, a: Geom, b: Geom, up: vec3, touch: Touch) -> Touch:
        """Return the touch along the normal of the triangle instead of the shortest direction."""
        touch.normal = up
        touch.gap = separation(colliders, a, b, up)
        touch.on_a = support(colliders, a, -up) - a.radius * up
        touch.on_b = touch.on_a - touch.gap * up
        return touch

    @wp.func
    def triangle_geom(colliders: Colliders, b: Geom, triangle: int) -> Geom:
        """Return the geom of one triangle of a mesh."""
        b.t0 = colliders.triangle[triangle, 0]
        b.t1 = colliders.triangle[triangle, 1]
        b.t2 = colliders.triangle[triangle, 2]
        b.reach = scalar(0.5) * wp.max(wp.length(b.t1 - b.t0), wp.max(wp.length(b.t2 - b.t1), wp.length(b.t0 - b.t2)))
        return b

    @wp.func
    def touch_under_terrain(
        colliders: Colliders, a: Geom, middle: vec3, b: Geom, up: vec3, touch: Touch, flags: wp.array(dtype=wp.int32)
    ) -> Touch:
        """Return the touch with a triangle of terrain that is behind the geom or far away, from the depth below it.

        State 1 means no contact, state 3 the clipped patch only.
        """
        apart = touch.state == 1 or touch.gap > zero
        past_edge = wp.dot(touch.normal, up) > -beside
        touch = touch_along_normal(colliders, a, b, up, touch)
        middle_is_under = wp.dot(up, middle - b.x - b.r * b.t0) < zero and lies_over(b, up, middle)
        under = middle_is_under or (touch.gap < -buried * a.reach and lies_over(b, up, touch.on_a))
        touch.state = int(0)
        if apart and not under:
            touch.state = int(1)
        elif not under and past_edge and flags[accepts_deferred] == 0:
            flags[deferred] = int(1)
            touch.state = int(3)
        return touch

    @wp.func
    def record_rejected(
        colliders: Colliders,
        a: Geom,
        b: Geom,
        triangle: int,
        up: vec3,
        touch: Touch,
        flags: wp.array(dtype=wp.int32),
        least_depth: wp.array(dtype=scalar),
    ):
        """Record a rejected overlapping triangle if its depth along its normal is less than that of the recorded one.

        A geom behind a triangle that touches its edge overlaps it by rounding only, which does not count.
        """
        gap = separation(colliders, a, b, up)
        overlaps = touch.gap < -scalar(10.0) * rounding * (a.reach + b.reach)
        if overlaps and (flags[rejected] == 0 or gap > least_depth[0]):
            flags[rejected] = triangle + 1
            least_depth[0] = gap

    @wp.func
    def may_be_flush(
        colliders: Colliders, a: Geom, b: Geom, triangle: int, up: vec3, touch: Touch, slack: scalar
    ) -> bool:
        """Return whether a normal leans over an edge that is not convex, but by no more than its error."""
        if wp.length(wp.cross(touch.normal, up)) > slack:
            return False
        return leans_too_far(colliders, triangle, a, b, up, touch, zero) == 1

    @wp.func(inline=False)
    def touch_in_front(
        colliders: Colliders,
        a: Geom,
        b: Geom,
        triangle: int,
        up: vec3,
        touch: Touch,
        limit: scalar,
        flags: wp.array(dtype=wp.int32),
        ahead: wp.array(dtype=wp.int32),
        least_depth: wp.array(dtype=scalar),
    ) -> Touch:
        """Return the touch with a triangle seen from its front: as found, along its normal, or with state 1.

        State 1 leaves the contact to a neighbour triangle; with state 3 only the clipped patch counts. A normal that
        may be that of the triangle becomes so; otherwise it turns with a face of the geom that lands flat.
        """
        slack = least_slack
        if touch.gap > zero:
            slack = wp.clamp(unsure * (a.reach + b.reach) / touch.gap, least_slack, most_slack)
        leaning = leans_too_far(colliders, triangle, a, b, up, touch, slack)
        facing = wp.dot(touch.normal, up)
        overlaps = touch.gap <= zero
        if leaning == 0:
            if facing < -beside:
                touch.state = int(1)
            elif may_be_flush(colliders, a, b, triangle, up, touch, slack):
                touch = touch_along_normal(colliders, a, b, up, touch)
                touch.state = wp.where(lies_over(b, up, touch.on_a), int(0), int(3))
            return touch
        if overlaps and leaning == 1:
            flags[deferred] = int(1)
        deep = overlaps and (b.terrain >= 0 or (leaning == 1 and flags[accepts_deferred] == 1))
        if overlaps:
            record_rejected(colliders, a, b, triangle, up, touch, flags, least_depth)
        if not (deep or facing > beside):
            touch.state = int(1)
            return touch
        valley = bool(not overlaps and leaning == 1)
        if valley:
            valley = leans_over_valley(colliders, triangle, b, up, touch, slack)
        touch = touch_along_normal(colliders, a, b, up, touch)
        if valley and touch.gap > zero and touch.gap < limit and ahead[0] < most_ahead:
            ahead[0] += 1
            ahead[ahead[0]] = triangle
        needs_patch = flags[accepts_deferred] == 0 or leaning == 2 or facing > beside
        if needs_patch and not (touch.gap < zero and lies_over(b, up, touch.on_a)):
            touch.state = int(3)
        return touch

    @wp.func(inline=False)
    def touch_of_triangle(
        colliders: Colliders,
        a: Geom,
        middle: vec3,
        b: Geom,
        triangle: int,
        up: vec3,
        limit: scalar,
        flags: wp.array(dtype=wp.int32),
        ahead: wp.array(dtype=wp.int32),
        least_depth: wp.array(dtype=scalar),
    ) -> Touch:
        """Return the touch of a geom, whose centre is `middle`, with one triangle.

        The state is 1 if the triangle gets no contact.
        """
        foot = b.x + b.r * b.t0
        if b.terrain < 0 and wp.dot(up, support(colliders, a, up) - foot) + a.radius < zero:
            touch = Touch()
            touch.state = int(1)  # the geom is entirely behind the triangle
            return touch
        touch = touch_between(colliders, a, b, limit)
        facing = wp.dot(touch.normal, up)
        if b.terrain >= 0 and (touch.state == 1 or facing < -lean):
            return touch_under_terrain(colliders, a, middle, b, up, touch, flags)
        if touch.state == 1:
            return touch
        if b.terrain < 0 and touch.gap <= zero and (facing < -lean or wp.dot(up, middle - foot) < zero):
            record_rejected(colliders, a, b, triangle, up, touch, flags, least_depth)
            touch.state = int(1)
            return touch
        return touch_in_front(colliders, a, b, triangle, up, touch, limit, flags, ahead, least_depth)

    @wp.func
    def add_triangle(
        colliders: Colliders,
        a: Geom,
        middle: vec3,
        b: Geom,
        triangle: int,
        flags: wp.array(dtype=wp.int32),
        ahead: wp.array(dtype=wp.int32),
        least_depth: wp.array(dtype=scalar),
        contacts: wp.array(dtype=Contact),
        first: int,
        count: int,
        limit: scalar,
    ) -> int:
        """Add the contacts of a geom, whose centre is `middle`, with one triangle; return the number of contacts."""
        b = triangle_geom(colliders, b, triangle)
        across = wp.cross(b.t1 - b.t0, b.t2 - b.t0)
        if wp.length(across) == zero:
            return count
        up = b.r * wp.normalize(across)
        touch = touch_of_triangle(colliders, a, middle, b, triangle, up, limit, flags, ahead, least_depth)
        if touch.state == 1 or touch.gap > limit:
            return count
        tag = FEATURES_A_TRIANGLE * (triangle % TRIANGLE_TAGS)
        return manifold(colliders, a, b, touch, contacts, first, count, limit, tag)

    @wp.func
    def add_plane_of(
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
        """Add the contacts of a geom with the plane of a triangle that have at least a gap of `least` [m].

        A round side touches the plane along the extent of the triangle, even if it is not above the triangle yet.
        """
        b = triangle_geom(colliders, b, triangle)
        up = b.r * wp.normalize(wp.cross(b.t1 - b.t0, b.t2 - b.t0))
        touch = touch_along_normal(colliders, a, b, up, Touch())
        if touch.gap < least or touch.gap > limit:
            return count
        tag = FEATURES_A_TRIANGLE * (triangle % TRIANGLE_TAGS)
        before = count
        count = along_plane(colliders, a, b, up, contacts, first, count, least, limit, tag)
        if count > before:
            return count
        return manifold(colliders, a, b, touch, contacts, first, count, limit, tag)

    @wp.func(inline=False)
    def add_planes_ahead(
        colliders: Colliders,
        a: Geom,
        b: Geom,
        ahead: wp.array(dtype=wp.int32),
        contacts: wp.array(dtype=Contact),
        first: int,
        count: int,
        limit: scalar,
    ) -> int:
        """Add contacts with the planes of triangles beyond concave edges, none nearer than the nearest contact so far.

        A rolling body reaches such a plane within the step. If the contact were found in the next step only, the body
        would sink in, be pushed out, and gain energy.
        """
        nearest = limit
        for i in range(first, first + count):
            nearest = wp.min(nearest, contacts[i].gap)
        if count > 0:
            for i in range(ahead[0]):
                count = add_plane_of(colliders, a, b, ahead[i + 1], contacts, first, count, nearest, limit)
        return count

    @wp.func
    def has_overlap(contacts: wp.array(dtype=Contact), first: int, count: int) -> bool:
        """Return whether any contact of the pair has a negative gap."""
        for i in range(first, first + count):
            if contacts[i].gap < zero:
                return True
        return False

    @wp.func
    def search_box(colliders: Colliders, a: Geom, ca: int, b: Geom, cb: int, middle: vec3, limit: scalar):
        """Return the corners of the box, in the frame of a mesh, in which triangles may be near a geom.

        Terrain is solid below its triangles, so the box extends to its top.
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
    def exit_triangle(
        colliders: Colliders, a: Geom, b: Geom, cb: int, middle: vec3, count: int, flags: wp.array(dtype=wp.int32)
    ) -> int:
        """Return the triangle through whose plane a geom leaves a closed mesh; -1 if there is none.

        `count` is the number of contacts found so far.
        """
        triangle = flags[rejected] - 1
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
        """Write the contacts of a convex geom with the nearby triangles of a mesh, and return the number of contacts.

        If none of them overlaps, a second pass accepts triangles whose contact was deferred to a neighbour: for a geom
        deep across an edge, each triangle is too small by itself. A geom inside a closed mesh leaves by the shortest
        way.
        """
        if colliders.open_below[cb] == 1:
            b.terrain = cb
        middle = a.x + a.r * colliders.middle[ca]
        low, high = search_box(colliders, a, ca, b, cb, middle, limit)
        count = int(0)
        item = int(0)
        flags = wp.zeros(shape=(SEARCH_FLAGS,), dtype=wp.int32)
        least_depth = wp.zeros(shape=(1,), dtype=scalar)
        ahead = wp.zeros(shape=(AHEAD,), dtype=wp.int32)
        for second_pass in range(2):
            flags[accepts_deferred] = second_pass
            ahead[0] = 0
            query = wp.bvh_query_aabb(colliders.bvh[cb], low, high)
            while wp.bvh_query_next(query, item):
                triangle = colliders.first_triangle[cb] + item
                count = add_triangle(
                    colliders, a, middle, b, triangle, flags, ahead, least_depth, contacts, first, count, limit
                )
            if flags[deferred] == 0 or has_overlap(contacts, first, count):
                break
        count = add_planes_ahead(colliders, a, b, ahead, contacts, first, count, limit)
        is_solid = colliders.closed[cb] == 1 or b.terrain >= 0
        if not is_solid or has_overlap(contacts, first, count):
            return count
        across = exit_triangle(colliders, a, b, cb, middle, count, flags)
        if across < 0:
            return count
        return add_plane_of(colliders, a, b, across, contacts, first, count, deepest, limit)

    return SimpleNamespace(with_mesh=with_mesh)
