# SPDX-FileCopyrightText: The inertia_tools authors
# SPDX-License-Identifier: Apache-2.0
"""Contact manifold of two convex geoms whose normal is known: the overlap of their facing features.

The feature of one geom is clipped to the facing face of the other (`clipping`), each corner of the overlap becomes a
contact, and `patch` reduces their number. The contact stores the anchors from which its gap follows in later substeps.
"""

from functools import lru_cache
from types import SimpleNamespace
from typing import Any

import warp as wp

from inertia_tools.sim.collide.anchored_contact import FLUSH, PARALLEL, anchored_contact_functions
from inertia_tools.sim.collide.anchors import AnchorKind
from inertia_tools.sim.collide.clipping import MAX_CLIPPED, clipping_functions
from inertia_tools.sim.collide.features import MAX_CORNERS, feature_functions
from inertia_tools.sim.collide.patch import SAME_PLACE, patch_functions
from inertia_tools.sim.collide.terrain import terrain_functions
from inertia_tools.sim.collide.touching import NEAR, ON_EDGE, ROUNDING, touching_functions
from inertia_tools.sim.kernels.collision_types import collision_types
from inertia_tools.sim.kernels.precision import Precision

ON_LINE = {"float32": 1e-5, "float64": 1e-7}
"""Where two faces are flush, a corner of one counts as inside a side of the other if it is outside by no more than
this, relative to the length of that side. Otherwise rounding decides whether and where the sides cross: a wall of
bricks at rest had up to 200 contacts more in one step than in the next, and took 12 to 30 Newton steps a substep."""

STEEP = 0.2
"""A face is clipped against only if the cosine between its normal and the contact normal exceeds this."""

APART = 1e-3
"""Edges farther apart than this, relative to the size of the smaller shape, may pass each other in a step."""

ON_BORDER = (1e-6, 1e-4)
"""A shape passes by a face if its projection along the face normal overlaps the face by less than the gap; the gap is
clamped to these bounds, relative to the size of the smaller shape. So a shape that slides over two boxes of equal
height meets the side of the second box at most at an edge."""

WITNESS = 99_999
"""Feature number of the deepest point if it is not a corner of the patch."""


