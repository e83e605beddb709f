# SPDX-FileCopyrightText: The inertia_tools authors
# SPDX-License-Identifier: Apache-2.0
"""Contact rows: found once a step (`contact_finding`), measured once a substep, linear in displacements from then on.

A row is a feature of one shape that may touch the solid of another during the step. In each substep its point, normal
and gap are measured after free motion; like joints, it is then linear in the displacements of its two bodies by
impulses (step 2 in docs/solver.md).
"""

from functools import lru_cache
from types import SimpleNamespace
from typing import Any

import warp as wp

from inertia_tools.sim.collide.anchors import AnchorKind, measure_function
from inertia_tools.sim.collide.placement import placement_functions
from inertia_tools.sim.collide.time_of_impact import impact_time_functions
from inertia_tools.sim.constraints.forced_motion import forced_functions
from inertia_tools.sim.constraints.material_slip import slip_functions
from inertia_tools.sim.constraints.point_motion import point_functions
from inertia_tools.sim.kernels.constants import (
    LEAST_RECOVERY,
    NEW_CONTACT_GAP,
    OVERLAP_ROUNDING,
    PASSED_THROUGH_COSINE,
    RECOVERY_DEPTH,
    RECOVERY_HEIGHT,
    RECOVERY_SPEED,
    SWEPT_RECOVERY_SPEED,
)
from inertia_tools.sim.kernels.motion import motion_functions
from inertia_tools.sim.kernels.precision import Precision, precision
from inertia_tools.sim.kernels.rounding import rounding_functions
from inertia_tools.sim.kernels.scene_types import scene_type


