# SPDX-FileCopyrightText: The inertia_tools authors
# SPDX-License-Identifier: Apache-2.0
"""Where contacts are measured of bodies that forces would carry far in a substep, if nothing held against them.

Contacts are linear from where they are measured on, which is where free motion leads. A light finger that is pressed
against something does not go there: its force alone would carry it through what it holds. Its contacts are measured
where the velocities of before lead, and free motion goes on from there along their normals.
"""

from functools import lru_cache
from types import SimpleNamespace
from typing import Any

import warp as wp

from inertia_tools.sim.device.precision import Precision
from inertia_tools.sim.xpbd.motion import motion_functions

FAR = 0.1
"""Displacement by forces in a substep, over the size of the body, from which its contacts are measured so."""


@lru_cache(maxsize=2)
def forced_functions(p: Precision) -> Any:
    """Return the device functions of one precision."""
    scalar, vec3 = p.scalar, p.vec3
    Bodies, Row, Work, Body = p.references("Bodies", "Row", "Work", "Body")
    motion = motion_functions(p)
    is_static, add, turn = motion.is_static, motion.add, motion.turn
    far = wp.constant(scalar(FAR))

    @wp.func
    def forced_turn(body: Body, h: scalar) -> vec3:
        """Return by how much moments turn a body in a substep [rad]."""
        return h * (body.inv_tensor * (body.spin - body.spin_before))

    @wp.func
    def goes_far(bodies: Bodies, body: Body, b: int, h: scalar) -> bool:
        """Tell whether forces carry a body far."""
        way = h * wp.length(body.v - body.v_before)
        return way + wp.length(forced_turn(body, h)) * bodies.extent[b] > far * bodies.extent[b]

    @wp.func
    def leave_out(body: Body, h: scalar):
        """Put a body where its velocities of before lead."""
        add(body, h * (body.v_before - body.v))
        turn(body, -forced_turn(body, h))
        body.v_free = body.v_before
        body.omega_free = body.inv_tensor * body.spin_before

    @wp.func
    def put_back(body: Body):
        """Put it where free motion leads."""
        body.v_free = body.v
        body.omega_free = body.inv_tensor * body.spin
        body.x = body.x_free
        body.x_low = body.x_low_free
        body.r = body.r_free
        body.r_low = body.r_low_free

    @wp.func
    def forced_way(bodies: Bodies, body: Body, b: int, arm: vec3, h: scalar) -> vec3:
        """Return how far forces carry what is at an arm of a body, if that goes far."""
        if is_static(bodies, b) or not goes_far(bodies, body, b, h):
            return vec3()
        return h * (body.v - body.v_before) + wp.cross(forced_turn(body, h), arm)

    @wp.func
    def go_on(bodies: Bodies, row: Row, work: Work, h: scalar):
        """Take what forces do into the gap and the way of a row."""
        a, b = row.body_a, row.body_b
        way = vec3()
        if a >= 0:
            way = forced_way(bodies, work.body[a], a, row.arm_a, h)
        if b >= 0:
            way = way - forced_way(bodies, work.body[b], b, row.arm_b, h)
        closes = wp.dot(row.normal, way)
        row.way = row.way + way
        row.gap = row.gap + closes
        row.gap_error = row.gap_error - wp.float64(closes)

    return SimpleNamespace(goes_far=goes_far, leave_out=leave_out, put_back=put_back, go_on=go_on)
