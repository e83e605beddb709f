# SPDX-FileCopyrightText: The inertia_tools authors
# SPDX-License-Identifier: Apache-2.0
"""Depth of two convex cores that overlap or nearly touch: a polytope grows inside their Minkowski difference.

After van den Bergen (2001), with one change: the polytope starts from an inner point of the difference, not from the
origin, and the face whose plane has the origin least far inside grows first. So the origin may lie inside, on the
surface or a little outside, and shapes that just touch are as well behaved as those that overlap.
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
"""Vertices of the polytope at most; only shapes with curved sides reach it, see docs/collision.md."""

ROAMING = 40
"""With so many vertices the search has seen all sides, and goes on around the best face alone."""

FACES = 2 * VERTICES
HORIZON = VERTICES

PATTERN_ROUNDS = 200
"""Rounds of the search about the best normal, each of which turns it or halves the step, where vertices ran out."""

FIRST_STEP = 0.05
"""Its first step [rad]: about the angle between neighbouring faces by then."""

NARROWING_ROUNDS = 60
"""Before that, rounds in which a face is narrowed down to the point across it, of each that may hide the way out."""

FACE_CORNERS = 3 * FACES
HORIZON_ENDS = 2 * HORIZON

ACCURACY = {"float32": 2e-6, "float64": 1e-10}
"""The search stops when the depth is known to this, over the size of the shapes: below it faces are all rounding."""

FLAT = {"float32": 1e-6, "float64": 1e-12}
"""A difference thinner than this, over the size of the shapes, has no inside."""


@lru_cache(maxsize=2)
def epa_functions(p: Precision) -> Any:
    """Return the device functions of one precision."""
    scalar, vec3 = p.scalar, p.vec3
    types = collision_types(p)
    Colliders, Geom, Touch = wp.ref[types.Colliders], types.Geom, types.Touch
    support = support_functions(p).support
    triangle_weights = gjk_functions(p).triangle_weights
    zero, one = wp.constant(scalar(0.0)), wp.constant(scalar(1.0))
    accuracy, flat = wp.constant(scalar(ACCURACY[p.name])), wp.constant(scalar(FLAT[p.name]))
    huge = wp.constant(scalar(1.0e30))

    @wp.func
    def across(n: vec3) -> vec3:
        """Return some unit vector across another."""
        other = vec3(one, zero, zero)
        if wp.abs(n[0]) > scalar(0.6) * wp.length(n):
            other = vec3(zero, one, zero)
        return wp.normalize(wp.cross(n, other))

    @wp.func
    def put(
        colliders: Colliders,
        a: Geom,
        b: Geom,
        d: vec3,
        w: wp.array(dtype=vec3),
        on_a: wp.array(dtype=vec3),
        i: int,
    ):
        """Store the difference's farthest point along d as vertex i."""
        point = support(colliders, a, d)
        on_a[i] = point
        w[i] = point - support(colliders, b, -d)

    @wp.func
    def put_farther(
        colliders: Colliders,
        a: Geom,
        b: Geom,
        d: vec3,
        w: wp.array(dtype=vec3),
        on_a: wp.array(dtype=vec3),
        i: int,
    ) -> scalar:
        """Store the farther of the two extremes along d and -d as vertex i; return how far from w[0] it is along d."""
        put(colliders, a, b, d, w, on_a, i)
        ahead = wp.dot(w[i] - w[0], d)
        there = w[i]
        there_a = on_a[i]
        put(colliders, a, b, -d, w, on_a, i)
        behind = wp.dot(w[0] - w[i], d)
        if ahead >= behind:
            w[i] = there
            on_a[i] = there_a
            return ahead
        return -behind

    @wp.func(inline=False)
    def flatness(
        colliders: Colliders, a: Geom, b: Geom, w: wp.array(dtype=vec3), on_a: wp.array(dtype=vec3), thin: scalar
    ) -> vec3:
        """Fill the first four vertices; return zero, or a direction in which the difference has no extent."""
        d = vec3(one, zero, zero)
        for axis in range(3):
            d = vec3()
            d[axis] = one
            put(colliders, a, b, -d, w, on_a, 0)
            put(colliders, a, b, d, w, on_a, 1)
            if wp.dot(w[1] - w[0], d) <= thin:
                return d
        line = wp.normalize(w[1] - w[0])
        side = across(line)
        far = put_farther(colliders, a, b, side, w, on_a, 2)
        if wp.abs(far) <= thin:
            side = wp.cross(line, side)
            far = put_farther(colliders, a, b, side, w, on_a, 2)
            if wp.abs(far) <= thin:
                return side
        n = wp.normalize(wp.cross(w[1] - w[0], w[2] - w[0]))
        far = put_farther(colliders, a, b, n, w, on_a, 3)
        if wp.abs(far) <= thin:
            return n
        return vec3()

    @wp.func
    def lay(
        w: wp.array(dtype=vec3),
        corner: wp.array(dtype=wp.int32),
        normal: wp.array(dtype=vec3),
        offset: wp.array(dtype=scalar),
        face: int,
        i: int,
        j: int,
        k: int,
    ):
        """Make a face of three vertices, counter-clockwise seen from outside; one without area never grows."""
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
    def cut(edge: wp.array(dtype=wp.int32), count: int, i: int, j: int) -> int:
        """Add an edge to the horizon, or take its opposite away; return how many there are."""
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
        """Return the vertices of a face."""
        return wp.vec3i(corner[3 * face], corner[3 * face + 1], corner[3 * face + 2])

    @wp.func
    def lowest(offset: wp.array(dtype=scalar), count: int) -> int:
        best = int(0)
        for face in range(1, count):
            if offset[face] < offset[best]:
                best = face
        return best

    @wp.func
    def lowest_around(
        offset: wp.array(dtype=scalar), corner: wp.array(dtype=wp.int32), count: int, three: wp.vec3i, new: int
    ) -> int:
        """Name the nearest face among those that share an edge with three vertices and a new one; -1 for none."""
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
    def extent(colliders: Colliders, a: Geom, b: Geom, n: vec3) -> vec3:
        """Return the difference's farthest point along n."""
        return support(colliders, a, n) - support(colliders, b, -n)

    @wp.func(inline=False)
    def refined(colliders: Colliders, a: Geom, b: Geom, n: vec3, within: scalar) -> vec3:
        """Turn a direction until the difference reaches least far along it; stop at a step of `within`."""
        step = scalar(FIRST_STEP)
        far = extent(colliders, a, b, n)
        most = wp.dot(far, n)
        for _round in range(PATTERN_ROUNDS):
            slope = far - wp.dot(far, n) * n
            t = across(n)
            if wp.length(slope) > zero:
                t = wp.normalize(slope)
            u = wp.cross(n, t)
            improved = int(0)
            for side in range(4):
                way = -t
                if side == 1:
                    way = u
                if side == 2:
                    way = -u
                if side == 3:
                    way = t
                if improved == 0:
                    turned = wp.normalize(n + step * way)
                    there = extent(colliders, a, b, turned)
                    if wp.dot(there, turned) < most:
                        improved = int(1)
                        most = wp.dot(there, turned)
                        far = there
                        n = turned
            if improved == 0:
                step = scalar(0.5) * step
                if step < within:
                    break
        return n

    @wp.func
    def off_origin(a: vec3, b: vec3, c: vec3) -> scalar:
        """Return how far a triangle is from the origin, squared."""
        t = triangle_weights(a, b, c)
        nearest = t[0] * a + t[1] * b + t[2] * c
        return wp.dot(nearest, nearest)

    @wp.func(inline=False)
    def narrowed(colliders: Colliders, a: Geom, b: Geom, p0: vec3, p1: vec3, p2: vec3, n: vec3, within: scalar) -> vec3:
        """Improve a direction from the face across it, of which each round replaces one corner by a point beyond."""
        best = n
        most = wp.dot(extent(colliders, a, b, n), n)
        for _round in range(NARROWING_ROUNDS):
            up = wp.cross(p1 - p0, p2 - p0)
            if wp.length(up) == zero:
                break
            up = wp.normalize(up)
            if wp.dot(up, p0) < zero:
                up = -up
            new = extent(colliders, a, b, up)
            if wp.dot(new, up) < most:
                most = wp.dot(new, up)
                best = up
            if wp.dot(new - p0, up) <= within:
                break
            far0 = off_origin(new, p1, p2)
            far1 = off_origin(p0, new, p2)
            far2 = off_origin(p0, p1, new)
            if far0 <= far1 and far0 <= far2:
                p0 = new
            elif far1 <= far2:
                p1 = new
            else:
                p2 = new
        return best

    @wp.func
    def lay_first(
        w: wp.array(dtype=vec3), corner: wp.array(dtype=wp.int32), normal: wp.array(dtype=vec3),
        offset: wp.array(dtype=scalar),
    ):  # fmt: skip
        """Lay the four faces of the tetrahedron of the first vertices, outwards."""
        if wp.dot(w[3] - w[0], wp.cross(w[1] - w[0], w[2] - w[0])) < zero:
            lay(w, corner, normal, offset, 0, 0, 1, 2)
            lay(w, corner, normal, offset, 1, 0, 3, 1)
            lay(w, corner, normal, offset, 2, 1, 3, 2)
            lay(w, corner, normal, offset, 3, 2, 3, 0)
        else:
            lay(w, corner, normal, offset, 0, 0, 2, 1)
            lay(w, corner, normal, offset, 1, 0, 1, 3)
            lay(w, corner, normal, offset, 2, 1, 2, 3)
            lay(w, corner, normal, offset, 3, 2, 0, 3)

    @wp.func
    def take_away(
        new: vec3, least: scalar, corner: wp.array(dtype=wp.int32), normal: wp.array(dtype=vec3),
        offset: wp.array(dtype=scalar), edge: wp.array(dtype=wp.int32), faces: int,
    ):  # fmt: skip
        """Take away the faces that a new vertex is over by more than `least`.

        Return how many faces are left, and how many edges the hole has.
        """
        left = int(faces)
        edges = int(0)
        face = int(0)
        while face < left:
            if wp.dot(normal[face], new) > offset[face] + least:
                for side in range(3):
                    edges = cut(edge, edges, corner[3 * face + side], corner[3 * face + (side + 1) % 3])
                left -= 1
                for side in range(3):
                    corner[3 * face + side] = corner[3 * left + side]
                normal[face] = normal[left]
                offset[face] = offset[left]
            else:
                face += 1
        return left, edges

    @wp.func
    def nearest_face(w: wp.array(dtype=vec3), corner: wp.array(dtype=wp.int32), faces: int, at: vec3) -> int:
        """Name the face nearest to a point.

        The face whose normal led out first may lie far inside: an exact normal is not found again later.
        """
        best = int(0)
        least = huge
        for face in range(faces):
            off = off_origin(w[corner[3 * face]] - at, w[corner[3 * face + 1]] - at, w[corner[3 * face + 2]] - at)
            if off < least:
                least = off
                best = face
        return best

    @wp.func
    def shortest_of_faces(
        colliders: Colliders, a: Geom, b: Geom, w: wp.array(dtype=vec3), corner: wp.array(dtype=wp.int32),
        normal: wp.array(dtype=vec3), offset: wp.array(dtype=scalar), faces: int, known: vec3, slop: scalar,
    ) -> vec3:  # fmt: skip
        """Return the direction of the shortest way out that is known, or that leads across some face."""
        best = vec3(known)
        most = wp.dot(extent(colliders, a, b, best), best)
        for face in range(faces):
            if offset[face] < most - slop:  # the way out may be there
                i = corners_of(corner, face)
                other = narrowed(colliders, a, b, w[i[0]], w[i[1]], w[i[2]], normal[face], slop)
                reach = wp.dot(extent(colliders, a, b, other), other)
                if reach < most:
                    most = reach
                    best = other
        return best

    @wp.func
    def grow(
        colliders: Colliders, a: Geom, b: Geom, w: wp.array(dtype=vec3), on_a: wp.array(dtype=vec3),
        corner: wp.array(dtype=wp.int32), normal: wp.array(dtype=vec3), offset: wp.array(dtype=scalar), within: scalar,
    ):  # fmt: skip
        """Grow the polytope, whose first four vertices are known, until the depth is known to `within`.

        Return how many faces it has, bounds of the depth from below and above, and the normal of the latter with the
        vertices of the face that it was of.
        """
        edge = wp.zeros(shape=(HORIZON_ENDS,), dtype=wp.int32)
        lay_first(w, corner, normal, offset)
        faces = int(4)
        least = -huge
        most = huge
        best = vec3()
        across_best = wp.vec3i()
        looked_at = wp.vec3i()  # the face that was looked at last
        for vertex in range(4, VERTICES):
            nearest = lowest(offset, faces)
            if vertex >= ROAMING:
                if vertex == ROAMING:
                    looked_at = wp.vec3i(across_best)
                nearest = lowest_around(offset, corner, faces, looked_at, vertex - 1)
                if nearest < 0:
                    break
            n = normal[nearest]
            if least > zero and offset[nearest] < least - within:
                break  # rounding has turned a sliver inside out
            if vertex < ROAMING:
                least = offset[nearest]
            put(colliders, a, b, n, w, on_a, vertex)
            new = w[vertex]
            looked_at = corners_of(corner, nearest)
            if wp.dot(n, new) < most:
                most = wp.dot(n, new)
                best = n
                across_best = wp.vec3i(looked_at)
            if most - offset[nearest] <= within:
                break
            faces, edges = take_away(new, scalar(0.5) * within, corner, normal, offset, edge, faces)
            for e in range(edges):
                if faces < FACES:
                    lay(w, corner, normal, offset, faces, edge[2 * e], edge[2 * e + 1], vertex)
                    faces += 1
        return faces, least, most, best, across_best

    @wp.func
    def touch_along(
        w: wp.array(dtype=vec3), on_a: wp.array(dtype=vec3), corner: wp.array(dtype=wp.int32), faces: int, n: vec3,
        most: scalar,
    ) -> Touch:  # fmt: skip
        """Return how two cores overlap by so much along a normal: where the nearest face of the polytope has it."""
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
        """Find the shortest way out of the overlap of two cores; exact for polytopes.

        `common` is a point of both, or the nearest one of a: flat cores, as two lines that cross, touch there.
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
            best = narrowed(colliders, a, b, w[i[0]], w[i[1]], w[i[2]], best, within)
            best = shortest_of_faces(colliders, a, b, w, corner, normal, offset, faces, best, within)
            best = refined(colliders, a, b, best, accuracy)
            most = wp.dot(extent(colliders, a, b, best), best)
        return touch_along(w, on_a, corner, faces, best, most)

    return SimpleNamespace(depth=depth, across=across)
