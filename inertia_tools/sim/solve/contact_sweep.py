# SPDX-FileCopyrightText: The inertia_tools authors
# SPDX-License-Identifier: Apache-2.0
"""Gauss-Seidel sweeps over contacts: XPBD's contact constraint with Coulomb friction, one contact after the other.

Impulses act equal and opposite at one point, which conserves momentum. Friction takes back the tangential displacement
since sticking began, including that of earlier substeps, so that sticking bodies do not creep. The friction disc is
isotropic. The direct solve does not use this module.
"""

from functools import lru_cache
from types import SimpleNamespace
from typing import Any

import warp as wp

from inertia_tools.sim.constraints.contact_rows import contact_row_functions
from inertia_tools.sim.constraints.contact_twist import twist_functions
from inertia_tools.sim.kernels.motion import motion_functions
from inertia_tools.sim.kernels.precision import Precision
from inertia_tools.sim.kernels.rounding import rounding_functions
from inertia_tools.sim.kernels.scene_types import scene_type


@lru_cache(maxsize=2)
def touch_functions(p: Precision) -> Any:
    """Return the device functions of one precision."""
    Scene = wp.ref[scene_type(p)]
    scalar, vec3 = p.scalar, p.vec3
    Bodies, Row = p.references("Bodies", "Row")
    Body, Options = p.references("Body", "Options")
    motion, row = motion_functions(p), contact_row_functions(p)
    apply_impulse, mobility, is_static = motion.apply_impulse, motion.mobility, motion.is_static
    moved_by_impulses, slip_of = row.moved_by_impulses, row.slip_of
    rotation_since_sticking, least = twist_functions(p).rotation_since_sticking, wp.constant(scalar(1.0e-30))
    exact, rounded = rounding_functions(p).exact, rounding_functions(p).rounded

    @wp.func
    def apply_to_both(scene: Scene, row: Row, impulse: vec3, h: scalar):
        apply_impulse(scene.bodies, scene.body[row.body_a], row.body_a, impulse, wp.cross(row.arm_a, impulse), h)
        apply_impulse(scene.bodies, scene.body[row.body_b], row.body_b, -impulse, -wp.cross(row.arm_b, impulse), h)

    @wp.func
    def count_on(bodies: Bodies, row: Row, body: Body, b: int):
        if not is_static(bodies, b) and row.gap < scalar(0.0):
            body.overlap_count = body.overlap_count + 1

    @wp.func
    def count_touching(scene: Scene, n: int):
        """Count the contacts of each body that overlap after free motion; see `relaxation_of`."""
        for i in range(scene.islands.first_body[n], scene.islands.end_body[n]):
            scene.body[scene.islands.body[i]].overlap_count = int(0)
        for i in range(scene.islands.first_row[n], scene.islands.end_row[n]):
            k = scene.islands.row[i]
            count_on(scene.bodies, scene.rows.row[k], scene.body[scene.rows.row[k].body_a], scene.rows.row[k].body_a)
            count_on(scene.bodies, scene.rows.row[k], scene.body[scene.rows.row[k].body_b], scene.rows.row[k].body_b)

    @wp.func
    def relaxation_of(scene: Scene, row: Row, options: Options) -> scalar:
        """Return the factor of a contact's multiplier in a sweep, the same for both bodies."""
        if options.sweeps == 0:
            return scalar(1.0)
        ratio = options.contact_relaxation
        if options.contact_weighting == 1:
            count, sides = int(0), int(0)
            if not is_static(scene.bodies, row.body_a):
                count += scene.body[row.body_a].overlap_count
                sides += 1
            if not is_static(scene.bodies, row.body_b):
                count += scene.body[row.body_b].overlap_count
                sides += 1
            ratio = ratio * scalar(sides) / scalar(wp.max(count, sides))
        return ratio

    @wp.func
    def sweep_friction(scene: Scene, row: Row, ratio: scalar, h: scalar):
        """Take back the slip of a contact, as far as Coulomb's law allows."""
        slip = rounded(slip_of(scene.contacts, row, moved_by_impulses(scene, row, h)))
        size = wp.length(slip)
        if size > scalar(0.0):
            n, t = row.normal, slip / size
            w_t = mobility(scene.bodies, scene.body[row.body_a], row.body_a, row.arm_a, t)
            w_t = w_t + mobility(scene.bodies, scene.body[row.body_b], row.body_b, row.arm_b, t)
            last = row.lambda_t
            impulse = last - (ratio / w_t) * slip
            impulse = impulse - wp.dot(impulse, n) * n
            most = row.mu * row.lambda_n
            size_wanted = wp.length(impulse)
            row.slides = int(0)
            if size_wanted > most:
                impulse = (most / size_wanted) * impulse
                row.slides = int(1)
            apply_to_both(scene, row, impulse - last, h)
            row.lambda_t = impulse

    @wp.func
    def sweep_contact(scene: Scene, row: Row, options: Options):
        """Solve one contact."""
        n = row.normal
        moved = wp.dot(exact(n), moved_by_impulses(scene, row, options.h))
        last = row.lambda_n
        if row.gap + scalar(moved) < scalar(0.0) or last != scalar(0.0):
            ratio = relaxation_of(scene, row, options)
            impulse = wp.max(last + ratio * scalar(row.gap_error - moved) / row.w_n, scalar(0.0))
            apply_to_both(scene, row, (impulse - last) * n, options.h)
            row.lambda_n = impulse
            sweep_friction(scene, row, ratio, options.h)

    @wp.func
    def sweep_twist(scene: Scene, row: Row, options: Options):
        """Take back the rotation of a contact, as far as torsional and rolling friction allow."""
        last = row.lambda_r
        lambda_n = row.lambda_n
        if lambda_n > scalar(0.0) or wp.dot(last, last) > scalar(0.0):
            n = row.normal
            angle = relaxation_of(scene, row, options) * rotation_since_sticking(scene, row, options.h)
            moment = last - angle / row.w_rolling
            torsion = wp.dot(last, n) - wp.dot(angle, n) / row.w_torsion
            rolling = moment - wp.dot(moment, n) * n
            torsion_bound, rolling_bound = row.mu_torsional * lambda_n, row.mu_rolling * lambda_n
            row.torsion_sticks = is_within(wp.abs(torsion), torsion_bound)
            row.rolling_sticks = is_within(wp.length(rolling), rolling_bound)
            moment = wp.clamp(torsion, -torsion_bound, torsion_bound) * n + clamp_length(rolling, rolling_bound)
            apply_impulse(scene.bodies, scene.body[row.body_a], row.body_a, vec3(), moment - last, options.h)
            apply_impulse(scene.bodies, scene.body[row.body_b], row.body_b, vec3(), last - moment, options.h)
            row.lambda_r = moment

    @wp.func
    def is_within(moment: scalar, most: scalar) -> scalar:
        """Return 1 where a moment is within its bound, else 0."""
        if moment <= most:
            return scalar(1.0)
        return scalar(0.0)

    @wp.func
    def clamp_length(moment: vec3, most: scalar) -> vec3:
        """Return a moment scaled to a bound, if it exceeds it."""
        return wp.min(scalar(1.0), most / (wp.length(moment) + least)) * moment

    return SimpleNamespace(sweep_contact=sweep_contact, sweep_twist=sweep_twist, count_touching=count_touching)
