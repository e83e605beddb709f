# SPDX-FileCopyrightText: The inertia_tools authors
# SPDX-License-Identifier: Apache-2.0
"""The efforts of drives at a state, by their laws."""

from functools import lru_cache
from typing import Any

import warp as wp

from inertia_tools.kernel_loading import MODULE_OPTIONS
from inertia_tools.sim.device.precision import Precision
from inertia_tools.sim.scene.joint_kind import JointKind


@lru_cache(maxsize=2)
def drive_effort_kernel(p: Precision) -> Any:
    """Return the kernel of one precision; it is launched with one thread a joint."""
    scalar, vec3 = p.scalar, p.vec3
    Joints, Control = p.Joints, p.Control
    free, ball = wp.constant(int(JointKind.FREE)), wp.constant(int(JointKind.BALL))
    zero = wp.constant(scalar(0.0))

    @wp.func
    def turn_of_ball(joint_q: wp.array(dtype=scalar), at: int) -> vec3:
        """Return the rotation vector of a quaternion x, y, z, w, of no more than half a turn [rad]."""
        v = vec3(joint_q[at], joint_q[at + 1], joint_q[at + 2])
        sine, cosine = wp.length(v), scalar(joint_q[at + 3])
        if sine == zero:
            return vec3()
        half = wp.atan2(sine, wp.abs(cosine))
        return wp.where(cosine < zero, scalar(-2.0), scalar(2.0)) * half / sine * v

    @wp.kernel(module="unique", module_options=MODULE_OPTIONS)
    def find_drive_efforts(
        joints: Joints,
        control: Control,
        joint_q: wp.array(dtype=scalar),
        joint_qd: wp.array(dtype=scalar),
        efforts: wp.array(dtype=scalar),
    ):
        """Write stiffness (target - q) + damping (target rate - dq/dt), within the limit of each drive."""
        j = wp.tid()
        if joints.kind[j] == free:
            return
        turn = vec3()
        if joints.kind[j] == ball:
            turn = turn_of_ball(joint_q, joints.first_coordinate[j])
        for k in range(joints.dof_number[j]):
            d = joints.first_dof[j] + k
            q = scalar(turn[k % 3])
            if joints.kind[j] != ball:
                q = joint_q[joints.first_coordinate[j] + k]
            law = joints.target_ke[d] * (control.target_pos[d] - q)
            law += joints.target_kd[d] * (control.target_vel[d] - joint_qd[d])
            if joints.enabled[j] == 0:
                law = zero
            elif wp.isinf(joints.target_ke[d]):
                law = wp.static(scalar(float("nan")))
            else:
                law = wp.clamp(law, -joints.effort_limit[d], joints.effort_limit[d])
            efforts[d] = law

    return find_drive_efforts
