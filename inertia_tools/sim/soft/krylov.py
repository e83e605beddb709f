# SPDX-FileCopyrightText: The inertia_tools authors
# SPDX-License-Identifier: Apache-2.0
"""Conjugate gradients with the inverse of the diagonal blocks as preconditioner, one kernel a phase."""

import warp as wp

from inertia_tools.sim.soft.work import Matrix, Particles, Sum, Vectors

wp.set_module_options({"enable_backward": False})

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
def begin_search(particles: Particles, matrix: Matrix, vectors: Vectors, sums: wp.array(dtype=wp.float64)):
    """Invert the diagonal, and begin with the gradient as residual; what is pinned has no unknowns."""
    i = wp.tid()
    inverse = wp.mat33d()
    if particles.inv_mass[i] > wp.float64(0.0):
        inverse = wp.inverse(matrix.diagonal[i])
    matrix.inverse[i] = inverse
    vectors.u[i] = wp.vec3d()
    r = -particles.gradient[i]
    z = inverse * r
    vectors.r[i] = r
    vectors.z[i] = z
    vectors.p[i] = z
    wp.atomic_add(sums, RZ, wp.dot(r, z))


@wp.kernel
def multiply(particles: Particles, matrix: Matrix, vectors: Vectors, sums: wp.array(dtype=wp.float64)):
    """Multiply the direction by the matrix of the elements."""
    i = wp.tid()
    q = wp.vec3d()
    if particles.inv_mass[i] > wp.float64(0.0):
        q = matrix.diagonal[i] * vectors.p[i]
        for k in range(matrix.first[i], matrix.first[i + 1]):
            q += matrix.block[k] * vectors.p[matrix.column[k]]
        wp.atomic_add(sums, PQ, wp.dot(q, vectors.p[i]))
    vectors.q[i] = q


@wp.kernel
def advance(matrix: Matrix, vectors: Vectors, sums: wp.array(dtype=wp.float64)):
    """Move along the direction to where the residual is across it."""
    i = wp.tid()
    step = wp.float64(0.0)
    if sums[PQ] > wp.float64(0.0):
        step = sums[RZ] / sums[PQ]
    vectors.u[i] += step * vectors.p[i]
    r = vectors.r[i] - step * vectors.q[i]
    z = matrix.inverse[i] * r
    vectors.r[i] = r
    vectors.z[i] = z
    wp.atomic_add(sums, RZ_NEXT, wp.dot(r, z))


@wp.kernel
def redirect(vectors: Vectors, sums: wp.array(dtype=wp.float64)):
    """Take the next direction."""
    i = wp.tid()
    share = wp.float64(0.0)
    if sums[RZ] > wp.float64(0.0):
        share = sums[RZ_NEXT] / sums[RZ]
    vectors.p[i] = vectors.z[i] + share * vectors.p[i]


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
