# SPDX-FileCopyrightText: The inertia_tools authors
# SPDX-License-Identifier: Apache-2.0
"""Contact impulses of one impact of jointed bodies, by Gauss-Seidel.

With T the velocity response of all bodies to impulses, the normal impulses p >= 0 solve n (v + T J^T p) >= -e n v;
friction then removes slip within Coulomb's law. Neither adds energy.
"""

from functools import lru_cache
from types import SimpleNamespace
from typing import Any

import warp as wp

from inertia_tools.sim.collide.time_of_impact import impact_time_functions
from inertia_tools.sim.constraints.contact_rows import contact_row_functions
from inertia_tools.sim.impacts.free_impacts import impact_functions
from inertia_tools.sim.impacts.impulse_response import response_functions
from inertia_tools.sim.kernels.constants import IMPACT_SETTLED, IMPACT_SWEEPS
from inertia_tools.sim.kernels.joint_axes import axes_functions
from inertia_tools.sim.kernels.motion import motion_functions
from inertia_tools.sim.kernels.precision import Precision
from inertia_tools.sim.kernels.rounding import rounding_functions
from inertia_tools.sim.kernels.scene_types import scene_type


@lru_cache(maxsize=2)
def impact_contact_functions(p: Precision) -> Any:
    """Return the device functions of one precision."""
    Scene = wp.ref[scene_type(p)]
    scalar, vec3 = p.scalar, p.vec3
    (Row,) = p.references("Row")
    is_static, joined = motion_functions(p).is_static, axes_functions(p).joined
    response, least_impact_speed = response_functions(p), impact_functions(p).least_impact_speed
    relative_velocity, respond_at = response.relative_velocity, response.respond_at
    meeting, body_axes = impact_time_functions(p).meeting, contact_row_functions(p).body_axes
    place_of, rounded = impact_time_functions(p).place_of, rounding_functions(p).rounded
    sweeps = wp.constant(IMPACT_SWEEPS)
    tolerance = wp.constant(scalar(IMPACT_SETTLED[p.name]))
    zero = wp.constant(scalar(0.0))

    @wp.func
    def measure_at_impact(scene: Scene, row: Row, gap_slop: scalar, is_cause: bool, h: scalar):
        """Measure a row at the time of an impact, and decide whether it takes part."""
        a, b = row.body_a, row.body_b
        xa, xb = place_of(scene.body[a], a), place_of(scene.body[b], b)
        n, gap, arm = meeting(scene, row, xa, body_axes(scene.body[a], a), xb, body_axes(scene.body[b], b))
        row.in_impact = int(0)
        if gap < gap_slop or is_cause:
            row.in_impact = int(1)
            row.normal = n
            row.arm_a = arm
            row.arm_b = arm + rounded(xa - xb)
            row.w_n = zero
            row.lambda_n = zero
            row.lambda_t = vec3()
            row.separation_speed = zero
            approach_speed = wp.dot(n, relative_velocity(row, scene.meeting))
            if approach_speed < -least_impact_speed(scene.bodies, h):
                row.separation_speed = -row.restitution * approach_speed

    @wp.func
    def apply_response(scene: Scene, row: Row, n: int, impulse: vec3, size: scalar):
        """Add `size` times the last response to the velocities, and sum the impulse on the row's bodies."""
        for i in range(scene.islands.first_body[n], scene.islands.end_body[n]):
            speed_change = scene.islands.body[i]
            scene.meeting[speed_change] = scene.meeting[speed_change] + size * scene.response[speed_change]
        a, b = row.body_a, row.body_b
        if not is_static(scene.bodies, a):
            scene.body[a].impact_impulse = scene.body[a].impact_impulse + joined(impulse, wp.cross(row.arm_a, impulse))
        if not is_static(scene.bodies, b):
            scene.body[b].impact_impulse = scene.body[b].impact_impulse - joined(impulse, wp.cross(row.arm_b, impulse))

    @wp.func
    def solve_normal(scene: Scene, row: Row, n: int) -> scalar:
        """Give a row in the impact its separation speed; contacts push only. Return the change of its speed."""
        normal = row.normal
        residual = row.separation_speed - wp.dot(normal, relative_velocity(row, scene.meeting))
        if residual < zero and row.lambda_n == zero:
            return zero
        w_n = respond_at(scene, row, n, normal)
        if w_n <= zero:
            return zero
        lambda_n = wp.max(row.lambda_n + residual / w_n, zero)
        change = lambda_n - row.lambda_n
        row.lambda_n = lambda_n
        apply_response(scene, row, n, change * normal, change)
        return wp.abs(change * w_n)

    @wp.func
    def apply_friction(scene: Scene, row: Row, n: int) -> scalar:
        """Remove slip from a row in the impact within Coulomb's law. Return the change of its velocity."""
        slip = relative_velocity(row, scene.meeting)
        slip = slip - wp.dot(slip, row.normal) * row.normal
        size, most = wp.length(slip), row.mu * row.lambda_n
        if size == zero or most <= zero:
            return zero
        w_t = respond_at(scene, row, n, slip / size)
        if w_t <= zero:
            return zero
        lambda_t = row.lambda_t - slip / w_t
        lambda_t = wp.min(scalar(1.0), most / wp.length(lambda_t)) * lambda_t
        impulse = lambda_t - row.lambda_t
        strength = wp.length(impulse)
        if strength == zero:
            return zero
        row.lambda_t = lambda_t
        respond_at(scene, row, n, impulse / strength)
        apply_response(scene, row, n, impulse, strength)
        return w_t * strength

    @wp.func(inline=False)
    def find_impulses(scene: Scene, n: int, speed: scalar):
        """Compute the impulses of all rows in the impact, normal ones first, then friction."""
        first, end = scene.islands.first_row[n], scene.islands.end_row[n]
        for is_friction in range(2):
            change = speed
            sweep = int(0)
            while sweep < sweeps and change > tolerance * speed:
                change = zero
                for i in range(first, end):
                    k = scene.islands.row[i]
                    if scene.rows.row[k].in_impact == 1:
                        if is_friction == 0:
                            speed_change = solve_normal(scene, scene.rows.row[k], n)
                        else:
                            speed_change = apply_friction(scene, scene.rows.row[k], n)
                        change = wp.max(change, speed_change)
                sweep += 1

    return SimpleNamespace(measure_at_impact=measure_at_impact, find_impulses=find_impulses)
