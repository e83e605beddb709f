# SPDX-FileCopyrightText: The inertia_tools authors
# SPDX-License-Identifier: Apache-2.0
"""Penetration depth of two convex cores that overlap or nearly touch: the expanding polytope algorithm (EPA).

A polytope grows inside the Minkowski difference of a and b; the point of its surface nearest to the origin gives depth
and normal. This follows van den Bergen (2001) with one change. The polytope starts from an interior point of the
difference instead of the origin, and the face whose plane has the least signed offset from the origin grows first. So
the origin may lie inside, on the surface or a little outside, and shapes that just touch are no special case.
"""

from functools import lru_cache
from types import SimpleNamespace
from typing import Any

import warp as wp

from inertia_tools.sim.collide.gjk import gjk_functions
from inertia_tools.sim.collide.support import support_functions
from inertia_tools.sim.kernels.collision_types import collision_types
from inertia_tools.sim.kernels.precision import Precision

VERTICES = 64
"""Maximum number of vertices of the polytope; only shapes with curved sides reach it, see docs/collision.md."""

LOCAL_SEARCH_FROM = 40
"""With this many vertices the search has sampled all directions; from then on it grows only the faces around the best
one."""

FACES = 2 * VERTICES
HORIZON = VERTICES

PATTERN_ITERATIONS = 200
"""Maximum number of iterations of the pattern search about the best normal, which runs when the vertices are used up.
Each iteration rotates the normal or halves the step."""

FIRST_STEP = 0.05
"""First step of the pattern search [rad]: about the angle between neighbouring faces of a full polytope."""

FACE_ITERATIONS = 60
"""Before the pattern search, each face that may hide a shorter way out is refined in at most this many iterations."""

FACE_CORNERS = 3 * FACES
HORIZON_ENDS = 2 * HORIZON

ACCURACY = {"float32": 2e-6, "float64": 1e-10}
"""EPA stops when the depth is known to this, relative to the size of the shapes; faces smaller than that consist of
rounding error."""

FLAT = {"float32": 1e-6, "float64": 1e-12}
"""A Minkowski difference thinner than this, relative to the size of the shapes, has no interior."""


