# SPDX-FileCopyrightText: The inertia_tools authors
# SPDX-License-Identifier: Apache-2.0
"""Restitution: bodies bounce at the instant at which they meet within a substep, one pair after the other.

The free motion of a substep is gone along from impact to impact. At each, the contacts of the two bodies that close
then part at their share of the speed at which they came (Newton's law of impact), and friction takes what Coulomb's law
grants from what is left of the slip. Both only take energy out. From there on the bodies move freely with their new
velocities, and may meet others, or each other again. Slow contacts are left to the passes, so that what rests stays
quiet.
"""

from functools import lru_cache
from types import SimpleNamespace
from typing import Any

import warp as wp

from inertia_tools.sim.collide.collision_types import collision_types
from inertia_tools.sim.device.precision import Precision
from inertia_tools.sim.xpbd.contact_finding import finding_functions
from inertia_tools.sim.xpbd.contact_rows import row_functions
from inertia_tools.sim.xpbd.island_types import island_types
from inertia_tools.sim.xpbd.motion import motion_functions
from inertia_tools.sim.xpbd.resting_contact_impulse import load_functions
from inertia_tools.sim.xpbd.rounding import rounding_functions
from inertia_tools.sim.xpbd.time_of_impact import impact_time_functions

SLOWEST = 2.0
"""Only what approaches faster than gravity makes it in this many substeps bounces (Mueller et al. 2020)."""

LEAST_SPEED = 1e-6
"""The same where there is no gravity [m/s]."""

SWEEPS = 16
"""Passes over contacts that bounce together, as the corners of a box that lands flat."""

TOGETHER = 0.01
"""Contacts of two bodies that are this part of the way of a substep apart, or less, bounce together."""

IMPACTS_OF_ROW = 4
"""Impacts of a substep at most, for each contact; what is left then does not bounce."""

SPARE_IMPACTS = 16

CLOSER_LOOKS = 3
"""Steps of Newton's method to the instant of an impact."""


