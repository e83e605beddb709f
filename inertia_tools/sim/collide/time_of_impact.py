# SPDX-FileCopyrightText: The inertia_tools authors
# SPDX-License-Identifier: Apache-2.0
"""Time of impact along the free motion of bodies in a substep, by conservative advancement.

A shape that moves farther in a substep than the thinner shape is thick may have passed through it at the end. The
search for the first contact advances in steps of the gap divided by the greatest closing speed, since the shapes cannot
meet any sooner. It also gives contacts at other instants of the substep than its end.
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

MAX_ADVANCES = 32
"""Maximum number of steps of conservative advancement."""

CLOSE = 1e-3
"""Shapes meet when their gap is below this, relative to the distance by which they could pass through each other."""

FLAT = 1e-6
"""A cap whose tilt is below this [rad] lies flat; its centre then represents it."""


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
    flat, close, max_advances = wp.constant(scalar(FLAT)), wp.constant(scalar(CLOSE)), wp.constant(MAX_ADVANCES)
    zero, never = wp.constant(scalar(0.0)), wp.constant(scalar(-1.0))

    @wp.func
    def acceleration_of(body: Body, b: int) -> vec3:
        """Return the acceleration of a body's free motion [m/s^2]."""
        if b < 0:
            return vec3()
        return (body.v - body.v_before) / body.force_time

    @wp.func
    def place_of(body: Body, b: int) -> wide_vec3:
        """Return the centre of mass of a body, including the low-order part of its position [m]."""
        if b < 0:
            return wide_vec3()
        return exact(body.x) + exact(body.x_low)

    @wp.func
    def place_before(body: Body, b: int, remaining: scalar, h: scalar) -> wide_vec3:
        """Return the centre of mass of a body when `remaining` [s] of the substep is left.

        Velocities are those of the middle of the substep.
        """
        if b < 0:
            return place_of(body, b)
        way = remaining * (body.v + (scalar(0.5) * (h - remaining)) * acceleration_of(body, b))
        return place_of(body, b) - exact(way)

    @wp.func
    def axes_before(bodies: Bodies, body: Body, b: int, remaining: scalar) -> quat:
        """Return the orientation of a body when `remaining` [s] of the substep is left."""
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
        """Return the velocity of a material point at an arm of a body when `remaining` [s] is left [m/s]."""
        if b < 0:
            return vec3()
        centre = body.v + (scalar(0.5) * h - remaining) * acceleration_of(body, b)
        return centre + wp.cross(body.omega_free, arm)

    @wp.func
    def arm_of_feature(shapes: Shapes, a: int, feature: int, ra: quat) -> vec3:
        """Return the vector from a body's centre of mass to a feature, world axes [m]."""
        return wp.quat_rotate(ra, shapes.point[a] + wp.quat_rotate(shapes.frame[a], shapes.feature[feature]))

    @wp.func
    def exact_arm(shapes: Shapes, a: int, feature: int, ra: quat) -> wide_vec3:
        """Return the same in double precision, with the low-order part of the position of a shape of the world."""
        frame = exact_quat(shapes.frame[a])
        arm = exact(shapes.point[a]) + wp.quat_rotate(frame, exact(shapes.feature[feature]))
        arm = wp.quat_rotate(exact_quat(ra), arm)
        if shapes.body[a] < 0:
            arm = arm + exact(shapes.low[a])
        return arm

    @wp.func
    def distance_out_of(shapes: Shapes, s: int, rb: quat, apart: wide_vec3):
        """Return outward normal in the world and signed distance [m] of a point to a solid.

        The point is given relative to the centre of mass of the solid's body.
        """
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
        """Return the vector from the centre of a cap's rim to its farthest point against a normal."""
        axis = wp.quat_rotate(ra * shapes.frame[a], vec3(scalar(0.0), scalar(0.0), scalar(1.0)))
        down = wp.dot(n, axis) * axis - n
        steep = wp.length(down)
        if steep < flat:
            return vec3()
        return (rim_radius(shapes, a, s) / steep) * down

    @wp.func
    def gap_between(shapes: Shapes, a: int, s: int, i: int, xa: wide_vec3, ra: quat, xb: wide_vec3, rb: quat):
        """Return normal and gap of a feature and a solid at given poses, and the arm of the contact on body a."""
        feature = place_of_feature(shapes, a, s, i)
        arm = exact_arm(shapes, a, feature, ra)
        n = vec3()
        distance_out = scalar(0.0)
        for advance in range(1 + shapes.is_rim[feature]):
            if advance == 1:
                arm = arm + exact(deepest(shapes, a, s, ra, n))
            n, distance_out = distance_out_of(shapes, s, rb, (xa - xb) + arm)
        radius = shapes.radius[feature] + shapes.margin[a]
        gap = distance_out - radius - shapes.margin[s]
        return n, gap, rounded(arm) - (radius + scalar(0.5) * gap) * n

    @wp.func(inline=False)
    def meeting(scene: Scene, row: Row, xa: wide_vec3, ra: quat, xb: wide_vec3, rb: quat):
        """Return normal and gap of a row at given poses of its bodies, and the arm of the contact on the first."""
        if row.pair < 0:
            c = scene.anchored.contact[row.feature]
            normal, apart, on_a, on_b = measure(scene.colliders, c, xa, exact_quat(ra), xb, exact_quat(rb))
            return rounded(normal), scalar(apart), rounded(wide_half * (on_a + on_b) - xa)
        n, gap, arm = gap_between(scene.shapes, row.shape, row.solid, row.feature, xa, ra, xb, rb)
        return n, gap, arm

    @wp.func
    def passable(shapes: Shapes, row: Row) -> scalar:
        """Return how far the first body of a row may move without passing to the far side of the second [m]."""
        thick = shapes.half_thickness[row.solid]
        if row.pair < 0:
            return thick + shapes.half_thickness[row.shape]
        return thick + shapes.radius[place_of_feature(shapes, row.shape, row.solid, row.feature)]

    @wp.func
    def rotation_speed(body: Body, b: int, reach: scalar) -> scalar:
        """Return an upper bound of the speed of a body's points about its centre [m/s]."""
        if b < 0:
            return zero
        return wp.length(body.omega_free) * reach

    @wp.func
    def meeting_before(scene: Scene, row: Row, remaining: scalar, h: scalar):
        """Return normal, gap and arm of a row in free motion when `remaining` [s] of the substep is left.

        Also return the position of the first body at that time, and its offset from the second.
        """
        a, b = row.body_a, row.body_b
        xa, xb = place_before(scene.body[a], a, remaining, h), place_before(scene.body[b], b, remaining, h)
        ra = axes_before(scene.bodies, scene.body[a], a, remaining)
        rb = axes_before(scene.bodies, scene.body[b], b, remaining)
        n, gap, arm = meeting(scene, row, xa, ra, xb, rb)
        return n, gap, arm, rounded(xa), rounded(xa - xb)

    @wp.func(inline=False)
    def first_meeting(scene: Scene, row: Row, since: scalar, h: scalar):
        """Return how much of the substep is left when a row closes, searching from `since` [s] before its end.

        The time is `never` if the row does not close. Also return the normal and gap at that time, the arm of the
        contact on the first body, the position of that body, and its offset from the second.
        """
        a, b = row.body_a, row.body_b
        near = close * passable(scene.shapes, row)
        remaining = since
        for advance in range(max_advances + 1):
            n, gap, arm, xa, between = meeting_before(scene, row, remaining, h)
            other = arm + between
            speed = speed_before(scene.body[b], b, other, remaining, h) - speed_before(
                scene.body[a], a, arm, remaining, h
            )
            if advance == max_advances or (gap <= near and wp.dot(n, speed) > zero):
                return remaining, n, gap, arm, xa, between
            centres = speed_before(scene.body[a], a, vec3(), remaining, h) - speed_before(
                scene.body[b], b, vec3(), remaining, h
            )
            fastest = rotation_speed(scene.body[a], a, wp.length(arm)) + rotation_speed(
                scene.body[b], b, wp.length(other)
            )
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
