# SPDX-FileCopyrightText: The inertia_tools authors
# SPDX-License-Identifier: Apache-2.0
"""Contacts at the edges and corners of a triangle mesh: whether the contact belongs to the neighbour triangle.

A contact on an edge belongs to the neighbour if its normal leans over the edge beyond the neighbour's normal, that is
outside the Voronoi region of the edge. So bodies do not catch on the inner edges of a floor.
"""

from functools import lru_cache
from types import SimpleNamespace
from typing import Any

import warp as wp

from inertia_tools.sim.collide.touching import ON_EDGE
from inertia_tools.sim.kernels.collision_types import collision_types
from inertia_tools.sim.kernels.precision import Precision

LEAN = 1e-4
"""Edges whose dihedral angle is less than this count as flat [rad]."""

AT_CORNER = {"float32": 1e-4, "float64": 1e-7}
"""A point nearer to a corner of a triangle than this, relative to the size of the triangle, is at that corner."""


@lru_cache(maxsize=2)
def leaning_functions(p: Precision) -> Any:
    """Return the device functions of one precision."""
    scalar, vec3, mat33 = p.scalar, p.vec3, p.mat33
    types = collision_types(p)
    Colliders, Geom, Touch = wp.ref[types.Colliders], types.Geom, types.Touch
    far, at_corner = wp.constant(scalar(1.0e36)), wp.constant(scalar(AT_CORNER[p.name]))
    zero, lean, on_edge = wp.constant(scalar(0.0)), wp.constant(scalar(LEAN)), wp.constant(scalar(ON_EDGE))

    @wp.func
    def leans_over_corner(
        colliders: Colliders, triangle: int, k: int, r: mat33, up: vec3, n: vec3, slack: scalar
    ) -> int:
        """Return over which edges at a corner a normal leans too far; the values are those of `leans_too_far`."""
        worst = int(0)
        first = colliders.first_way[triangle, k]
        for i in range(first, first + colliders.way_count[triangle, k]):
            way = r * colliders.way[i]
            if wp.dot(n, way) > slack:
                worst = wp.max(worst, 1)
                if wp.dot(way, up) < -lean:
                    worst = int(2)
        return worst

    @wp.func
    def corner_at(b: Geom, point: vec3) -> int:
        """Return the corner of a triangle at a point of the world; -1 if there is none."""
        local = wp.transpose(b.r) * (point - b.x)
        near = at_corner * b.reach
        if wp.length(local - b.t0) < near:
            return int(0)
        if wp.length(local - b.t1) < near:
            return int(1)
        if wp.length(local - b.t2) < near:
            return int(2)
        return int(-1)

    @wp.func
    def outward(colliders: Colliders, triangle: int, e: int, r: mat33, up: vec3) -> vec3:
        """Return the unit vector out of a triangle over one of its edges, in its plane, in the world."""
        edge = colliders.triangle[triangle, (e + 1) % 3] - colliders.triangle[triangle, e]
        return wp.normalize(wp.cross(r * edge, up))

    @wp.func
    def leans_too_far(
        colliders: Colliders, triangle: int, a: Geom, b: Geom, up: vec3, touch: Touch, slack: scalar
    ) -> int:
        """Return whether a normal leans over an edge beyond the neighbour: 0 no, 1 flat or concave, 2 convex edge.

        The contact then belongs to the neighbour; without this test a body that slides over a floor would catch on its
        edges. At a corner, all triangles that share it are neighbours. The edge at which two overlapping shapes touch
        is uncertain, so all edges count. Separated shapes touch at the nearest of the edges over which the normal
        leans: the point on a round side is accurate to a thousandth of its radius only.
        """
        n, near = touch.normal, on_edge * wp.min(a.reach, b.reach)
        corner = corner_at(b, touch.on_b)
        if corner >= 0 and colliders.way_count[triangle, wp.max(corner, 0)] > 0:
            return leans_over_corner(colliders, triangle, corner, b.r, up, n, slack)
        worst = int(0)
        inside, nearest = vec3(), scalar(far)
        for e in range(3):
            out = outward(colliders, triangle, e, b.r, up)
            inside[e] = wp.dot(out, b.x + b.r * colliders.triangle[triangle, e] - touch.on_b)
            if wp.dot(n, out) > slack:
                nearest = wp.min(nearest, inside[e])
        for e in range(3):
            out = outward(colliders, triangle, e, b.r, up)
            beyond = b.r * colliders.beyond[triangle, e]
            over = wp.dot(n, out) > slack and (touch.gap <= zero or inside[e] < nearest + near)
            if over and wp.length(beyond) == zero:
                if wp.dot(n, up) < -lean:
                    worst = int(2)
            elif over:
                bend = wp.dot(beyond, out)
                if bend <= lean:
                    worst = wp.max(worst, 1)
                elif wp.dot(n, out) * wp.dot(beyond, up) > wp.dot(n, up) * bend + slack:
                    worst = int(2)
        return worst

    @wp.func
    def leans_over_valley(colliders: Colliders, triangle: int, b: Geom, up: vec3, touch: Touch, slack: scalar) -> bool:
        """Return whether all edges over which a normal leans are concave.

        The geom will then soon touch the plane of the triangle.
        """
        n = touch.normal
        corner = corner_at(b, touch.on_b)
        if corner >= 0 and colliders.way_count[triangle, wp.max(corner, 0)] > 0:
            first = colliders.first_way[triangle, corner]
            for i in range(first, first + colliders.way_count[triangle, corner]):
                way = b.r * colliders.way[i]
                if wp.dot(n, way) > slack and wp.dot(way, up) <= lean:
                    return False
            return True
        for e in range(3):
            out = outward(colliders, triangle, e, b.r, up)
            if wp.dot(n, out) > slack and wp.dot(b.r * colliders.beyond[triangle, e], out) > -lean:
                return False
        return True

    return SimpleNamespace(leans_too_far=leans_too_far, leans_over_valley=leans_over_valley)
