# SPDX-FileCopyrightText: The inertia_tools authors
# SPDX-License-Identifier: Apache-2.0
"""Restitution where joints are about: whole trees of bodies bounce, all their joints holding, at one instant.

The motion of a substep, as joints alone let it go on (`jointed_motion`), is gone along from impact to impact. At each,
velocities are those that the joints allow, and the struck contacts part at their share of the speed at which they
came (`impact_contacts`). Contacts of jointed bodies that close at the same instant, or rest, take part together, as all
feet of a robot that lands. At last bodies are where free motion, and what the impacts have changed of it, has taken
them, and the passes begin.
"""

from functools import lru_cache
from types import SimpleNamespace
from typing import Any

import warp as wp

from inertia_tools.sim.collide.collision_types import collision_types
from inertia_tools.sim.device.precision import Precision
from inertia_tools.sim.xpbd.contact_finding import finding_functions
from inertia_tools.sim.xpbd.contact_rows import row_functions
from inertia_tools.sim.xpbd.impact_contacts import struck_functions
from inertia_tools.sim.xpbd.impacts import IMPACTS_OF_ROW, SPARE_IMPACTS, TOGETHER, impact_functions
from inertia_tools.sim.xpbd.impulse_response import response_functions
from inertia_tools.sim.xpbd.island_types import island_types
from inertia_tools.sim.xpbd.jointed_motion import jointed_motion_functions
from inertia_tools.sim.xpbd.motion import motion_functions
from inertia_tools.sim.xpbd.passes import pass_functions
from inertia_tools.sim.xpbd.rounding import rounding_functions

BARELY = 1e-3
"""A contact that is open by less than this part of its way at the end of the substep closes then."""


