# SPDX-FileCopyrightText: The inertia_tools authors
# SPDX-License-Identifier: Apache-2.0
"""Free motion of a rigid body over a substep, and the effect of an impulse on it.

Velocities are kept half a substep behind the positions (leapfrog), so that constant forces are integrated exactly;
rotation follows the angular momentum, which is kept exactly, by a method of the fourth order. An impulse times the
substep's length, in [kg m], moves the body and changes its momentum at once: momenta are sums of impulses, never
differences of positions, and stay free of the rounding of large coordinates.
"""

from functools import lru_cache
from types import SimpleNamespace
from typing import Any

import warp as wp

from inertia_tools.sim.precision import Precision

SMALL_TURN = {"float32": 0.25, "float64": 0.01}
"""Square of the angle [rad^2] up to which the series of sine and cosine are exact to rounding."""

LARGEST_TURN = 0.25
"""Square of the angle [rad^2] that a body may turn in a substep for the method of Runge and Kutta to be the better."""


@lru_cache(maxsize=2)
def motion_functions(p: Precision) -> Any:
    """Return the device functions of one precision."""
    scalar, vec3, quat, mat33 = p.scalar, p.vec3, p.quat, p.mat33
    Bodies, Work = p.references("Bodies", "Work")
    small_turn = wp.constant(scalar(SMALL_TURN[p.name]))
    largest_turn = wp.constant(scalar(LARGEST_TURN))

    @wp.func
    def turned(q: quat, angle: vec3) -> quat:
        """Turn an orientation by a rotation vector in world axes [rad]; small ones by the series of sine and cosine."""
        square = wp.dot(angle, angle)
        factor = scalar(0.5) + square * (
            scalar(-1.0 / 48.0) + square * (scalar(1.0 / 3840.0) - square / scalar(645120.0))
        )
        cosine = scalar(1.0) + square * (
            scalar(-1.0 / 8.0) + square * (scalar(1.0 / 384.0) - square * scalar(1.0 / 46080.0))
        )
        if square > small_turn:
            size = wp.sqrt(square)
            factor = wp.sin(scalar(0.5) * size) / size
            cosine = wp.cos(scalar(0.5) * size)
        d = quat(factor * angle[0], factor * angle[1], factor * angle[2], cosine)
        return wp.normalize(d * q)

    @wp.func
    def world_tensor(q: quat, body_tensor: mat33) -> mat33:
        """Express a tensor of body axes in world axes."""
        r = wp.quat_to_matrix(q)
        return r * body_tensor * wp.transpose(r)

    @wp.func
    def rate(bodies: Bodies, b: int, q: quat, spin: vec3) -> vec3:
        """Return the angular velocity that goes with an angular momentum."""
        return wp.quat_rotate(q, bodies.inv_inertia[b] * wp.quat_rotate_inv(q, spin))

    @wp.func
    def spun(bodies: Bodies, b: int, q: quat, omega: vec3, spin: vec3, h: scalar) -> quat:
        """Turn a body freely for a time h, its angular momentum being kept; `omega` is its rate at the beginning.

        The classic method of Runge and Kutta on the quaternion; the midpoint rule for turns that are too large for it.
        """
        if h * h * wp.dot(omega, omega) > largest_turn:
            middle = turned(q, scalar(0.5) * h * omega)
            return turned(q, h * rate(bodies, b, middle, spin))
        half = scalar(0.5) * h
        k1 = scalar(0.5) * (pure(omega) * q)
        q2 = q + half * k1
        k2 = scalar(0.5) * (pure(rate(bodies, b, wp.normalize(q2), spin)) * q2)
        q3 = q + half * k2
        k3 = scalar(0.5) * (pure(rate(bodies, b, wp.normalize(q3), spin)) * q3)
        q4 = q + h * k3
        k4 = scalar(0.5) * (pure(rate(bodies, b, wp.normalize(q4), spin)) * q4)
        return wp.normalize(q + (h / scalar(6.0)) * (k1 + scalar(2.0) * (k2 + k3) + k4))

    @wp.func
    def pure(omega: vec3) -> quat:
        return quat(omega[0], omega[1], omega[2], scalar(0.0))

    @wp.func
    def add(work: Work, b: int, way: vec3):
        """Move a body's centre, and remember what rounding leaves out (Kahan's sum)."""
        x = work.x[b]
        step = way + work.x_low[b]
        there = x + step
        work.x_low[b] = step - (there - x)
        work.x[b] = there

    @wp.func
    def predict(bodies: Bodies, work: Work, b: int, force: vec3, torque: vec3, h: scalar, decay: scalar):
        """Move a body freely over the substep; its angular momentum keeps the ratio `decay` besides."""
        work.x0[b] = work.x[b]
        q = work.r[b]
        work.r0[b] = q
        work.v_before[b] = work.v[b]
        work.spin_before[b] = work.spin[b]
        if bodies.inv_mass[b] > scalar(0.0):
            kick = h * (bodies.gravity[0] + bodies.inv_mass[b] * force) + work.v_low[b]
            v = work.v[b] + kick
            work.v_low[b] = kick - (v - work.v[b])
            spin = decay * work.spin[b] + h * torque
            frame = wp.quat_to_matrix(q)
            inverse = frame * bodies.inv_inertia[b] * wp.transpose(frame)
            work.tensor[b] = frame * bodies.inertia[b] * wp.transpose(frame)
            work.inv_tensor[b] = inverse
            omega = inverse * spin
            work.v[b] = v
            work.spin[b] = spin
            work.v_free[b] = v
            work.spin_free[b] = spin
            work.omega_free[b] = omega
            add(work, b, h * v)
            work.r[b] = spun(bodies, b, q, omega, spin, h)
            work.x_free[b] = work.x[b]
            work.x_low_free[b] = work.x_low[b]
            work.r_free[b] = work.r[b]

    @wp.func
    def go_back(work: Work, b: int):
        """Take back what impulses of this substep have done to a body."""
        work.v[b] = work.v_free[b]
        work.spin[b] = work.spin_free[b]
        work.x[b] = work.x_free[b]
        work.x_low[b] = work.x_low_free[b]
        work.r[b] = work.r_free[b]

    @wp.func
    def stays(bodies: Bodies, b: int) -> bool:
        """Tell whether a body, or the world, does not answer to forces."""
        if b < 0:
            return True
        return bodies.inv_mass[b] == scalar(0.0)

    @wp.func
    def push(bodies: Bodies, work: Work, b: int, impulse: vec3, twist: vec3, h: scalar):
        """Apply an impulse times the substep's length [kg m], and its moment about the centre of mass [kg m^2]."""
        if not stays(bodies, b):
            add(work, b, bodies.inv_mass[b] * impulse)
            work.v[b] = work.v[b] + (bodies.inv_mass[b] / h) * impulse
            work.spin[b] = work.spin[b] + twist / h
            work.r[b] = turned(work.r[b], work.inv_tensor[b] * twist)

    @wp.func
    def mobility(bodies: Bodies, work: Work, b: int, arm: vec3, direction: vec3) -> scalar:
        """Return the displacement at an arm along a direction, for a unit impulse there [1/kg]."""
        if stays(bodies, b):
            return scalar(0.0)
        twist = wp.cross(arm, direction)
        return bodies.inv_mass[b] + wp.dot(twist, work.inv_tensor[b] * twist)

    @wp.func
    def free_way(work: Work, b: int, arm: vec3, h: scalar) -> vec3:
        """Return how far the free motion of a substep has carried the body's material at an arm, to the first order.

        The rate there is what counts, not the chord: a ball that rolls does not slip.
        """
        return h * (work.v_free[b] + wp.cross(work.omega_free[b], arm))

    @wp.func
    def pushed_way(work: Work, b: int, arm: vec3, h: scalar) -> vec3:
        """Return how far impulses of this substep have moved the body's material at an arm so far."""
        turn = work.inv_tensor[b] * (work.spin[b] - work.spin_free[b])
        return h * (work.v[b] - work.v_free[b] + wp.cross(turn, arm))

    return SimpleNamespace(
        add=add,
        free_way=free_way,
        pushed_way=pushed_way,
        turned=turned,
        world_tensor=world_tensor,
        rate=rate,
        predict=predict,
        stays=stays,
        push=push,
        go_back=go_back,
        mobility=mobility,
    )
