# SPDX-FileCopyrightText: The inertia_tools authors
# SPDX-License-Identifier: Apache-2.0
"""Lists of near pairs that stay valid over several steps (Verlet 1967).

A list holds all pairs whose bounding spheres are closer than the distance that a step needs plus a slack. It is valid
while no shape has moved by more than half of the slack, less what the current step needs in addition. Until then no
other pair can be close enough, so the rows are the same, in the same order, as if all pairs were tested. Planes are
near every shape.
"""

from functools import lru_cache
from types import SimpleNamespace
from typing import Any

import warp as wp

from inertia_tools.sim.kernels.precision import Precision
from inertia_tools.sim.kernels.scene_types import scene_type

STEPS = 8.0
"""A list is meant to last for this many steps of the fastest body."""

SHARE = 0.05
"""A list lasts at least until a shape has moved by this, relative to the radius of the largest shape."""


@lru_cache(maxsize=2)
def near_functions(p: Precision) -> Any:
    """Return the device functions of one precision."""
    Scene = wp.ref[scene_type(p)]
    scalar = p.scalar
    steps, share = wp.constant(scalar(STEPS)), wp.constant(scalar(SHARE))

    @wp.func
    def is_list_valid(scene: Scene, world: int, way: scalar) -> bool:
        """Return whether the list of a world still holds all pairs that may be near in this step."""
        slack_left = scene.rows.slack[world] - (way - scene.rows.listed_reach[world])
        if slack_left < scalar(0.0):
            return False
        far = scalar(0.25) * slack_left * slack_left
        for s in range(world * scene.shapes.count, (world + 1) * scene.shapes.count):
            displacement = scene.rows.shape_origin[s] - scene.rows.listed_origin[s]
            if wp.dot(displacement, displacement) > far:
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
        """Rebuild the list of near pairs of a world if it may be incomplete."""
        if scene.rows.is_listed[world] == 0 or not is_list_valid(scene, world, way):
            list_pairs(scene, world, closeness, way)

    return SimpleNamespace(keep_list=keep_list)
