# SPDX-FileCopyrightText: The inertia_tools authors
# SPDX-License-Identifier: Apache-2.0
"""Where shapes and their features are in the world, and how far from each other."""

from functools import lru_cache
from types import SimpleNamespace
from typing import Any

import warp as wp

from inertia_tools.sim.precision import Precision
from inertia_tools.sim.xpbd.solids import solid_functions


@lru_cache(maxsize=2)
def placement_functions(p: Precision) -> Any:
    """Return the device functions of one precision."""
    scalar, vec3, vec4, quat = p.scalar, p.vec3, p.vec4, p.quat
    Shapes, Work = p.Shapes, p.Work
    distance = solid_functions(p).distance

    @wp.func
    def origin(shapes: Shapes, work: Work, s: int) -> vec3:
        """Return where a shape's frame is in the world."""
        b = shapes.body[s]
        if b < 0:
            return shapes.point[s]
        return work.x[b] + wp.quat_rotate(work.r[b], shapes.point[s])

    @wp.func
    def axes(shapes: Shapes, work: Work, s: int) -> quat:
        b = shapes.body[s]
        if b < 0:
            return shapes.frame[s]
        return work.r[b] * shapes.frame[s]

    @wp.func
    def world_distance(shapes: Shapes, work: Work, s: int, point: vec3) -> vec4:
        """Return outward normal in the world and signed distance of a point to a shape."""
        frame = axes(shapes, work, s)
        found = distance(shapes, s, wp.quat_rotate_inv(frame, point - origin(shapes, work, s)))
        n = wp.quat_rotate(frame, vec3(found[0], found[1], found[2]))
        return vec4(n[0], n[1], n[2], found[3])

    @wp.func
    def deepest_on_rim(shapes: Shapes, work: Work, s: int, centre: vec3, solid: int) -> vec3:
        """Return the point of a cap's rim that is deepest in a solid; the centre when the cap lies flat on it."""
        found = world_distance(shapes, work, solid, centre)
        n = vec3(found[0], found[1], found[2])
        axis = wp.quat_rotate(axes(shapes, work, s), vec3(scalar(0.0), scalar(0.0), scalar(1.0)))
        down = wp.dot(n, axis) * axis - n
        steep = wp.length(down)
        if steep < scalar(1.0e-6):
            return centre
        return centre + (shapes.size[s][2] / steep) * down

    @wp.func
    def clearance(shapes: Shapes, work: Work, pair: int) -> scalar:
        """Return how far the balls around two shapes are apart; less than zero when they overlap."""
        a = shapes.pair_feature[pair]
        s = shapes.pair_solid[pair]
        centre = origin(shapes, work, a)
        if shapes.reach[s] < scalar(0.0):
            found = world_distance(shapes, work, s, centre)
            return found[3] - shapes.reach[a]
        return wp.length(centre - origin(shapes, work, s)) - shapes.reach[a] - shapes.reach[s]

    @wp.func
    def spot(shapes: Shapes, work: Work, pair: int, i: int) -> vec3:
        """Return where a feature of a pair is deepest in the pair's solid, the feature's radius left out."""
        a = shapes.pair_feature[pair]
        feature = shapes.first_feature[a] + i
        at = origin(shapes, work, a) + wp.quat_rotate(axes(shapes, work, a), shapes.feature[feature])
        if shapes.is_rim[feature] == 1:
            at = deepest_on_rim(shapes, work, a, at, shapes.pair_solid[pair])
        return at

    return SimpleNamespace(origin=origin, world_distance=world_distance, clearance=clearance, spot=spot)
