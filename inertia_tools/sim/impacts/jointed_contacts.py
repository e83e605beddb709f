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

from inertia_tools.sim.collide.time_of_impact import impact_time_functions
from inertia_tools.sim.constraints.contact_rows import row_functions
from inertia_tools.sim.impacts.free_impacts import SWEEPS, impact_functions
from inertia_tools.sim.impacts.impulse_response import response_functions
from inertia_tools.sim.kernels.collision_types import collision_types
from inertia_tools.sim.kernels.island_types import island_types
from inertia_tools.sim.kernels.joint_axes import axes_functions
from inertia_tools.sim.kernels.motion import motion_functions
from inertia_tools.sim.kernels.precision import Precision
from inertia_tools.sim.kernels.rounding import rounding_functions

SETTLED = {"float32": 1e-6, "float64": 1e-14}
"""Change of a velocity, over the speed of the impact, that ends the sweeps over its contacts."""


@lru_cache(maxsize=2)
def struck_functions(p: Precision) -> Any:
    """Return the device functions of one precision."""
    scalar, vec3 = p.scalar, p.vec3
    Bodies, Joints, Loops, Shapes, Rows = p.references("Bodies", "Joints", "Loops", "Shapes", "Rows")
    Row, Work, System, JointWork = p.references("Row", "Work", "System", "JointWork")
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
        row: Row,
        anchored: Anchored,
        colliders: Colliders,
        work: Work,
        slop: scalar,
        is_cause: bool,
        h: scalar,
    ):
        """Measure a row at the instant of an impact, and see whether it takes part."""
        a, b = row.body_a, row.body_b
        xa, xb = place_of(work.body[a], a), place_of(work.body[b], b)
        n, gap, arm = meeting(
            shapes, row, anchored, colliders, xa, body_axes(work.body[a], a), xb, body_axes(work.body[b], b)
        )
        row.struck = int(0)
        if gap < slop or is_cause:
            row.struck = int(1)
            row.normal = n
            row.arm_a = arm
            row.arm_b = arm + rounded(xa - xb)
            row.w_n = zero
            row.lambda_n = zero
            row.lambda_t = vec3()
            row.parting = zero
            came = wp.dot(n, apart(row, work.meets))
            if came < -least_approach(bodies, h):
                row.parting = -row.bounciness * came

    @wp.func
    def apply(bodies: Bodies, row: Row, islands: Islands, work: Work, n: int, impulse: vec3, size: scalar):
        """Add the velocities that were found last, times an impulse's size, and sum the impulse."""
        for i in range(islands.first_body[n], islands.end_body[n]):
            moved = islands.body[i]
            work.meets[moved] = work.meets[moved] + size * work.move[moved]
        a, b = row.body_a, row.body_b
        if not is_static(bodies, a):
            work.body[a].struck_by = work.body[a].struck_by + joined(impulse, wp.cross(row.arm_a, impulse))
        if not is_static(bodies, b):
            work.body[b].struck_by = work.body[b].struck_by - joined(impulse, wp.cross(row.arm_b, impulse))

    @wp.func
    def separate(
        bodies: Bodies,
        joints: Joints,
        loops: Loops,
        row: Row,
        islands: Islands,
        work: Work,
        system: System,
        jw: JointWork,
        n: int,
    ) -> scalar:
        """Let a struck row part as fast as it is to; contacts push only. Return the change of its speed."""
        normal = row.normal
        residual = row.parting - wp.dot(normal, apart(row, work.meets))
        if residual < zero and row.lambda_n == zero:
            return zero
        w_n = respond_at(bodies, joints, loops, row, islands, work, system, jw, n, normal)
        if w_n <= zero:
            return zero
        lambda_n = wp.max(row.lambda_n + residual / w_n, zero)
        change = lambda_n - row.lambda_n
        row.lambda_n = lambda_n
        apply(bodies, row, islands, work, n, change * normal, change)
        return wp.abs(change * w_n)

    @wp.func
    def apply_friction(
        bodies: Bodies,
        joints: Joints,
        loops: Loops,
        row: Row,
        islands: Islands,
        work: Work,
        system: System,
        jw: JointWork,
        n: int,
    ) -> scalar:
        """Take slip out of a struck row, as far as Coulomb's law allows. Return the change of its velocity."""
        slip = apart(row, work.meets)
        slip = slip - wp.dot(slip, row.normal) * row.normal
        size, most = wp.length(slip), row.mu * row.lambda_n
        if size == zero or most <= zero:
            return zero
        w_t = respond_at(bodies, joints, loops, row, islands, work, system, jw, n, slip / size)
        if w_t <= zero:
            return zero
        lambda_t = row.lambda_t - slip / w_t
        lambda_t = wp.min(scalar(1.0), most / wp.length(lambda_t)) * lambda_t
        impulse = lambda_t - row.lambda_t
        strength = wp.length(impulse)
        if strength == zero:
            return zero
        row.lambda_t = lambda_t
        respond_at(bodies, joints, loops, row, islands, work, system, jw, n, impulse / strength)
        apply(bodies, row, islands, work, n, impulse, strength)
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
                    if rows.row[k].struck == 1:
                        if rubs == 0:
                            moved = separate(bodies, joints, loops, rows.row[k], islands, work, system, jw, n)
                        else:
                            moved = apply_friction(bodies, joints, loops, rows.row[k], islands, work, system, jw, n)
                        change = wp.max(change, moved)
                sweep += 1

    return SimpleNamespace(strike=strike, find_impulses=find_impulses)
