# SPDX-FileCopyrightText: The inertia_tools authors
# SPDX-License-Identifier: Apache-2.0
"""Impulses of resting contacts within a substep: they carry their loads until their bodies are hit."""

from functools import lru_cache
from types import SimpleNamespace
from typing import Any

import warp as wp

from inertia_tools.sim.kernels.motion import motion_functions
from inertia_tools.sim.kernels.precision import Precision
from inertia_tools.sim.kernels.scene_types import scene_type


@lru_cache(maxsize=2)
def load_functions(p: Precision) -> Any:
    """Return the device functions of one precision."""
    Scene = wp.ref[scene_type(p)]
    scalar, vec3 = p.scalar, p.vec3
    Bodies, Row, Body = p.references("Bodies", "Row", "Body")
    is_static, translate = motion_functions(p).is_static, motion_functions(p).translate
    zero, half = wp.constant(scalar(0.0)), wp.constant(scalar(0.5))

    @wp.func
    def apply_impulse(bodies: Bodies, body: Body, b: int, arm: vec3, impulse: vec3):
        """Change the momenta of a body's free motion by an impulse [N s] at an arm."""
        if not is_static(bodies, b):
            v, spin = bodies.inv_mass[b] * impulse, wp.cross(arm, impulse)
            body.v = body.v + v
            body.spin = body.spin + spin
            body.v_free = body.v_free + v
            body.spin_free = body.spin_free + spin
            body.omega_free = body.inv_tensor * body.spin_free
            body.v_before = body.v_before + v
            body.spin_before = body.spin_before + spin
            body.v_earlier = body.v_earlier + v
            body.spin_earlier = body.spin_earlier + spin

    @wp.func
    def free_gain(bodies: Bodies, body: Body, b: int) -> vec3:
        """Return the velocity that free motion adds to a body in the substep [m/s]."""
        if is_static(bodies, b):
            return vec3()
        return body.v - body.v_before

    @wp.func
    def apply_support(bodies: Bodies, body: Body, b: int, arm: vec3, impulse: vec3, share: scalar, lever_time: scalar):
        """Apply the impulse of a support to a body until an impact.

        `share` is the part of it that acts until then, `lever_time` the resulting displacement over the velocity
        change.
        """
        if not is_static(bodies, b):
            apply_impulse(bodies, body, b, arm, share * impulse)
            translate(body, (lever_time * bodies.inv_mass[b]) * impulse)
            body.x_free = body.x
            body.x_low_free = body.x_low

    @wp.func
    def apply_resting_load(scene: Scene, row: Row, remaining: scalar, h: scalar, per_impulse: scalar) -> bool:
        """Apply the load of a resting contact until an impact; return whether there is any.

        A resting body does not fall until then. The load is no larger than the one that keeps the bodies in place. An
        impulse p of each substep that acts until the time t of this one adds p / h (h / 2 + t) to a momentum that lags
        by half a substep; after that the body moves as if it had always been free. That of a body that starts anew does
        not lag.
        """
        slot = row.slot
        if scene.contacts.lambda_n[slot] > zero and row.load_applied == 0:
            row.load_applied = int(1)
            a, b, n = row.body_a, row.body_b, row.normal
            approach_gain = -wp.dot(
                n, free_gain(scene.bodies, scene.body[a], a) - free_gain(scene.bodies, scene.body[b], b)
            )
            if approach_gain > zero and row.w_n > zero:
                impulse = wp.min(scene.contacts.lambda_n[slot] / h, approach_gain / row.w_n)
                elapsed = (h - remaining) / h
                before = half * scene.body[wp.where(is_static(scene.bodies, a), b, a)].h_before / h
                share = before + elapsed
                lever_time = h * (before * elapsed + half * elapsed * elapsed + (remaining / h) * share)
                apply_support(scene.bodies, scene.body[a], a, row.arm_a, impulse * n, share, lever_time)
                apply_support(scene.bodies, scene.body[b], b, row.arm_b, -impulse * n, share, lever_time)
                scene.contacts.force[slot] = scene.contacts.force[slot] + (per_impulse * share * impulse) * n
                return True
        return False

    return SimpleNamespace(apply_impulse=apply_impulse, apply_resting_load=apply_resting_load)
