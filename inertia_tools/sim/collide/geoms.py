# SPDX-FileCopyrightText: The inertia_tools authors
# SPDX-License-Identifier: Apache-2.0
"""Geoms: colliders at the poses of their bodies."""

from functools import lru_cache
from types import SimpleNamespace
from typing import Any

import warp as wp

from inertia_tools.sim.collide.collider_kind import ColliderKind
from inertia_tools.sim.kernels.collision_types import collision_types
from inertia_tools.sim.kernels.precision import Precision


@lru_cache(maxsize=2)
def geom_functions(p: Precision) -> Any:
    """Return the device functions of one precision; a body's pose is its centre of mass and its orientation."""
    scalar, vec3, quat = p.scalar, p.vec3, p.quat
    types = collision_types(p)
    Colliders, Geom = wp.ref[types.Colliders], types.Geom
    capsule = wp.constant(int(ColliderKind.CAPSULE))

    @wp.func
    def body_point(x: wp.array(dtype=vec3), body: int) -> vec3:
        """Return the centre of mass of a body in the world; for the world itself, its origin."""
        if body < 0:
            return vec3()
        return x[body]

    @wp.func
    def body_axes(r: wp.array(dtype=quat), body: int) -> quat:
        """Return the orientation of a body."""
        if body < 0:
            return quat(scalar(0.0), scalar(0.0), scalar(0.0), scalar(1.0))
        return r[body]

    @wp.func
    def geom_at(colliders: Colliders, c: int, at: vec3, turn: quat) -> Geom:
        """Return a collider for a pose of its body, in the axes and relative to the origin in which that is given."""
        g = Geom()
        g.kind = colliders.kind[c]
        g.size = colliders.size[c]
        g.x = at + wp.quat_rotate(turn, colliders.point[c])
        g.r = wp.quat_to_matrix(turn * colliders.frame[c])
        if g.kind <= capsule:
            g.radius = g.size[0]
        g.reach = wp.length(colliders.half[c])
        g.first_vertex = colliders.first_vertex[c]
        g.vertex_count = colliders.vertex_count[c]
        g.first_face = colliders.first_face[c]
        g.face_count = colliders.face_count[c]
        g.terrain = int(-1)
        return g

    @wp.func
    def geom_of(colliders: Colliders, x: wp.array(dtype=vec3), r: wp.array(dtype=quat), c: int) -> Geom:
        """Return a collider at its pose in the world."""
        body = colliders.body[c]
        return geom_at(colliders, c, body_point(x, body), body_axes(r, body))

    return SimpleNamespace(geom_at=geom_at, geom_of=geom_of, body_point=body_point, body_axes=body_axes)
