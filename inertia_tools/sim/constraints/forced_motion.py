# SPDX-FileCopyrightText: The inertia_tools authors
# SPDX-License-Identifier: Apache-2.0
"""Where contacts are measured of bodies that forces would carry far in a substep, if nothing held against them.

Contacts are linear from where they are measured on, which is where free motion leads. A light finger that is pressed
against something does not go there: its force alone would carry it through what it holds. Its contacts are measured
where the velocities of before lead. What forces do beyond that goes along their normals for a free body. For one on
joints, whose joints are linear from there too, it is a load of the first iterate.
"""

from functools import lru_cache
from types import SimpleNamespace
from typing import Any

import warp as wp

from inertia_tools.sim.kernels.constants import FAR_BY_FORCES, FAR_TURN_BY_FORCES
from inertia_tools.sim.kernels.joint_axes import axes_functions
from inertia_tools.sim.kernels.motion import motion_functions
from inertia_tools.sim.kernels.precision import Precision
from inertia_tools.sim.kernels.scene_types import scene_type


@lru_cache(maxsize=2)
def forced_functions(p: Precision) -> Any:
    """Return the device functions of one precision."""
    Scene = wp.ref[scene_type(p)]
    scalar, vec3 = p.scalar, p.vec3
    Bodies, Row, Body = p.references("Bodies", "Row", "Body")
    motion, joined = motion_functions(p), axes_functions(p).joined
    is_static, add, turn = motion.is_static, motion.add, motion.turn
    spin_freely, note_free = motion.spin_freely, motion.note_free
    far, far_turn = wp.constant(scalar(FAR_BY_FORCES)), wp.constant(scalar(FAR_TURN_BY_FORCES[p.name]))

    @wp.func
    def forced_turn(body: Body, h: scalar) -> vec3:
        """Return by how much moments turn a body in a substep [rad]."""
        return h * (body.inv_tensor * (body.spin - body.spin_before))

    @wp.func
    def goes_far(bodies: Bodies, body: Body, b: int, h: scalar) -> bool:
        """Tell whether forces carry a body far."""
        way, turn = h * wp.length(body.v - body.v_before), wp.length(forced_turn(body, h))
        return turn > far_turn or way > far * bodies.extent[b]

    @wp.func
    def leave_out(body: Body, h: scalar):
        """Put a body where its velocities of before lead."""
        add(body, h * (body.v_before - body.v))
        turn(body, -forced_turn(body, h))
        body.v_free = body.v_before
        body.omega_free = body.inv_tensor * body.spin_before

    @wp.func
    def hold_back(bodies: Bodies, body: Body, b: int, h: scalar):
        """Let a body move as if there were no forces, and make them a load of the first iterate."""
        lin, ang = body.v - body.v_before + body.v_low, body.spin - body.spin_before + body.spin_low
        body.held_back = h * joined(bodies.mass[b] * lin, ang)
        add(body, h * (body.v_before - body.v))
        body.r = body.r0
        body.r_low = body.r0_low
        body.v = body.v_before
        body.v_low = vec3()
        body.spin = body.spin_before
        body.spin_low = vec3()
        spin_freely(bodies, body, b, body.spin, h)
        note_free(body)

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
    def go_on(scene: Scene, row: Row, h: scalar):
        """Take what forces do into the gap and the way of a row."""
        a, b = row.body_a, row.body_b
        way = vec3()
        if a >= 0:
            way = forced_way(scene.bodies, scene.body[a], a, row.arm_a, h)
        if b >= 0:
            way = way - forced_way(scene.bodies, scene.body[b], b, row.arm_b, h)
        closes = wp.dot(row.normal, way)
        row.way = row.way + way
        row.gap = row.gap + closes
        row.gap_error = row.gap_error - wp.float64(closes)

    return SimpleNamespace(goes_far=goes_far, leave_out=leave_out, hold_back=hold_back, put_back=put_back, go_on=go_on)
