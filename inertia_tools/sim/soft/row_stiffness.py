# SPDX-FileCopyrightText: The inertia_tools authors
# SPDX-License-Identifier: Apache-2.0
"""Penalty stiffness K of rows: from the particles that they push, and from the bodies that these support."""

import warp as wp

from inertia_tools.kernel_loading import MODULE_OPTIONS
from inertia_tools.sim.soft.rows import COHESIVE, SPRING, Carriers, Rows, particle_of
from inertia_tools.sim.soft.work import Matrix, Particles

wp.set_module_options(MODULE_OPTIONS)

STIFFNESS_RATIO = wp.constant(wp.float64(100.0))
"""Stiffness of a row relative to that of its particle along the normal; after one solve, the relative error of an
impulse is about the inverse of this."""

CLOTH_STIFFNESS_RATIO = wp.constant(wp.float64(10.0))
"""The same for a row of four particles: the inverse diagonal does not see how the row couples them, and conjugate
gradients take longer."""

BODY_STIFFNESS_RATIO = wp.constant(wp.float64(10.0))
"""Least total stiffness of the rows of a body, relative to its mass.

Impulses persist from substep to substep, y <- y - K x with m x'' = y. A body on particles that cannot yield, as they
lie on a surface, comes to rest only if K exceeds m, however light they are."""


@wp.kernel
def sum_body_loads(rows: Rows, carriers: Carriers):
    """Sum the loads of the rows of each body, and count the rows."""
    r = wp.tid()
    if r < rows.count[0]:
        if rows.body[r] >= 0 and rows.kind[r] != SPRING:
            wp.atomic_add(carriers.supported_load, rows.body[r], wp.length(rows.known[r]))
            wp.atomic_add(carriers.row_count, rows.body[r], wp.float64(1.0))


@wp.func
def supported_mass(rows: Rows, carriers: Carriers, r: int) -> wp.float64:
    """Return the share of a body's mass that a row supports: half by its load, half by the number of rows."""
    b = rows.body[r]
    if carriers.is_dynamic[b] == 0:
        return wp.float64(0.0)
    share = wp.float64(1.0) / carriers.row_count[b]
    if carriers.supported_load[b] > wp.float64(0.0):
        share = wp.float64(0.5) * (share + wp.length(rows.known[r]) / carriers.supported_load[b])
    return share * carriers.own_mass[b]


@wp.kernel
def sum_particle_loads(rows: Rows, particles: Particles, carriers: Carriers):
    """Sum the shares of body masses that each particle supports or carries."""
    r = wp.tid()
    if r < rows.count[0]:
        if rows.body[r] >= 0 and rows.kind[r] != SPRING:
            wp.atomic_add(particles.loaded, rows.particle[r], supported_mass(rows, carriers, r))


@wp.func
def particle_stiffness(rows: Rows, r: int, diagonal: wp.mat33d) -> wp.float64:
    """Return the stiffness of a particle, its mass included, against a contact's normal or in the mean of directions.

    Membranes that resist in their plane do not resist a contact across it, and a stiffer row than needed closes and
    opens, sticks and slips at more lengths of a Newton step.
    """
    if rows.kind[r] > COHESIVE:
        return wp.trace(diagonal) / wp.float64(3.0)
    return wp.dot(rows.normal[r], diagonal * rows.normal[r])


@wp.kernel
def set_row_stiffness(rows: Rows, particles: Particles, carriers: Carriers, matrix: Matrix):
    """Set the stiffness of rows from the particles that they push and the bodies that these support."""
    r = wp.tid()
    if r >= rows.count[0]:
        return
    if rows.kind[r] == SPRING:
        return
    own, load = wp.float64(0.0), wp.float64(0.0)
    for k in range(4):
        i = particle_of(rows, r, k)
        if i >= 0:
            load = wp.max(load, particles.loaded[i])
            if particles.inv_mass[i] > wp.float64(0.0) and rows.weights[r][k] != wp.float64(0.0):
                own = wp.max(own, particle_stiffness(rows, r, matrix.diagonal[i]))
    if own == wp.float64(0.0) and rows.body[r] >= 0:
        own = carriers.mass[rows.body[r]]
    stiffness = wp.where(rows.third[r] >= 0, CLOTH_STIFFNESS_RATIO, STIFFNESS_RATIO) * own
    rows.stiffness[r] = wp.max(stiffness, BODY_STIFFNESS_RATIO * load)
