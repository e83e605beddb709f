# SPDX-FileCopyrightText: The inertia_tools authors
# SPDX-License-Identifier: Apache-2.0
"""Conversion of joints between a state and the arrays that a step works in."""

from functools import lru_cache
from types import SimpleNamespace
from typing import Any

import warp as wp

from inertia_tools.sim.constraints.joint_laws import joint_law_functions
from inertia_tools.sim.constraints.joint_rows import joint_row_functions
from inertia_tools.sim.constraints.joint_targets import target_functions
from inertia_tools.sim.constraints.joints import joint_functions
from inertia_tools.sim.kernels.joint_axes import axes_functions
from inertia_tools.sim.kernels.nonnegative_index import nonnegative_index
from inertia_tools.sim.kernels.precision import Precision
from inertia_tools.sim.kernels.scene_types import scene_type
from inertia_tools.sim.scene.joint_kind import JointKind, Turning


@lru_cache(maxsize=2)
def joint_state_functions(p: Precision) -> Any:
    """Return the device functions of one precision."""
    Scene = wp.ref[scene_type(p)]
    scalar, vec6 = p.scalar, p.vec6
    Joint, Dof, Options = p.references("Joint", "Dof", "Options")
    rows, laws, axes = joint_row_functions(p), joint_law_functions(p), axes_functions(p)
    on_row, angular = axes.on_row, axes.angular
    needs_any_rate, needs_any_coordinate, law_of = laws.needs_any_rate, laws.needs_any_coordinate, laws.law_of
    read_coordinates, update_directions = rows.read_coordinates, rows.update_directions
    relative_turn, dynamic_body_of = rows.relative_turn, rows.dynamic_body_of
    is_hinge, axis_of_hinge, speed_of = rows.is_hinge, rows.axis_of_hinge, rows.speed_of
    relative_speed, speed_in, relative_speed_of_state = rows.relative_speed, rows.speed_in, rows.relative_speed_of_state
    turned_by, packed_pieces = joint_functions(p).turned_by, joint_functions(p).packed_pieces
    find_targets = target_functions(p).find_targets
    free, ball = wp.constant(int(JointKind.FREE)), wp.constant(int(JointKind.BALL))
    vector = wp.constant(int(Turning.VECTOR))

    @wp.func
    def are_coordinates_current(scene: Scene, j: int) -> bool:
        """Return whether a joint's coordinates in the state are those that the last step computed from its bodies."""
        j = nonnegative_index(j)
        parent = scene.joints.parent[j]
        same = bool(
            scene.body[nonnegative_index(scene.joints.child[j])].pose_unchanged == 1
            and scene.joints.turning[j] != vector
        )
        if parent >= 0:
            same = same and scene.body[parent].pose_unchanged == 1
        first = nonnegative_index(scene.joints.first_coordinate[j])
        for k in range(first, first + scene.joints.dof_number[j]):
            same = same and scene.state_in.joint_q[k] == scalar(scene.state_in.joint_q_last[k])
        return same

    @wp.func
    def read_joint(scene: Scene, options: Options, j: int):
        """Read a joint's coordinates from the state."""
        j = nonnegative_index(j)
        scene.joint[j].wrench = vec6()
        if scene.joints.kind[j] != free:
            scene.joint[j].is_current = int(are_coordinates_current(scene, j))
            scene.joint[j].needs_rate = needs_any_rate(scene.joints, j)
            scene.joint[j].needs_coordinate = needs_any_coordinate(scene, j, scene.joint[j].needs_rate)
            scene.joint[j].needs_impulse = scene.joint[j].needs_coordinate
            scene.joint[j].has_constant_rows = 1 - scene.joint[j].needs_coordinate
            scene.joint[j].active_set_changed = int(0)
            if options.linear_compliance + options.angular_compliance > scalar(0.0):
                scene.joint[j].needs_impulse = int(1)
                scene.joint[j].has_constant_rows = int(0)
            if options.reactions == 1:
                scene.joint[j].needs_impulse = int(1)
            for k in range(scene.joints.dof_number[j]):
                d = nonnegative_index(scene.joints.first_dof[j] + k)
                scene.dof[d].q = wp.float64(0.0)
                scene.dof[d].rate0 = scalar(0.0)
                scene.dof[d].rate_end = scalar(0.0)
                scene.dof[d].axis_correction = scalar(0.0)
                if scene.joints.kind[j] != ball:
                    scene.dof[d].q = wp.float64(scene.state_in.joint_q[scene.joints.first_coordinate[j] + k])
                    if scene.joint[j].is_current == 1:
                        scene.dof[d].q = scene.state_in.joint_q_last[scene.joints.first_coordinate[j] + k]

    @wp.func
    def report_wrench(scene: Scene, joint: Joint, j: int, per_impulse: scalar):
        """Add the mean wrench of a joint on its child over the step to the state."""
        child = scene.joints.child[j]
        scene.state_out.parent_f[child] = scene.state_out.parent_f[child] + per_impulse * turned_by(
            scene.body[child].r, joint.wrench
        )

    @wp.func
    def write_law(scene: Scene, dof: Dof, d: int, rate_half_back: scalar):
        """Write the laws of a degree of freedom to the state, with its rate half a substep before."""
        scene.state_out.axis_rate_change[d] = dof.rate_end - rate_half_back
        scene.state_out.axis_correction[d] = dof.axis_correction
        scene.state_out.joint_f_last[d] = scene.control.joint_f[d]
        scene.state_out.path_acceleration[d] = dof.path_acceleration
        scene.state_out.path_acceleration_change[d] = dof.path_acceleration_change
        scene.state_out.law_last[d] = law_of(scene, dof, d)
        scene.state_out.pieces_last[d] = packed_pieces(dof)

    @wp.func
    def write_hinge(scene: Scene, j: int):
        """Do the same as `write_joint` for a hinge, which needs one direction only."""
        d, at = nonnegative_index(scene.joints.first_dof[j]), nonnegative_index(scene.joints.first_coordinate[j])
        child, parent = nonnegative_index(scene.joints.child[j]), scene.joints.parent[j]
        axis = axis_of_hinge(scene, j)
        scene.state_out.joint_q[at] = scalar(scene.dof[d].q)
        scene.state_out.joint_q_last[at] = scene.dof[d].q
        relative = scene.state_out.qd[child]
        if parent >= 0:
            relative = relative - speed_in(scene.bodies, scene.state_out, scene.body[parent], parent)
        scene.state_out.joint_qd[d] = wp.dot(axis, angular(relative))
        rate_half_back = scalar(0.0)
        if scene.joint[j].needs_rate == 1 and scene.joint[j].is_active == 1:
            speed = speed_of(scene.bodies, scene.body[child], child, scene.body[child].r)
            if parent >= 0:
                speed = speed - speed_of(scene.bodies, scene.body[parent], parent, scene.body[parent].r)
            rate_half_back = wp.dot(axis, angular(speed))
        write_law(scene, scene.dof[d], d, rate_half_back)

    @wp.func
    def write_joint(scene: Scene, j: int, moved: int):
        """Write a joint's coordinates and rates to the state, and the laws that its accelerations depend on."""
        j = nonnegative_index(j)
        first, at = scene.joints.first_dof[j], scene.joints.first_coordinate[j]
        child = scene.joints.child[j]
        scene.state_out.held_last[j] = scene.joint[j].is_active
        if wp.length_sq(scene.joint[j].allowed_gap) > scalar(0.0):
            scene.state_out.closes_joint[dynamic_body_of(scene, j)] = 1
        if scene.joints.kind[j] == free:
            q = scene.state_out.q[child]
            x, r = wp.transform_get_translation(q), wp.transform_get_rotation(q)
            for k in range(3):
                scene.state_out.joint_q[at + k] = x[k]
            for k in range(4):
                scene.state_out.joint_q[at + 3 + k] = r[k]
            for k in range(6):
                scene.state_out.joint_qd[first + k] = scene.state_out.qd[child][k]
                scene.state_out.joint_f_last[first + k] = scene.control.joint_f[first + k]
        elif scene.joints.dof_number[j] > 0:
            if moved == 1:
                scene.joint[j].is_current = int(0)
            read_coordinates(scene, j)
            find_targets(scene, j)
            if is_hinge(scene.joints, j):
                write_hinge(scene, j)
                return
            update_directions(scene, scene.joint[j], j)
            if scene.joints.kind[j] == ball:
                turn = relative_turn(scene, j)
                for k in range(4):
                    scene.state_out.joint_q[at + k] = scalar(turn[k])
            rate_half_back = vec6()
            if scene.joint[j].needs_rate == 1 and scene.joint[j].is_active == 1:
                rate_half_back = relative_speed(scene, scene.joint[j], j)
            relative = relative_speed_of_state(scene, scene.state_out, scene.joint[j], j)
            for k in range(scene.joints.dof_number[j]):
                d = first + k
                row = scene.joints.row[d]
                if scene.joints.kind[j] != ball:
                    scene.state_out.joint_q[at + k] = scalar(scene.dof[d].q)
                    scene.state_out.joint_q_last[at + k] = scene.dof[d].q
                scene.state_out.joint_qd[d] = on_row(scene.joint[j], row, relative)
                write_law(scene, scene.dof[d], d, on_row(scene.joint[j], row, rate_half_back))

    return SimpleNamespace(read_joint=read_joint, report_wrench=report_wrench, write_joint=write_joint)
