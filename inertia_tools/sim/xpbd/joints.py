# SPDX-FileCopyrightText: The inertia_tools authors
# SPDX-License-Identifier: Apache-2.0
"""What a substep does to each joint, whichever way the rows are solved."""

from functools import lru_cache
from types import SimpleNamespace
from typing import Any

import warp as wp

from inertia_tools.sim.device.precision import Precision
from inertia_tools.sim.scene.joint_kind import JointKind, Turning
from inertia_tools.sim.xpbd.joint_axes import axes_functions
from inertia_tools.sim.xpbd.joint_laws import LEFT, SPRUNG, law_functions
from inertia_tools.sim.xpbd.joint_rows import row_functions
from inertia_tools.sim.xpbd.motion import motion_functions

FREE_BODY = -2
"""Stands for the parent of a body that no joint holds."""


GIVES = 64
"""Bit of a joint's mask, beside those of its rows: some row has a compliance."""

SLIGHT = 1e-9
"""Change of an effort, relative, that leaves a joint where it is."""

ROWS = 63
"""The bits of a mask that are rows."""


@lru_cache(maxsize=2)
def joint_functions(p: Precision) -> Any:
    """Return the device functions of one precision."""
    scalar, vec3, vec6, quat = p.scalar, p.vec3, p.vec6, p.quat
    Bodies, Joints, Control, State = p.references("Bodies", "Joints", "Control", "State")
    Work, JointWork, DofWork = p.references("Work", "JointWork", "DofWork")
    rows, laws = row_functions(p), law_functions(p)
    axes = axes_functions(p)
    load_child, load_parent = axes.load_child, axes.load_parent
    read_child, read_parent = axes.read_child, axes.read_parent
    replaced, masked = axes.replaced, axes.masked
    measure, row_rates, small_vector = rows.measure, rows.row_rates, rows.small_vector
    row_rates_before = rows.row_rates_before
    look, has_turned_far = rows.look, rows.has_turned_far
    freeze_rows, relative_turn = rows.freeze, rows.relative_turn
    is_lively, is_heeded, find_inertia, set_in, decide = (
        laws.is_lively,
        laws.is_heeded,
        laws.find_inertia,
        laws.set_in,
        laws.decide,
    )
    has_rotor = laws.has_rotor
    linear_law = laws.linear_law
    stays = motion_functions(p).stays
    slight = wp.constant(scalar(SLIGHT))
    left, sprung = wp.constant(scalar(LEFT)), wp.constant(scalar(SPRUNG))
    gives = wp.constant(GIVES)
    free, ball = wp.constant(int(JointKind.FREE)), wp.constant(int(JointKind.BALL))
    vector = wp.constant(int(Turning.VECTOR))

    @wp.func
    def acts(bodies: Bodies, joints: Joints, j: int) -> bool:
        """Tell whether a joint holds anything."""
        if joints.enabled[j] == 0 or joints.kind[j] == free:
            return False
        return not (stays(bodies, joints.child[j]) and stays(bodies, joints.parent[j]))

    @wp.func
    def enter_joint(bodies: Bodies, joints: Joints, state: State, jw: JointWork, dw: DofWork, j: int):
        """Take a joint's coordinates from the state."""
        jw.wrench[j] = vec6()
        if joints.kind[j] != free:
            jw.lively[j] = is_lively(joints, j)
            jw.heeded[j] = is_heeded(bodies, joints, j, jw.lively[j])
            for k in range(joints.dof_number[j]):
                d = joints.first_dof[j] + k
                dw.q[d] = scalar(0.0)
                dw.rate0[d] = scalar(0.0)
                dw.rate_end[d] = scalar(0.0)
                if joints.kind[j] != ball:
                    dw.q[d] = state.joint_q[joints.first_coordinate[j] + k]

    @wp.func
    def aim(joints: Joints, control: Control, jw: JointWork, dw: DofWork, j: int):
        """Set what the drives of a joint aim at in this substep."""
        first = joints.first_dof[j]
        if joints.turning[j] == vector:
            turn = vec3(control.target_pos[first], control.target_pos[first + 1], control.target_pos[first + 2])
            size = wp.length(turn)
            goal = quat(scalar(0.0), scalar(0.0), scalar(0.0), scalar(1.0))
            if size > scalar(0.0):
                goal = wp.quat_from_axis_angle(turn / size, size)
            way = goal * wp.quat_inverse(jw.turn0[j])
            to_go = small_vector(way)
            sine = scalar(0.5) * wp.length(to_go)
            if sine > scalar(0.0):
                to_go = (wp.atan2(sine, wp.abs(way[3])) / sine) * to_go
            for k in range(3):
                dw.q[first + k] = scalar(0.0)
                dw.goal[first + k] = to_go[k]
        else:
            for k in range(joints.dof_number[j]):
                dw.goal[first + k] = control.target_pos[first + k]

    @wp.func
    def freeze(
        bodies: Bodies,
        joints: Joints,
        control: Control,
        state: State,
        work: Work,
        jw: JointWork,
        dw: DofWork,
        j: int,
        first_substep: int,
    ):
        """Take directions and rates of a joint from the present poses and momenta.

        Momenta are those of half a substep ago, so a rate is the mean of what the directions of now and of a substep
        ago read: on a parent that turns, either alone is off by half a substep of centripetal acceleration.
        """
        jw.mask[j] = int(0)
        if acts(bodies, joints, j):
            freeze_rows(joints, work, jw, dw, j)
            work.r0[joints.child[j]] = work.r[joints.child[j]]
            aim(joints, control, jw, dw, j)
            for k in range(joints.dof_number[j]):
                dw.q0[joints.first_dof[j] + k] = dw.q[joints.first_dof[j] + k]
            if jw.lively[j] == 1:
                rates = row_rates(bodies, joints, work, jw, j)
                for k in range(joints.dof_number[j]):
                    d = joints.first_dof[j] + k
                    now = rates[joints.row[d]]
                    turn = dw.rate_end[d] - now
                    if first_substep == 1:
                        turn = scalar(state.rate_turn[d])
                    dw.read0[d] = now
                    dw.turn[d] = turn
                    dw.rate0[d] = now + scalar(0.5) * turn
                if first_substep == 1:
                    find_inertia(bodies, joints, work, jw, dw, j)

    @wp.func
    def freeze_anew(bodies: Bodies, joints: Joints, work: Work, jw: JointWork, dw: DofWork, j: int):
        """Take the directions of a joint again, its bodies being where they were, and forget what it has done since."""
        if acts(bodies, joints, j):
            jw.impulse[j] = vec6()
            for k in range(joints.dof_number[j]):
                dw.q[joints.first_dof[j] + k] = dw.q0[joints.first_dof[j] + k]
            look(joints, work, jw, j)

    @wp.func
    def note_rates(bodies: Bodies, joints: Joints, work: Work, jw: JointWork, dw: DofWork, j: int):
        """End a substep: remember the rates that its directions read of the momenta that it has left."""
        if joints.dof_number[j] > 0 and jw.lively[j] == 1 and acts(bodies, joints, j):
            rates = row_rates_before(bodies, joints, work, jw, j)
            for k in range(joints.dof_number[j]):
                d = joints.first_dof[j] + k
                dw.rate_end[d] = rates[joints.row[d]]

    @wp.func
    def turned_by(r: quat, wrench: vec6) -> vec6:
        """Turn both halves of a wrench."""
        force = wp.quat_rotate(r, vec3(wrench[0], wrench[1], wrench[2]))
        torque = wp.quat_rotate(r, vec3(wrench[3], wrench[4], wrench[5]))
        return vec6(force[0], force[1], force[2], torque[0], torque[1], torque[2])

    @wp.func
    def note_wrench(joints: Joints, work: Work, jw: JointWork, j: int, impulse: vec6):
        """Add to what a joint did to its child, in axes that turn with it, as a sensor on it would see them."""
        jw.wrench[j] = jw.wrench[j] + turned_by(wp.quat_inverse(work.r0[joints.child[j]]), impulse)

    @wp.func
    def report_wrench(joints: Joints, work: Work, jw: JointWork, state: State, j: int, per_force: scalar):
        """Add the mean of what a joint did to its child over the step to the state."""
        child = joints.child[j]
        state.parent_f[child] = state.parent_f[child] + per_force * turned_by(work.r[child], jw.wrench[j])

    @wp.func
    def push_bodies(
        bodies: Bodies,
        joints: Joints,
        control: Control,
        state: State,
        work: Work,
        jw: JointWork,
        dw: DofWork,
        j: int,
        h: scalar,
        first_substep: int,
    ):
        """Add the efforts on a joint's degrees of freedom to the forces on both bodies, or to what moves a rotor.

        In the first substep of a step an effort counts with the mean of what it was and what it is. A rotor far heavier
        than the bodies would hardly move by what turns them about freely, so there it is part of the row's law.
        """
        if joints.enabled[j] == 0 or joints.dof_number[j] == 0:
            return
        for k in range(joints.dof_number[j]):
            d = joints.first_dof[j] + k
            effort = scalar(control.joint_f[d])
            if first_substep == 1:
                effort = scalar(0.5) * (effort + state.joint_f_then[d])
                if joints.kind[j] != free and jw.lively[j] == 1 and joints.turning[j] != vector:
                    effort = effort + set_in(joints, control, dw, d, state.law_then[d], h)
            if joints.armature[d] > scalar(0.0):
                dw.effort[d] = effort
            elif effort != scalar(0.0):
                rows = vec6()
                child, parent = joints.child[j], joints.parent[j]
                if joints.kind[j] == free:
                    rows[k] = effort
                    work.force[child] = work.force[child] + rows
                elif acts(bodies, joints, j):
                    rows[joints.row[d]] = effort
                    on_child = load_child(jw, j, rows)
                    work.force[child] = work.force[child] + on_child
                    note_wrench(joints, work, jw, j, (h * h) * on_child)
                    if not stays(bodies, parent):
                        work.force[parent] = work.force[parent] + load_parent(jw, j, rows)

    @wp.func
    def push_row(bodies: Bodies, joints: Joints, work: Work, jw: JointWork, j: int, row: int, push: scalar):
        """Put an impulse on one row onto both bodies, for the solve to come."""
        child, parent = joints.child[j], joints.parent[j]
        rows = replaced(vec6(), row, push)
        jw.impulse[j] = jw.impulse[j] + rows
        if not stays(bodies, child):
            work.load[child] = work.load[child] + load_child(jw, j, rows)
        if not stays(bodies, parent):
            work.load[parent] = work.load[parent] + load_parent(jw, j, rows)

    @wp.func
    def farthest_off(error: vec6) -> scalar:
        most = scalar(0.0)
        for i in range(6):
            most = wp.max(most, wp.abs(error[i]))
        return most

    @wp.func
    def prepare_joint(
        bodies: Bodies,
        joints: Joints,
        control: Control,
        work: Work,
        jw: JointWork,
        dw: DofWork,
        j: int,
        turn: int,
        h: scalar,
        linear_compliance: scalar,
        angular_compliance: scalar,
    ):
        """Find which rows of a joint are held in this pass, by what, and how far off they are."""
        jw.unsettled[j] = int(0)
        jw.residual[j] = scalar(0.0)
        if not acts(bodies, joints, j):
            return
        if has_turned_far(joints, work, j):
            look(joints, work, jw, j)
        error = measure(joints, work, jw, dw, j, jw.heeded[j])
        mask = int(joints.hard[j])
        if linear_compliance + angular_compliance > scalar(0.0):
            compliance = vec6()
            for i in range(6):
                if (joints.hard[j] & (int(1) << i)) != int(0):
                    compliance[i] = linear_compliance / (h * h)
                    if i > 2:
                        compliance[i] = angular_compliance / (h * h)
                    error[i] = error[i] + compliance[i] * jw.impulse[j][i]
            jw.compliance[j] = compliance
            mask = mask | gives
        pushed = bool(False)
        first = joints.first_dof[j]
        if has_rotor(joints, j):
            rates = row_rates_before(bodies, joints, work, jw, j)
            for k in range(joints.dof_number[j]):
                dw.read[first + k] = rates[joints.row[first + k]]
        for k in range(joints.dof_number[j]):
            row = joints.row[first + k]
            what = decide(joints, control, jw, dw, j, first + k, turn, h)
            error = replaced(error, row, what[1])
            if what[0] == left:
                if what[3] != scalar(0.0):
                    pushed = pushed or wp.abs(what[3]) > slight * wp.abs(jw.impulse[j][row])
                    push_row(bodies, joints, work, jw, j, row, what[3])
            else:
                mask = mask | (int(1) << row)
                if what[0] == sprung or (mask & gives) != int(0):
                    if (mask & gives) == int(0):
                        jw.compliance[j] = vec6()
                        mask = mask | gives
                    jw.compliance[j] = replaced(jw.compliance[j], row, what[2])
        error = masked(error, mask)
        jw.mask[j] = mask
        jw.error[j] = error
        jw.residual[j] = farthest_off(error)
        if pushed:
            jw.residual[j] = scalar(1.0)

    @wp.func
    def sum_wrench(bodies: Bodies, joints: Joints, work: Work, jw: JointWork, j: int):
        """End a substep: add what the joint did to its child."""
        if acts(bodies, joints, j):
            note_wrench(joints, work, jw, j, load_child(jw, j, jw.impulse[j]))

    @wp.func
    def leave_joint(
        bodies: Bodies,
        joints: Joints,
        control: Control,
        work: Work,
        jw: JointWork,
        dw: DofWork,
        state: State,
        j: int,
    ):
        """Give a joint's coordinates back to the state, and the laws that its accelerations follow."""
        first, at = joints.first_dof[j], joints.first_coordinate[j]
        child = joints.child[j]
        if joints.kind[j] == free:
            q = state.q[child]
            x, r = wp.transform_get_translation(q), wp.transform_get_rotation(q)
            for k in range(3):
                state.joint_q[at + k] = x[k]
            for k in range(4):
                state.joint_q[at + 3 + k] = r[k]
            for k in range(6):
                state.joint_qd[first + k] = state.qd[child][k]
                state.joint_f_then[first + k] = control.joint_f[first + k]
        elif joints.dof_number[j] > 0:
            freeze_rows(joints, work, jw, dw, j)
            error = measure(joints, work, jw, dw, j, int(1))
            if joints.kind[j] == ball:
                turn = relative_turn(joints, work, j)
                for k in range(4):
                    state.joint_q[at + k] = turn[k]
            half_back = vec6()
            if jw.lively[j] == 1 and acts(bodies, joints, j):
                half_back = row_rates(bodies, joints, work, jw, j)
            rates = read_child(jw, j, state.qd[child])
            parent = joints.parent[j]
            if parent >= 0:
                rates = rates + read_parent(jw, j, state.qd[parent])
            for k in range(joints.dof_number[j]):
                d = first + k
                row = joints.row[d]
                if joints.kind[j] != ball:
                    state.joint_q[at + k] = error[row]
                state.joint_qd[d] = rates[row]
                state.rate_turn[d] = dw.rate_end[d] - half_back[row]
                state.joint_f_then[d] = control.joint_f[d]
                dw.goal[d] = control.target_pos[d]
                state.law_then[d] = linear_law(joints, control, dw, d)

    return SimpleNamespace(
        acts=acts,
        enter_joint=enter_joint,
        freeze=freeze,
        freeze_anew=freeze_anew,
        push_bodies=push_bodies,
        prepare_joint=prepare_joint,
        note_wrench=note_wrench,
        note_rates=note_rates,
        sum_wrench=sum_wrench,
        report_wrench=report_wrench,
        leave_joint=leave_joint,
    )