@lru_cache(maxsize=2)
def manifold_functions(p: Precision) -> Any:
    """Return the device functions of one precision."""
    scalar, vec3 = p.scalar, p.vec3
    types = collision_types(p)
    Colliders, Contact = wp.ref[types.Colliders], types.Contact
    Geom, Touch, Feature = types.Geom, types.Touch, types.Feature
    functions, clipping = touching_functions(p), clipping_functions(p)
    facing, edge_at, support = functions.facing, functions.edge_at, functions.support
    anchored, features = anchored_contact_functions(p), feature_functions(p)
    face_contact, witness_contact, contact_at = anchored.face_contact, anchored.witness_contact, anchored.contact_at
    with_rotating_normal = anchored.with_rotating_normal
    with_exact_witness, without_rim = features.with_exact_witness, features.without_rim
    nearest_point_of_lines = features.nearest_point_of_lines
    perpendicular, flatten, clip = clipping.perpendicular, clipping.flatten, clipping.clip
    area, height = clipping.area, clipping.height
    add_contact, with_ground_depth = patch_functions(p).add_contact, terrain_functions(p).with_ground_depth
    face_b, lines = (wp.constant(int(kind)) for kind in (AnchorKind.FACE_B, AnchorKind.LINES))
    zero = wp.constant(scalar(0.0))
    flush, steep, parallel = (wp.constant(scalar(value)) for value in (FLUSH, STEEP, PARALLEL))
    apart = wp.constant(scalar(APART))
    on_line, near_gap = wp.constant(scalar(ON_LINE[p.name])), wp.constant(scalar(NEAR[p.name]))
    on_border = wp.constant(wp.types.vector(2, scalar)(*ON_BORDER))
    rounding, on_edge, same_place = (wp.constant(scalar(v)) for v in (ROUNDING[p.name], ON_EDGE, SAME_PLACE))

    @wp.func
    def rolling_feature(f: Feature, own: scalar, other: scalar) -> Feature:
        """Return a feature, without the rim if it is a cap that does not lean on a face, where it would roll.

        `own` and `other` are the cosines of the angles between the contact normal and the normals of both features.
        """
        if other > flush and own < flush:
            return f
        return without_rim(f)

    @wp.func
    def is_outside_face(
        colliders: Colliders,
        g: Geom,
        window: wp.array(dtype=vec3),
        sides: int,
        u: vec3,
        v: vec3,
        up: vec3,
        shared: scalar,
    ) -> bool:
        """Return whether a geom is entirely outside one side of a face, except for an overlap of `shared` [m]."""
        n, sense = wp.cross(u, v), wp.sign(area(window, sides))
        for s in range(sides):
            corner = window[s][0] * u + window[s][1] * v + window[s][2] * n
            side = window[(s + 1) % sides] - window[s]
            inward = sense * wp.cross(up, side[0] * u + side[1] * v + side[2] * n)
            length = wp.length(inward)
            if length > zero:
                inward = inward / length
                if wp.dot(inward, support(colliders, g, inward) - corner) + g.radius < shared:
                    return True
        return False

    @wp.func(inline=False)
    def add_clipped(
        contacts: wp.array(dtype=Contact),
        first: int,
        count: int,
        like: Contact,
        a: Geom,
        fa: Feature,
        points_a: wp.array(dtype=vec3),
        b: Geom,
        fb: Feature,
        points_b: wp.array(dtype=vec3),
        limit: scalar,
        colliders: Colliders,
    ):
        """Add a contact for each corner of the overlap of two features, at least one of which is a polygon.

        Return the number of contacts, whether the other geom passes by the polygon, so that none was added, and the
        least gap of the corners.
        """
        n, small = like.normal, wp.min(a.reach, b.reach)
        u = perpendicular(n)
        v = wp.cross(n, u)
        subject = wp.zeros(shape=(MAX_CLIPPED,), dtype=vec3)
        window = wp.zeros(shape=(MAX_CLIPPED,), dtype=vec3)
        other = wp.zeros(shape=(MAX_CLIPPED,), dtype=vec3)
        ids = wp.zeros(shape=(MAX_CLIPPED,), dtype=wp.int32)
        other_ids = wp.zeros(shape=(MAX_CLIPPED,), dtype=wp.int32)
        for i in range(MAX_CLIPPED):
            ids[i] = i
        facing_a, facing_b = -wp.dot(fa.normal, n), wp.dot(fb.normal, n)
        if wp.max(facing_a, facing_b) <= steep:
            return count, False, limit
        on_b = facing_b >= facing_a
        corners, face = wp.where(on_b, fa.count, fb.count), wp.where(on_b, fb, fa)
        if on_b:
            flatten(points_a, fa.count, u, v, n, subject)
            flatten(points_b, fb.count, u, v, n, window)
        else:
            flatten(points_b, fb.count, u, v, n, subject)
            flatten(points_a, fa.count, u, v, n, window)
        least, most = on_border[0] * small, on_border[1] * small
        if wp.max(facing_a, facing_b) > flush and like.gap > -least:
            up = wp.where(on_b, fb.normal, -fa.normal)
            shared = wp.clamp(like.gap, least, most)
            if is_outside_face(colliders, wp.where(on_b, a, b), window, face.count, u, v, up, shared):
                return count, True, limit
        if corners == 1:  # the deepest point suffices
            return count, False, limit
        near = scalar(0.0)
        if wp.dot(fa.normal, fb.normal) < -flush:
            near = on_line
        deepest = limit
        corner_count = clip(subject, ids, corners, window, face.count, other, other_ids, near)
        for i in range(corner_count):
            q = subject[i]
            top = height(face, n, u, v, window[0], q)
            gap = wp.where(on_b, q[2] - top, top - q[2])
            if gap <= limit:
                on_a = q[0] * u + q[1] * v + wp.where(on_b, q[2], top) * n
                feature = like.feature + 2 * (ids[i] + 16384 * (face.id % 128)) + int(on_b)
                c = with_ground_depth(colliders, b, contact_at(like, fa, fb, on_a, gap, feature))
                if c.gap <= limit:
                    count = add_contact(contacts, first, count, c, same_place * small)
                    deepest = wp.min(deepest, c.gap)
        return count, False, deepest

    @wp.func
    def add_parallel_segments(
        contacts: wp.array(dtype=Contact),
        first: int,
        count: int,
        like: Contact,
        fa: Feature,
        points_a: wp.array(dtype=vec3),
        fb: Feature,
        points_b: wp.array(dtype=vec3),
        limit: scalar,
        small: scalar,
        tag: int,
    ):
        """Add contacts at both ends of the overlap of two nearly parallel segments.

        Return the number of contacts, and the least gap of the ends.
        """
        deepest = limit
        n = like.normal
        along = points_a[1] - points_a[0]
        along = wp.normalize(along - wp.dot(along, n) * n)
        other = points_b[1] - points_b[0]
        if wp.length(wp.cross(along, wp.normalize(other))) > parallel:
            return count, deepest
        v = wp.cross(n, along)
        ends = vec3()
        a0 = wp.dot(points_a[0], along)
        a1 = wp.dot(points_a[1], along)
        b0 = wp.dot(points_b[0], along)
        b1 = wp.dot(points_b[1], along)
        ends[0] = wp.max(a0, wp.min(b0, b1))
        ends[1] = wp.min(a1, wp.max(b0, b1))
        if ends[1] < ends[0]:
            return count, deepest
        for i in range(2):
            t = (ends[i] - a0) / (a1 - a0)
            on_a = points_a[0] + t * (points_a[1] - points_a[0])
            s = (ends[i] - b0) / (b1 - b0)
            on_b = points_b[0] + s * other
            gap = wp.dot(n, on_a - on_b)
            if gap <= limit and wp.abs(wp.dot(v, on_a - on_b)) < parallel * small:
                count = add_contact(
                    contacts, first, count, contact_at(like, fa, fb, on_a, gap, tag + 1 + i), same_place * small
                )
                deepest = wp.min(deepest, gap)
        return count, deepest

    @wp.func(inline=False)
    def manifold(
        colliders: Colliders,
        a: Geom,
        b: Geom,
        touch: Touch,
        contacts: wp.array(dtype=Contact),
        first: int,
        count: int,
        limit: scalar,
        tag: int,
    ) -> int:
        """Add the contacts of two convex geoms to those of their pair, and return the number of contacts.

        `tag` is added to the feature numbers. The arguments `first` and `count` give the block of the pair; only
        contacts with a gap of at most `limit` [m] are added.
        """
        points_a = wp.zeros(shape=(MAX_CORNERS,), dtype=vec3)
        points_b = wp.zeros(shape=(MAX_CORNERS,), dtype=vec3)
        n = touch.normal
        fa = facing(colliders, a, -n, points_a)
        fb = facing(colliders, b, n, points_b)
        small = wp.min(a.reach, b.reach)
        if touch.gap < near_gap * (a.reach + b.reach):  # at larger gaps GJK is more accurate in points than in normals
            touch = with_exact_witness(touch, fa, points_a, fb, points_b)
        near = on_edge * small
        along_a = edge_at(fa, points_a, touch.on_a, near)
        along_b = edge_at(fb, points_b, touch.on_b, near)
        facing_a, facing_b = -wp.dot(fa.normal, n), wp.dot(fb.normal, n)
        is_flush = wp.max(facing_a, facing_b) > flush
        fa = rolling_feature(fa, facing_a, facing_b)
        fb = rolling_feature(fb, facing_b, facing_a)
        deep_contact = witness_contact(a, fa, b, fb, n, touch.gap, along_a, along_b)
        if deep_contact.kind == lines and fa.count == 2 and fb.count == 2:
            touch.on_a = nearest_point_of_lines(points_a[0], along_a, points_b[0], along_b)
        polygon_a, polygon_b = without_rim(fa), without_rim(fb)
        like = face_contact(polygon_a, polygon_b, n, touch.gap, along_a, along_b)
        like.feature = tag
        like.gap = touch.gap
        before, passes_by, deepest = count, bool(False), limit
        both_extend, some_face = fa.count > 1 and fb.count > 1, fa.count > 2 or fb.count > 2
        if some_face and deep_contact.kind != lines and (both_extend or a.radius + b.radius == zero):
            count, passes_by, deepest = add_clipped(
                contacts, first, count, like, a, polygon_a, points_a, b, polygon_b, points_b, limit, colliders
            )
        elif both_extend and deep_contact.kind != lines:
            count, deepest = add_parallel_segments(
                contacts, first, count, like, fa, points_a, fb, points_b, limit, small, tag
            )
        may_pass = tag == 0 and not is_flush and touch.gap > apart * small
        for i in range(before, count):
            if may_pass:
                contacts[first + i] = with_rotating_normal(contacts[first + i], a, fa, b, fb, along_a, along_b)
        tolerance = scalar(10.0) * rounding * (a.reach + b.reach)
        is_known = deepest < limit and deepest <= touch.gap + tolerance
        is_neighbours_contact = touch.state == 3 or (passes_by and (count > 0 or tag > 0))
        touches_border = passes_by and touch.gap < on_border[0] * small
        if not (is_known or is_neighbours_contact or touches_border):
            witness = contact_at(deep_contact, fa, fb, touch.on_a, touch.gap, tag + WITNESS)
            if passes_by or may_pass:
                witness = with_rotating_normal(witness, a, fa, b, fb, along_a, along_b)
            witness = with_ground_depth(colliders, b, witness)
            if witness.gap <= limit:
                count = add_contact(contacts, first, count, witness, same_place * small)
        return count

    @wp.func
    def on_plane(
        colliders: Colliders,
        a: Geom,
        b: Geom,
        contacts: wp.array(dtype=Contact),
        first: int,
        limit: scalar,
    ) -> int:
        """Write the contacts of a convex geom with a plane, and return the number of contacts."""
        points = wp.zeros(shape=(MAX_CORNERS,), dtype=vec3)
        n = b.r * vec3(zero, zero, scalar(1.0))
        fa = facing(colliders, a, -n, points)
        fb = Feature()
        like = Contact()
        like.normal = n
        like.axis_a = n
        like.axis_b = n
        like.kind = face_b
        polygon = without_rim(fa)
        like.semi = polygon.semi
        count = int(0)
        deepest = limit
        for i in range(fa.count):
            gap = wp.dot(n, points[i] - b.x)
            if gap <= limit:
                count = add_contact(
                    contacts, first, count, contact_at(like, polygon, fb, points[i], gap, i + 1), same_place * a.reach
                )
                deepest = wp.min(deepest, gap)
        lowest = support(colliders, a, -n) - a.radius * n
        gap = wp.dot(n, lowest - b.x)
        if gap <= limit and gap < deepest - scalar(10.0) * rounding * a.reach:
            rolling = rolling_feature(fa, -wp.dot(fa.normal, n), scalar(1.0))
            like.semi = rolling.semi
            count = add_contact(
                contacts, first, count, contact_at(like, rolling, fb, lowest, gap, WITNESS), same_place * a.reach
            )
        return count

    @wp.func(inline=False)
    def along_plane(
        colliders: Colliders,
        a: Geom,
        b: Geom,
        n: vec3,
        contacts: wp.array(dtype=Contact),
        first: int,
        count: int,
        least: scalar,
        limit: scalar,
        tag: int,
    ) -> int:
        """Add contacts of a round side with the plane of a triangle beside which it lies, at the ends of the overlap.

        Only contacts with a gap between `least` and `limit` [m] are added. Return the number of contacts.
        """
        points = wp.zeros(shape=(MAX_CORNERS,), dtype=vec3)
        fa = facing(colliders, a, -n, points)
        if fa.count != 2:
            return count
        like = face_contact(fa, Feature(), n, zero, points[1] - points[0], vec3())
        foot, edge = points[0], points[1] - points[0]
        length2 = wp.dot(edge, edge)
        t0 = wp.dot(b.x + b.r * b.t0 - foot, edge) / length2
        t1 = wp.dot(b.x + b.r * b.t1 - foot, edge) / length2
        t2 = wp.dot(b.x + b.r * b.t2 - foot, edge) / length2
        begin = wp.max(wp.min(t0, wp.min(t1, t2)), zero)
        end = wp.min(wp.max(t0, wp.max(t1, t2)), scalar(1.0))
        for i in range(2):
            at = foot + wp.where(i == 0, begin, end) * edge
            gap = wp.dot(n, at - b.x - b.r * b.t0)
            if begin < end and gap >= least and gap <= limit:
                end_of_side = contact_at(like, fa, Feature(), at, gap, tag + i + 1)
                count = add_contact(contacts, first, count, end_of_side, same_place * a.reach)
        return count

    return SimpleNamespace(manifold=manifold, on_plane=on_plane, along_plane=along_plane)
