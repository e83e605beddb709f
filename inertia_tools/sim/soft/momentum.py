# SPDX-FileCopyrightText: The inertia_tools authors
# SPDX-License-Identifier: Apache-2.0
"""Momentum and angular momentum of components that nothing pins or touches: integration leaves them as they were.

Implicit integration makes internal forces exert a torque of the order of h^2. What it has added by the end of a step is
taken out as the motion of a rigid body.

Velocities are brought forward by half a substep more where elements are slow than where they are fast, so forces within
a component would have a sum and a torque in that. Its mean motion is brought forward by outside forces alone, and by
what touches it as far as that balances them: after a blow it would go on from a momentum that it never had.
"""

import warp as wp

from inertia_tools.kernel_loading import MODULE_OPTIONS
from inertia_tools.sim.soft.motion import fall_of
from inertia_tools.sim.soft.work import Particles

wp.set_module_options(MODULE_OPTIONS)

vec3d, mat33d = wp.vec3d, wp.mat33d


@wp.struct
class Components:
    """Sums of the particles of each component."""

    free: wp.array(dtype=wp.int32)  # nothing pins it, and it has more than one particle
    touched: wp.array(dtype=wp.int32)  # in this step
    mass: wp.array(dtype=wp.float64)
    centre: wp.array(dtype=wp.vec3d)
    momentum: wp.array(dtype=wp.vec3d)
    spin: wp.array(dtype=wp.vec3d)  # angular momentum about the centre
    tensor: wp.array(dtype=wp.mat33d)
    momentum_then: wp.array(dtype=wp.vec3d)  # when the step began
    spin_then: wp.array(dtype=wp.vec3d)
    turn: wp.array(dtype=wp.vec3d)
    pull: wp.array(dtype=wp.vec3d)  # forces from outside
    touching: wp.array(dtype=wp.vec3d)  # forces of what touches it in the last substep
    force: wp.array(dtype=wp.vec3d)  # what brings velocities forward beyond outside forces: its sum, then per mass
    torque: wp.array(dtype=wp.vec3d)  # and its torque about the centre, then per tensor


@wp.kernel
def begin_sums(components: Components):
    """Clear sums."""
    c = wp.tid()
    components.momentum_then[c] = components.momentum[c]
    components.spin_then[c] = components.spin[c]
    components.centre[c] = vec3d()
    components.momentum[c] = vec3d()
    components.spin[c] = vec3d()
    components.tensor[c] = mat33d()
    components.touched[c] = 0
    components.pull[c] = vec3d()
    components.touching[c] = vec3d()
    components.force[c] = vec3d()
    components.torque[c] = vec3d()


@wp.kernel
def sum_momentum(components: Components, particles: Particles):
    """Sum momenta and first moments."""
    i = wp.tid()
    c, m = particles.component[i], particles.mass[i]
    wp.atomic_add(components.centre, c, (m / components.mass[c]) * particles.x[i])
    wp.atomic_add(components.momentum, c, m * particles.velocity[i])
    is_pushed = wp.length(particles.around[i]) > wp.float64(0.0)  # what that does to momentum is not known beforehand
    if particles.touches[i] == 1 or is_pushed:
        components.touched[c] = 1


@wp.kernel
def sum_spin(components: Components, particles: Particles):
    """Sum angular momenta about the centres, and tensors."""
    i = wp.tid()
    c, m = particles.component[i], particles.mass[i]
    arm = particles.x[i] - components.centre[c]
    wp.atomic_add(components.spin, c, m * wp.cross(arm, particles.velocity[i]))
    square = wp.dot(arm, arm)
    tensor = m * (square * wp.identity(n=3, dtype=wp.float64) - wp.outer(arm, arm))
    wp.atomic_add(components.tensor, c, tensor)


@wp.kernel
def push_components(components: Components, particles: Particles, gravity: wp.array(dtype=wp.vec3d), dt: wp.float64):
    """Add what gravity and forces from outside have done to momenta, and sum what else brings velocities forward."""
    i = wp.tid()
    c, m = particles.component[i], particles.mass[i]
    arm = particles.x[i] - components.centre[c]
    pull = m * fall_of(gravity, particles.world[i]) + particles.outside[i]
    wp.atomic_add(components.momentum_then, c, dt * pull)
    pull += particles.around[i]
    wp.atomic_add(components.spin_then, c, dt * wp.cross(arm, particles.outside[i]))
    wp.atomic_add(components.pull, c, pull)
    wp.atomic_add(components.touching, c, particles.touching[i])
    beyond = m * particles.lag[i] - pull
    wp.atomic_add(components.force, c, beyond)
    wp.atomic_add(components.torque, c, wp.cross(arm, beyond))


@wp.kernel
def find_turns(components: Components):
    """Find the rotations that bring angular momenta back."""
    c = wp.tid()
    components.turn[c] = vec3d()
    most, size = wp.length(components.pull[c]), wp.length(components.touching[c])
    share = wp.where(size > most, most / size, wp.float64(1.0))
    components.force[c] = (components.force[c] - share * components.touching[c]) / components.mass[c]
    tensor, torque = components.tensor[c], components.torque[c]
    components.torque[c] = vec3d()
    size = wp.trace(tensor)
    if components.free[c] == 1 and size > wp.float64(0.0):
        inverse = wp.inverse(tensor + wp.float64(1.0e-12) * size * wp.identity(n=3, dtype=wp.float64))
        components.torque[c] = inverse * torque
        components.turn[c] = inverse * (components.spin_then[c] - components.spin[c])


@wp.kernel
def keep_momentum(components: Components, particles: Particles, h: wp.float64):
    """Bring momenta back to what outside forces have made of them, where nothing has touched."""
    i = wp.tid()
    c = particles.component[i]
    if components.free[c] == 0:
        return
    arm = particles.x[i] - components.centre[c]
    beyond = components.force[c] + wp.cross(components.torque[c], arm)
    particles.lag[i] -= beyond
    if components.touched[c] == 1:
        particles.velocity[i] -= wp.float64(0.5) * h * beyond
    else:
        shift = (components.momentum_then[c] - components.momentum[c]) / components.mass[c]
        particles.velocity[i] += shift + wp.cross(components.turn[c], arm)
