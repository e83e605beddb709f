# SPDX-FileCopyrightText: The inertia_tools authors
# SPDX-License-Identifier: Apache-2.0
"""Particles before and after the solve of a substep: prediction, inertia, and velocities."""

import warp as wp

from inertia_tools.kernel_loading import MODULE_OPTIONS
from inertia_tools.sim.soft.work import Particles, Sum, Vectors

wp.set_module_options(MODULE_OPTIONS)

ENERGY, GRADIENT = wp.constant(int(Sum.ENERGY)), wp.constant(int(Sum.GRADIENT))
SLOPE = wp.constant(int(Sum.SLOPE))
SCALE, FLOOR = wp.constant(int(Sum.SCALE)), wp.constant(int(Sum.FLOOR))

FAST = wp.constant(wp.float64(0.95))
"""Implicit share above which the velocity change in one substep does not predict that in the next."""


@wp.func
def gravity_of(gravity: wp.array(dtype=wp.vec3d), world: int) -> wp.vec3d:
    """Return the acceleration of gravity in a world; the last entry is for particles in no world [m/s^2]."""
    last = gravity.shape[0] - 1
    if world < 0 or world > last:
        return gravity[last]
    return gravity[world]


@wp.func
def external_acceleration(particles: Particles, gravity: wp.array(dtype=wp.vec3d), i: int) -> wp.vec3d:
    """Return the acceleration of a particle by gravity and applied forces [m/s^2]."""
    return gravity_of(gravity, particles.world[i]) + particles.inv_mass[i] * particles.outside[i]


@wp.func
def limited(v: wp.vec3d, most: wp.float64) -> wp.vec3d:
    """Return a vector shortened to a length of at most `most`."""
    length = wp.length(v)
    if length > most:
        return (most / length) * v
    return v


@wp.kernel
def begin_substep(particles: Particles):
    """Save the start positions of a substep, and clear the sums of forces."""
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
    """Compute the targets: positions after the substep under external forces and explicit parts of elastic ones.

    Velocities are half a substep behind: x' = x + h v + h^2 a. The velocity of a particle that the user moved is
    converted to this. The first iterate assumes that velocities change as in the last substep, and that fast parts and
    particles without history keep theirs: forces that set in move those much less than h^2 a.
    """
    i = wp.tid()
    x, v = particles.start[i], wp.vec3d(particles.v[i])
    if particles.inv_mass[i] == wp.float64(0.0):
        particles.target[i] = x + h * v
        particles.x[i] = x + h * v
    else:
        w = particles.inv_mass[i]
        known = external_acceleration(particles, gravity, i) + w * (particles.force[i] + particles.around[i])
        loose = particles.loose[i]
        if particles.fresh[i] == 1:
            particles.loose_then[i] = loose
            v -= wp.float64(0.5) * h * (known + w * (particles.force[i] + loose))
            particles.v[i] = v
        twelfth = wp.float64(1.0) / wp.float64(12.0)
        explicit = twelfth * (wp.float64(10.0) * loose + particles.loose_then[i])
        displacement = h * v + h * h * (known + w * explicit)
        is_limited = wp.length(displacement) > h * fastest
        displacement = limited(displacement, h * fastest)
        particles.target[i] = x + displacement
        expected = particles.lead[i]
        if particles.fresh[i] == 0 and particles.stiff[i] < FAST:
            expected = wp.float64(2.0) * v - particles.v_then[i]
        particles.x[i] = x + h * expected
        if is_limited:
            particles.x[i] = x + displacement
            particles.touches[i] = 1  # the limit acts as a force from outside
        pull = particles.elastic[i]
        wp.atomic_add(sums, SCALE, w * wp.dot(pull, pull) + wp.dot(known, known) / w)
    particles.fresh[i] = 0
    particles.force[i] = wp.vec3d()
    particles.touching[i] = wp.vec3d()
    particles.loaded[i] = wp.float64(0.0)


@wp.kernel
def begin_gradient(particles: Particles, sums: wp.array(dtype=wp.float64)):
    """Set the objective and its gradient to the inertial terms."""
    i = wp.tid()
    off = particles.x[i] - particles.target[i]
    particles.gradient[i] = particles.mass[i] * off
    wp.atomic_add(sums, ENERGY, wp.float64(0.5) * particles.mass[i] * wp.dot(off, off))


@wp.kernel
def end_gradient(
    particles: Particles, vectors: Vectors, diagonal: wp.array(dtype=wp.mat33d), sums: wp.array(dtype=wp.float64)
):
    """Compute the norm of the gradient by inverse masses, its slope along the last step, and its rounding error."""
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
def move_particles(particles: Particles, vectors: Vectors, length: wp.float64):
    """Move the iterate along the search direction."""
    i = wp.tid()
    particles.x[i] += length * vectors.u[i]


@wp.kernel
def end_substep(particles: Particles, h: wp.float64, share: wp.float64, fastest: wp.float64):
    """Compute velocities from displacements, and slow down particles that are faster than `fastest` [m/s].

    `share` is the part of the step that the substep takes.
    """
    i = wp.tid()
    if particles.inv_mass[i] > wp.float64(0.0):
        v = (particles.x[i] - particles.start[i]) / h
        if wp.length(v) > fastest:
            v = limited(v, fastest)
            particles.x[i] = particles.start[i] + h * v
            particles.touches[i] = 1
        particles.v_then[i] = particles.v[i]
        particles.v[i] = v
        particles.lead[i] = v
        particles.loose_then[i] = particles.loose[i]
    particles.mean[i] += wp.float64(0.5) * share * (particles.start[i] + particles.x[i])


@wp.kernel
def report_velocities(particles: Particles, gravity: wp.array(dtype=wp.vec3d), h: wp.float64):
    """Extrapolate velocities by half a substep where forces change slowly, but not in impacts and stiff parts.

    Contact forces on a particle count as far as they balance the other forces on it.
    """
    i = wp.tid()
    w = particles.inv_mass[i]
    slow = wp.float64(1.0) - particles.stiff[i]
    if w == wp.float64(0.0):
        slow = wp.float64(0.0)
    damped = wp.float64(2.0) * particles.force[i]  # half of it is explicit
    known = external_acceleration(particles, gravity, i) + w * (damped + particles.elastic[i] + particles.around[i])
    touching = w * particles.touching[i]
    most, size = wp.length(known), wp.length(touching)
    share = wp.where(size > most, most / size, wp.float64(1.0))
    particles.lag[i] = slow * (known + share * touching)
    particles.velocity[i] = particles.v[i] + wp.float64(0.5) * h * particles.lag[i]
    particles.force[i] = wp.vec3d()


@wp.kernel
def clear_forces(particles: Particles):
    """Clear the sums of forces at the end of a step, before they are computed again."""
    i = wp.tid()
    particles.start[i] = particles.x[i]
    particles.elastic[i] = wp.vec3d()
    particles.loose[i] = wp.vec3d()
    particles.around[i] = wp.vec3d()
    particles.force[i] = wp.vec3d()
