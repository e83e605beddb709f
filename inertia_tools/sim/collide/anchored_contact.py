# SPDX-FileCopyrightText: The inertia_tools authors
# SPDX-License-Identifier: Apache-2.0
"""What a contact of two convex geoms is fixed to, given the facing features and the normal.

A contact lies on a plane of one body, between two points or spheres, between two lines, or between a line with a radius
and a sphere or another such line (`anchors.AnchorKind`). Its gap in later substeps follows from that.
"""

from functools import lru_cache
from types import SimpleNamespace
from typing import Any

import warp as wp

from inertia_tools.sim.collide.anchors import AnchorKind
from inertia_tools.sim.kernels.collision_types import collision_types
from inertia_tools.sim.kernels.precision import Precision

FLUSH = 0.9999
"""A face is flush with the contact if the cosine between its normal and the contact normal is at least this."""

PARALLEL = 0.1
"""Segments that cross at a smaller angle than this [rad] touch at both ends of their overlap."""

SQUARE = {"float32": 1.0 - 1e-6, "float64": 1.0 - 1e-12}
"""The contact is of two crossed edges if the cosine between its normal and their common normal exceeds this."""

UPRIGHT = {"float32": 1.0 - 1e-6, "float64": 1.0 - 1e-8}
"""The contact is of two parallel round sides if the sines between its normal and both axes exceed this."""

NEAR_CENTRE = 0.95
"""The direction between the centres of two spheres is uncertain if they overlap by more than this part of the sum of
their radii."""


