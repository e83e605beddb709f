# SPDX-FileCopyrightText: The inertia_tools authors
# SPDX-License-Identifier: Apache-2.0
"""Depth of contacts that are deep behind one triangle of terrain, but hardly in the ground.

The column behind a triangle along its normal is unbounded. Beyond a ridge it leaves the ground again, and a shape on
the other slope is only as deep as that slope's triangle says.
"""

from functools import lru_cache
from types import SimpleNamespace
from typing import Any

import warp as wp

from inertia_tools.sim.collide.anchors import AnchorKind
from inertia_tools.sim.kernels.collision_types import collision_types
from inertia_tools.sim.kernels.precision import Precision

BEHIND = 0.01
"""Contacts deeper behind a triangle than this, relative to its size, are checked."""

IN_GROUND = 0.5
"""A checked contact stays if the triangle above it gives at least this part of its depth."""


@lru_cache(maxsize=2)
def terrain_functions(p: Precision) -> Any:
    """Return the device functions of one precision."""
    scalar, vec3 = p.scalar, p.vec3
    types = collision_types(p)
    Colliders, Geom, Contact = wp.ref[types.Colliders], types.Geom, types.Contact
    behind, in_ground = wp.constant(scalar(BEHIND)), wp.constant(scalar(IN_GROUND))
    face_b = wp.constant(int(AnchorKind.FACE_B))

    @wp.func
    def cell(at: scalar, start: scalar, width: scalar, half: scalar) -> int:
        """Return the index of the grid cell that contains a coordinate, or the nearest one."""
        count = int(wp.round(scalar(2.0) * half / width))
        return wp.clamp(int((at - start) / width), 0, count - 1)

    @wp.func
    def triangle_at(colliders: Colliders, terrain: int, at: vec3) -> int:
        """Return the triangle above or below a point in the frame of the terrain."""
        first, half = colliders.first_triangle[terrain], colliders.half[terrain]
        start = colliders.triangle[first, 0]
        dx, dy = colliders.triangle[first, 1][0] - start[0], colliders.triangle[first, 2][1] - start[1]
        j, i = cell(at[0], start[0], dx, half[0]), cell(at[1], start[1], dy, half[1])
        triangle = first + 2 * (i * int(wp.round(scalar(2.0) * half[0] / dx)) + j)
        corner = colliders.triangle[triangle, 0]
        if (at[0] - corner[0]) * dy < (at[1] - corner[1]) * dx:
            triangle += 1
        return triangle

    @wp.func
    def with_ground_depth(colliders: Colliders, b: Geom, c: Contact) -> Contact:
        """Return a contact deep behind a triangle of terrain with the plane of the triangle above or below it.

        The plane changes only if that triangle gives less than `IN_GROUND` of the depth.
        """
        if b.terrain >= 0 and c.gap < -behind * b.reach:
            at = wp.transpose(b.r) * (c.on_a - b.x)
            triangle = triangle_at(colliders, b.terrain, at)
            corner = colliders.triangle[triangle, 0]
            across = colliders.triangle[triangle, 1] - corner
            up = wp.normalize(wp.cross(across, colliders.triangle[triangle, 2] - corner))
            gap = wp.dot(up, at - corner)
            if gap > in_ground * c.gap:
                c.kind = face_b
                c.gap = gap
                c.normal = b.r * up
                c.axis_a = c.normal
                c.axis_b = c.normal
                c.semi = vec3()
                c.on_b = c.on_a - gap * c.normal
                c.centre_a = c.on_a
                c.centre_b = c.on_b
        return c

    return SimpleNamespace(with_ground_depth=with_ground_depth)
