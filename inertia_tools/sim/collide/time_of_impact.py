# SPDX-FileCopyrightText: The inertia_tools authors
# SPDX-License-Identifier: Apache-2.0
"""Contacts at other instants than the end of a substep, along the motion of their bodies up to now.

What moves farther in a substep than the thinner shape is thick may be through it at the end. Its first meeting is
looked for on the way: as a shape cannot come closer than by its speed, it is safe to go on until it could be there
(conservative advancement).
"""

from functools import lru_cache
from types import SimpleNamespace
from typing import Any

import warp as wp

from inertia_tools.sim.collide.anchors import measure_function
from inertia_tools.sim.collide.signed_distance import distance_functions
from inertia_tools.sim.kernels.motion import motion_functions
from inertia_tools.sim.kernels.precision import Precision, precision
from inertia_tools.sim.kernels.rounding import rounding_functions
from inertia_tools.sim.kernels.scene_types import scene_type

LOOKS = 32
"""Steps on the way to a meeting, at most."""

CLOSE = 1e-3
"""Shapes meet when they are closer than this, over the way that they could pass through each other by."""

FLAT = 1e-6
"""A cap that leans by less than this [rad] lies flat: its centre counts."""


@lru_cache(maxsize=2)
def impact_time_functions(p: Precision) -> Any:
    """Return the device functions of one precision."""
    Scene = wp.ref[scene_type(p)]
    scalar, vec3, quat = p.scalar, p.vec3, p.quat
    Bodies, Shapes, Row, Body = p.references("Bodies", "Shapes", "Row", "Body")
    measure = measure_function(p, exact=p.name == "float32")
    wide, rounding = precision("float64"), rounding_functions(p)
    wide_vec3, exact, exact_quat, rounded = wide.vec3, rounding.exact, rounding.exact_quat, rounding.rounded
    wide_half = wp.constant(wp.float64(0.5))
    motion, distance = motion_functions(p), distance_functions(p, exact=p.name == "float32").distance
    is_static, turned, rate = motion.is_static, motion.turned, motion.rate
    place_of_feature, rim_radius = distance_functions(p).place_of_feature, distance_functions(p).rim_radius
    flat, close, looks = wp.constant(scalar(FLAT)), wp.constant(scalar(CLOSE)), wp.constant(LOOKS)
    zero, never = wp.constant(scalar(0.0)), wp.constant(scalar(-1.0))

    @wp.func
    def acceleration_of(body: Body, b: int) -> vec3:
        """Return the acceleration of a body's free motion [m/s^2]."""
        if b < 0:
            return vec3()
        return (body.v - body.v_before) / body.force_time

    @wp.func
    def place_of(body: Body, b: int) -> wide_vec3:
        """Return where a body's centre of mass is, with what rounding has left out of it."""
        if b < 0:
            return wide_vec3()
        return exact(body.x) + exact(body.x_low)

    @wp.func
    def place_before(body: Body, b: int, remaining: scalar, h: scalar) -> wide_vec3:
        """Return where a body's centre of mass is when so much time is left of the substep [s].

        Velocities are those of the middle of the substep.
        """
        if b < 0:
            return place_of(body, b)
        way = remaining * (body.v + (scalar(0.5) * (h - remaining)) * acceleration_of(body, b))
        return place_of(body, b) - exact(way)

    @wp.func
    def axes_before(bodies: Bodies, body: Body, b: int, remaining: scalar) -> quat:
        """Return how a body is turned then."""
        if b < 0:
            return quat(scalar(0.0), scalar(0.0), scalar(0.0), scalar(1.0))
        if is_static(bodies, b):
            omega = body.omega_free
            if wp.dot(omega, omega) == zero:
                return body.r
            return turned(body.r, -remaining * omega)
        q, spin = body.r, body.spin
        middle = turned(q, (scalar(-0.5) * remaining) * rate(bodies, b, q, spin))
        return turned(q, -remaining * rate(bodies, b, middle, spin))

    @wp.func
    def speed_before(body: Body, b: int, arm: vec3, remaining: scalar, h: scalar) -> vec3:
        """Return how fast a body's material at an arm moves then [m/s]."""
        if b < 0:
            return vec3()
        centre = body.v + (scalar(0.5) * h - remaining) * acceleration_of(body, b)
        return centre + wp.cross(body.omega_free, arm)

    @wp.func
    def arm_of_feature(shapes: Shapes, a: int, feature: int, ra: quat) -> vec3:
        return wp.quat_rotate(ra, shapes.point[a] + wp.quat_rotate(shapes.frame[a], shapes.feature[feature]))

    @wp.func
    def exact_arm(shapes: Shapes, a: int, feature: int, ra: quat) -> wide_vec3:
        """Return the same without rounding, and where the shape is the world's with what that has left out."""
        frame = exact_quat(shapes.frame[a])
        arm = exact(shapes.point[a]) + wp.quat_rotate(frame, exact(shapes.feature[feature]))
        arm = wp.quat_rotate(exact_quat(ra), arm)
        if shapes.body[a] < 0:
            arm = arm + exact(shapes.low[a])
        return arm

    @wp.func
    def out_of(shapes: Shapes, s: int, rb: quat, apart: wide_vec3):
        """Return outward normal in the world and signed distance to a solid of a point, seen from its body's centre."""
        turned_b = exact_quat(rb)
        frame = turned_b * exact_quat(shapes.frame[s])
        origin = wp.quat_rotate(turned_b, exact(shapes.point[s]))
        if shapes.body[s] < 0:
            origin = origin + exact(shapes.low[s])
        found = distance(shapes, s, wp.quat_rotate_inv(frame, apart - origin))
        n = wp.quat_rotate(frame, wide_vec3(found[0], found[1], found[2]))
        return rounded(n), scalar(found[3])

    @wp.func
    def deepest(shapes: Shapes, a: int, s: int, ra: quat, n: vec3) -> vec3:
        """Return the way from the centre of a cap's rim to the point of it that is farthest against a normal."""
        axis = wp.quat_rotate(ra * shapes.frame[a], vec3(scalar(0.0), scalar(0.0), scalar(1.0)))
        down = wp.dot(n, axis) * axis - n
        steep = wp.length(down)
        if steep < flat:
            return vec3()
        return (rim_radius(shapes, a, s) / steep) * down

    @wp.func
    def gap_between(shapes: Shapes, a: int, s: int, i: int, xa: wide_vec3, ra: quat, xb: wide_vec3, rb: quat):
        """Return normal and gap of a feature and a solid whose bodies are there, and the arm of the contact on a."""
        feature = place_of_feature(shapes, a, s, i)
        arm = exact_arm(shapes, a, feature, ra)
        n = vec3()
        away = scalar(0.0)
        for look in range(1 + shapes.is_rim[feature]):
            if look == 1:
                arm = arm + exact(deepest(shapes, a, s, ra, n))
            n, away = out_of(shapes, s, rb, (xa - xb) + arm)
        radius = shapes.radius[feature] + shapes.margin[a]
        gap = away - radius - shapes.margin[s]
        return n, gap, rounded(arm) - (radius + scalar(0.5) * gap) * n

    @wp.func(inline=False)
    def meeting(scene: Scene, row: Row, xa: wide_vec3, ra: quat, xb: wide_vec3, rb: quat):
        """Return normal and gap of a row whose bodies are there, and the arm of the contact on the first."""
        if row.pair < 0:
            c = scene.anchored.contact[row.feature]
            normal, apart, on_a, on_b = measure(scene.colliders, c, xa, exact_quat(ra), xb, exact_quat(rb))
            return rounded(normal), scalar(apart), rounded(wide_half * (on_a + on_b) - xa)
        n, gap, arm = gap_between(scene.shapes, row.shape, row.solid, row.feature, xa, ra, xb, rb)
        return n, gap, arm

    @wp.func
    def passable(shapes: Shapes, row: Row) -> scalar:
        """Return how far the first body of a row may move and still be on the side of the second that it came from."""
        thick = shapes.half_thickness[row.solid]
        if row.pair < 0:
            return thick + shapes.half_thickness[row.shape]
        return thick + shapes.radius[place_of_feature(shapes, row.shape, row.solid, row.feature)]

    @wp.func
    def turning(body: Body, b: int, reach: scalar) -> scalar:
        """Return how fast a point of a body moves at most about its centre [m/s]."""
        if b < 0:
            return zero
        return wp.length(body.omega_free) * reach

    @wp.func
    def meeting_before(scene: Scene, row: Row, remaining: scalar, h: scalar):
        """Return normal, gap and arm of a row in free motion when so much of the substep is left.

        Also return where the first body is then, and how far it is from the second.
        """
        a, b = row.body_a, row.body_b
        xa, xb = place_before(scene.body[a], a, remaining, h), place_before(scene.body[b], b, remaining, h)
        ra = axes_before(scene.bodies, scene.body[a], a, remaining)
        rb = axes_before(scene.bodies, scene.body[b], b, remaining)
        n, gap, arm = meeting(scene, row, xa, ra, xb, rb)
        return n, gap, arm, rounded(xa), rounded(xa - xb)

    @wp.func(inline=False)
    def first_meeting(scene: Scene, row: Row, since: scalar, h: scalar):
        """Return how much of the substep is left when a row closes; it is looked at from when `since` is left.

        It is `never` if the row does not close. Also return normal and gap then, the arm of the contact on the first
        body, where that body is, and how far it is from the second.
        """
        a, b = row.body_a, row.body_b
        near = close * passable(scene.shapes, row)
        remaining = since
        for look in range(looks + 1):
            n, gap, arm, xa, between = meeting_before(scene, row, remaining, h)
            other = arm + between
            speed = speed_before(scene.body[b], b, other, remaining, h) - speed_before(
                scene.body[a], a, arm, remaining, h
            )
            if look == looks or (gap <= near and wp.dot(n, speed) > zero):
                return remaining, n, gap, arm, xa, between
            centres = speed_before(scene.body[a], a, vec3(), remaining, h) - speed_before(
                scene.body[b], b, vec3(), remaining, h
            )
            fastest = turning(scene.body[a], a, wp.length(arm)) + turning(scene.body[b], b, wp.length(other))
            remaining = remaining - gap / (wp.length(centres) + fastest)
            if gap <= near or remaining <= zero:
                return never, n, gap, arm, xa, between
        return never, vec3(), zero, vec3(), vec3(), vec3()

    return SimpleNamespace(
        gap_between=gap_between,
        deepest=deepest,
        arm_of_feature=arm_of_feature,
        place_of_feature=place_of_feature,
        passable=passable,
        first_meeting=first_meeting,
        acceleration_of=acceleration_of,
        place_of=place_of,
        place_before=place_before,
        meeting_before=meeting_before,
        speed_before=speed_before,
        meeting=meeting,
    )
