# SPDX-FileCopyrightText: The inertia_tools authors
# SPDX-License-Identifier: Apache-2.0
"""Distance of two disjoint convex cores: the GJK algorithm (Gilbert, Johnson, Keerthi 1988).

GJK finds the point of the Minkowski difference of a and b that is nearest to the origin. It keeps a simplex of at most
four support points and replaces it by the smallest face that contains the nearest point. A core is a geom without its
rounding radius: a sphere's core is its centre, a capsule's core is its axis segment.
"""

from functools import lru_cache
from types import SimpleNamespace
from typing import Any

import warp as wp

from inertia_tools.sim.collide.support import support_functions
from inertia_tools.sim.kernels.collision_types import collision_types
from inertia_tools.sim.kernels.precision import Precision

MAX_ITERATIONS = 80
"""Maximum number of iterations; polytopes take about 5 and smooth shapes about 20."""

ACCURACY = {"float32": 2e-7, "float64": 1e-13}
"""The search stops when the relative excess of the squared distance over its lower bound falls below this."""

OVERLAP = {"float32": 1e-5, "float64": 1e-10}
"""Cores nearer to each other than this, relative to their size, are treated as overlapping and passed on to EPA: over
so short a distance the direction consists of rounding error."""

FLAT = {"float32": 1e-5, "float64": 1e-11}
"""A tetrahedron whose height is less than this, relative to its edges, has no interior."""