@lru_cache(maxsize=2)
def anchored_contact_functions(p: Precision) -> Any:
    """Return the device functions of one precision."""
    scalar, vec3 = p.scalar, p.vec3
    types = collision_types(p)
    Contact, Geom, Feature = types.Contact, types.Geom, types.Feature
    face_b, face_a, balls, lines, sides = (wp.constant(int(kind)) for kind in AnchorKind)
    zero, flush, parallel = (wp.constant(scalar(value)) for value in (0.0, FLUSH, PARALLEL))
    upright, square = wp.constant(scalar(UPRIGHT[p.name])), wp.constant(scalar(SQUARE[p.name]))
    near_centre = wp.constant(scalar(NEAR_CENTRE))

    @wp.func
    def mean_radius(g: Geom, f: Feature, n: vec3) -> scalar:
        """Return the radius of the mean curvature of an ellipsoid where its normal is n or -n; 0 for other corners."""
        if f.count != 1 or f.semi[2] == zero:
            return zero
        squares, d = wp.cw_mul(f.semi, f.semi), wp.transpose(g.r) * n
        scaled = wp.cw_mul(squares, d)
        reach = wp.dot(scaled, d)
        product = squares[0] * squares[1] * squares[2] / (reach * reach)
        total = (squares[0] + squares[1] + squares[2]) * reach - wp.dot(scaled, scaled)
        return scalar(2.0) * product * reach * wp.sqrt(reach) / total

    @wp.func
    def is_straight_side(f: Feature, along: vec3, n: vec3) -> bool:
        """Return whether a contact normal is that of the straight side of a cylinder or a capsule."""
        return f.count == 2 and f.semi[0] > zero and wp.length(wp.cross(along, n)) > upright

    @wp.func
    def face_contact(fa: Feature, fb: Feature, n: vec3, gap: scalar, along_a: vec3, along_b: vec3) -> Contact:
        """Return a contact whose plane is fixed in the body with the flush face, or of two parallel round sides."""
        c = Contact()
        c.normal = n
        c.axis_a = n
        c.axis_b = n
        c.kind = face_b
        c.semi = fa.semi
        if wp.dot(fa.normal, n) < -wp.max(wp.dot(fb.normal, n), zero):
            c.kind = face_a
            c.semi = fb.semi
        elif fb.count < 3 and wp.length(fa.semi) == zero and wp.length(fb.semi) > zero:
            c.kind = face_a
            c.semi = fb.semi
        elif is_straight_side(fa, along_a, n) and is_straight_side(fb, along_b, n):
            if gap > -near_centre * (fa.semi[0] + fb.semi[0]):
                across_a, across_b = wp.length(wp.cross(along_a, n)), wp.length(wp.cross(along_b, n))
                c.kind = sides
                c.axis_a = along_a
                c.axis_b = along_b
                c.semi = vec3(fa.semi[0], fb.semi[0], wp.where(across_a > across_b, scalar(1.0), zero))
        return c

    @wp.func
    def is_straight(f: Feature, along: vec3, n: vec3, radius: scalar) -> bool:
        """Return whether a contact normal is that of a straight side, or of an edge in direction `along` of a face.

        The other shape has this radius there. A point without one would be caught as it passes the edge.
        """
        is_edge = f.count > 2 and radius > zero
        return is_straight_side(f, along, n) or (is_edge and wp.length(wp.cross(along, n)) > upright)

    @wp.func
    def between_round_features(
        c: Contact, a: Geom, fa: Feature, b: Geom, fb: Feature, along_a: vec3, along_b: vec3
    ) -> Contact:
        """Return a contact whose normal rotates as the bodies move: of two points or spheres, or one with a side.

        An edge is a side without a radius. What slides along it would catch on a point of it.
        """
        radius_a = wp.max(a.radius, mean_radius(a, fa, c.normal))
        radius_b = wp.max(b.radius, mean_radius(b, fb, c.normal))
        c.kind = balls
        c.semi = vec3(radius_a, radius_b, zero)
        if fb.count == 1 and is_straight(fa, along_a, c.normal, radius_b):
            c.kind = sides
            c.axis_a = along_a
            c.semi = vec3(fa.semi[0], radius_b, scalar(1.0))
        elif fa.count == 1 and is_straight(fb, along_b, c.normal, radius_a):
            c.kind = sides
            c.axis_b = along_b
            c.semi = vec3(radius_a, fb.semi[0], zero)
        return c

    @wp.func
    def witness_contact(
        a: Geom, fa: Feature, b: Geom, fb: Feature, n: vec3, gap: scalar, along_a: vec3, along_b: vec3
    ) -> Contact:
        """Return a contact of the two deepest points: of crossed edges, of two spheres, or on a face."""
        c = face_contact(fa, fb, n, gap, along_a, along_b)
        radii = a.radius + b.radius
        crossed = wp.cross(along_a, along_b)
        if wp.dot(fb.normal, n) > flush or wp.dot(fa.normal, n) < -flush:
            return c
        if wp.length(crossed) > parallel and wp.abs(wp.dot(wp.normalize(crossed), n)) > square:
            c.kind = lines
            c.axis_a = along_a
            c.axis_b = along_b
            c.semi = vec3(a.radius, b.radius, zero)
        elif c.kind != sides and a.radius > zero and gap > -near_centre * radii and (b.radius > zero or fb.count != 2):
            c = between_round_features(c, a, fa, b, fb, along_a, along_b)
        return c

    @wp.func
    def with_round_centre(c: Contact, f: Feature, other: Feature, on_it: vec3) -> Contact:
        """Return a contact of a feature with a plane of the other body, anchored at the centre of what is round there.

        The lowest point of a cone's side moves round the cone as that rolls on a face, like that of a cylinder.
        """
        offset = f.offset
        if f.slant > zero:
            part = wp.length(on_it - f.apex) / f.slant
            if other.count == 1 or other.count == 2:
                part = zero
            offset = part * offset
            radius = wp.length(offset)
            c.semi = vec3(radius, radius, zero)
        if c.kind == face_b:
            c.centre_a = on_it - offset
        else:
            c.centre_b = on_it - offset
        return c

    @wp.func
    def contact_at(c: Contact, fa: Feature, fb: Feature, on_a: vec3, gap: scalar, feature: int) -> Contact:
        """Return a contact with its position, given on a, its gap [m], feature number and anchor centres."""
        c.gap = gap
        c.on_a = on_a
        c.on_b = on_a - gap * c.normal
        c.feature = feature
        c.centre_a = c.on_a
        c.centre_b = c.on_b
        if c.kind == face_b:
            c = with_round_centre(c, fa, fb, c.on_a)
        elif c.kind == face_a:
            c = with_round_centre(c, fb, fa, c.on_b)
        elif c.kind == sides and fa.count == fb.count:
            c.centre_a = c.on_a - fa.offset
            c.centre_b = c.on_b - fb.offset
        else:
            c.centre_a = c.on_a + c.semi[0] * c.normal
            c.centre_b = c.on_b - c.semi[1] * c.normal
        return c

    @wp.func
    def with_rotating_normal(
        c: Contact, a: Geom, fa: Feature, b: Geom, fb: Feature, along_a: vec3, along_b: vec3
    ) -> Contact:
        """Return a contact of two separated shapes whose normal rotates as they move.

        A fixed normal would catch a shape that passes by.
        """
        if c.kind != lines and c.kind != sides:
            c = between_round_features(c, a, fa, b, fb, along_a, along_b)
            c.centre_a = c.on_a + c.semi[0] * c.normal
            c.centre_b = c.on_b - c.semi[1] * c.normal
        return c

    return SimpleNamespace(
        face_contact=face_contact, witness_contact=witness_contact, contact_at=contact_at,
        with_rotating_normal=with_rotating_normal,
    )  # fmt: skip
