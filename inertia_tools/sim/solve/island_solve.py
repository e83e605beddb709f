# SPDX-FileCopyrightText: The inertia_tools authors
# SPDX-License-Identifier: Apache-2.0
"""Outer iterates of the augmented Lagrangian: steps that islands of free and of jointed bodies share.

Each outer iterate minimises the merit function with the multipliers and friction bounds of the last one (`newton`);
those at its minimum belong to the next one. The iteration ends when the natural residual of Coulomb's law is small, and
joints, measured again after each iterate, hold (step 3 in docs/solver.md).
"""

from functools import lru_cache
from types import SimpleNamespace
from typing import Any

import warp as wp

from inertia_tools.sim.constraints.bounded_laws import bounded_functions
from inertia_tools.sim.constraints.contact_law import contact_law_functions
from inertia_tools.sim.kernels.constants import (
    FIRST_ITERATES,
    GAP_TOLERANCE,
    GAP_TOLERANCE_AT_LAST,
    GAP_TOLERANCE_GROWTH,
    NO_DISPLACEMENT,
    RELAXATION_PERIOD,
    RESIDUAL_REDUCTION,
    SLIP_GROWS_FROM,
    SLIP_GROWS_TO,
    SLIP_GROWTH,
    SLIP_THRESHOLD,
    SLIP_TOLERANCE,
    SLIP_TOLERANCE_AT_FIRST,
)
from inertia_tools.sim.kernels.joint_axes import axes_functions
from inertia_tools.sim.kernels.motion import motion_functions
from inertia_tools.sim.kernels.precision import Precision, precision
from inertia_tools.sim.kernels.rounding import rounding_functions
from inertia_tools.sim.kernels.scene_types import scene_type
from inertia_tools.sim.kernels.work_types import COMPLIANT
from inertia_tools.sim.solve.contact_iterates import iterate_functions
from inertia_tools.sim.solve.convergence import convergence_functions
from inertia_tools.sim.solve.joint_coordinates import coordinate_functions
from inertia_tools.sim.solve.newton import newton_functions


