# SPDX-FileCopyrightText: The inertia_tools authors
# SPDX-License-Identifier: Apache-2.0
"""Free motion of a rigid body over a substep, and its response to impulses.

Momenta are kept half a substep behind the poses (leapfrog), so that constant forces are integrated exactly. Rotation
follows the angular momentum by a method of the sixth order (`rotation`). An impulse times the substep's length, in [kg
m], moves the body and changes its momenta at once: momenta are sums of impulses, never differences of positions, and do
not suffer from the rounding of large coordinates. The rounding errors of positions and orientations are kept beside
them (Kahan's sum). The angular momentum is rotated to body axes in double precision in either precision, as the
torque-free precession is small beside it.

Steps 0 and 1 in docs/solver.md. Positions are in [m], velocities in [m/s], `spin` is the angular momentum about the
centre of mass [kg m^2/s], all in world axes.
"""

from functools import lru_cache
from types import SimpleNamespace
from typing import Any

import warp as wp

from inertia_tools.sim.kernels.constants import (
    END_TENSOR_TURN_SQUARED,
    MOST_IMPULSE_TURN,
    MOST_TURN_PARTS,
    SERIES_TURN_SQUARED,
)
from inertia_tools.sim.kernels.nonnegative_index import nonnegative_index
from inertia_tools.sim.kernels.precision import Precision
from inertia_tools.sim.kernels.rotation import rotation_functions
from inertia_tools.sim.kernels.rounding import rounding_functions
from inertia_tools.sim.kernels.scene_types import scene_type


