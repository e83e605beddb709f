# SPDX-FileCopyrightText: The inertia_tools authors
# SPDX-License-Identifier: Apache-2.0
"""Non-smooth Newton method with line search: displacements of an island that minimise its merit function.

With d the displacements since the outer iterate began, M the masses, and psi the terms of contacts (`contact_law`) and
of springs on joint coordinates:

    f(d) = 1/2 d^T M d + sum psi(J d)  on the displacements that satisfy the joints     convex, once differentiable
    (M + J^T D J) step = J^T (L(d) - applied) + loads - M d                             (`factorisation`)

The full step is taken where no contact leaves its piece of the law. Otherwise the step length is the root of the slope
of f along the step, by a safeguarded secant (Macklin et al. 2019; "The merit function" in docs/solver.md).
"""

from functools import lru_cache
from types import SimpleNamespace
from typing import Any

import warp as wp

from inertia_tools.sim.constraints.bounded_laws import bounded_functions
from inertia_tools.sim.constraints.contact_law import contact_law_functions
from inertia_tools.sim.kernels.constants import (
    FULL_STEP_SLOPE,
    MOST_LENGTHS,
    NEWTON_TOLERANCE,
    SLOPE_TOLERANCE,
)
from inertia_tools.sim.kernels.joint_axes import axes_functions
from inertia_tools.sim.kernels.motion import motion_functions
from inertia_tools.sim.kernels.precision import Precision, precision
from inertia_tools.sim.kernels.rounding import rounding_functions
from inertia_tools.sim.kernels.scene_types import scene_type
from inertia_tools.sim.kernels.work_types import COMPLIANT
from inertia_tools.sim.solve.factorisation import factor_functions
from inertia_tools.sim.solve.joint_coordinates import coordinate_functions
from inertia_tools.sim.solve.loop_closure import closure_functions


