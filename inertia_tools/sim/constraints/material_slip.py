# SPDX-FileCopyrightText: The inertia_tools authors
# SPDX-License-Identifier: Apache-2.0
"""Slip of a sticking contact, measured on material points of its bodies.

The velocity at one instant times the substep is not the displacement of a rotating point. On a turntable the difference
has one direction, and the slip that friction holds would grow by about 0.4 r omega^3 h^3 in each substep. So the motion
of the feature's centre, a material point of the one body, is computed from the poses of both bodies at the start and
end, relative to the other body. The body rolls about that centre by the difference of both rotations: a ball that rolls
does not slip. A body at rest on a rotating one neither moves nor rolls along it, to rounding.
"""

from functools import lru_cache
from types import SimpleNamespace
from typing import Any

import warp as wp

from inertia_tools.sim.collide.anchors import AnchorKind
from inertia_tools.sim.collide.placement import placement_functions
from inertia_tools.sim.collide.signed_distance import distance_functions
from inertia_tools.sim.collide.time_of_impact import impact_time_functions
from inertia_tools.sim.constraints.point_motion import point_functions
from inertia_tools.sim.kernels.motion import motion_functions
from inertia_tools.sim.kernels.precision import Precision, precision
from inertia_tools.sim.kernels.rotation import rotation_functions
from inertia_tools.sim.kernels.rounding import rounding_functions
from inertia_tools.sim.kernels.scene_types import scene_type
from inertia_tools.sim.scene.convex import SolidKind


