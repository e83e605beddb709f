# SPDX-FileCopyrightText: The inertia_tools authors
# SPDX-License-Identifier: Apache-2.0
"""Efforts of drives at a state, by their laws."""

from functools import lru_cache
from typing import Any

import warp as wp

from inertia_tools.kernel_loading import MODULE_OPTIONS
from inertia_tools.sim.constraints.joint_targets import target_functions
from inertia_tools.sim.kernels.precision import Precision
from inertia_tools.sim.scene.joint_kind import JointKind


@lru_cache(maxsize=2)
def drive_effort_kernel(p: Precision) -> Any:
    """Return the kernel of one precision; it is launched with one thread a joint."""
    scalar, vec3, quat = p.scalar, p.vec3, p.quat
    rotation_to_target = target_functions(p).rotation_to_target
    Joints, Control = p.Joints, p.Control
    free, ball = wp.constant(int(JointKind.FREE)), wp.constant(int(JointKind.BALL))
    zero = wp.constant(scalar(0.0))

    @wp.func
    def remaining_rotation(joints: Joints, control: Control, joint_q: wp.array(dtype=scalar), j: int) -> vec3:
        """Return the rotation vector from the orientation of a ball joint to its target [rad]."""
        at, d = joints.first_coordinate[j], joints.first_dof[j]
        now = quat(joint_q[at], joint_q[at + 1], joint_q[at + 2], joint_q[at + 3])
        return rotation_to_target(
            now, vec3(control.target_pos[d], control.target_pos[d + 1], control.target_pos[d + 2])
        )

    @wp.kernel(module="unique", module_options=MODULE_OPTIONS)
    def find_drive_efforts(
        joints: Joints,
        control: Control,
        joint_q: wp.array(dtype=scalar),
        joint_qd: wp.array(dtype=scalar),
        efforts: wp.array(dtype=scalar),
    ):
        """Write stiffness (target - q) + damping (target rate - dq/dt), within the limit of each drive.

        The difference is a rotation where a joint turns any way, as for the solver.
        """
        j = wp.tid()
        if joints.kind[j] == free:
            return
        turn = vec3()
        if joints.kind[j] == ball:
            turn = remaining_rotation(joints, control, joint_q, j)
        for k in range(joints.dof_number[j]):
            d = joints.first_dof[j] + k
            remaining = scalar(turn[k % 3])
            if joints.kind[j] != ball:
                remaining = control.target_pos[d] - joint_q[joints.first_coordinate[j] + k]
            law = joints.target_ke[d] * remaining
            law += joints.target_kd[d] * (control.target_vel[d] - joint_qd[d])
            if joints.enabled[j] == 0:
                law = zero
            elif wp.isinf(joints.target_ke[d]):
                law = wp.static(scalar(float("nan")))
            else:
                law = wp.clamp(law, -joints.effort_limit[d], joints.effort_limit[d])
            efforts[d] = law

    return find_drive_efforts
