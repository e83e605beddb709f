# SPDX-FileCopyrightText: The inertia_tools authors
# SPDX-License-Identifier: Apache-2.0
"""Islands at rest: steps that would change nothing are skipped.

An island is at rest when several steps in a row have left all its bodies with rounding errors of motion only, which do
not persist (step 6 in docs/solver.md). Its momenta are then set to zero. While nothing that acts on it changes, the
state is copied, and contacts report their forces again. Any change of states, drives, joints, materials or masses wakes
it in the same step.

States and contacts store all that this depends on, so that copies of them behave alike. A stamp distinguishes the steps
of all solvers.
"""

from functools import lru_cache
from types import SimpleNamespace
from typing import Any

import warp as wp

from inertia_tools.sim.collide.contact_finding import finding_functions
from inertia_tools.sim.constraints.joint_rows import joint_row_functions
from inertia_tools.sim.kernels.constants import PERSISTENT_MOMENTUM, REST_SPEED, STEPS_AT_REST
from inertia_tools.sim.kernels.motion import motion_functions
from inertia_tools.sim.kernels.precision import Precision
from inertia_tools.sim.kernels.scene_types import scene_type
from inertia_tools.sim.scene.joint_kind import JointKind
from inertia_tools.sim.solve.convergence import convergence_functions


