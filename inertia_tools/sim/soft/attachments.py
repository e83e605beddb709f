# SPDX-FileCopyrightText: The inertia_tools authors
# SPDX-License-Identifier: Apache-2.0
"""Points of bodies that hold particles, hard or as springs."""

import warp as wp

from inertia_tools.kernel_loading import MODULE_OPTIONS
from inertia_tools.sim.soft.element_kernels import act
from inertia_tools.sim.soft.elements import next_weight
from inertia_tools.sim.soft.finding import alone, new_row
from inertia_tools.sim.soft.rows import BOTH_WAYS, SPRING, Carriers, Rows, at_arm, motion_of, wrench
from inertia_tools.sim.soft.work import Particles

wp.set_module_options(MODULE_OPTIONS)

vec3d = wp.vec3d


@wp.struct
class Attachments:
    """Points of bodies that hold particles, one entry each."""

    particle: wp.array(dtype=wp.int32)
    body: wp.array(dtype=wp.int32)
    point: wp.array(dtype=wp.vec3d)  # in the body's frame
    stiffness: wp.array(dtype=wp.float64)  # [N/m]; infinite for a point that is held
    damping: wp.array(dtype=wp.float64)
    enabled: wp.array(dtype=wp.int32)
    share: wp.array(dtype=wp.float64)  # how much of a soft one is integrated by the backward Euler method
    pull: wp.array(dtype=wp.vec3d)  # force of a soft one on its particle when the last substep ended [N]


@wp.func
def held_at(attachments: Attachments, carriers: Carriers, a: int) -> vec3d:
    """Return the point that holds a particle."""
    b = attachments.body[a]
    return carriers.origin[b] + wp.quat_rotate(carriers.turn[b], attachments.point[a])


@wp.kernel
def start_attachments(
    attachments: Attachments, particles: Particles, carriers: Carriers, held: wp.array(dtype=wp.vec3d)
):
    """Find the forces of soft attachments where the substep starts: what of them is known acts on both ends."""
    a = wp.tid()
    k = attachments.stiffness[a]
    attachments.pull[a] = vec3d()
    if attachments.enabled[a] == 0 or wp.isinf(k):
        return
    i, b = attachments.particle[a], attachments.body[a]
    place = held_at(attachments, carriers, a)
    force = k * (place - particles.start[i])
    act(particles, i, force, attachments.share[a])
    loose = (wp.float64(1.0) - attachments.share[a]) * force
    then = held[a]
    if particles.fresh[i] == 1:
        then = loose
    held[a] = loose
    known = wrench((wp.float64(10.0) * loose + then) / wp.float64(12.0), place - carriers.centre[b])
    wp.atomic_sub(carriers.reaction, b, known)
    wp.atomic_add(carriers.then, b, known)


@wp.kernel
def find_attachments(
    attachments: Attachments,
    particles: Particles,
    carriers: Carriers,
    rows: Rows,
    held: wp.array(dtype=wp.vec3d),
    h: wp.float64,
    capacity: int,
):
    """List the rows of attachments."""
    a = wp.tid()
    if attachments.enabled[a] == 0:
        return
    i, b = attachments.particle[a], attachments.body[a]
    r = new_row(rows, capacity)
    if r < 0:
        return
    carriers.near[b] = 1
    place = held_at(attachments, carriers, a)
    k = next_weight(attachments.share[a]) * attachments.stiffness[a]
    alone(rows, r, i)
    rows.body[r] = b
    rows.slot[r] = -1
    rows.key[r] = a
    rows.arm[r] = place - carriers.centre[b]
    rows.normal[r] = vec3d(wp.float64(0.0), wp.float64(0.0), wp.float64(1.0))
    rows.gap[r] = wp.float64(0.0)
    rows.mu[r] = wp.float64(0.0)
    rows.bound[r] = wp.float64(0.0)
    rows.led[r] = h * at_arm(carriers.velocity[b], rows.arm[r])
    off = particles.start[i] - place
    if wp.isinf(k):
        rows.kind[r] = BOTH_WAYS
        rows.slip[r] = off
        rows.known[r] = h * h * held[a]
    else:
        rows.kind[r] = SPRING
        rows.stiffness[r] = h * h * k + h * attachments.damping[a]
        rows.slip[r] = vec3d()
        rows.known[r] = -h * h * k * off
    rows.impulse[r] = rows.known[r]


@wp.kernel
def keep_attachments(
    rows: Rows,
    attachments: Attachments,
    particles: Particles,
    carriers: Carriers,
    held: wp.array(dtype=wp.vec3d),
    h: wp.float64,
):
    """Keep the forces of points that are held, and of soft attachments as the substep ends."""
    r = wp.tid()
    if r >= rows.count[0]:
        return
    a = rows.key[r]
    if rows.kind[r] == BOTH_WAYS:
        held[a] = rows.impulse[r] / (h * h)
    elif rows.kind[r] == SPRING:
        moved = motion_of(rows, carriers, particles, r)
        off = particles.start[rows.particle[r]] - held_at(attachments, carriers, a) + moved
        attachments.pull[a] = -attachments.stiffness[a] * off - attachments.damping[a] / h * moved


@wp.kernel
def report_attachments(attachments: Attachments, particles: Particles):
    """Count soft attachments among the forces that act when a step ends."""
    a = wp.tid()
    wp.atomic_add(particles.around, attachments.particle[a], attachments.pull[a])
