# SPDX-FileCopyrightText: The inertia_tools authors
# SPDX-License-Identifier: Apache-2.0
"""Products of a row of a sparse matrix of 3 x 3 blocks, in which conjugate gradients spend most of their time.

These native functions assume contiguous arrays. Warp's own code supports any stride and negative indices in each array,
which took a third of the time of a product on the CPU.
"""

import warp as wp


@wp.func_native(
    """
    for (int k = first; k < end; ++k)
        rest = wp::sub(rest, wp::mul(block.data[k], x.data[column.data[k]]));
    return rest;
    """
)
def less_products(
    rest: wp.vec3d,
    block: wp.array(dtype=wp.mat33d),
    column: wp.array(dtype=wp.int32),
    x: wp.array(dtype=wp.vec3d),
    first: int,
    end: int,
) -> wp.vec3d:
    """Return `rest` minus the products of blocks `first` to `end` - 1 with their unknowns."""
    ...


@wp.func_native(
    """
    for (int k = first; k < end; ++k)
        rest = wp::sub(rest, wp::mul(block.data[order.data[k]], x.data[column.data[order.data[k]]]));
    return rest;
    """
)
def less_ordered_products(
    rest: wp.vec3d,
    block: wp.array(dtype=wp.mat33d),
    column: wp.array(dtype=wp.int32),
    x: wp.array(dtype=wp.vec3d),
    order: wp.array(dtype=wp.int32),
    first: int,
    end: int,
) -> wp.vec3d:
    """Return the same for blocks in another order."""
    ...
