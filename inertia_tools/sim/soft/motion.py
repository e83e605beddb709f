# SPDX-FileCopyrightText: The inertia_tools authors
# SPDX-License-Identifier: Apache-2.0
"""Particles before and after the solve of a substep, and the momentum of what nothing outside touches."""

import warp as wp

from inertia_tools.kernel_loading import MODULE_OPTIONS
from inertia_tools.sim.soft.work import Particles, Sum, Vectors

wp.set_module_options(MODULE_OPTIONS)

ENERGY, GRADIENT = wp.constant(int(Sum.ENERGY)), wp.constant(int(Sum.GRADIENT))
SLOPE = wp.constant(int(Sum.SLOPE))
SCALE, FLOOR = wp.constant(int(Sum.SCALE)), wp.constant(int(Sum.FLOOR))

FAST = wp.constant(wp.float64(0.95))
"""Implicit share from which on what a particle gains in a substep says nothing of the next one."""


@wp.func
def fall_of(gravity: wp.array(dtype=wp.vec3d), world: int) -> wp.vec3d:
    """Return the acceleration of free fall in a world; the last one is that of what is in none."""
    last = gravity.shape[0] - 1
    if world < 0 or world > last:
        return gravity[last]
    return gravity[world]


@wp.func
def pull_on(particles: Particles, gravity: wp.array(dtype=wp.vec3d), i: int) -> wp.vec3d:
    """Return the acceleration of a particle by gravity and applied forces [m/s^2]."""
    return fall_of(gravity, particles.world[i]) + particles.inv_mass[i] * particles.outside[i]


@wp.kernel
def begin_substep(particles: Particles):
    """Remember where a substep starts, and clear sums of forces."""
    i = wp.tid()
    particles.start[i] = particles.x[i]
    particles.elastic[i] = wp.vec3d()
    particles.loose[i] = wp.vec3d()
    particles.around[i] = wp.vec3d()


@wp.kernel
def predict(
    particles: Particles,
    gravity: wp.array(dtype=wp.vec3d),
    sums: wp.array(dtype=wp.float64),
    h: wp.float64,
    fastest: wp.float64,
):
    """Find where known forces take the particles: those from outside, and explicit parts of elastic ones.

    Velocities are half a substep behind: x' = x + h v + h^2 a. A particle that was moved by hand is brought there. The
    iterate begins where velocities lead that grow as in the last substep.
    """
    i = wp.tid()
    x, v = particles.start[i], wp.vec3d(particles.v[i])
    if particles.inv_mass[i] == wp.float64(0.0):
        particles.target[i] = x + h * v
        particles.x[i] = x + h * v
    else:
        w = particles.inv_mass[i]
        known = pull_on(particles, gravity, i) + w * (particles.force[i] + particles.around[i])
        loose = particles.loose[i]
        if particles.fresh[i] == 1:
            particles.loose_then[i] = loose
            v -= wp.float64(0.5) * h * (known + w * (particles.force[i] + loose))
            particles.v[i] = v
        twelfth = wp.float64(1.0) / wp.float64(12.0)
        explicit = twelfth * (wp.float64(10.0) * loose + particles.loose_then[i])
        moved = h * v + h * h * (known + w * explicit)
        length = wp.length(moved)
        if length > h * fastest:
            moved = moved * (h * fastest / length)
        particles.target[i] = x + moved
        gained = wp.vec3d()
        if particles.fresh[i] == 0 and particles.stiff[i] < FAST:
            gained = v - particles.v_then[i]
        particles.x[i] = x + h * (v + gained)
        if length > h * fastest:
            particles.x[i] = x + moved
        pull = particles.elastic[i]
        wp.atomic_add(sums, SCALE, w * wp.dot(pull, pull) + wp.dot(known, known) / w)
    particles.fresh[i] = 0
    particles.force[i] = wp.vec3d()
    particles.touching[i] = wp.vec3d()
    particles.loaded[i] = wp.float64(0.0)


@wp.kernel
def begin_gradient(particles: Particles, sums: wp.array(dtype=wp.float64)):
    """Begin the objective and its gradient with inertia."""
    i = wp.tid()
    off = particles.x[i] - particles.target[i]
    particles.gradient[i] = particles.mass[i] * off
    wp.atomic_add(sums, ENERGY, wp.float64(0.5) * particles.mass[i] * wp.dot(off, off))


@wp.kernel
def end_gradient(
    particles: Particles, vectors: Vectors, diagonal: wp.array(dtype=wp.mat33d), sums: wp.array(dtype=wp.float64)
):
    """Measure the gradient by inverse masses, its part along the last step, and what rounding leaves of it."""
    i = wp.tid()
    w = particles.inv_mass[i]
    if w == wp.float64(0.0):
        particles.gradient[i] = wp.vec3d()
    gradient = particles.gradient[i]
    wp.atomic_add(sums, GRADIENT, w * wp.dot(gradient, gradient))
    wp.atomic_add(sums, SLOPE, wp.dot(gradient, vectors.u[i]))
    rounding = wp.float64(1.0e-15) * wp.trace(diagonal[i]) * wp.length(particles.x[i])
    wp.atomic_add(sums, FLOOR, w * rounding * rounding)


@wp.kernel
def take_step(particles: Particles, vectors: Vectors, length: wp.float64):
    """Move the iterate along the direction that was found."""
    i = wp.tid()
    particles.x[i] += length * vectors.u[i]


@wp.kernel
def end_substep(particles: Particles, h: wp.float64):
    """Take velocities from displacements."""
    i = wp.tid()
    if particles.inv_mass[i] > wp.float64(0.0):
        particles.v_then[i] = particles.v[i]
        particles.v[i] = (particles.x[i] - particles.start[i]) / h
        particles.loose_then[i] = particles.loose[i]


@wp.kernel
def report_velocities(particles: Particles, gravity: wp.array(dtype=wp.vec3d), h: wp.float64):
    """Bring velocities forward by half a substep where forces change slowly: not in blows and stiff parts.

    What touches a particle counts as far as it balances the other forces on it.
    """
    i = wp.tid()
    w = particles.inv_mass[i]
    slow = wp.float64(1.0) - particles.stiff[i]
    if w == wp.float64(0.0):
        slow = wp.float64(0.0)
    damped = wp.float64(2.0) * particles.force[i]  # half of it is known before the substep
    known = pull_on(particles, gravity, i) + w * (damped + particles.elastic[i] + particles.around[i])
    touching = w * particles.touching[i]
    most, size = wp.length(known), wp.length(touching)
    share = wp.where(size > most, most / size, wp.float64(1.0))
    particles.lag[i] = slow * (known + share * touching)
    particles.velocity[i] = particles.v[i] + wp.float64(0.5) * h * particles.lag[i]
    particles.force[i] = wp.vec3d()


@wp.kernel
def clear_forces(particles: Particles):
    """Clear sums of forces at the end of a step, where they are found once more."""
    i = wp.tid()
    particles.start[i] = particles.x[i]
    particles.elastic[i] = wp.vec3d()
    particles.loose[i] = wp.vec3d()
    particles.around[i] = wp.vec3d()
    particles.force[i] = wp.vec3d()
