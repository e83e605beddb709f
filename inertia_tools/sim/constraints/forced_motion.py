# SPDX-FileCopyrightText: The inertia_tools authors
# SPDX-License-Identifier: Apache-2.0
"""Contacts of bodies that applied forces would carry far in a substep, if no contact resisted.

Contacts are linear about the pose after free motion. A light finger that is pressed against an object does not reach
that pose: the force alone would carry it through the object. Its contacts are measured where the velocities at the
start of the substep lead. The effect of the forces on them enters along their normals for a free body. For a body on
joints, which are linear about that pose too, it is a load of the first iterate.

Similarly, weight alone would carry a standing box by the rounding radius of a corner or more. So this applies to its
contacts with static and kinematic bodies; a body that falls along with it does not move relative to it.
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
    far_by_forces = wp.constant(scalar(FORCED_DISPLACEMENT))
    far_turn_by_forces = wp.constant(scalar(FORCED_TURN[p.name]))
    off_corners = wp.constant(scalar(FORCED_DISPLACEMENT_ON_SUPPORT))
    half = wp.constant(scalar(0.5))
    falling = wp.constant(scalar(0.75))  # ratio of successive gains: 1 for a falling body, less for one that stood

    @wp.func
    def forced_turn(body: Body, h: scalar) -> vec3:
        """Return the rotation of a body by applied moments in a substep [rad]."""
        return h * (body.inv_tensor * (body.spin - body.spin_before))

    @wp.func
    def moves_far(bodies: Bodies, body: Body, b: int, h: scalar) -> bool:
        """Return whether applied forces carry a body far."""
        displacement, rotation = h * wp.length(body.v - body.v_before), wp.length(forced_turn(body, h))
        return rotation > far_turn_by_forces or displacement > far_by_forces * bodies.extent[b]

    @wp.func
    def moves_off_corners(bodies: Bodies, body: Body, b: int, h: scalar) -> bool:
        """Return whether applied forces carry a free body beyond the rounding of its corners, but not far."""
        if bodies.is_free_body[b] == 0 or moves_far(bodies, body, b, h):
            return False
        return h * wp.length(body.v - body.v_before) > off_corners * bodies.extent[b]

    @wp.func
    def gain_from_start(body: Body) -> vec3:
        """Return the velocity that the forces of a substep add to that at its start [m/s].

        Momenta belong to the middle of the last substep. A body that stood since then has gained nothing up to the
        start; one that fell has gained a half.
        """
        gain, gain_before = body.v - body.v_before, body.v_before - body.v_earlier
        if wp.dot(gain, gain_before) > falling * wp.dot(gain, gain):
            return half * gain
        return gain

    @wp.func
    def omit_forces(body: Body, h: scalar):
        """Move a body to where its velocities at the start of the substep lead."""
        gain, rotation = gain_from_start(body), forced_turn(body, h)
        body.omitted_velocity = gain
        body.omitted_rotation = rotation
        translate(body, -h * gain)
        rotate(body, -rotation)
        body.v_free = body.v - gain
        body.omega_free = body.inv_tensor * body.spin_before

    @wp.func
    def defer_forces(bodies: Bodies, body: Body, b: int, h: scalar):
        """Move a body as without applied forces, which become a load of the first iterate."""
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
        """Move a body to its pose after free motion."""
        body.omitted_velocity = vec3()
        body.omitted_rotation = vec3()
        body.v_free = body.v
        body.omega_free = body.inv_tensor * body.spin
        body.x = body.x_free
        body.x_low = body.x_low_free
        body.r = body.r_free
        body.r_low = body.r_low_free

    @wp.func
    def forced_displacement(body: Body, arm: vec3, h: scalar) -> vec3:
        """Return the displacement of a body by applied forces at an arm in the substep, from those not omitted [m]."""
        gain = gain_from_start(body) - body.omitted_velocity
        return h * gain + wp.cross(forced_turn(body, h) - body.omitted_rotation, arm)

    @wp.func
    def omitted_displacement(body: Body, arm: vec3, h: scalar) -> vec3:
        """Return the displacement by omitted forces at an arm of a body [m]."""
        return h * body.omitted_velocity + wp.cross(body.omitted_rotation, arm)

    return SimpleNamespace(
        moves_far=moves_far, moves_off_corners=moves_off_corners, omit_forces=omit_forces, defer_forces=defer_forces,
        restore_forced_motion=restore_forced_motion, omitted_displacement=omitted_displacement,
        forced_displacement=forced_displacement,
    )  # fmt: skip
