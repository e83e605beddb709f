# SPDX-FileCopyrightText: The inertia_tools authors
# SPDX-License-Identifier: Apache-2.0
"""The overlap of two facing features, projected along the contact normal (Sutherland and Hodgman 1974)."""

from functools import lru_cache
from types import SimpleNamespace
from typing import Any

import warp as wp

from inertia_tools.sim.collide.epa import epa_functions
from inertia_tools.sim.collide.features import MAX_CORNERS
from inertia_tools.sim.kernels.collision_types import collision_types
from inertia_tools.sim.kernels.precision import Precision

MAX_CLIPPED = 2 * MAX_CORNERS
"""Maximum number of corners of the intersection of two polygons."""


@lru_cache(maxsize=2)
def clipping_functions(p: Precision) -> Any:
    """Return the clipping device functions of one precision."""
    scalar, vec3 = p.scalar, p.vec3
    Feature = collision_types(p).Feature
    perpendicular = epa_functions(p).perpendicular
    zero, one = wp.constant(scalar(0.0)), wp.constant(scalar(1.0))

    @wp.func
    def flatten(points: wp.array(dtype=vec3), count: int, u: vec3, v: vec3, n: vec3, flat: wp.array(dtype=vec3)):
        """Write points in the axes (u, v, n) of the contact."""
        for i in range(count):
            flat[i] = vec3(wp.dot(points[i], u), wp.dot(points[i], v), wp.dot(points[i], n))

    @wp.func
    def area(flat: wp.array(dtype=vec3), count: int) -> scalar:
        """Return twice the signed area of a polygon [m^2]."""
        total = zero
        for i in range(count):
            a = flat[i] - flat[0]
            b = flat[(i + 1) % count] - flat[0]
            total = total + a[0] * b[1] - a[1] * b[0]
        return total

    @wp.func
    def clip(
        subject: wp.array(dtype=vec3),
        ids: wp.array(dtype=wp.int32),
        count: int,
        window: wp.array(dtype=vec3),
        sides: int,
        other: wp.array(dtype=vec3),
        other_ids: wp.array(dtype=wp.int32),
        on_line: scalar,
    ) -> int:
        """Clip a polygon or a segment to a convex window and return the number of corners left.

        A segment is a polygon of two corners. New corners take their height along n from the subject. A corner that
        stays keeps its id; the id of a new one encodes the side of the window and the corner of the subject. A corner
        outside a side by no more than `on_line`, relative to the length of that side, stays.
        """
        sense = one
        if area(window, sides) < zero:
            sense = -one
        remaining = count
        for s in range(sides):
            a = window[s]
            b = window[(s + 1) % sides]
            inward = sense * vec3(a[1] - b[1], b[0] - a[0], zero)
            outside = -on_line * wp.dot(inward, inward)
            kept = int(0)
            for i in range(remaining):
                j = (i + 1) % remaining
                from_i = wp.dot(inward, subject[i] - a)
                from_j = wp.dot(inward, subject[j] - a)
                if from_i >= outside and kept < MAX_CLIPPED:
                    other[kept] = subject[i]
                    other_ids[kept] = ids[i]
                    kept += 1
                if (from_i >= outside) != (from_j >= outside) and kept < MAX_CLIPPED:
                    t = wp.clamp(from_i / (from_i - from_j), zero, one)
                    other[kept] = subject[i] + t * (subject[j] - subject[i])
                    other_ids[kept] = 16 + 32 * s + 512 * (ids[i] % 16)
                    if from_i < outside:
                        other_ids[kept] = 32 + 32 * s + 512 * (ids[j] % 16)
                    kept += 1
            remaining = kept
            for i in range(remaining):
                subject[i] = other[i]
                ids[i] = other_ids[i]
        return remaining

    @wp.func
    def height(plane: Feature, n: vec3, u: vec3, v: vec3, through: vec3, at: vec3) -> scalar:
        """Return the height along n of a feature's plane at a point; `through` is one of its flattened corners."""
        steep = wp.dot(plane.normal, n)
        slope_u = wp.dot(plane.normal, u)
        slope_v = wp.dot(plane.normal, v)
        return through[2] - (slope_u * (at[0] - through[0]) + slope_v * (at[1] - through[1])) / steep

    return SimpleNamespace(perpendicular=perpendicular, flatten=flatten, area=area, clip=clip, height=height)
