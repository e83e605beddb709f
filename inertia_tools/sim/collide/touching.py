# SPDX-FileCopyrightText: The inertia_tools authors
# SPDX-License-Identifier: Apache-2.0
"""Contact normal and gap of two convex geoms, overlapping or apart: GJK or EPA, then a correction from features.

The gap of two convex shapes is their greatest separation along any direction. The normal that GJK or EPA finds is
therefore compared with the normals of the facing faces and edges, and the one with the greatest separation is kept.
This removes rounding errors. The distance of GJK's points is at least the gap: where it is too large, the separation
along their normal counts.
"""

from functools import lru_cache
from types import SimpleNamespace
from typing import Any

import warp as wp

from inertia_tools.sim.collide.collider_kind import ColliderKind
from inertia_tools.sim.collide.epa import epa_functions
from inertia_tools.sim.collide.features import MAX_CORNERS, feature_functions
from inertia_tools.sim.collide.gjk import gjk_functions
from inertia_tools.sim.collide.support import support_functions
from inertia_tools.sim.kernels.collision_types import collision_types
from inertia_tools.sim.kernels.precision import Precision

ROUNDING = {"float32": 1e-6, "float64": 1e-12}
"""Separations that differ by less than this, relative to the size of the shapes, count as equal."""

NEAR = {"float32": 3e-3, "float64": 1e-6}
"""Gaps below this, relative to the size of the shapes, are so small that rounding rotates the direction between the
nearest points."""

UNSURE = {"float32": 1e-4, "float64": 1e-9}
"""The points that GJK found are not the nearest ones if their distance exceeds the separation along their normal by
more than this, relative to the size of the shapes."""

CLOSE = 0.02
"""Only shapes nearer to each other than this, relative to their size, are worth a second search by EPA."""

ON_EDGE = 1e-3
"""A witness point lies on an edge if it is nearer to it than this, relative to the size of the smaller shape."""


@lru_cache(maxsize=2)
def touching_functions(p: Precision) -> Any:
    """Return the device functions of one precision."""
    scalar, vec3 = p.scalar, p.vec3
    types = collision_types(p)
    Colliders, Geom, Touch, Feature = wp.ref[types.Colliders], types.Geom, types.Touch, types.Feature
    distance, depth = gjk_functions(p).distance, epa_functions(p).depth
    functions = support_functions(p)
    support, separation = functions.support, functions.separation
    facing = feature_functions(p).facing
    zero = wp.constant(scalar(0.0))
    rounding, near_gap, on_edge = (wp.constant(scalar(v)) for v in (ROUNDING[p.name], NEAR[p.name], ON_EDGE))
    unsure, close = wp.constant(scalar(UNSURE[p.name])), wp.constant(scalar(CLOSE))
    ellipsoid, cone = wp.constant(int(ColliderKind.ELLIPSOID)), wp.constant(int(ColliderKind.CONE))

    @wp.func
    def edge_at(f: Feature, points: wp.array(dtype=vec3), at: vec3, near: scalar) -> vec3:
        """Return the unit direction of the edge of a feature on which a point lies; zero if it lies on none."""
        best = near
        direction = vec3()
        edges = f.count
        if f.count == 2:
            edges = int(1)
        if f.count > 1:
            for i in range(edges):
                a = points[i]
                along = points[(i + 1) % f.count] - a
                length = wp.length(along)
                if length > zero:
                    along = along / length
                    t = wp.clamp(wp.dot(at - a, along), zero, length)
                    away = wp.length(at - a - t * along)
                    if away < best:
                        best = away
                        direction = along
        return direction

    @wp.func
    def with_greater_separation(colliders: Colliders, a: Geom, b: Geom, touch: Touch, n: vec3) -> Touch:
        """Replace the normal of a touch by n unless the separation along n is smaller."""
        if wp.dot(n, touch.normal) > zero:
            gap = separation(colliders, a, b, n)
            if gap > touch.gap - rounding * (a.reach + b.reach):
                touch.normal = n
                touch.gap = gap
        return touch

    @wp.func
    def is_curved(g: Geom) -> bool:
        """Return whether a geom is an ellipsoid, a cylinder or a cone."""
        return g.kind >= ellipsoid and g.kind <= cone

    @wp.func
    def between_axes(
        fa: Feature, points_a: wp.array(dtype=vec3), fb: Feature, points_b: wp.array(dtype=vec3), n: vec3
    ) -> vec3:
        """Return the normal between two parallel round sides: perpendicular to their axes, on the side of n."""
        along = wp.normalize(points_a[1] - points_a[0])
        apart = (points_a[0] - fa.offset) - (points_b[0] - fb.offset)
        apart = apart - wp.dot(apart, along) * along
        if wp.dot(apart, n) < zero:
            apart = -apart
        return wp.normalize(apart)

    @wp.func(inline=False)
    def with_feature_normal(colliders: Colliders, a: Geom, b: Geom, touch: Touch) -> Touch:
        """Replace a normal that rounding has rotated by that of the touching faces or edges."""
        points_a = wp.zeros(shape=(MAX_CORNERS,), dtype=vec3)
        points_b = wp.zeros(shape=(MAX_CORNERS,), dtype=vec3)
        found = touch.normal
        near = on_edge * wp.min(a.reach, b.reach)
        fa = facing(colliders, a, -found, points_a)
        fb = facing(colliders, b, found, points_b)
        along_a = edge_at(fa, points_a, touch.on_a, near)
        along_b = edge_at(fb, points_b, touch.on_b, near)
        n = wp.cross(along_a, along_b)
        sine = wp.length(n)
        if sine > scalar(0.01):
            n = n / sine
            if wp.dot(n, found) < zero:
                n = -n
            touch = with_greater_separation(colliders, a, b, touch, n)
        elif fa.count == 2 and fb.count == 2:
            touch = with_greater_separation(colliders, a, b, touch, between_axes(fa, points_a, fb, points_b, found))
        if fa.count > 2:
            touch = with_greater_separation(colliders, a, b, touch, -fa.normal)
        if fb.count > 2:
            touch = with_greater_separation(colliders, a, b, touch, fb.normal)
        return touch

    @wp.func(inline=False)
    def touch_between(colliders: Colliders, a: Geom, b: Geom, limit: scalar) -> Touch:
        """Return normal, gap [m] and witness points of two convex geoms.

        The state is 1 if they are farther apart than `limit` [m].
        """
        touch = distance(colliders, a, b, limit + a.radius + b.radius)
        if touch.state == 1:
            return touch
        if touch.state == 2:
            touch = depth(colliders, a, b, touch.on_a)
        else:
            slab = separation(colliders, a, b, touch.normal) + a.radius + b.radius
            size = a.reach + b.reach
            near = touch.gap < near_gap * size and (is_curved(a) or is_curved(b))
            if near or (touch.gap - slab > unsure * size and touch.gap < close * size):
                other = depth(colliders, a, b, touch.on_a)
                touch.gap = slab
                if separation(colliders, a, b, other.normal) + a.radius + b.radius > slab:
                    touch = other
        touch.gap = touch.gap - a.radius - b.radius
        touch.on_a = touch.on_a - a.radius * touch.normal
        touch.on_b = touch.on_b + b.radius * touch.normal
        touch = with_feature_normal(colliders, a, b, touch)
        touch.on_b = touch.on_a - touch.gap * touch.normal
        return touch

    return SimpleNamespace(
        touch_between=touch_between, edge_at=edge_at, facing=facing, support=support, separation=separation
    )
