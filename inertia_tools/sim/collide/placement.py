# SPDX-FileCopyrightText: The inertia_tools authors
# SPDX-License-Identifier: Apache-2.0
"""Poses of shapes and their feature points in the world, and their distances."""

from functools import lru_cache
from types import SimpleNamespace
from typing import Any

import warp as wp

from inertia_tools.sim.collide.signed_distance import distance_functions
from inertia_tools.sim.kernels.motion import motion_functions
from inertia_tools.sim.kernels.precision import Precision, precision
from inertia_tools.sim.kernels.rounding import rounding_functions
from inertia_tools.sim.kernels.scene_types import scene_type


@lru_cache(maxsize=4)
def placement_functions(p: Precision, exact: bool = False) -> Any:
    """Return the device functions of one precision.

    Args:
        p: Types of bodies and shapes.
        exact: Calculate in double precision in any case: gaps are small differences, and their rounding errors become
            forces, divided by the square of the substep.
    """
    Scene = wp.ref[scene_type(p)]
    wide = precision("float64") if exact else p
    scalar, vec3, vec4, quat = wide.scalar, wide.vec3, wide.vec4, wide.quat
    Shapes, Body = p.references("Shapes", "Body")
    distances, solids = distance_functions(p, exact), distance_functions(p)
    distance, distance_from = distances.distance, distances.distance_from
    place_of_feature, rim_radius = solids.place_of_feature, solids.rim_radius
    exactly, orientation = rounding_functions(p), motion_functions(p).orientation

    if exact:
        vector, turned, orientation_of = exactly.exact, exactly.exact_quat, orientation
    else:
        single = p.vec3

        @wp.func
        def vector(v: single) -> single:
            return v

        @wp.func
        def turned(q: quat) -> quat:
            return q

        @wp.func
        def orientation_of(body: Body) -> quat:
            return body.r

    @wp.func
    def origin(shapes: Shapes, now: wp.array(dtype=p.Body), s: int) -> vec3:
        """Return the origin of a shape's frame in the world [m]."""
        b = shapes.body[s]
        if b < 0:
            return vector(shapes.point[s])
        return vector(now[b].x) + wp.quat_rotate(orientation_of(now[b]), vector(shapes.point[s]))

    @wp.func
    def axes(shapes: Shapes, now: wp.array(dtype=p.Body), s: int) -> quat:
        """Return the orientation of a shape in the world."""
        b = shapes.body[s]
        if b < 0:
            return turned(shapes.frame[s])
        return orientation_of(now[b]) * turned(shapes.frame[s])

    @wp.func
    def arm_of(shapes: Shapes, now: wp.array(dtype=p.Body), s: int, local: vec3) -> vec3:
        """Return the vector to a point of a shape from its body's centre, or from the world's origin, world axes."""
        b = shapes.body[s]
        arm = vector(shapes.point[s]) + wp.quat_rotate(turned(shapes.frame[s]), local)
        if b < 0:
            return arm
        return wp.quat_rotate(orientation_of(now[b]), arm)

    @wp.func
    def seen_from(shapes: Shapes, now: wp.array(dtype=p.Body), a: int, s: int, arm: vec3) -> vec3:
        """Return the vector from the origin of shape s to the point at an arm of the body of shape a, world axes.

        Differences of centres are formed first, then those of arms, then those of the low-order parts of positions. So
        the distance of the scene from the world's origin does not reduce the accuracy.
        """
        one, other = shapes.body[a], shapes.body[s]
        start, rest, low = arm, vec3(), vec3()
        if one >= 0:
            start = vector(now[one].x)
            rest = arm + vec3()
            low = vector(now[one].x_low)
        if other < 0:
            return ((start - vector(shapes.point[s])) + rest) + (low - vector(shapes.low[s]))
        back = wp.quat_rotate(orientation_of(now[other]), vector(shapes.point[s]))
        return ((start - vector(now[other].x)) + (rest - back)) + (low - vector(now[other].x_low))

    @wp.func
    def distance_at(shapes: Shapes, now: wp.array(dtype=p.Body), a: int, s: int, arm: vec3) -> vec4:
        """Return outward normal and signed distance to a solid of a point at an arm of another body, in the world.

        The first three components are the normal, the last is the distance [m].
        """
        frame = axes(shapes, now, s)
        found = distance(shapes, s, wp.quat_rotate_inv(frame, seen_from(shapes, now, a, s, arm)))
        n = wp.quat_rotate(frame, vec3(found[0], found[1], found[2]))
        return vec4(n[0], n[1], n[2], found[3])

    @wp.func
    def distance_after(
        scene: Scene, a: int, s: int, arm: vec3, radius: scalar, known: vec3, way: vec3, forced: vec3
    ) -> vec4:
        """Return the same for a point that entered through a face with a known normal; see `distance_from`.

        `known` is the normal of the face, `way` the displacement of the point in this substep, and `forced` the part of
        it by applied forces [m], all in world axes.

        A face that presses against a corner stops it, so the corner enters through the face that it reaches without
        forces. Forces alone would carry a light finger past the edge of what it presses, and through its end.
        """
        frame = axes(scene.shapes, scene.body, s)
        at = wp.quat_rotate_inv(frame, seen_from(scene.shapes, scene.body, a, s, arm))
        entered = wp.quat_rotate_inv(frame, known)
        path, by_forces = wp.quat_rotate_inv(frame, way), wp.quat_rotate_inv(frame, forced)
        led = distance_from(scene.shapes, s, at - by_forces, radius, entered, path - by_forces)
        found = distance_from(scene.shapes, s, at, radius, vec3(led[0], led[1], led[2]), path)
        n = wp.quat_rotate(frame, vec3(found[0], found[1], found[2]))
        return vec4(n[0], n[1], n[2], found[3])

    @wp.func
    def deepest_on_rim(shapes: Shapes, now: wp.array(dtype=p.Body), a: int, centre: vec3, s: int) -> vec3:
        """Return the arm of the deepest point of a cap's rim in a solid, or of its centre if the cap lies flat."""
        found = distance_at(shapes, now, a, s, centre)
        n = vec3(found[0], found[1], found[2])
        axis = wp.quat_rotate(axes(shapes, now, a), vec3(scalar(0.0), scalar(0.0), scalar(1.0)))
        down = wp.dot(n, axis) * axis - n
        steep = wp.length(down)
        if steep < scalar(1.0e-6):
            return centre
        return centre + (scalar(rim_radius(shapes, a, s)) / steep) * down

    @wp.func
    def clearance(shapes: Shapes, now: wp.array(dtype=p.Body), pair: int) -> scalar:
        """Return the gap of the bounding spheres of two shapes; negative when they overlap [m]."""
        a = shapes.pair_feature[pair]
        s = shapes.pair_solid[pair]
        centre = origin(shapes, now, a)
        if shapes.reach[s] < scalar(0.0):
            found = distance_at(shapes, now, a, s, arm_of(shapes, now, a, vec3()))
            return found[3] - scalar(shapes.reach[a])
        return wp.length(centre - origin(shapes, now, s)) - scalar(shapes.reach[a]) - scalar(shapes.reach[s])

    @wp.func
    def spot(shapes: Shapes, now: wp.array(dtype=p.Body), pair: int, i: int) -> vec3:
        """Return the arm of the deepest point of a feature in the solid of its pair, without the rounding radius."""
        a = shapes.pair_feature[pair]
        s = shapes.pair_solid[pair]
        feature = place_of_feature(shapes, a, s, i)
        arm = arm_of(shapes, now, a, vector(shapes.feature[feature]))
        if shapes.is_rim[feature] == 1:
            arm = deepest_on_rim(shapes, now, a, arm, s)
        return arm

    @wp.func
    def place_of(shapes: Shapes, now: wp.array(dtype=p.Body), a: int, arm: vec3) -> vec3:
        """Return the position in the world of a point at an arm of a shape's body [m]."""
        if shapes.body[a] < 0:
            return arm
        return vector(now[shapes.body[a]].x) + arm

    return SimpleNamespace(
        axes=axes,
        origin=origin,
        arm_of=arm_of,
        seen_from=seen_from,
        distance_at=distance_at,
        distance_after=distance_after,
        place_of=place_of,
        place_of_feature=place_of_feature,
        clearance=clearance,
        spot=spot,
    )
