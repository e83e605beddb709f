# SPDX-FileCopyrightText: The inertia_tools authors
# SPDX-License-Identifier: Apache-2.0
"""Data exchange between the states of a model, in its precision, and the soft-body solve, in double precision."""

from functools import lru_cache
from types import SimpleNamespace
from typing import Any

import warp as wp

from inertia_tools.kernel_loading import MODULE_OPTIONS
from inertia_tools.sim.collide.contact_finding import finding_functions
from inertia_tools.sim.device.soft_state import LeftParticles
from inertia_tools.sim.kernels.kinematic_motion import MotionSource, kinematic_functions
from inertia_tools.sim.kernels.linear_algebra import algebra_functions
from inertia_tools.sim.kernels.precision import Precision
from inertia_tools.sim.scene.particles import ParticleFlags
from inertia_tools.sim.soft.motion import external_acceleration, limited
from inertia_tools.sim.soft.rows import DOUBLE, Carriers, Rows, mat66d, vec6d
from inertia_tools.sim.soft.work import Particles

wp.set_module_options(MODULE_OPTIONS)

ACTIVE = wp.constant(int(ParticleFlags.ACTIVE))

LEAST_MOBILITY = wp.constant(wp.float64(1e-6))
"""Fraction of a body's free mobility that it keeps where joints and supports hold it; the system must stay definite."""