@lru_cache(maxsize=2)
def impact_functions(p: Precision) -> Any:
    """Return the device functions of one precision."""
    scalar, vec3 = p.scalar, p.vec3
    Bodies, Shapes, Contacts, Rows, Work = p.references("Bodies", "Shapes", "Contacts", "Rows", "Work")
    types, motion, row, passage = collision_types(p), motion_functions(p), row_functions(p), impact_time_functions(p)
    Anchored, Colliders = wp.ref[types.Anchored], wp.ref[types.Colliders]
    Islands = wp.ref[island_types(p).Islands]
    is_static, add, spin_freely, mobility = motion.is_static, motion.add, motion.spin_freely, motion.mobility
    kick, prop = load_functions(p).kick, load_functions(p).prop
    combined, open_row, body_axes = finding_functions(p).combined, row.open_row, row.body_axes
    place_before, axes_before, speed_before = passage.place_before, passage.axes_before, passage.speed_before
    rounded = rounding_functions(p).rounded
    meeting, pull = passage.meeting, passage.pull
    slowest, least_speed = wp.constant(scalar(SLOWEST)), wp.constant(scalar(LEAST_SPEED))
    together, sweeps = wp.constant(scalar(TOGETHER)), wp.constant(SWEEPS)
    impacts_of_row, spare_impacts = wp.constant(IMPACTS_OF_ROW), wp.constant(SPARE_IMPACTS)
    closer_looks = wp.constant(CLOSER_LOOKS)
    zero, half, two = wp.constant(scalar(0.0)), wp.constant(scalar(0.5)), wp.constant(scalar(2.0))
    never = wp.constant(scalar(-1.0))

    @wp.func
    def least_approach(bodies: Bodies, h: scalar) -> scalar:
        """Return the speed up to which contacts do not bounce [m/s]."""
        return slowest * h * bodies.strongest[0] + least_speed

    @wp.func
    def foresee_impact(bodies: Bodies, shapes: Shapes, rows: Rows, work: Work, k: int, left: scalar, h: scalar):
        """Find how much of the substep is left when a row closes, `left` at most; `never` if it does not."""
        rows.impact[k] = never
        rule = shapes.restitution_rule
        e = combined(rule, shapes.restitution[rows.shape[k]], shapes.restitution[rows.solid[k]])
        gap = rows.gap[k]
        if e > zero and gap < zero:
            n = rows.normal[k]
            a = wp.dot(n, pull(work, rows.body_a[k], h) - pull(work, rows.body_b[k], h))
            last = wp.dot(n, rows.way[k]) / h + half * h * a  # speed at the end of the substep
            at = left
            if gap - left * (last - half * left * a) > zero:
                root = wp.max(last * last - two * a * gap, zero)
                at = -two * gap / (wp.sqrt(root) - last)
            if last - a * at < -least_approach(bodies, h):
                rows.impact[k] = wp.min(at, left)
                rows.bounciness[k] = e

    @wp.func
    def next_impact(rows: Rows, islands: Islands, n: int) -> int:
        """Return the row of an island that closes next; -1 for none."""
        found = int(-1)
        most = never
        for i in range(islands.first_row[n], islands.end_row[n]):
            k = islands.row[i]
            if rows.impact[k] > most:
                most = rows.impact[k]
                found = k
        return found

    @wp.func
    def approach(rows: Rows, work: Work, k: int, left: scalar, h: scalar) -> vec3:
        """Return how fast the first body of a struck row moves against the second at the contact [m/s]."""
        one = speed_before(work, rows.body_a[k], rows.arm_a[k], left, h)
        return one - speed_before(work, rows.body_b[k], rows.arm_b[k], left, h)

    @wp.func
    def is_between(rows: Rows, k: int, a: int, b: int) -> bool:
        one, other = rows.body_a[k], rows.body_b[k]
        return (one == a and other == b) or (one == b and other == a)

    @wp.func
    def moves_with(bodies: Bodies, rows: Rows, k: int, b: int) -> bool:
        return not is_static(bodies, b) and (rows.body_a[k] == b or rows.body_b[k] == b)

    @wp.func(inline=False)
    def halt(bodies: Bodies, work: Work, b: int, left: scalar):
        """Turn a body back to where it is when so much of the substep is left, and take its tensor there."""
        if not is_static(bodies, b):
            spin_freely(bodies, work, b, work.spin[b], -left)
            frame = wp.quat_to_matrix(work.r[b])
            work.tensor[b] = frame * bodies.inertia[b] * wp.transpose(frame)
            work.inv_tensor[b] = frame * bodies.inv_inertia[b] * wp.transpose(frame)
            work.omega_free[b] = work.inv_tensor[b] * work.spin[b]

    @wp.func
    def strike(
        bodies: Bodies,
        shapes: Shapes,
        rows: Rows,
        anchored: Anchored,
        colliders: Colliders,
        work: Work,
        k: int,
        left: scalar,
        slop: scalar,
        h: scalar,
    ):
        """Measure a row at the instant of an impact of its two bodies, and see whether it takes part."""
        a, b = rows.body_a[k], rows.body_b[k]
        xa, xb = place_before(work, a, left, h), place_before(work, b, left, h)
        ra, rb = body_axes(work, a), body_axes(work, b)
        n, gap, arm = meeting(shapes, rows, anchored, colliders, k, xa, ra, xb, rb)
        rows.struck[k] = int(0)
        if gap < slop:
            rows.struck[k] = int(1)
            rows.normal[k] = n
            rows.arm_a[k] = arm
            rows.arm_b[k] = arm + rounded(xa - xb)
            rows.w_n[k] = mobility(bodies, work, a, rows.arm_a[k], n) + mobility(bodies, work, b, rows.arm_b[k], n)
            rows.lambda_n[k] = zero
            rows.lambda_t[k] = vec3()
            rows.parting[k] = zero
            came = wp.dot(n, approach(rows, work, k, left, h))
            if came < -least_approach(bodies, h) and rows.impact[k] > never:
                rows.parting[k] = -rows.bounciness[k] * came

    @wp.func(inline=False)
    def instant(
        bodies: Bodies,
        shapes: Shapes,
        rows: Rows,
        anchored: Anchored,
        colliders: Colliders,
        work: Work,
        k: int,
        most: scalar,
        h: scalar,
    ) -> scalar:
        """Return how much of the substep is left when a row closes, by Newton's method; `most` at most."""
        left = rows.impact[k]
        a, b = rows.body_a[k], rows.body_b[k]
        for _step in range(closer_looks):
            xa, xb = place_before(work, a, left, h), place_before(work, b, left, h)
            ra, rb = axes_before(bodies, work, a, left), axes_before(bodies, work, b, left)
            n, gap, arm = meeting(shapes, rows, anchored, colliders, k, xa, ra, xb, rb)
            closing = -wp.dot(n, speed_before(work, a, arm, left, h))
            closing = closing + wp.dot(n, speed_before(work, b, arm + rounded(xa - xb), left, h))
            if closing > zero:
                left = wp.clamp(left - gap / closing, zero, most)
        return left

    @wp.func
    def part(bodies: Bodies, rows: Rows, work: Work, k: int, left: scalar, h: scalar):
        """Let a struck row part as fast as it is to; contacts push only."""
        n = rows.normal[k]
        residual = rows.parting[k] - wp.dot(n, approach(rows, work, k, left, h))
        lambda_n = wp.max(rows.lambda_n[k] + residual / rows.w_n[k], zero)
        impulse = (lambda_n - rows.lambda_n[k]) * n
        rows.lambda_n[k] = lambda_n
        kick(bodies, work, rows.body_a[k], rows.arm_a[k], impulse)
        kick(bodies, work, rows.body_b[k], rows.arm_b[k], -impulse)

    @wp.func(inline=False)
    def scrape(bodies: Bodies, rows: Rows, work: Work, k: int, left: scalar, h: scalar):
        """Take slip out of a struck row, as far as Coulomb's law allows."""
        n = rows.normal[k]
        slip = approach(rows, work, k, left, h)
        slip = slip - wp.dot(slip, n) * n
        size = wp.length(slip)
        if size > zero and rows.mu[k] * rows.lambda_n[k] > zero:
            t = slip / size
            w_t = mobility(bodies, work, rows.body_a[k], rows.arm_a[k], t)
            w_t = w_t + mobility(bodies, work, rows.body_b[k], rows.arm_b[k], t)
            lambda_t = rows.lambda_t[k] - slip / w_t
            lambda_t = wp.min(scalar(1.0), rows.mu[k] * rows.lambda_n[k] / wp.length(lambda_t)) * lambda_t
            impulse = lambda_t - rows.lambda_t[k]
            rows.lambda_t[k] = lambda_t
            kick(bodies, work, rows.body_a[k], rows.arm_a[k], impulse)
            kick(bodies, work, rows.body_b[k], rows.arm_b[k], -impulse)

    @wp.func
    def go_on(bodies: Bodies, work: Work, b: int, v: vec3, left: scalar):
        """Move a body freely to the end of the substep; its velocity was this one."""
        if not is_static(bodies, b):
            add(work, b, left * (work.v_free[b] - v))
            spin_freely(bodies, work, b, work.spin_free[b], left)
            work.x_free[b] = work.x[b]
            work.x_low_free[b] = work.x_low[b]
            work.r_free[b] = work.r[b]
            work.r_low_free[b] = work.r_low[b]

    @wp.func
    def velocity(work: Work, b: int) -> vec3:
        if b < 0:
            return vec3()
        return work.v_free[b]

    @wp.func
    def report(contacts: Contacts, rows: Rows, k: int, per_impulse: scalar):
        """Add the impulse of a struck row to the reported force."""
        slot = rows.slot[k]
        if rows.lambda_n[k] > zero:
            impulse = rows.lambda_n[k] * rows.normal[k] + rows.lambda_t[k]
            contacts.force[slot] = contacts.force[slot] + per_impulse * impulse
            contacts.normal[slot] = rows.normal[k]
            contacts.point[slot] = rows.point[k]

    @wp.func(inline=False)
    def collide(
        bodies: Bodies,
        shapes: Shapes,
        contacts: Contacts,
        rows: Rows,
        anchored: Anchored,
        colliders: Colliders,
        islands: Islands,
        work: Work,
        struck: int,
        most: scalar,
        n: int,
        h: scalar,
        per_impulse: scalar,
    ) -> scalar:
        """Let the two bodies of a row bounce, move on, and return how much of the substep was left."""
        left = instant(bodies, shapes, rows, anchored, colliders, work, struck, most, h)
        a, b = rows.body_a[struck], rows.body_b[struck]
        propped = bool(False)
        for i in range(islands.first_row[n], islands.end_row[n]):
            k = islands.row[i]
            if k != struck and (moves_with(bodies, rows, k, a) or moves_with(bodies, rows, k, b)):
                propped = prop(bodies, contacts, rows, work, k, left, h, per_impulse) or propped
        halt(bodies, work, a, left)
        halt(bodies, work, b, left)
        va, vb = velocity(work, a), velocity(work, b)
        slop = together * wp.abs(wp.dot(rows.normal[struck], rows.way[struck]))
        first, end = islands.first_row[n], islands.end_row[n]
        for i in range(first, end):
            k = islands.row[i]
            if is_between(rows, k, a, b):
                strike(bodies, shapes, rows, anchored, colliders, work, k, left, slop, h)
        for _sweep in range(sweeps):
            for i in range(first, end):
                k = islands.row[i]
                if is_between(rows, k, a, b) and rows.struck[k] == 1:
                    part(bodies, rows, work, k, left, h)
        for _sweep in range(sweeps):
            for i in range(first, end):
                k = islands.row[i]
                if is_between(rows, k, a, b) and rows.struck[k] == 1:
                    scrape(bodies, rows, work, k, left, h)
        for i in range(first, end):
            k = islands.row[i]
            if is_between(rows, k, a, b) and rows.struck[k] == 1:
                report(contacts, rows, k, per_impulse)
        go_on(bodies, work, a, va, left)
        go_on(bodies, work, b, vb, left)
        for i in range(first, end):
            k = islands.row[i]
            if propped or moves_with(bodies, rows, k, a) or moves_with(bodies, rows, k, b):
                goal = rows.to_goal[k] + wp.float64(rows.gap[k])
                open_row(bodies, shapes, contacts, rows, anchored, colliders, work, k, left, h)
                rows.to_goal[k] = goal - wp.float64(rows.gap[k])
                foresee_impact(bodies, shapes, rows, work, k, left, h)
        return left

    @wp.func(inline=False)
    def bounce(
        bodies: Bodies,
        shapes: Shapes,
        contacts: Contacts,
        rows: Rows,
        anchored: Anchored,
        colliders: Colliders,
        islands: Islands,
        work: Work,
        n: int,
        h: scalar,
        per_impulse: scalar,
    ):
        """Go along the free motion of an island's substep from impact to impact, in the order of time."""
        first, end = islands.first_row[n], islands.end_row[n]
        for i in range(first, end):
            rows.propped[islands.row[i]] = int(0)
            foresee_impact(bodies, shapes, rows, work, islands.row[i], h, h)
        left = h
        bound = spare_impacts + impacts_of_row * (end - first)
        struck = next_impact(rows, islands, n)
        while struck >= 0 and bound > 0:
            left = collide(
                bodies, shapes, contacts, rows, anchored, colliders, islands, work, struck, left, n, h, per_impulse
            )
            struck = next_impact(rows, islands, n)
            bound -= 1

    return SimpleNamespace(
        bounce=bounce,
        least_approach=least_approach,
        next_impact=next_impact,
        halt=halt,
        instant=instant,
        report=report,
    )