@lru_cache(maxsize=2)
def island_solve_functions(p: Precision) -> Any:
    """Return the device functions of one precision."""
    Scene = wp.ref[scene_type(p)]
    scalar, vec3, vec6 = p.scalar, p.vec3, p.vec6
    wide = precision("float64")
    wide_vec3, wide_vec6 = wide.vec3, wide.vec6
    Row, Body, Joint = p.references("Row", "Body", "Joint")
    motion = motion_functions(p)
    is_static, apply_impulse_exactly = motion.is_static, motion.apply_impulse_exactly
    translate, add_momenta, rotate = motion.translate, motion.add_momenta, motion.rotate
    rounding, law, newton = rounding_functions(p), contact_law_functions(p), newton_functions(p)
    exact, exact_six, rounded_six = rounding.exact, rounding.exact_six, rounding.rounded_six
    minimise, mass_times = newton.minimise, newton.mass_times
    load_contact, axes = newton.load_contact, axes_functions(wide)
    linear, angular, joined, masked = axes.linear, axes.angular, axes.joined, axes.masked
    force, moment = law.force, law.moment
    normal_multiplier, recovery_multiplier = law.normal_multiplier, law.recovery_multiplier
    is_bounded, friction_force = bounded_functions(p).is_bounded, bounded_functions(p).friction_force
    contact, joint = iterate_functions(p), coordinate_functions(p)
    has_joint_coordinates, read, load_on_rows = joint.has_joint_coordinates, joint.read, joint.load_on_rows
    load_parent = axes_functions(p).load_parent
    slip_growth, grows_from = wp.constant(wp.float64(SLIP_GROWTH)), wp.constant(SLIP_GROWS_FROM)
    grows_to, period = wp.constant(SLIP_GROWS_TO), wp.constant(RELAXATION_PERIOD)
    slip_tolerance = wp.constant(wp.float64(SLIP_TOLERANCE[p.name]))
    gap_tolerance = wp.constant(wp.float64(GAP_TOLERANCE[p.name]))
    last_gap_tolerance = wp.constant(wp.float64(GAP_TOLERANCE_AT_LAST[p.name]))
    gap_tolerance_growth = wp.constant(wp.float64(GAP_TOLERANCE_GROWTH))
    first_slip_tolerance = wp.constant(wp.float64(SLIP_TOLERANCE_AT_FIRST[p.name]))
    first_iterates = wp.constant(FIRST_ITERATES)
    slip_threshold = wp.constant(wp.float64(SLIP_THRESHOLD[p.name]))
    reduction = wp.constant(wp.float64(RESIDUAL_REDUCTION))
    accepted_residual = convergence_functions(p).accepted_residual
    compliant, no_displacement = wp.constant(COMPLIANT), wp.constant(wp.float64(NO_DISPLACEMENT))
    zero, half, one = (wp.constant(wp.float64(value)) for value in (0.0, 0.5, 1.0))

    @wp.func
    def mass_of(scene: Scene, n: int) -> wp.float64:
        """Return the mass of an island [kg]."""
        total = wp.float64(0.0)
        for i in range(scene.islands.first_body[n], scene.islands.end_body[n]):
            total += wp.float64(scene.bodies.mass[scene.islands.body[i]])
        return total

    @wp.func(inline=False)
    def begin_contacts(scene: Scene, n: int, first: int):
        """Start a substep from the multipliers of the last one, for the working set from an index on."""
        mass, is_jointed = mass_of(scene, n), scene.islands.jointed[n] == 1
        for i in range(first, scene.islands.end_working[n]):
            k = scene.islands.working_row[i]
            contact.begin_contact(scene.contacts, scene.rows.row[k], mass, is_jointed)
            if scene.rows.has_twists == 1:
                contact.begin_twist(scene.contacts, scene.rows.row[k])

    @wp.func(inline=False)
    def measure_contacts(scene: Scene, n: int, h: scalar, first: int):
        """Start the outer iterates: measure gap residuals and slips after the impulses applied so far.

        This covers the working set from an index on.
        """
        for i in range(first, scene.islands.end_working[n]):
            k = scene.islands.working_row[i]
            contact.measure(scene, scene.rows.row[k], h)
            if scene.rows.has_twists == 1:
                contact.measure_twist(scene, scene.rows.row[k], h)

    @wp.func
    def last_velocity_displacement(body: Body, h: scalar) -> wide_vec6:
        """Return the displacement from free motion to where the velocities of the last substep lead."""
        lin = wp.float64(h) * (exact(body.v_before) - exact(body.v_free))
        ang = exact(h * (body.inv_tensor * (body.spin_before - body.spin_free)))
        return joined(lin, ang)

    @wp.func(inline=False)
    def start_displacements(scene: Scene, n: int, h: scalar, count: int):
        """Set the initial displacements of Newton's method: by the last velocities in the first iterate, else zero."""
        for i in range(scene.islands.first_body[n], scene.islands.end_body[n]):
            b = scene.islands.body[i]
            scene.system.displacement[b] = wide_vec6()
            if count == 0 and scene.islands.end_working[n] > scene.islands.first_row[n]:
                scene.system.displacement[b] = last_velocity_displacement(scene.body[b], h)
        if count == 0:
            for i in range(scene.islands.first_row[n], scene.islands.end_working[n]):
                k = scene.islands.working_row[i]
                scene.rows.row[k].displacement = newton.relative_displacement(
                    scene.bodies, scene.rows.row[k], scene.system.displacement
                )
                if scene.rows.has_twists == 1:
                    scene.rows.row[k].rotation = newton.relative_rotation(
                        scene.bodies, scene.rows.row[k], scene.system.displacement
                    )

    @wp.func
    def release_compliant_rows_of(joint: Joint) -> bool:
        """Turn compliant rows of a joint into springs on free coordinates; return whether the Hessian changes."""
        stiffness = wide_vec6()
        mask = int(joint.mask)
        if (mask & compliant) != int(0):
            for row in range(6):
                if (mask & (int(1) << row)) != int(0) and joint.compliance[row] > scalar(0.0):
                    stiffness[row] = one / wp.float64(joint.compliance[row])
                    mask = mask & ~(int(1) << row)
        off = stiffness - joint.stiffness
        has_bounds = (mask & compliant) != int(0) and wp.max(joint.friction_stiffness + joint.drive_stiffness) > zero
        changes = joint.factored_mask != mask or wp.dot(off, off) > zero or has_bounds
        joint.stiffness = stiffness
        joint.mask = mask
        joint.factored_mask = mask
        return changes

    @wp.func(inline=False)
    def release_compliant_rows(scene: Scene, n: int) -> bool:
        """Do so for all joints of an island."""
        changes = bool(False)
        for i in range(scene.islands.first_body[n], scene.islands.end_body[n]):
            b = scene.islands.body[i]
            if scene.bodies.is_free_body[b] == 0 and scene.bodies.parent[b] != -2:
                changes = release_compliant_rows_of(scene.joint[scene.bodies.joint[b]]) or changes
        return changes

    @wp.func
    def apply_contact(scene: Scene, row: Row):
        """Apply the contact multiplier at the minimum, less the part applied before, to the loads of its bodies."""
        f = force(row, row.displacement)
        df = f - row.applied
        row.applied = f
        row.applied_normal = normal_multiplier(row, row.displacement)
        row.applied_recovery = recovery_multiplier(row, row.displacement)
        load_contact(scene, row, df, wide_vec3())

    @wp.func
    def apply_twist(scene: Scene, row: Row):
        """Do the same for torsional and rolling friction."""
        m = moment(row, row.rotation)
        dm = m - row.applied_moment
        row.applied_moment = m
        load_contact(scene, row, wide_vec3(), dm)

    @wp.func
    def displace(body: Body, move: vec6, h: scalar):
        """Move a body on a joint, and change its momenta accordingly."""
        lin, ang = vec3(move[0], move[1], move[2]), vec3(move[3], move[4], move[5])
        translate(body, lin)
        add_momenta(body, lin / h, body.tensor * (ang / h))
        rotate(body, ang)

    @wp.func(inline=False)
    def apply_minimum(scene: Scene, n: int, h: scalar) -> scalar:
        """Move bodies to the minimum; return the square of the largest displacement of those on joints."""
        for i in range(scene.islands.first_body[n], scene.islands.end_body[n]):
            scene.system.node[scene.islands.body[i]].load = wide_vec6()
        for i in range(scene.islands.first_row[n], scene.islands.end_working[n]):
            k = scene.islands.working_row[i]
            apply_contact(scene, scene.rows.row[k])
            if scene.rows.has_twists == 1:
                apply_twist(scene, scene.rows.row[k])
        moved = scalar(0.0)
        for i in range(scene.islands.first_body[n], scene.islands.end_body[n]):
            b = scene.islands.body[i]
            if scene.bodies.is_free_body[b] == 1:
                apply_impulse_exactly(
                    scene.bodies,
                    scene.body[b],
                    b,
                    linear(scene.system.node[b].load),
                    angular(scene.system.node[b].load),
                    h,
                )
            else:
                move = rounded_six(scene.system.displacement[b])
                displace(scene.body[b], move, h)
                moved = wp.max(moved, wp.dot(move, move))
        return moved

    @wp.func
    def impulse_of_joint(joint: Joint, load: wide_vec6, displacement: wide_vec6) -> vec6:
        """Return the impulse on locked and compliant rows for a load on the child; store that of dry friction."""
        rows = joint.mask
        lambda_friction = wide_vec6()
        if (joint.mask & compliant) != int(0):
            for row in range(6):
                lambda_friction[row] = friction_force(joint, row, displacement[row])
                if joint.stiffness[row] > zero or is_bounded(joint, row):
                    rows = rows | (int(1) << row)
        joint.lambda_friction = lambda_friction
        return rounded_six(masked(load_on_rows(joint, load), rows))

    @wp.func(inline=False)
    def add_joint_impulses(scene: Scene, n: int):
        """Add the impulses of joints: inverse dynamics of the displacements, from the leaves to the root."""
        for i in range(scene.islands.first_body[n], scene.islands.end_body[n]):
            b = scene.islands.body[i]
            if scene.bodies.is_free_body[b] == 0:
                own = mass_times(scene.bodies, scene.body[b], b, scene.system.displacement[b])
                scene.system.node[b].load = own - scene.system.node[b].load - exact_six(scene.body[b].load)
                if scene.islands.end_group[n] > scene.islands.first_group[n]:
                    scene.system.node[b].load = scene.system.node[b].load - exact_six(scene.system.loop_load[b])
        first, end = scene.islands.first_body[n], scene.islands.end_body[n]
        for i in range(first, end):
            b = scene.islands.body[first + end - 1 - i]
            if has_joint_coordinates(scene, b):
                j = scene.bodies.joint[b]
                displacement = wide_vec6()
                if (scene.joint[j].mask & compliant) != int(0):
                    displacement = read(scene, scene.joint[j], scene.system.displacement, j)
                impulse = impulse_of_joint(scene.joint[j], scene.system.node[b].load, displacement)
                scene.joint[j].impulse = scene.joint[j].impulse + impulse
                parent = scene.bodies.parent[b]
                if not is_static(scene.bodies, parent):
                    scene.system.node[parent].load = scene.system.node[parent].load - exact_six(
                        load_parent(scene.joint[j], impulse)
                    )

    @wp.func
    def slip_tolerance_of(scene: Scene, n: int, count: int, slip_residual: wp.float64) -> wp.float64:
        """Return the tolerance of slips, relative to the largest displacement by a contact.

        It is smaller in the first iterates, as long as each reduces the residual by a tenth.
        """
        slip_limit = slip_tolerance
        if count < first_iterates and (count == 0 or slip_residual <= reduction * scene.rows.residual[n]):
            slip_limit = first_slip_tolerance
        return slip_limit

    @wp.func
    def gap_tolerance_of(
        scene: Scene, n: int, h: scalar, count: int, gap_residual: wp.float64, scale: wp.float64
    ) -> wp.float64:
        """Return the tolerance of gaps, relative to `scale`, the largest displacement by a contact.

        It grows with each iterate, and covers small gaps that this one has not changed.
        """
        accepted = accepted_residual(scene, n, h)
        gap_limit = wp.min(last_gap_tolerance, gap_tolerance * wp.pow(gap_tolerance_growth, wp.float64(count)))
        if accepted > zero and gap_limit * scale > accepted:
            gap_limit = wp.max(gap_tolerance, accepted / scale)
        gap_unchanged = wp.abs(gap_residual - scene.rows.gap_residual[n]) < half * scene.rows.gap_residual[n]
        if count > 0 and gap_unchanged and gap_residual < wp.min(last_gap_tolerance * scale, accepted):
            gap_limit = wp.max(gap_limit, gap_residual / scale)
        return gap_limit

    @wp.func(inline=False)
    def end_iterate(scene: Scene, n: int, h: scalar, count: int) -> wp.float64:
        """Pass multipliers and bounds to the next iterate; return the natural residual over its tolerance.

        `Rows.residual` covers all contacts, including those whose slips do not count. Normal multipliers do not change
        where gaps are closed: the rounding errors of a body on more corners than it needs would move its load from one
        to another without end.
        """
        since = int(count)  # the last relaxation
        if scene.islands.jointed[n] == 0:
            since = count % period
        gap_residual, slip_residual = wp.float64(0.0), wp.float64(0.0)
        largest_residual, scale = wp.float64(0.0), wp.float64(0.0)
        for i in range(scene.islands.first_row[n], scene.islands.end_working[n]):
            scale = wp.max(scale, contact.displacement_by_contact(scene.rows.row[scene.islands.working_row[i]]))
        for i in range(scene.islands.first_row[n], scene.islands.end_working[n]):
            k = scene.islands.working_row[i]
            of_gap, of_slip = contact.end_iterate(scene, scene.rows.row[k], h)
            gap_residual = wp.max(gap_residual, of_gap)
            if scene.rows.has_twists == 1:
                of_slip = wp.max(of_slip, contact.end_twist_iterate(scene, scene.rows.row[k], h))
            largest_residual = wp.max(largest_residual, wp.max(of_gap, of_slip))
            if scene.rows.row[k].slip_incompatible == 1 and of_slip > slip_tolerance * scale:
                scene.rows.row[k].slip_incompatible = int(0)
            if (
                contact.displacement_by_contact(scene.rows.row[k]) > slip_threshold * scale
                and scene.rows.row[k].slip_incompatible == 0
            ):
                slip_residual = wp.max(slip_residual, of_slip)
            if since >= grows_from and since < grows_to:
                contact.raise_slip_stiffness(scene.rows.row[k], slip_growth * scene.rows.row[k].slip_stiffness)
        slip_limit = slip_tolerance_of(scene, n, count, slip_residual)
        gap_limit = gap_tolerance_of(scene, n, h, count, gap_residual, scale)
        scene.rows.gap_residual[n] = gap_residual
        if gap_residual > gap_limit * scale:
            for i in range(scene.islands.first_row[n], scene.islands.end_working[n]):
                contact.accept_normal_multipliers(scene.rows.row[scene.islands.working_row[i]])
        scene.rows.residual[n] = largest_residual
        if scale <= no_displacement:
            return (slip_residual + gap_residual) / no_displacement
        return wp.max(slip_residual / slip_limit, gap_residual / gap_limit) / scale

    @wp.func
    def reset_multipliers(scene: Scene, n: int):
        """Start the next iterate from the friction bounds alone, as none has converged; this dissipates."""
        for i in range(scene.islands.first_row[n], scene.islands.end_working[n]):
            contact.reset_multipliers(scene.rows.row[scene.islands.working_row[i]])
            if scene.rows.has_twists == 1:
                contact.reset_twist(scene.rows.row[scene.islands.working_row[i]])

    @wp.func
    def reset_friction(scene: Scene, n: int):
        """Restore the bounds of the last iterate, and the tangential stiffness of the first one."""
        for i in range(scene.islands.first_row[n], scene.islands.end_working[n]):
            contact.reset_friction(scene.rows.row[scene.islands.working_row[i]])

    @wp.func(inline=False)
    def end_contacts(scene: Scene, n: int):
        """End a substep: store the multipliers that were applied."""
        for i in range(scene.islands.first_row[n], scene.islands.end_working[n]):
            k = scene.islands.working_row[i]
            contact.end_contact(scene.rows.row[k])
            if scene.rows.has_twists == 1:
                contact.end_twist(scene.rows.row[k])

    return SimpleNamespace(
        begin_contacts=begin_contacts, measure_contacts=measure_contacts, start_displacements=start_displacements,
        release_compliant_rows=release_compliant_rows, apply_minimum=apply_minimum,
        add_joint_impulses=add_joint_impulses, end_iterate=end_iterate, reset_multipliers=reset_multipliers,
        reset_friction=reset_friction, end_contacts=end_contacts, minimise=minimise,
    )  # fmt: skip
