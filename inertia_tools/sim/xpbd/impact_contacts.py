# SPDX-FileCopyrightText: The inertia_tools authors
# SPDX-License-Identifier: Apache-2.0
"""Contacts that are struck in one impact of bodies on joints, and their impulses, found one after the other.

With T the velocities of all bodies for impulses on them, the impulses p >= 0 solve n (v + T J^T p) >= -e n v
(Gauss-Seidel); friction then takes what Coulomb's law grants out of the slip. Neither adds energy.
"""

from functools import lru_cache
from types import SimpleNamespace
from typing import Any

import warp as wp

from inertia_tools.sim.collide.collision_types import collision_types
from inertia_tools.sim.device.precision import Precision
from inertia_tools.sim.xpbd.contact_rows import row_functions
from inertia_tools.sim.xpbd.impacts import SWEEPS, impact_functions
from inertia_tools.sim.xpbd.impulse_response import response_functions
from inertia_tools.sim.xpbd.island_types import island_types
from inertia_tools.sim.xpbd.joint_axes import axes_functions
from inertia_tools.sim.xpbd.motion import motion_functions
from inertia_tools.sim.xpbd.rounding import rounding_functions
from inertia_tools.sim.xpbd.time_of_impact import impact_time_functions

SETTLED = {"float32": 1e-6, "float64": 1e-14}
"""Change of a velocity, over the speed of the impact, that ends the sweeps over its contacts."""


