# SPDX-FileCopyrightText: The inertia_tools authors
# SPDX-License-Identifier: Apache-2.0
"""Point-in-mesh test by ray casting, and the nearest triangle of a mesh."""

from functools import lru_cache
from types import SimpleNamespace
from typing import Any

import warp as wp

from inertia_tools.sim.collide.gjk import gjk_functions
from inertia_tools.sim.kernels.collision_types import collision_types
from inertia_tools.sim.kernels.precision import Precision

RAY = (0.31, 0.47, 0.83)
"""Direction of the rays; not parallel to any axis, as the edges of meshes often are."""


@lru_cache(maxsize=2)
def inside_functions(p: Precision) -> Any:
    """Return the device functions of one precision."""
    scalar, vec3 = p.scalar, p.vec3
    Colliders = wp.ref[collision_types(p).Colliders]
    triangle_weights = gjk_functions(p).triangle_weights
    ray = wp.constant(vec3(*RAY))
    zero = wp.constant(scalar(0.0))

    @wp.func
    def to_single(v: vec3) -> wp.vec3:
        """Return a vector in single precision."""
        return wp.vec3(wp.float32(v[0]), wp.float32(v[1]), wp.float32(v[2]))

    @wp.func
    def crossing(t0: vec3, t1: vec3, t2: vec3, point: vec3, direction: vec3) -> int:
        """Return how a ray crosses a triangle: 1 outwards, -1 inwards, 0 not at all (Moeller, Trumbore 1997)."""
        across = wp.cross(t1 - t0, t2 - t0)
        steep = wp.dot(across, direction)
        if steep == zero:
            return int(0)
        off = point - t0
        side = wp.cross(off, direction)
        u = -wp.dot(side, t2 - t0) / steep
        v = wp.dot(side, t1 - t0) / steep
        if u < zero or v < zero or u + v > scalar(1.0) or wp.dot(across, off) / steep > zero:
            return int(0)
        if steep > zero:
            return int(1)
        return int(-1)

    @wp.func
    def net_crossings(colliders: Colliders, c: int, point: vec3, direction: vec3) -> int:
        """Return the number of outward crossings of a ray with a collider's triangles less that of inward ones."""
        count = int(0)
        item = int(0)
        query = wp.bvh_query_ray(colliders.bvh[c], to_single(point), to_single(direction))
        while wp.bvh_query_next(query, item):
            t = colliders.first_triangle[c] + item
            corners = colliders.triangle
            count += crossing(corners[t, 0], corners[t, 1], corners[t, 2], point, direction)
        return count

    @wp.func
    def is_inside(colliders: Colliders, c: int, point: vec3) -> bool:
        """Return whether a point, in the frame of closed triangles, is inside: rays both ways must leave the mesh."""
        for i in range(3):
            if wp.abs(point[i] - colliders.middle[c][i]) > colliders.half[c][i]:
                return False
        return net_crossings(colliders, c, point, ray) > 0 and net_crossings(colliders, c, point, -ray) > 0

    @wp.func
    def squared_distance(colliders: Colliders, t: int, point: vec3) -> scalar:
        """Return the squared distance of a point from a triangle [m^2]."""
        a = colliders.triangle[t, 0] - point
        b = colliders.triangle[t, 1] - point
        c = colliders.triangle[t, 2] - point
        w = triangle_weights(a, b, c)
        nearest = w[0] * a + w[1] * b + w[2] * c
        return wp.dot(nearest, nearest)

    @wp.func
    def nearest_triangle(colliders: Colliders, c: int, point: vec3, reach: scalar) -> int:
        """Return the triangle nearest to a point, in the frame of the mesh.

        The search box starts with half edge `reach` [m] and grows until no other triangle can be nearer.
        """
        best = int(-1)
        least = zero
        half = reach
        is_certain = bool(False)
        while not is_certain:
            is_certain = best >= 0
            extent = vec3(half, half, half)
            query = wp.bvh_query_aabb(colliders.bvh[c], to_single(point - extent), to_single(point + extent))
            item = int(0)
            while wp.bvh_query_next(query, item):
                t = colliders.first_triangle[c] + item
                squared = squared_distance(colliders, t, point)
                if best < 0 or squared < least:
                    best = t
                    least = squared
            is_certain = is_certain or (best >= 0 and least <= half * half)
            half = wp.max(scalar(2.0) * half, wp.sqrt(least))
        return best

    return SimpleNamespace(is_inside=is_inside, nearest_triangle=nearest_triangle)
