# SPDX-FileCopyrightText: The inertia_tools authors
# SPDX-License-Identifier: Apache-2.0
"""Free motion of a rigid body over a substep, and the effect of an impulse on it.

Velocities are kept half a substep behind the positions (leapfrog), so that constant forces are integrated exactly;
rotation follows the angular momentum, which is kept exactly, by the midpoint rule. An impulse times the substep's
length, in [kg m], moves the body and changes its momentum at once: momenta are sums of impulses, never differences of
positions, and stay free of the rounding of large coordinates.
"""

from functools import lru_cache
from types import SimpleNamespace
from typing import Any

import warp as wp

from inertia_tools.sim.precision import Precision


@lru_cache(maxsize=2)
def motion_functions(p: Precision) -> Any:
    """Return the device functions of one precision."""
    scalar, vec3, quat, mat33 = p.scalar, p.vec3, p.quat, p.mat33
    Bodies, Work = p.Bodies, p.Work

    @wp.func
    def turned(q: quat, angle: vec3) -> quat:
        """Turn an orientation by a rotation vector in world axes [rad]."""
        size = wp.length(angle)
        half = scalar(0.5) * size
        factor = scalar(0.5)
        if size > scalar(1.0e-6):
            factor = wp.sin(half) / size
        d = quat(factor * angle[0], factor * angle[1], factor * angle[2], wp.cos(half))
        return wp.normalize(d * q)

    @wp.func
    def world_tensor(q: quat, body_tensor: mat33) -> mat33:
        """Express a tensor of body axes in world axes."""
        r = wp.quat_to_matrix(q)
        return r * body_tensor * wp.transpose(r)

    @wp.func
    def rate(bodies: Bodies, b: int, q: quat, spin: vec3) -> vec3:
        """Return the angular velocity that goes with an angular momentum."""
        return world_tensor(q, bodies.inv_inertia[b]) * spin

    @wp.func
    def predict(bodies: Bodies, work: Work, b: int, force: vec3, torque: vec3, h: scalar, decay: scalar):
        """Move a body freely over the substep; its angular momentum keeps the ratio `decay` besides."""
        work.x0[b] = work.x[b]
        work.r0[b] = work.r[b]
        work.v_before[b] = work.v[b]
        work.spin_before[b] = work.spin[b]
        if bodies.inv_mass[b] > scalar(0.0):
            v = work.v[b] + h * (bodies.gravity[0] + bodies.inv_mass[b] * force)
            spin = decay * work.spin[b] + h * torque
            q = work.r[b]
            middle = turned(q, scalar(0.5) * h * rate(bodies, b, q, spin))
            work.v[b] = v
            work.spin[b] = spin
            work.x[b] = work.x[b] + h * v
            work.r[b] = turned(q, h * rate(bodies, b, middle, spin))

    @wp.func
    def stays(bodies: Bodies, b: int) -> bool:
        """Tell whether a body, or the world, does not answer to forces."""
        if b < 0:
            return True
        return bodies.inv_mass[b] == scalar(0.0)

    @wp.func
    def push(bodies: Bodies, work: Work, b: int, impulse: vec3, point: vec3, h: scalar):
        """Apply an impulse times the substep's length [kg m] at a point of the world.

        Its arm counts from where the centre of mass was at the start of the substep, as for joints: momenta are those
        of that instant, so the angular momentum of two bodies that push each other is kept.
        """
        if not stays(bodies, b):
            twist = wp.cross(point - work.x0[b], impulse)
            work.x[b] = work.x[b] + bodies.inv_mass[b] * impulse
            work.v[b] = work.v[b] + (bodies.inv_mass[b] / h) * impulse
            work.spin[b] = work.spin[b] + twist / h
            work.r[b] = turned(work.r[b], rate(bodies, b, work.r[b], twist))

    @wp.func
    def mobility(bodies: Bodies, work: Work, b: int, point: vec3, direction: vec3) -> scalar:
        """Return the displacement at a point along a direction, for a unit impulse there [1/kg]."""
        if stays(bodies, b):
            return scalar(0.0)
        arm = wp.cross(point - work.x0[b], direction)
        return bodies.inv_mass[b] + wp.dot(arm, rate(bodies, b, work.r[b], arm))

    @wp.func
    def carried_from(work: Work, b: int, point: vec3) -> vec3:
        """Return where the body's material that is now at a point was at the start of the substep."""
        if b < 0:
            return point
        return work.x0[b] + wp.quat_rotate(work.r0[b], wp.quat_rotate_inv(work.r[b], point - work.x[b]))

    return SimpleNamespace(
        turned=turned,
        world_tensor=world_tensor,
        rate=rate,
        predict=predict,
        stays=stays,
        push=push,
        mobility=mobility,
        carried_from=carried_from,
    )