@lru_cache(maxsize=2)
def exchange_kernels(p: Precision) -> Any:
    """Return the kernels of one precision."""
    vec3, vec6 = p.vec3, p.vec6
    State, Bodies, Shapes = p.State, p.Bodies, p.Shapes
    combined, kinematic = finding_functions(p).combined, kinematic_functions(p)
    inverted = algebra_functions(DOUBLE).inverse
    path_continues = wp.constant(int(MotionSource.PATH_CONTINUES))

    @wp.func
    def wide(v: vec3) -> wp.vec3d:
        """Return a vector in double precision."""
        return wp.vec3d(wp.float64(v[0]), wp.float64(v[1]), wp.float64(v[2]))

    @wp.func
    def narrow(v: wp.vec3d) -> vec3:
        """Return a vector in the precision of the model."""
        return vec3(p.scalar(v[0]), p.scalar(v[1]), p.scalar(v[2]))

    @wp.kernel(module="unique", module_options=MODULE_OPTIONS)
    def read_particles(
        q: wp.array(dtype=vec3),
        qd: wp.array(dtype=vec3),
        f: wp.array(dtype=vec3),
        left: LeftParticles,
        particles: Particles,
        gravity: wp.array(dtype=wp.vec3d),
        h: wp.float64,
    ):
        """Read particles from a state, with the low-order parts of the last step.

        A particle starts without history if the user moved it or changed its mass since the last substep. One that is
        not active stays in place, whatever its velocity in the state.
        """
        i = wp.tid()
        particles.x[i] = wide(q[i])
        particles.velocity[i] = wide(qd[i])
        particles.fresh[i] = 1
        particles.v[i] = particles.velocity[i]
        particles.lead[i] = particles.velocity[i]
        particles.touches[i] = 0
        particles.outside[i] = wide(f[i])
        particles.mean[i] = wp.vec3d()
        if narrow(left.q[i]) == q[i] and narrow(left.qd[i]) == qd[i]:
            particles.x[i] = left.q[i]
            particles.velocity[i] = left.qd[i]
            particles.v[i] = left.qd[i]
            if left.inv_mass[i] == particles.inv_mass[i]:
                particles.fresh[i] = 0
                change = wp.vec3d()  # acceleration by forces that have changed since the middle of the last substep
                if particles.inv_mass[i] > wp.float64(0.0):
                    change = external_acceleration(particles, gravity, i) - left.pull[i]
                particles.lead[i] = left.qd[i] - wp.float64(0.5) * h * left.lag[i]
                particles.v[i] = particles.lead[i] - wp.float64(0.5) * h * change
        if particles.inv_mass[i] == wp.float64(0.0) and (particles.flags[i] & ACTIVE) == 0:
            particles.velocity[i] = wp.vec3d()
            particles.v[i] = wp.vec3d()
        particles.loose_then[i] = left.loose[i]
        particles.v_then[i] = left.v_then[i]

    @wp.kernel(module="unique", module_options=MODULE_OPTIONS)
    def write_particles(
        particles: Particles,
        gravity: wp.array(dtype=wp.vec3d),
        q: wp.array(dtype=vec3),
        qd: wp.array(dtype=vec3),
        left: LeftParticles,
        fastest: wp.float64,
    ):
        """Write particles to a state, with velocities of at most `fastest` [m/s] where forces move them."""
        i = wp.tid()
        if particles.inv_mass[i] > wp.float64(0.0):
            particles.velocity[i] = limited(particles.velocity[i], fastest)
        q[i] = narrow(particles.x[i])
        qd[i] = narrow(particles.velocity[i])
        left.q[i] = particles.x[i]
        left.qd[i] = particles.velocity[i]
        left.lag[i] = particles.lag[i]
        left.pull[i] = external_acceleration(particles, gravity, i)
        left.inv_mass[i] = particles.inv_mass[i]
        left.loose[i] = particles.loose_then[i]
        left.v_then[i] = particles.v_then[i]

    @wp.func
    def velocity_of(inverse: mat66d, v: wp.vec3d, spin: wp.vec3d) -> vec6d:
        """Return the velocity of a body with this linear velocity and angular momentum."""
        omega = inverse * vec6d(wp.float64(0.0), wp.float64(0.0), wp.float64(0.0), spin[0], spin[1], spin[2])
        return vec6d(v[0], v[1], v[2], omega[3], omega[4], omega[5])

    @wp.func
    def next_rate(state: State, inverse: mat66d, b: int, h: wp.float64) -> vec6d:
        """Return the velocity in the middle of a substep if the forces of the last substep continue to act.

        `h` is the length of this substep. Forces act from the middle of the last one to the middle of this one.
        """
        last, earlier = wp.float64(state.h_last[b]), wp.float64(state.h_before_last[b])
        v = wide(state.v_last[b]) + wide(state.v_low_last[b])
        spin = wide(state.spin_last[b]) + wide(state.spin_low_last[b])
        if state.near_particles[b] == 2:
            return velocity_of(inverse, v, spin) + (h / last) * state.expected_gain[b]
        ratio = (h + last) / (last + earlier)
        v = v + ratio * (v - wide(state.v_before_last[b]))
        spin = spin + ratio * (spin - wide(state.spin_before_last[b]))
        return velocity_of(inverse, v, spin)

    @wp.func
    def prescribed_velocity(state: State, bodies: Bodies, b: int, dt: wp.float64) -> vec6:
        """Return the velocity of a body in a step: that of the state, or the one that reaches the written poses."""
        rate = vec6(state.qd[b])
        if bodies.inv_mass[b] == p.scalar(0.0) and dt > wp.float64(0.0):
            if state.motion_source[b] == path_continues or kinematic.is_zero(rate):
                rate = kinematic.expected_rate(bodies, state, b, p.scalar(dt))
        return rate

    @wp.func
    def read_pose(state: State, bodies: Bodies, carriers: Carriers, b: int, rate: vec6) -> bool:
        """Read the pose of a body; return whether it is the pose at the end of the last step.

        A body that follows written poses starts where the last step ended.
        """
        is_led = bodies.inv_mass[b] == p.scalar(0.0) and kinematic.is_zero(state.qd[b]) and not kinematic.is_zero(rate)
        pose = wp.where(is_led, state.q_last[b], state.q[b])
        is_as_left = bool(True)
        for k in range(7):
            if pose[k] != state.q_last[b][k]:
                is_as_left = False
        turn = wp.transform_get_rotation(pose)
        r = wp.quatd(wp.float64(turn[0]), wp.float64(turn[1]), wp.float64(turn[2]), wp.float64(turn[3]))
        if is_as_left:
            low = state.r_low_last[b]
            r = r + wp.quatd(wp.float64(low[0]), wp.float64(low[1]), wp.float64(low[2]), wp.float64(low[3]))
        r = wp.normalize(r)
        arm = wp.quat_rotate(r, wide(bodies.com[b]))
        centre = wide(wp.transform_get_translation(pose)) + arm
        if is_as_left:
            centre = wide(state.x_last[b]) + wide(state.x_low_last[b])
        carriers.centre[b] = centre
        carriers.origin[b] = centre - arm
        carriers.turn[b] = r
        return is_as_left

    @wp.func
    def mass_matrix(bodies: Bodies, b: int, r: wp.quatd) -> mat66d:
        """Return the mass matrix of a body about its centre of mass in world axes [kg, kg m^2]."""
        rotation, tensor, mass = wp.quat_to_matrix(r), wp.mat33d(), mat66d()
        for k in range(3):
            for n in range(3):
                tensor[k, n] = wp.float64(bodies.inertia[b][k, n])
        tensor = rotation * tensor * wp.transpose(rotation)
        for k in range(3):
            mass[k, k] = wp.float64(bodies.mass[b])
            for n in range(3):
                mass[k + 3, n + 3] = tensor[k, n]
        return mass

    @wp.func
    def held_mobility(inverse: mat66d, mobility: mat66d) -> mat66d:
        """Return the mobility that joints and supports leave a body; it is positive definite."""
        held = LEAST_MOBILITY * inverse
        for k in range(6):
            for n in range(6):
                held[k, n] += wp.float64(0.5) * (mobility[k, n] + mobility[n, k])
        return held

    @wp.kernel(module="unique", module_options=MODULE_OPTIONS)
    def read_bodies(state: State, bodies: Bodies, carriers: Carriers, h: wp.float64, dt: wp.float64):
        """Read bodies from a state before a substep of h [s] in a step of dt [s].

        A body has no history if its pose or velocity differs from that at the end of the last step.
        """
        b = wp.tid()
        rate = prescribed_velocity(state, bodies, b, dt)
        is_as_left = read_pose(state, bodies, carriers, b, rate)
        velocity, then, mobility = vec6d(), vec6d(), mat66d()
        for k in range(6):
            velocity[k] = wp.float64(rate[k])
            if state.qd[b][k] != state.qd_last[b][k]:
                is_as_left = False
        carriers.is_dynamic[b] = 0
        carriers.is_held[b] = 0
        carriers.own_mass[b] = wp.float64(bodies.mass[b])
        carriers.mass[b] = wp.float64(0.0)
        if bodies.inv_mass[b] > p.scalar(0.0):
            carriers.is_dynamic[b] = 1
            inverse = inverted(mass_matrix(bodies, b, carriers.turn[b]))
            mobility = inverse
            if state.near_particles[b] == 2:
                carriers.is_held[b] = 1
                mobility = held_mobility(inverse, state.mobility[b])
            carriers.mass[b] = inverted(mobility)[0, 0]
            if is_as_left and state.h_last[b] > p.scalar(0.0) and h > wp.float64(0.0):
                velocity = next_rate(state, inverse, b, h)
                for k in range(6):
                    then[k] = wp.float64(state.particle_wrench[b][k])
        carriers.velocity[b] = velocity
        carriers.factor[b] = mobility
        carriers.inverse[b] = wp.identity(n=6, dtype=wp.float64)
        carriers.then[b] = then
        carriers.near[b] = 0
        carriers.supported_load[b] = wp.float64(0.0)
        carriers.row_count[b] = wp.float64(0.0)
        carriers.reaction[b] = vec6d()
        carriers.x[b] = vec6d()

    @wp.kernel(module="unique", module_options=MODULE_OPTIONS)
    def combine_friction(shapes: Shapes, mu: p.scalar, friction: wp.array(dtype=wp.float64)):
        """Combine the friction of particles with that of each shape by the rule of the scene."""
        s = wp.tid()
        friction[s] = wp.float64(combined(shapes.friction_rule, mu, shapes.mu[s]))

    @wp.kernel(module="unique", module_options=MODULE_OPTIONS)
    def write_reactions(
        f: wp.array(dtype=vec6),
        pushed: wp.array(dtype=vec6),
        near: wp.array(dtype=wp.int32),
        given: wp.array(dtype=vec6),
        carriers: Carriers,
    ):
        """Write the forces of users, the reactions of particles, and whether particles are near, for each body."""
        b = wp.tid()
        f[b] = given[b]
        near[b] = wp.where(carriers.near[b] == 0, 0, wp.max(1, near[b]))
        for k in range(6):
            pushed[b][k] = p.scalar(carriers.reaction[b][k])

    @wp.kernel(module="unique", module_options=MODULE_OPTIONS)
    def report_rows(
        rows: Rows,
        carriers: Carriers,
        indices: wp.array(dtype=wp.int32),
        count: wp.array(dtype=wp.int32),
        particle: wp.array(dtype=wp.int32),
        shape: wp.array(dtype=wp.int32),
        point: wp.array(dtype=vec3),
        normal: wp.array(dtype=vec3),
        force: wp.array(dtype=vec3),
        per_square: wp.float64,
    ):
        """List the contacts of particles with shapes."""
        for r in range(rows.count[0]):
            if rows.slot[r] >= 0 and rows.other[r] < 0:
                c = count[0]
                if c < particle.shape[0]:
                    particle[c] = rows.particle[r]
                    shape[c] = indices[rows.key[r]]
                    local_point = rows.arm[r]
                    if rows.body[r] >= 0:
                        b = rows.body[r]
                        local_point = wp.quat_rotate_inv(
                            carriers.turn[b], carriers.centre[b] + rows.arm[r] - carriers.origin[b]
                        )
                    point[c] = narrow(local_point)
                    normal[c] = narrow(rows.normal[r])
                    force[c] = narrow(per_square * rows.impulse[r])
                    count[0] = c + 1

    return SimpleNamespace(
        read_particles=read_particles,
        write_particles=write_particles,
        read_bodies=read_bodies,
        combine_friction=combine_friction,
        write_reactions=write_reactions,
        report_rows=report_rows,
    )
