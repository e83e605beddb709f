# SPDX-FileCopyrightText: The inertia_tools authors
# SPDX-License-Identifier: Apache-2.0
"""The contacts at hand, as rows: found once a step (`contact_finding`), measured once a substep, linear from then on.

A row is a feature of one shape that is, or may come, close to the solid of another during the step. In each substep its
point, normal and gap are taken from where the bodies would go freely; what impulses do to it after that is linear in
the displacements of the two bodies, as for joints.
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
    IMPACT_GAP,
    LEAST_RECOVERY,
    OVERLAP_ROUNDING,
    RECOVERY_SPEED,
    RECOVERY_TIME,
    SWEPT_RECOVERY_SPEED,
    TURNED_ROUND_COSINE,
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
    point_velocity, turns, rolls_far = points.point_velocity, points.turns, points.rolls_far
    centre_of, turned_slip = slip_functions(p).centre_of, slip_functions(p).turned_slip
    body_axes, exact_axes, is_held = points.body_axes, points.exact_axes, points.is_held
    mobility, free_way, pushed_way = motion.mobility, motion.free_way, motion.pushed_way
    is_static = motion.is_static
    left_out_way = forced_functions(p).left_out_way
    passage = impact_time_functions(p)
    passable, first_meeting = passage.passable, passage.first_meeting
    exactly = placement_functions(p, exact=p.name == "float32")
    exact_distance_at, exact_spot = exactly.distance_at, exactly.spot
    exact_distance_after = exactly.distance_after
    place_of_feature = passage.place_of_feature
    exact, rounded = rounding_functions(p).exact, rounding_functions(p).rounded
    rounding = wp.constant(scalar(OVERLAP_ROUNDING[p.name]))
    turned_round, part_of_impact = wp.constant(scalar(TURNED_ROUND_COSINE)), wp.constant(scalar(IMPACT_GAP))
    swept_recovery_speed = wp.constant(scalar(SWEPT_RECOVERY_SPEED))
    recovery_speed, per_time = wp.constant(scalar(RECOVERY_SPEED)), wp.constant(scalar(1.0 / RECOVERY_TIME))
    least_recovery = wp.constant(scalar(LEAST_RECOVERY))
    half = wp.constant(scalar(0.5))
    balls, sides = wp.constant(int(AnchorKind.BALLS)), wp.constant(int(AnchorKind.SIDES))

    @wp.func
    def body_place(body: Body, b: int) -> vec3:
        if b < 0:
            return vec3()
        return body.x

    @wp.func
    def body_low(body: Body, b: int) -> vec3:
        if b < 0:
            return vec3()
        return body.x_low

    @wp.func
    def across(n: vec3) -> vec3:
        """Return some unit vector across another."""
        other = vec3(scalar(1.0), scalar(0.0), scalar(0.0))
        if wp.abs(n[0]) > scalar(0.6):
            other = vec3(scalar(0.0), scalar(1.0), scalar(0.0))
        return wp.normalize(wp.cross(n, other))

    @wp.func
    def arm_from(now: wp.array(dtype=p.Body), a: int, b: int, arm: vec3) -> vec3:
        """Return a point at an arm of body a, or at a place where that is the world, as an arm of body b."""
        if a < 0:
            return (arm - now[b].x) - now[b].x_low
        return (now[a].x - now[b].x) + ((now[a].x_low - now[b].x_low) + arm)

    @wp.func
    def free_way_between(now: wp.array(dtype=p.Body), a: int, b: int, arm_a: vec3, arm_b: vec3, h: scalar) -> vec3:
        """Return how far free motion carries one body along another, at arms."""
        way = vec3()
        if a >= 0:
            way = free_way(now[a], arm_a, h)
        if b >= 0:
            way = way - free_way(now[b], arm_b, h)
        return way

    @wp.func(inline=False)
    def measured(scene: Scene, row: Row, share_b: scalar, h: scalar):
        """Return normal and gap of a row where its bodies are, and the arm of its point on the first.

        The point lies on both surfaces once the gap is closed, of which the second body does such a share.
        """
        a, b = row.body_a, row.body_b
        if row.pair < 0:
            between = exact(body_place(scene.body[b], b)) - exact(body_place(scene.body[a], a))
            between = between + exact(body_low(scene.body[b], b) - body_low(scene.body[a], a))
            c = scene.anchored.contact[row.feature]
            ra, rb = exact_axes(scene.body[a], a), exact_axes(scene.body[b], b)
            normal, apart, on_a, on_b = measure(scene.colliders, c, wp.vec3d(), ra, between, rb)
            return rounded(normal), apart, rounded(on_a) + share_b * rounded(on_b - on_a)
        feature = place_of_feature(scene.shapes, row.shape, row.solid, row.feature)
        radius = scene.shapes.radius[feature] + scene.shapes.margin[row.shape]
        corner = exact_spot(scene.shapes, scene.body, row.pair, row.feature)
        at = rounded(corner)
        kept = wp.float64(radius + scene.shapes.margin[row.solid])
        found = wp.vec4d()
        if scene.shapes.reach[row.solid] < scalar(0.0):  # a plane has one face
            found = exact_distance_at(scene.shapes, scene.body, row.shape, row.solid, corner)
        else:
            arm_b = at
            if b >= 0:
                arm_b = arm_from(scene.body, a, b, at)
            way = exact(free_way_between(scene.body, a, b, at, arm_b, h))
            found = exact_distance_after(scene, row.shape, row.solid, corner, kept, exact(row.normal), way)
        n = vec3(scalar(found[0]), scalar(found[1]), scalar(found[2]))
        apart = found[3] - kept
        return n, apart, at - (radius + share_b * scalar(apart)) * n

    @wp.func
    def left_out_between(now: wp.array(dtype=p.Body), row: Row, h: scalar) -> vec3:
        """Return how far forces that are left out would carry one body of a row along the other."""
        way = vec3()
        if row.body_a >= 0:
            way = left_out_way(now[row.body_a], row.arm_a, h)
        if row.body_b >= 0:
            way = way - left_out_way(now[row.body_b], row.arm_b, h)
        return way

    @wp.func
    def goes_round(shapes: Shapes, row: Row) -> bool:
        """Tell whether the point of a row depends on the normal: that of a rim, or what the narrow phase has found."""
        if row.pair < 0:
            return True
        return shapes.is_rim[place_of_feature(shapes, row.shape, row.solid, row.feature)] == 1

    @wp.func
    def aim(scene: Scene, row: Row, gap: scalar, apart: wp.float64, h: scalar):
        """State what the gap of a row is to become: zero, or less for an overlap of before, which is recovered."""
        along = wp.dot(row.normal, row.free_displacement)
        before = gap - along
        speed = swept_recovery_speed
        if row.is_direct == 1:
            least = least_recovery * scene.bodies.max_gravity[0] * h
            speed = wp.clamp(-per_time * before, wp.min(least, recovery_speed), recovery_speed)
        goal = wp.min(scalar(0.0), before + h * speed)
        row.gap_error = wp.float64(goal) - apart
        row.recovery = wp.float64(0.0)
        if before < -rounding * wp.abs(along):
            row.recovery = wp.float64(goal - before)

    @wp.func
    def bend(scene: Scene, row: Row, gap: scalar, closes: scalar, at_end: vec3, may_roll: bool, h: scalar):
        """Measure what turning does to the way and the slip of a row; `at_end` is its arm at the end of the substep.

        Forces that are left out close its gap by `closes` besides.
        """
        row.slip_correction = wide_vec3()
        row.rolling_body = int(0)
        if may_roll and not rolls_far(scene.body, row.body_a, row.body_b, h):
            centre_of(scene, row, row.normal, at_end)
        along = wp.dot(row.normal, row.free_displacement)
        reach = part_of_impact * wp.abs(along + closes)
        sets_in = scene.contacts.lambda_n[row.slot] == scalar(0.0) and gap - along > reach
        if row.rolling_body != 0 and not sets_in:
            row.slip_correction = turned_slip(
                row, scene.body, scene.contacts.slip[row.slot], exact(row.free_displacement), wp.float64(0.0), h
            )

    @wp.func
    def turned_by(scene: Scene, b: int, arm: vec3, at_end: vec3, given: vec3) -> vec3:
        """Return how much farther an impulse at an arm moves the point where a contact ends than that at the arm."""
        if is_static(scene.bodies, b):
            return vec3()
        return wp.cross(scene.body[b].inv_tensor * wp.cross(arm, given), at_end - arm)

    @wp.func
    def turned_by_last(scene: Scene, row: Row, n: vec3, at_end: vec3) -> vec3:
        """Return by how much the impulse of the last substep would miss a gap that it closes where the contact was.

        What rocks on a curved side gains energy without this: the row is linear in impulses where the contact was, and
        the gap is where it ends. What turns about the centres of both sides does not, nor do corners.
        """
        if is_held(scene.bodies, row.body_a) or is_held(scene.bodies, row.body_b):
            return vec3()
        c = scene.anchored.contact[row.feature]
        if c.kind == balls or c.kind == sides or wp.length_sq(c.semi) == wp.float64(0.0):
            return vec3()
        given = scene.contacts.lambda_n[row.slot] * n + scene.contacts.lambda_t[row.slot]
        end_b = at_end
        if row.body_b >= 0:
            end_b = arm_from(scene.body, row.body_a, row.body_b, at_end)
        way = turned_by(scene, row.body_a, row.arm_a, at_end, given)
        return way + turned_by(scene, row.body_b, row.arm_b, end_b, given)

    @wp.func(inline=False)
    def open_row(scene: Scene, row: Row, since: scalar, h: scalar):
        """Begin a substep, or its rest since so much of it is left: measure a row where free motion takes its bodies.

        What moves so fast that it may be through the other is measured where the two meet.

        Momenta are those of the start of the substep, the point is that of its end. Carried back with its own velocity,
        it is where it was then, which follows what pivots to the second order; it is the same for both bodies, which
        keeps angular momentum. What sets in is an impact, at the end of the free motion: it is carried back with the
        velocity that the two bodies have in common only, as arms of before would leave it too deep.
        """
        a, b = row.body_a, row.body_b
        share_b = share_of_second(scene, a, b)
        n, apart, at = measured(scene, row, share_b, h)
        gap = scalar(apart)
        arm_a, arm_b = at, at
        point = body_place(scene.body[a], a) + at - ((scalar(1.0) - scalar(2.0) * share_b) * gap) * n
        if b >= 0:
            arm_b = arm_from(scene.body, a, b, at)
        way = free_way_between(scene.body, a, b, arm_a, arm_b, h)
        passed = h
        through = passable(scene.shapes, row)
        is_fast = wp.dot(way, way) > through * through
        if is_fast and wp.dot(n, row.normal) < turned_round and not goes_round(scene.shapes, row):
            n = -n
            apart = -apart - wp.float64(scalar(2.0) * through)
            gap = scalar(apart)
        elif is_fast:
            left, met_n, met_gap, met_at, xa, between = first_meeting(scene, row, since, h)
            if left >= scalar(0.0):
                n, gap, at = met_n, met_gap, met_at
                arm_a, arm_b, point = at, at + between, xa + at
                way = free_way_between(scene.body, a, b, arm_a, arm_b, h)
                gap = gap + (left / h) * wp.dot(n, way)
                apart = wp.float64(gap)
                passed = h - left
        turning = turns(scene.body[a], a, h) or turns(scene.body[b], b, h)
        carried = common_velocity(scene, a, b, share_b)
        if scene.contacts.lambda_n[row.slot] > scalar(0.0) and turning:
            carried = point_velocity(scene, row, n, share_b, h)
        at_end = arm_a
        if a >= 0:
            back = passed * (scene.body[a].v_free - carried)
            if not is_fast:
                way = way + (half * h) * wp.cross(scene.body[a].omega_free, back)
            arm_a = arm_a + back
            row.arm_a = arm_a
        if b >= 0:
            back = passed * (scene.body[b].v_free - carried)
            if not is_fast:
                way = way - (half * h) * wp.cross(scene.body[b].omega_free, back)
            arm_b = arm_b + back
            row.arm_b = arm_b
        t = across(n)
        row.w_n = mobility(scene.bodies, scene.body[a], a, arm_a, n) + mobility(
            scene.bodies, scene.body[b], b, arm_b, n
        )
        row.w_t = mobility(scene.bodies, scene.body[a], a, arm_a, t) + mobility(
            scene.bodies, scene.body[b], b, arm_b, t
        )
        forced = left_out_between(scene.body, row, h)
        closes = wp.dot(n, forced)
        if row.pair < 0 and not is_fast:
            closes += wp.dot(n, turned_by_last(scene, row, n, at_end))
        row.normal = n
        row.point = point
        row.gap = gap + closes
        row.free_displacement = way
        row.lambda_n = scalar(0.0)
        row.lambda_t = vec3()
        row.slides = int(0)
        aim(scene, row, gap, apart, h)
        bend(scene, row, gap, closes, at_end, turning and not is_fast, h)
        row.gap_error = row.gap_error - wp.float64(closes)
        row.free_displacement = way + forced
        row.slip_incompatible = int(0)

    @wp.func
    def pushed(scene: Scene, row: Row, h: scalar) -> wide_vec3:
        """Return how far impulses of this substep have moved the feature along the solid so far."""
        way = wide_vec3()
        a, b = row.body_a, row.body_b
        if not is_static(scene.bodies, a):
            way = pushed_way(scene.body[a], row.arm_a, h)
        if not is_static(scene.bodies, b):
            way = way - pushed_way(scene.body[b], row.arm_b, h)
        return way

    @wp.func
    def slipped(contacts: Contacts, row: Row, way: wide_vec3) -> wide_vec3:
        """Return how far the feature has slipped since the contact began to stick, `way` being what impulses did."""
        n = exact(row.normal)
        total = exact(contacts.slip[row.slot]) + exact(row.free_displacement) + row.slip_correction + way
        return total - wp.dot(total, n) * n

    @wp.func
    def bend_again(scene: Scene, row: Row, way: wide_vec3, h: scalar):
        """Measure what turns on joints where impulses have led to, `way` being what they did to the first order.

        Joints are measured there too: two wheels of one axle would ask for different ways otherwise.
        """
        if row.rolling_body != 0 and (is_held(scene.bodies, row.body_a) or is_held(scene.bodies, row.body_b)):
            row.slip_correction = turned_slip(
                row, scene.body, scene.contacts.slip[row.slot], exact(row.free_displacement) + way, wp.float64(1.0), h
            )

    @wp.func
    def keep_row(scene: Scene, row: Row, h: scalar, per_impulse: scalar):
        """End a substep: remember the slip that friction still holds, and add the impulse to the reported force."""
        slot = row.slot
        lambda_n = row.lambda_n
        slip, held = vec3(), vec3()
        if lambda_n != scalar(0.0):
            n = row.normal
            per_lambda = per_impulse / h  # see `push`
            scene.contacts.force[slot] = scene.contacts.force[slot] + per_lambda * (lambda_n * n + row.lambda_t)
            scene.contacts.point[slot] = row.point
            scene.contacts.normal[slot] = n
            scene.contacts.depth[slot] = -row.gap
            scene.contacts.slides[slot] = row.slides
            scene.contacts.residual_slip[slot] = rounded(slipped(scene.contacts, row, pushed(scene, row, h)))
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
        across=across,
        body_axes=body_axes,
        open_row=open_row,
        pushed=pushed,
        slipped=slipped,
        bend_again=bend_again,
        keep_row=keep_row,
    )
