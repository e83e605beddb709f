# SPDX-FileCopyrightText: The inertia_tools authors
# SPDX-License-Identifier: Apache-2.0
"""Impacts of jointed bodies: whole trees of bodies bounce at one instant, all their joints holding.

The motion of a substep, as joints alone determine it (`jointed_motion`), is followed from impact to impact. At each
one, velocities are those that the joints allow, and the contacts in the impact separate with their coefficient of
restitution times the approach speed (`jointed_contacts`). Contacts of jointed bodies that close at the same time, or
rest, take part together, as all feet of a robot that lands. At the end bodies are at their poses after free motion,
changed by the impacts, and the constraint solve begins.
"""

from functools import lru_cache
from types import SimpleNamespace
from typing import Any

import warp as wp

from inertia_tools.sim.collide.contact_finding import finding_functions
from inertia_tools.sim.constraints.contact_rows import contact_row_functions
from inertia_tools.sim.constraints.point_motion import point_functions
from inertia_tools.sim.impacts.free_impacts import impact_functions
from inertia_tools.sim.impacts.impulse_response import response_functions
from inertia_tools.sim.impacts.jointed_contacts import impact_contact_functions
from inertia_tools.sim.impacts.jointed_motion import jointed_motion_functions
from inertia_tools.sim.kernels.constants import (
    IMPACT_GAP_TOLERANCE,
    IMPACTS_OF_ROW,
    SIMULTANEOUS_IMPACT_GAP,
    SPARE_IMPACTS,
)
from inertia_tools.sim.kernels.motion import motion_functions
from inertia_tools.sim.kernels.precision import Precision
from inertia_tools.sim.kernels.rounding import rounding_functions
from inertia_tools.sim.kernels.scene_types import scene_type
from inertia_tools.sim.solve.jointed_bodies import jointed_body_functions
from inertia_tools.sim.solve.outer_iterates import outer_iterate_functions