@lru_cache(maxsize=2)
def jointed_impact_functions(p: Precision) -> Any:
    """Return the device functions of one precision."""
    scalar, vec3 = p.scalar, p.vec3
    Bodies, Joints, Loops, Shapes, Options = p.references("Bodies", "Joints", "Loops", "Shapes", "Options")
    Contacts, Rows, Control, System = p.references("Contacts", "Rows", "Control", "System")
    Work, JointWork, LoopWork = p.references("Work", "JointWork", "LoopWork")
    Body, Row = p.references("Body", "Row")
    types, Islands = collision_types(p), wp.ref[island_types(p).Islands]
    Anchored, Colliders = wp.ref[types.Anchored], wp.ref[types.Colliders]
    is_static, world_tensor = motion_functions(p).is_static, motion_functions(p).world_tensor
    impact, moving, response = impact_functions(p), jointed_motion_functions(p), response_functions(p)
    least_approach, next_impact = impact.least_approach, impact.next_impact
    instant, report = impact.instant, impact.report
    go_on, ready_bodies = moving.go_on, moving.ready_bodies
    apart, respond_to_blow, note_joint = response.apart, response.respond_to_blow, response.note_joint
    strike, find_impulses = struck_functions(p).strike, struck_functions(p).find_impulses
    glide, start_anew = pass_functions(p).glide, pass_functions(p).start_anew
    combined = finding_functions(p).combined
    open_row, pushed = row_functions(p).open_row, row_functions(p).pushed
    rounded = rounding_functions(p).rounded
    impacts_of_row, spare_impacts = wp.constant(IMPACTS_OF_ROW), wp.constant(SPARE_IMPACTS)
    barely, together = wp.constant(scalar(BARELY)), wp.constant(scalar(TOGETHER))
    zero, half, two, never = (wp.constant(scalar(number)) for number in (0.0, 0.5, 2.0, -1.0))

    @wp.func
    def is_jointed(bodies: Bodies, b: int) -> bool:
        return not is_static(bodies, b) and bodies.is_free_body[b] == 0

    @wp.func
    def touches_joints(bodies: Bodies, row: Row) -> bool:
        return is_jointed(bodies, row.body_a) or is_jointed(bodies, row.body_b)

    @wp.func
    def way_then(bodies: Bodies, body: Body, b: int, arm: vec3, h: scalar) -> vec3:
        """Return how far a body would go in a substep with its momenta of a substep ago."""
        if b < 0:
            return vec3()
        if is_static(bodies, b):
            return h * (body.v_free + wp.cross(body.omega_free, arm))
        return h * (body.v_before + wp.cross(body.inv_tensor * body.spin_before, arm))

    @wp.func
    def foresee(bodies: Bodies, shapes: Shapes, row: Row, work: Work, left: scalar, h: scalar):
        """Find how much of the substep is left when a row closes, `left` at most; `never` if it does not."""
        rule = shapes.restitution_rule
        e = combined(rule, shapes.restitution[row.shape], shapes.restitution[row.solid])
        row.impact = never
        row.bounciness = e
        if e > zero:
            a, b, n = row.body_a, row.body_b, row.normal
            push = rounded(pushed(bodies, row, work, h))
            way = wp.dot(n, row.way + push)
            gap = row.gap + wp.dot(n, push)
            if gap < -barely * way:
                then = way_then(bodies, work.body[a], a, row.arm_a, h) - way_then(bodies, work.body[b], b, row.arm_b, h)
                gain = (way - wp.dot(n, then)) / (h * h)
                last = way / h + half * h * gain  # speed at the end of the substep
                at = left
                if gap - left * (last - half * left * gain) > zero:
                    root = wp.max(last * last - two * gain * gap, zero)
                    at = -two * gap / (wp.sqrt(root) - last)
                if last - gain * at < -least_approach(bodies, h):
                    row.impact = wp.clamp(at, zero, left)

    @wp.func
    def may_strike(bodies: Bodies, shapes: Shapes, row: Row, h: scalar) -> bool:
        """Tell whether a row may close fast in this substep, whatever its joints do."""
        rule = shapes.restitution_rule
        e = combined(rule, shapes.restitution[row.shape], shapes.restitution[row.solid])
        way = wp.dot(row.normal, row.way)
        return e > zero and row.gap < -way and way < -h * least_approach(bodies, h)

    @wp.func(inline=False)
    def collide(
        bodies: Bodies,
        joints: Joints,
        loops: Loops,
        shapes: Shapes,
        contacts: Contacts,
        rows: Rows,
        anchored: Anchored,
        colliders: Colliders,
        islands: Islands,
        work: Work,
        system: System,
        jw: JointWork,
        lw: LoopWork,
        options: Options,
        struck: int,
        most: scalar,
        n: int,
        h: scalar,
        per_impulse: scalar,
    ) -> scalar:
        """Let bounce what is struck when a row closes, move on, and return how much of the substep was left."""
        left = instant(bodies, shapes, rows.row[struck], anchored, colliders, work, most, h)
        a, b = rows.row[struck].body_a, rows.row[struck].body_b
        slop = together * wp.abs(wp.dot(rows.row[struck].normal, rows.row[struck].way))
        ready_bodies(bodies, joints, loops, islands, work, system, jw, lw, n, left, h)
        first, end = islands.first_row[n], islands.end_row[n]
        on_joints = touches_joints(bodies, rows.row[struck])
        for i in range(first, end):
            k = islands.row[i]
            rows.row[k].struck = int(0)
            one, other = rows.row[k].body_a, rows.row[k].body_b
            same = (one == a and other == b) or (one == b and other == a)
            if same or (on_joints and touches_joints(bodies, rows.row[k])):
                strike(bodies, shapes, rows.row[k], anchored, colliders, work, slop, k == struck, h)
        speed = wp.abs(wp.dot(rows.row[struck].normal, apart(rows.row[struck], work.meets)))
        find_impulses(bodies, joints, loops, rows, islands, work, system, jw, lw, n, speed)
        respond_to_blow(bodies, joints, loops, islands, work, system, jw, lw, n)
        for i in range(islands.first_joint[n], islands.end_joint[n]):
            note_joint(bodies, joints, work, jw, options, islands.joint[i], h)
        for i in range(first, end):
            k = islands.row[i]
            if rows.row[k].struck == 1:
                report(contacts, rows.row[k], per_impulse)
            change = apart(rows.row[k], work.move)
            closes = left * wp.dot(rows.row[k].normal, change)
            rows.row[k].way = rows.row[k].way + h * change
            rows.row[k].gap = rows.row[k].gap + closes
            rows.row[k].to_goal = rows.row[k].to_goal - wp.float64(closes)
        for i in range(islands.first_body[n], islands.end_body[n]):
            go_on(bodies, work, islands.body[i], left, h)
        return left

    @wp.func(inline=False)
    def bounce_on_joints(
        bodies: Bodies,
        joints: Joints,
        loops: Loops,
        shapes: Shapes,
        control: Control,
        contacts: Contacts,
        rows: Rows,
        anchored: Anchored,
        colliders: Colliders,
        islands: Islands,
        work: Work,
        system: System,
        jw: JointWork,
        lw: LoopWork,
        options: Options,
        n: int,
        h: scalar,
        per_impulse: scalar,
    ):
        """Go along the motion of an island's substep from impact to impact, in the order of time."""
        first, end = islands.first_row[n], islands.end_row[n]
        may = bool(False)
        for i in range(first, end):
            may = may or may_strike(bodies, shapes, rows.row[islands.row[i]], h)
        if not may:
            return
        glide(bodies, joints, loops, control, rows, islands, work, system, jw, lw, options, n, h)
        for i in range(first, end):
            foresee(bodies, shapes, rows.row[islands.row[i]], work, h, h)
        for i in range(islands.first_body[n], islands.end_body[n]):
            work.body[islands.body[i]].x_start = work.body[islands.body[i]].x0
        left = h
        bound = spare_impacts + impacts_of_row * (end - first)
        struck = next_impact(rows, islands, n)
        has_struck = bool(struck >= 0)
        while struck >= 0 and bound > 0:
            left = collide(
                bodies, joints, loops, shapes, contacts, rows, anchored, colliders, islands, work, system, jw, lw,
                options, struck, left, n, h, per_impulse,
            )  # fmt: skip
            for i in range(first, end):
                foresee(bodies, shapes, rows.row[islands.row[i]], work, left, h)
            struck = next_impact(rows, islands, n)
            bound -= 1
        for i in range(islands.first_body[n], islands.end_body[n]):
            work.body[islands.body[i]].x0 = work.body[islands.body[i]].x_start
        start_anew(bodies, joints, loops, rows, islands, work, jw, lw, n)
        if has_struck:
            for i in range(islands.first_body[n], islands.end_body[n]):
                b = islands.body[i]
                if is_jointed(bodies, b):
                    work.body[b].tensor = world_tensor(work.body[b].r0, bodies.inertia[b])
                    work.body[b].inv_tensor = world_tensor(work.body[b].r0, bodies.inv_inertia[b])
                    work.body[b].omega_free = work.body[b].inv_tensor * work.body[b].spin_free
            for i in range(first, end):
                k = islands.row[i]
                goal = rows.row[k].to_goal + wp.float64(rows.row[k].gap)
                recovery = wp.float64(0.0) + rows.row[k].recovery
                open_row(bodies, shapes, contacts, rows.row[k], anchored, colliders, work, left, h)
                rows.row[k].to_goal = goal - wp.float64(rows.row[k].gap)
                rows.row[k].recovery = recovery

    return SimpleNamespace(bounce_on_joints=bounce_on_joints)
