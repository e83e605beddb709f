# SPDX-FileCopyrightText: The inertia_tools authors
# SPDX-License-Identifier: Apache-2.0
"""Products of a row of a matrix of 3 x 3 blocks, in which searches spend most of their time.

They read what is contiguous. Warp's own code allows for any stride and for negative indices of each array, which took
a third of the time of a product on the CPU.
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
    """Return a vector minus the products of the blocks from the first one to before the end."""
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
    """Return the same of blocks that are numbered in another order."""
    ...
