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
from inertia_tools.sim.kernels.scene_types import scene_type

STEPS = 8.0
"""A list is to last for so many steps of the fastest body."""

SHARE = 0.05
"""It lasts at least until something has moved by this, over the radius of the largest shape."""


@lru_cache(maxsize=2)
def near_functions(p: Precision) -> Any:
    """Return the device functions of one precision."""
    Scene = wp.ref[scene_type(p)]
    scalar = p.scalar
    steps, share = wp.constant(scalar(STEPS)), wp.constant(scalar(SHARE))

    @wp.func
    def is_list_good(scene: Scene, world: int, way: scalar) -> bool:
        """Tell whether the list of a world still has all pairs that may be near in this step."""
        left = scene.rows.slack[world] - (way - scene.rows.listed_reach[world])
        if left < scalar(0.0):
            return False
        far = scalar(0.25) * left * left
        for s in range(world * scene.shapes.count, (world + 1) * scene.shapes.count):
            gone = scene.rows.shape_origin[s] - scene.rows.listed_origin[s]
            if wp.dot(gone, gone) > far:
                return False
        return True

    @wp.func
    def list_pairs(scene: Scene, world: int, closeness: scalar, way: scalar):
        """List the pairs that are near now."""
        largest = scalar(0.0)
        for i in range(world * scene.shapes.count, (world + 1) * scene.shapes.count):
            scene.rows.listed_origin[i] = scene.rows.shape_origin[i]
            largest = wp.max(largest, scene.shapes.reach[i])
        slack = steps * way + share * largest
        scene.rows.slack[world] = slack
        scene.rows.listed_reach[world] = way
        first = world * scene.shapes.pair_count
        count = int(0)
        for pair in range(first, first + scene.shapes.pair_count):
            a, s = scene.shapes.pair_feature[pair], scene.shapes.pair_solid[pair]
            is_near = scene.shapes.reach[s] < scalar(0.0)
            if not is_near:
                far = (closeness + scalar(1.0)) * scene.shapes.reach[a] + scene.shapes.reach[s] + way + slack
                far += scene.shapes.margin[a] + scene.shapes.margin[s]
                apart = scene.rows.shape_origin[a] - scene.rows.shape_origin[s]
                is_near = wp.dot(apart, apart) <= far * far
            if is_near:
                scene.rows.near_pair[first + count] = pair
                count += 1
        scene.rows.near_count[world] = count
        scene.rows.is_listed[world] = int(1)

    @wp.func
    def keep_list(scene: Scene, world: int, closeness: scalar, way: scalar):
        """Have a list of all pairs that may be near in this step."""
        if scene.rows.is_listed[world] == 0 or not is_list_good(scene, world, way):
            list_pairs(scene, world, closeness, way)

    return SimpleNamespace(keep_list=keep_list)
