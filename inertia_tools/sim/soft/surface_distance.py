# SPDX-FileCopyrightText: The inertia_tools authors
# SPDX-License-Identifier: Apache-2.0
"""Signed distance of a point to the surface of a shape, in the frame of the shape.

Primitives have closed forms or a scalar root. Meshes and heightfields use Warp's bounding volume hierarchies, in single
precision. Each function returns the outward normal and the distance [m] as a vector of four.
"""

import warp as wp

from inertia_tools.kernel_loading import MODULE_OPTIONS
from inertia_tools.sim.collide.gjk import gjk_functions
from inertia_tools.sim.kernels.precision import precision
from inertia_tools.sim.scene.geo_type import GeoType

wp.set_module_options(MODULE_OPTIONS)

vec2d, vec3d, vec4d = wp.vec2d, wp.vec3d, wp.vec4d
triangle_weights = gjk_functions(precision("float64")).triangle_weights

PLANE, SPHERE, CAPSULE = (wp.constant(int(kind)) for kind in (GeoType.PLANE, GeoType.SPHERE, GeoType.CAPSULE))
ELLIPSOID, CYLINDER = wp.constant(int(GeoType.ELLIPSOID)), wp.constant(int(GeoType.CYLINDER))
BOX, CONE, HFIELD = wp.constant(int(GeoType.BOX)), wp.constant(int(GeoType.CONE)), wp.constant(int(GeoType.HFIELD))


@wp.func
def with_normal(normal: vec3d, distance: wp.float64) -> vec4d:
    """Return normal and distance as a vector of four."""
    return vec4d(normal[0], normal[1], normal[2], distance)


@wp.func
def ball(point: vec3d, radius: wp.float64) -> vec4d:
    """Return normal and distance to a sphere about the origin."""
    distance = wp.length(point)
    normal = vec3d(wp.float64(0.0), wp.float64(0.0), wp.float64(1.0))
    if distance > wp.float64(0.0):
        normal = point / distance
    return with_normal(normal, distance - radius)


@wp.func
def sheet(point: vec3d, width: wp.float64, length: wp.float64) -> vec4d:
    """Return normal and distance to the half space z < 0, or to the upper side of a rectangle if it has a size."""
    zero = wp.float64(0.0)
    up = vec3d(zero, zero, wp.float64(1.0))
    if width <= zero or length <= zero:
        return with_normal(up, point[2])
    half_x, half_y = wp.float64(0.5) * width, wp.float64(0.5) * length
    nearest = vec3d(wp.clamp(point[0], -half_x, half_x), wp.clamp(point[1], -half_y, half_y), zero)
    off = point - nearest
    if off[0] == zero and off[1] == zero:
        return with_normal(up, point[2])
    distance = wp.length(off)
    return with_normal(off / distance, distance)


@wp.func
def brick(point: vec3d, half: vec3d) -> vec4d:
    """Return normal and distance to a box: of the nearest face, or of the nearest point beyond an edge or corner."""
    best = wp.float64(-1.0e30)
    normal = vec3d()
    beyond = vec3d()
    outside = int(0)
    for i in range(3):
        side = wp.sign(point[i])
        gap = side * point[i] - half[i]
        if gap > best:
            best = gap
            normal = vec3d()
            normal[i] = side
        if gap > wp.float64(0.0):
            outside += 1
            beyond[i] = side * gap
    if outside > 1:
        best = wp.length(beyond)
        normal = beyond / best
    return with_normal(normal, best)


@wp.func
def to_segment(p: vec2d, a: vec2d, b: vec2d) -> vec2d:
    """Return the vector to a point from the nearest point of a segment."""
    along = b - a
    share = wp.clamp(wp.dot(p - a, along) / wp.dot(along, along), wp.float64(0.0), wp.float64(1.0))
    return p - a - share * along


@wp.func
def turned_profile(point: vec3d, low: wp.float64, high: wp.float64, half: wp.float64) -> vec4d:
    """Return normal and distance to a body of revolution about z.

    Its radius is `low` at z = -half and `high` at z = half, and linear between.
    """
    zero = wp.float64(0.0)
    away = wp.sqrt(point[0] * point[0] + point[1] * point[1])
    outward = vec3d(wp.float64(1.0), zero, zero)
    if away > zero:
        outward = vec3d(point[0] / away, point[1] / away, zero)
    p = vec2d(away, point[2])
    side = to_segment(p, vec2d(low, -half), vec2d(high, half))
    slope = wp.normalize(vec2d(wp.float64(2.0) * half, low - high))  # outward normal of the side
    off, normal = side, slope
    inside = wp.dot(p - vec2d(low, -half), slope) <= zero and wp.abs(point[2]) <= half
    bottom = to_segment(p, vec2d(zero, -half), vec2d(low, -half))
    if wp.dot(bottom, bottom) < wp.dot(off, off):
        off = bottom
        normal = vec2d(zero, wp.float64(-1.0))
    if high > zero:
        top = to_segment(p, vec2d(zero, half), vec2d(high, half))
        if wp.dot(top, top) < wp.dot(off, off):
            off = top
            normal = vec2d(zero, wp.float64(1.0))
    distance = wp.length(off)
    if not inside and distance > zero:
        normal = off / distance
    if inside:
        distance = -distance
    return with_normal(normal[0] * outward + vec3d(zero, zero, normal[1]), distance)