@lru_cache(maxsize=2)
def newton_functions(p: Precision) -> Any:
    """Return the device functions of one precision."""
    Scene = wp.ref[scene_type(p)]
    wide = precision("float64")
    wide_vec3, wide_vec6, wide_mat33 = wide.vec3, wide.vec6, wide.mat33
    Bodies, Row = p.references("Bodies", "Row")
    Body, Node, Joint = p.references("Body", "Node", "Joint")
    closure = closure_functions(p)
    close_island, blend_impulses = closure.close_island, closure.blend_impulses
    is_static, axes = motion_functions(p).is_static, axes_functions(wide)
    masked = axes.masked
    linear, angular, joined, at_arm = axes.linear, axes.angular, axes.joined, axes.at_arm
    rounding, law, factor = rounding_functions(p), contact_law_functions(p), factor_functions(p)
    exact, exact_six, rounded_six = rounding.exact, rounding.exact_six, rounding.rounded_six
    force, stiffness, moment, rotation_stiffness = law.force, law.stiffness, law.moment, law.rotation_stiffness
    begin_node, add_stiffness, add_coupling = factor.begin_node, factor.add_stiffness, factor.add_coupling
    factor_island, solve_island = factor.factor_island, factor.solve_island
    joint = coordinate_functions(p)
    has_joint_coordinates, read = joint.has_joint_coordinates, joint.read
    child_displacement = joint.child_displacement
    laws = bounded_functions(p)
    is_bounded, law_force, law_stiffness = laws.is_bounded, laws.law_force, laws.law_stiffness
    zero, half = wp.constant(wp.float64(0.0)), wp.constant(wp.float64(0.5))
    whole, compliant = wp.constant(p.scalar(1.0)), wp.constant(COMPLIANT)
    most_trials = wp.constant(MOST_LENGTHS)
    slope_tolerance = wp.constant(wp.float64(SLOPE_TOLERANCE))
    full_step_slope = wp.constant(wp.float64(FULL_STEP_SLOPE))
    newton_tolerance = wp.constant(wp.float64(NEWTON_TOLERANCE))

    @wp.func
    def relative_displacement(bodies: Bodies, row: Row, moves: wp.array(dtype=wide_vec6)) -> wide_vec3:
        """Return the displacement of the first body of a contact relative to the second one."""
        d = wide_vec3()
        a, b = row.body_a, row.body_b
        if not is_static(bodies, a):
            d = at_arm(moves[a], exact(row.arm_a))
        if not is_static(bodies, b):
            d = d - at_arm(moves[b], exact(row.arm_b))
        return d

    @wp.func
    def relative_rotation(bodies: Bodies, row: Row, moves: wp.array(dtype=wide_vec6)) -> wide_vec3:
        """Return the rotation of the first body of a contact relative to the second one."""
        d = wide_vec3()
        a, b = row.body_a, row.body_b
        if not is_static(bodies, a):
            d = angular(moves[a])
        if not is_static(bodies, b):
            d = d - angular(moves[b])
        return d

    @wp.func
    def mass_times(bodies: Bodies, body: Body, b: int, d: wide_vec6) -> wide_vec6:
        """Return M d of a body, added inertia included."""
        tensor = body.tensor
        turn = angular(d)
        ang = wide_vec3()
        for i in range(3):
            for k in range(3):
                ang[i] = ang[i] + wp.float64(tensor[i, k]) * turn[k]
        if body.has_added_inertia == 1:
            ang = ang + body.added_inertia * turn
        return joined(wp.float64(bodies.mass[b]) * linear(d), ang)

    @wp.func
    def load_at(node: Node, arm: wide_vec3, f: wide_vec3, m: wide_vec3):
        node.load = node.load + joined(f, m + wp.cross(arm, f))

    @wp.func
    def load_contact(scene: Scene, row: Row, f: wide_vec3, m: wide_vec3):
        """Add the force f and moment m of a contact to the loads of both its bodies."""
        a, b = row.body_a, row.body_b
        if not is_static(scene.bodies, a):
            load_at(scene.system.node[a], exact(row.arm_a), f, m)
        if not is_static(scene.bodies, b):
            load_at(scene.system.node[b], exact(row.arm_b), -f, -m)

    @wp.func
    def assemble_contact(scene: Scene, row: Row, stiffness_matrix: wide_mat33, rotation_stiffness_matrix: wide_mat33):
        """Add the stiffness of a contact to the Hessian."""
        a, b = row.body_a, row.body_b
        if not is_static(scene.bodies, a):
            add_stiffness(scene.system.node[a], row.arm_a, stiffness_matrix, rotation_stiffness_matrix)
        if not is_static(scene.bodies, b):
            add_stiffness(scene.system.node[b], row.arm_b, stiffness_matrix, rotation_stiffness_matrix)
        link = row.link
        if link >= 0:
            if row.is_a_first == 1:
                add_coupling(scene.system, link, row.arm_a, row.arm_b, stiffness_matrix, rotation_stiffness_matrix)
            else:
                add_coupling(scene.system, link, row.arm_b, row.arm_a, stiffness_matrix, rotation_stiffness_matrix)

    @wp.func
    def is_zero(m: wide_mat33) -> bool:
        return m[0, 0] == zero and m[1, 1] == zero and m[2, 2] == zero

    @wp.func
    def evaluate_contact(scene: Scene, row: Row):
        """Evaluate force and stiffness of a contact at the present displacements, and add both to the system."""
        f = force(row, row.displacement)
        stiffness_matrix = stiffness(row, row.displacement)
        row.force = f
        row.stiffness_matrix = stiffness_matrix
        df = f - row.applied
        if wp.dot(df, df) > zero:
            load_contact(scene, row, df, wide_vec3())
        if not is_zero(stiffness_matrix):
            assemble_contact(scene, row, stiffness_matrix, wide_mat33())

    @wp.func
    def evaluate_twist(scene: Scene, row: Row):
        """Do the same for torsional and rolling friction."""
        m = moment(row, row.rotation)
        rotation_stiffness_matrix = rotation_stiffness(row, row.rotation)
        row.moment = m
        row.rotation_stiffness_matrix = rotation_stiffness_matrix
        dm = m - row.applied_moment
        if wp.dot(dm, dm) > zero:
            load_contact(scene, row, wide_vec3(), dm)
        if not is_zero(rotation_stiffness_matrix):
            assemble_contact(scene, row, wide_mat33(), rotation_stiffness_matrix)

    @wp.func(inline=False)
    def assemble(scene: Scene, n: int):
        """Assemble the Hessian and the gradient of an island at its present displacements."""
        for i in range(scene.islands.first_body[n], scene.islands.end_body[n]):
            b = scene.islands.body[i]
            begin_node(scene, scene.body[b], scene.system.node[b], b)
            scene.system.node[b].load = -mass_times(scene.bodies, scene.body[b], b, scene.system.displacement[b])
            if scene.bodies.is_free_body[b] == 0:
                scene.system.node[b].load = scene.system.node[b].load + exact_six(scene.body[b].load)
        for i in range(scene.islands.first_row[n], scene.islands.end_working[n]):
            k = scene.islands.working_row[i]
            evaluate_contact(scene, scene.rows.row[k])
            if scene.rows.has_twists == 1:
                evaluate_twist(scene, scene.rows.row[k])

    @wp.func
    def load_bodies(scene: Scene, n: int):
        """Assemble the gradient of an island without contacts whose displacements are zero."""
        for i in range(scene.islands.first_body[n], scene.islands.end_body[n]):
            b = scene.islands.body[i]
            scene.system.node[b].load = exact_six(scene.body[b].load)

    @wp.func
    def set_joint_residual(joint: Joint, node: Node, displacement: wide_vec6):
        """Compute the displacement that removes the errors of locked rows, and the forces of springs on free rows."""
        off = exact_six(joint.error) + displacement
        node.offset = -child_displacement(joint, masked(off, joint.mask))
        force_on_rows = wide_vec6()
        if (joint.mask & compliant) != int(0):
            for row in range(6):
                if (joint.mask & (int(1) << row)) == int(0):
                    force_on_rows[row] = law_force(joint, row, displacement[row]) - joint.stiffness[row] * off[row]
        joint.displacement = displacement
        joint.force = force_on_rows

    @wp.func(inline=False)
    def set_joint_residuals(scene: Scene, n: int, has_moved: bool):
        """Do so for all joints of an island; its displacements are zero unless it `has_moved`."""
        for i in range(scene.islands.first_body[n], scene.islands.end_body[n]):
            b = scene.islands.body[i]
            if has_joint_coordinates(scene, b):
                j = scene.bodies.joint[b]
                displacement = wide_vec6()
                if has_moved:
                    displacement = read(scene, scene.joint[j], scene.system.displacement, j)
                set_joint_residual(scene.joint[j], scene.system.node[b], displacement)

    @wp.func
    def largest_effect(scene: Scene, n: int) -> wp.float64:
        """Return the largest displacement by a contact [m]."""
        most = wp.float64(0.0)
        for i in range(scene.islands.first_row[n], scene.islands.end_working[n]):
            k = scene.islands.working_row[i]
            most = wp.max(most, wp.float64(scene.rows.row[k].w_n) * wp.length(scene.rows.row[k].force))
        return most

    @wp.func
    def leaves_piece(joint: Joint) -> bool:
        """Return whether a bounded law of a joint leaves its piece with a full step."""
        for row in range(6):
            if is_bounded(joint, row):
                displacement, step = joint.displacement[row], joint.newton_step[row]
                miss = law_force(joint, row, displacement + step) - law_force(joint, row, displacement)
                miss += law_stiffness(joint, row, displacement) * step
                if wp.abs(miss) > newton_tolerance * (joint.friction_bound[row] + joint.drive_bound[row]):
                    return True
        return False

    @wp.func(inline=False)
    def project_step_on_joints(scene: Scene, n: int) -> bool:
        """Compute the Newton step of compliant rows; return whether a bounded law leaves its piece with all of it."""
        leaves = bool(False)
        for i in range(scene.islands.first_body[n], scene.islands.end_body[n]):
            b = scene.islands.body[i]
            if has_joint_coordinates(scene, b):
                j = scene.bodies.joint[b]
                if (scene.joint[j].mask & compliant) != int(0):
                    scene.joint[j].newton_step = read(scene, scene.joint[j], scene.system.step, j)
                    leaves = leaves or leaves_piece(scene.joint[j])
        return leaves

    @wp.func
    def project_step_on_contact(scene: Scene, row: Row) -> wp.float64:
        """Compute the Newton step at a contact; return the error of the full step there [m]."""
        row.newton_step = relative_displacement(scene.bodies, row, scene.system.step)
        miss = force(row, row.displacement + row.newton_step) - row.force + row.stiffness_matrix * row.newton_step
        return wp.float64(row.w_n) * wp.length(miss)

    @wp.func
    def project_step_on_twist(scene: Scene, row: Row) -> wp.float64:
        """Do the same for torsional and rolling friction."""
        row.newton_rotation = relative_rotation(scene.bodies, row, scene.system.step)
        miss = (
            moment(row, row.rotation + row.newton_rotation)
            - row.moment
            + row.rotation_stiffness_matrix * row.newton_rotation
        )
        return wp.float64(row.w_n) * wp.length(miss) * row.angle_per_displacement

    @wp.func(inline=False)
    def project_step_on_contacts(scene: Scene, n: int) -> wp.float64:
        """Compute the Newton step at all contacts; return the largest error of the full step [m]."""
        most = wp.float64(0.0)
        for i in range(scene.islands.first_row[n], scene.islands.end_working[n]):
            k = scene.islands.working_row[i]
            most = wp.max(most, project_step_on_contact(scene, scene.rows.row[k]))
            if scene.rows.has_twists == 1:
                most = wp.max(most, project_step_on_twist(scene, scene.rows.row[k]))
        return most

    @wp.func
    def is_finite(scene: Scene, n: int) -> bool:
        """Return whether a step is finite; where rounding has spoiled the Hessian, it is not."""
        total = wp.float64(0.0)
        for i in range(scene.islands.first_body[n], scene.islands.end_body[n]):
            total += wp.dot(scene.system.step[scene.islands.body[i]], scene.system.step[scene.islands.body[i]])
        return wp.isfinite(total)

    @wp.func
    def slope_of_contact(row: Row, t: wp.float64) -> wp.float64:
        return wp.dot(force(row, row.displacement + t * row.newton_step) - row.applied, row.newton_step)

    @wp.func
    def slope_of_twist(row: Row, t: wp.float64) -> wp.float64:
        return wp.dot(moment(row, row.rotation + t * row.newton_rotation) - row.applied_moment, row.newton_rotation)

    @wp.func
    def slope_of_joint(joint: Joint, t: wp.float64) -> wp.float64:
        """Return the contribution of springs and bounded laws of a joint to the slope."""
        total = wp.float64(0.0)
        for row in range(6):
            if (joint.mask & (int(1) << row)) == int(0):
                displacement, step = joint.displacement[row], joint.newton_step[row]
                force_on_rows = joint.force[row] - t * joint.stiffness[row] * step
                force_on_rows += law_force(joint, row, displacement + t * step) - law_force(joint, row, displacement)
                total -= force_on_rows * step
        return total

    @wp.func
    def slope_of_bodies(scene: Scene, n: int) -> wp.vec2d:
        """Return the contribution of masses and loads to the slope: at the start of the step, and per length."""
        total = wp.vec2d()
        for i in range(scene.islands.first_body[n], scene.islands.end_body[n]):
            b = scene.islands.body[i]
            d = scene.system.step[b]
            momentum = mass_times(scene.bodies, scene.body[b], b, d)
            total += wp.vec2d(wp.dot(momentum, scene.system.displacement[b]), wp.dot(momentum, d))
            if scene.bodies.is_free_body[b] == 0:
                total -= wp.vec2d(wp.dot(exact_six(scene.body[b].load), d), zero)
        return total

    @wp.func(inline=False)
    def slope(scene: Scene, n: int, t: wp.float64, of_bodies: wp.vec2d) -> wp.float64:
        """Return the derivative of the merit function along the step, at a part t of it."""
        total = of_bodies[0] + t * of_bodies[1]
        if scene.islands.jointed[n] == 1:
            for i in range(scene.islands.first_body[n], scene.islands.end_body[n]):
                b = scene.islands.body[i]
                if has_joint_coordinates(scene, b):
                    j = scene.bodies.joint[b]
                    if (scene.joint[j].mask & compliant) != int(0):
                        total += slope_of_joint(scene.joint[j], t)
        for i in range(scene.islands.first_row[n], scene.islands.end_working[n]):
            total -= slope_of_contact(scene.rows.row[scene.islands.working_row[i]], t)
            if scene.rows.has_twists == 1:
                total -= slope_of_twist(scene.rows.row[scene.islands.working_row[i]], t)
        return total

    @wp.func
    def step_length(scene: Scene, n: int) -> wp.float64:
        """Return the part of a step to take: all of it, or up to the root of the slope (secant, then bisection)."""
        low, high, of_bodies = wp.float64(0.0), wp.float64(1.0), slope_of_bodies(scene, n)
        at_low = slope(scene, n, low, of_bodies)
        at_high = slope(scene, n, high, of_bodies)
        enough = full_step_slope * wp.abs(at_low)
        t = wp.float64(1.0)
        if at_high <= enough or at_low >= zero:
            return t
        for trial in range(most_trials):
            t = low + (high - low) * (at_low / (at_low - at_high))
            if trial % 3 == 2:
                t = half * (low + high)
            s = slope(scene, n, t, of_bodies)
            if wp.abs(s) <= slope_tolerance * enough:
                return t
            if s > zero:
                high = t
                at_high = s
            else:
                low = t
                at_low = s
        return t

    @wp.func(inline=False)
    def take_step(scene: Scene, n: int, t: wp.float64):
        """Take a part t of the step."""
        for i in range(scene.islands.first_body[n], scene.islands.end_body[n]):
            b = scene.islands.body[i]
            scene.system.displacement[b] = scene.system.displacement[b] + t * scene.system.step[b]
        for i in range(scene.islands.first_row[n], scene.islands.end_working[n]):
            k = scene.islands.working_row[i]
            scene.rows.row[k].displacement = scene.rows.row[k].displacement + t * scene.rows.row[k].newton_step
            if scene.rows.has_twists == 1:
                scene.rows.row[k].rotation = scene.rows.row[k].rotation + t * scene.rows.row[k].newton_rotation

    @wp.func
    def minimise(scene: Scene, n: int, is_factored: bool, most_steps: int) -> int:
        """Make Newton steps from `System.displacement`; return their number, or `most_steps` + 1 without convergence.

        The factor of an island without contacts may be reused if only loads have changed.
        """
        on_joints = bool(scene.islands.jointed[n] == 1)
        has_contacts = bool(scene.islands.end_working[n] > scene.islands.first_row[n])
        for count in range(most_steps):
            t = wp.float64(1.0)
            reuses_factor = is_factored and count == 0
            if reuses_factor:
                load_bodies(scene, n)
            else:
                assemble(scene, n)
            if on_joints:
                set_joint_residuals(scene, n, has_contacts or count > 0)
            if not reuses_factor:
                factor_island(scene, n)
            solve_island(scene, n)
            close_island(scene, n, whole)
            if count > 0 and not is_finite(scene, n):
                return most_steps + 1
            miss = project_step_on_contacts(scene, n)
            changes_piece = bool(False)
            if on_joints:
                changes_piece = project_step_on_joints(scene, n)
            if miss <= newton_tolerance * largest_effect(scene, n) and not changes_piece:
                take_step(scene, n, t)
                blend_impulses(scene, n, t)
                return count + 1
            if count > 0 or not on_joints:
                t = step_length(scene, n)
            take_step(scene, n, t)
            blend_impulses(scene, n, t)
        return most_steps + 1

    return SimpleNamespace(
        minimise=minimise, mass_times=mass_times, relative_displacement=relative_displacement,
        relative_rotation=relative_rotation, load_contact=load_contact, rounded_six=rounded_six, read=read,
        set_joint_residuals=set_joint_residuals,
    )  # fmt: skip
