# SPDX-FileCopyrightText: The inertia_tools authors
# SPDX-License-Identifier: Apache-2.0
"""Warp structures of what goes from step to step: states, drives, and what contacts hold."""

from typing import Any

import warp as wp

from inertia_tools.sim.kernels.number_types import NumberTypes, number_types


def state_types(n: NumberTypes) -> dict[str, Any]:
    """Return the structures of one precision, by their names."""
    scalar, vec3, vec4, vec6, quat, transform = n.scalar, n.vec3, n.vec4, n.vec6, n.quat, n.transform
    vec6d, mat66d = number_types("float64").vec6, number_types("float64").mat66

    @wp.struct
    class State:
        """Pose of each body's frame, velocity of its centre of mass and angular velocity, and their rates."""

        q: wp.array(dtype=transform)
        qd: wp.array(dtype=vec6)
        qdd: wp.array(dtype=vec6)  # acceleration [m/s^2] and torque [N m], the mean of the last half substep
        f: wp.array(dtype=vec6)  # applied force [N] and torque about the centre of mass [N m], world axes
        joint_q: wp.array(dtype=scalar)  # coordinates of the joints, turns counted [rad or m]; quaternions x, y, z, w
        joint_qd: wp.array(dtype=scalar)  # one entry a dof [rad/s or m/s]
        f_then: wp.array(dtype=vec6)  # `f` that is part of `qdd`
        pushed: wp.array(dtype=vec6)  # what particles push a body with, all through the next substep
        near_particles: wp.array(dtype=wp.int32)  # 1 where some are, or tied to it; 2 where `mobility` is known besides
        mobility: wp.array(dtype=mat66d)  # of what joints or contacts hold; see `solve/mobility.py`
        gains: wp.array(dtype=vec6d)  # velocity that it is to gain in the next substep, as long as the last one
        fall_then: wp.array(dtype=vec3)  # free fall that is part of it [m/s^2]
        joint_q_left: wp.array(dtype=wp.float64)  # as the last step left it; need not be read where bodies are too
        joint_f_then: wp.array(dtype=scalar)  # effort that is part of it
        rate_turn: wp.array(dtype=scalar)  # how much the last turn of the directions has changed the rate they read
        rate_lead: wp.array(dtype=scalar)  # half of what that was taken to be before it was known
        path_bend: wp.array(dtype=scalar)  # mean acceleration of a rigid target over the last step
        path_change: wp.array(dtype=scalar)  # how much it differed from that of the step before
        law_then: wp.array(dtype=vec4)  # effort = x - y position - z velocity + f, f being friction that slides
        parent_f: wp.array(dtype=vec6)  # mean over the step of what joints do to each child [N, N m]; one a body
        q_left: wp.array(dtype=transform)  # q and qd as the last step left them: while they are, what follows holds
        qd_left: wp.array(dtype=vec6)
        led_rate: wp.array(dtype=vec6)  # velocity of a kinematic body at the end of the last step
        led_bend: wp.array(dtype=vec6)  # its acceleration over that
        led_change: wp.array(dtype=vec6)  # how much that differed from the one before
        led_by: wp.array(dtype=wp.int32)  # what moved it; see `Lead`
        x_left: wp.array(dtype=vec3)  # centre of mass, and what rounding leaves out of it
        x_low_left: wp.array(dtype=vec3)
        r_low_left: wp.array(dtype=quat)
        v_left: wp.array(dtype=vec3)  # half a substep before q
        v_low_left: wp.array(dtype=vec3)
        spin_left: wp.array(dtype=vec3)
        spin_low_left: wp.array(dtype=vec3)
        v_before_left: wp.array(dtype=vec3)  # a substep before those
        spin_before_left: wp.array(dtype=vec3)
        h_left: wp.array(dtype=scalar)  # length of that substep, and of the one before it
        h_before_left: wp.array(dtype=scalar)
        whole_left: wp.array(dtype=scalar)  # length of the substeps of that step where none is shortened
        blows_left: wp.array(dtype=wp.int32)  # as `Body.blows`
        closing: wp.array(dtype=wp.int32)  # a joint that holds it started apart, and still is
        version_left: wp.array(dtype=wp.int32)
        rest: wp.array(dtype=scalar)  # length of the steps that leave it at rest [s], or minus how many did so far
        rest_stamp: wp.array(dtype=wp.int64)  # step in which it came to rest (`Islands.stamps`)
        rest_sum: wp.array(dtype=wp.int32)  # number of what bears and holds its island at rest
        drive_then: wp.array(dtype=vec4)  # what acted on a dof at rest (`step/rest.py`), with the next three
        gains_then: wp.array(dtype=vec4)
        limits_then: wp.array(dtype=vec4)
        others_then: wp.array(dtype=vec4)

    @wp.struct
    class Control:
        """One entry a dof: what drives aim at, and efforts to add."""

        target_pos: wp.array(dtype=scalar)
        target_vel: wp.array(dtype=scalar)
        joint_f: wp.array(dtype=scalar)

    @wp.struct
    class Contacts:
        """What stays from step to step: one slot for each feature of each pair."""

        close: wp.array(dtype=wp.int32)  # it has a row in this step
        slip: wp.array(dtype=vec3)  # tangential displacement still to be taken back, kept while the contact sticks
        load: wp.array(dtype=scalar)  # normal impulse of the last substep, times its length [kg m]
        slides: wp.array(dtype=wp.int32)  # it slid in the last substep
        left: wp.array(dtype=vec3)  # slip that was left in its end
        turn: wp.array(dtype=vec3)  # angle still to be taken back by torsional and rolling friction [rad]
        lambda_t: wp.array(dtype=vec3)  # impulse of friction of the last substep [kg m]
        mu_then: wp.array(dtype=vec3)  # friction at rest: sliding, torsional [m], rolling [m]
        rest_stamp: wp.array(dtype=wp.int64)  # as `State.rest_stamp`, of what it bears at rest
        force: wp.array(dtype=vec3)  # mean over the step, on the body of the features [N]
        torque: wp.array(dtype=vec3)  # the same of the torque about the point of contact [N m]
        point: wp.array(dtype=vec3)
        normal: wp.array(dtype=vec3)  # from the solid towards the feature
        depth: wp.array(dtype=scalar)

    return {"State": State, "Control": Control, "Contacts": Contacts}
