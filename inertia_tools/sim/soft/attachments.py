# SPDX-FileCopyrightText: The inertia_tools authors
# SPDX-License-Identifier: Apache-2.0
"""Attachments of particles to points of bodies: rigid constraints, or springs and dampers."""

import warp as wp

from inertia_tools.kernel_loading import MODULE_OPTIONS
from inertia_tools.sim.soft.element_kernels import add_element_force
from inertia_tools.sim.soft.elements import next_weight
from inertia_tools.sim.soft.finding import new_row, set_single_particle
from inertia_tools.sim.soft.rows import (
    BOTH_WAYS,
    SPRING,
    Carriers,
    Rows,
    displacement,
    point_motion,
    relative_motion,
    wrench,
)
from inertia_tools.sim.soft.work import Particles

wp.set_module_options(MODULE_OPTIONS)

vec3d = wp.vec3d


@wp.struct
class Attachments:
    """Attachments of particles to points of bodies, one entry each."""

    particle: wp.array(dtype=wp.int32)
    body: wp.array(dtype=wp.int32)
    point: wp.array(dtype=wp.vec3d)  # in the body's frame
    stiffness: wp.array(dtype=wp.float64)  # [N/m]; infinite for a rigid attachment
    damping: wp.array(dtype=wp.float64)
    enabled: wp.array(dtype=wp.int32)
    share: wp.array(dtype=wp.float64)  # part of a soft one that the backward Euler method integrates
    pull: wp.array(dtype=wp.vec3d)  # force of a soft one on its particle at the end of the last substep [N]


@wp.func
def attachment_point(attachments: Attachments, carriers: Carriers, a: int) -> vec3d:
    """Return the attachment point in the world [m]."""
    b = attachments.body[a]
    return carriers.origin[b] + wp.quat_rotate(carriers.turn[b], attachments.point[a])


@wp.kernel
def start_attachments(
    attachments: Attachments, particles: Particles, carriers: Carriers, held: wp.array(dtype=wp.vec3d)
):
    """Compute the forces of soft attachments at the start of the substep; the explicit part acts on both ends."""
    a = wp.tid()
    k = attachments.stiffness[a]
    attachments.pull[a] = vec3d()
    if attachments.enabled[a] == 0 or wp.isinf(k):
        return
    i, b = attachments.particle[a], attachments.body[a]
    place = attachment_point(attachments, carriers, a)
    force = k * (place - particles.start[i])
    add_element_force(particles, i, force, attachments.share[a])
    explicit = (wp.float64(1.0) - attachments.share[a]) * force
    last_explicit = held[a]
    if particles.fresh[i] == 1:
        last_explicit = explicit
    held[a] = explicit
    explicit_wrench = wrench(
        (wp.float64(10.0) * explicit + last_explicit) / wp.float64(12.0), place - carriers.centre[b]
    )
    wp.atomic_sub(carriers.reaction, b, explicit_wrench)
    wp.atomic_add(carriers.then, b, explicit_wrench)


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
    """Add the rows of the enabled attachments."""
    a = wp.tid()
    if attachments.enabled[a] == 0:
        return
    i, b = attachments.particle[a], attachments.body[a]
    r = new_row(rows, capacity)
    if r < 0:
        return
    carriers.near[b] = 1
    place = attachment_point(attachments, carriers, a)
    k = next_weight(attachments.share[a]) * attachments.stiffness[a]
    set_single_particle(rows, r, i)
    rows.body[r] = b
    rows.slot[r] = -1
    rows.key[r] = a
    rows.arm[r] = place - carriers.centre[b]
    rows.normal[r] = vec3d(wp.float64(0.0), wp.float64(0.0), wp.float64(1.0))
    rows.gap[r] = wp.float64(0.0)
    rows.mu[r] = wp.float64(0.0)
    rows.bound[r] = wp.float64(0.0)
    rows.body_motion[r] = h * point_motion(carriers.velocity[b], rows.arm[r])
    if carriers.is_dynamic[b] == 0:  # for others an arc would not do the work that the torque about the arm does
        rows.body_motion[r] = displacement(h * carriers.velocity[b], rows.arm[r])
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
def store_attachments(
    rows: Rows,
    attachments: Attachments,
    particles: Particles,
    carriers: Carriers,
    held: wp.array(dtype=wp.vec3d),
    h: wp.float64,
):
    """Store the forces of rigid attachments, and of soft ones at the end of the substep."""
    r = wp.tid()
    if r >= rows.count[0]:
        return
    a = rows.key[r]
    if rows.kind[r] == BOTH_WAYS:
        held[a] = rows.impulse[r] / (h * h)
    elif rows.kind[r] == SPRING:
        motion = relative_motion(rows, carriers, particles, r)
        off = particles.start[rows.particle[r]] - attachment_point(attachments, carriers, a) + motion
        attachments.pull[a] = -attachments.stiffness[a] * off - attachments.damping[a] / h * motion


@wp.kernel
def report_attachments(attachments: Attachments, particles: Particles):
    """Add soft attachments to the forces that act at the end of a step."""
    a = wp.tid()
    wp.atomic_add(particles.around, attachments.particle[a], attachments.pull[a])
