# SPDX-FileCopyrightText: The inertia_tools authors
# SPDX-License-Identifier: Apache-2.0
"""Joints in a substep: directions, efforts, and the rows of each iterate, for the direct solve and for sweeps."""

from functools import lru_cache
from types import SimpleNamespace
from typing import Any

import warp as wp

from inertia_tools.sim.constraints.bounded_laws import bounded_functions
from inertia_tools.sim.constraints.joint_laws import (
    COMPLIANT_ROW,
    FREE,
    LOCKED,
    WARM_START_ALLOWED,
    JointPlace,
    joint_law_functions,
)
from inertia_tools.sim.constraints.joint_rows import joint_row_functions
from inertia_tools.sim.constraints.joint_targets import target_functions
from inertia_tools.sim.kernels.constants import DRY_FRICTION_STIFFNESS, RECOVERY_SPEED, RECOVERY_TIME, SLIGHT_EFFORT
from inertia_tools.sim.kernels.joint_axes import axes_functions
from inertia_tools.sim.kernels.motion import motion_functions
from inertia_tools.sim.kernels.nonnegative_index import nonnegative_index
from inertia_tools.sim.kernels.precision import Precision, precision
from inertia_tools.sim.kernels.scene_types import scene_type
from inertia_tools.sim.kernels.work_types import COMPLIANT
from inertia_tools.sim.scene.joint_kind import JointKind, Turning


