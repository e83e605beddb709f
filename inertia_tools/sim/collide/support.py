# SPDX-FileCopyrightText: The inertia_tools authors
# SPDX-License-Identifier: Apache-2.0
"""Support functions of geoms, and the separation of two geoms along a direction."""

from functools import lru_cache
from types import SimpleNamespace
from typing import Any

import warp as wp

from inertia_tools.sim.collide.collider_kind import ColliderKind
from inertia_tools.sim.kernels.collision_types import collision_types
from inertia_tools.sim.kernels.precision import Precision


@lru_cache(maxsize=2)
def support_functions(p: Precision) -> Any:
    """Return the support device functions of one precision."""
    scalar, vec3 = p.scalar, p.vec3
    types = collision_types(p)
    Colliders, Geom = wp.ref[types.Colliders], types.Geom
    sphere, capsule = wp.constant(int(ColliderKind.SPHERE)), wp.constant(int(ColliderKind.CAPSULE))
    ellipsoid, cylinder = wp.constant(int(ColliderKind.ELLIPSOID)), wp.constant(int(ColliderKind.CYLINDER))
    cone, box, hull = (wp.constant(int(kind)) for kind in (ColliderKind.CONE, ColliderKind.BOX, ColliderKind.HULL))
    zero = wp.constant(scalar(0.0))

    @wp.func
    def signed(value: scalar, size: scalar) -> scalar:
        """Return `size` with the sign of `value`."""
        if value < zero:
            return -size
        return size

    @wp.func
    def rim_point(d: vec3, radius: scalar, height: scalar) -> vec3:
        """Return the point of a horizontal circle about z that is farthest along d."""
        across = wp.sqrt(d[0] * d[0] + d[1] * d[1])
        if across > zero:
            return vec3(radius * d[0] / across, radius * d[1] / across, height)
        return vec3(radius, zero, height)

    @wp.func
    def hull_point(colliders: Colliders, g: Geom, d: vec3) -> vec3:
        """Return the vertex of a hull that is farthest along d."""
        best = colliders.vertex[g.first_vertex]
        reach = wp.dot(best, d)
        for i in range(1, g.vertex_count):
            point = colliders.vertex[g.first_vertex + i]
            value = wp.dot(point, d)
            if value > reach:
                reach = value
                best = point
        return best

    @wp.func
    def cone_point(d: vec3, radius: scalar, half_height: scalar) -> vec3:
        """Return the point of a cone, apex up, that is farthest along d."""
        across = wp.sqrt(d[0] * d[0] + d[1] * d[1])
        if d[2] * (scalar(2.0) * half_height) > radius * across:
            return vec3(zero, zero, half_height)
        return rim_point(d, radius, -half_height)

    @wp.func
    def triangle_point(g: Geom, d: vec3) -> vec3:
        """Return the corner of a triangle that is farthest along d."""
        best = g.t0
        if wp.dot(g.t1, d) > wp.dot(best, d):
            best = g.t1
        if wp.dot(g.t2, d) > wp.dot(best, d):
            best = g.t2
        return best

    @wp.func(inline=False)
    def local_support(colliders: Colliders, g: Geom, d: vec3) -> vec3:
        """Return the support point of a geom's core along d, both in the frame of the geom."""
        s = g.size
        if g.kind == sphere:
            return vec3()
        if g.kind == capsule:
            return vec3(zero, zero, signed(d[2], s[1]))
        if g.kind == box:
            return vec3(signed(d[0], s[0]), signed(d[1], s[1]), signed(d[2], s[2]))
        if g.kind == cylinder:
            return rim_point(d, s[0], signed(d[2], s[1]))
        if g.kind == cone:
            return cone_point(d, s[0], s[1])
        if g.kind == ellipsoid:
            scaled = wp.cw_mul(s, d)
            size = wp.length(scaled)
            if size > zero:
                return wp.cw_mul(s, scaled) / size
            return vec3(s[0], zero, zero)
        if g.kind == hull:
            return hull_point(colliders, g, d)
        return triangle_point(g, d)

    @wp.func
    def support(colliders: Colliders, g: Geom, d: vec3) -> vec3:
        """Return the support point of a geom's core along d, both in the world."""
        return g.x + g.r * local_support(colliders, g, wp.transpose(g.r) * d)

    @wp.func
    def separation(colliders: Colliders, a: Geom, b: Geom, n: vec3) -> scalar:
        """Return the signed gap of two geoms along unit n, which points from b to a; negative when they overlap [m]."""
        apart = support(colliders, a, -n) - support(colliders, b, n)
        return wp.dot(apart, n) - a.radius - b.radius

    return SimpleNamespace(support=support, separation=separation, rim_point=rim_point, signed=signed)
