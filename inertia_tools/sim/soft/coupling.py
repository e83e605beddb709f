# SPDX-FileCopyrightText: The inertia_tools authors
# SPDX-License-Identifier: Apache-2.0
"""Bodies in the soft-body solve: the response of all bodies of a cluster to the loads of particles on them.

Joints couple the links of a robot: a load on one moves the others. With their mobility W, the displacement w has the
inertia 1/2 w^T W^-1 w. W is singular but for a small part, so the unknowns are coordinates y of w = L y, with the
Cholesky factor L of W: their inertia is 1/2 y^T y, and a load g on the bodies has the gradient L^T g.
"""

import warp as wp

from inertia_tools.kernel_loading import MODULE_OPTIONS
from inertia_tools.sim.kernels.linear_algebra import algebra_functions
from inertia_tools.sim.soft.rows import DOUBLE, ENERGY, Carriers, mat66d, vec6d
from inertia_tools.sim.soft.work import Sum

wp.set_module_options(MODULE_OPTIONS)

inverted, lower_factor = algebra_functions(DOUBLE).inverse, algebra_functions(DOUBLE).lower_factor

GRADIENT, SLOPE = wp.constant(int(Sum.GRADIENT)), wp.constant(int(Sum.SLOPE))
CHANGE, PQ = wp.constant(int(Sum.CHANGE)), wp.constant(int(Sum.PQ))


@wp.func
def over_factor(a: mat66d, low: mat66d) -> mat66d:
    """Return a low^-T."""
    x = mat66d()
    for r in range(6):
        for c in range(6):
            s = a[r, c]
            for k in range(c):
                s -= x[r, k] * low[c, k]
            x[r, c] = s / low[c, c]
    return x


@wp.func
def member(carriers: Carriers, b: int, i: int) -> int:
    """Return the i-th body of the cluster of a body."""
    return carriers.body[carriers.first_body[carriers.cluster[b]] + i]


@wp.func
def couples(carriers: Carriers, b: int) -> bool:
    """Return whether a body responds to loads on others of its cluster."""
    if carriers.is_held[b] == 0:
        return False
    return carriers.first_pair[carriers.cluster[b]] >= 0


@wp.func
def pair_of(carriers: Carriers, b: int, i: int) -> int:
    """Return the pair of a body and the i-th of its cluster, which comes before it."""
    place = carriers.place[b]
    return carriers.first_pair[carriers.cluster[b]] + place * (place - 1) // 2 + i


@wp.func
def carried(carriers: Carriers, y: wp.array(dtype=vec6d), b: int) -> vec6d:
    """Return the displacement L y of a body."""
    w = carriers.factor[b] * y[b]
    if couples(carriers, b):
        for i in range(carriers.place[b]):
            other = member(carriers, b, i)
            if carriers.is_held[other] == 1:
                w += carriers.coupling[pair_of(carriers, b, i)] * y[other]
    return w


@wp.func
def collected(carriers: Carriers, load: wp.array(dtype=vec6d), b: int) -> vec6d:
    """Return the gradient L^T g of loads by the coordinates of a body."""
    gradient = wp.transpose(carriers.factor[b]) * load[b]
    if couples(carriers, b):
        for i in range(carriers.place[b] + 1, carriers.body_count[carriers.cluster[b]]):
            other = member(carriers, b, i)
            if carriers.is_held[other] == 1:
                block = carriers.coupling[pair_of(carriers, other, carriers.place[b])]
                gradient += wp.transpose(block) * load[other]
    return gradient