@lru_cache(maxsize=2)
def joint_functions(p: Precision) -> Any:
    """Return the device functions of one precision."""
    Scene = wp.ref[scene_type(p)]
    scalar, vec3, vec4, vec6, quat = p.scalar, p.vec3, p.vec4, p.vec6, p.quat
    (Joints,) = p.references("Joints")
    Joint, Dof, Options = p.references("Joint", "Dof", "Options")
    rows, laws, axes = joint_row_functions(p), joint_law_functions(p), axes_functions(p)
    is_bounded = bounded_functions(p).is_bounded
    load_child, load_parent, on_row = axes.load_child, axes.load_parent, axes.on_row
    replaced, masked, joined = axes.replaced, axes.masked, axes.joined
    linear, angular = axes.linear, axes.angular
    recovery_speed, per_time = wp.constant(scalar(RECOVERY_SPEED)), wp.constant(scalar(1.0 / RECOVERY_TIME))
    measure, begin_rows, set_targets = rows.measure, rows.begin_rows, target_functions(p).set_targets
    relative_speed, relative_speed_at_start = rows.relative_speed, rows.relative_speed_at_start
    update_directions, has_turned_far = rows.update_directions, rows.has_turned_far
    initial_relative_speed, dynamic_body_of = rows.initial_relative_speed, rows.dynamic_body_of
    find_inertia, evaluate_dof, has_rotor = laws.find_inertia, laws.evaluate_dof, laws.has_rotor
    transition_effort, previous_fraction = laws.transition_effort, laws.previous_fraction
    is_static, force_time_of = motion_functions(p).is_static, motion_functions(p).force_time_of
    slight, compliant = wp.constant(scalar(SLIGHT_EFFORT)), wp.constant(COMPLIANT)
    warm_start_allowed = wp.constant(WARM_START_ALLOWED)
    free_row, locked, compliant_row = (wp.constant(scalar(kind)) for kind in (FREE, LOCKED, COMPLIANT_ROW))
    tree, beside_loops, closing = (wp.constant(int(place)) for place in JointPlace)
    is_friction_in_merit = laws.is_friction_in_merit
    friction_stiffness = wp.constant(wp.float64(DRY_FRICTION_STIFFNESS))
    wide_vec6 = precision("float64").vec6
    free, vector = wp.constant(int(JointKind.FREE)), wp.constant(int(Turning.VECTOR))

    @wp.func
    def is_active_joint(scene: Scene, j: int) -> bool:
        """Return whether a joint is enabled, constrains something, and has a dynamic body."""
        if scene.joints.enabled[j] == 0 or scene.joints.kind[j] == free:
            return False
        return not (is_static(scene.bodies, scene.joints.child[j]) and is_static(scene.bodies, scene.joints.parent[j]))

    @wp.func
    def may_be_open(scene: Scene, j: int, first_substep: int) -> bool:
        """Return whether a joint may be open: where bodies start, when it becomes active, or while it closes.

        Where the model changed, it is not: a joint whose frame is moved takes its bodies along.
        """
        if not is_active_joint(scene, j):
            return False
        if scene.joint[j].is_active == 0:  # in the last substep
            return True
        if first_substep == 1:
            b = dynamic_body_of(scene, j)
            if scene.state_in.h_last[b] == scalar(0.0) or scene.state_in.closes_joint[b] == 1:
                return True
            same_model = bool(scene.state_in.version_last[b] == scene.bodies.version[b])
            return same_model and scene.body[b].has_no_history == 1
        return wp.length_sq(scene.joint[j].allowed_gap) > scalar(0.0)

    @wp.func
    def remaining_gap(relative: vec3, h: scalar) -> vec3:
        """Return the part of a gap that a substep leaves open."""
        size = wp.length(relative)
        closes = h * wp.max(recovery_speed, per_time * size)
        if size <= closes:
            return vec3()
        return ((size - closes) / size) * relative

    @wp.func
    def allowed_gap_of(scene: Scene, j: int, options: Options) -> vec6:
        """Return the errors that locked rows of a joint may keep to the end of a substep.

        Compliant rows have errors anyway, and sweeps correct errors in full.
        """
        if options.sweeps == 1:
            return vec6()
        relative, displacement, turn = masked(measure(scene, j, 0), scene.joints.hard[j]), vec3(), vec3()
        if options.linear_compliance == scalar(0.0):
            displacement = remaining_gap(linear(relative), options.h)
        if options.angular_compliance == scalar(0.0):
            turn = remaining_gap(angular(relative), options.h)
        return joined(displacement, turn)

    @wp.func
    def begin_rates(scene: Scene, j: int, h: scalar, first_substep: int):
        """Set the rates of a joint's degrees of freedom at the start of a substep.

        Momenta lag by half a substep, so a rate is the mean of those along the directions of now and of one substep
        ago: on a rotating parent, either alone is off by half a substep of centripetal acceleration. A rotor has that
        mean rate too. In the coming substep its rate along present directions applies, except for half the change by
        their rotation, which is predicted from the last substep (`Dof.axis_correction`) and corrected in the next one:
        so the error is of the second order, and errors do not accumulate.
        """
        relative = vec6()
        if first_substep == 1:
            relative = initial_relative_speed(scene, scene.joint[j], j)
        else:
            relative = relative_speed(scene, scene.joint[j], j)
        for k in range(scene.joints.dof_number[j]):
            d = nonnegative_index(scene.joints.first_dof[j] + k)
            now = on_row(scene.joint[j], scene.joints.row[d], relative)
            change, last_correction = scene.dof[d].rate_end - now, scalar(scene.dof[d].axis_correction)
            if first_substep == 1:
                change, last_correction = scalar(0.0), scalar(0.0)
                if scene.body[dynamic_body_of(scene, j)].has_no_history == 0:
                    change = scalar(scene.state_in.axis_rate_change[d])
                    last_correction = scalar(scene.state_in.axis_correction[d])
            scene.dof[d].rate0 = now + scalar(0.5) * change
            scene.dof[d].axis_correction = scalar(0.0)
            if change != scalar(0.0):
                scene.dof[d].axis_correction = scalar(0.5) * change * h / (scalar(2.0) * scene.joint[j].force_time - h)
            scene.dof[d].rotor_rate0 = now + change - last_correction + scene.dof[d].axis_correction
            scene.dof[d].rotor_detached = int(0)

    @wp.func
    def packed_pieces(dof: Dof) -> int:
        """Return the pieces of a degree of freedom's laws as one number; zero if none differs from its start."""
        signs = (dof.active_limit & 3) | ((dof.friction_sign & 3) << 2) | ((dof.saturation_sign & 3) << 4)
        return signs | (dof.limit_age << 6)

    @wp.func
    def sign_of(pieces: int, place: int) -> int:
        """Return one of the signs in packed pieces."""
        sign = (pieces >> place) & 3
        return wp.where(sign == 3, int(-1), sign)

    @wp.func
    def read_last_substep(scene: Scene, j: int):
        """Read from the state whether a joint acted in the last substep, and on which pieces its laws were."""
        scene.joint[j].is_active = scene.state_in.held_last[j]
        is_new = scene.body[dynamic_body_of(scene, j)].has_no_history == 1
        for k in range(scene.joints.dof_number[j]):
            d = scene.joints.first_dof[j] + k
            pieces = wp.where(is_new, int(0), int(scene.state_in.pieces_last[d]))
            scene.dof[d].active_limit = sign_of(pieces, 0)
            scene.dof[d].friction_sign = sign_of(pieces, 2)
            scene.dof[d].saturation_sign = sign_of(pieces, 4)
            scene.dof[d].limit_age = pieces >> 6

    @wp.func
    def begin_joint(scene: Scene, options: Options, j: int, first_substep: int, moved: int):
        """Begin a substep of a joint: set its directions and rates from the present poses and momenta.

        `moved` says whether bodies have moved since coordinates were computed.
        """
        j = nonnegative_index(j)
        scene.joint[j].mask = int(0)
        scene.joint[j].friction_stiffness = wide_vec6()
        scene.joint[j].drive_stiffness = wide_vec6()
        if first_substep == 1:
            read_last_substep(scene, j)
        is_open = may_be_open(scene, j, first_substep)
        scene.joint[j].force_time = force_time_of(scene, scene.joints.child[j], scene.joints.parent[j])
        scene.joint[j].limit_warm_start = wp.where(options.contacts == 1, warm_start_allowed, int(0))
        if moved == 1:
            scene.joint[j].is_current = int(0)
        scene.joint[j].is_active = int(is_active_joint(scene, j))
        scene.joint[j].allowed_gap = vec6()
        scene.joint[j].closing_speed = scalar(0.0)
        if scene.joint[j].is_active == 1:
            begin_rows(scene, j)
            if is_open:
                scene.joint[j].allowed_gap = allowed_gap_of(scene, j, options)
                closed = masked(measure(scene, j, 0), scene.joints.hard[j]) - scene.joint[j].allowed_gap
                scene.joint[j].closing_speed = wp.length(closed) / options.h
            scene.body[scene.joints.child[j]].r0 = scene.body[scene.joints.child[j]].r
            set_targets(scene, options, j, first_substep)
            for k in range(scene.joints.dof_number[j]):
                scene.dof[scene.joints.first_dof[j] + k].q0 = scene.dof[scene.joints.first_dof[j] + k].q
            if scene.joint[j].needs_rate == 1:
                begin_rates(scene, j, options.h, first_substep)
                if first_substep == 1:
                    find_inertia(scene, j)

    @wp.func
    def restart_joint(scene: Scene, j: int):
        """Reset a joint to the start of the substep, with its bodies there already."""
        if is_active_joint(scene, j):
            scene.joint[j].impulse = vec6()
            scene.joint[j].limit_warm_start = int(0)
            for k in range(scene.joints.dof_number[j]):
                scene.dof[scene.joints.first_dof[j] + k].q = scene.dof[scene.joints.first_dof[j] + k].q0
            update_directions(scene, scene.joint[j], j)

    @wp.func
    def store_rates(scene: Scene, j: int):
        """End a substep: store the rates along its directions at the final momenta.

        A rotor that has been detached from its bodies, as its row was not solved last, keeps its own rate.
        """
        j = nonnegative_index(j)
        if scene.joint[j].is_active == 1 and scene.joint[j].needs_rate == 1:
            relative = relative_speed_at_start(scene, scene.joint[j], j)
            for k in range(scene.joints.dof_number[j]):
                d = nonnegative_index(scene.joints.first_dof[j] + k)
                scene.dof[d].rate_end = on_row(scene.joint[j], scene.joints.row[d], relative)
                if scene.dof[d].rotor_detached == 1:
                    scene.dof[d].rate_end = scene.dof[d].rotor_rate

    @wp.func
    def turned_by(r: quat, wrench: vec6) -> vec6:
        """Return a wrench rotated by r."""
        force = wp.quat_rotate(r, vec3(wrench[0], wrench[1], wrench[2]))
        torque = wp.quat_rotate(r, vec3(wrench[3], wrench[4], wrench[5]))
        return vec6(force[0], force[1], force[2], torque[0], torque[1], torque[2])

    @wp.func
    def add_wrench(scene: Scene, joint: Joint, j: int, impulse: vec6):
        """Add an impulse [N s, N m s] on the child to `Joint.wrench`.

        It is kept in the child's axes, as a sensor on the child would measure it.
        """
        joint.wrench = joint.wrench + turned_by(wp.quat_inverse(scene.body[scene.joints.child[j]].r0), impulse)

    @wp.func
    def apply_efforts(scene: Scene, j: int, h: scalar, first_substep: int):
        """Add the efforts on a joint's degrees of freedom to the forces on both bodies, or to its rotors.

        In the first substep of a step an effort has the mean of its old and new value. A rotor far heavier than the
        bodies would hardly move by forces that move these freely, so its effort is part of the row's law.
        """
        j = nonnegative_index(j)
        if scene.joints.enabled[j] == 0 or scene.joints.dof_number[j] == 0:
            return
        for k in range(scene.joints.dof_number[j]):
            d = nonnegative_index(scene.joints.first_dof[j] + k)
            effort = scalar(scene.control.joint_f[d])
            if first_substep == 1:
                effort_then, law_then = scalar(scene.state_in.joint_f_last[d]), vec4(scene.state_in.law_last[d])
                effort = effort + previous_fraction(scene.joint[j], h) * (effort_then - effort)
                if scene.joints.kind[j] != free and scene.joint[j].needs_rate == 1:
                    effort = effort + transition_effort(scene, scene.joint[j], scene.dof[d], d, law_then, h)
            if scene.joints.armature[d] > scalar(0.0):
                scene.dof[d].rotor_effort = effort
            elif effort != scalar(0.0):
                rows = vec6()
                child, parent = scene.joints.child[j], scene.joints.parent[j]
                if scene.joints.kind[j] == free:
                    rows[k] = effort
                    scene.body[child].force = scene.body[child].force + rows
                elif is_active_joint(scene, j):
                    rows[scene.joints.row[d]] = effort
                    on_child = load_child(scene.joint[j], rows)
                    scene.body[child].force = scene.body[child].force + on_child
                    add_wrench(scene, scene.joint[j], j, scene.joint[j].force_time * on_child)
                    if not is_static(scene.bodies, parent):
                        scene.body[parent].force = scene.body[parent].force + load_parent(scene.joint[j], rows)

    @wp.func
    def apply_row_impulse(scene: Scene, joint: Joint, j: int, row: int, push: scalar):
        """Apply an impulse on one row to the loads of both bodies."""
        child, parent = scene.joints.child[j], scene.joints.parent[j]
        rows = replaced(vec6(), row, push)
        joint.impulse = joint.impulse + rows
        if not is_static(scene.bodies, child):
            scene.body[child].load = scene.body[child].load + load_child(joint, rows)
        if not is_static(scene.bodies, parent):
            scene.body[parent].load = scene.body[parent].load + load_parent(joint, rows)

    @wp.func
    def largest_error(error: vec6) -> scalar:
        most = scalar(0.0)
        for i in range(6):
            most = wp.max(most, wp.abs(error[i]))
        return most

    @wp.func
    def bound_friction(joints: Joints, joint: Joint, dof: Dof, d: int, h: scalar):
        """Make the dry friction of a degree of freedom a term of the merit function; see `bounded_laws.py`."""
        row = joints.row[d]
        stiffness, displacement, bound = joint.friction_stiffness, joint.friction_displacement, joint.friction_bound
        stiffness[row] = friction_stiffness * wp.float64(dof.inertia + joints.armature[d])
        displacement[row] = dof.q - dof.q0
        bound[row] = wp.float64(joints.friction[d] * h * joint.force_time)
        joint.friction_stiffness = stiffness
        joint.friction_displacement = displacement
        joint.friction_bound = bound

    @wp.func
    def add_solver_compliance(joint: Joint, hard: int, error: vec6, options: Options) -> vec6:
        """Give the locked rows of a joint the compliance of the solver, and return their errors with it."""
        off, compliance, per_force = error, vec6(), scalar(1.0) / (options.h * joint.force_time)
        for i in range(6):
            if (hard & (int(1) << i)) != int(0):
                compliance[i] = options.linear_compliance * per_force
                if i > 2:
                    compliance[i] = options.angular_compliance * per_force
                off[i] = off[i] + compliance[i] * joint.impulse[i]
        joint.compliance = compliance
        joint.mask = joint.mask | compliant
        return off

    @wp.func
    def read_rotors(scene: Scene, j: int):
        """Set the rotor rates of a joint, along directions and at poses of the start of the substep."""
        first = scene.joints.first_dof[j]
        relative = relative_speed_at_start(scene, scene.joint[j], j)
        for k in range(scene.joints.dof_number[j]):
            scene.dof[first + k].rotor_rate = on_row(scene.joint[j], scene.joints.row[first + k], relative)

    @wp.func
    def clear_laws(joint: Joint):
        """Start an iterate without laws and compliances."""
        joint.active_set_changed = int(0)
        joint.friction_stiffness = wide_vec6()
        joint.drive_stiffness = wide_vec6()
        joint.friction_bound = wide_vec6()
        joint.drive_bound = wide_vec6()
        joint.compliance = vec6()

    @wp.func
    def set_row(scene: Scene, joint: Joint, j: int, row: int, row_state: vec4) -> bool:
        """Make a row locked, compliant or free; return whether a new effort has been applied to it."""
        if is_bounded(joint, row):
            joint.mask = joint.mask | compliant
        joint.error = replaced(joint.error, row, row_state[1])
        if row_state[0] == free_row:
            if row_state[3] == scalar(0.0):
                return False
            is_new = wp.abs(row_state[3]) > slight * wp.abs(joint.impulse[row])
            apply_row_impulse(scene, joint, j, row, row_state[3])
            return is_new
        joint.mask = joint.mask | (int(1) << row)
        if row_state[0] == compliant_row or (joint.mask & compliant) != int(0):
            joint.mask = joint.mask | compliant
            joint.compliance = replaced(joint.compliance, row, row_state[2])
        return False

    @wp.func
    def evaluate_laws(scene: Scene, options: Options, j: int, iteration: int, place: int) -> bool:
        """Evaluate the laws of a joint's degrees of freedom; return whether a new effort has been applied."""
        effort_changed = bool(False)
        for k in range(scene.joints.dof_number[j]):
            d = scene.joints.first_dof[j] + k
            row_state = evaluate_dof(scene, scene.joint[j], scene.dof[d], d, iteration, place, options.h)
            friction_in_merit = is_friction_in_merit(iteration, place) and scene.joint[j].needs_rate == 1
            if friction_in_merit and row_state[0] != locked and scene.joints.friction[d] > scalar(0.0):
                bound_friction(scene.joints, scene.joint[j], scene.dof[d], d, options.h)
            effort_changed = set_row(scene, scene.joint[j], j, scene.joints.row[d], row_state) or effort_changed
        return effort_changed

    @wp.func
    def place_of(scene: Scene, j: int, in_loops: int) -> int:
        """Return the `JointPlace` of a joint."""
        child = scene.joints.child[j]
        if scene.bodies.joint[child] != j or is_static(scene.bodies, child):
            return closing
        return wp.where(in_loops == 1, beside_loops, tree)

    @wp.func
    def prepare_joint(scene: Scene, options: Options, j: int, iteration: int, in_loops: int) -> scalar:
        """Choose the active rows of a joint in this iterate; return their largest error [m, rad]."""
        j = nonnegative_index(j)
        if scene.joint[j].is_active == 0:
            return scalar(0.0)
        if has_turned_far(scene, j):
            update_directions(scene, scene.joint[j], j)
        error = measure(scene, j, scene.joint[j].needs_coordinate) - scene.joint[j].allowed_gap
        scene.joint[j].is_current = wp.where(scene.joints.turning[j] == vector, 0, scene.joint[j].needs_coordinate)
        scene.joint[j].mask = scene.joints.hard[j]
        effort_changed = bool(False)
        if scene.joint[j].has_constant_rows == 0:
            clear_laws(scene.joint[j])
            if options.linear_compliance + options.angular_compliance > scalar(0.0):
                error = add_solver_compliance(scene.joint[j], scene.joints.hard[j], error, options)
            if has_rotor(scene.joints, j):
                read_rotors(scene, j)
            scene.joint[j].error = error
            effort_changed = evaluate_laws(scene, options, j, iteration, place_of(scene, j, in_loops))
            error = scene.joint[j].error
        error = masked(error, scene.joint[j].mask)
        scene.joint[j].error = error
        return wp.where(effort_changed, scalar(1.0), largest_error(error))

    @wp.func
    def sum_wrench(scene: Scene, joint: Joint, j: int, h: scalar):
        """End a substep: add the impulse of a joint to the wrench on its child."""
        if is_active_joint(scene, j):
            add_wrench(scene, joint, j, load_child(joint, joint.impulse / h))

    return SimpleNamespace(
        is_active_joint=is_active_joint,
        turned_by=turned_by,
        begin_joint=begin_joint,
        packed_pieces=packed_pieces,
        restart_joint=restart_joint,
        apply_efforts=apply_efforts,
        prepare_joint=prepare_joint,
        has_rotor=has_rotor,
        read_rotors=read_rotors,
        add_wrench=add_wrench,
        store_rates=store_rates,
        sum_wrench=sum_wrench,
    )
