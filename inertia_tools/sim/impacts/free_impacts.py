# SPDX-FileCopyrightText: The inertia_tools authors
# SPDX-License-Identifier: Apache-2.0
"""Impacts of free bodies: two bodies bounce at their time of impact within a substep, one pair after another.

The free motion of a substep is followed from impact to impact. At each one, the closing contacts of the two bodies
separate with their coefficient of restitution times the approach speed (Newton's impact law), and friction removes slip
within Coulomb's law. Both only dissipate energy. From there the bodies move freely with their new velocities, and may
meet others, or each other again. Slow contacts are left to the constraint solve, so that resting bodies stay at rest.
Substeps are those of step 2 in docs/solver.md.
"""

from functools import lru_cache
from types import SimpleNamespace
from typing import Any

import warp as wp

from inertia_tools.sim.collide.contact_finding import finding_functions
from inertia_tools.sim.collide.time_of_impact import impact_time_functions
from inertia_tools.sim.constraints.contact_rows import contact_row_functions
from inertia_tools.sim.constraints.resting_contact_impulse import load_functions
from inertia_tools.sim.kernels.constants import (
    BOUNCE_SUBSTEPS,
    IMPACT_NEWTON_STEPS,
    IMPACT_SWEEPS,
    IMPACTS_OF_ROW,
    LEAST_BOUNCE_SPEED,
    SIMULTANEOUS_IMPACT_GAP,
    SPARE_IMPACTS,
)
from inertia_tools.sim.kernels.motion import motion_functions
from inertia_tools.sim.kernels.precision import Precision
from inertia_tools.sim.kernels.rounding import rounding_functions
from inertia_tools.sim.kernels.scene_types import scene_type


