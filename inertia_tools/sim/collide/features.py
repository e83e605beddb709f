# SPDX-FileCopyrightText: The inertia_tools authors
# SPDX-License-Identifier: Apache-2.0
"""The feature of a geom that faces a direction: a point, a segment or a polygon. Manifolds are made of them."""

from functools import lru_cache
from types import SimpleNamespace
from typing import Any

import warp as wp

from inertia_tools.sim.collide.collider_kind import ColliderKind
from inertia_tools.sim.collide.support import support_functions
from inertia_tools.sim.kernels.collision_types import collision_types
from inertia_tools.sim.kernels.precision import Precision

MAX_CORNERS = 12
"""Maximum number of corners of a polygon. A round cap is a 12-gon on its rim; a face with more corners is represented
by an evenly spaced subset."""

CAP_COSINE = 0.7
"""A cap or base is a polygon if the cosine between its normal and the direction is at least this."""

SIDE_SINE = 0.35
"""A straight side is a segment if the sine of its angle to the plane across the direction is below this."""

ALONG_AXIS = 0.01
"""A direction whose sine to the axis of a cone is below this faces no definite line of its side: rounding decides
which. Only the side of a cone that is 200 times as wide as high lies like that."""


@lru_cache(maxsize=2)
def feature_functions(p: Precision) -> Any:
    """Return the feature device functions of one precision."""
    scalar, vec3 = p.scalar, p.vec3
    types = collision_types(p)
    Colliders, Geom, Feature, Touch = wp.ref[types.Colliders], types.Geom, types.Feature, types.Touch
    functions = support_functions(p)
    support, rim_point, signed = functions.support, functions.rim_point, functions.signed
    sphere, capsule = wp.constant(int(ColliderKind.SPHERE)), wp.constant(int(ColliderKind.CAPSULE))
    ellipsoid, cylinder = wp.constant(int(ColliderKind.ELLIPSOID)), wp.constant(int(ColliderKind.CYLINDER))
    cone, box, hull = (wp.constant(int(kind)) for kind in (ColliderKind.CONE, ColliderKind.BOX, ColliderKind.HULL))
    zero, one = wp.constant(scalar(0.0)), wp.constant(scalar(1.0))
    cap_cosine, side_sine = wp.constant(scalar(CAP_COSINE)), wp.constant(scalar(SIDE_SINE))
    along_axis = wp.constant(scalar(ALONG_AXIS))
    corner_angle = wp.constant(scalar(6.283185307179586 / MAX_CORNERS))

    @wp.func
    def cap(points: wp.array(dtype=vec3), radius: scalar, height: scalar, d: vec3) -> Feature:
        """Return the polygon that represents a round cap facing d; its offset and semi-axes are those of the rim."""
        f = Feature()
        up = signed(d[2], one)
        f.offset = rim_point(d, radius, zero)
        f.semi = vec3(radius, radius, zero)
        f.count = MAX_CORNERS
        f.normal = vec3(zero, zero, up)
        for i in range(f.count):
            angle = corner_angle * scalar(i)
            points[i] = vec3(radius * wp.cos(angle), radius * wp.sin(angle), height)
        f.id = int(1)
        if up > zero:
            f.id = int(2)
        return f

    @wp.func
    def box_feature(points: wp.array(dtype=vec3), half: vec3, d: vec3) -> Feature:
        """Return the face of a box that faces d most."""
        f = Feature()
        axis = int(0)
        if wp.abs(d[1]) > wp.abs(d[axis]):
            axis = int(1)
        if wp.abs(d[2]) > wp.abs(d[axis]):
            axis = int(2)
        u = (axis + 1) % 3
        v = (axis + 2) % 3
        side = signed(d[axis], one)
        for i in range(4):
            corner = vec3()
            corner[axis] = side * half[axis]
            corner[u] = half[u]
            corner[v] = half[v]
            if i == 1 or i == 2:
                corner[u] = -half[u]
            if i == 2 or i == 3:
                corner[v] = -half[v]
            points[i] = corner
        f.count = int(4)
        f.normal[axis] = side
        f.id = 2 * axis
        if side > zero:
            f.id = 2 * axis + 1
        return f

    @wp.func
    def hull_feature(colliders: Colliders, g: Geom, points: wp.array(dtype=vec3), d: vec3) -> Feature:
        """Return the face of a hull that faces d most."""
        f = Feature()
        best = scalar(-2.0)
        face = int(0)
        for i in range(g.face_count):
            plane = colliders.plane[g.first_face + i]
            facing = wp.dot(vec3(plane[0], plane[1], plane[2]), d)
            if facing > best:
                best = facing
                face = i
        plane = colliders.plane[g.first_face + face]
        f.normal = vec3(plane[0], plane[1], plane[2])
        f.id = face
        count = colliders.corner_count[g.first_face + face]
        first = colliders.first_corner[g.first_face + face]
        f.count = wp.min(count, MAX_CORNERS)
        for i in range(f.count):
            points[i] = colliders.vertex[g.first_vertex + colliders.corner[first + (i * count) // f.count]]
        return f

    @wp.func
    def capsule_feature(points: wp.array(dtype=vec3), radius: scalar, half: scalar, d: vec3) -> Feature:
        """Return the side of a capsule as a segment if d is nearly across its axis, else an end point."""
        f = Feature()
        f.offset = radius * d
        f.semi = vec3(radius, radius, radius)
        f.count = int(1)
        points[0] = vec3(zero, zero, signed(d[2], half)) + f.offset
        if wp.abs(d[2]) < side_sine and half > zero:
            f.count = int(2)
            points[0] = vec3(zero, zero, -half) + f.offset
            points[1] = vec3(zero, zero, half) + f.offset
        return f

    @wp.func
    def cylinder_feature(points: wp.array(dtype=vec3), radius: scalar, half: scalar, d: vec3) -> Feature:
        """Return a cap, a straight side or a point of a rim of a cylinder, whichever faces d."""
        if wp.abs(d[2]) > cap_cosine:
            return cap(points, radius, signed(d[2], half), d)
        f = Feature()
        f.offset = rim_point(d, radius, zero)
        f.semi = vec3(radius, radius, zero)
        f.count = int(1)
        f.id = int(3)
        points[0] = f.offset + vec3(zero, zero, signed(d[2], half))
        if wp.abs(d[2]) < side_sine:
            f.count = int(2)
            points[0] = f.offset - vec3(zero, zero, half)
            points[1] = f.offset + vec3(zero, zero, half)
        return f

    @wp.func
    def cone_feature(points: wp.array(dtype=vec3), radius: scalar, half: scalar, d: vec3) -> Feature:
        """Return the base, a straight side, the apex or a point of the rim of a cone, whichever faces d."""
        if -d[2] > cap_cosine:
            return cap(points, radius, -half, d)
        f = Feature()
        f.count = int(1)
        f.id = int(3)
        rim = rim_point(d, radius, -half)
        tip = vec3(zero, zero, half)
        lean = wp.dot(wp.normalize(tip - rim), d)
        if wp.abs(lean) < side_sine:
            f.count = int(2)
            if d[0] * d[0] + d[1] * d[1] > along_axis * along_axis:
                f.offset = rim_point(d, radius, zero)
                f.apex = tip
                f.slant = wp.length(tip - rim)
            points[0] = rim
            points[1] = tip
        elif lean > zero:
            points[0] = tip
        else:
            f.offset = rim_point(d, radius, zero)
            f.semi = vec3(radius, radius, zero)
            points[0] = rim
        return f

    @wp.func
    def without_rim(f: Feature) -> Feature:
        """Return a polygon without the rim of the cap that it represents."""
        if f.count > 2:
            f.offset = vec3()
            f.semi = vec3()
        return f

    @wp.func
    def triangle_feature(g: Geom, points: wp.array(dtype=vec3)) -> Feature:
        """Return a triangle as a polygon."""
        f = Feature()
        f.count = int(3)
        f.normal = wp.normalize(wp.cross(g.t1 - g.t0, g.t2 - g.t0))
        points[0] = g.t0
        points[1] = g.t1
        points[2] = g.t2
        return f

    @wp.func(inline=False)
    def local_feature(colliders: Colliders, g: Geom, points: wp.array(dtype=vec3), d: vec3) -> Feature:
        """Return the feature that faces d, in the frame of the geom."""
        s = g.size
        if g.kind == sphere:
            return capsule_feature(points, s[0], zero, d)
        if g.kind == capsule:
            return capsule_feature(points, s[0], s[1], d)
        if g.kind == cylinder:
            return cylinder_feature(points, s[0], s[1], d)
        if g.kind == cone:
            return cone_feature(points, s[0], s[1], d)
        if g.kind == box:
            return box_feature(points, s, d)
        if g.kind == hull:
            return hull_feature(colliders, g, points, d)
        if g.kind == ellipsoid:
            scaled = wp.cw_mul(s, d)
            f = Feature()
            f.count = int(1)
            f.semi = s
            f.offset = wp.cw_mul(s, scaled) / wp.length(scaled)
            points[0] = f.offset
            return f
        return triangle_feature(g, points)

    @wp.func
    def facing(colliders: Colliders, g: Geom, d: vec3, points: wp.array(dtype=vec3)) -> Feature:
        """Return the feature that faces unit d, and write its corners in the world.

        The offset, the normal and the apex are in the world, too; the semi-axes are in the frame of the geom.
        """
        f = local_feature(colliders, g, points, wp.transpose(g.r) * d)
        for i in range(f.count):
            points[i] = g.x + g.r * points[i]
        f.normal = g.r * f.normal
        f.offset = g.r * f.offset
        f.apex = g.x + g.r * f.apex
        return f

    @wp.func
    def nearest_point_of_segment(a: vec3, b: vec3, at: vec3) -> vec3:
        """Return the point of a segment that is nearest to a point."""
        along = b - a
        length2 = wp.dot(along, along)
        if length2 == zero:
            return a
        return a + wp.clamp(wp.dot(at - a, along) / length2, zero, one) * along

    @wp.func
    def with_exact_witness(
        touch: Touch, fa: Feature, points_a: wp.array(dtype=vec3), fb: Feature, points_b: wp.array(dtype=vec3)
    ) -> Touch:
        """Move the witness points to a feature that is a point or a straight side, where they are exact."""
        if fa.count == 1:
            touch.on_a = points_a[0]
        elif fb.count == 1:
            touch.on_a = points_b[0] + touch.gap * touch.normal
        elif fa.count == 2:
            touch.on_a = nearest_point_of_segment(points_a[0], points_a[1], touch.on_a)
        elif fb.count == 2:
            on_b = nearest_point_of_segment(points_b[0], points_b[1], touch.on_b)
            touch.on_a = on_b + touch.gap * touch.normal
        touch.on_b = touch.on_a - touch.gap * touch.normal
        return touch

    @wp.func
    def nearest_point_of_lines(a: vec3, along_a: vec3, b: vec3, along_b: vec3) -> vec3:
        """Return the point of one line that is nearest to another line."""
        normal = wp.cross(along_a, along_b)
        return a + wp.dot(wp.cross(b - a, along_b), normal) / wp.dot(normal, normal) * along_a

    return SimpleNamespace(
        facing=facing,
        without_rim=without_rim,
        support=support,
        with_exact_witness=with_exact_witness,
        nearest_point_of_lines=nearest_point_of_lines,
    )
