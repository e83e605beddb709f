# SPDX-FileCopyrightText: The inertia_tools authors
# SPDX-License-Identifier: Apache-2.0
"""Relaxation of the contacts of free bodies: Gauss-Seidel sweeps over contacts.

It gives Newton's method its start where bodies move fast, and resolves outer iterates that cycle.

This is the Gauss-Seidel iteration on Coulomb's law of non-smooth contact dynamics (Jean 1999). Each contact in turn
takes the multipliers that satisfy it alone, with those of the others fixed:

    L_n = max(0, L_n + gap_error / w_n)        L_t = L_t - slip / w_t, within mu L_n

Here w_t is the larger eigenvalue of the contact's Delassus matrix in its tangent plane. With the mobility along one
tangent, which scales residuals, contacts overshoot along the other: 205 solves of a heap of 27 boxes cycled.

Normal multipliers and friction bounds change together in small steps, where outer iterates jump from one piece of the
law to another. Errors between neighbours vanish within tens of sweeps, errors across an island take hundreds. A sweep
costs as much as the contacts of a line search, as each free body responds to an impulse by itself.
"""

from functools import lru_cache
from types import SimpleNamespace
from typing import Any

import warp as wp

from inertia_tools.sim.constraints.contact_law import contact_law_functions
from inertia_tools.sim.kernels.constants import NEWTON_TOLERANCE, SOFT_SWEEPS, SOFTNESS
from inertia_tools.sim.kernels.joint_axes import axes_functions
from inertia_tools.sim.kernels.motion import motion_functions
from inertia_tools.sim.kernels.precision import Precision, precision
from inertia_tools.sim.kernels.rotation import rotation_functions
from inertia_tools.sim.kernels.rounding import rounding_functions
from inertia_tools.sim.kernels.scene_types import scene_type
from inertia_tools.sim.solve.newton import newton_functions
from inertia_tools.sim.solve.resting import resting_functions


