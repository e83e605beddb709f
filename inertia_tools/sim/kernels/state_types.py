# SPDX-FileCopyrightText: The inertia_tools authors
# SPDX-License-Identifier: Apache-2.0
"""Warp structures that persist from step to step: states, drive commands, and contact memory."""

from typing import Any

import warp as wp

from inertia_tools.sim.kernels.number_types import NumberTypes, number_types


def state_types(n: NumberTypes) -> dict[str, Any]:
    """Return the structures of one precision, by their names."""
    scalar, vec3, vec4, vec6, quat, transform = n.scalar, n.vec3, n.vec4, n.vec6, n.quat, n.transform
    vec6d, mat66d = number_types("float64").vec6, number_types("float64").mat66

    @wp.struct
    class State:
        """State of bodies and joints, and the memory of the solver.

        `_last` are quantities at the end of the last step, of which q, qd and joint_q are copies for users.
        """

        q: wp.array(dtype=transform)
        qd: wp.array(dtype=vec6)
        qdd: wp.array(dtype=vec6)  # acceleration [m/s^2] and torque [N m], the mean of the last half substep
        f: wp.array(dtype=vec6)  # applied force [N] and torque about the centre of mass [N m], world axes
        joint_q: wp.array(dtype=scalar)  # joint coordinates, turns counted [rad or m]; quaternions x, y, z, w
        joint_qd: wp.array(dtype=scalar)  # one entry a dof [rad/s or m/s]
        f_last: wp.array(dtype=vec6)  # `f` of the last step
        particle_wrench: wp.array(dtype=vec6)  # wrench of particles on a body throughout the next substep
        near_particles: wp.array(dtype=wp.int32)  # 1 if particles are near or attached; 2 if `mobility` is known too
        mobility: wp.array(dtype=mat66d)  # of bodies with joints or contacts; see `solve/mobility.py`
        coupling: wp.array(dtype=mat66d)  # the same between two bodies of a cluster, one entry a pair
        expected_gain: wp.array(dtype=vec6d)  # velocity change expected in the next substep, if as long as the last one
        fall_last: wp.array(dtype=vec3)  # gravity of the last step [m/s^2]
        joint_q_last: wp.array(dtype=wp.float64)  # coordinates at the end of the last step, valid while poses are
        joint_f_last: wp.array(dtype=scalar)  # applied effort of the last step
        axis_rate_change: wp.array(dtype=scalar)  # change of a rate by the last rotation of its direction
        axis_correction: wp.array(dtype=scalar)  # half of its prediction; see `Dof.axis_correction`
        path_acceleration: wp.array(dtype=scalar)  # mean acceleration of a rigid target over the last step
        path_acceleration_change: wp.array(dtype=scalar)  # minus that of the step before
        law_last: wp.array(dtype=vec4)  # (x, y, z, f) of the effort x - y position - z velocity + sliding friction f
        pieces_last: wp.array(dtype=wp.int32)  # pieces of a dof's laws in the last substep; see `packed_pieces`
        held_last: wp.array(dtype=wp.int32)  # one entry a joint: it acted in the last step
        parent_f: wp.array(dtype=vec6)  # mean joint wrench on each body over the step [N, N m]
        q_last: wp.array(dtype=transform)  # what follows is valid while q and qd still equal these two
        qd_last: wp.array(dtype=vec6)
        kinematic_rate: wp.array(dtype=vec6)  # velocity of a kinematic body at the end of the last step
        kinematic_acceleration: wp.array(dtype=vec6)  # its mean acceleration over that step
        kinematic_acceleration_change: wp.array(dtype=vec6)  # minus that of the step before
        motion_source: wp.array(dtype=wp.int32)  # what moved it: a `MotionSource`
        x_last: wp.array(dtype=vec3)  # centre of mass, and its rounding error
        x_low_last: wp.array(dtype=vec3)
        r_low_last: wp.array(dtype=quat)
        v_last: wp.array(dtype=vec3)  # momenta half a substep before the pose
        v_low_last: wp.array(dtype=vec3)
        spin_last: wp.array(dtype=vec3)
        spin_low_last: wp.array(dtype=vec3)
        v_before_last: wp.array(dtype=vec3)  # momenta a substep before those
        spin_before_last: wp.array(dtype=vec3)
        h_last: wp.array(dtype=scalar)  # length of the last substep, and of the one before it; zero before any step
        h_before_last: wp.array(dtype=scalar)
        nominal_h_last: wp.array(dtype=scalar)  # length of the substeps of that step where none is shortened
        impact_flags_last: wp.array(dtype=wp.int32)  # as `Body.impact_flags`
        closes_joint: wp.array(dtype=wp.int32)  # a joint of it began apart, and has not closed yet
        version_last: wp.array(dtype=wp.int32)
        rest: wp.array(
            dtype=scalar
        )  # length of steps that leave it at rest [s]; before that, minus their number so far
        rest_stamp: wp.array(dtype=wp.int64)  # step in which it came to rest (`Islands.stamps`)
        rest_signature: wp.array(dtype=wp.int32)  # hash of the contacts and joints of its island at rest
        rest_drive: wp.array(dtype=vec4)  # parameters of a dof's laws at rest (`step/rest.py`), with the next three
        rest_gains: wp.array(dtype=vec4)
        rest_limits: wp.array(dtype=vec4)
        rest_others: wp.array(dtype=vec4)

    @wp.struct
    class Control:
        """One entry a dof: targets of drives, and applied efforts."""

        target_pos: wp.array(dtype=scalar)
        target_vel: wp.array(dtype=scalar)
        joint_f: wp.array(dtype=scalar)

    @wp.struct
    class Contacts:
        """Memory of contacts from step to step: one slot for each feature of each pair."""

        has_row: wp.array(dtype=wp.int32)  # in this step
        slip: wp.array(dtype=vec3)  # tangential displacement since sticking began, zero while it slides
        lambda_n: wp.array(dtype=scalar)  # normal multiplier of the last substep [kg m]
        slides: wp.array(dtype=wp.int32)  # it slid in the last substep
        residual_slip: wp.array(dtype=vec3)  # slip at its end, whether the contact sticks or slides
        angle: wp.array(dtype=vec3)  # rotation since torsional and rolling friction began to stick [rad]
        lambda_t: wp.array(dtype=vec3)  # tangential multiplier of the last substep [kg m]
        rest_mu: wp.array(dtype=vec3)  # friction at rest: sliding, torsional [m], rolling [m]
        rest_stamp: wp.array(dtype=wp.int64)  # as `State.rest_stamp`
        force: wp.array(dtype=vec3)  # mean over the step, on the first body [N]
        torque: wp.array(dtype=vec3)  # mean torque about the contact's point [N m]
        point: wp.array(dtype=vec3)
        normal: wp.array(dtype=vec3)  # from the solid towards the feature
        depth: wp.array(dtype=scalar)

    return {"State": State, "Control": Control, "Contacts": Contacts}
