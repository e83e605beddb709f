# SPDX-FileCopyrightText: The inertia_tools authors
# SPDX-License-Identifier: Apache-2.0
"""Conjugate gradients, one kernel a phase."""

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
    """Set a matrix to the masses."""
    i = wp.tid()
    matrix.diagonal[i] = particles.mass[i] * wp.identity(n=3, dtype=wp.float64)
    for k in range(matrix.first[i], matrix.first[i + 1]):
        matrix.block[k] = wp.mat33d()


@wp.kernel
def begin_search(particles: Particles, matrix: Matrix, vectors: Vectors):
    """Invert the diagonal, and begin with the gradient as residual; what is pinned has no unknowns."""
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
    """Multiply the direction by the matrix of the elements."""
    i = wp.tid()
    q = wp.vec3d()
    if particles.inv_mass[i] > wp.float64(0.0):
        own, first, end = matrix.diagonal[i] * vectors.p[i], matrix.first[i], matrix.first[i + 1]
        q = -less_products(-own, matrix.block, matrix.column, vectors.p, first, end)
        wp.atomic_add(sums, PQ, wp.dot(q, vectors.p[i]))
    vectors.q[i] = q


@wp.kernel
def shift_sums(sums: wp.array(dtype=wp.float64)):
    """Make the sums of this iteration those of the last one, and add up how steeply the objective falls along u."""
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
    """Return the kernels for vectors of one width: those of particles, or of bodies.

    They are no generic kernels, as replayed launches of those mix up the widths.
    """

    @wp.kernel(module="unique", module_options=MODULE_OPTIONS)
    def advance(
        u: wp.array(dtype=vector),
        r: wp.array(dtype=vector),
        p: wp.array(dtype=vector),
        q: wp.array(dtype=vector),
        sums: wp.array(dtype=wp.float64),
    ):
        """Move along the direction to where the residual is across it."""
        i = wp.tid()
        step = wp.float64(0.0)
        if sums[PQ] > wp.float64(0.0):
            step = sums[RZ] / sums[PQ]
        u[i] = u[i] + step * p[i]
        r[i] = r[i] - step * q[i]

    @wp.kernel(module="unique", module_options=MODULE_OPTIONS)
    def precondition(
        inverse: wp.array(dtype=matrix),
        r: wp.array(dtype=vector),
        z: wp.array(dtype=vector),
        sums: wp.array(dtype=wp.float64),
    ):
        """Divide the residual by the diagonal blocks."""
        i = wp.tid()
        z[i] = inverse[i] * r[i]
        wp.atomic_add(sums, RZ_NEXT, wp.dot(r[i], z[i]))

    @wp.kernel(module="unique", module_options=MODULE_OPTIONS)
    def measure(r: wp.array(dtype=vector), z: wp.array(dtype=vector), sums: wp.array(dtype=wp.float64)):
        """Measure a residual that was preconditioned otherwise."""
        i = wp.tid()
        wp.atomic_add(sums, RZ_NEXT, wp.dot(r[i], z[i]))

    @wp.kernel(module="unique", module_options=MODULE_OPTIONS)
    def redirect(z: wp.array(dtype=vector), p: wp.array(dtype=vector), sums: wp.array(dtype=wp.float64)):
        """Take the next direction; the first one is that of the residual, as `RZ` is zero."""
        i = wp.tid()
        share = wp.float64(0.0)
        if sums[RZ] > wp.float64(0.0):
            share = sums[RZ_NEXT] / sums[RZ]
        p[i] = z[i] + share * p[i]

    return SimpleNamespace(advance=advance, precondition=precondition, measure=measure, redirect=redirect)