@wp.kernel
def factor_mobility(carriers: Carriers, coupling: wp.array(dtype=mat66d)):
    """Compute the blocks of L from those of the mobility, for each cluster (block Cholesky).

    Args:
        carriers: The bodies, with the diagonal blocks of the mobility.
        coupling: The other blocks.
    """
    first = wp.tid()
    if carriers.cluster[first] < 0 or carriers.place[first] > 0:
        return
    for n in range(carriers.body_count[carriers.cluster[first]]):
        b = member(carriers, first, n)
        if couples(carriers, b):
            for i in range(n):
                other = member(carriers, b, i)
                if carriers.is_held[other] == 1:
                    pair = pair_of(carriers, b, i)
                    block = coupling[pair]
                    for k in range(i):
                        if carriers.is_held[member(carriers, b, k)] == 1:
                            of_other = carriers.coupling[pair_of(carriers, other, k)]
                            block -= carriers.coupling[pair_of(carriers, b, k)] * wp.transpose(of_other)
                    block = over_factor(block, carriers.factor[other])
                    carriers.coupling[pair] = block
                    carriers.factor[b] = carriers.factor[b] - block * wp.transpose(block)
        if carriers.is_dynamic[b] == 1:
            carriers.factor[b] = lower_factor(carriers.factor[b])


@wp.kernel
def begin_carriers(carriers: Carriers, sums: wp.array(dtype=wp.float64), square: wp.float64):
    """Compute the displacements of bodies, and set the objective to inertia and the change of the reactions on them."""
    b = wp.tid()
    moved, pushed = carried(carriers, carriers.x, b), square * carriers.then[b]
    wp.atomic_add(sums, ENERGY, wp.float64(0.5) * wp.dot(carriers.x[b], carriers.x[b]) + wp.dot(moved, pushed))
    carriers.w[b] = moved
    carriers.load[b] = pushed


@wp.kernel
def end_carriers(carriers: Carriers, sums: wp.array(dtype=wp.float64)):
    """Compute the gradient of bodies, and its norm by their inverse blocks.

    A body that moves by the impulses of particles accepts no estimate of them that ends early.
    """
    b = wp.tid()
    gradient = carriers.x[b] + collected(carriers, carriers.load, b)
    carriers.gradient[b] = gradient
    if carriers.is_dynamic[b] == 1 and carriers.near[b] == 1:
        sums[CHANGE] = wp.float64(0.0)
    wp.atomic_add(sums, GRADIENT, wp.dot(gradient, carriers.inverse[b] * gradient))
    wp.atomic_add(sums, SLOPE, wp.dot(gradient, carriers.u[b]))


@wp.kernel
def begin_blocks(carriers: Carriers):
    """Set the stiffness of bodies to zero."""
    carriers.stiffness[wp.tid()] = mat66d()


@wp.kernel
def begin_carrier_search(carriers: Carriers):
    """Invert the diagonal blocks of bodies and set the residual to the negative gradient."""
    b = wp.tid()
    factor = carriers.factor[b]
    block = wp.identity(n=6, dtype=wp.float64) + wp.transpose(factor) * carriers.stiffness[b] * factor
    if couples(carriers, b):
        for i in range(carriers.place[b] + 1, carriers.body_count[carriers.cluster[b]]):
            other = member(carriers, b, i)
            if carriers.is_held[other] == 1:
                coupling = carriers.coupling[pair_of(carriers, other, carriers.place[b])]
                block += wp.transpose(coupling) * carriers.stiffness[other] * coupling
    carriers.inverse[b] = inverted(block)
    carriers.u[b] = vec6d()
    carriers.p[b] = vec6d()
    carriers.r[b] = -carriers.gradient[b]


@wp.kernel
def carry(carriers: Carriers):
    """Compute the displacements of bodies along the search direction."""
    b = wp.tid()
    carriers.carried[b] = carried(carriers, carriers.p, b)
    carriers.pushed[b] = vec6d()


@wp.kernel
def multiply_carriers(carriers: Carriers, sums: wp.array(dtype=wp.float64)):
    """Multiply the search direction by the matrix, given the loads of the rows along it."""
    b = wp.tid()
    p = carriers.p[b]
    carriers.q[b] = p + collected(carriers, carriers.pushed, b)
    wp.atomic_add(sums, PQ, wp.dot(p, p))


@wp.kernel
def step_carriers(carriers: Carriers, length: wp.float64):
    """Move the iterate of bodies along the search direction."""
    b = wp.tid()
    carriers.x[b] += length * carriers.u[b]
