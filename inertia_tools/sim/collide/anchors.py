# SPDX-FileCopyrightText: The inertia_tools authors
# SPDX-License-Identifier: Apache-2.0
"""Anchors of a contact: features fixed in the two bodies, from which normal and gap follow after the bodies move.

The narrow phase finds a contact once. Its anchors (a plane, point, sphere, rim, ellipsoid or line in each body) then
give the normal, the gap and the nearest points in every substep without another search.
"""

import enum
from functools import lru_cache
from types import SimpleNamespace
from typing import Any

import warp as wp

from inertia_tools.sim.kernels.collision_types import collision_types
from inertia_tools.sim.kernels.precision import Precision, precision


class AnchorKind(enum.IntEnum):
    """How normal and gap follow from the anchors."""

    FACE_B = 0
    """A plane in b, and in a the centre of a point, sphere, rim or ellipsoid: exact for any motion."""
    FACE_A = 1
    """The same with a and b exchanged."""
    BALLS = 2
    """A sphere in each body, either of which may be a point: exact for any rotation about their centres."""
    LINES = 3
    """A line with a radius in each body: crossed edges and capsules."""
    SIDES = 4
    """A sphere in one body and a line with a radius in the other: parallel round sides, or a sphere on an edge, whose
    radius is zero. The line is in a if the third component of `semi` is 1, else in b."""


@lru_cache(maxsize=4)
def measure_function(p: Precision, exact: bool = False) -> Any:
    """Return the device function that computes normal, gap and nearest points of a contact from its anchors.

    Args:
        p: Types of the colliders, and of the contacts unless `exact` is set.
        exact: Compute in double precision, with contacts, positions and axes in double precision, even in a model of
            single precision.
    """
    wide = precision("float64") if exact else p
    scalar, vec3, quat = wide.scalar, wide.vec3, wide.quat
    Colliders, Contact = wp.ref[collision_types(p).Colliders], collision_types(wide).Contact
    face_a, balls, lines, sides = (wp.constant(int(kind)) for kind in list(AnchorKind)[1:])
    zero = wp.constant(scalar(0.0))

    @wp.func
    def round_reach(colliders: Colliders, collider: int, semi: vec3, r: quat, d: vec3) -> vec3:
        """Return the vector from the centre of a round feature to its support point along d, in the world."""
        frame = colliders.frame[collider]
        turned = r * quat(scalar(frame[0]), scalar(frame[1]), scalar(frame[2]), scalar(frame[3]))
        scaled = wp.cw_mul(semi, wp.quat_rotate_inv(turned, d))
        size = wp.length(scaled)
        if size == zero:
            return vec3()
        return wp.quat_rotate(turned, wp.cw_mul(semi, scaled) / size)

    @wp.func
    def measure(colliders: Colliders, c: Contact, xa: vec3, ra: quat, xb: vec3, rb: quat):
        """Return normal, gap [m] and nearest points for given centres of mass and orientations, in the world."""
        margin = scalar(colliders.margin[c.a] + colliders.margin[c.b])
        at_a = xa + wp.quat_rotate(ra, c.centre_a)
        at_b = xb + wp.quat_rotate(rb, c.centre_b)
        axis_a = wp.quat_rotate(ra, c.axis_a)
        axis_b = wp.quat_rotate(rb, c.axis_b)
        semi = c.semi
        n = axis_b
        on_a, on_b = at_a, at_b
        gap = zero
        if c.kind == face_a:
            n = axis_a
            on_b = at_b + round_reach(colliders, c.b, semi, rb, n)
            gap = wp.dot(n, at_a - on_b)
            on_a = on_b + gap * n
        elif c.kind == balls:
            n = c.normal
            apart = at_a - at_b
            size = wp.length(apart)
            if size > zero:
                n = apart / size
            gap = size - semi[0] - semi[1]
            on_a = at_a - semi[0] * n
            on_b = at_b + semi[1] * n
        elif c.kind == lines:
            n = wp.normalize(wp.cross(axis_a, axis_b))
            if wp.dot(n, c.normal) < zero:
                n = -n
            gap = wp.dot(n, at_a - at_b) - semi[0] - semi[1]
            on_a = at_a - semi[0] * n
            on_b = on_a - gap * n
        elif c.kind == sides:
            apart = at_a - at_b
            along = semi[2] * axis_a + (scalar(1.0) - semi[2]) * axis_b
            n = wp.normalize(apart - wp.dot(apart, along) * along)
            if wp.dot(n, c.normal) < zero:
                n = -n
            gap = wp.dot(n, apart) - semi[0] - semi[1]
            on_a = at_a - semi[0] * n
            on_b = on_a - gap * n
        else:
            on_a = at_a + round_reach(colliders, c.a, semi, ra, -n)
            gap = wp.dot(n, on_a - at_b)
            on_b = on_a - gap * n
        return n, gap - margin, on_a, on_b

    return measure


@lru_cache(maxsize=2)
def anchor_functions(p: Precision) -> Any:
    """Return the anchor device functions of one precision."""
    vec3, quat = p.vec3, p.quat
    types = collision_types(p)
    Colliders, Contact = wp.ref[types.Colliders], types.Contact
    measure = measure_function(p)

    @wp.func
    def follow(colliders: Colliders, c: Contact, xa: vec3, ra: quat, xb: vec3, rb: quat) -> Contact:
        """Return a contact with normal, gap and points updated to given centres of mass and orientations."""
        n, gap, on_a, on_b = measure(colliders, c, xa, ra, xb, rb)
        c.normal = n
        c.gap = gap
        c.on_a = on_a
        c.on_b = on_b
        return c

    @wp.func
    def to_body_frames(c: Contact, xa: vec3, ra: quat, xb: vec3, rb: quat) -> Contact:
        """Transform the anchors of a contact from the world to the frames of its bodies."""
        c.centre_a = wp.quat_rotate_inv(ra, c.centre_a - xa)
        c.centre_b = wp.quat_rotate_inv(rb, c.centre_b - xb)
        c.axis_a = wp.quat_rotate_inv(ra, c.axis_a)
        c.axis_b = wp.quat_rotate_inv(rb, c.axis_b)
        return c

    return SimpleNamespace(follow=follow, to_body_frames=to_body_frames)
