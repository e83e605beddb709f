# SPDX-FileCopyrightText: The inertia_tools authors
# SPDX-License-Identifier: Apache-2.0
"""How stiff the rows of a solve are: by the particles that they push, and by the bodies that load these."""

import warp as wp

from inertia_tools.kernel_loading import MODULE_OPTIONS
from inertia_tools.sim.soft.rows import SPRING, Carriers, Rows, node
from inertia_tools.sim.soft.work import Matrix, Particles

wp.set_module_options(MODULE_OPTIONS)

FIRMNESS = wp.constant(wp.float64(100.0))
"""Stiffness of a row over that of its particle: an impulse is off by the inverse of it after one solve."""

FIRMNESS_OF_CLOTH = wp.constant(wp.float64(10.0))
"""The same of a row of four particles: the inverse diagonal does not see how it couples them, and searches grow."""

FIRMNESS_OF_BODIES = wp.constant(wp.float64(10.0))
"""Stiffness of all rows of a body together over its mass, at least.

Impulses go on from substep to substep, y <- y - K x with m x'' = y: what rests on particles that cannot give way, as
they lie on something, comes to rest only if K exceeds m, however light they are.
"""


@wp.kernel
def load_carriers(rows: Rows, carriers: Carriers):
    """Sum what the rows of each body bear, and count them."""
    r = wp.tid()
    if r < rows.count[0]:
        if rows.body[r] >= 0 and rows.kind[r] != SPRING:
            wp.atomic_add(carriers.borne, rows.body[r], wp.length(rows.known[r]))
            wp.atomic_add(carriers.row_count, rows.body[r], wp.float64(1.0))


@wp.func
def mass_on(rows: Rows, carriers: Carriers, r: int) -> wp.float64:
    """Return a row's share of the mass of its body: half of it by what it bears, half by the number of rows."""
    b = rows.body[r]
    mobility = carriers.inverse[b][0, 0]
    if mobility == wp.float64(0.0):
        return mobility
    share = wp.float64(1.0) / carriers.row_count[b]
    if carriers.borne[b] > wp.float64(0.0):
        share = wp.float64(0.5) * (share + wp.length(rows.known[r]) / carriers.borne[b])
    return share / mobility


@wp.kernel
def load_particles(rows: Rows, particles: Particles, carriers: Carriers):
    """Sum the shares of bodies that press on each particle, or hang from it."""
    r = wp.tid()
    if r < rows.count[0]:
        if rows.body[r] >= 0 and rows.kind[r] != SPRING:
            wp.atomic_add(particles.loaded, rows.particle[r], mass_on(rows, carriers, r))


@wp.kernel
def stiffen(rows: Rows, particles: Particles, carriers: Carriers, matrix: Matrix):
    """Set the stiffness of rows by that of the particles that they push, and by the bodies that load these."""
    r = wp.tid()
    if r >= rows.count[0]:
        return
    if rows.kind[r] == SPRING:
        return
    own, load = wp.float64(0.0), wp.float64(0.0)
    for k in range(4):
        i = node(rows, r, k)
        if i >= 0:
            load = wp.max(load, particles.loaded[i])
            if particles.inv_mass[i] > wp.float64(0.0) and rows.weights[r][k] != wp.float64(0.0):
                own = wp.max(own, wp.trace(matrix.diagonal[i]) / wp.float64(3.0))
    if own == wp.float64(0.0) and rows.body[r] >= 0:
        own = carriers.mass[rows.body[r]][0, 0]
    firm = wp.where(rows.third[r] >= 0, FIRMNESS_OF_CLOTH, FIRMNESS) * own
    rows.stiffness[r] = wp.max(firm, FIRMNESS_OF_BODIES * load)
