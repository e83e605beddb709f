# SPDX-FileCopyrightText: The inertia_tools authors
# SPDX-License-Identifier: Apache-2.0
"""Kernels of multigrid: Gauss-Seidel sweeps, residuals, and transfers between grids."""

import warp as wp

from inertia_tools.kernel_loading import MODULE_OPTIONS
from inertia_tools.sim.soft.row_products import less_ordered_products, less_products

wp.set_module_options(MODULE_OPTIONS)


@wp.struct
class Grid:
    """A sparse matrix of 3 x 3 blocks by rows, with its unknowns x, right-hand side b and residual r."""

    first: wp.array(dtype=wp.int32)
    column: wp.array(dtype=wp.int32)
    block: wp.array(dtype=wp.mat33d)
    diagonal: wp.array(dtype=wp.mat33d)
    inverse: wp.array(dtype=wp.mat33d)
    order: wp.array(dtype=wp.int32)  # blocks of each row, those of earlier colours first
    middle: wp.array(dtype=wp.int32)  # first block of a later colour in each row
    x: wp.array(dtype=wp.vec3d)
    b: wp.array(dtype=wp.vec3d)
    r: wp.array(dtype=wp.vec3d)


@wp.struct
class Transfer:
    """Transfer between a grid and the next coarser one; the entries of row i are first[i] to first[i + 1]."""

    parent_first: wp.array(dtype=wp.int32)  # of each fine particle
    parent: wp.array(dtype=wp.int32)
    parent_weight: wp.array(dtype=wp.float64)
    child_first: wp.array(dtype=wp.int32)  # of each coarse particle
    child: wp.array(dtype=wp.int32)
    child_weight: wp.array(dtype=wp.float64)
    source_first: wp.array(dtype=wp.int32)  # of each coarse block, those of the diagonal first
    source: wp.array(dtype=wp.int32)  # fine block; -1 minus the row for a diagonal block
    source_weight: wp.array(dtype=wp.float64)


@wp.kernel
def sweep(grid: Grid, members: wp.array(dtype=wp.int32)):
    """Solve the rows of one colour."""
    i = members[wp.tid()]
    rest = less_products(grid.b[i], grid.block, grid.column, grid.x, grid.first[i], grid.first[i + 1])
    grid.x[i] = grid.inverse[i] * rest


@wp.kernel
def sweep_from_zero(grid: Grid, members: wp.array(dtype=wp.int32)):
    """Solve the rows of one colour in the first sweep, where unknowns of later colours count as zero."""
    i = members[wp.tid()]
    first, end = grid.first[i], grid.middle[i]
    rest = less_ordered_products(grid.b[i], grid.block, grid.column, grid.x, grid.order, first, end)
    grid.x[i] = grid.inverse[i] * rest


@wp.kernel
def find_residual(grid: Grid):
    """Compute b - A x after a first sweep.

    Each row was exact when it was solved; only unknowns of later colours have changed since.
    """
    i = wp.tid()
    first, end = grid.middle[i], grid.first[i + 1]
    grid.r[i] = less_ordered_products(wp.vec3d(), grid.block, grid.column, grid.x, grid.order, first, end)


@wp.kernel
def restrict(transfer: Transfer, fine: Grid, coarse: Grid):
    """Restrict the residual to the coarser grid."""
    i = wp.tid()
    b = wp.vec3d()
    for k in range(transfer.child_first[i], transfer.child_first[i + 1]):
        b += transfer.child_weight[k] * fine.r[transfer.child[k]]
    coarse.b[i] = b


@wp.kernel
def correct(transfer: Transfer, fine: Grid, coarse: Grid):
    """Prolongate the correction of the coarser grid and add it."""
    i = wp.tid()
    x = fine.x[i]
    for k in range(transfer.parent_first[i], transfer.parent_first[i + 1]):
        x += transfer.parent_weight[k] * coarse.x[transfer.parent[k]]
    fine.x[i] = x


@wp.kernel
def multiply_galerkin(transfer: Transfer, fine: Grid, coarse: Grid):
    """Compute a block of the Galerkin product P^T A P."""
    s = wp.tid()
    block = wp.mat33d()
    for k in range(transfer.source_first[s], transfer.source_first[s + 1]):
        source, weight = transfer.source[k], transfer.source_weight[k]
        if source >= 0:
            block += weight * fine.block[source]
        else:
            block += weight * fine.diagonal[-1 - source]
    count = coarse.diagonal.shape[0]
    if s < count:
        coarse.diagonal[s] = block
        coarse.inverse[s] = wp.inverse(block)
    else:
        coarse.block[s - count] = block
