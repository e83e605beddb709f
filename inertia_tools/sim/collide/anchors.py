# SPDX-FileCopyrightText: The inertia_tools authors
# SPDX-License-Identifier: Apache-2.0
"""What of a contact is fixed in its bodies, so that its gap can be told again after they have moved a little."""

import enum
from functools import lru_cache
from types import SimpleNamespace
from typing import Any

import warp as wp

from inertia_tools.sim.collide.collision_types import collision_types
from inertia_tools.sim.precision import Precision


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


@lru_cache(maxsize=2)
def anchor_functions(p: Precision) -> Any:
    """Return the device functions of one precision."""
    scalar, vec3, quat = p.scalar, p.vec3, p.quat
    types = collision_types(p)
    Colliders, Contact = wp.ref[types.Colliders], types.Contact
    face_a, balls, lines = (wp.constant(int(kind)) for kind in list(AnchorKind)[1:])
    zero = wp.constant(scalar(0.0))

    @wp.func
    def round_reach(colliders: Colliders, collider: int, semi: vec3, r: quat, d: vec3) -> vec3:
        """Return the way from the centre of a round feature to its surface, farthest along d in the world."""
        turned = r * colliders.frame[collider]
        scaled = wp.cw_mul(semi, wp.quat_rotate_inv(turned, d))
        size = wp.length(scaled)
        if size == zero:
            return vec3()
        return wp.quat_rotate(turned, wp.cw_mul(semi, scaled) / size)

    @wp.func
    def follow(colliders: Colliders, c: Contact, xa: vec3, ra: quat, xb: vec3, rb: quat) -> Contact:
        """Return a contact with normal, gap and points as they are when the centres of mass and axes are these."""
        margin = colliders.margin[c.a] + colliders.margin[c.b]
        at_a = xa + wp.quat_rotate(ra, c.centre_a)
        at_b = xb + wp.quat_rotate(rb, c.centre_b)
        if c.kind == face_a:
            c.normal = wp.quat_rotate(ra, c.axis_a)
            c.on_b = at_b + round_reach(colliders, c.b, c.semi, rb, c.normal)
            c.gap = wp.dot(c.normal, at_a - c.on_b)
            c.on_a = c.on_b + c.gap * c.normal
            c.gap = c.gap - margin
            return c
        if c.kind == balls:
            apart = at_a - at_b
            size = wp.length(apart)
            if size > zero:
                c.normal = apart / size
            c.gap = size - c.semi[0] - c.semi[1]
            c.on_a = at_a - c.semi[0] * c.normal
            c.on_b = at_b + c.semi[1] * c.normal
            c.gap = c.gap - margin
            return c
        if c.kind == lines:
            n = wp.normalize(wp.cross(wp.quat_rotate(ra, c.axis_a), wp.quat_rotate(rb, c.axis_b)))
            if wp.dot(n, c.normal) < zero:
                n = -n
            c.normal = n
            c.gap = wp.dot(n, at_a - at_b) - c.semi[0] - c.semi[1]
            c.on_a = at_a - c.semi[0] * n
            c.on_b = c.on_a - c.gap * n
            c.gap = c.gap - margin
            return c
        c.normal = wp.quat_rotate(rb, c.axis_b)
        c.on_a = at_a + round_reach(colliders, c.a, c.semi, ra, -c.normal)
        c.gap = wp.dot(c.normal, c.on_a - at_b)
        c.on_b = c.on_a - c.gap * c.normal
        c.gap = c.gap - margin
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