@lru_cache(maxsize=2)
def struck_functions(p: Precision) -> Any:
    """Return the device functions of one precision."""
    scalar, vec3 = p.scalar, p.vec3
    Bodies, Joints, Loops, Shapes, Rows = p.references("Bodies", "Joints", "Loops", "Shapes", "Rows")
    Work, JointWork, DofWork, LoopWork = p.references("Work", "JointWork", "DofWork", "LoopWork")
    (System,) = p.references("System")
    types, Islands = collision_types(p), wp.ref[island_types(p).Islands]
    Anchored, Colliders = wp.ref[types.Anchored], wp.ref[types.Colliders]
    is_static, joined = motion_functions(p).is_static, axes_functions(p).joined
    response, least_approach = response_functions(p), impact_functions(p).least_approach
    apart, respond_at = response.apart, response.respond_at
    meeting, body_axes = impact_time_functions(p).meeting, row_functions(p).body_axes
    place_of, rounded = impact_time_functions(p).place_of, rounding_functions(p).rounded
    sweeps, settled, zero = wp.constant(SWEEPS), wp.constant(scalar(SETTLED[p.name])), wp.constant(scalar(0.0))

    @wp.func
    def strike(
        bodies: Bodies,
        shapes: Shapes,
        rows: Rows,
        anchored: Anchored,
        colliders: Colliders,
        work: Work,
        k: int,
        slop: scalar,
        is_cause: bool,
        h: scalar,
    ):
        """Measure a row at the instant of an impact, and see whether it takes part."""
        a, b = rows.body_a[k], rows.body_b[k]
        xa, xb = place_of(work, a), place_of(work, b)
        n, gap, arm = meeting(shapes, rows, anchored, colliders, k, xa, body_axes(work, a), xb, body_axes(work, b))
        rows.struck[k] = int(0)
        if gap < slop or is_cause:
            rows.struck[k] = int(1)
            rows.normal[k] = n
            rows.arm_a[k] = arm
            rows.arm_b[k] = arm + rounded(xa - xb)
            rows.w_n[k] = zero
            rows.lambda_n[k] = zero
            rows.lambda_t[k] = vec3()
            rows.parting[k] = zero
            came = wp.dot(n, apart(rows, work.meets, k))
            if came < -least_approach(bodies, h):
                rows.parting[k] = -rows.bounciness[k] * came

    @wp.func
    def apply(bodies: Bodies, rows: Rows, islands: Islands, work: Work, n: int, k: int, impulse: vec3, size: scalar):
        """Add the velocities that were found last, times an impulse's size, and sum the impulse."""
        for i in range(islands.first_body[n], islands.end_body[n]):
            moved = islands.body[i]
            work.meets[moved] = work.meets[moved] + size * work.move[moved]
        a, b = rows.body_a[k], rows.body_b[k]
        if not is_static(bodies, a):
            work.struck_by[a] = work.struck_by[a] + joined(impulse, wp.cross(rows.arm_a[k], impulse))
        if not is_static(bodies, b):
            work.struck_by[b] = work.struck_by[b] - joined(impulse, wp.cross(rows.arm_b[k], impulse))

    @wp.func
    def part(
        bodies: Bodies,
        joints: Joints,
        loops: Loops,
        rows: Rows,
        islands: Islands,
        work: Work,
        system: System,
        jw: JointWork,
        dw: DofWork,
        lw: LoopWork,
        n: int,
        k: int,
    ) -> scalar:
        """Let a struck row part as fast as it is to; contacts push only. Return the change of its speed."""
        normal = rows.normal[k]
        residual = rows.parting[k] - wp.dot(normal, apart(rows, work.meets, k))
        if residual < zero and rows.lambda_n[k] == zero:
            return zero
        w_n = respond_at(bodies, joints, loops, rows, islands, work, system, jw, dw, lw, n, k, normal)
        if w_n <= zero:
            return zero
        lambda_n = wp.max(rows.lambda_n[k] + residual / w_n, zero)
        change = lambda_n - rows.lambda_n[k]
        rows.lambda_n[k] = lambda_n
        apply(bodies, rows, islands, work, n, k, change * normal, change)
        return wp.abs(change * w_n)

    @wp.func
    def scrape(
        bodies: Bodies,
        joints: Joints,
        loops: Loops,
        rows: Rows,
        islands: Islands,
        work: Work,
        system: System,
        jw: JointWork,
        dw: DofWork,
        lw: LoopWork,
        n: int,
        k: int,
    ) -> scalar:
        """Take slip out of a struck row, as far as Coulomb's law allows. Return the change of its velocity."""
        slip = apart(rows, work.meets, k)
        slip = slip - wp.dot(slip, rows.normal[k]) * rows.normal[k]
        size, most = wp.length(slip), rows.mu[k] * rows.lambda_n[k]
        if size == zero or most <= zero:
            return zero
        w_t = respond_at(bodies, joints, loops, rows, islands, work, system, jw, dw, lw, n, k, slip / size)
        if w_t <= zero:
            return zero
        lambda_t = rows.lambda_t[k] - slip / w_t
        lambda_t = wp.min(scalar(1.0), most / wp.length(lambda_t)) * lambda_t
        impulse = lambda_t - rows.lambda_t[k]
        strength = wp.length(impulse)
        if strength == zero:
            return zero
        rows.lambda_t[k] = lambda_t
        respond_at(bodies, joints, loops, rows, islands, work, system, jw, dw, lw, n, k, impulse / strength)
        apply(bodies, rows, islands, work, n, k, impulse, strength)
        return w_t * strength

    @wp.func(inline=False)
    def find_impulses(
        bodies: Bodies,
        joints: Joints,
        loops: Loops,
        rows: Rows,
        islands: Islands,
        work: Work,
        system: System,
        jw: JointWork,
        dw: DofWork,
        lw: LoopWork,
        n: int,
        speed: scalar,
    ):
        """Find the impulses of all struck rows, of friction last."""
        first, end = islands.first_row[n], islands.end_row[n]
        for rubs in range(2):
            change = speed
            sweep = int(0)
            while sweep < sweeps and change > settled * speed:
                change = zero
                for i in range(first, end):
                    k = islands.row[i]
                    if rows.struck[k] == 1:
                        if rubs == 0:
                            moved = part(bodies, joints, loops, rows, islands, work, system, jw, dw, lw, n, k)
                        else:
                            moved = scrape(bodies, joints, loops, rows, islands, work, system, jw, dw, lw, n, k)
                        change = wp.max(change, moved)
                sweep += 1

    return SimpleNamespace(strike=strike, find_impulses=find_impulses)
