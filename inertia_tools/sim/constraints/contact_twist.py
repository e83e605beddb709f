# SPDX-FileCopyrightText: The inertia_tools authors
# SPDX-License-Identifier: Apache-2.0
"""Torsional and rolling friction: moments that resist the relative rotation of two bodies at a contact.

A contact with the normal force N resists torsion about its normal with a moment of at most N times one length, and
rolling with at most N times another. Both are springs on the rotation since sticking began, whose stiffness is limited
by that moment: sticking bodies do not creep, rotating ones are braked by the full moment, and no energy is added. The
moments on both bodies are opposite.
"""

from functools import lru_cache
from types import SimpleNamespace
from typing import Any

import warp as wp

from inertia_tools.sim.collide.contact_finding import finding_functions
from inertia_tools.sim.constraints.contact_rows import contact_row_functions
from inertia_tools.sim.kernels.motion import motion_functions
from inertia_tools.sim.kernels.precision import Precision
from inertia_tools.sim.kernels.rounding import rounding_functions
from inertia_tools.sim.kernels.scene_types import scene_type


@lru_cache(maxsize=2)
def twist_functions(p: Precision) -> Any:
    """Return the device functions of one precision."""
    Scene = wp.ref[scene_type(p)]
    scalar, vec3 = p.scalar, p.vec3
    rounded = rounding_functions(p).rounded
    Bodies, Row = p.references("Bodies", "Row")
    (Body,) = p.references("Body")
    motion = motion_functions(p)
    is_static, rate_by_impulses = motion.is_static, motion.rate_by_impulses
    combined, some_tangent = finding_functions(p).combined, contact_row_functions(p).some_tangent

    @wp.func
    def inverse_inertia_about(bodies: Bodies, body: Body, b: int, axis: vec3) -> scalar:
        """Return the rotation of a body about an axis by a unit moment about it [1/(kg m^2)]."""
        if is_static(bodies, b):
            return scalar(0.0)
        return wp.dot(axis, body.inv_tensor * axis)

    @wp.func
    def rotation_by_impulses(bodies: Bodies, body: Body, b: int, h: scalar) -> vec3:
        """Return the rotation of a body by impulses of this substep so far [rad]."""
        if is_static(bodies, b):
            return vec3()
        return h * rate_by_impulses(body)

    @wp.func
    def rotation_since_sticking(scene: Scene, row: Row, h: scalar) -> vec3:
        """Return the rotation of the first body relative to the second one since sticking began [rad]."""
        by_impulses = rotation_by_impulses(scene.bodies, scene.body[row.body_a], row.body_a, h) - rotation_by_impulses(
            scene.bodies, scene.body[row.body_b], row.body_b, h
        )
        return scene.contacts.angle[row.slot] + row.free_rotation + by_impulses

    @wp.func
    def measure_twist(scene: Scene, row: Row, h: scalar):
        """Begin a substep: measure friction coefficients, free rotation and inverse inertias."""
        a, b = row.body_a, row.body_b
        one, other = row.shape, row.solid
        rule = scene.shapes.friction_rule
        row.mu_torsional = combined(rule, scene.shapes.mu_torsional[one], scene.shapes.mu_torsional[other])
        row.mu_rolling = combined(rule, scene.shapes.mu_rolling[one], scene.shapes.mu_rolling[other])
        turn = vec3()
        if a >= 0:
            turn = turn + h * scene.body[a].omega_free
        if b >= 0:
            turn = turn - h * scene.body[b].omega_free
        n = row.normal
        t = some_tangent(n)
        row.free_rotation = turn
        row.w_torsion = inverse_inertia_about(scene.bodies, scene.body[a], a, n) + inverse_inertia_about(
            scene.bodies, scene.body[b], b, n
        )
        row.w_rolling = inverse_inertia_about(scene.bodies, scene.body[a], a, t) + inverse_inertia_about(
            scene.bodies, scene.body[b], b, t
        )
        row.lambda_r = vec3()
        row.torsion_sticks = scalar(0.0)
        row.rolling_sticks = scalar(0.0)

    @wp.func
    def store_twist(scene: Scene, row: Row, h: scalar, per_impulse: scalar):
        """End a substep: store the rotation of sticking friction, and add the moment to the reported torque."""
        slot = row.slot
        lambda_n = row.lambda_n
        angle = vec3()
        if lambda_n > scalar(0.0):
            n, moment = row.normal, row.lambda_r
            scene.contacts.torque[slot] = scene.contacts.torque[slot] + (per_impulse / h) * moment
            if row.is_direct == 1:
                angle = rounded((wp.float64(-1.0) / row.rotation_stiffness) * row.applied_moment)
            else:
                remaining = rotation_since_sticking(scene, row, h)
                spin = wp.dot(remaining, n)
                angle = (row.torsion_sticks * spin) * n + row.rolling_sticks * (remaining - spin * n)
        scene.contacts.angle[slot] = angle

    return SimpleNamespace(
        measure_twist=measure_twist, rotation_by_impulses=rotation_by_impulses,
        rotation_since_sticking=rotation_since_sticking, store_twist=store_twist,
    )  # fmt: skip
