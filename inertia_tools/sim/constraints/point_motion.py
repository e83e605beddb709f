# SPDX-FileCopyrightText: The inertia_tools authors
# SPDX-License-Identifier: Apache-2.0
"""Motion of a contact's point: with a corner, with the centre of a round feature, or between two bodies."""

from functools import lru_cache
from types import SimpleNamespace
from typing import Any

import warp as wp

from inertia_tools.sim.collide.anchors import AnchorKind, measure_function
from inertia_tools.sim.collide.placement import placement_functions
from inertia_tools.sim.collide.signed_distance import distance_functions
from inertia_tools.sim.collide.time_of_impact import impact_time_functions
from inertia_tools.sim.kernels.constants import END_TENSOR_TURN_SQUARED, FAR_POINT_TURN_SQUARED, LEAST_TURN_SQUARED
from inertia_tools.sim.kernels.motion import motion_functions
from inertia_tools.sim.kernels.precision import Precision
from inertia_tools.sim.kernels.rounding import rounding_functions
from inertia_tools.sim.kernels.scene_types import scene_type


@lru_cache(maxsize=2)
def point_functions(p: Precision) -> Any:
    """Return the device functions of one precision."""
    Scene = wp.ref[scene_type(p)]
    scalar, vec3, quat = p.scalar, p.vec3, p.quat
    Bodies, Row, Body = p.references("Bodies", "Row", "Body")
    rounding, motion = rounding_functions(p), motion_functions(p)
    exact, exact_quat, rounded = rounding.exact, rounding.exact_quat, rounding.rounded
    is_static = motion.is_static
    orientation = motion.orientation
    place_of_feature = distance_functions(p).place_of_feature
    exact_arm_of = placement_functions(p, exact=p.name == "float32").arm_of
    late_turn, least_turn = wp.constant(scalar(END_TENSOR_TURN_SQUARED)), wp.constant(scalar(LEAST_TURN_SQUARED))
    far_turn = wp.constant(scalar(FAR_POINT_TURN_SQUARED))
    deepest, half = impact_time_functions(p).deepest, wp.constant(scalar(0.5))
    measure = measure_function(p, exact=p.name == "float32")
    balls, sides = wp.constant(int(AnchorKind.BALLS)), wp.constant(int(AnchorKind.SIDES))
    face_a, face_b = wp.constant(int(AnchorKind.FACE_A)), wp.constant(int(AnchorKind.FACE_B))

    @wp.func
    def body_axes(body: Body, b: int) -> quat:
        if b < 0:
            return quat(scalar(0.0), scalar(0.0), scalar(0.0), scalar(1.0))
        return body.r

    @wp.func
    def axes_before(body: Body, b: int) -> quat:
        if b < 0:
            return quat(scalar(0.0), scalar(0.0), scalar(0.0), scalar(1.0))
        return body.r0

    @wp.func
    def exact_axes(body: Body, b: int) -> wp.quatd:
        if b < 0:
            return exact_quat(body_axes(body, b))
        return orientation(body)

    @wp.func
    def share_of_second(scene: Scene, a: int, b: int) -> scalar:
        """Return the part of a relative displacement that the second body makes; the one easier to rotate makes more.

        It is weighted by the fourth power: on a slab that moves, a force off a ball's lowest point would roll the ball.
        """
        if is_static(scene.bodies, a):
            return scalar(1.0)
        if is_static(scene.bodies, b):
            return scalar(0.0)
        ease_a, ease_b = wp.trace(scene.body[a].inv_tensor), wp.trace(scene.body[b].inv_tensor)
        ease_a, ease_b = ease_a / (ease_a + ease_b), ease_b / (ease_a + ease_b)
        a4, b4 = ease_a * ease_a * ease_a * ease_a, ease_b * ease_b * ease_b * ease_b
        return b4 / (a4 + b4)

    @wp.func
    def common_velocity(scene: Scene, a: int, b: int, share_b: scalar) -> vec3:
        """Return the common velocity of two bodies [m/s]."""
        if is_static(scene.bodies, a):
            return scene.body[b].v_free
        if is_static(scene.bodies, b):
            return scene.body[a].v_free
        return scene.body[a].v_free + share_b * (scene.body[b].v_free - scene.body[a].v_free)

    @wp.func
    def squared_rotation(body: Body, h: scalar) -> scalar:
        """Return the square of a body's rotation in the substep [rad^2]."""
        return h * h * wp.dot(body.omega_free, body.omega_free)

    @wp.func
    def mean_velocity_at(body: Body, b: int, arm: vec3, h: scalar) -> vec3:
        """Return the mean velocity of a material point of a body, at an arm at the end of the substep.

        If the body rotates too far, it is that of its centre.
        """
        if b < 0:
            return vec3()
        if squared_rotation(body, h) < late_turn:
            return body.v_free + wp.cross(body.omega_free, arm)
        if squared_rotation(body, h) > far_turn:
            return body.v_free
        return body.v_free + (arm - wp.quat_rotate(body.r0, wp.quat_rotate_inv(body.r, arm))) / h

    @wp.func
    def velocity_at(body: Body, b: int, arm: vec3, h: scalar) -> vec3:
        """Return the velocity of a material point of a body, or of its centre if it rotates far in the substep."""
        if b < 0:
            return vec3()
        turn = h * body.omega_free
        if wp.dot(turn, turn) > late_turn:
            return body.v_free
        return body.v_free + wp.cross(body.omega_free, arm)

    @wp.func
    def is_rotating(body: Body, b: int, h: scalar) -> bool:
        """Return whether a body rotates in the substep."""
        if b < 0:
            return False
        return squared_rotation(body, h) > least_turn

    @wp.func
    def rotates_far(body: Body, b: int, h: scalar) -> bool:
        """Return whether a body rotates so far in the substep that start positions of its points are no guide."""
        if b < 0:
            return False
        return squared_rotation(body, h) > far_turn

    @wp.func
    def rotate_far_apart(body: wp.array(dtype=p.Body), a: int, b: int, h: scalar) -> bool:
        """Return whether two bodies rotate so far relative to each other that their contact is taken at the end."""
        turn = vec3()
        if a >= 0:
            turn = body[a].omega_free
        if b >= 0:
            turn = turn - body[b].omega_free
        return h * h * wp.dot(turn, turn) > far_turn

    @wp.func
    def is_on_joint(bodies: Bodies, b: int) -> bool:
        """Return whether a body is on a joint: it does not move freely."""
        return not is_static(bodies, b) and bodies.is_free_body[b] == 0

    @wp.func
    def rim_displacement(scene: Scene, row: Row, n: vec3, before: vec3) -> vec3:
        """Return the displacement of a rim's lowest point about the rim's centre in free motion.

        The contact of a disk that rolls on its rim moves round it: a force at its end position would brake the disk. A
        body that rolls on a rim moves the contact round it too, by the change of the normal.
        """
        shape, solid, a = row.shape, row.solid, row.body_a
        now = deepest(scene.shapes, shape, solid, body_axes(scene.body[a], a), n)
        then = deepest(scene.shapes, shape, solid, axes_before(scene.body[a], a), before)
        if wp.dot(now, then) > half * wp.dot(now, now):
            return now - then
        return vec3()

    @wp.func
    def between(scene: Scene, a: int, b: int) -> vec3:
        """Return the vector from the centre of one body to that of another; the world's centre is its origin."""
        displacement = vec3()
        if b >= 0:
            displacement = scene.body[b].x
        if a >= 0:
            displacement = displacement - scene.body[a].x
        return displacement

    @wp.func
    def axes_at(body: Body, b: int, at_end: int) -> wp.quatd:
        """Return the orientation of a body at the end of free motion, or at its start."""
        if at_end == 1:
            return exact_axes(body, b)
        return exact_quat(axes_before(body, b))

    @wp.func
    def anchored_point(scene: Scene, row: Row, share_b: scalar, displacement: vec3, at_end: int) -> wp.vec3d:
        """Return the point of a persistent contact from the centre of the first body.

        `displacement` is the later displacement of the second body relative to the first one.
        """
        a, b = row.body_a, row.body_b
        ra, rb = axes_at(scene.body[a], a, at_end), axes_at(scene.body[b], b, at_end)
        c = scene.anchored.contact[row.feature]
        _n, _gap, on_a, on_b = measure(
            scene.colliders, c, wp.vec3d(), ra, exact(between(scene, a, b) - displacement), rb
        )
        return on_a + wp.float64(share_b) * (on_b - on_a)

    @wp.func
    def anchored_reach(scene: Scene, row: Row, at_end: int) -> wp.vec3d:
        """Return the vector from the centre of the round feature of a persistent contact to its point on a plane."""
        a, b = row.body_a, row.body_b
        c = scene.anchored.contact[row.feature]
        if c.kind == face_a:
            point = anchored_point(scene, row, scalar(1.0), vec3(), at_end) - exact(between(scene, a, b))
            return point - wp.quat_rotate(axes_at(scene.body[b], b, at_end), c.centre_b)
        point = anchored_point(scene, row, scalar(0.0), vec3(), at_end)
        return point - wp.quat_rotate(axes_at(scene.body[a], a, at_end), c.centre_a)

    @wp.func
    def displacement_round(now: wp.vec3d, then: wp.vec3d) -> wp.vec3d:
        """Return the displacement of a point about a centre; zero if it goes round by over 60 degrees.

        The lowest point of a rim that is nearly flat jumps; see `rim_displacement`.
        """
        if wp.dot(now, then) > wp.float64(0.5) * wp.dot(now, now):
            return now - then
        return wp.vec3d()

    @wp.func
    def reach_displacement(scene: Scene, row: Row) -> wp.vec3d:
        """Return the displacement of the point of a persistent contact about its round feature in free motion."""
        return displacement_round(anchored_reach(scene, row, 1), anchored_reach(scene, row, 0))

    @wp.func
    def anchored_velocity(scene: Scene, row: Row, share_b: scalar, h: scalar) -> vec3:
        """Return the mean velocity of the point of a persistent contact in free motion."""
        a, b = row.body_a, row.body_b
        va, vb = vec3(), vec3()
        if a >= 0:
            va = scene.body[a].v_free
        if b >= 0:
            vb = scene.body[b].v_free
        now = anchored_point(scene, row, share_b, vec3(), 1)
        then = anchored_point(scene, row, share_b, h * (vb - va), 0)
        displacement = now - then
        kind = scene.anchored.contact[row.feature].kind
        if kind == face_a or kind == face_b:  # noqa: SIM109 (Warp)
            reach, reach_before = anchored_reach(scene, row, 1), anchored_reach(scene, row, 0)
            displacement = displacement - (reach - reach_before) + displacement_round(reach, reach_before)
        return va + rounded(displacement / wp.float64(h))

    @wp.func
    def point_velocity(scene: Scene, row: Row, n: vec3, share_b: scalar, h: scalar) -> vec3:
        """Return the velocity of the point of a row: of a corner, or of the centre of a round feature.

        Where the normal rotates, the point moves about that centre too. It lies between two round bodies, between
        crossed edges, and between bodies on joints.
        """
        a, b = row.body_a, row.body_b
        if is_on_joint(scene.bodies, a) or is_on_joint(scene.bodies, b):
            return common_velocity(scene, a, b, share_b)
        if row.pair < 0:
            if rotates_far(scene.body[a], a, h) or rotates_far(scene.body[b], b, h):
                return common_velocity(scene, a, b, share_b)
            c = scene.anchored.contact[row.feature]
            if (c.kind == balls or c.kind == sides) and wp.dot(n, row.normal) > half:
                centre = rounded(wp.quat_rotate(exact_axes(scene.body[a], a), c.centre_a))
                return velocity_at(scene.body[a], a, centre, h) - (scalar(c.semi[0]) / h) * (n - row.normal)
            return anchored_velocity(scene, row, share_b, h)
        shape = row.shape
        feature = place_of_feature(scene.shapes, shape, row.solid, row.feature)
        centre = rounded(exact_arm_of(scene.shapes, scene.body, shape, exact(scene.shapes.feature[feature])))
        velocity = mean_velocity_at(scene.body[a], a, centre, h)
        if wp.dot(n, row.normal) > half:
            velocity = velocity - (scene.shapes.radius[feature] / h) * (n - row.normal)
        if scene.shapes.is_rim[feature] == 1 and not rotates_far(scene.body[a], a, h):
            velocity = velocity + rim_displacement(scene, row, n, row.normal) / h
        return velocity

    return SimpleNamespace(
        velocity_at=velocity_at,
        body_axes=body_axes,
        exact_axes=exact_axes,
        share_of_second=share_of_second,
        common_velocity=common_velocity,
        is_rotating=is_rotating,
        rotate_far_apart=rotate_far_apart,
        is_on_joint=is_on_joint,
        rim_displacement=rim_displacement,
        reach_displacement=reach_displacement,
        point_velocity=point_velocity,
    )
