# SPDX-FileCopyrightText: The inertia_tools authors
# SPDX-License-Identifier: Apache-2.0
"""Rows and islands of the last step, kept while no body has moved.

A row is found where a feature is closer to a solid than the bodies may move in a step, plus a margin. While no body has
moved since, and no displacement in a step can be larger than then, no feature without a row can touch.
"""

from functools import lru_cache
from types import SimpleNamespace
from typing import Any

import warp as wp

from inertia_tools.sim.kernels.constants import KEPT_ROWS_TOLERANCE
from inertia_tools.sim.kernels.precision import Precision
from inertia_tools.sim.kernels.scene_types import scene_type


@lru_cache(maxsize=2)
def keeping_functions(p: Precision) -> Any:
    """Return the device functions of one precision."""
    Scene = wp.ref[scene_type(p)]
    scalar = p.scalar
    Shapes, Body = p.references("Shapes", "Body")
    still = wp.constant(scalar(KEPT_ROWS_TOLERANCE))

    @wp.func
    def has_stayed(scene: Scene, body: Body, b: int, most: scalar) -> bool:
        """Return whether a body has its pose of when rows were found; a pose that is not finite has changed."""
        turned = scalar(2.0) * wp.length(body.r - scene.islands.kept_r[b])
        return wp.length(body.x - scene.islands.kept_x[b]) + turned * scene.bodies.extent[b] <= most

    @wp.func
    def match_rows(scene: Scene, world: int) -> bool:
        """Return whether the lists of a world are those of the rows that were found last."""
        known = (
            scene.islands.rows_key[world] == scene.rows.key
            and scene.islands.rows_found[world] == scene.rows.found[world]
        )
        return known and scene.rows.found[world] > 0

    @wp.func
    def may_keep(scene: Scene, world: int, reach: scalar) -> bool:
        """Return whether the rows and islands of the last step are still valid for a world."""
        changed = scene.anchored.changed[world] == 1
        scene.anchored.changed[world] = int(0)
        if changed or not match_rows(scene, world):
            return False
        if scene.islands.kinematic_count[world] > 0 or not reach <= scene.islands.kept_reach[world]:
            return False
        for b in range(world * scene.bodies.count, (world + 1) * scene.bodies.count):
            if scene.body[b].moves_kinematically == 1 or not has_stayed(
                scene, scene.body[b], b, scene.islands.kept_tolerance[world]
            ):
                return False
        return True

    @wp.func
    def smallest(shapes: Shapes, world: int) -> scalar:
        """Return the radius of the smallest shape of a world [m]; that of a plane is negative."""
        least = scalar(wp.inf)
        for s in range(world * shapes.count, (world + 1) * shapes.count):
            if shapes.reach[s] >= scalar(0.0):
                least = wp.min(least, shapes.reach[s])
        return least

    @wp.func
    def store_kept(scene: Scene, world: int, reach: scalar):
        """Store the poses and the reach for which rows and islands have just been found."""
        scene.islands.kept_tolerance[world] = still * smallest(scene.shapes, world)
        scene.rows.found[world] = scene.rows.found[world] + 1
        scene.islands.rows_key[world] = scene.rows.key
        scene.islands.rows_found[world] = scene.rows.found[world]
        scene.islands.kept_reach[world] = reach
        for b in range(world * scene.bodies.count, (world + 1) * scene.bodies.count):
            scene.islands.kept_x[b] = scene.body[b].x
            scene.islands.kept_r[b] = scene.body[b].r

    @wp.func
    def discard_kept(scene: Scene, world: int):
        """Invalidate the lists of islands for later steps, as they were made without rows."""
        scene.islands.rows_key[world] = int(0)

    return SimpleNamespace(may_keep=may_keep, store_kept=store_kept, discard_kept=discard_kept)
