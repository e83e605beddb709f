# SPDX-FileCopyrightText: The inertia_tools authors
# SPDX-License-Identifier: Apache-2.0
"""What of a contact is fixed in its bodies, so that its gap can be told again after they have moved a little."""

import enum
from functools import lru_cache
from types import SimpleNamespace
from typing import Any

import warp as wp

from inertia_tools.sim.kernels.collision_types import collision_types
from inertia_tools.sim.kernels.precision import Precision, precision


class AnchorKind(enum.IntEnum):
    """How a gap follows from what is fixed in the bodies."""

    FACE_B = 0
    """A plane in b, and in a a point, a ball, a rim or an ellipsoid about a centre: exact for any motion."""
    FACE_A = 1
    """The same with a and b exchanged."""
    BALLS = 2
    """A ball in each, of which one may be a point: exact for any rotation about their centres."""
    LINES = 3
    """A straight line in each, with a radius: crossed edges and capsules."""
    SIDES = 4
    """A ball in one, and a straight line with a radius in the other, in a where the third of `semi` is 1: round sides
    that lie along each other."""


@lru_cache(maxsize=4)
def measure_function(p: Precision, exact: bool = False) -> Any:
    """Return the device function that tells normal, gap and the points on both sides of a contact.

    Args:
        p: Types of colliders, and of contacts unless `exact`.
        exact: Store contacts, positions and axes, and calculate, in double precision, also in a model of single.
    """
    wide = precision("float64") if exact else p
    scalar, vec3, quat = wide.scalar, wide.vec3, wide.quat
    Colliders, Contact = wp.ref[collision_types(p).Colliders], collision_types(wide).Contact
    face_a, balls, lines, sides = (wp.constant(int(kind)) for kind in list(AnchorKind)[1:])
    zero = wp.constant(scalar(0.0))

    @wp.func
    def round_reach(colliders: Colliders, collider: int, semi: vec3, r: quat, d: vec3) -> vec3:
        """Return the way from the centre of a round feature to its surface, farthest along d in the world."""
        frame = colliders.frame[collider]
        turned = r * quat(scalar(frame[0]), scalar(frame[1]), scalar(frame[2]), scalar(frame[3]))
        scaled = wp.cw_mul(semi, wp.quat_rotate_inv(turned, d))
        size = wp.length(scaled)
        if size == zero:
            return vec3()
        return wp.quat_rotate(turned, wp.cw_mul(semi, scaled) / size)

    @wp.func
    def measure(colliders: Colliders, c: Contact, xa: vec3, ra: quat, xb: vec3, rb: quat):
        """Return normal, gap, and the points on a and b, when the centres of mass and axes are these."""
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
    """Return the device functions of one precision."""
    vec3, quat = p.vec3, p.quat
    types = collision_types(p)
    Colliders, Contact = wp.ref[types.Colliders], types.Contact
    measure = measure_function(p)

    @wp.func
    def follow(colliders: Colliders, c: Contact, xa: vec3, ra: quat, xb: vec3, rb: quat) -> Contact:
        """Return a contact with normal, gap and points as they are when the centres of mass and axes are these."""
        n, gap, on_a, on_b = measure(colliders, c, xa, ra, xb, rb)
        c.normal = n
        c.gap = gap
        c.on_a = on_a
        c.on_b = on_b
        return c

    @wp.func
    def settle(c: Contact, xa: vec3, ra: quat, xb: vec3, rb: quat) -> Contact:
        """Turn centres and axes, given in the world, into the bodies."""
        c.centre_a = wp.quat_rotate_inv(ra, c.centre_a - xa)
        c.centre_b = wp.quat_rotate_inv(rb, c.centre_b - xb)
        c.axis_a = wp.quat_rotate_inv(ra, c.axis_a)
        c.axis_b = wp.quat_rotate_inv(rb, c.axis_b)
        return c

    return SimpleNamespace(follow=follow, settle=settle)