@lru_cache(maxsize=2)
def slip_functions(p: Precision) -> Any:
    """Return the device functions of one precision."""
    Scene = wp.ref[scene_type(p)]
    scalar, vec3, wide_vec3 = p.scalar, p.vec3, precision("float64").vec3
    Shapes, Row, Body = p.references("Shapes", "Row", "Body")
    rounding, orientation, whole = rounding_functions(p), motion_functions(p).orientation, rotation_functions(p).whole
    exact = rounding.exact
    place_of_feature, impact_time = distance_functions(p).place_of_feature, impact_time_functions(p)
    place_of, points = impact_time.place_of, point_functions(p)
    rim_displacement, reach_displacement = points.rim_displacement, points.reach_displacement
    exact_arm_of = placement_functions(p, exact=p.name == "float32").arm_of
    face_a, face_b = wp.constant(int(AnchorKind.FACE_A)), wp.constant(int(AnchorKind.FACE_B))
    plane, box, hull = (wp.constant(int(kind)) for kind in (SolidKind.PLANE, SolidKind.BOX, SolidKind.HULL))
    half, two = wp.constant(wp.float64(0.5)), wp.constant(wp.float64(2.0))
    zero, one = wp.constant(wp.float64(0.0)), wp.constant(wp.float64(1.0))

    @wp.func
    def centre_displacement(body: Body, b: int, impulse_part: wp.float64, h: scalar) -> wide_vec3:
        """Return the displacement of a body's centre by free motion, plus a part of that by impulses [m]."""
        if b < 0:
            return wide_vec3()
        since = (exact(body.x) - exact(body.x_free)) + (exact(body.x_low) - exact(body.x_low_free))
        return exact(h * body.v_free) + impulse_part * since

    @wp.func
    def rotation_of(body: Body, b: int) -> wp.quatd:
        """Return the rotation of a body over the substep, world axes."""
        if b < 0:
            return wp.quatd(zero, zero, zero, one)
        return wp.normalize(orientation(body) * wp.quat_inverse(whole(body.r0, body.r0_low)))

    @wp.func
    def angle_of(q: wp.quatd) -> wide_vec3:
        """Return the rotation vector of a rotation [rad]."""
        v = wide_vec3(q[0], q[1], q[2])
        if q[3] < zero:
            v = -v
        size = wp.length(v)
        if size == zero:
            return v
        return (two * wp.atan2(size, wp.abs(q[3])) / size) * v

    @wp.func
    def slip_along(
        body: wp.array(dtype=p.Body),
        a: int,
        b: int,
        local: wide_vec3,
        rolling_arm: wide_vec3,
        slip_before: wide_vec3,
        impulse_part: wp.float64,
        h: scalar,
    ) -> wide_vec3:
        """Return the slip of a material centre of one body along another, including the rolling about it.

        `rolling_arm` is the vector from the centre to the contact, `slip_before` the slip so far. The displacement is
        in world axes at the end of the substep; the slip so far rotates with the other body.
        """
        centre = local
        if a >= 0:
            centre = wp.quat_rotate(orientation(body[a]), local)
        turn_a, turn_b = rotation_of(body[a], a), rotation_of(body[b], b)
        between = place_of(body[a], a) - place_of(body[b], b) + centre
        displacement = centre_displacement(body[a], a, impulse_part, h) - centre_displacement(
            body[b], b, impulse_part, h
        )
        displacement = displacement + (centre - wp.quat_rotate_inv(turn_a, centre))
        slip = wp.quat_rotate(turn_b, displacement) + (between - wp.quat_rotate(turn_b, between))
        by_b = angle_of(turn_b)
        rolled = angle_of(turn_a) - by_b
        return (
            slip + wp.cross(rolled + half * wp.cross(by_b, rolled), rolling_arm) + wp.quat_rotate(turn_b, slip_before)
        )

    @wp.func
    def has_body_fixed_normal(shapes: Shapes, row: Row) -> bool:
        """Return whether the normal of a row is fixed in the solid's body: that of a face, or at a corner."""
        kind = shapes.kind[row.solid]
        if kind == plane or kind == box or kind == hull:  # noqa: SIM109 (Warp)
            return True
        feature = place_of_feature(shapes, row.shape, row.solid, row.feature)
        return shapes.is_rim[feature] == 0 and scalar(2.0) * shapes.radius[feature] <= shapes.half_thickness[row.shape]

    @wp.func
    def set_rolling_centre(scene: Scene, row: Row, n: vec3, arm: vec3):
        """Set the centre that a contact at an arm of the first body rolls about, and the body that it is fixed in."""
        a, b = row.body_a, row.body_b
        row.rolling_body = int(0)
        if row.pair < 0:
            c = scene.anchored.contact[row.feature]
            if c.kind == face_b:
                row.rolling_body = int(1)
                row.rolling_centre = c.centre_a
            elif c.kind == face_a:
                row.rolling_body = int(-1)
                row.rolling_centre = c.centre_b
        elif has_body_fixed_normal(scene.shapes, row):
            row.rolling_body = int(1)
            feature = place_of_feature(scene.shapes, row.shape, row.solid, row.feature)
            row.rolling_centre = exact_arm_of(scene.shapes, scene.body, row.shape, exact(scene.shapes.feature[feature]))
            if a >= 0:
                row.rolling_centre = wp.quat_rotate_inv(orientation(scene.body[a]), row.rolling_centre)
        at, holder = exact(arm), int(a)
        if row.rolling_body < 0:
            at = at + place_of(scene.body[a], a) - place_of(scene.body[b], b)
            holder = b
        row.rolling_arm = at - row.rolling_centre
        if holder >= 0:
            row.rolling_arm = at - wp.quat_rotate(orientation(scene.body[holder]), row.rolling_centre)
        if row.pair < 0 and row.rolling_body != 0:
            if wp.length_sq(scene.anchored.contact[row.feature].semi) > zero:
                row.rolling_arm = row.rolling_arm - half * reach_displacement(scene, row)
        if row.pair >= 0 and row.rolling_body > 0 and a >= 0:
            if scene.shapes.is_rim[place_of_feature(scene.shapes, row.shape, row.solid, row.feature)] == 1:
                row.rolling_arm = row.rolling_arm - half * exact(rim_displacement(scene, row, n, n))

    @wp.func(inline=False)
    def slip_correction_of(
        row: Row,
        body: wp.array(dtype=p.Body),
        slip_before: vec3,
        displacement: wide_vec3,
        impulse_part: wp.float64,
        h: scalar,
    ) -> wide_vec3:
        """Return the second-order terms of the slip that `slip_before` and `displacement` neglect.

        `displacement` is that in this substep, which includes displacements by impulses if `impulse_part` is 1, and is
        that of free motion if it is 0.
        """
        a, b, slip_so_far = row.body_a, row.body_b, exact(slip_before)
        if row.rolling_body > 0:
            return slip_along(body, a, b, row.rolling_centre, row.rolling_arm, slip_so_far, impulse_part, h) - (
                slip_so_far + displacement
            )
        if row.rolling_body < 0:
            return -slip_along(body, b, a, row.rolling_centre, row.rolling_arm, -slip_so_far, impulse_part, h) - (
                slip_so_far + displacement
            )
        return wide_vec3()

    return SimpleNamespace(set_rolling_centre=set_rolling_centre, slip_correction_of=slip_correction_of)
