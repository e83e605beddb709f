# SPDX-FileCopyrightText: The inertia_tools authors
# SPDX-License-Identifier: Apache-2.0
"""Preconditioned conjugate gradients (Hestenes and Stiefel 1952), one kernel per phase."""

from functools import lru_cache
from types import SimpleNamespace
from typing import Any

import warp as wp

from inertia_tools.kernel_loading import MODULE_OPTIONS
from inertia_tools.sim.soft.row_products import less_products
from inertia_tools.sim.soft.work import Matrix, Particles, Sum, Vectors

wp.set_module_options(MODULE_OPTIONS)

RZ, RZ_NEXT, PQ = wp.constant(int(Sum.RZ)), wp.constant(int(Sum.RZ_NEXT)), wp.constant(int(Sum.PQ))
DESCENT = wp.constant(int(Sum.DESCENT))


@wp.kernel
def begin_matrix(particles: Particles, matrix: Matrix):
    """Set the matrix to the masses."""
    i = wp.tid()
    matrix.diagonal[i] = particles.mass[i] * wp.identity(n=3, dtype=wp.float64)
    for k in range(matrix.first[i], matrix.first[i + 1]):
        matrix.block[k] = wp.mat33d()


@wp.kernel
def begin_search(particles: Particles, matrix: Matrix, vectors: Vectors):
    """Invert the diagonal blocks and set the residual to the negative gradient; pinned particles have no unknowns."""
    i = wp.tid()
    inverse = wp.mat33d()
    if particles.inv_mass[i] > wp.float64(0.0):
        inverse = wp.inverse(matrix.diagonal[i])
    matrix.inverse[i] = inverse
    vectors.u[i] = wp.vec3d()
    vectors.p[i] = wp.vec3d()
    vectors.r[i] = -particles.gradient[i]


@wp.kernel
def multiply(particles: Particles, matrix: Matrix, vectors: Vectors, sums: wp.array(dtype=wp.float64)):
    """Multiply the search direction by the matrix of the elements."""
    i = wp.tid()
    q = wp.vec3d()
    if particles.inv_mass[i] > wp.float64(0.0):
        own, first, end = matrix.diagonal[i] * vectors.p[i], matrix.first[i], matrix.first[i + 1]
        q = -less_products(-own, matrix.block, matrix.column, vectors.p, first, end)
        wp.atomic_add(sums, PQ, wp.dot(q, vectors.p[i]))
    vectors.q[i] = q


@wp.kernel
def shift_sums(sums: wp.array(dtype=wp.float64)):
    """Shift the sums to the next iteration, and accumulate the descent of the objective along u."""
    if sums[PQ] > wp.float64(0.0):
        sums[DESCENT] = sums[DESCENT] + sums[RZ] * sums[RZ] / sums[PQ]
    sums[RZ] = sums[RZ_NEXT]
    sums[RZ_NEXT] = wp.float64(0.0)
    sums[PQ] = wp.float64(0.0)


@wp.kernel
def clear_sums(sums: wp.array(dtype=wp.float64), first: int, last: int):
    """Set sums to zero."""
    for k in range(first, last + 1):
        sums[k] = wp.float64(0.0)


@lru_cache(maxsize=2)
def search_kernels(vector: Any, matrix: Any) -> Any:
    """Return the kernels for vectors of one width: of particles or of bodies.

    They are not generic kernels, as replayed launches of those confuse the widths.
    """

    @wp.kernel(module="unique", module_options=MODULE_OPTIONS)
    def update_solution(
        u: wp.array(dtype=vector),
        r: wp.array(dtype=vector),
        p: wp.array(dtype=vector),
        q: wp.array(dtype=vector),
        sums: wp.array(dtype=wp.float64),
    ):
        """Update solution and residual along the search direction."""
        i = wp.tid()
        alpha = wp.float64(0.0)
        if sums[PQ] > wp.float64(0.0):
            alpha = sums[RZ] / sums[PQ]
        u[i] = u[i] + alpha * p[i]
        r[i] = r[i] - alpha * q[i]

    @wp.kernel(module="unique", module_options=MODULE_OPTIONS)
    def precondition(
        inverse: wp.array(dtype=matrix),
        r: wp.array(dtype=vector),
        z: wp.array(dtype=vector),
        sums: wp.array(dtype=wp.float64),
    ):
        """Multiply the residual by the inverse diagonal blocks (block Jacobi)."""
        i = wp.tid()
        z[i] = inverse[i] * r[i]
        wp.atomic_add(sums, RZ_NEXT, wp.dot(r[i], z[i]))

    @wp.kernel(module="unique", module_options=MODULE_OPTIONS)
    def add_residual_product(r: wp.array(dtype=vector), z: wp.array(dtype=vector), sums: wp.array(dtype=wp.float64)):
        """Add the product of the residual and its preconditioned form, after another preconditioner."""
        i = wp.tid()
        wp.atomic_add(sums, RZ_NEXT, wp.dot(r[i], z[i]))

    @wp.kernel(module="unique", module_options=MODULE_OPTIONS)
    def update_direction(z: wp.array(dtype=vector), p: wp.array(dtype=vector), sums: wp.array(dtype=wp.float64)):
        """Update the search direction; the first one is the preconditioned residual, as `RZ` is zero."""
        i = wp.tid()
        beta = wp.float64(0.0)
        if sums[RZ] > wp.float64(0.0):
            beta = sums[RZ_NEXT] / sums[RZ]
        p[i] = z[i] + beta * p[i]

    return SimpleNamespace(
        update_solution=update_solution,
        precondition=precondition,
        add_residual_product=add_residual_product,
        update_direction=update_direction,
    )