@lru_cache(maxsize=2)
def gjk_functions(p: Precision) -> Any:
    """Return the GJK device functions of one precision."""
    scalar, vec3, vec4 = p.scalar, p.vec3, p.vec4
    types = collision_types(p)
    Colliders, Geom, Touch = wp.ref[types.Colliders], types.Geom, types.Touch
    support = support_functions(p).support
    zero, one = wp.constant(scalar(0.0)), wp.constant(scalar(1.0))
    flat = wp.constant(scalar(FLAT[p.name]))
    accuracy, overlap = wp.constant(scalar(ACCURACY[p.name])), wp.constant(scalar(OVERLAP[p.name]))

    @wp.func
    def segment_weights(a: vec3, b: vec3) -> vec3:
        """Return the barycentric weights of the point of a segment that is nearest to the origin; the third is zero."""
        ab = b - a
        length = wp.dot(ab, ab)
        t = zero
        if length > zero:
            t = wp.clamp(-wp.dot(a, ab) / length, zero, one)
        return vec3(one - t, t, zero)

    @wp.func
    def triangle_weights(a: vec3, b: vec3, c: vec3) -> vec3:
        """Return the barycentric weights of the point of a triangle that is nearest to the origin (Ericson 2004)."""
        ab = b - a
        ac = c - a
        d1 = -wp.dot(ab, a)
        d2 = -wp.dot(ac, a)
        if d1 <= zero and d2 <= zero:
            return vec3(one, zero, zero)
        d3 = -wp.dot(ab, b)
        d4 = -wp.dot(ac, b)
        if d3 >= zero and d4 <= d3:
            return vec3(zero, one, zero)
        d5 = -wp.dot(ab, c)
        d6 = -wp.dot(ac, c)
        if d6 >= zero and d5 <= d6:
            return vec3(zero, zero, one)
        n = wp.cross(ab, ac)
        of_c = wp.dot(n, wp.cross(a, b))
        of_b = wp.dot(n, wp.cross(c, a))
        of_a = wp.dot(n, wp.cross(b, c))
        if of_c <= zero and d1 >= zero and d3 <= zero:
            return segment_weights(a, b)
        if of_b <= zero and d2 >= zero and d6 <= zero:
            w = segment_weights(a, c)
            return vec3(w[0], zero, w[1])
        if of_a <= zero and d4 - d3 >= zero and d5 - d6 >= zero:
            w = segment_weights(b, c)
            return vec3(zero, w[0], w[1])
        total = of_a + of_b + of_c
        if total <= zero:
            return segment_weights(a, b)
        return vec3(of_a, of_b, of_c) / total

    @wp.func
    def beyond_face(a: vec3, b: vec3, c: vec3, inner: vec3) -> bool:
        """Return whether the origin and a fourth point are on opposite sides of a triangle, or all are coplanar."""
        n = wp.cross(b - a, c - a)
        height = wp.dot(n, inner - a)
        if wp.abs(height) <= flat * wp.length(n) * wp.length(inner - a):
            return True
        return wp.dot(n, a) * height > zero

    @wp.func(inline=False)
    def tetrahedron_weights(w: wp.array(dtype=vec3)) -> vec4:
        """Return the barycentric weights of the nearest point to the origin; all four are one if it is inside."""
        best = scalar(1.0e30)
        weights = vec4(one, one, one, one)
        for skip in range(4):
            i = (skip + 1) % 4
            j = (skip + 2) % 4
            k = (skip + 3) % 4
            if beyond_face(w[i], w[j], w[k], w[skip]):
                t = triangle_weights(w[i], w[j], w[k])
                v = t[0] * w[i] + t[1] * w[j] + t[2] * w[k]
                if wp.dot(v, v) < best:
                    best = wp.dot(v, v)
                    weights = vec4()
                    weights[i] = t[0]
                    weights[j] = t[1]
                    weights[k] = t[2]
        return weights

    @wp.func(inline=False)
    def simplex_weights(w: wp.array(dtype=vec3), count: int) -> vec4:
        """Return the barycentric weights of the nearest point of a simplex with `count` vertices to the origin."""
        if count == 1:
            return vec4(one, zero, zero, zero)
        if count == 2:
            t = segment_weights(w[0], w[1])
            return vec4(t[0], t[1], zero, zero)
        if count == 3:
            t = triangle_weights(w[0], w[1], w[2])
            return vec4(t[0], t[1], t[2], zero)
        return tetrahedron_weights(w)

    @wp.func(inline=False)
    def distance(colliders: Colliders, a: Geom, b: Geom, limit: scalar) -> Touch:
        """Return the nearest points, gap [m] and normal of two cores, in the world.

        The state is 0 for disjoint cores, 1 if they are farther apart than `limit` [m], and 2 if they overlap.
        """
        w = wp.zeros(shape=(4,), dtype=vec3)
        on_a = wp.zeros(shape=(4,), dtype=vec3)
        touch = Touch()
        size = a.reach + b.reach
        v = a.x - b.x
        if wp.dot(v, v) == zero:
            v = vec3(one, zero, zero)
        squared = scalar(1.0e30)
        count = int(0)
        for _iteration in range(MAX_ITERATIONS):
            point_a = support(colliders, a, -v)
            vertex = point_a - support(colliders, b, v)
            along = wp.dot(v, vertex)
            if along > zero and along * along > limit * limit * wp.dot(v, v):
                touch.state = int(1)
                break
            is_known_vertex = int(0)
            for i in range(count):
                if w[i] == vertex:
                    is_known_vertex = int(1)
            if is_known_vertex == 1 or (count > 0 and squared - along <= accuracy * squared):
                break
            w[count] = vertex
            on_a[count] = point_a
            weights = simplex_weights(w, count + 1)
            if weights[0] + weights[1] + weights[2] + weights[3] > scalar(2.0):
                touch.state = int(2)
                break
            nearest = vec3()
            nearest_a = vec3()
            for i in range(count + 1):
                nearest = nearest + weights[i] * w[i]
                nearest_a = nearest_a + weights[i] * on_a[i]
            next_squared = wp.dot(nearest, nearest)
            if next_squared >= squared:
                break
            kept = int(0)
            for i in range(count + 1):
                if weights[i] > zero:
                    w[kept] = w[i]
                    on_a[kept] = on_a[i]
                    kept += 1
            count = kept
            squared = next_squared
            v = nearest
            touch.on_a = nearest_a
            if squared <= overlap * overlap * size * size:
                break
        if touch.state == 0 and squared <= overlap * overlap * size * size:
            touch.state = int(2)
        if squared < scalar(1.0e30):
            touch.gap = wp.sqrt(squared)
            touch.on_b = touch.on_a - v
            if touch.gap > zero:
                touch.normal = v / touch.gap
        return touch

    return SimpleNamespace(distance=distance, triangle_weights=triangle_weights)
