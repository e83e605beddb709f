# SPDX-FileCopyrightText: The inertia_tools authors
# SPDX-License-Identifier: Apache-2.0
"""How the point of a contact moves while its bodies do: with a corner, with the centre of what is round, or between."""

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
        """Return how much of what is between two bodies the second does; that which is easier to turn does more.

        By the fourth power: on a slab that is moved, a force that is off a ball's lowest point would roll it.
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
        """Return the velocity that two bodies have in common."""
        if is_static(scene.bodies, a):
            return scene.body[b].v_free
        if is_static(scene.bodies, b):
            return scene.body[a].v_free
        return scene.body[a].v_free + share_b * (scene.body[b].v_free - scene.body[a].v_free)

    @wp.func
    def squared_rotation(body: Body, h: scalar) -> scalar:
        """Return the square of the angle that a body turns by in the substep [rad^2]."""
        return h * h * wp.dot(body.omega_free, body.omega_free)

    @wp.func
    def mean_velocity_at(body: Body, b: int, arm: vec3, h: scalar) -> vec3:
        """Return the mean velocity of a point that is fixed in a body and at an arm at the end of the substep.

        That of the body's centre, if it turns too far for that.
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
        """Return how fast a point fixed in a body moves, or its centre where it turns far in the substep."""
        if b < 0:
            return vec3()
        turn = h * body.omega_free
        if wp.dot(turn, turn) > late_turn:
            return body.v_free
        return body.v_free + wp.cross(body.omega_free, arm)

    @wp.func
    def is_rotating(body: Body, b: int, h: scalar) -> bool:
        """Tell whether a body turns in the substep."""
        if b < 0:
            return False
        return h * h * wp.dot(body.omega_free, body.omega_free) > least_turn

    @wp.func
    def rotates_far(body: Body, b: int, h: scalar) -> bool:
        """Tell whether a body turns so far in the substep that where a point of it was is no guide."""
        if b < 0:
            return False
        return squared_rotation(body, h) > far_turn

    @wp.func
    def rotate_far_apart(now: wp.array(dtype=p.Body), a: int, b: int, h: scalar) -> bool:
        """Tell whether two bodies turn so far against each other that their contact is taken at the end."""
        turn = vec3()
        if a >= 0:
            turn = now[a].omega_free
        if b >= 0:
            turn = turn - now[b].omega_free
        return h * h * wp.dot(turn, turn) > far_turn

    @wp.func
    def is_on_joint(bodies: Bodies, b: int) -> bool:
        """Tell whether joints hold a body: its free motion is not how it moves."""
        return not is_static(bodies, b) and bodies.is_free_body[b] == 0

    @wp.func
    def rim_displacement(scene: Scene, row: Row, n: vec3, before: vec3) -> vec3:
        """Return how far the lowest point of a rim has gone about the rim's centre in free motion.

        A disk that rolls on its rim has its point of contact go round it: a force where that point ends would brake it.
        What rolls on a rim takes it round too: the normal was another one before.
        """
        shape, solid, a = row.shape, row.solid, row.body_a
        now = deepest(scene.shapes, shape, solid, body_axes(scene.body[a], a), n)
        then = deepest(scene.shapes, shape, solid, axes_before(scene.body[a], a), before)
        if wp.dot(now, then) > half * wp.dot(now, now):
            return now - then
        return vec3()

    @wp.func
    def between(scene: Scene, a: int, b: int) -> vec3:
        """Return the way from the centre of one body to that of another, the world's origin for none."""
        way = vec3()
        if b >= 0:
            way = scene.body[b].x
        if a >= 0:
            way = way - scene.body[a].x
        return way

    @wp.func
    def axes_at(body: Body, b: int, at_end: int) -> wp.quatd:
        """Return the axes of a body at the end of the free motion, or at its beginning."""
        if at_end == 1:
            return exact_axes(body, b)
        return exact_quat(axes_before(body, b))

    @wp.func
    def anchored_point(scene: Scene, row: Row, share_b: scalar, way: vec3, at_end: int) -> wp.vec3d:
        """Return the point of an anchored contact from the centre of the first body, which the second left by `way`."""
        a, b = row.body_a, row.body_b
        ra, rb = axes_at(scene.body[a], a, at_end), axes_at(scene.body[b], b, at_end)
        c = scene.anchored.contact[row.feature]
        _n, _gap, on_a, on_b = measure(scene.colliders, c, wp.vec3d(), ra, exact(between(scene, a, b) - way), rb)
        return on_a + wp.float64(share_b) * (on_b - on_a)

    @wp.func
    def anchored_velocity(scene: Scene, row: Row, share_b: scalar, h: scalar) -> vec3:
        """Return the mean velocity of the point of an anchored contact in free motion."""
        a, b = row.body_a, row.body_b
        va, vb = vec3(), vec3()
        if a >= 0:
            va = scene.body[a].v_free
        if b >= 0:
            vb = scene.body[b].v_free
        now = anchored_point(scene, row, share_b, vec3(), 1)
        then = anchored_point(scene, row, share_b, h * (vb - va), 0)
        return va + rounded((now - then) / wp.float64(h))

    @wp.func
    def point_velocity(scene: Scene, row: Row, n: vec3, share_b: scalar, h: scalar) -> vec3:
        """Return how fast the point of a row moves: with a corner, or with the centre of what is round there.

        Where the normal turns, the point goes round that centre too: it lies between two round bodies. Crossed edges
        have it between them, and so does what is on joints.
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
        point_velocity=point_velocity,
    )
