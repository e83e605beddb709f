# SPDX-FileCopyrightText: The inertia_tools authors
# SPDX-License-Identifier: Apache-2.0
"""What a step takes of the state of joints, and what it leaves there."""

from functools import lru_cache
from types import SimpleNamespace
from typing import Any

import warp as wp

from inertia_tools.sim.constraints.joint_laws import law_functions
from inertia_tools.sim.constraints.joint_rows import row_functions
from inertia_tools.sim.constraints.joint_targets import target_functions
from inertia_tools.sim.constraints.joints import joint_functions
from inertia_tools.sim.kernels.joint_axes import axes_functions
from inertia_tools.sim.kernels.nonnegative_index import nonnegative_index
from inertia_tools.sim.kernels.precision import Precision
from inertia_tools.sim.scene.joint_kind import JointKind, Turning


@lru_cache(maxsize=2)
def joint_state_functions(p: Precision) -> Any:
    """Return the device functions of one precision."""
    scalar, vec6 = p.scalar, p.vec6
    Bodies, Joints, Control, State, Work = p.references("Bodies", "Joints", "Control", "State", "Work")
    JointWork, Joint, Dof, Options = p.references("JointWork", "Joint", "Dof", "Options")
    rows, laws, axes = row_functions(p), law_functions(p), axes_functions(p)
    on_row, angular = axes.on_row, axes.angular
    needs_any_rate, is_heeded, law_of = laws.needs_any_rate, laws.is_heeded, laws.law_of
    take, look, relative_turn = rows.take, rows.look, rows.relative_turn
    is_hinge, axis_of_hinge, speed_of = rows.is_hinge, rows.axis_of_hinge, rows.speed_of
    speed_apart, speed_in, state_speed = rows.speed_apart, rows.speed_in, rows.state_speed
    turned_by, find_goals = joint_functions(p).turned_by, target_functions(p).find_goals
    free, ball = wp.constant(int(JointKind.FREE)), wp.constant(int(JointKind.BALL))
    vector = wp.constant(int(Turning.VECTOR))

    @wp.func
    def are_known(joints: Joints, state: State, work: Work, j: int) -> bool:
        """Tell whether a joint's coordinates in the state are those that the last step has read of its bodies."""
        j = nonnegative_index(j)
        parent = joints.parent[j]
        same = bool(work.body[nonnegative_index(joints.child[j])].there == 1 and joints.turning[j] != vector)
        if parent >= 0:
            same = same and work.body[parent].there == 1
        first = nonnegative_index(joints.first_coordinate[j])
        for k in range(first, first + joints.dof_number[j]):
            same = same and state.joint_q[k] == scalar(state.joint_q_left[k])
        return same

    @wp.func
    def enter_joint(
        bodies: Bodies,
        joints: Joints,
        state: State,
        work: Work,
        jw: JointWork,
        options: Options,
        j: int,
    ):
        """Take a joint's coordinates from the state."""
        j = nonnegative_index(j)
        jw.joint[j].wrench = vec6()
        if joints.kind[j] != free:
            jw.joint[j].known = int(are_known(joints, state, work, j))
            jw.joint[j].needs_rate = needs_any_rate(joints, j)
            jw.joint[j].heeded = is_heeded(bodies, joints, j, jw.joint[j].needs_rate)
            jw.joint[j].felt = jw.joint[j].heeded
            jw.joint[j].plain = 1 - jw.joint[j].heeded
            jw.joint[j].unsettled = int(0)
            if options.linear_compliance + options.angular_compliance > scalar(0.0):
                jw.joint[j].felt = int(1)
                jw.joint[j].plain = int(0)
            if options.reactions == 1:
                jw.joint[j].felt = int(1)
            for k in range(joints.dof_number[j]):
                d = nonnegative_index(joints.first_dof[j] + k)
                jw.dof[d].q = wp.float64(0.0)
                jw.dof[d].rate0 = scalar(0.0)
                jw.dof[d].rate_end = scalar(0.0)
                if joints.kind[j] != ball:
                    jw.dof[d].q = wp.float64(state.joint_q[joints.first_coordinate[j] + k])
                    if jw.joint[j].known == 1:
                        jw.dof[d].q = state.joint_q_left[joints.first_coordinate[j] + k]

    @wp.func
    def report_wrench(joints: Joints, work: Work, joint: Joint, state: State, j: int, per_impulse: scalar):
        """Add the mean of what a joint did to its child over the step to the state."""
        child = joints.child[j]
        state.parent_f[child] = state.parent_f[child] + per_impulse * turned_by(work.body[child].r, joint.wrench)

    @wp.func
    def leave_law(joints: Joints, control: Control, dof: Dof, state: State, d: int, half_back: scalar):
        """Give what acts on a degree of freedom back to the state, its rate of half a substep ago being given."""
        state.rate_turn[d] = dof.rate_end - half_back
        state.joint_f_then[d] = control.joint_f[d]
        state.path_bend[d] = dof.path_bend
        state.path_zigzag[d] = dof.path_zigzag
        state.law_then[d] = law_of(joints, control, dof, d)

    @wp.func
    def leave_hinge(
        bodies: Bodies,
        joints: Joints,
        control: Control,
        work: Work,
        jw: JointWork,
        state: State,
        j: int,
    ):
        """Do the same for a hinge, of which one direction is needed only."""
        d, at = nonnegative_index(joints.first_dof[j]), nonnegative_index(joints.first_coordinate[j])
        child, parent = nonnegative_index(joints.child[j]), joints.parent[j]
        axis = axis_of_hinge(joints, work, j)
        state.joint_q[at] = scalar(jw.dof[d].q)
        state.joint_q_left[at] = jw.dof[d].q
        apart = state.qd[child]
        if parent >= 0:
            apart = apart - speed_in(bodies, state, work.body[parent], parent)
        state.joint_qd[d] = wp.dot(axis, angular(apart))
        half_back = scalar(0.0)
        if jw.joint[j].needs_rate == 1 and jw.joint[j].acting == 1:
            speed = speed_of(bodies, work.body[child], child, work.body[child].r)
            if parent >= 0:
                speed = speed - speed_of(bodies, work.body[parent], parent, work.body[parent].r)
            half_back = wp.dot(axis, angular(speed))
        leave_law(joints, control, jw.dof[d], state, d, half_back)

    @wp.func
    def leave_joint(
        bodies: Bodies,
        joints: Joints,
        control: Control,
        work: Work,
        jw: JointWork,
        state: State,
        j: int,
        moved: int,
    ):
        """Give a joint's coordinates back to the state, and the laws that its accelerations follow."""
        j = nonnegative_index(j)
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
                jw.joint[j].known = int(0)
            take(joints, work, jw, j)
            find_goals(joints, control, jw, j)
            if is_hinge(joints, j):
                leave_hinge(bodies, joints, control, work, jw, state, j)
                return
            look(joints, work, jw.joint[j], j)
            if joints.kind[j] == ball:
                turn = relative_turn(joints, work, j)
                for k in range(4):
                    state.joint_q[at + k] = scalar(turn[k])
            half_back = vec6()
            if jw.joint[j].needs_rate == 1 and jw.joint[j].acting == 1:
                half_back = speed_apart(bodies, joints, work, jw.joint[j], j)
            apart = state_speed(bodies, joints, state, work, jw.joint[j], j)
            for k in range(joints.dof_number[j]):
                d = first + k
                row = joints.row[d]
                if joints.kind[j] != ball:
                    state.joint_q[at + k] = scalar(jw.dof[d].q)
                    state.joint_q_left[at + k] = jw.dof[d].q
                state.joint_qd[d] = on_row(jw.joint[j], row, apart)
                leave_law(joints, control, jw.dof[d], state, d, on_row(jw.joint[j], row, half_back))

    return SimpleNamespace(enter_joint=enter_joint, report_wrench=report_wrench, leave_joint=leave_joint)
