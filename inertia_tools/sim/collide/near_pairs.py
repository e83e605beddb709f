# SPDX-FileCopyrightText: The inertia_tools authors
# SPDX-License-Identifier: Apache-2.0
"""Pairs of shapes that are anywhere near, listed once and used until something has moved far (Verlet 1967).

A list holds all pairs whose balls are closer than what a step asks for and some slack. While no shape has moved by more
than half of the slack since, less what the step asks for in addition, no other pair can be close enough: so rows are
found as if all pairs were looked at, in the same order. Planes are near everything.
"""

from functools import lru_cache
from types import SimpleNamespace
from typing import Any

import warp as wp

from inertia_tools.sim.kernels.precision import Precision

STEPS = 8.0
"""A list is to last for so many steps of the fastest body."""

SHARE = 0.05
"""It lasts at least until something has moved by this, over the radius of the largest shape."""


@lru_cache(maxsize=2)
def near_functions(p: Precision) -> Any:
    """Return the device functions of one precision."""
    scalar = p.scalar
    Shapes, Rows = p.references("Shapes", "Rows")
    steps, share = wp.constant(scalar(STEPS)), wp.constant(scalar(SHARE))

    @wp.func
    def is_list_good(shapes: Shapes, rows: Rows, world: int, way: scalar) -> bool:
        """Tell whether the list of a world still has all pairs that may be near in this step."""
        left = rows.slack[world] - (way - rows.way_then[world])
        if left < scalar(0.0):
            return False
        far = scalar(0.25) * left * left
        for s in range(world * shapes.count, (world + 1) * shapes.count):
            gone = rows.centre[s] - rows.centre_then[s]
            if wp.dot(gone, gone) > far:
                return False
        return True

    @wp.func
    def list_pairs(shapes: Shapes, rows: Rows, world: int, closeness: scalar, way: scalar):
        """List the pairs that are near now."""
        largest = scalar(0.0)
        for i in range(world * shapes.count, (world + 1) * shapes.count):
            rows.centre_then[i] = rows.centre[i]
            largest = wp.max(largest, shapes.reach[i])
        slack = steps * way + share * largest
        rows.slack[world] = slack
        rows.way_then[world] = way
        first = world * shapes.pair_count
        count = int(0)
        for pair in range(first, first + shapes.pair_count):
            a, s = shapes.pair_feature[pair], shapes.pair_solid[pair]
            is_near = shapes.reach[s] < scalar(0.0)
            if not is_near:
                far = (closeness + scalar(1.0)) * shapes.reach[a] + shapes.reach[s] + way + slack
                far += shapes.margin[a] + shapes.margin[s]
                apart = rows.centre[a] - rows.centre[s]
                is_near = wp.dot(apart, apart) <= far * far
            if is_near:
                rows.near[first + count] = pair
                count += 1
        rows.near_count[world] = count
        rows.is_listed[world] = int(1)

    @wp.func
    def keep_list(shapes: Shapes, rows: Rows, world: int, closeness: scalar, way: scalar):
        """Have a list of all pairs that may be near in this step."""
        if rows.is_listed[world] == 0 or not is_list_good(shapes, rows, world, way):
            list_pairs(shapes, rows, world, closeness, way)

    return SimpleNamespace(keep_list=keep_list)