@lru_cache(maxsize=2)
def jointed_impact_functions(p: Precision) -> Any:
    """Return the device functions of one precision."""
    scalar, vec3, mat33 = p.scalar, p.vec3, p.mat33
    (Bodies,) = p.references("Bodies")
    Row, Body, Options = p.references("Row", "Body", "Options")
    Scene = wp.ref[scene_type(p)]
    motion = motion_functions(p)
    is_static, world_tensor, force_time_of = motion.is_static, motion.world_tensor, motion.force_time_of
    impact, motion_at_impact, response = impact_functions(p), jointed_motion_functions(p), response_functions(p)
    least_impact_speed, next_impact = impact.least_impact_speed, impact.next_impact
    impact_time, report_impulse = impact.impact_time, impact.report_impulse
    remaining_at_closing, is_between = impact.remaining_at_closing, impact.is_between
    measure_again = impact.measure_again
    finish_body, begin_impact = motion_at_impact.finish_body, motion_at_impact.begin_impact
    relative_velocity, apply_impact, add_impact_to_joint = (
        response.relative_velocity,
        response.apply_impact,
        response.add_impact_to_joint,
    )
    measure_at_impact = impact_contact_functions(p).measure_at_impact
    find_impulses = impact_contact_functions(p).find_impulses
    solve_joints_alone = jointed_body_functions(p).solve_joints_alone
    restart_substep = outer_iterate_functions(p).restart_substep
    combined = finding_functions(p).combined
    moved_by_impulses, is_on_joint = contact_row_functions(p).moved_by_impulses, point_functions(p).is_on_joint
    rounded = rounding_functions(p).rounded
    impacts_of_row, spare_impacts = wp.constant(IMPACTS_OF_ROW), wp.constant(SPARE_IMPACTS)
    gap_tolerance = wp.constant(scalar(IMPACT_GAP_TOLERANCE))
    simultaneous_gap = wp.constant(scalar(SIMULTANEOUS_IMPACT_GAP))
    zero, half, never = (wp.constant(scalar(number)) for number in (0.0, 0.5, -1.0))

    @wp.func
    def involves_joints(bodies: Bodies, row: Row) -> bool:
        return is_on_joint(bodies, row.body_a) or is_on_joint(bodies, row.body_b)

    @wp.func
    def last_displacement(bodies: Bodies, body: Body, b: int, arm: vec3, h: scalar) -> vec3:
        """Return the displacement at an arm of a body in a substep with its momenta one substep ago [m]."""
        if b < 0:
            return vec3()
        if is_static(bodies, b):
            return h * (body.v_free + wp.cross(body.omega_free, arm))
        return h * (body.v_before + wp.cross(body.inv_tensor * body.spin_before, arm))

    @wp.func
    def predict_impact(scene: Scene, row: Row, remaining: scalar, h: scalar):
        """Compute the remaining time at the impact of a row, `remaining` at most; `never` without one."""
        rule = scene.shapes.restitution_rule
        e = combined(rule, scene.shapes.restitution[row.shape], scene.shapes.restitution[row.solid])
        row.remaining_at_impact = never
        row.restitution = e
        if e > zero:
            a, b, n = row.body_a, row.body_b, row.normal
            by_impulses = rounded(moved_by_impulses(scene, row, h))
            approach = wp.dot(n, row.free_displacement + by_impulses)
            gap = row.gap + wp.dot(n, by_impulses)
            if gap < -gap_tolerance * approach:
                by_last_velocity = last_displacement(scene.bodies, scene.body[a], a, row.arm_a, h) - last_displacement(
                    scene.bodies, scene.body[b], b, row.arm_b, h
                )
                acceleration = (approach - wp.dot(n, by_last_velocity)) / (h * force_time_of(scene, a, b))
                end_speed = approach / h + half * h * acceleration  # speed at the end of the substep
                remaining_at_impact = remaining_at_closing(gap, end_speed, acceleration, remaining)
                if end_speed - acceleration * remaining_at_impact < -least_impact_speed(scene.bodies, h):
                    row.remaining_at_impact = wp.clamp(remaining_at_impact, zero, remaining)

    @wp.func
    def may_collide(scene: Scene, row: Row, h: scalar) -> bool:
        """Return whether a row may have an impact in this substep, whatever its joints do."""
        rule = scene.shapes.restitution_rule
        e = combined(rule, scene.shapes.restitution[row.shape], scene.shapes.restitution[row.solid])
        approach = wp.dot(row.normal, row.free_displacement)
        return e > zero and row.gap < -approach and approach < -h * least_impact_speed(scene.bodies, h)

    @wp.func
    def measure_struck_rows(scene: Scene, h: scalar, impact_row: int, n: int) -> scalar:
        """Find the rows that take part in the impact of one; return the approach speed of that one."""
        a, b = scene.rows.row[impact_row].body_a, scene.rows.row[impact_row].body_b
        gap_slop = simultaneous_gap * wp.abs(
            wp.dot(scene.rows.row[impact_row].normal, scene.rows.row[impact_row].free_displacement)
        )
        on_joints = involves_joints(scene.bodies, scene.rows.row[impact_row])
        for i in range(scene.islands.first_row[n], scene.islands.end_row[n]):
            k = scene.islands.row[i]
            scene.rows.row[k].in_impact = int(0)
            same = is_between(scene.rows.row[k], a, b)
            if same or (on_joints and involves_joints(scene.bodies, scene.rows.row[k])):
                measure_at_impact(scene, scene.rows.row[k], gap_slop, k == impact_row, h)
        return wp.abs(
            wp.dot(scene.rows.row[impact_row].normal, relative_velocity(scene.rows.row[impact_row], scene.meeting))
        )

    @wp.func
    def shift_row(scene: Scene, row: Row, options: Options, remaining: scalar):
        """Report the impulse of a row, and shift its measurements by the effect of the impact."""
        if row.in_impact == 1:
            report_impulse(scene.contacts, row, options.per_impulse)
        change = relative_velocity(row, scene.response)
        closes = remaining * wp.dot(row.normal, change)
        row.free_displacement = row.free_displacement + options.h * change
        row.gap = row.gap + closes
        row.gap_error = row.gap_error - wp.float64(closes)

    @wp.func
    def finish_substep(scene: Scene, remaining: scalar, n: int):
        """Record the impact in joints and contacts, and move bodies to the end of the substep."""
        for i in range(scene.islands.first_joint[n], scene.islands.end_joint[n]):
            add_impact_to_joint(scene, scene.options[n], scene.islands.joint[i])
        for i in range(scene.islands.first_row[n], scene.islands.end_row[n]):
            shift_row(scene, scene.rows.row[scene.islands.row[i]], scene.options[n], remaining)
        for i in range(scene.islands.first_body[n], scene.islands.end_body[n]):
            finish_body(scene, scene.islands.body[i], remaining, scene.options[n].h)

    @wp.func(inline=False)
    def resolve_impact(scene: Scene, impact_row: int, most: scalar, n: int) -> scalar:
        """Resolve the impact of a row, move bodies on, and return the remaining time of the substep."""
        h = scene.options[n].h
        remaining = impact_time(scene, scene.rows.row[impact_row], most, h)
        begin_impact(scene, n, remaining, h)
        speed = measure_struck_rows(scene, h, impact_row, n)
        find_impulses(scene, n, speed)
        apply_impact(scene, n)
        finish_substep(scene, remaining, n)
        return remaining

    @wp.func
    def any_may_collide(scene: Scene, h: scalar, n: int) -> bool:
        may = bool(False)
        for i in range(scene.islands.first_row[n], scene.islands.end_row[n]):
            may = may or may_collide(scene, scene.rows.row[scene.islands.row[i]], h)
        return may

    @wp.func
    def predict_impacts(scene: Scene, remaining: scalar, h: scalar, n: int):
        for i in range(scene.islands.first_row[n], scene.islands.end_row[n]):
            predict_impact(scene, scene.rows.row[scene.islands.row[i]], remaining, h)

    @wp.func
    def reset_tensors(body: Body, inertia: mat33, inv_inertia: mat33):
        """Compute the tensors of a body at the start of the substep, and its rate there."""
        body.tensor = world_tensor(body.r0, inertia)
        body.inv_tensor = world_tensor(body.r0, inv_inertia)
        body.omega_free = body.inv_tensor * body.spin_free

    @wp.func
    def measure_rows_again(scene: Scene, remaining: scalar, h: scalar, n: int):
        """Measure contacts after free motion with the effect of impacts."""
        for i in range(scene.islands.first_body[n], scene.islands.end_body[n]):
            b = scene.islands.body[i]
            if is_on_joint(scene.bodies, b):
                reset_tensors(scene.body[b], scene.bodies.inertia[b], scene.bodies.inv_inertia[b])
        for i in range(scene.islands.first_row[n], scene.islands.end_row[n]):
            k = scene.islands.row[i]
            recovery = wp.float64(0.0) + scene.rows.row[k].recovery
            measure_again(scene, scene.rows.row[k], remaining, h)
            scene.rows.row[k].recovery = recovery

    @wp.func
    def save_start(scene: Scene, n: int):
        for i in range(scene.islands.first_body[n], scene.islands.end_body[n]):
            scene.body[scene.islands.body[i]].x0_saved = scene.body[scene.islands.body[i]].x0

    @wp.func
    def restore_start(scene: Scene, n: int):
        for i in range(scene.islands.first_body[n], scene.islands.end_body[n]):
            scene.body[scene.islands.body[i]].x0 = scene.body[scene.islands.body[i]].x0_saved

    @wp.func(inline=False)
    def simulate_jointed_impacts(scene: Scene, n: int):
        """Follow the motion of an island's substep from impact to impact, in order of time."""
        h = scene.options[n].h
        if not any_may_collide(scene, h, n):
            return
        solve_joints_alone(scene, n)
        remaining = scalar(0.0) + h
        predict_impacts(scene, remaining, h, n)
        save_start(scene, n)
        bound = spare_impacts + impacts_of_row * (scene.islands.end_row[n] - scene.islands.first_row[n])
        impact_row = next_impact(scene, n)
        has_collided = bool(impact_row >= 0)
        while impact_row >= 0 and bound > 0:
            remaining = resolve_impact(scene, impact_row, remaining, n)
            predict_impacts(scene, remaining, h, n)
            impact_row = next_impact(scene, n)
            bound -= 1
        restore_start(scene, n)
        restart_substep(scene, n)
        if has_collided:
            measure_rows_again(scene, remaining, h, n)

    return SimpleNamespace(simulate_jointed_impacts=simulate_jointed_impacts)