@lru_cache(maxsize=2)
def rest_functions(p: Precision) -> Any:
    """Return the device functions of one precision."""
    Scene = wp.ref[scene_type(p)]
    scalar, vec3, vec4, vec6 = p.scalar, p.vec3, p.vec4, p.vec6
    Bodies, Joints, Shapes, State = p.references("Bodies", "Joints", "Shapes", "State")
    Row, Body = p.references("Row", "Body")
    motion = motion_functions(p)
    gravity_of = motion.gravity_of
    combined = finding_functions(p).combined
    relative_turn = joint_row_functions(p).relative_turn
    is_static, kinetic_product, square_of_speed = motion.is_static, motion.kinetic_product, motion.square_of_speed
    clear_momenta = motion.clear_momenta
    log_solve = convergence_functions(p).log_solve
    rest_speed, persistence, zero = (
        wp.constant(scalar(number)) for number in (REST_SPEED[p.name], PERSISTENT_MOMENTUM, 0.0)
    )
    most_steps, settings = wp.constant(scalar(STEPS_AT_REST)), wp.constant(wp.int64(1 << 32))
    ball, free = wp.constant(int(JointKind.BALL)), wp.constant(int(JointKind.FREE))

    @wp.func
    def is_slow(bodies: Bodies, body: Body, b: int, h: scalar) -> bool:
        """Return whether a body has hardly moved in the last two substeps."""
        most = rest_speed * h * wp.length(gravity_of(bodies, b))
        now = square_of_speed(bodies, body, b, body.v, body.spin)
        before = square_of_speed(bodies, body, b, body.v_before, body.spin_before)
        return now <= most * most and before <= most * most

    @wp.func
    def rotor_product(scene: Scene, j: int, then: bool) -> scalar:
        """Return the product of a joint's rotor rates with themselves, or with those one substep ago (`then`)."""
        total = scalar(0.0)
        for d in range(scene.joints.first_dof[j], scene.joints.first_dof[j] + scene.joints.dof_number[j]):
            other = wp.where(then, scene.dof[d].rate0, scene.dof[d].rate_end)
            total += scene.joints.armature[d] * scene.dof[d].rate_end * other
        return total

    @wp.func
    def are_forces_unchanged(bodies: Bodies, state: State, b: int) -> bool:
        """Return whether the forces on a body are those of the last step; a new one acts for half a substep."""
        same = bool(state.version_last[b] == bodies.version[b])
        same = same and state.f[b] == state.f_last[b]
        return same and gravity_of(bodies, b) == state.fall_last[b]

    @wp.func
    def rest_after(scene: Scene, n: int) -> scalar:
        """Return `State.rest` after a step."""
        after, now, then = scalar(-wp.inf), scalar(0.0), scalar(0.0)
        if scene.rows.unsettled[n] > scene.islands.unsettled_before[n] or scene.options[n].contacts == 0:
            return zero
        for i in range(scene.islands.first_body[n], scene.islands.end_body[n]):
            b = scene.islands.body[i]
            if not is_slow(scene.bodies, scene.body[b], b, scene.options[n].h):
                return zero
            if wp.length(scene.state_in.particle_wrench[b]) > zero:  # particles; their forces are not stored
                return zero
            if not are_forces_unchanged(scene.bodies, scene.state_in, b):
                return zero
            v, spin = scene.body[b].v, scene.body[b].spin
            v_then, spin_then = scene.body[b].v_before, scene.body[b].spin_before
            mass = scene.bodies.mass[b]
            now += mass * square_of_speed(scene.bodies, scene.body[b], b, v, spin)
            then += mass * kinetic_product(scene.bodies, scene.body[b], b, v, spin, v_then, spin_then)
            after = wp.max(after, wp.min(scene.state_in.rest[b], zero) - scalar(1.0))
        for i in range(scene.islands.first_joint[n], scene.islands.end_joint[n]):
            j = scene.islands.joint[i]
            for d in range(scene.joints.first_dof[j], scene.joints.first_dof[j] + scene.joints.dof_number[j]):
                if scene.control.joint_f[d] != scene.state_in.joint_f_last[d]:
                    return zero
            now += rotor_product(scene, j, False)
            then += rotor_product(scene, j, True)
        if now > zero and then >= persistence * now:
            return zero
        if after <= -most_steps:
            return scene.options[n].dt
        return after

    @wp.func
    def clear_history(body: Body):
        """Set the momenta of a body to zero, also those of earlier substeps."""
        clear_momenta(body)
        body.v_before = vec3()
        body.spin_before = vec3()
        body.v_earlier = vec3()
        body.spin_earlier = vec3()

    @wp.func
    def drive_of(scene: Scene, d: int) -> vec4:
        """Return the commands of a degree of freedom."""
        return vec4(
            scene.control.target_pos[d],
            scene.control.target_vel[d],
            scene.control.joint_f[d],
            scene.joints.springref[d],
        )

    @wp.func
    def gains_of(joints: Joints, d: int) -> vec4:
        """Return the gains of its drive, spring and damper."""
        return vec4(joints.target_ke[d], joints.target_kd[d], joints.stiffness[d], joints.damping[d])

    @wp.func
    def limits_of(joints: Joints, d: int) -> vec4:
        """Return its limits."""
        return vec4(joints.lower[d], joints.upper[d], joints.effort_limit[d], joints.velocity_limit[d])

    @wp.func
    def others_of(joints: Joints, d: int) -> vec4:
        """Return the remaining parameters of its laws."""
        return vec4(joints.drive_velocity_limit[d], joints.armature[d], joints.friction[d], zero)

    @wp.func
    def friction_of(shapes: Shapes, row: Row) -> vec3:
        """Return the friction coefficients of a contact: sliding, torsional [m], rolling [m]."""
        a, s, rule = row.shape, row.solid, shapes.friction_rule
        spin = combined(rule, shapes.mu_torsional[a], shapes.mu_torsional[s])
        return vec3(row.mu, spin, combined(rule, shapes.mu_rolling[a], shapes.mu_rolling[s]))

    @wp.func
    def store_laws(scene: Scene, j: int):
        """Store the parameters of a joint's laws in the state."""
        for d in range(scene.joints.first_dof[j], scene.joints.first_dof[j] + scene.joints.dof_number[j]):
            scene.state_out.rest_drive[d] = drive_of(scene, d)
            scene.state_out.rest_gains[d] = gains_of(scene.joints, d)
            scene.state_out.rest_limits[d] = limits_of(scene.joints, d)
            scene.state_out.rest_others[d] = others_of(scene.joints, d)

    @wp.func
    def are_coordinates_unchanged(scene: Scene, j: int) -> bool:
        """Return whether a joint's coordinates and rates are those of its bodies at rest."""
        same, at = bool(scene.joint[j].is_current == 1), scene.joints.first_coordinate[j]
        if scene.joints.kind[j] == free:
            q = scene.state_in.q[scene.joints.child[j]]
            same = True
            for k in range(7):
                same = same and scene.state_in.joint_q[at + k] == q[k]
        if scene.joints.kind[j] == ball:
            turn = relative_turn(scene, j)
            same = True
            for k in range(4):
                same = same and scene.state_in.joint_q[at + k] == scalar(turn[k])
        for d in range(scene.joints.first_dof[j], scene.joints.first_dof[j] + scene.joints.dof_number[j]):
            same = same and scene.state_in.joint_qd[d] == zero
        return same or scene.joints.dof_number[j] == 0

    @wp.func
    def are_laws_unchanged(scene: Scene, j: int) -> bool:
        """Return whether the parameters of a joint's laws are those that it came to rest with."""
        same = bool(True)
        for d in range(scene.joints.first_dof[j], scene.joints.first_dof[j] + scene.joints.dof_number[j]):
            same = same and scene.state_in.rest_drive[d] == drive_of(scene, d)
            same = same and scene.state_in.rest_gains[d] == gains_of(scene.joints, d)
            same = same and scene.state_in.rest_limits[d] == limits_of(scene.joints, d)
            same = same and scene.state_in.rest_others[d] == others_of(scene.joints, d)
        return same

    @wp.func
    def signature_of(scene: Scene, n: int, reactions: int) -> int:
        """Return a hash of the number of loaded contacts of an island, its enabled joints, and wrench reporting."""
        signature, loaded = int(1 + reactions), int(0)
        for i in range(scene.islands.first_joint[n], scene.islands.end_joint[n]):
            signature = 31 * signature + scene.joints.enabled[scene.islands.joint[i]]
        for i in range(scene.islands.first_row[n], scene.islands.end_row[n]):
            if scene.contacts.lambda_n[scene.rows.row[scene.islands.row[i]].slot] > zero:
                loaded += 1
        return 31 * signature + loaded

    @wp.func(inline=False)
    def update_rest(scene: Scene, world: int, n: int):
        """Decide at the end of a step whether an island is at rest; if so, stop it and store what acts on it."""
        after, stamp = rest_after(scene, n), scene.islands.stamps[world]
        for i in range(scene.islands.first_body[n], scene.islands.end_body[n]):
            scene.state_out.rest[scene.islands.body[i]] = after
        if after <= zero:
            return
        signature = signature_of(scene, n, scene.options[n].reactions)
        for i in range(scene.islands.first_body[n], scene.islands.end_body[n]):
            b = scene.islands.body[i]
            scene.state_out.rest_stamp[b] = stamp
            scene.state_out.rest_signature[b] = signature
            clear_history(scene.body[b])
        for i in range(scene.islands.first_row[n], scene.islands.end_row[n]):
            k = scene.islands.row[i]
            slot = scene.rows.row[k].slot
            scene.contacts.rest_stamp[slot] = stamp
            scene.contacts.rest_mu[slot] = friction_of(scene.shapes, scene.rows.row[k])
        for i in range(scene.islands.first_joint[n], scene.islands.end_joint[n]):
            store_laws(scene, scene.islands.joint[i])

    @wp.func
    def is_body_unchanged(bodies: Bodies, body: Body, state: State, b: int) -> bool:
        """Return whether a body has its pose at rest, under the same forces."""
        same = bool(body.pose_unchanged == 1 and body.has_no_history == 0)
        same = same and state.qd[b] == vec6() and state.qd_last[b] == vec6()
        return same and state.particle_wrench[b] == vec6() and are_forces_unchanged(bodies, state, b)

    @wp.func
    def is_stationary(scene: Scene, b: int) -> bool:
        """Return whether a static or kinematic body does not move in this step, and was not moved before it."""
        if b < 0 or not is_static(scene.bodies, b):
            return True
        return scene.body[b].pose_unchanged == 1 and scene.body[b].moves_kinematically == 0

    @wp.func
    def are_bodies_at_rest(scene: Scene, world: int, n: int) -> bool:
        """Return whether the bodies of an island came to rest in one step of this solver, and still are."""
        first = scene.state_in.rest_stamp[scene.islands.body[scene.islands.first_body[n]]]
        if first // settings != scene.islands.stamps[world] // settings:
            return False
        for i in range(scene.islands.first_body[n], scene.islands.end_body[n]):
            b = scene.islands.body[i]
            if scene.state_in.rest[b] != scene.settings[world].dt or scene.state_in.rest_stamp[b] != first:
                return False
            if not is_body_unchanged(scene.bodies, scene.body[b], scene.state_in, b):
                return False
        return True

    @wp.func
    def are_contacts_unchanged(scene: Scene, n: int) -> bool:
        """Return whether the loaded contacts of an island are unchanged, and its other bodies are stationary."""
        stamp = scene.state_in.rest_stamp[scene.islands.body[scene.islands.first_body[n]]]
        for i in range(scene.islands.first_row[n], scene.islands.end_row[n]):
            k = scene.islands.row[i]
            slot = scene.rows.row[k].slot
            if not is_stationary(scene, scene.rows.row[k].body_a):
                return False
            if not is_stationary(scene, scene.rows.row[k].body_b):
                return False
            same = bool(scene.contacts.rest_stamp[slot] == stamp)
            same = same and scene.contacts.rest_mu[slot] == friction_of(scene.shapes, scene.rows.row[k])
            if scene.contacts.lambda_n[slot] > zero and not same:
                return False
        return True

    @wp.func
    def are_joints_unchanged(scene: Scene, n: int) -> bool:
        """Return whether the joints of an island are unchanged."""
        for i in range(scene.islands.first_joint[n], scene.islands.end_joint[n]):
            j = scene.islands.joint[i]
            if not is_stationary(scene, scene.joints.parent[j]):
                return False
            if not is_stationary(scene, scene.joints.child[j]):
                return False
            if not are_laws_unchanged(scene, j):
                return False
            if not are_coordinates_unchanged(scene, j):
                return False
        return True

    @wp.func(inline=False)
    def is_at_rest(scene: Scene, world: int, n: int) -> bool:
        """Return whether a step would not change an island."""
        if scene.islands.first_body[n] == scene.islands.end_body[n] or scene.islands.in_lockstep[n] == 1:
            return False
        if not are_bodies_at_rest(scene, world, n):
            return False
        signature = scene.state_in.rest_signature[scene.islands.body[scene.islands.first_body[n]]]
        if signature != signature_of(scene, n, scene.settings[world].reactions):
            return False
        return are_contacts_unchanged(scene, n) and are_joints_unchanged(scene, n)

    @wp.func
    def copy_body(before: State, after: State, b: int):
        """Copy the part of a state that belongs to a body."""
        after.q[b] = before.q[b]
        after.qd[b] = before.qd[b]
        after.qdd[b] = before.qdd[b]
        after.f_last[b] = before.f_last[b]
        after.fall_last[b] = before.fall_last[b]
        after.parent_f[b] = before.parent_f[b]
        after.q_last[b] = before.q_last[b]
        after.qd_last[b] = before.qd_last[b]
        after.x_last[b] = before.x_last[b]
        after.x_low_last[b] = before.x_low_last[b]
        after.r_low_last[b] = before.r_low_last[b]
        after.v_last[b] = before.v_last[b]
        after.v_low_last[b] = before.v_low_last[b]
        after.spin_last[b] = before.spin_last[b]
        after.spin_low_last[b] = before.spin_low_last[b]
        after.v_before_last[b] = before.v_before_last[b]
        after.spin_before_last[b] = before.spin_before_last[b]
        after.h_last[b] = before.h_last[b]
        after.h_before_last[b] = before.h_before_last[b]
        after.nominal_h_last[b] = before.nominal_h_last[b]
        after.impact_flags_last[b] = before.impact_flags_last[b]
        after.closes_joint[b] = before.closes_joint[b]
        after.version_last[b] = before.version_last[b]
        after.rest[b] = before.rest[b]
        after.rest_stamp[b] = before.rest_stamp[b]
        after.rest_signature[b] = before.rest_signature[b]

    @wp.func
    def copy_joint(joints: Joints, before: State, after: State, j: int):
        """Copy the part of a state that belongs to a joint."""
        after.held_last[j] = before.held_last[j]
        for d in range(joints.first_dof[j], joints.first_dof[j] + joints.dof_number[j]):
            after.joint_qd[d] = before.joint_qd[d]
            after.joint_f_last[d] = before.joint_f_last[d]
            after.axis_rate_change[d] = before.axis_rate_change[d]
            after.axis_correction[d] = before.axis_correction[d]
            after.path_acceleration[d] = before.path_acceleration[d]
            after.path_acceleration_change[d] = before.path_acceleration_change[d]
            after.law_last[d] = before.law_last[d]
            after.pieces_last[d] = before.pieces_last[d]
            after.rest_drive[d] = before.rest_drive[d]
            after.rest_gains[d] = before.rest_gains[d]
            after.rest_limits[d] = before.rest_limits[d]
            after.rest_others[d] = before.rest_others[d]
        first = joints.first_coordinate[j]
        coordinates = joints.dof_number[j] + int(joints.kind[j] == ball or joints.kind[j] == free)
        for k in range(first, first + coordinates):
            after.joint_q[k] = before.joint_q[k]
            after.joint_q_last[k] = before.joint_q_last[k]

    @wp.func(inline=False)
    def copy_state(scene: Scene, world: int, n: int):
        """Make the step of an island at rest: copy the state, and log solves without Newton steps."""
        for i in range(scene.islands.first_body[n], scene.islands.end_body[n]):
            copy_body(scene.state_in, scene.state_out, scene.islands.body[i])
        for i in range(scene.islands.first_joint[n], scene.islands.end_joint[n]):
            copy_joint(scene.joints, scene.state_in, scene.state_out, scene.islands.joint[i])
        if scene.rows.logs == 1:
            substeps = scene.settings[world].least_substeps
            h = scene.settings[world].dt / scalar(substeps)
            for _substep in range(substeps):
                log_solve(scene, n, h, 0)

    return SimpleNamespace(update_rest=update_rest, is_at_rest=is_at_rest, copy_state=copy_state)