@lru_cache(maxsize=2)
def contact_row_functions(p: Precision) -> Any:
    """Return the device functions of one precision."""
    Scene = wp.ref[scene_type(p)]
    scalar, vec3, wide_vec3 = p.scalar, p.vec3, precision("float64").vec3
    measure = measure_function(p, exact=p.name == "float32")
    Contacts, Row, Body, Shapes = p.references("Contacts", "Row", "Body", "Shapes")
    motion, points = motion_functions(p), point_functions(p)
    share_of_second, common_velocity = points.share_of_second, points.common_velocity
    point_velocity, is_rotating, rotate_far_apart = points.point_velocity, points.is_rotating, points.rotate_far_apart
    set_rolling_centre, slip_correction_of = slip_functions(p).set_rolling_centre, slip_functions(p).slip_correction_of
    body_axes, exact_axes, is_on_joint = points.body_axes, points.exact_axes, points.is_on_joint
    mobility, free_displacement_at = motion.mobility, motion.free_displacement_at
    displacement_by_impulses = motion.displacement_by_impulses
    is_static = motion.is_static
    forced = forced_functions(p)
    omitted_displacement, forced_displacement = forced.omitted_displacement, forced.forced_displacement
    impact_time = impact_time_functions(p)
    passable, first_meeting = impact_time.passable, impact_time.first_meeting
    exact_placement = placement_functions(p, exact=p.name == "float32")
    exact_distance_at, exact_spot = exact_placement.distance_at, exact_placement.spot
    exact_distance_after = exact_placement.distance_after
    place_of_feature = impact_time.place_of_feature
    exact, rounded = rounding_functions(p).exact, rounding_functions(p).rounded
    rounding = wp.constant(scalar(OVERLAP_ROUNDING[p.name]))
    passed_through, new_contact_gap = wp.constant(scalar(PASSED_THROUGH_COSINE)), wp.constant(scalar(NEW_CONTACT_GAP))
    swept_recovery_speed = wp.constant(scalar(SWEPT_RECOVERY_SPEED))
    recovery_speed, per_depth = wp.constant(scalar(RECOVERY_SPEED)), wp.constant(scalar(1.0 / RECOVERY_DEPTH))
    least_recovery = wp.constant(scalar(LEAST_RECOVERY))
    twice_height = wp.constant(scalar(2.0 * RECOVERY_HEIGHT))
    half = wp.constant(scalar(0.5))
    balls, sides = wp.constant(int(AnchorKind.BALLS)), wp.constant(int(AnchorKind.SIDES))

    @wp.func
    def position_of(body: Body, b: int) -> vec3:
        if b < 0:
            return vec3()
        return body.x

    @wp.func
    def position_low_of(body: Body, b: int) -> vec3:
        if b < 0:
            return vec3()
        return body.x_low

    @wp.func
    def some_tangent(n: vec3) -> vec3:
        """Return a unit vector orthogonal to another."""
        other = vec3(scalar(1.0), scalar(0.0), scalar(0.0))
        if wp.abs(n[0]) > scalar(0.6):
            other = vec3(scalar(0.0), scalar(1.0), scalar(0.0))
        return wp.normalize(wp.cross(n, other))

    @wp.func
    def arm_from(body: wp.array(dtype=p.Body), a: int, b: int, arm: vec3) -> vec3:
        """Return a point at an arm of body a (a position, if a is the world) as an arm of body b."""
        if a < 0:
            return (arm - body[b].x) - body[b].x_low
        return (body[a].x - body[b].x) + ((body[a].x_low - body[b].x_low) + arm)

    @wp.func
    def free_displacement_between(
        body: wp.array(dtype=p.Body), a: int, b: int, arm_a: vec3, arm_b: vec3, h: scalar
    ) -> vec3:
        """Return the displacement of body a relative to body b by free motion, at their arms."""
        displacement = vec3()
        if a >= 0:
            displacement = free_displacement_at(body[a], arm_a, h)
        if b >= 0:
            displacement = displacement - free_displacement_at(body[b], arm_b, h)
        return displacement

    @wp.func
    def forced_displacement_between(scene: Scene, row: Row, arm_a: vec3, arm_b: vec3, h: scalar) -> vec3:
        """Return the relative displacement by applied forces that are not omitted, at the arms of the bodies."""
        displacement = vec3()
        if not is_static(scene.bodies, row.body_a):
            displacement = forced_displacement(scene.body[row.body_a], arm_a, h)
        if not is_static(scene.bodies, row.body_b):
            displacement = displacement - forced_displacement(scene.body[row.body_b], arm_b, h)
        return displacement

    @wp.func(inline=False)
    def measure_geometry(scene: Scene, row: Row, share_b: scalar, h: scalar):
        """Return normal and gap of a row at the present poses, and its point as an arm of the first body.

        The point lies on both surfaces once the gap is closed; `share_b` is the part that the second body closes.
        """
        a, b = row.body_a, row.body_b
        if row.pair < 0:
            centres = exact(position_of(scene.body[b], b)) - exact(position_of(scene.body[a], a))
            centres = centres + exact(position_low_of(scene.body[b], b) - position_low_of(scene.body[a], a))
            c = scene.anchored.contact[row.feature]
            ra, rb = exact_axes(scene.body[a], a), exact_axes(scene.body[b], b)
            normal, separation, on_a, on_b = measure(scene.colliders, c, wp.vec3d(), ra, centres, rb)
            return rounded(normal), separation, rounded(on_a) + share_b * rounded(on_b - on_a)
        feature = place_of_feature(scene.shapes, row.shape, row.solid, row.feature)
        radius = scene.shapes.radius[feature] + scene.shapes.margin[row.shape]
        corner = exact_spot(scene.shapes, scene.body, row.pair, row.feature)
        at = rounded(corner)
        margin = wp.float64(radius + scene.shapes.margin[row.solid])
        normal_and_distance = wp.vec4d()
        if scene.shapes.reach[row.solid] < scalar(0.0):  # a plane has one face
            normal_and_distance = exact_distance_at(scene.shapes, scene.body, row.shape, row.solid, corner)
        else:
            arm_b = at
            if b >= 0:
                arm_b = arm_from(scene.body, a, b, at)
            displacement = exact(free_displacement_between(scene.body, a, b, at, arm_b, h))
            forced = exact(forced_displacement_between(scene, row, at, arm_b, h))
            normal_and_distance = exact_distance_after(
                scene, row.shape, row.solid, corner, margin, exact(row.normal), displacement, forced
            )
        n = vec3(scalar(normal_and_distance[0]), scalar(normal_and_distance[1]), scalar(normal_and_distance[2]))
        separation = normal_and_distance[3] - margin
        return n, separation, at - (radius + share_b * scalar(separation)) * n

    @wp.func
    def omitted_displacement_between(body: wp.array(dtype=p.Body), row: Row, h: scalar) -> vec3:
        """Return the relative displacement by omitted forces."""
        displacement = vec3()
        if row.body_a >= 0:
            displacement = omitted_displacement(body[row.body_a], row.arm_a, h)
        if row.body_b >= 0:
            displacement = displacement - omitted_displacement(body[row.body_b], row.arm_b, h)
        return displacement

    @wp.func
    def has_moving_point(shapes: Shapes, row: Row) -> bool:
        """Return whether the point of a row depends on the normal: of a rim, or of the narrow phase."""
        if row.pair < 0:
            return True
        return shapes.is_rim[place_of_feature(shapes, row.shape, row.solid, row.feature)] == 1

    @wp.func
    def direct_recovery_speed(gravity: scalar, gap: scalar, h: scalar) -> scalar:
        """Return the speed at which an overlap of -`gap` is recovered; see `RECOVERY_HEIGHT`."""
        fastest = recovery_speed
        if gravity > scalar(0.0):
            fastest = wp.sqrt(twice_height * gravity)
        least = wp.min(fastest, least_recovery * gravity * h)
        return wp.clamp(-gap * per_depth * fastest, least, fastest)

    @wp.func
    def set_gap_target(scene: Scene, row: Row, gap: scalar, separation: wp.float64, h: scalar):
        """Set `gap_error` and `recovery`: the target gap is zero, or less for an old overlap, which is recovered."""
        normal_displacement = wp.dot(row.normal, row.free_displacement)
        gap_before = gap - normal_displacement
        speed = swept_recovery_speed
        if row.is_direct == 1:
            speed = direct_recovery_speed(scene.bodies.max_gravity[0], gap_before, h)
        target_gap = wp.min(scalar(0.0), gap_before + h * speed)
        row.gap_error = wp.float64(target_gap) - separation
        row.recovery = wp.float64(0.0)
        if gap_before < -rounding * wp.abs(normal_displacement):
            row.recovery = wp.float64(target_gap - gap_before)

    @wp.func
    def correct_slip(scene: Scene, row: Row, gap: scalar, closing: scalar, at_end: vec3, may_roll: bool, h: scalar):
        """Compute the second-order correction of the slip of a row; `at_end` is its arm at the end of the substep.

        Omitted forces close its gap by `closing` more.
        """
        row.slip_correction = wide_vec3()
        row.rolling_body = int(0)
        if may_roll and not rotate_far_apart(scene.body, row.body_a, row.body_b, h):
            set_rolling_centre(scene, row, row.normal, at_end)
        normal_displacement = wp.dot(row.normal, row.free_displacement)
        reach = new_contact_gap * wp.abs(normal_displacement + closing)
        is_new = scene.contacts.lambda_n[row.slot] == scalar(0.0) and gap - normal_displacement > reach
        if row.rolling_body != 0 and not is_new:
            row.slip_correction = slip_correction_of(
                row, scene.body, scene.contacts.slip[row.slot], exact(row.free_displacement), wp.float64(0.0), h
            )

    @wp.func
    def end_point_displacement(scene: Scene, b: int, arm: vec3, at_end: vec3, last_impulse: vec3) -> vec3:
        """Return the displacement of a contact's end point beyond that at its arm, by an impulse at the arm."""
        if is_static(scene.bodies, b):
            return vec3()
        return wp.cross(scene.body[b].inv_tensor * wp.cross(arm, last_impulse), at_end - arm)

    @wp.func
    def end_point_correction(scene: Scene, row: Row, n: vec3, at_end: vec3) -> vec3:
        """Return how far the last substep's impulse, acting at the arm, displaces the contact's end point.

        A body that rocks on a curved side gains energy without this: the row is linear at the contact's start point,
        and the gap belongs to its end point. Bodies that rotate about the centres of both sides do not, nor do corners.
        """
        if is_on_joint(scene.bodies, row.body_a) or is_on_joint(scene.bodies, row.body_b):
            return vec3()
        c = scene.anchored.contact[row.feature]
        if c.kind == balls or c.kind == sides or wp.length_sq(c.semi) == wp.float64(0.0):
            return vec3()
        last_impulse = scene.contacts.lambda_n[row.slot] * n + scene.contacts.lambda_t[row.slot]
        end_b = at_end
        if row.body_b >= 0:
            end_b = arm_from(scene.body, row.body_a, row.body_b, at_end)
        displacement = end_point_displacement(scene, row.body_a, row.arm_a, at_end, last_impulse)
        return displacement + end_point_displacement(scene, row.body_b, row.arm_b, end_b, last_impulse)

    @wp.func
    def set_effective_masses(scene: Scene, row: Row, n: vec3, arm_a: vec3, arm_b: vec3):
        """Compute the inverse effective masses of a row along its normal n and one tangent."""
        a, b, t = row.body_a, row.body_b, some_tangent(n)
        row.w_n = mobility(scene.bodies, scene.body[a], a, arm_a, n) + mobility(
            scene.bodies, scene.body[b], b, arm_b, n
        )
        row.w_t = mobility(scene.bodies, scene.body[a], a, arm_a, t) + mobility(
            scene.bodies, scene.body[b], b, arm_b, t
        )

    @wp.func
    def clear_multipliers(row: Row):
        """Start the substep of a row without multipliers, sticking."""
        row.lambda_n = scalar(0.0)
        row.lambda_t = vec3()
        row.slides = int(0)
        row.slip_incompatible = int(0)

    @wp.func(inline=False)
    def measure_row(scene: Scene, row: Row, remaining_time: scalar, h: scalar):
        """Begin a substep, or the rest of it after an impact: measure a row after free motion.

        A body so fast that it may pass through the other one is measured where they meet.

        Momenta belong to the start of the substep, the point to its end. Carried back with its own velocity, the point
        is at its start position, which is exact to the second order for pivoting bodies, and is the same for both
        bodies, so that angular momentum is conserved. A new contact is an impact at the end of free motion: it is
        carried back with the common velocity of the two bodies only, as arms at the start would leave it too deep.
        """
        a, b = row.body_a, row.body_b
        share_b = share_of_second(scene, a, b)
        n, separation, at = measure_geometry(scene, row, share_b, h)
        gap = scalar(separation)
        arm_a, arm_b = at, at
        point = position_of(scene.body[a], a) + at - ((scalar(1.0) - scalar(2.0) * share_b) * gap) * n
        if b >= 0:
            arm_b = arm_from(scene.body, a, b, at)
        displacement = free_displacement_between(scene.body, a, b, arm_a, arm_b, h)
        elapsed = h
        passable_distance = passable(scene.shapes, row)
        is_fast = wp.dot(displacement, displacement) > passable_distance * passable_distance
        if is_fast and wp.dot(n, row.normal) < passed_through and not has_moving_point(scene.shapes, row):
            n = -n
            separation = -separation - wp.float64(scalar(2.0) * passable_distance)
            gap = scalar(separation)
        elif is_fast:
            remaining, met_n, met_gap, met_at, xa, centres = first_meeting(scene, row, remaining_time, h)
            if remaining >= scalar(0.0):
                n, gap, at = met_n, met_gap, met_at
                arm_a, arm_b, point = at, at + centres, xa + at
                displacement = free_displacement_between(scene.body, a, b, arm_a, arm_b, h)
                gap = gap + (remaining / h) * wp.dot(n, displacement)
                separation = wp.float64(gap)
                elapsed = h - remaining
        rotates = is_rotating(scene.body[a], a, h) or is_rotating(scene.body[b], b, h)
        reference_velocity = common_velocity(scene, a, b, share_b)
        if scene.contacts.lambda_n[row.slot] > scalar(0.0) and rotates:
            reference_velocity = point_velocity(scene, row, n, share_b, h)
        at_end = arm_a
        if a >= 0:
            back = elapsed * (scene.body[a].v_free - reference_velocity)
            if not is_fast:
                displacement = displacement + (half * h) * wp.cross(scene.body[a].omega_free, back)
            arm_a = arm_a + back
            row.arm_a = arm_a
        if b >= 0:
            back = elapsed * (scene.body[b].v_free - reference_velocity)
            if not is_fast:
                displacement = displacement - (half * h) * wp.cross(scene.body[b].omega_free, back)
            arm_b = arm_b + back
            row.arm_b = arm_b
        set_effective_masses(scene, row, n, arm_a, arm_b)
        forced = omitted_displacement_between(scene.body, row, h)
        closing = wp.dot(n, forced)
        if row.pair < 0 and not is_fast:
            closing += wp.dot(n, end_point_correction(scene, row, n, at_end))
        clear_multipliers(row)
        row.normal = n
        row.point = point
        row.gap = gap + closing
        row.free_displacement = displacement
        set_gap_target(scene, row, gap, separation, h)
        correct_slip(scene, row, gap, closing, at_end, rotates and not is_fast, h)
        row.gap_error = row.gap_error - wp.float64(closing)
        row.free_displacement = displacement + forced

    @wp.func
    def moved_by_impulses(scene: Scene, row: Row, h: scalar) -> wide_vec3:
        """Return the relative displacement of a row's bodies by impulses of this substep so far [m]."""
        displacement = wide_vec3()
        a, b = row.body_a, row.body_b
        if not is_static(scene.bodies, a):
            displacement = displacement_by_impulses(scene.body[a], row.arm_a, h)
        if not is_static(scene.bodies, b):
            displacement = displacement - displacement_by_impulses(scene.body[b], row.arm_b, h)
        return displacement

    @wp.func
    def slip_of(contacts: Contacts, row: Row, displacement: wide_vec3) -> wide_vec3:
        """Return the slip since sticking began; `displacement` is the displacement by impulses [m]."""
        n = exact(row.normal)
        total = exact(contacts.slip[row.slot]) + exact(row.free_displacement) + row.slip_correction + displacement
        return total - wp.dot(total, n) * n

    @wp.func
    def update_slip_correction(scene: Scene, row: Row, displacement: wide_vec3, h: scalar):
        """Compute the slip correction of contacts on joints at the present poses; `displacement` is as in `slip_of`.

        Joints are measured there too: otherwise the slips of two wheels on one axle would contradict each other.
        """
        if row.rolling_body != 0 and (is_on_joint(scene.bodies, row.body_a) or is_on_joint(scene.bodies, row.body_b)):
            row.slip_correction = slip_correction_of(
                row,
                scene.body,
                scene.contacts.slip[row.slot],
                exact(row.free_displacement) + displacement,
                wp.float64(1.0),
                h,
            )

    @wp.func
    def store_row(scene: Scene, row: Row, h: scalar, per_impulse: scalar):
        """End a substep: store the slip of sticking friction, and add the impulse to the reported force."""
        slot = row.slot
        lambda_n = row.lambda_n
        slip, held = vec3(), vec3()
        if lambda_n != scalar(0.0):
            n = row.normal
            per_lambda = per_impulse / h  # multipliers are impulses times h
            scene.contacts.force[slot] = scene.contacts.force[slot] + per_lambda * (lambda_n * n + row.lambda_t)
            scene.contacts.point[slot] = row.point
            scene.contacts.normal[slot] = n
            scene.contacts.depth[slot] = -row.gap
            scene.contacts.slides[slot] = row.slides
            scene.contacts.residual_slip[slot] = rounded(slip_of(scene.contacts, row, moved_by_impulses(scene, row, h)))
            if row.slides == 0:
                if row.slip_incompatible == 0:
                    slip = scene.contacts.residual_slip[slot]
                held = row.lambda_t
        else:
            scene.contacts.slides[slot] = int(0)
            scene.contacts.residual_slip[slot] = vec3()
        scene.contacts.slip[slot] = slip
        scene.contacts.lambda_t[slot] = held
        scene.contacts.lambda_n[slot] = wp.max(lambda_n, scalar(0.0))

    return SimpleNamespace(
        some_tangent=some_tangent,
        body_axes=body_axes,
        measure_row=measure_row,
        moved_by_impulses=moved_by_impulses,
        slip_of=slip_of,
        update_slip_correction=update_slip_correction,
        store_row=store_row,
    )