@lru_cache(maxsize=2)
def epa_functions(p: Precision) -> Any:
    """Return the EPA device functions of one precision."""
    scalar, vec3 = p.scalar, p.vec3
    types = collision_types(p)
    Colliders, Geom, Touch = wp.ref[types.Colliders], types.Geom, types.Touch
    support = support_functions(p).support
    triangle_weights = gjk_functions(p).triangle_weights
    zero, one = wp.constant(scalar(0.0)), wp.constant(scalar(1.0))
    accuracy, flat = wp.constant(scalar(ACCURACY[p.name])), wp.constant(scalar(FLAT[p.name]))
    huge = wp.constant(scalar(1.0e30))

    @wp.func
    def perpendicular(n: vec3) -> vec3:
        """Return a unit vector perpendicular to another vector."""
        other = vec3(one, zero, zero)
        if wp.abs(n[0]) > scalar(0.6) * wp.length(n):
            other = vec3(zero, one, zero)
        return wp.normalize(wp.cross(n, other))

    @wp.func
    def store_support(
        colliders: Colliders,
        a: Geom,
        b: Geom,
        d: vec3,
        w: wp.array(dtype=vec3),
        on_a: wp.array(dtype=vec3),
        i: int,
    ):
        """Store the support point of the Minkowski difference along d as vertex i, and its point on a."""
        point = support(colliders, a, d)
        on_a[i] = point
        w[i] = point - support(colliders, b, -d)

    @wp.func
    def store_farther_support(
        colliders: Colliders,
        a: Geom,
        b: Geom,
        d: vec3,
        w: wp.array(dtype=vec3),
        on_a: wp.array(dtype=vec3),
        i: int,
    ) -> scalar:
        """Store the farther of the support points along d and -d as vertex i; return its offset from w[0] [m]."""
        store_support(colliders, a, b, d, w, on_a, i)
        ahead = wp.dot(w[i] - w[0], d)
        far_point = w[i]
        far_point_a = on_a[i]
        store_support(colliders, a, b, -d, w, on_a, i)
        behind = wp.dot(w[0] - w[i], d)
        if ahead >= behind:
            w[i] = far_point
            on_a[i] = far_point_a
            return ahead
        return -behind

    @wp.func(inline=False)
    def flatness(
        colliders: Colliders, a: Geom, b: Geom, w: wp.array(dtype=vec3), on_a: wp.array(dtype=vec3), thin: scalar
    ) -> vec3:
        """Set the first four vertices; return zero, or a unit direction in which the difference has no extent."""
        d = vec3(one, zero, zero)
        for axis in range(3):
            d = vec3()
            d[axis] = one
            store_support(colliders, a, b, -d, w, on_a, 0)
            store_support(colliders, a, b, d, w, on_a, 1)
            if wp.dot(w[1] - w[0], d) <= thin:
                return d
        line = wp.normalize(w[1] - w[0])
        side = perpendicular(line)
        far = store_farther_support(colliders, a, b, side, w, on_a, 2)
        if wp.abs(far) <= thin:
            side = wp.cross(line, side)
            far = store_farther_support(colliders, a, b, side, w, on_a, 2)
            if wp.abs(far) <= thin:
                return side
        n = wp.normalize(wp.cross(w[1] - w[0], w[2] - w[0]))
        far = store_farther_support(colliders, a, b, n, w, on_a, 3)
        if wp.abs(far) <= thin:
            return n
        return vec3()

    @wp.func
    def store_face(
        w: wp.array(dtype=vec3),
        corner: wp.array(dtype=wp.int32),
        normal: wp.array(dtype=vec3),
        offset: wp.array(dtype=scalar),
        face: int,
        i: int,
        j: int,
        k: int,
    ):
        """Store a face of three vertices, counter-clockwise seen from outside, with its normal and offset.

        A face without area gets a huge offset, so it never grows.
        """
        corner[3 * face] = i
        corner[3 * face + 1] = j
        corner[3 * face + 2] = k
        n = wp.cross(w[j] - w[i], w[k] - w[i])
        size = wp.length(n)
        normal[face] = vec3()
        offset[face] = huge
        if size > zero:
            n = n / size
            normal[face] = n
            offset[face] = wp.dot(n, w[i] + w[j] + w[k]) / scalar(3.0)

    @wp.func
    def add_horizon_edge(edge: wp.array(dtype=wp.int32), count: int, i: int, j: int) -> int:
        """Add an edge to the horizon, or remove it if its reverse is there; return the number of edges.

        An edge shared by two removed faces appears in both directions and is not part of the horizon.
        """
        for e in range(count):
            if edge[2 * e] == j and edge[2 * e + 1] == i:
                edge[2 * e] = edge[2 * count - 2]
                edge[2 * e + 1] = edge[2 * count - 1]
                return count - 1
        if count < HORIZON:
            edge[2 * count] = i
            edge[2 * count + 1] = j
            return count + 1
        return count

    @wp.func
    def corners_of(corner: wp.array(dtype=wp.int32), face: int) -> wp.vec3i:
        """Return the vertex indices of a face."""
        return wp.vec3i(corner[3 * face], corner[3 * face + 1], corner[3 * face + 2])

    @wp.func
    def face_of_least_offset(offset: wp.array(dtype=scalar), count: int) -> int:
        """Return the face whose plane has the least offset from the origin."""
        best = int(0)
        for face in range(1, count):
            if offset[face] < offset[best]:
                best = face
        return best

    @wp.func
    def least_offset_around(
        offset: wp.array(dtype=scalar), corner: wp.array(dtype=wp.int32), count: int, three: wp.vec3i, new: int
    ) -> int:
        """Return the face of least offset among the neighbours of a face; -1 if there is none.

        Neighbours have at least two vertices out of `three` and `new`.
        """
        best = int(-1)
        for face in range(count):
            shared = int(0)
            for side in range(3):
                v = corner[3 * face + side]
                if v == three[0] or v == three[1] or v == three[2] or v == new:
                    shared += 1
            if shared > 1:
                if best < 0:
                    best = face
                elif offset[face] < offset[best]:
                    best = face
        return best

    @wp.func
    def difference_support(colliders: Colliders, a: Geom, b: Geom, n: vec3) -> vec3:
        """Return the support point of the Minkowski difference along n."""
        return support(colliders, a, n) - support(colliders, b, -n)

    @wp.func(inline=False)
    def direction_by_pattern_search(colliders: Colliders, a: Geom, b: Geom, n: vec3, within: scalar) -> vec3:
        """Return the direction near n along which the difference reaches least far.

        A pattern search finds it to a step of `within` [rad].
        """
        step = scalar(FIRST_STEP)
        far = difference_support(colliders, a, b, n)
        most = wp.dot(far, n)
        for _iteration in range(PATTERN_ITERATIONS):
            slope = far - wp.dot(far, n) * n
            t = perpendicular(n)
            if wp.length(slope) > zero:
                t = wp.normalize(slope)
            u = wp.cross(n, t)
            improved = int(0)
            for side in range(4):
                tangent = -t
                if side == 1:
                    tangent = u
                if side == 2:
                    tangent = -u
                if side == 3:
                    tangent = t
                if improved == 0:
                    turned = wp.normalize(n + step * tangent)
                    far_point = difference_support(colliders, a, b, turned)
                    if wp.dot(far_point, turned) < most:
                        improved = int(1)
                        most = wp.dot(far_point, turned)
                        far = far_point
                        n = turned
            if improved == 0:
                step = scalar(0.5) * step
                if step < within:
                    break
        return n

    @wp.func
    def squared_distance(a: vec3, b: vec3, c: vec3) -> scalar:
        """Return the squared distance of a triangle from the origin [m^2]."""
        t = triangle_weights(a, b, c)
        nearest = t[0] * a + t[1] * b + t[2] * c
        return wp.dot(nearest, nearest)

    @wp.func(inline=False)
    def direction_through_face(
        colliders: Colliders, a: Geom, b: Geom, p0: vec3, p1: vec3, p2: vec3, n: vec3, within: scalar
    ) -> vec3:
        """Return an improved direction of exit through a triangle of points of the difference, starting from n.

        Each iteration takes the support point across the triangle and replaces the corner for which the new triangle is
        nearest to the origin. The search ends when the triangle is on the surface to `within` [m].
        """
        best = n
        most = wp.dot(difference_support(colliders, a, b, n), n)
        for _iteration in range(FACE_ITERATIONS):
            up = wp.cross(p1 - p0, p2 - p0)
            if wp.length(up) == zero:
                break
            up = wp.normalize(up)
            if wp.dot(up, p0) < zero:
                up = -up
            new = difference_support(colliders, a, b, up)
            if wp.dot(new, up) < most:
                most = wp.dot(new, up)
                best = up
            if wp.dot(new - p0, up) <= within:
                break
            far0 = squared_distance(new, p1, p2)
            far1 = squared_distance(p0, new, p2)
            far2 = squared_distance(p0, p1, new)
            if far0 <= far1 and far0 <= far2:
                p0 = new
            elif far1 <= far2:
                p1 = new
            else:
                p2 = new
        return best

    @wp.func
    def store_first_faces(
        w: wp.array(dtype=vec3), corner: wp.array(dtype=wp.int32), normal: wp.array(dtype=vec3),
        offset: wp.array(dtype=scalar),
    ):  # fmt: skip
        """Store the four faces of the initial tetrahedron, oriented outwards."""
        if wp.dot(w[3] - w[0], wp.cross(w[1] - w[0], w[2] - w[0])) < zero:
            store_face(w, corner, normal, offset, 0, 0, 1, 2)
            store_face(w, corner, normal, offset, 1, 0, 3, 1)
            store_face(w, corner, normal, offset, 2, 1, 3, 2)
            store_face(w, corner, normal, offset, 3, 2, 3, 0)
        else:
            store_face(w, corner, normal, offset, 0, 0, 2, 1)
            store_face(w, corner, normal, offset, 1, 0, 1, 3)
            store_face(w, corner, normal, offset, 2, 1, 2, 3)
            store_face(w, corner, normal, offset, 3, 2, 0, 3)

    @wp.func
    def remove_visible_faces(
        new: vec3, least: scalar, corner: wp.array(dtype=wp.int32), normal: wp.array(dtype=vec3),
        offset: wp.array(dtype=scalar), edge: wp.array(dtype=wp.int32), faces: int,
    ):  # fmt: skip
        """Remove the faces that a new vertex sees from more than `least` [m] above their planes.

        Return the number of remaining faces and the number of edges of the horizon.
        """
        remaining = int(faces)
        edges = int(0)
        face = int(0)
        while face < remaining:
            if wp.dot(normal[face], new) > offset[face] + least:
                for side in range(3):
                    edges = add_horizon_edge(edge, edges, corner[3 * face + side], corner[3 * face + (side + 1) % 3])
                remaining -= 1
                for side in range(3):
                    corner[3 * face + side] = corner[3 * remaining + side]
                normal[face] = normal[remaining]
                offset[face] = offset[remaining]
            else:
                face += 1
        return remaining, edges

    @wp.func
    def nearest_face(w: wp.array(dtype=vec3), corner: wp.array(dtype=wp.int32), faces: int, at: vec3) -> int:
        """Return the face nearest to a point.

        EPA may have found the exact normal early, at a face that has since been replaced; the witness points then come
        from the face that is nearest now.
        """
        best = int(0)
        least = huge
        for face in range(faces):
            off = squared_distance(w[corner[3 * face]] - at, w[corner[3 * face + 1]] - at, w[corner[3 * face + 2]] - at)
            if off < least:
                least = off
                best = face
        return best

    @wp.func
    def least_of_faces(
        colliders: Colliders, a: Geom, b: Geom, w: wp.array(dtype=vec3), corner: wp.array(dtype=wp.int32),
        normal: wp.array(dtype=vec3), offset: wp.array(dtype=scalar), faces: int, start: vec3, slop: scalar,
    ) -> vec3:  # fmt: skip
        """Return the direction of least penetration: the given one, or that of a face whose refinement exits sooner."""
        best = vec3(start)
        most = wp.dot(difference_support(colliders, a, b, best), best)
        for face in range(faces):
            if offset[face] < most - slop:  # the shortest way out may cross this face
                i = corners_of(corner, face)
                other = direction_through_face(colliders, a, b, w[i[0]], w[i[1]], w[i[2]], normal[face], slop)
                reach = wp.dot(difference_support(colliders, a, b, other), other)
                if reach < most:
                    most = reach
                    best = other
        return best

    @wp.func
    def grow(
        colliders: Colliders, a: Geom, b: Geom, w: wp.array(dtype=vec3), on_a: wp.array(dtype=vec3),
        corner: wp.array(dtype=wp.int32), normal: wp.array(dtype=vec3), offset: wp.array(dtype=scalar), within: scalar,
    ):  # fmt: skip
        """Grow the polytope from its first four vertices until the depth is known to `within` [m].

        Return the number of faces, a lower and an upper bound of the depth [m], and for the upper bound the normal and
        the vertices of the face from which it came.
        """
        edge = wp.zeros(shape=(HORIZON_ENDS,), dtype=wp.int32)
        store_first_faces(w, corner, normal, offset)
        faces = int(4)
        least = -huge
        most = huge
        best = vec3()
        best_face = wp.vec3i()
        last_face = wp.vec3i()  # vertices of the face that grew last
        for vertex in range(4, VERTICES):
            nearest = face_of_least_offset(offset, faces)
            if vertex >= LOCAL_SEARCH_FROM:
                if vertex == LOCAL_SEARCH_FROM:
                    last_face = wp.vec3i(best_face)
                nearest = least_offset_around(offset, corner, faces, last_face, vertex - 1)
                if nearest < 0:
                    break
            n = normal[nearest]
            if least > zero and offset[nearest] < least - within:
                break  # rounding has inverted a sliver
            if vertex < LOCAL_SEARCH_FROM:
                least = offset[nearest]
            store_support(colliders, a, b, n, w, on_a, vertex)
            new = w[vertex]
            last_face = corners_of(corner, nearest)
            if wp.dot(n, new) < most:
                most = wp.dot(n, new)
                best = n
                best_face = wp.vec3i(last_face)
            if most - offset[nearest] <= within:
                break
            faces, edges = remove_visible_faces(new, scalar(0.5) * within, corner, normal, offset, edge, faces)
            for e in range(edges):
                if faces < FACES:
                    store_face(w, corner, normal, offset, faces, edge[2 * e], edge[2 * e + 1], vertex)
                    faces += 1
        return faces, least, most, best, best_face

    @wp.func
    def touch_along(
        w: wp.array(dtype=vec3), on_a: wp.array(dtype=vec3), corner: wp.array(dtype=wp.int32), faces: int, n: vec3,
        most: scalar,
    ) -> Touch:  # fmt: skip
        """Return the touch of two cores that overlap by `most` [m] along n.

        The witness points come from the nearest face of the polytope.
        """
        touch = Touch()
        foot = most * n
        i = corners_of(corner, nearest_face(w, corner, faces, foot))
        t = triangle_weights(w[i[0]] - foot, w[i[1]] - foot, w[i[2]] - foot)
        touch.normal = -n
        touch.gap = -most
        touch.on_a = t[0] * on_a[i[0]] + t[1] * on_a[i[1]] + t[2] * on_a[i[2]]
        touch.on_b = touch.on_a - touch.gap * touch.normal
        return touch

    @wp.func(inline=False)
    def depth(colliders: Colliders, a: Geom, b: Geom, common: vec3) -> Touch:
        """Return the minimum translation that separates two overlapping cores; exact for polytopes.

        `common` is a point of both cores, or the point of a that is nearest to b. It is the witness point of flat
        differences, such as that of two crossing segments.
        """
        within = accuracy * (a.reach + b.reach)
        w = wp.zeros(shape=(VERTICES,), dtype=vec3)
        on_a = wp.zeros(shape=(VERTICES,), dtype=vec3)
        corner = wp.zeros(shape=(FACE_CORNERS,), dtype=wp.int32)
        normal = wp.zeros(shape=(FACES,), dtype=vec3)
        offset = wp.zeros(shape=(FACES,), dtype=scalar)
        thin = flatness(colliders, a, b, w, on_a, flat * (a.reach + b.reach))
        if wp.dot(thin, thin) > zero:
            touch = Touch()
            touch.on_a = common
            touch.on_b = common
            touch.normal = thin
            return touch
        faces, least, most, best, i = grow(colliders, a, b, w, on_a, corner, normal, offset, within)
        if most - least > scalar(2.0) * within:
            best = direction_through_face(colliders, a, b, w[i[0]], w[i[1]], w[i[2]], best, within)
            best = least_of_faces(colliders, a, b, w, corner, normal, offset, faces, best, within)
            best = direction_by_pattern_search(colliders, a, b, best, accuracy)
            most = wp.dot(difference_support(colliders, a, b, best), best)
        return touch_along(w, on_a, corner, faces, best, most)

    return SimpleNamespace(depth=depth, perpendicular=perpendicular)
