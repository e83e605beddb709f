# SPDX-FileCopyrightText: The inertia_tools authors
# SPDX-License-Identifier: Apache-2.0
"""Structures that the kernels of collision detection share, for one precision."""

from functools import lru_cache
from types import SimpleNamespace
from typing import Any

import warp as wp

from inertia_tools.sim.kernels.precision import Precision, precision

MAX_CONTACTS = 8
"""Contacts that a pair of colliders has at most; a larger patch keeps the deepest and those that span it."""


@lru_cache(maxsize=2)
def collision_types(p: Precision) -> Any:
    """Return the structures of one precision."""
    scalar, vec3, vec4, quat, mat33 = p.scalar, p.vec3, p.vec4, p.quat, p.mat33

    @wp.struct
    class Colliders:
        """One entry a collider, then one a vertex, a face, a corner of a face, and a triangle."""

        count: wp.int32
        kind: wp.array(dtype=wp.int32)
        size: wp.array(dtype=vec3)
        body: wp.array(dtype=wp.int32)  # -1 is the world
        point: wp.array(dtype=vec3)  # origin from the body's centre of mass, or from the world's origin
        frame: wp.array(dtype=quat)
        middle: wp.array(dtype=vec3)  # of the box around it, in its own frame
        half: wp.array(dtype=vec3)  # half edges of that box; negative for a plane
        margin: wp.array(dtype=scalar)  # distance that contacts keep
        gap: wp.array(dtype=scalar)  # distance from which contacts are foreseen
        still: wp.array(dtype=wp.int32)  # its body does not answer to forces
        group: wp.array(dtype=wp.int32)
        world: wp.array(dtype=wp.int32)  # -1 for all of them; copies of a scene are not told apart by it
        first_vertex: wp.array(dtype=wp.int32)
        vertex_count: wp.array(dtype=wp.int32)
        first_face: wp.array(dtype=wp.int32)
        face_count: wp.array(dtype=wp.int32)
        bvh: wp.array(dtype=wp.uint64)
        first_triangle: wp.array(dtype=wp.int32)
        open_below: wp.array(dtype=wp.int32)  # terrain: bodies under a triangle are pushed up, however deep
        closed: wp.array(dtype=wp.int32)  # triangles have an inside
        vertex: wp.array(dtype=vec3)
        plane: wp.array(dtype=vec4)  # unit normal n and offset d of a face, n . x = d
        first_corner: wp.array(dtype=wp.int32)
        corner_count: wp.array(dtype=wp.int32)
        corner: wp.array(dtype=wp.int32)  # vertices around each face, counter-clockwise seen from outside
        triangle: wp.array(dtype=vec3, ndim=2)  # three corners
        beyond: wp.array(dtype=vec3, ndim=2)  # normal across each edge, from corner i to i + 1; zero at a free edge
        way: wp.array(dtype=vec3)  # unit directions of the edges that leave the corners of triangles
        first_way: wp.array(dtype=wp.int32, ndim=2)  # those of each corner of a triangle
        way_count: wp.array(dtype=wp.int32, ndim=2)

    @wp.struct
    class Geom:
        """One collider at its place; a ball of `radius` rolls over its core."""

        kind: wp.int32
        size: vec3
        x: vec3
        r: mat33
        radius: scalar
        reach: scalar  # half the diagonal of the box around it, for tolerances
        first_vertex: wp.int32
        vertex_count: wp.int32
        first_face: wp.int32
        face_count: wp.int32
        t0: vec3  # corners of a single triangle, in its own frame
        t1: vec3
        t2: vec3
        terrain: wp.int32  # the collider that the triangle is of, if that is terrain, else -1

    @wp.struct
    class Touch:
        """How two geoms lie to each other: b is moved by `gap` along `normal` to touch a."""

        normal: vec3  # from b towards a
        gap: scalar  # negative when they overlap
        on_a: vec3
        on_b: vec3
        state: wp.int32  # 0 found, 1 farther than asked for, 2 cores overlap, 3 take only what lies over each other

    @wp.struct
    class Feature:
        """The part of a geom that faces a direction: a point, a segment, or a polygon.

        `offset` leads from the centre of a round feature to its surface; its semi-axes are in the geom's frame. The
        side of a cone has the offset at its rim, which shrinks along its `slant` length to zero at the `apex`.
        """

        count: wp.int32
        normal: vec3  # outward, zero unless it is a polygon
        offset: vec3
        semi: vec3
        apex: vec3
        slant: scalar  # zero unless it is the side of a cone
        id: wp.int32

    @wp.struct
    class Contact:
        """One contact, and its features fixed in the bodies, by which its gap is measured again after they have moved.

        `kind` says how; see `anchors`. Centres and axes are in the axes of the bodies, from their centres of mass.
        """

        a: wp.int32  # colliders
        b: wp.int32
        kind: wp.int32
        feature: wp.int32  # the same from step to step while the same parts touch
        normal: vec3  # from b towards a
        gap: scalar
        on_a: vec3
        on_b: vec3
        centre_a: vec3
        centre_b: vec3
        axis_a: vec3
        axis_b: vec3
        semi: vec3

    @wp.struct
    class Motions:
        """Poses of all bodies, and how they move freely in the step that follows; empty displacements without one."""

        x: wp.array(dtype=vec3)  # centres of mass
        r: wp.array(dtype=quat)
        displacement: wp.array(dtype=vec3)
        rotation: wp.array(dtype=vec3)  # rotation vectors
        inv_mass: wp.array(dtype=scalar)  # zero for bodies that answer to blows with others, or not at all
        inv_tensor: wp.array(dtype=mat33)  # in the axes of the world

    @wp.struct
    class PairMotion:
        """The same of the bodies of a pair, relative to an origin; the second one's centre is at rest."""

        xa: vec3
        ra: quat
        xb: vec3
        rb: quat
        displacement: vec3  # of the first relative to the second
        rotation_a: vec3
        rotation_b: vec3
        inv_mass_a: scalar
        inv_mass_b: scalar
        inv_tensor_a: mat33
        inv_tensor_b: mat33

    Followed = Contact  # double precision: a terrain may lie far from the world's origin
    if p.name != "float64":
        Followed = collision_types(precision("float64")).Contact

    @wp.struct
    class Anchored:
        """Contacts that a step follows from their anchors, in slots of their own, `MAX_CONTACTS` a pair."""

        count: wp.int32  # slots of a world
        first_slot: wp.int32  # index of the first one among those of its world in `Contacts`
        stride: wp.int32  # slots of a world there
        nearby: (
            wp.int32
        )  # the scene is searched in each step, and contacts lie close: those of world w end at ends[w + 1]
        ends: wp.array(dtype=wp.int32)
        used: wp.array(dtype=wp.int32)
        wanted: wp.array(dtype=wp.int32)  # one entry a pair: its contacts come from the narrow phase in this step
        held: wp.array(dtype=wp.int32)  # one entry a pair: how many of its slots are used
        changed: wp.array(dtype=wp.int32)  # one entry a world: the contacts of some pair have changed
        contact: wp.array(dtype=Followed)
        shape_a: wp.array(dtype=wp.int32)  # as the solver numbers them, one entry a slot
        shape_b: wp.array(dtype=wp.int32)
        taken: wp.array(dtype=wp.int32)  # found contact that goes into a slot, or -1
        place: wp.array(dtype=wp.int32)  # slot of a found contact; -1 for a new one

    return SimpleNamespace(
        Anchored=Anchored,
        Colliders=Colliders,
        Geom=Geom,
        Touch=Touch,
        Feature=Feature,
        Contact=Contact,
        Motions=Motions,
        PairMotion=PairMotion,
        Followed=Followed,
    )