@lru_cache(maxsize=2)
def motion_functions(p: Precision) -> Any:
    """Return the device functions of one precision."""
    Scene = wp.ref[scene_type(p)]
    scalar, vec3, quat, mat33 = p.scalar, p.vec3, p.quat, p.mat33
    Bodies, Body = p.references("Bodies", "Body")
    rotation = rotation_functions(p)
    increment, free_turn, exact_increment = rotation.increment, rotation.free_turn, rotation.exact_increment
    whole, rate_of, rounding = rotation.whole, rotation.rate_of, rounding_functions(p)
    exact, exact_quat = rounding.exact, rounding.exact_quat
    rounded, rounded_axes = rounding.rounded, rounding.rounded_axes
    axes_of, exact_axes_of = rotation.axes_of, rotation.exact_axes_of
    is_single = wp.constant(p.name == "float32")
    series_turn = wp.constant(scalar(SERIES_TURN_SQUARED))
    end_tensor_turn, largest_part_count = wp.constant(scalar(END_TENSOR_TURN_SQUARED)), wp.constant(MOST_TURN_PARTS)
    largest_turn_by_impulse, least_turn = wp.constant(scalar(MOST_IMPULSE_TURN)), wp.constant(scalar(1.0e-30))
    largest_exact_turn_by_impulse = wp.constant(wp.float64(MOST_IMPULSE_TURN))
    one, half = wp.constant(wp.float64(1.0)), wp.constant(wp.float64(0.5))

    @wp.func
    def turned(q: quat, angle: vec3) -> quat:
        """Rotate an orientation by a rotation vector in world axes [rad], to the first order."""
        return wp.normalize(q + increment(angle) * q)

    @wp.func
    def world_tensor(q: quat, body_tensor: mat33) -> mat33:
        """Return a tensor given in body axes in world axes."""
        r = axes_of(q)
        return r * body_tensor * wp.transpose(r)

    @wp.func
    def rate(bodies: Bodies, b: int, q: quat, spin: vec3) -> vec3:
        """Return the angular velocity [rad/s] of a body with an angular momentum, in world axes."""
        return wp.quat_rotate(q, bodies.inv_inertia[b] * wp.quat_rotate_inv(q, spin))

    @wp.func
    def translate(body: Body, displacement: vec3):
        """Move a body's centre by a displacement [m], and keep the rounding error (Kahan's sum)."""
        x = body.x
        step = displacement + body.x_low
        there = x + step
        body.x_low = step - (there - x)
        body.x = there

    @wp.func
    def add_momenta(body: Body, velocity: vec3, spin: vec3):
        """Change a body's velocity and angular momentum; keep the rounding errors in single precision."""
        if is_single:
            gain = velocity + body.v_low
            v = body.v + gain
            body.v_low = gain - (v - body.v)
            body.v = v
            twist = spin + body.spin_low
            end = body.spin + twist
            body.spin_low = twist - (end - body.spin)
            body.spin = end
        else:
            body.v = body.v + velocity
            body.spin = body.spin + spin

    @wp.func
    def add_turn(body: Body, step: quat):
        """Change a body's orientation by an increment of its quaternion, and keep the rounding error."""
        q = body.r
        displacement = step + body.r_low
        there = q + displacement
        body.r_low = displacement - (there - q)
        body.r = there

    @wp.func
    def rotate(body: Body, angle: vec3):
        """Rotate a body by a rotation vector in world axes [rad]."""
        add_turn(body, increment(angle) * body.r)

    @wp.func
    def orientation(body: Body) -> wp.quatd:
        """Return a body's orientation including its rounding error."""
        return whole(body.r, body.r_low)

    @wp.func
    def add_exact_turn(body: Body, there: wp.quatd, step: wp.quatd):
        """Change a body's orientation, `there`, by a quaternion increment in double precision."""
        if is_single:
            end = there + step
            near = quat(scalar(end[0]), scalar(end[1]), scalar(end[2]), scalar(end[3]))
            low = end - exact_quat(near)
            body.r = near
            body.r_low = quat(scalar(low[0]), scalar(low[1]), scalar(low[2]), scalar(low[3]))
        else:
            add_turn(body, quat(scalar(step[0]), scalar(step[1]), scalar(step[2]), scalar(step[3])))

    @wp.func
    def exact_spin(body: Body, spin: vec3) -> wp.vec3d:
        """Return an angular momentum of a body including its rounding error."""
        if is_single:
            return exact(spin) + exact(body.spin_low)
        return exact(spin)

    @wp.func
    def spin_freely(bodies: Bodies, body: Body, b: int, spin: vec3, h: scalar):
        """Rotate a body for a time h [s] at constant angular momentum; update its tensors and rate."""
        turn_freely(bodies, body, b, spin, h, True)

    @wp.func(inline=False)
    def turn_freely(bodies: Bodies, body: Body, b: int, spin: vec3, h: scalar, touches: bool):
        """Do the same; without contacts the rate and the inverse tensor are not updated."""
        b = nonnegative_index(b)
        there = orientation(body)
        axes = exact_axes_of(there)
        own = wp.transpose(axes) * exact_spin(body, spin)
        frame = rounded_axes(axes)
        back = wp.transpose(frame)
        omega = rounded(rate_of(bodies.inv_inertia[b], own))
        body.tensor = frame * bodies.inertia[b] * back
        if touches:
            inverse = frame * bodies.inv_inertia[b] * back
            omega = inverse * spin
            body.inv_tensor = inverse
            body.omega_free = omega
        if h * h * wp.dot(omega, omega) > series_turn:
            q = body.r
            parts = wp.min(int(scalar(2.0) * wp.abs(h) * wp.length(omega)), largest_part_count) + 1
            part = h / scalar(parts)
            for _part in range(parts):
                middle = turned(q, scalar(0.5) * part * rate(bodies, b, q, spin))
                q = turned(q, part * rate(bodies, b, middle, spin))
            body.r = q
            body.r_low = quat(scalar(0.0), scalar(0.0), scalar(0.0), scalar(0.0))
        else:
            norm_correction = half * (one - wp.dot(there, there))
            step = there * exact_increment(free_turn(bodies.inv_inertia[b], own, h)) + norm_correction * there
            add_exact_turn(body, there, step)
        if bodies.is_free_body[b] == 1 and h * h * wp.dot(omega, omega) > end_tensor_turn:
            frame = axes_of(body.r)
            back = wp.transpose(frame)
            body.tensor = frame * bodies.inertia[b] * back
            body.inv_tensor = frame * bodies.inv_inertia[b] * back
            body.omega_free = body.inv_tensor * spin

    @wp.func
    def exact_rate(bodies: Bodies, body: Body, b: int, spin: vec3) -> vec3:
        """Return the angular velocity [rad/s] of a body with an angular momentum, computed in double precision."""
        axes = exact_axes_of(orientation(body))
        return rounded(axes * rate_of(bodies.inv_inertia[b], wp.transpose(axes) * exact_spin(body, spin)))

    @wp.func
    def store_free_motion(body: Body):
        """Store the momenta and the pose after free motion."""
        body.v_free = body.v
        body.spin_free = body.spin
        if is_single:
            body.v_low_free = body.v_low
            body.spin_low_free = body.spin_low
        body.x_free = body.x
        body.x_low_free = body.x_low
        body.r_free = body.r
        body.r_low_free = body.r_low

    @wp.func
    def gravity_of(bodies: Bodies, b: int) -> vec3:
        """Return the gravitational acceleration of a body [m/s^2]."""
        return bodies.gravity_scale[b] * bodies.gravity[bodies.world[b]]

    @wp.func
    def predict(bodies: Bodies, body: Body, b: int, force: vec3, torque: vec3, h: scalar, decay: scalar, touches: bool):
        """Move a body freely over the substep: x += h v, v += k (g + f / m); angular momentum decays by `decay`.

        `touches` says whether contacts or loops may need the free motion, which is stored only then.
        """
        b = nonnegative_index(b)
        body.x0 = body.x
        body.x0_low = body.x_low
        body.r0 = body.r
        body.r0_low = body.r_low
        body.v_earlier = body.v_before
        body.spin_earlier = body.spin_before
        body.v_before = body.v
        body.spin_before = body.spin
        if bodies.inv_mass[b] > scalar(0.0):
            gain = body.force_time * (gravity_of(bodies, b) + bodies.inv_mass[b] * force) + body.v_low
            v = body.v + gain
            body.v_low = gain - (v - body.v)
            twist = (decay - scalar(1.0)) * body.spin + body.force_time * torque
            if is_single:
                twist = twist + body.spin_low
            spin = body.spin + twist
            if is_single:
                body.spin_low = twist - (spin - body.spin)
            body.v = v
            body.spin = spin
            translate(body, h * v)
            turn_freely(bodies, body, b, spin, h, touches)
            if touches:
                store_free_motion(body)

    @wp.func
    def restore_free_motion(body: Body):
        """Undo the impulses of this substep on a body."""
        body.v = body.v_free
        body.spin = body.spin_free
        if is_single:
            body.v_low = body.v_low_free
            body.spin_low = body.spin_low_free
        body.x = body.x_free
        body.x_low = body.x_low_free
        body.r = body.r_free
        body.r_low = body.r_low_free

    @wp.func
    def move_to_start(body: Body):
        """Put a body at its pose at the start of the substep; its momenta do not change."""
        body.x = body.x0
        body.r = body.r0

    @wp.func
    def clear_momenta(body: Body):
        """Set the momenta of a body to zero."""
        body.v = vec3()
        body.spin = vec3()
        body.v_low = vec3()
        body.spin_low = vec3()

    @wp.func
    def keep_start_pose(body: Body):
        """Put a body at its pose at the start of the substep, with zero momenta."""
        body.x = body.x0
        body.x_low = body.x0_low
        body.r = body.r0
        body.r_low = body.r0_low
        clear_momenta(body)

    @wp.func
    def is_static(bodies: Bodies, b: int) -> bool:
        """Return whether a body, or the world (-1), does not respond to forces."""
        if b < 0:
            return True
        return bodies.inv_mass[b] == scalar(0.0)

    @wp.func
    def kinetic_product(
        bodies: Bodies, body: Body, b: int, v: vec3, spin: vec3, other_v: vec3, other_spin: vec3
    ) -> scalar:
        """Return the inner product of two motions of a body by its inertia, over its mass [m^2/s^2]."""
        return wp.dot(v, other_v) + bodies.inv_mass[b] * wp.dot(spin, body.inv_tensor * other_spin)

    @wp.func
    def square_of_speed(bodies: Bodies, body: Body, b: int, v: vec3, spin: vec3) -> scalar:
        """Return twice the kinetic energy of a body over its mass [m^2/s^2]."""
        return kinetic_product(bodies, body, b, v, spin, v, spin)

    @wp.func
    def force_time_of(scene: Scene, a: int, b: int) -> scalar:
        """Return the time for which forces between two bodies change momenta in this substep; see `Body.force_time`."""
        one = int(a)
        if is_static(scene.bodies, a) and b >= 0:
            one = b
        return scene.body[one].force_time

    @wp.func
    def apply_impulse(bodies: Bodies, body: Body, b: int, impulse: vec3, twist: vec3, h: scalar):
        """Apply an impulse times the substep's length [kg m], and its moment about the centre of mass [kg m^2]."""
        if not is_static(bodies, b):
            translate(body, bodies.inv_mass[b] * impulse)
            add_momenta(body, (bodies.inv_mass[b] / h) * impulse, twist / h)
            angle = body.inv_tensor * twist
            rotate(body, wp.min(scalar(1.0), largest_turn_by_impulse / (wp.length(angle) + least_turn)) * angle)

    @wp.func
    def apply_impulse_exactly(bodies: Bodies, body: Body, b: int, impulse: wp.vec3d, twist: wp.vec3d, h: scalar):
        """Do the same in double precision.

        Outer iterates may apply and remove far larger impulses than those that remain.
        """
        if is_single:
            inv_mass, per_h = wp.float64(bodies.inv_mass[b]), one / wp.float64(h)
            displacement = inv_mass * impulse
            x = exact(body.x) + (exact(body.x_low) + displacement)
            body.x = rounded(x)
            body.x_low = rounded(x - exact(body.x))
            v = exact(body.v) + exact(body.v_low) + per_h * displacement
            body.v = rounded(v)
            body.v_low = rounded(v - exact(body.v))
            spin = exact(body.spin) + exact(body.spin_low) + per_h * twist
            body.spin = rounded(spin)
            body.spin_low = rounded(spin - exact(body.spin))
            angle = rate_of(body.inv_tensor, twist)
            size = wp.length(angle)
            if size > largest_exact_turn_by_impulse:
                angle = (largest_exact_turn_by_impulse / size) * angle
            there = orientation(body)
            add_exact_turn(body, there, exact_increment(angle) * there)
        else:
            apply_impulse(bodies, body, b, rounded(impulse), rounded(twist), h)

    @wp.func
    def mobility(bodies: Bodies, body: Body, b: int, arm: vec3, direction: vec3) -> scalar:
        """Return the displacement at an arm along a direction, by a unit impulse there [1/kg]."""
        if is_static(bodies, b):
            return scalar(0.0)
        twist = wp.cross(arm, direction)
        return bodies.inv_mass[b] + wp.dot(twist, body.inv_tensor * twist)

    @wp.func
    def free_displacement_at(body: Body, arm: vec3, h: scalar) -> vec3:
        """Return the displacement of a body's material at an arm by free motion, to the first order [m].

        It is the rate times h, not the chord: a ball that rolls does not slip.
        """
        return h * (body.v_free + wp.cross(body.omega_free, arm))

    @wp.func
    def rate_by_impulses(body: Body) -> vec3:
        """Return the change of a body's angular velocity by impulses of this substep so far [rad/s]."""
        spin = body.spin - body.spin_free
        if is_single:
            spin = spin + (body.spin_low - body.spin_low_free)
        return body.inv_tensor * spin

    @wp.func
    def displacement_by_impulses(body: Body, arm: vec3, h: scalar) -> wp.vec3d:
        """Return the displacement of a body's material at an arm by impulses of this substep so far [m]."""
        v = exact(body.v) - exact(body.v_free)
        spin = exact(body.spin) - exact(body.spin_free)
        if is_single:
            v = v + (exact(body.v_low) - exact(body.v_low_free))
            spin = spin + (exact(body.spin_low) - exact(body.spin_low_free))
        return wp.float64(h) * (v + wp.cross(rate_of(body.inv_tensor, spin), exact(arm)))

    return SimpleNamespace(
        translate=translate,
        free_displacement_at=free_displacement_at,
        displacement_by_impulses=displacement_by_impulses,
        rate_by_impulses=rate_by_impulses,
        add_momenta=add_momenta,
        rotate=rotate,
        world_tensor=world_tensor,
        turned=turned,
        rate=rate,
        exact_rate=exact_rate,
        spin_freely=spin_freely,
        orientation=orientation,
        store_free_motion=store_free_motion,
        gravity_of=gravity_of,
        predict=predict,
        is_static=is_static,
        kinetic_product=kinetic_product,
        square_of_speed=square_of_speed,
        force_time_of=force_time_of,
        apply_impulse=apply_impulse,
        apply_impulse_exactly=apply_impulse_exactly,
        restore_free_motion=restore_free_motion,
        keep_start_pose=keep_start_pose,
        clear_momenta=clear_momenta,
        move_to_start=move_to_start,
        mobility=mobility,
    )