@lru_cache(maxsize=2)
def impact_functions(p: Precision) -> Any:
    """Return the device functions of one precision."""
    Scene = wp.ref[scene_type(p)]
    scalar, vec3 = p.scalar, p.vec3
    Bodies, Contacts = p.references("Bodies", "Contacts")
    Row, Body = p.references("Row", "Body")
    motion, row, times = motion_functions(p), contact_row_functions(p), impact_time_functions(p)
    is_static, translate, spin_freely = motion.is_static, motion.translate, motion.spin_freely
    mobility = motion.mobility
    apply_impulse, apply_resting_load = load_functions(p).apply_impulse, load_functions(p).apply_resting_load
    combined, measure_row, body_axes = finding_functions(p).combined, row.measure_row, row.body_axes
    place_before, speed_before = times.place_before, times.speed_before
    rounded = rounding_functions(p).rounded
    meeting, meeting_before, acceleration_of = times.meeting, times.meeting_before, times.acceleration_of
    slowest, least_speed = wp.constant(scalar(BOUNCE_SUBSTEPS)), wp.constant(scalar(LEAST_BOUNCE_SPEED))
    simultaneous_gap, sweeps = wp.constant(scalar(SIMULTANEOUS_IMPACT_GAP)), wp.constant(IMPACT_SWEEPS)
    impacts_of_row, spare_impacts = wp.constant(IMPACTS_OF_ROW), wp.constant(SPARE_IMPACTS)
    newton_steps = wp.constant(IMPACT_NEWTON_STEPS)
    zero, half, two = wp.constant(scalar(0.0)), wp.constant(scalar(0.5)), wp.constant(scalar(2.0))
    never = wp.constant(scalar(-1.0))

    @wp.func
    def least_impact_speed(bodies: Bodies, h: scalar) -> scalar:
        """Return the approach speed up to which contacts do not bounce [m/s]."""
        return slowest * h * bodies.max_gravity[0] + least_speed

    @wp.func
    def remaining_at_closing(gap: scalar, end_speed: scalar, a: scalar, remaining: scalar) -> scalar:
        """Return the remaining time of the substep when a gap closes, `remaining` at most.

        At the end of the substep the gap is negative and changes at the speed `end_speed`; its acceleration is a.
        """
        remaining_at_impact = remaining
        if gap - remaining * (end_speed - half * remaining * a) > zero:
            root = wp.max(end_speed * end_speed - two * a * gap, zero)
            remaining_at_impact = -two * gap / (wp.sqrt(root) - end_speed)
        return remaining_at_impact

    @wp.func
    def predict_impact(scene: Scene, row: Row, remaining: scalar, h: scalar):
        """Compute the remaining time at the impact of a row, `remaining` at most; `never` without one."""
        row.remaining_at_impact = never
        rule = scene.shapes.restitution_rule
        e = combined(rule, scene.shapes.restitution[row.shape], scene.shapes.restitution[row.solid])
        gap = row.gap
        if e > zero and gap < zero:
            n = row.normal
            a = wp.dot(
                n,
                acceleration_of(scene.body[row.body_a], row.body_a)
                - acceleration_of(scene.body[row.body_b], row.body_b),
            )
            end_speed = wp.dot(n, row.free_displacement) / h + half * h * a  # speed at the end of the substep
            remaining_at_impact = remaining_at_closing(gap, end_speed, a, remaining)
            if end_speed - a * remaining_at_impact < -least_impact_speed(scene.bodies, h):
                row.remaining_at_impact = wp.min(remaining_at_impact, remaining)
                row.restitution = e

    @wp.func
    def next_impact(scene: Scene, n: int) -> int:
        """Return the row of an island with the next impact; -1 for none."""
        found = int(-1)
        most = never
        for i in range(scene.islands.first_row[n], scene.islands.end_row[n]):
            k = scene.islands.row[i]
            if scene.rows.row[k].remaining_at_impact > most:
                most = scene.rows.row[k].remaining_at_impact
                found = k
        return found

    @wp.func
    def approach(row: Row, body: wp.array(dtype=p.Body), remaining: scalar, h: scalar) -> vec3:
        """Return the velocity of the first body of a row relative to the second one at the contact [m/s]."""
        one = speed_before(body[row.body_a], row.body_a, row.arm_a, remaining, h)
        return one - speed_before(body[row.body_b], row.body_b, row.arm_b, remaining, h)

    @wp.func
    def is_between(row: Row, a: int, b: int) -> bool:
        one, other = row.body_a, row.body_b
        return (one == a and other == b) or (one == b and other == a)

    @wp.func
    def moves_with(bodies: Bodies, row: Row, b: int) -> bool:
        return not is_static(bodies, b) and (row.body_a == b or row.body_b == b)

    @wp.func(inline=False)
    def rewind(bodies: Bodies, body: Body, b: int, remaining: scalar):
        """Rotate a body back to the instant with a remaining time of the substep, and update its tensors."""
        if not is_static(bodies, b):
            spin_freely(bodies, body, b, body.spin, -remaining)
            frame = wp.quat_to_matrix(body.r)
            body.tensor = frame * bodies.inertia[b] * wp.transpose(frame)
            body.inv_tensor = frame * bodies.inv_inertia[b] * wp.transpose(frame)
            body.omega_free = body.inv_tensor * body.spin

    @wp.func
    def measure_at_impact(scene: Scene, row: Row, remaining: scalar, gap_slop: scalar, h: scalar):
        """Measure a row at the time of an impact of its two bodies, and decide whether it takes part."""
        a, b = row.body_a, row.body_b
        xa, xb = place_before(scene.body[a], a, remaining, h), place_before(scene.body[b], b, remaining, h)
        ra, rb = body_axes(scene.body[a], a), body_axes(scene.body[b], b)
        n, gap, arm = meeting(scene, row, xa, ra, xb, rb)
        row.in_impact = int(0)
        if gap < gap_slop:
            row.in_impact = int(1)
            row.normal = n
            row.arm_a = arm
            row.arm_b = arm + rounded(xa - xb)
            row.w_n = mobility(scene.bodies, scene.body[a], a, row.arm_a, n) + mobility(
                scene.bodies, scene.body[b], b, row.arm_b, n
            )
            row.lambda_n = zero
            row.lambda_t = vec3()
            row.separation_speed = zero
            approach_speed = wp.dot(n, approach(row, scene.body, remaining, h))
            if approach_speed < -least_impact_speed(scene.bodies, h) and row.remaining_at_impact > never:
                row.separation_speed = -row.restitution * approach_speed

    @wp.func(inline=False)
    def impact_time(scene: Scene, row: Row, most: scalar, h: scalar) -> scalar:
        """Return the remaining time of the substep at a row's impact, by Newton's method; `most` at most."""
        remaining = row.remaining_at_impact
        a, b = row.body_a, row.body_b
        for _step in range(newton_steps):
            n, gap, arm, _xa, between = meeting_before(scene, row, remaining, h)
            closing = -wp.dot(n, speed_before(scene.body[a], a, arm, remaining, h))
            closing = closing + wp.dot(n, speed_before(scene.body[b], b, arm + between, remaining, h))
            if closing > zero:
                remaining = wp.clamp(remaining - gap / closing, zero, most)
        return remaining

    @wp.func
    def solve_normal(scene: Scene, row: Row, remaining: scalar, h: scalar):
        """Give a row in the impact its separation speed; contacts push only."""
        n = row.normal
        residual = row.separation_speed - wp.dot(n, approach(row, scene.body, remaining, h))
        lambda_n = wp.max(row.lambda_n + residual / row.w_n, zero)
        impulse = (lambda_n - row.lambda_n) * n
        row.lambda_n = lambda_n
        apply_impulse(scene.bodies, scene.body[row.body_a], row.body_a, row.arm_a, impulse)
        apply_impulse(scene.bodies, scene.body[row.body_b], row.body_b, row.arm_b, -impulse)

    @wp.func(inline=False)
    def apply_friction(scene: Scene, row: Row, remaining: scalar, h: scalar):
        """Remove slip from a row in the impact, as far as Coulomb's law allows."""
        n = row.normal
        slip = approach(row, scene.body, remaining, h)
        slip = slip - wp.dot(slip, n) * n
        size = wp.length(slip)
        if size > zero and row.mu * row.lambda_n > zero:
            t = slip / size
            w_t = mobility(scene.bodies, scene.body[row.body_a], row.body_a, row.arm_a, t)
            w_t = w_t + mobility(scene.bodies, scene.body[row.body_b], row.body_b, row.arm_b, t)
            lambda_t = row.lambda_t - slip / w_t
            lambda_t = wp.min(scalar(1.0), row.mu * row.lambda_n / wp.length(lambda_t)) * lambda_t
            impulse = lambda_t - row.lambda_t
            row.lambda_t = lambda_t
            apply_impulse(scene.bodies, scene.body[row.body_a], row.body_a, row.arm_a, impulse)
            apply_impulse(scene.bodies, scene.body[row.body_b], row.body_b, row.arm_b, -impulse)

    @wp.func
    def finish_substep(bodies: Bodies, body: Body, b: int, v: vec3, remaining: scalar):
        """Move a body freely to the end of the substep; its velocity before the impact was `v`."""
        if not is_static(bodies, b):
            translate(body, remaining * (body.v_free - v))
            spin_freely(bodies, body, b, body.spin_free, remaining)
            body.x_free = body.x
            body.x_low_free = body.x_low
            body.r_free = body.r
            body.r_low_free = body.r_low

    @wp.func
    def velocity(body: Body, b: int) -> vec3:
        if b < 0:
            return vec3()
        return body.v_free

    @wp.func
    def report_impulse(contacts: Contacts, row: Row, per_impulse: scalar):
        """Add the impulse of a row in the impact to the reported force."""
        slot = row.slot
        if row.lambda_n > zero:
            impulse = row.lambda_n * row.normal + row.lambda_t
            contacts.force[slot] = contacts.force[slot] + per_impulse * impulse
            contacts.normal[slot] = row.normal
            contacts.point[slot] = row.point

    @wp.func
    def apply_resting_loads(scene: Scene, impact_row: int, remaining: scalar, n: int) -> bool:
        """Let resting contacts of the two bodies of a row carry their loads until its impact; return whether any do."""
        a, b = scene.rows.row[impact_row].body_a, scene.rows.row[impact_row].body_b
        h, per_impulse, supported = scene.options[n].h, scene.options[n].per_impulse, bool(False)
        for i in range(scene.islands.first_row[n], scene.islands.end_row[n]):
            k = scene.islands.row[i]
            if k != impact_row and (
                moves_with(scene.bodies, scene.rows.row[k], a) or moves_with(scene.bodies, scene.rows.row[k], b)
            ):
                supported = apply_resting_load(scene, scene.rows.row[k], remaining, h, per_impulse) or supported
        return supported

    @wp.func
    def solve_impact(scene: Scene, a: int, b: int, remaining: scalar, n: int):
        """Solve the contacts between two bodies that take part in their impact: normal impulses, then friction."""
        h, first, end = scene.options[n].h, scene.islands.first_row[n], scene.islands.end_row[n]
        count = int(sweeps)  # a variable: Warp would write out loops of constant length
        for _sweep in range(count):
            for i in range(first, end):
                k = scene.islands.row[i]
                if is_between(scene.rows.row[k], a, b) and scene.rows.row[k].in_impact == 1:
                    solve_normal(scene, scene.rows.row[k], remaining, h)
        for _sweep in range(count):
            for i in range(first, end):
                k = scene.islands.row[i]
                if is_between(scene.rows.row[k], a, b) and scene.rows.row[k].in_impact == 1:
                    apply_friction(scene, scene.rows.row[k], remaining, h)
        for i in range(first, end):
            k = scene.islands.row[i]
            if is_between(scene.rows.row[k], a, b) and scene.rows.row[k].in_impact == 1:
                report_impulse(scene.contacts, scene.rows.row[k], scene.options[n].per_impulse)

    @wp.func
    def measure_again(scene: Scene, row: Row, remaining: scalar, h: scalar):
        """Measure a row after an impact; its target gap does not change."""
        target_gap = row.gap_error + wp.float64(row.gap)
        measure_row(scene, row, remaining, h)
        row.gap_error = target_gap - wp.float64(row.gap)

    @wp.func(inline=False)
    def resolve_impact(scene: Scene, impact_row: int, most: scalar, n: int) -> scalar:
        """Let the two bodies of a row bounce, move them on, and return the remaining time of the substep."""
        h = scene.options[n].h
        remaining = impact_time(scene, scene.rows.row[impact_row], most, h)
        a, b = scene.rows.row[impact_row].body_a, scene.rows.row[impact_row].body_b
        supported = apply_resting_loads(scene, impact_row, remaining, n)
        rewind(scene.bodies, scene.body[a], a, remaining)
        rewind(scene.bodies, scene.body[b], b, remaining)
        va, vb = velocity(scene.body[a], a), velocity(scene.body[b], b)
        gap_slop = simultaneous_gap * wp.abs(
            wp.dot(scene.rows.row[impact_row].normal, scene.rows.row[impact_row].free_displacement)
        )
        first, end = scene.islands.first_row[n], scene.islands.end_row[n]
        for i in range(first, end):
            k = scene.islands.row[i]
            if is_between(scene.rows.row[k], a, b):
                measure_at_impact(scene, scene.rows.row[k], remaining, gap_slop, h)
        solve_impact(scene, a, b, remaining, n)
        finish_substep(scene.bodies, scene.body[a], a, va, remaining)
        finish_substep(scene.bodies, scene.body[b], b, vb, remaining)
        for i in range(first, end):
            k = scene.islands.row[i]
            if (
                supported
                or moves_with(scene.bodies, scene.rows.row[k], a)
                or moves_with(scene.bodies, scene.rows.row[k], b)
            ):
                measure_again(scene, scene.rows.row[k], remaining, h)
                predict_impact(scene, scene.rows.row[k], remaining, h)
        return remaining

    @wp.func(inline=False)
    def simulate_impacts(scene: Scene, n: int):
        """Follow the free motion of an island's substep from impact to impact, in order of time."""
        h = scene.options[n].h
        first, end = scene.islands.first_row[n], scene.islands.end_row[n]
        for i in range(first, end):
            scene.rows.row[scene.islands.row[i]].load_applied = int(0)
            predict_impact(scene, scene.rows.row[scene.islands.row[i]], h, h)
        remaining = h
        bound = spare_impacts + impacts_of_row * (end - first)
        impact_row = next_impact(scene, n)
        while impact_row >= 0 and bound > 0:
            remaining = resolve_impact(scene, impact_row, remaining, n)
            impact_row = next_impact(scene, n)
            bound -= 1

    return SimpleNamespace(
        simulate_impacts=simulate_impacts,
        remaining_at_closing=remaining_at_closing,
        is_between=is_between,
        measure_again=measure_again,
        least_impact_speed=least_impact_speed,
        next_impact=next_impact,
        rewind=rewind,
        impact_time=impact_time,
        report_impulse=report_impulse,
    )
