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

from inertia_tools.sim.kernels.constants import FORCED_DISPLACEMENT, FORCED_DISPLACEMENT_ON_SUPPORT, FORCED_TURN
from inertia_tools.sim.kernels.joint_axes import axes_functions
from inertia_tools.sim.kernels.motion import motion_functions
from inertia_tools.sim.kernels.precision import Precision


@lru_cache(maxsize=2)
def forced_functions(p: Precision) -> Any:
    """Return the device functions of one precision."""
    scalar, vec3 = p.scalar, p.vec3
    Bodies, Body = p.references("Bodies", "Body")
    motion, joined = motion_functions(p), axes_functions(p).joined
    translate, rotate = motion.translate, motion.rotate
    spin_freely, store_free_motion = motion.spin_freely, motion.store_free_motion
    far_by_forces, far_turn_by_forces = (
        wp.constant(scalar(FORCED_DISPLACEMENT)),
        wp.constant(scalar(FORCED_TURN[p.name])),
    )
    off_corners = wp.constant(scalar(FORCED_DISPLACEMENT_ON_SUPPORT))
    half, falling = (
        wp.constant(scalar(0.5)),
        wp.constant(scalar(0.75)),
    )  # the latter lies between what fell, 1, and stood

    @wp.func
    def forced_turn(body: Body, h: scalar) -> vec3:
        """Return by how much moments turn a body in a substep [rad]."""
        return h * (body.inv_tensor * (body.spin - body.spin_before))

    @wp.func
    def moves_far(bodies: Bodies, body: Body, b: int, h: scalar) -> bool:
        """Tell whether forces carry a body far."""
        way, rotate = h * wp.length(body.v - body.v_before), wp.length(forced_turn(body, h))
        return rotate > far_turn_by_forces or way > far_by_forces * bodies.extent[b]

    @wp.func
    def moves_off_corners(bodies: Bodies, body: Body, b: int, h: scalar) -> bool:
        """Tell whether forces carry a free body by more than its corners are rounded, if not far."""
        if bodies.is_free_body[b] == 0 or moves_far(bodies, body, b, h):
            return False
        return h * wp.length(body.v - body.v_before) > off_corners * bodies.extent[b]

    @wp.func
    def gain_from_start(body: Body) -> vec3:
        """Return the velocity that the forces of a substep add to the one at its start.

        Momenta are those of the middle of the substep before. What stood since then has gained nothing up to the start;
        what fell has gained a half. Of a velocity that was given, what they lack is known.
        """
        gain, gain_before = body.v - body.v_before - body.velocity_lag, body.v_before - body.v_earlier
        if body.velocity_lag == vec3() and wp.dot(gain, gain_before) > falling * wp.dot(gain, gain):
            return half * gain
        return gain

    @wp.func
    def omit_forces(body: Body, h: scalar):
        """Put a body where its velocities at the start of the substep lead."""
        gain, by = gain_from_start(body), forced_turn(body, h)
        body.omitted_velocity = gain
        body.omitted_rotation = by
        translate(body, -h * gain)
        rotate(body, -by)
        body.v_free = body.v - gain
        body.omega_free = body.inv_tensor * body.spin_before

    @wp.func
    def defer_forces(bodies: Bodies, body: Body, b: int, h: scalar):
        """Let a body move as if there were no forces, and make them a load of the first iterate."""
        lin, ang = body.v - body.v_before + body.v_low, body.spin - body.spin_before + body.spin_low
        body.deferred_load = h * joined(bodies.mass[b] * lin, ang)
        translate(body, h * (body.v_before - body.v))
        body.r = body.r0
        body.r_low = body.r0_low
        body.v = body.v_before
        body.v_low = vec3()
        body.spin = body.spin_before
        body.spin_low = vec3()
        spin_freely(bodies, body, b, body.spin, h)
        store_free_motion(body)

    @wp.func
    def restore_forced_motion(body: Body):
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
    def omitted_displacement(body: Body, arm: vec3, h: scalar) -> vec3:
        """Return how far forces that are left out would carry what is at an arm of a body."""
        return h * body.omitted_velocity + wp.cross(body.omitted_rotation, arm)

    return SimpleNamespace(
        moves_far=moves_far, moves_off_corners=moves_off_corners, omit_forces=omit_forces, defer_forces=defer_forces,
        restore_forced_motion=restore_forced_motion, omitted_displacement=omitted_displacement,
    )  # fmt: skip
