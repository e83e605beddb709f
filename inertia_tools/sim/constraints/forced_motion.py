# SPDX-FileCopyrightText: The inertia_tools authors
# SPDX-License-Identifier: Apache-2.0
"""Where contacts are measured of bodies that forces would carry far in a substep, if nothing held against them.

Contacts are linear from where they are measured on, which is where free motion leads. A light finger that is pressed
against something does not go there: its force alone would carry it through what it holds. Its contacts are measured
where the velocities at the start of the substep lead. What forces do beyond that goes along their normals for a free
body. For one on joints, whose joints are linear from there too, it is a load of the first iterate.

A box that stands does not go where its weight alone would carry it either, by the rounding of a corner or more. So it
is with its contacts with what does not answer to forces; what falls as it does stays where it is to it.
"""

from functools import lru_cache
from types import SimpleNamespace
from typing import Any

import warp as wp

from inertia_tools.sim.kernels.constants import FAR_BY_FORCES, FAR_TURN_BY_FORCES, OFF_CORNERS_BY_FORCES
from inertia_tools.sim.kernels.joint_axes import axes_functions
from inertia_tools.sim.kernels.motion import motion_functions
from inertia_tools.sim.kernels.precision import Precision


@lru_cache(maxsize=2)
def forced_functions(p: Precision) -> Any:
    """Return the device functions of one precision."""
    scalar, vec3 = p.scalar, p.vec3
    Bodies, Body = p.references("Bodies", "Body")
    motion, joined = motion_functions(p), axes_functions(p).joined
    add, turn = motion.add, motion.turn
    spin_freely, note_free = motion.spin_freely, motion.note_free
    far, far_turn = wp.constant(scalar(FAR_BY_FORCES)), wp.constant(scalar(FAR_TURN_BY_FORCES[p.name]))
    off_corners = wp.constant(scalar(OFF_CORNERS_BY_FORCES))
    half, fell = wp.constant(scalar(0.5)), wp.constant(scalar(0.75))  # the latter lies between what fell, 1, and stood

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
    def goes_off(bodies: Bodies, body: Body, b: int, h: scalar) -> bool:
        """Tell whether forces carry a free body by more than its corners are rounded, if not far."""
        if bodies.is_free_body[b] == 0 or goes_far(bodies, body, b, h):
            return False
        return h * wp.length(body.v - body.v_before) > off_corners * bodies.extent[b]

    @wp.func
    def gain_from_start(body: Body) -> vec3:
        """Return the velocity that the forces of a substep add to the one at its start.

        Momenta are those of the middle of the substep before. What stood since then has gained nothing up to the start;
        what fell has gained a half. Of a velocity that was given, what they lack is known.
        """
        gain, gain_before = body.v - body.v_before - body.velocity_lag, body.v_before - body.v_earlier
        if body.velocity_lag == vec3() and wp.dot(gain, gain_before) > fell * wp.dot(gain, gain):
            return half * gain
        return gain

    @wp.func
    def leave_out(body: Body, h: scalar):
        """Put a body where its velocities at the start of the substep lead."""
        gain, by = gain_from_start(body), forced_turn(body, h)
        body.omitted_velocity = gain
        body.omitted_rotation = by
        add(body, -h * gain)
        turn(body, -by)
        body.v_free = body.v - gain
        body.omega_free = body.inv_tensor * body.spin_before

    @wp.func
    def hold_back(bodies: Bodies, body: Body, b: int, h: scalar):
        """Let a body move as if there were no forces, and make them a load of the first iterate."""
        lin, ang = body.v - body.v_before + body.v_low, body.spin - body.spin_before + body.spin_low
        body.deferred_load = h * joined(bodies.mass[b] * lin, ang)
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
        body.omitted_velocity = vec3()
        body.omitted_rotation = vec3()
        body.v_free = body.v
        body.omega_free = body.inv_tensor * body.spin
        body.x = body.x_free
        body.x_low = body.x_low_free
        body.r = body.r_free
        body.r_low = body.r_low_free

    @wp.func
    def left_out_way(body: Body, arm: vec3, h: scalar) -> vec3:
        """Return how far forces that are left out would carry what is at an arm of a body."""
        return h * body.omitted_velocity + wp.cross(body.omitted_rotation, arm)

    return SimpleNamespace(
        goes_far=goes_far, goes_off=goes_off, leave_out=leave_out, hold_back=hold_back, put_back=put_back,
        left_out_way=left_out_way,
    )  # fmt: skip
