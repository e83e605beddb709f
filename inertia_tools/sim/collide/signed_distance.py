# SPDX-FileCopyrightText: The inertia_tools authors
# SPDX-License-Identifier: Apache-2.0
"""Signed distance of a point to a convex solid, and the outward normal there."""

from functools import lru_cache
from types import SimpleNamespace
from typing import Any

import warp as wp

from inertia_tools.sim.kernels.precision import Precision, precision
from inertia_tools.sim.scene.convex import SolidKind

SAME_FACE = 0.7
"""Two normals may be of the same face, which rotates in a step, if their cosine is at least this."""


@lru_cache(maxsize=4)
def distance_functions(p: Precision, exact: bool = False) -> Any:
    """Return the device functions of one precision.

    Those that measure a distance return the normal and the distance [m] as a vector of four.

    Args:
        p: Types of the shapes.
        exact: Calculate in double precision in any case.
    """
    wide = precision("float64") if exact else p
    scalar, vec3, vec4 = wide.scalar, wide.vec3, wide.vec4
    plain, plain_vec3 = p.scalar, p.vec3
    (Shapes,) = p.references("Shapes")
    sphere, box = wp.constant(int(SolidKind.SPHERE)), wp.constant(int(SolidKind.BOX))
    capsule, cylinder = wp.constant(int(SolidKind.CAPSULE)), wp.constant(int(SolidKind.CYLINDER))
    hull, plane = wp.constant(int(SolidKind.HULL)), wp.constant(int(SolidKind.PLANE))
    same_face = wp.constant(scalar(SAME_FACE))

    @wp.func
    def ball(point: vec3, radius: scalar) -> vec4:
        """Return normal and distance of a point to a sphere about the origin."""
        distance = wp.length(point)
        normal = vec3(scalar(0.0), scalar(0.0), scalar(1.0))
        if distance > scalar(0.0):
            normal = point / distance
        return vec4(normal[0], normal[1], normal[2], distance - radius)

    @wp.func
    def box_distance(point: vec3, half: vec3) -> vec4:
        """Return normal and distance of a point to a box.

        Inside and in front of a face they are those of the nearest face, beyond an edge or corner those of the nearest
        point.
        """
        best = scalar(-1.0e30)
        normal = vec3(scalar(0.0), scalar(0.0), scalar(1.0))
        beyond = vec3(scalar(0.0), scalar(0.0), scalar(0.0))
        outside = int(0)
        for i in range(3):
            side = wp.sign(point[i])
            gap = side * point[i] - half[i]
            if gap > best:
                best = gap
                normal = vec3(scalar(0.0), scalar(0.0), scalar(0.0))
                normal[i] = side
            if gap > scalar(0.0):
                outside += 1
                beyond[i] = side * gap
        if outside > 1:
            best = wp.length(beyond)
            normal = beyond / best
        return vec4(normal[0], normal[1], normal[2], best)

    @wp.func
    def cylinder_distance(point: vec3, radius: scalar, half_length: scalar) -> vec4:
        """Return normal and distance of a point to a cylinder about z."""
        across = vec3(point[0], point[1], scalar(0.0))
        away = wp.length(across)
        outward = vec3(scalar(1.0), scalar(0.0), scalar(0.0))
        if away > scalar(0.0):
            outward = across / away
        up = wp.sign(point[2])
        side_gap = away - radius
        cap_gap = up * point[2] - half_length
        normal = outward
        distance = side_gap
        if cap_gap > side_gap:
            normal = vec3(scalar(0.0), scalar(0.0), up)
            distance = cap_gap
        if side_gap > scalar(0.0) and cap_gap > scalar(0.0):
            distance = wp.sqrt(side_gap * side_gap + cap_gap * cap_gap)
            normal = (side_gap * outward + cap_gap * vec3(scalar(0.0), scalar(0.0), up)) / distance
        return vec4(normal[0], normal[1], normal[2], distance)

    @wp.func
    def hull_distance(shapes: Shapes, s: int, point: vec3) -> vec4:
        """Return normal and distance to the face whose plane the point is farthest beyond.

        The distance is exact inside and in front of faces, and too small beyond edges.
        """
        best = scalar(-1.0e30)
        normal = vec3(scalar(0.0), scalar(0.0), scalar(1.0))
        for i in range(shapes.face_count[s]):
            face = shapes.face[shapes.first_face[s] + i]
            n = vec3(scalar(face[0]), scalar(face[1]), scalar(face[2]))
            gap = wp.dot(n, point) - scalar(face[3])
            if gap > best:
                best = gap
                normal = n
        return vec4(normal[0], normal[1], normal[2], best)

    @wp.func
    def distance(shapes: Shapes, s: int, point: vec3) -> vec4:
        """Return outward normal and signed distance [m] of a point in the frame of a shape."""
        kind = shapes.kind[s]
        size = vec3(scalar(shapes.size[s][0]), scalar(shapes.size[s][1]), scalar(shapes.size[s][2]))
        if kind == sphere:
            return ball(point, size[0])
        if kind == box:
            return box_distance(point, size)
        if kind == capsule:
            along = wp.clamp(point[2], -size[1], size[1])
            return ball(point - vec3(scalar(0.0), scalar(0.0), along), size[0])
        if kind == cylinder:
            return cylinder_distance(point, size[0], size[1])
        if kind == hull:
            return hull_distance(shapes, s, point)
        return vec4(scalar(0.0), scalar(0.0), scalar(1.0), point[2])

    @wp.func
    def before_face(shapes: Shapes, s: int, point: vec3, known: vec3) -> vec4:
        """Return normal and distance to the face with about a known normal, or zero if the point has passed the centre.

        Of several such faces of a hull, the one whose plane the point is farthest beyond counts.
        """
        kind, size = shapes.kind[s], shapes.size[s]
        found = vec4()
        for i in range(3):
            side, half = wp.sign(point[i]), scalar(size[i])
            if kind == cylinder:
                half = scalar(size[1])
            if side * known[i] > same_face and (kind == box or (kind == cylinder and i == 2)):
                found = vec4(scalar(0.0), scalar(0.0), scalar(0.0), side * point[i] - half)
                found[i] = side
        if kind == hull:
            for i in range(shapes.face_count[s]):
                face = shapes.face[shapes.first_face[s] + i]
                n = vec3(scalar(face[0]), scalar(face[1]), scalar(face[2]))
                gap = wp.dot(n, point) - scalar(face[3])
                is_before = wp.dot(n, known) > same_face and wp.dot(n, point) > scalar(0.0)
                if is_before and (found[3] == scalar(0.0) or gap > found[3]):
                    found = vec4(n[0], n[1], n[2], gap)
        return found

    @wp.func
    def distance_from(shapes: Shapes, s: int, point: vec3, radius: scalar, known: vec3, way: vec3) -> vec4:
        """Return normal and distance to the face through which a point entered, instead of to the nearest face.

        The nearest face of a corner deep in a box, near one of its edges, may be another one. Free motion may also
        carry a corner that lies on a face past an edge of that face, although friction will hold it.

        Args:
            shapes: All shapes.
            s: The solid.
            point: The point in the frame of the solid [m].
            radius: Radius of the sphere around the point [m].
            known: Normal of the face through which the point entered, in the frame of the solid.
            way: Displacement of the point in this substep, in the frame of the solid [m].
        """
        found = distance(shapes, s, point)
        n = vec3(found[0], found[1], found[2])
        beyond_before = found[3] - wp.dot(n, way)
        if wp.dot(known, n) > same_face or wp.min(found[3], beyond_before) > scalar(0.0):
            return found
        face = before_face(shapes, s, point, known)
        gap = face[3] - radius
        gap_before = gap - wp.dot(vec3(face[0], face[1], face[2]), way)
        if face[3] != scalar(0.0) and gap < scalar(0.0):
            part = wp.max(gap_before, scalar(0.0)) / (wp.max(gap_before, scalar(0.0)) - gap)
            if found[3] < scalar(0.0) or beyond_before + part * (found[3] - beyond_before) < scalar(0.0):
                return face
        return found

    @wp.func
    def place_of_feature(shapes: Shapes, a: int, s: int, i: int) -> int:
        """Return the index of a feature of shape a against s: sharp against planes, rounded against other shapes."""
        feature = shapes.first_feature[a] + i
        if shapes.kind[s] == plane:
            feature = feature + shapes.feature_count[a]
        return feature

    @wp.func
    def rim_radius(shapes: Shapes, a: int, s: int) -> plain:
        """Return the radius of the rims of a cylinder against another shape [m]."""
        if shapes.kind[s] == plane:
            return shapes.size[a][0]
        return shapes.size[a][2]

    @wp.func
    def is_beyond(kind: int, size: plain_vec3, reach: plain, point: vec3, limit: scalar) -> bool:
        """Return whether a point is certainly farther than `limit` from a shape, in its frame; a cheap bound."""
        if kind == plane:
            return point[2] > limit
        if kind == box:
            return (
                wp.abs(point[0]) - scalar(size[0]) > limit
                or wp.abs(point[1]) - scalar(size[1]) > limit
                or wp.abs(point[2]) - scalar(size[2]) > limit
            )
        far = scalar(reach) + limit
        return wp.dot(point, point) > far * far

    return SimpleNamespace(
        distance=distance,
        distance_from=distance_from,
        is_beyond=is_beyond,
        place_of_feature=place_of_feature,
        rim_radius=rim_radius,
    )
