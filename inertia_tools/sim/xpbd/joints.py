# SPDX-FileCopyrightText: The inertia_tools authors
# SPDX-License-Identifier: Apache-2.0
"""What a substep does to each joint, whichever way the rows are solved."""

from functools import lru_cache
from types import SimpleNamespace
from typing import Any

import warp as wp

from inertia_tools.sim.device.precision import Precision, precision
from inertia_tools.sim.scene.joint_kind import JointKind, Turning
from inertia_tools.sim.solve.dry_friction import STIFFEST
from inertia_tools.sim.xpbd.joint_axes import axes_functions
from inertia_tools.sim.xpbd.joint_laws import HELD, LATE, LEFT, SPRUNG, law_functions
from inertia_tools.sim.xpbd.joint_rows import row_functions
from inertia_tools.sim.xpbd.joint_targets import target_functions
from inertia_tools.sim.xpbd.motion import motion_functions
from inertia_tools.sim.xpbd.places import place

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
    Bodies, Joints, Control, State, Options = p.references("Bodies", "Joints", "Control", "State", "Options")
    Work, JointWork, DofWork = p.references("Work", "JointWork", "DofWork")
    rows, laws = row_functions(p), law_functions(p)
    axes = axes_functions(p)
    load_child, load_parent = axes.load_child, axes.load_parent
    on_row, angular = axes.on_row, axes.angular
    is_hinge, axis_of_hinge, speed_of = rows.is_hinge, rows.axis_of_hinge, rows.speed_of
    replaced, masked, open_row = axes.replaced, axes.masked, axes.open_row
    measure, take, aim = rows.measure, rows.take, target_functions(p).aim
    speed_apart, speed_apart_before = rows.speed_apart, rows.speed_apart_before
    speed_in, state_speed = rows.speed_in, rows.state_speed
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
    left, held, sprung = (wp.constant(scalar(kind)) for kind in (LEFT, HELD, SPRUNG))
    late, stiffest = wp.constant(LATE), wp.constant(wp.float64(STIFFEST))
    wide_vec6 = precision("float64").vec6
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
    def are_known(joints: Joints, state: State, work: Work, j: int) -> bool:
        """Tell whether a joint's coordinates in the state are those that the last step has read of its bodies."""
        j = place(j)
        parent = joints.parent[j]
        same = bool(work.there[place(joints.child[j])] == 1 and joints.turning[j] != vector)
        if parent >= 0:
            same = same and work.there[parent] == 1
        first = place(joints.first_coordinate[j])
        for k in range(first, first + joints.dof_number[j]):
            same = same and state.joint_q[k] == state.joint_q_left[k]
        return same

    @wp.func
    def enter_joint(
        bodies: Bodies,
        joints: Joints,
        state: State,
        work: Work,
        jw: JointWork,
        dw: DofWork,
        options: Options,
        j: int,
    ):
        """Take a joint's coordinates from the state."""
        j = place(j)
        jw.wrench[j] = vec6()
        if joints.kind[j] != free:
            jw.known[j] = int(are_known(joints, state, work, j))
            jw.lively[j] = is_lively(joints, j)
            jw.heeded[j] = is_heeded(bodies, joints, j, jw.lively[j])
            jw.felt[j] = jw.heeded[j]
            jw.plain[j] = 1 - jw.heeded[j]
            jw.unsettled[j] = int(0)
            jw.left[j] = options.substeps
            if options.linear_compliance + options.angular_compliance > scalar(0.0):
                jw.felt[j] = int(1)
                jw.plain[j] = int(0)
            if options.reactions == 1:
                jw.felt[j] = int(1)
            jw.plain_row[j] = int(6)
            if joints.dof_number[j] > 0:
                jw.plain_row[j] = wp.where(joints.dof_number[j] == 1, joints.row[joints.first_dof[j]], 7)
            for k in range(joints.dof_number[j]):
                d = place(joints.first_dof[j] + k)
                dw.q[d] = scalar(0.0)
                dw.rate0[d] = scalar(0.0)
                dw.rate_end[d] = scalar(0.0)
                if joints.kind[j] != ball:
                    dw.q[d] = state.joint_q[joints.first_coordinate[j] + k]

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
        moved: int,
        h: scalar,
    ):
        """Take directions and rates of a joint from the present poses and momenta.

        Momenta are those of half a substep ago, so a rate is the mean of what the directions of now and of a substep
        ago read: on a parent that turns, either alone is off by half a substep of centripetal acceleration. `moved`
        tells whether bodies have moved since coordinates were noted.
        """
        j = place(j)
        jw.mask[j] = int(0)
        jw.acting[j] = int(acts(bodies, joints, j))
        if moved == 1:
            jw.known[j] = int(0)
        if jw.acting[j] == 1:
            freeze_rows(joints, work, jw, dw, j)
            work.r0[joints.child[j]] = work.r[joints.child[j]]
            aim(bodies, joints, control, state, work, jw, dw, j, first_substep, h)
            for k in range(joints.dof_number[j]):
                dw.q0[joints.first_dof[j] + k] = dw.q[joints.first_dof[j] + k]
            if jw.lively[j] == 1:
                apart = speed_apart(bodies, joints, work, jw, j)
                for k in range(joints.dof_number[j]):
                    d = place(joints.first_dof[j] + k)
                    now = on_row(jw, j, joints.row[d], apart)
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
        j = place(j)
        if jw.acting[j] == 1 and jw.lively[j] == 1:
            apart = speed_apart_before(bodies, joints, work, jw, j)
            for k in range(joints.dof_number[j]):
                d = place(joints.first_dof[j] + k)
                dw.rate_end[d] = on_row(jw, j, joints.row[d], apart)

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
        j = place(j)
        if joints.enabled[j] == 0 or joints.dof_number[j] == 0:
            return
        for k in range(joints.dof_number[j]):
            d = place(joints.first_dof[j] + k)
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
    def rub_row(joints: Joints, jw: JointWork, dw: DofWork, j: int, d: int, h: scalar):
        """Leave the dry friction of a degree of freedom to Newton's method; see `solve/dry_friction.py`."""
        row = joints.row[d]
        stiffness, way, bound = jw.rub_stiffness[j], jw.rub_way[j], jw.rub_bound[j]
        stiffness[row] = stiffest * wp.float64(dw.inertia[d] + joints.armature[d])
        way[row] = wp.float64(dw.q[d]) - wp.float64(dw.q0[d])
        bound[row] = wp.float64(joints.friction[d] * h * h)
        jw.rub_stiffness[j] = stiffness
        jw.rub_way[j] = way
        jw.rub_bound[j] = bound

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
    ) -> scalar:
        """Find which rows of a joint are held in this pass, and by what; return how far off they are [m, rad]."""
        j = place(j)
        if jw.acting[j] == 0:
            jw.open_row[j] = int(7)
            return scalar(0.0)
        if has_turned_far(joints, work, j):
            look(joints, work, jw, j)
        error = measure(joints, work, jw, dw, j, jw.heeded[j])
        jw.known[j] = wp.where(joints.turning[j] == vector, 0, jw.heeded[j])
        mask = int(joints.hard[j])
        if jw.plain[j] == 1:
            error = masked(error, mask)
            jw.open_row[j] = jw.plain_row[j]
            jw.error[j] = error
            jw.mask[j] = mask
            return farthest_off(error)
        jw.unsettled[j] = int(0)
        jw.rub_stiffness[j] = wide_vec6()
        compliance = vec6()
        if linear_compliance + angular_compliance > scalar(0.0):
            for i in range(6):
                if (joints.hard[j] & (int(1) << i)) != int(0):
                    compliance[i] = linear_compliance / (h * h)
                    if i > 2:
                        compliance[i] = angular_compliance / (h * h)
                    error[i] = error[i] + compliance[i] * jw.impulse[j][i]
            mask = mask | gives
        pushed = bool(False)
        first = joints.first_dof[j]
        if has_rotor(joints, j):
            apart = speed_apart_before(bodies, joints, work, jw, j)
            for k in range(joints.dof_number[j]):
                dw.read[first + k] = on_row(jw, j, joints.row[first + k], apart)
        for k in range(joints.dof_number[j]):
            row = joints.row[first + k]
            what = decide(joints, control, jw, dw, j, first + k, turn, h)
            if turn >= late and jw.lively[j] == 1 and what[0] != held and joints.friction[first + k] > scalar(0.0):
                mask = mask | gives
                rub_row(joints, jw, dw, j, first + k, h)
            error = replaced(error, row, what[1])
            if what[0] == left:
                if what[3] != scalar(0.0):
                    pushed = pushed or wp.abs(what[3]) > slight * wp.abs(jw.impulse[j][row])
                    push_row(bodies, joints, work, jw, j, row, what[3])
            else:
                mask = mask | (int(1) << row)
                if what[0] == sprung or (mask & gives) != int(0):
                    mask = mask | gives
                    compliance = replaced(compliance, row, what[2])
        error = masked(error, mask)
        jw.compliance[j] = compliance
        jw.mask[j] = mask
        jw.open_row[j] = open_row(mask, compliance)
        jw.error[j] = error
        return wp.where(pushed, scalar(1.0), farthest_off(error))

    @wp.func
    def sum_wrench(bodies: Bodies, joints: Joints, work: Work, jw: JointWork, j: int):
        """End a substep: add what the joint did to its child."""
        if acts(bodies, joints, j):
            note_wrench(joints, work, jw, j, load_child(jw, j, jw.impulse[j]))

    @wp.func
    def leave_law(joints: Joints, control: Control, dw: DofWork, state: State, d: int, half_back: scalar):
        """Give what acts on a degree of freedom back to the state, its rate of half a substep ago being given."""
        state.rate_turn[d] = dw.rate_end[d] - half_back
        state.joint_f_then[d] = control.joint_f[d]
        state.path_bend[d] = dw.path_bend[d]
        state.path_zigzag[d] = dw.path_zigzag[d]
        dw.goal[d] = control.target_pos[d]
        state.law_then[d] = linear_law(joints, control, dw, d)

    @wp.func
    def leave_hinge(
        bodies: Bodies,
        joints: Joints,
        control: Control,
        work: Work,
        jw: JointWork,
        dw: DofWork,
        state: State,
        j: int,
    ):
        """Do the same for a hinge, of which one direction is needed only."""
        d, at = place(joints.first_dof[j]), place(joints.first_coordinate[j])
        child, parent = place(joints.child[j]), joints.parent[j]
        axis = axis_of_hinge(joints, work, j)
        state.joint_q[at] = dw.q[d]
        state.joint_q_left[at] = dw.q[d]
        apart = state.qd[child]
        if parent >= 0:
            apart = apart - speed_in(bodies, state, work, parent)
        state.joint_qd[d] = wp.dot(axis, angular(apart))
        half_back = scalar(0.0)
        if jw.lively[j] == 1 and jw.acting[j] == 1:
            speed = speed_of(bodies, work, child, work.r[child])
            if parent >= 0:
                speed = speed - speed_of(bodies, work, parent, work.r[parent])
            half_back = wp.dot(axis, angular(speed))
        leave_law(joints, control, dw, state, d, half_back)

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
        moved: int,
    ):
        """Give a joint's coordinates back to the state, and the laws that its accelerations follow."""
        j = place(j)
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
            if moved == 1:
                jw.known[j] = int(0)
            take(joints, work, jw, dw, j)
            if is_hinge(joints, j):
                leave_hinge(bodies, joints, control, work, jw, dw, state, j)
                return
            look(joints, work, jw, j)
            if joints.kind[j] == ball:
                turn = relative_turn(joints, work, j)
                for k in range(4):
                    state.joint_q[at + k] = turn[k]
            half_back = vec6()
            if jw.lively[j] == 1 and jw.acting[j] == 1:
                half_back = speed_apart(bodies, joints, work, jw, j)
            apart = state_speed(bodies, joints, state, work, jw, j)
            for k in range(joints.dof_number[j]):
                d = first + k
                row = joints.row[d]
                if joints.kind[j] != ball:
                    state.joint_q[at + k] = dw.q[d]
                    state.joint_q_left[at + k] = dw.q[d]
                state.joint_qd[d] = on_row(jw, j, row, apart)
                leave_law(joints, control, dw, state, d, on_row(jw, j, row, half_back))

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
