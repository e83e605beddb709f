# SPDX-FileCopyrightText: The inertia_tools authors
# SPDX-License-Identifier: Apache-2.0
"""One contact in an outer iterate of the augmented Lagrangian: multipliers, friction bound, residuals.

An iterate starts with multipliers and a bound, `lambda_n_start` and so on, and ends with those that have been applied.
The natural residual of a multiplier L and a displacement r that should vanish is w |L - P(L + r / w)|, where P projects
onto the forces that Coulomb's law allows ("The merit function" in docs/solver.md).
"""

from functools import lru_cache
from types import SimpleNamespace
from typing import Any

import numpy as np
import warp as wp

from inertia_tools.sim.constraints.contact_law import contact_law_functions
from inertia_tools.sim.constraints.contact_rows import contact_row_functions
from inertia_tools.sim.constraints.contact_twist import twist_functions
from inertia_tools.sim.kernels.constants import (
    ISLAND_STIFFNESS,
    LOCAL_STIFFNESS,
    MOST_JOINTED_STIFFNESS,
    MOST_STIFFNESS,
    RECOVERY_LIMIT,
    SLIP_ISLAND_STIFFNESS,
    SLIP_STIFFNESS,
)
from inertia_tools.sim.kernels.precision import Precision, precision
from inertia_tools.sim.kernels.rounding import rounding_functions
from inertia_tools.sim.kernels.scene_types import scene_type