@wp.func
def ellipsoid(point: vec3d, axes: vec3d) -> vec4d:
    """Return normal and distance to an ellipsoid.

    The nearest point is a^2 y / (t + a^2); t is found by Newton's method with bisection.
    """
    squares = wp.cw_mul(axes, axes)
    least = wp.min(squares[0], wp.min(squares[1], squares[2]))
    scaled = wp.cw_mul(axes, point)
    low = -least
    for i in range(3):
        low = wp.max(low, axes[i] * wp.abs(point[i]) - squares[i])
    high = wp.max(wp.length(scaled) - least, low)
    t = low
    if low == -least:
        t = wp.float64(0.5) * (low + high)
    for _ in range(60):
        value = wp.float64(-1.0)
        slope = wp.float64(0.0)
        for i in range(3):
            part = scaled[i] / (t + squares[i])
            value += part * part
            slope -= wp.float64(2.0) * part * part / (t + squares[i])
        if value > wp.float64(0.0):
            low = t
        else:
            high = t
        following = wp.float64(0.5) * (low + high)
        if slope < wp.float64(0.0):
            newton = t - value / slope
            if newton > low and newton < high:
                following = newton
        if wp.abs(following - t) <= wp.float64(1.0e-16) * (wp.abs(t) + least):
            break
        t = following
    nearest = vec3d()
    for i in range(3):
        nearest[i] = squares[i] * point[i] / wp.max(t + squares[i], wp.float64(1.0e-300))
    normal = wp.normalize(wp.cw_div(nearest, squares))
    return with_normal(normal, wp.dot(point - nearest, normal))


@wp.func
def triangles(mesh: wp.uint64, point: vec3d, reach: wp.float64, is_open: bool) -> vec4d:
    """Return normal and distance to triangles; for an open surface negative behind the nearest triangle."""
    flat = wp.vec3(wp.float32(point[0]), wp.float32(point[1]), wp.float32(point[2]))
    far = with_normal(vec3d(wp.float64(0.0), wp.float64(0.0), wp.float64(1.0)), wp.float64(1.0e30))
    query = wp.mesh_query_point_sign_normal(mesh, flat, wp.float32(reach))
    if not query.result:
        return far
    corners = wp.mat33d()
    for k in range(3):
        corner = wp.mesh_get_point(mesh, query.face * 3 + k)
        for axis in range(3):
            corners[k, axis] = wp.float64(corner[axis])
    a, b, c = corners[0], corners[1], corners[2]
    weights = triangle_weights(a - point, b - point, c - point)
    face = wp.normalize(wp.cross(b - a, c - a))
    off = point - (weights[0] * a + weights[1] * b + weights[2] * c)
    distance = wp.length(off)
    side = wp.float64(query.sign)
    if is_open:
        side = wp.float64(1.0)
        if wp.dot(face, off) < wp.float64(0.0):
            side = wp.float64(-1.0)
    normal = face
    if distance > wp.float64(1.0e-9):
        normal = side * off / distance
    return with_normal(normal, side * distance)


@wp.func
def distance_to(kind: int, size: vec3d, mesh: wp.uint64, point: vec3d, reach: wp.float64) -> vec4d:
    """Return the outward normal and the signed distance of a point in the frame of a shape [m].

    Args:
        kind: Kind of the shape, a value of `GeoType`.
        size: Its sizes, as `compute_inertia_shape` takes them.
        mesh: Identifier of its hierarchy of triangles, if it has one.
        point: The point [m].
        reach: Distance beyond which triangles are not searched [m].
    """
    if kind == PLANE:
        return sheet(point, size[0], size[1])
    if kind == SPHERE:
        return ball(point, size[0])
    if kind == CAPSULE:
        along = wp.clamp(point[2], -size[1], size[1])
        return ball(point - vec3d(wp.float64(0.0), wp.float64(0.0), along), size[0])
    if kind == BOX:
        return brick(point, size)
    if kind == CYLINDER:
        return turned_profile(point, size[0], size[0], size[1])
    if kind == CONE:
        return turned_profile(point, size[0], wp.float64(0.0), size[1])
    if kind == ELLIPSOID:
        return ellipsoid(point, size)
    return triangles(mesh, point, reach, kind == HFIELD)
