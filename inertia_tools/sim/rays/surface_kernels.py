# SPDX-FileCopyrightText: The inertia_tools authors
# SPDX-License-Identifier: Apache-2.0
"""First intersection of a ray with the surface of a shape, in the frame of the shape.

Primitives have closed forms in double precision. Triangles use Warp's bounding volume hierarchies, in single precision.
"""

from functools import lru_cache
from typing import Any

import warp as wp

from inertia_tools.kernel_loading import MODULE_OPTIONS
from inertia_tools.sim.scene.geo_type import GeoType

NOWHERE = 1e300
"""Distance that means no hit [m]."""

GRAZING = 1e-12
"""A ray is parallel to a face if the component of its direction along the normal is smaller than this."""


@wp.struct
class Crossing:
    """Intersection of a ray with a surface: distance, and outward unit normal."""

    distance: wp.float64
    normal: wp.vec3d


@lru_cache(maxsize=1)
def cast_kernel() -> Any:
    """Return the kernel that casts rays, one thread each."""
    scalar, vec3 = wp.float64, wp.vec3d
    zero, one, nowhere = wp.constant(scalar(0.0)), wp.constant(scalar(1.0)), wp.constant(scalar(NOWHERE))
    grazing = wp.constant(scalar(GRAZING))
    plane, sphere, capsule = (wp.constant(int(kind)) for kind in (GeoType.PLANE, GeoType.SPHERE, GeoType.CAPSULE))
    ellipsoid, cylinder = wp.constant(int(GeoType.ELLIPSOID)), wp.constant(int(GeoType.CYLINDER))
    box, cone = wp.constant(int(GeoType.BOX)), wp.constant(int(GeoType.CONE))

    @wp.func
    def nearer(best: Crossing, distance: scalar, normal: vec3) -> Crossing:
        """Return the nearer of two intersections in front of the origin."""
        if distance >= zero and distance < best.distance:
            best.distance = distance
            best.normal = normal
        return best

    @wp.func
    def disc(best: Crossing, o: vec3, d: vec3, height: scalar, radius: scalar, up: scalar) -> Crossing:
        """Return the intersection with a disc perpendicular to z."""
        if wp.abs(d[2]) < grazing:
            return best
        t = (height - o[2]) / d[2]
        p = o + t * d
        if p[0] * p[0] + p[1] * p[1] <= radius * radius:
            return nearer(best, t, vec3(zero, zero, up))
        return best

    @wp.func
    def ball(best: Crossing, o: vec3, d: vec3, radius: scalar, up: scalar) -> Crossing:
        """Return the intersection with a sphere, or with its half on the side `up` of z if that is not zero."""
        b, c = wp.dot(o, d), wp.dot(o, o) - radius * radius
        under = b * b - c
        if under < zero:
            return best
        root = wp.sqrt(under)
        for side in range(2):
            t = -b + (scalar(2.0) * scalar(side) - one) * root
            p = o + t * d
            if p[2] * up >= zero:
                best = nearer(best, t, p / radius)
        return best

    @wp.func
    def mantle(best: Crossing, o: vec3, d: vec3, half: scalar, low: scalar, slope: scalar) -> Crossing:
        """Return the intersection with the side of a body of revolution about z.

        Its radius is `low` at z = -half and falls by `slope` along z.
        """
        r, dr = low - slope * (o[2] + half), -slope * d[2]
        a = d[0] * d[0] + d[1] * d[1] - dr * dr
        b = o[0] * d[0] + o[1] * d[1] - r * dr
        c = o[0] * o[0] + o[1] * o[1] - r * r
        for side in range(2):
            t = nowhere
            if wp.abs(a) < grazing:
                if wp.abs(b) > grazing and side == 0:
                    t = -c / (scalar(2.0) * b)
            else:
                under = b * b - a * c
                if under >= zero:
                    t = (-b + (scalar(2.0) * scalar(side) - one) * wp.sqrt(under)) / a
            p = o + t * d
            if wp.abs(p[2]) <= half and r + t * dr >= zero:
                best = nearer(best, t, wp.normalize(vec3(p[0], p[1], slope * (r + t * dr))))
        return best

    @wp.func
    def brick(best: Crossing, o: vec3, d: vec3, half: vec3) -> Crossing:
        for axis in range(3):
            if wp.abs(d[axis]) >= grazing:
                for side in range(2):
                    sign = scalar(2.0) * scalar(side) - one
                    t = (sign * half[axis] - o[axis]) / d[axis]
                    p = o + t * d
                    inside = bool(True)
                    for other in range(3):
                        if other != axis and wp.abs(p[other]) > half[other]:
                            inside = False
                    if inside:
                        normal = vec3()
                        normal[axis] = sign
                        best = nearer(best, t, normal)
        return best

    @wp.func
    def egg(best: Crossing, o: vec3, d: vec3, axes: vec3) -> Crossing:
        """Return the intersection with an ellipsoid, as a unit sphere in scaled coordinates."""
        os, ds = wp.cw_div(o, axes), wp.cw_div(d, axes)
        a, b, c = wp.dot(ds, ds), wp.dot(os, ds), wp.dot(os, os) - one
        under = b * b - a * c
        if under < zero:
            return best
        root = wp.sqrt(under)
        for side in range(2):
            t = (-b + (scalar(2.0) * scalar(side) - one) * root) / a
            best = nearer(best, t, wp.normalize(wp.cw_div(os + t * ds, axes)))
        return best

    @wp.func
    def triangles(best: Crossing, o: vec3, d: vec3, mesh: wp.uint64, reach: scalar) -> Crossing:
        start = wp.vec3(float(o[0]), float(o[1]), float(o[2]))
        along = wp.vec3(float(d[0]), float(d[1]), float(d[2]))
        query = wp.mesh_query_ray(mesh, start, along, float(wp.min(reach, scalar(1e30))))
        if query.result:
            n = query.normal
            best = nearer(best, scalar(query.t), vec3(scalar(n[0]), scalar(n[1]), scalar(n[2])))
        return best

    @wp.func
    def crossing(kind: int, s: vec3, mesh: wp.uint64, o: vec3, d: vec3, reach: scalar) -> Crossing:
        """Return the first intersection of a ray with a shape, both in the frame of the shape."""
        best = Crossing()
        best.distance = reach
        if kind == plane:
            if wp.abs(d[2]) >= grazing:
                best = nearer(best, -o[2] / d[2], vec3(zero, zero, one))
        elif kind == sphere:
            best = ball(best, o, d, s[0], zero)
        elif kind == box:
            best = brick(best, o, d, s)
        elif kind == ellipsoid:
            best = egg(best, o, d, s)
        elif kind == capsule:
            top = vec3(zero, zero, s[1])
            best = mantle(best, o, d, s[1], s[0], zero)
            best = ball(best, o - top, d, s[0], one)
            best = ball(best, o + top, d, s[0], -one)
        elif kind == cylinder:
            best = mantle(best, o, d, s[1], s[0], zero)
            best = disc(best, o, d, s[1], s[0], one)
            best = disc(best, o, d, -s[1], s[0], -one)
        elif kind == cone:
            best = mantle(best, o, d, s[1], s[0], s[0] / (scalar(2.0) * s[1]))
            best = disc(best, o, d, -s[1], s[0], -one)
        else:
            best = triangles(best, o, d, mesh, reach)
        return best

    @wp.kernel(module="unique", module_options=MODULE_OPTIONS)
    def cast(
        # Shapes:
        kind: wp.array(dtype=wp.int32),
        size: wp.array(dtype=vec3),
        mesh: wp.array(dtype=wp.uint64),
        position: wp.array(dtype=vec3),
        rotation: wp.array(dtype=wp.mat33d),
        unseen: wp.array(dtype=wp.int32),
        # Rays:
        origin: wp.array(dtype=vec3),
        direction: wp.array(dtype=vec3),
        reach: scalar,
        # Out:
        distance_out: wp.array(dtype=scalar),
        normal_out: wp.array(dtype=vec3),
        shape_out: wp.array(dtype=wp.int32),
    ):
        i = wp.tid()
        best, best_shape, normal = reach, int(-1), vec3()
        for s in range(kind.shape[0]):
            if unseen[s] == 0:
                back = wp.transpose(rotation[s])
                found = crossing(kind[s], size[s], mesh[s], back * (origin[i] - position[s]), back * direction[i], best)
                if found.distance < best:
                    best = found.distance
                    best_shape = s
                    normal = rotation[s] * found.normal
        distance_out[i] = best
        normal_out[i] = normal
        shape_out[i] = best_shape

    return cast