@lru_cache(maxsize=2)
def relaxation_functions(p: Precision) -> Any:
    """Return the device functions of one precision."""
    Scene = wp.ref[scene_type(p)]
    scalar = p.scalar
    wide = precision("float64")
    wide_vec3, wide_vec6, wide_mat33 = wide.vec3, wide.vec6, wide.mat33
    Bodies, Body, Row, RelaxationRow = p.references("Bodies", "Body", "Row", "RelaxationRow")
    law, newton = contact_law_functions(p), newton_functions(p)
    unit_normal, tangential, project_moment = law.unit_normal, law.tangential, law.project_moment
    relative_rotation, load_contact = newton.relative_rotation, newton.load_contact
    joined, at_arm = axes_functions(wide).joined, axes_functions(wide).at_arm
    is_static, resting = motion_functions(p).is_static, resting_functions(p)
    load_start_multipliers, apply_loads = resting.load_start_multipliers, resting.apply_loads
    exact, rate_of = rounding_functions(p).exact, rotation_functions(p).rate_of
    settled = wp.constant(wp.float64(NEWTON_TOLERANCE))
    soft_sweeps, softness = wp.constant(SOFT_SWEEPS), wp.constant(wp.float64(SOFTNESS))
    zero, half, one, two = (wp.constant(wp.float64(value)) for value in (0.0, 0.5, 1.0, 2.0))

    @wp.func
    def apply_force(scene: Scene, point: RelaxationRow, f: wide_vec3):
        """Displace both bodies of a contact by its force."""
        a, b = point.body_a, point.body_b
        if a >= 0:
            scene.system.displacement[a] = scene.system.displacement[a] + joined(
                point.inv_mass_a * f, point.angular_response_a * f
            )
        if b >= 0:
            scene.system.displacement[b] = scene.system.displacement[b] - joined(
                point.inv_mass_b * f, point.angular_response_b * f
            )

    @wp.func
    def apply_moment(scene: Scene, point: RelaxationRow, m: wide_vec3):
        """Rotate both bodies of a contact by its moment."""
        a, b = point.body_a, point.body_b
        if a >= 0:
            scene.system.displacement[a] = scene.system.displacement[a] + joined(
                wide_vec3(), rate_of(scene.body[a].inv_tensor, m)
            )
        if b >= 0:
            scene.system.displacement[b] = scene.system.displacement[b] - joined(
                wide_vec3(), rate_of(scene.body[b].inv_tensor, m)
            )

    @wp.func
    def relative_displacement(scene: Scene, point: RelaxationRow) -> wide_vec3:
        """Return the displacement of the first body of a contact relative to the second one."""
        d = wide_vec3()
        if point.body_a >= 0:
            d = at_arm(scene.system.displacement[point.body_a], point.arm_a)
        if point.body_b >= 0:
            d = d - at_arm(scene.system.displacement[point.body_b], point.arm_b)
        return d

    @wp.func
    def rotation_by_force(body: Body, arm: wide_vec3) -> wide_mat33:
        """Return the rotation of a free body by each component of a force at an arm, as columns."""
        inverse = body.inv_tensor
        return wp.matrix_from_rows(exact(inverse[0]), exact(inverse[1]), exact(inverse[2])) * wp.skew(arm)

    @wp.func
    def displacement_at(inv_mass: wp.float64, rotation: wide_mat33, arm: wide_vec3) -> wide_mat33:
        """Return the displacement at the arm by each component of that force."""
        out = -wp.skew(arm) * rotation
        for i in range(3):
            out[i, i] = out[i, i] + inv_mass
        return out

    @wp.func
    def largest_tangential_mobility(n: wide_vec3, delassus: wide_mat33) -> wp.float64:
        """Return the largest slip by a unit of friction [1/kg]: the larger of two eigenvalues in the tangent plane."""
        plane = -wp.outer(n, n)
        for i in range(3):
            plane[i, i] = plane[i, i] + one
        slips = plane * delassus * plane
        both, squares = wp.trace(slips), wp.ddot(slips, slips)
        return half * (both + wp.sqrt(wp.max(zero, two * squares - both * both)))

    @wp.func
    def load_row(bodies: Bodies, row: Row, point: RelaxationRow):
        """Copy the data of sweeps from a row; sweeps start from its present multipliers."""
        point.body_a = wp.where(is_static(bodies, row.body_a), -1, row.body_a)
        point.body_b = wp.where(is_static(bodies, row.body_b), -1, row.body_b)
        point.normal = unit_normal(row)
        point.arm_a = exact(row.arm_a)
        point.arm_b = exact(row.arm_b)
        point.w_n = wp.float64(row.w_n)
        point.mu = wp.float64(row.mu)
        point.residual_n = row.residual_n
        point.slip = row.slip
        point.recovery = row.recovery
        point.recovery_limit = row.recovery_limit
        point.lambda_n_start = row.lambda_n_start + row.recovery_start
        point.lambda_n = row.applied_normal
        point.lambda_recovery = row.applied_recovery
        point.force = row.applied

    @wp.func
    def relax_contact(scene: Scene, point: RelaxationRow, compliance: wp.float64) -> wp.float64:
        """Close the gap of a contact and take back its slip, as far as Coulomb's law allows.

        `compliance` acts on the load beyond that at the start of the iterate, over the mobility. Return the square of
        the change in displacement.
        """
        d, n, w_n = relative_displacement(scene, point), point.normal, point.w_n
        load_before = point.lambda_n + point.lambda_recovery
        per_load, limit = one / ((one + compliance) * w_n), point.recovery_limit
        residual = point.residual_n - wp.dot(n, d) + w_n * (load_before + compliance * point.lambda_n_start)
        point.lambda_n = wp.max(zero, residual * per_load - limit)
        point.lambda_recovery = wp.clamp((residual + point.recovery) * per_load, zero, limit)
        load = point.lambda_n + point.lambda_recovery
        if load + load_before > zero:
            friction = tangential(n, point.force)
            slip = point.slip + tangential(n, d) + (load - load_before) * point.w_nt
            friction_trial, bound = friction - (one / point.w_t) * slip, point.mu * load
            square = wp.dot(friction_trial, friction_trial)
            if square > bound * bound:
                friction_trial = (bound / wp.sqrt(square)) * friction_trial
            friction_change = friction_trial - friction
            change = (load - load_before) * n + friction_change
            point.force = point.force + change
            apply_force(scene, point, change)
            normal_change = (one + compliance) * w_n * (load - load_before)
            return wp.max(
                normal_change * normal_change, point.w_t * point.w_t * wp.dot(friction_change, friction_change)
            )
        return zero

    @wp.func
    def relax_twist(scene: Scene, row: Row, point: RelaxationRow) -> wp.float64:
        """Do the same for torsional and rolling friction; return the change in displacement."""
        load = point.lambda_n + point.lambda_recovery
        angle = row.angle + relative_rotation(scene.bodies, row, scene.system.displacement)
        friction_trial = row.moment - (one / wp.float64(wp.max(row.w_torsion, row.w_rolling))) * angle
        torsion, rolling = wp.float64(row.mu_torsional) * load, wp.float64(row.mu_rolling) * load
        change = project_moment(point.normal, friction_trial, torsion, rolling) - row.moment
        size = wp.length(change)
        if size > zero:
            row.moment = row.moment + change
            apply_moment(scene, point, change)
        return size * row.angle_per_displacement

    @wp.func
    def sweep(scene: Scene, n: int, compliance: wp.float64) -> bool:
        """Relax all contacts of an island once; return whether one has changed by more than the tolerance."""
        most, scale = wp.float64(0.0), wp.float64(0.0)  # squares
        for i in range(scene.islands.first_row[n], scene.islands.end_working[n]):
            change, w = relax_contact(scene, scene.rows.relaxation_row[i], compliance), scene.rows.relaxation_row[i].w_n
            if scene.rows.has_twists == 1:
                twist = w * relax_twist(
                    scene, scene.rows.row[scene.islands.working_row[i]], scene.rows.relaxation_row[i]
                )
                change = wp.max(change, twist * twist)
            force = scene.rows.relaxation_row[i].force
            most = wp.max(most, change)
            scale = wp.max(scale, w * w * wp.dot(force, force))
        return most > settled * settled * scale

    @wp.func
    def begin(scene: Scene, row: Row, point: RelaxationRow, count: int):
        """Start from the multipliers of the last substep, which have not been applied yet, or from the present ones."""
        if count == 0:
            load_start_multipliers(scene, row, scene.rows.has_twists)
        load_row(scene.bodies, row, point)
        delassus = wide_mat33()
        if point.body_a >= 0:
            point.inv_mass_a = wp.float64(scene.bodies.inv_mass[point.body_a])
            point.angular_response_a = rotation_by_force(scene.body[point.body_a], point.arm_a)
            delassus = displacement_at(point.inv_mass_a, point.angular_response_a, point.arm_a)
        if point.body_b >= 0:
            point.inv_mass_b = wp.float64(scene.bodies.inv_mass[point.body_b])
            point.angular_response_b = rotation_by_force(scene.body[point.body_b], point.arm_b)
            delassus = delassus + displacement_at(point.inv_mass_b, point.angular_response_b, point.arm_b)
        point.w_t = largest_tangential_mobility(point.normal, delassus)
        point.w_nt = tangential(point.normal, delassus * point.normal)
        if scene.rows.has_twists == 1:
            row.moment = row.applied_moment
        if count == 0:
            apply_force(scene, point, point.force)
            if scene.rows.has_twists == 1:
                apply_moment(scene, point, row.moment)

    @wp.func(inline=False)
    def relax(scene: Scene, n: int, h: scalar, count: int, most_sweeps: int):
        """Relax the measured contacts of an island of free bodies, after `count` outer iterates.

        Rigid contacts do not determine how the corners of a body share its load, and a sweep gives the first ones too
        much: compliant sweeps come first.
        """
        for i in range(scene.islands.first_body[n], scene.islands.end_body[n]):
            scene.system.displacement[scene.islands.body[i]] = wide_vec6()
            scene.system.node[scene.islands.body[i]].load = wide_vec6()
        for i in range(scene.islands.first_row[n], scene.islands.end_working[n]):
            begin(scene, scene.rows.row[scene.islands.working_row[i]], scene.rows.relaxation_row[i], count)
        if count == 0:
            for _ in range(soft_sweeps):
                sweep(scene, n, softness)
        for _ in range(most_sweeps):
            if not sweep(scene, n, zero):
                break
        for i in range(scene.islands.first_row[n], scene.islands.end_working[n]):
            store_row(scene, scene.rows.row[scene.islands.working_row[i]], scene.rows.relaxation_row[i])
        apply_loads(scene, n, h)

    @wp.func
    def store_row(scene: Scene, row: Row, point: RelaxationRow):
        """Apply the change of a contact's multipliers to its bodies, and start the next iterate from them."""
        change = wide_vec3()
        if scene.rows.has_twists == 1:
            change = row.moment - row.applied_moment
            row.applied_moment = row.moment
        load_contact(scene, row, point.force - row.applied, change)
        row.applied = point.force
        row.applied_normal = point.lambda_n
        row.applied_recovery = point.lambda_recovery
        row.lambda_n_start = point.lambda_n
        row.recovery_start = point.lambda_recovery
        row.lambda_t_start = tangential(point.normal, point.force)
        row.bound = point.mu * (point.lambda_n + point.lambda_recovery)

    return SimpleNamespace(relax=relax)