@lru_cache(maxsize=2)
def iterate_functions(p: Precision) -> Any:
    """Return the device functions of one precision."""
    Scene = wp.ref[scene_type(p)]
    scalar, vec3 = p.scalar, p.vec3
    wide = precision("float64")
    wide_vec3 = wide.vec3
    Contacts, Row = p.references("Contacts", "Row")
    law = contact_law_functions(p)
    exact, rounded = rounding_functions(p).exact, rounding_functions(p).rounded
    rotation_by_impulses = twist_functions(p).rotation_by_impulses
    rows = contact_row_functions(p)
    moved_by_impulses, slip_of = rows.moved_by_impulses, rows.slip_of
    update_slip_correction = rows.update_slip_correction
    tangential, clamp_length, project_moment = law.tangential, law.clamp_length, law.project_moment
    unit_normal = law.unit_normal
    island_stiffness = wp.constant(wp.float64(ISLAND_STIFFNESS))
    local_stiffness = wp.constant(wp.float64(LOCAL_STIFFNESS))
    most_jointed_stiffness = wp.constant(wp.float64(MOST_JOINTED_STIFFNESS))
    slip_stiffness = wp.constant(wp.float64(SLIP_STIFFNESS))
    slip_island_stiffness = wp.constant(wp.float64(SLIP_ISLAND_STIFFNESS))
    most_stiffness = wp.constant(wp.float64(MOST_STIFFNESS))
    recovery_limit = wp.constant(wp.float64(RECOVERY_LIMIT))
    zero, half, one = (wp.constant(wp.float64(value)) for value in (0.0, 0.5, 1.0))
    rounding, tiniest = (wp.constant(wp.float64(value)) for value in (np.finfo(p.name).eps, np.finfo(float).tiny))

    @wp.func
    def reset_multipliers(row: Row):
        """Start the next iterate without multipliers, but with the friction bounds."""
        row.lambda_n_start = wp.float64(0.0)
        row.recovery_start = wp.float64(0.0)
        row.lambda_t_start = wide_vec3()

    @wp.func
    def reset_friction(row: Row):
        """Restore the friction bound of the last iterate, and the tangential stiffness of the first one."""
        row.bound = row.bound - row.bound_error
        row.slip_stiffness = slip_stiffness / wp.float64(row.w_t)

    @wp.func
    def clear_bounds(row: Row):
        """Start the next iterate without friction, torsional and rolling friction included."""
        row.lambda_r_start = wide_vec3()
        row.bound = wp.float64(0.0)
        row.torsion_bound = wp.float64(0.0)
        row.rolling_bound = wp.float64(0.0)

    @wp.func
    def reset_twist(row: Row):
        """Start the next iterate without the multiplier of torsional and rolling friction."""
        row.lambda_r_start = wide_vec3()

    @wp.func
    def expected_load(contacts: Contacts, row: Row) -> wp.float64:
        """Return the normal multiplier of the last substep; for a new contact, the one that stops its bodies alone."""
        load = wp.float64(contacts.lambda_n[row.slot])
        if load == zero:
            return wp.max(zero, row.gap_error) / wp.float64(row.w_n)
        return load

    @wp.func
    def raise_slip_stiffness(row: Row, stiffness: wp.float64):
        """Raise the tangential stiffness to a value, as far as rounding allows."""
        row.slip_stiffness = wp.max(row.slip_stiffness, wp.min(stiffness, most_stiffness / wp.float64(row.w_t)))

    @wp.func
    def begin_contact(contacts: Contacts, row: Row, mass: wp.float64, is_jointed: bool):
        """Start a substep from the multipliers of the last one; `mass` is that of the island [kg].

        Loads change with the length of the substep. What mostly recovers an overlap, a displacement, does not.
        """
        w_n, load = wp.float64(row.w_n), wp.float64(contacts.lambda_n[row.slot])
        stiffness = wp.max(island_stiffness * mass, local_stiffness / w_n)
        if is_jointed:
            stiffness = wp.min(stiffness, most_jointed_stiffness * mass)
        row.stiffness = wp.min(stiffness, most_stiffness / w_n)
        row.slip_stiffness = slip_stiffness / wp.float64(row.w_t)
        raise_slip_stiffness(row, slip_island_stiffness * mass)
        row.recovery_limit = recovery_limit * row.recovery / w_n
        scale = one
        if half * load <= row.load_scale * row.recovery_limit:
            scale = row.load_scale
        row.recovery_start = wp.min(row.recovery_limit, load / scale)
        row.lambda_n_start = load - scale * row.recovery_start
        row.lambda_t_start = tangential(unit_normal(row), exact(contacts.lambda_t[row.slot]))
        row.bound = wp.float64(row.mu) * expected_load(contacts, row)
        row.applied = wide_vec3()

    @wp.func
    def begin_twist(contacts: Contacts, row: Row):
        """Do the same for torsional and rolling friction."""
        w_r, load = wp.float64(wp.max(row.w_torsion, row.w_rolling)), expected_load(contacts, row)
        row.rotation_stiffness = slip_stiffness / w_r
        row.angle_per_displacement = wp.sqrt(w_r / wp.float64(row.w_n))
        row.lambda_r_start = -row.rotation_stiffness * exact(contacts.angle[row.slot])
        row.torsion_bound = wp.float64(row.mu_torsional) * load
        row.rolling_bound = wp.float64(row.mu_rolling) * load
        row.applied_moment = wide_vec3()

    @wp.func
    def apply_start(row: Row):
        """Mark the multipliers that an iterate starts with as applied."""
        row.applied = (row.lambda_n_start + row.recovery_start) * unit_normal(row) + row.lambda_t_start
        row.applied_normal = row.lambda_n_start
        row.applied_recovery = row.recovery_start

    @wp.func
    def apply_twist_start(row: Row) -> wide_vec3:
        """Do the same for torsional and rolling friction; return the moment."""
        row.applied_moment = row.lambda_r_start
        return row.lambda_r_start

    @wp.func
    def gap_residual(scene: Scene, row: Row, h: scalar) -> wp.float64:
        """Return target gap minus gap after the impulses applied so far [m]."""
        return row.gap_error - wp.dot(unit_normal(row), moved_by_impulses(scene, row, h))

    @wp.func
    def measure(scene: Scene, row: Row, h: scalar):
        """Start the outer iterates: measure gap residual and slip after the impulses applied so far."""
        displacement = moved_by_impulses(scene, row, h)
        normal = unit_normal(row)
        row.residual_n = row.gap_error - row.recovery - wp.dot(normal, displacement)
        row.slip = tangential(normal, slip_of(scene.contacts, row, displacement))
        row.displacement = wide_vec3()

    @wp.func
    def angle_of(scene: Scene, row: Row, h: scalar) -> wide_vec3:
        """Return the rotation of the first body relative to the second one since sticking began [rad]."""
        a, b = row.body_a, row.body_b
        by_a = exact(rotation_by_impulses(scene.bodies, scene.body[a], a, h))
        by_b = exact(rotation_by_impulses(scene.bodies, scene.body[b], b, h))
        return exact(row.free_rotation) + (by_a - by_b)

    @wp.func
    def measure_twist(scene: Scene, row: Row, h: scalar):
        """Measure the rotation of torsional and rolling friction."""
        row.angle = angle_of(scene, row, h)
        row.rotation = wide_vec3()

    @wp.func
    def load_of(row: Row) -> wp.float64:
        """Return the normal multiplier that has been applied."""
        return wp.max(zero, wp.dot(unit_normal(row), row.applied))

    @wp.func
    def linearise_bound(row: Row, slip: wide_vec3):
        """Store the slip direction of a sliding contact, and the slope of its bound, at the end of the iterate."""
        y = row.lambda_t_start - row.slip_stiffness * slip
        size = wp.length(y)
        row.slip_direction = wide_vec3()
        if size > row.bound:
            row.slip_direction = (one / size) * y
        stiffness = wp.float64(0.0)
        if row.applied_normal > zero:
            stiffness = row.stiffness
        if row.applied_recovery > zero and row.applied_recovery < row.recovery_limit:
            stiffness += row.stiffness
        row.bound_slope = wp.float64(row.mu) * stiffness

    @wp.func
    def displacement_by_contact(row: Row) -> wp.float64:
        """Return the displacement that a contact has caused [m]."""
        return wp.float64(row.w_n) * wp.length(row.applied)

    @wp.func
    def path_length(body: wp.array(dtype=p.Body), b: int, arm: vec3, h: scalar) -> wp.float64:
        """Return the length of the path of a body's point at an arm in a substep [m], with or without slip."""
        if b < 0:
            return zero
        rotation_speed = wp.length(body[b].omega_free) * wp.length(arm)
        return wp.float64(h * (wp.length(body[b].v_free) + rotation_speed))

    @wp.func
    def dead_band(slip: wide_vec3, rounding_length: wp.float64) -> wide_vec3:
        """Return a slip shortened by a length, zero if it is shorter."""
        return (wp.max(zero, wp.length(slip) - rounding_length) / wp.max(wp.length(slip), tiniest)) * slip

    @wp.func
    def end_iterate(scene: Scene, row: Row, h: scalar):
        """End an outer iterate: take its tangential multiplier and bound, measure again, return the residuals [m].

        The residuals are those of gap and slip. Slip below the rounding of the paths is none: the axles of two wheels
        are parallel but for rounding, and their slips would be taken back without end.
        """
        w, w_t = wp.float64(row.w_n), wp.float64(row.w_t)
        normal = unit_normal(row)
        l_n = load_of(row)
        l_t = row.applied - l_n * normal
        displacement = moved_by_impulses(scene, row, h)
        r_n = row.gap_error - row.recovery - wp.dot(normal, displacement)
        update_slip_correction(scene, row, displacement, h)
        slip = tangential(normal, slip_of(scene.contacts, row, displacement))
        bound = wp.float64(row.mu) * l_n
        gap_error = w * wp.abs(row.applied_normal - wp.max(zero, row.applied_normal + r_n / w))
        recovery_trial = wp.clamp(row.applied_recovery + (r_n + row.recovery) / w, zero, row.recovery_limit)
        gap_error = wp.max(gap_error, w * wp.abs(row.applied_recovery - recovery_trial))
        rounding_length = rounding * (
            path_length(scene.body, row.body_a, row.arm_a, h) + path_length(scene.body, row.body_b, row.arm_b, h)
        )
        slip_error = w_t * wp.length(l_t - clamp_length(l_t - (one / w_t) * dead_band(slip, rounding_length), bound))
        linearise_bound(row, slip)
        row.slip_incompatible = int(row.slip_direction == wide_vec3() and wp.length(slip) > half * wp.length(row.slip))
        row.lambda_t_start = l_t
        row.residual_n = r_n
        row.slip = slip
        row.displacement = wide_vec3()
        row.bound_error = bound - row.bound
        row.bound = bound
        return gap_error, slip_error

    @wp.func
    def end_twist_iterate(scene: Scene, row: Row, h: scalar) -> wp.float64:
        """Do the same for torsional and rolling friction, and return the residual [m]."""
        l_n, m = load_of(row), row.applied_moment
        w_r = wp.float64(row.w_n) * row.angle_per_displacement * row.angle_per_displacement
        row.torsion_bound = wp.float64(row.mu_torsional) * l_n
        row.rolling_bound = wp.float64(row.mu_rolling) * l_n
        angle = angle_of(scene, row, h)
        moment_error = m - project_moment(
            unit_normal(row), m - (one / w_r) * angle, row.torsion_bound, row.rolling_bound
        )
        row.lambda_r_start = m
        row.angle = angle
        row.rotation = wide_vec3()
        return w_r * wp.length(moment_error) / row.angle_per_displacement

    @wp.func
    def accept_normal_multipliers(row: Row):
        """Start the next iterate with the normal multipliers of this one."""
        row.recovery_start = row.applied_recovery
        row.lambda_n_start = row.applied_normal

    @wp.func
    def end_contact(row: Row):
        """End a substep: store the multipliers that were applied, and whether the contact slides.

        A contact with slip slides, even if its multiplier is slightly below a bound that has not quite converged.
        """
        l_n = load_of(row)
        l_t = row.applied - l_n * unit_normal(row)
        row.lambda_n = scalar(l_n)
        row.lambda_t = rounded(l_t)
        trial = wp.length(l_t - row.slip / wp.float64(row.w_t))
        row.slides = int(trial >= row.bound * wp.float64(1.0 - 1.0e-9))

    @wp.func
    def end_twist(row: Row):
        """Store the multiplier of torsional and rolling friction."""
        row.lambda_r = rounded(row.applied_moment)

    return SimpleNamespace(
        reset_multipliers=reset_multipliers, clear_bounds=clear_bounds, reset_friction=reset_friction,
        reset_twist=reset_twist, begin_contact=begin_contact, begin_twist=begin_twist, apply_start=apply_start,
        apply_twist_start=apply_twist_start, raise_slip_stiffness=raise_slip_stiffness, gap_residual=gap_residual,
        measure=measure, measure_twist=measure_twist, displacement_by_contact=displacement_by_contact,
        end_iterate=end_iterate, end_twist_iterate=end_twist_iterate,
        accept_normal_multipliers=accept_normal_multipliers, end_contact=end_contact, end_twist=end_twist,
    )  # fmt: skip
