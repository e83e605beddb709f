# SPDX-FileCopyrightText: The inertia_tools authors
# SPDX-License-Identifier: Apache-2.0
"""Conservation of linear and angular momentum of components that nothing pins or touches.

Implicit integration lets internal forces exert a torque of the order of h^2. The momentum that has accumulated by the
end of a step is removed as a rigid-body motion.

Reported velocities are extrapolated by half a substep more where elements are slow than where they are fast, so
internal forces would contribute a net force and torque. The mean motion of a component is therefore extrapolated by
external forces alone, and by contact forces as far as they balance these; otherwise it would go on after an impact with
a momentum that it never had.
"""

import warp as wp

from inertia_tools.kernel_loading import MODULE_OPTIONS
from inertia_tools.sim.soft.motion import gravity_of
from inertia_tools.sim.soft.work import Particles

wp.set_module_options(MODULE_OPTIONS)

vec3d, mat33d = wp.vec3d, wp.mat33d


@wp.struct
class Components:
    """Sums over the particles of each component."""

    free: wp.array(dtype=wp.int32)  # no particle is pinned, and there is more than one
    touched: wp.array(dtype=wp.int32)  # in this step
    mass: wp.array(dtype=wp.float64)
    centre: wp.array(dtype=wp.vec3d)
    mean_centre: wp.array(dtype=wp.vec3d)  # its mean over the step
    momentum: wp.array(dtype=wp.vec3d)
    spin: wp.array(dtype=wp.vec3d)  # angular momentum about the centre
    tensor: wp.array(dtype=wp.mat33d)
    momentum_then: wp.array(dtype=wp.vec3d)  # at the start of the step
    spin_then: wp.array(dtype=wp.vec3d)
    turn: wp.array(dtype=wp.vec3d)
    holding: wp.array(dtype=wp.mat33d)  # bound of the stiffness of external forces against rotation [N m/rad]
    pull: wp.array(dtype=wp.vec3d)  # external forces
    touching: wp.array(dtype=wp.vec3d)  # contact forces in the last substep
    force: wp.array(dtype=wp.vec3d)  # sum of the other forces that extrapolate velocities, then that per mass
    torque: wp.array(dtype=wp.vec3d)  # their torque about the centre, then that times the inverse tensor


@wp.func
def turning(arm: vec3d) -> mat33d:
    """Return the tensor of inertia of a unit mass at the end of an arm [m^2]."""
    return wp.dot(arm, arm) * wp.identity(n=3, dtype=wp.float64) - wp.outer(arm, arm)


@wp.kernel
def begin_sums(components: Components):
    """Save the momenta of the last sums, and clear the sums."""
    c = wp.tid()
    components.momentum_then[c] = components.momentum[c]
    components.spin_then[c] = components.spin[c]
    components.centre[c] = vec3d()
    components.mean_centre[c] = vec3d()
    components.momentum[c] = vec3d()
    components.spin[c] = vec3d()
    components.tensor[c] = mat33d()
    components.holding[c] = mat33d()
    components.touched[c] = 0
    components.pull[c] = vec3d()
    components.touching[c] = vec3d()
    components.force[c] = vec3d()
    components.torque[c] = vec3d()


@wp.kernel
def sum_momentum(components: Components, particles: Particles):
    """Sum linear momenta and first moments of mass."""
    i = wp.tid()
    c, m = particles.component[i], particles.mass[i]
    wp.atomic_add(components.centre, c, (m / components.mass[c]) * particles.x[i])
    wp.atomic_add(components.mean_centre, c, (m / components.mass[c]) * particles.mean[i])
    wp.atomic_add(components.momentum, c, m * particles.velocity[i])
    has_other_force = wp.length(particles.around[i]) > wp.float64(0.0)  # its effect on momentum is not known in advance
    if particles.touches[i] == 1 or has_other_force:
        components.touched[c] = 1


@wp.kernel
def sum_spin(components: Components, particles: Particles):
    """Sum angular momenta about the centres, and inertia tensors."""
    i = wp.tid()
    c, m = particles.component[i], particles.mass[i]
    arm = particles.x[i] - components.centre[c]
    wp.atomic_add(components.spin, c, m * wp.cross(arm, particles.velocity[i]))
    wp.atomic_add(components.tensor, c, m * turning(arm))


@wp.kernel
def add_external_impulses(
    components: Components, particles: Particles, gravity: wp.array(dtype=wp.vec3d), dt: wp.float64
):
    """Add the impulses of gravity and external forces, and sum the other forces that extrapolate velocities."""
    i = wp.tid()
    c, m = particles.component[i], particles.mass[i]
    arm = particles.x[i] - components.centre[c]
    pull = m * gravity_of(gravity, particles.world[i]) + particles.outside[i]
    wp.atomic_add(components.momentum_then, c, dt * pull)
    pull += particles.around[i]
    mean_arm = particles.mean[i] - components.mean_centre[c]
    wp.atomic_add(components.spin_then, c, dt * wp.cross(mean_arm, particles.outside[i]))
    length = wp.length(arm)
    if length > wp.float64(0.0):
        wp.atomic_add(components.holding, c, wp.length(particles.outside[i]) / length * turning(arm))
    wp.atomic_add(components.pull, c, pull)
    wp.atomic_add(components.touching, c, particles.touching[i])
    internal = m * particles.lag[i] - pull
    wp.atomic_add(components.force, c, internal)
    wp.atomic_add(components.torque, c, wp.cross(arm, internal))


@wp.kernel
def compute_corrections(components: Components, h: wp.float64):
    """Compute the rotational corrections of angular momenta.

    External forces that hold a component in its orientation turn it faster than a substep resolves if they are large.
    The solve of the substep then finds that orientation, up to a residual torque, and the momentum that this torque
    lacks would turn the component on through any angle: the correction counts as far as substeps resolve the rotation.
    """
    c = wp.tid()
    components.turn[c] = vec3d()
    most, size = wp.length(components.pull[c]), wp.length(components.touching[c])
    share = wp.where(size > most, most / size, wp.float64(1.0))
    components.force[c] = (components.force[c] - share * components.touching[c]) / components.mass[c]
    tensor, torque = components.tensor[c], components.torque[c]
    components.torque[c] = vec3d()
    size = wp.trace(tensor)
    if components.free[c] == 1 and size > wp.float64(0.0):
        least = wp.float64(1.0e-12) * size * wp.identity(n=3, dtype=wp.float64)
        inverse = wp.inverse(tensor + least)
        components.torque[c] = inverse * torque
        holding = h * h * components.holding[c]
        held = wp.inverse(tensor + holding * inverse * holding + least)
        components.turn[c] = held * (components.spin_then[c] - components.spin[c])


@wp.kernel
def restore_momentum(components: Components, particles: Particles, h: wp.float64):
    """Restore the momenta that external forces give, for components that nothing touches."""
    i = wp.tid()
    c = particles.component[i]
    if components.free[c] == 0:
        return
    arm = particles.x[i] - components.centre[c]
    internal = components.force[c] + wp.cross(components.torque[c], arm)
    particles.lag[i] -= internal
    if components.touched[c] == 1:
        particles.velocity[i] -= wp.float64(0.5) * h * internal
    else:
        shift = (components.momentum_then[c] - components.momentum[c]) / components.mass[c]
        particles.velocity[i] += shift + wp.cross(components.turn[c], arm)
