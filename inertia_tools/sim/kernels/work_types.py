# SPDX-FileCopyrightText: The inertia_tools authors
# SPDX-License-Identifier: Apache-2.0
"""Warp structures that a step works in: contact rows, substep data of bodies and joints, the Hessian, and settings.

Symbols are those of docs/solver.md: d is a displacement, L a multiplier scaled by the substep squared (an impulse times
the substep's length), K a stiffness scaled likewise.
"""

from typing import Any

import warp as wp

from inertia_tools.sim.kernels.number_types import NumberTypes, number_types

KRYLOV_COLUMNS = 12
"""Columns of the Krylov basis in which GMRES solves for friction bounds (`solve.friction_bounds`)."""

ROW_BITS, COMPLIANT = 63, 64
"""Bits of `Joint.mask`: one for each of the six rows, and one that is set where some row is compliant."""

SOLVE_BINS = 256
"""Bins of the solve log for the Newton steps of a substep; the last bin counts all larger numbers."""

RESIDUAL_BINS, LEAST_DECADE = 16, -12
"""Bins of the solve log for the residual, one a decade, and the decade of the first bin, which counts all smaller."""


def work_types(n: NumberTypes) -> dict[str, Any]:
    """Return the structures of one precision, by their names."""
    return {**_row_types(n), **_body_types(n), **_joint_types(n), **_system_types(n), **_option_types(n)}


def _row_types(n: NumberTypes) -> dict[str, Any]:
    """Return the structures of contacts."""
    scalar, vec3 = n.scalar, n.vec3
    wide = number_types("float64")
    wide_vec3, wide_mat33 = wide.vec3, wide.mat33
    numbers = wp.types.vector(length=KRYLOV_COLUMNS, dtype=wp.float64)

    @wp.struct
    class Row:
        """One contact that may touch in this step; multipliers are impulses times the substep's length [kg m].

        Displacements are those of the first body relative to the second one at the contact.
        """

        slot: wp.int32
        pair: wp.int32
        feature: wp.int32  # number of the feature in its shape
        shape: wp.int32
        solid: wp.int32
        body_a: wp.int32  # first body: that of the feature
        body_b: wp.int32  # second body: that of the solid
        is_direct: wp.int32  # its island is factorised with its contacts in this step; otherwise they are swept
        in_working_set: wp.int32  # the solve of this substep considers it
        mu: scalar
        normal: vec3
        point: vec3
        arm_a: vec3  # of the point, from the bodies' centres of mass at the start of the substep
        arm_b: vec3
        gap: scalar  # after free motion
        link: wp.int32  # block between its bodies in the factorisation, or -1
        is_a_first: wp.int32  # the first body is eliminated before the second one
        stiffness: wp.float64  # normal stiffness K: penalty of the augmented Lagrangian, times the substep squared [kg]
        slip_stiffness: wp.float64  # tangential stiffness K_t [kg]
        recovery: wp.float64  # part of an old overlap to recover in this substep: a [m]
        recovery_limit: wp.float64  # bound F of the recovery multiplier [kg m]
        load_scale: wp.float64  # multiplier of a constant load in this substep over that in the last one
        recovery_start: wp.float64  # recovery multiplier at the start of the outer iterate
        applied_recovery: wp.float64  # recovery multiplier that has been applied to the bodies
        bound_error: wp.float64  # error F = mu L_n(b) - b of the friction bound b [kg m]
        slip_direction: wide_vec3  # unit vector of friction where the contact slides, else zero
        bound_slope: wp.float64  # mu dL_n / d(approach): how mu L_n grows as the bodies approach [kg]
        krylov: numbers  # entries of the contact in the columns of the Krylov basis
        applied_normal: wp.float64  # normal multiplier without the recovery multiplier that has been applied [kg m]
        lambda_n_start: wp.float64  # multipliers and friction bound at the start of the outer iterate [kg m]
        lambda_t_start: wide_vec3
        bound: wp.float64
        residual_n: wp.float64  # residual of the gap at the start of the outer iterate: c [m]
        slip: wide_vec3  # slip since sticking began, likewise: s [m]
        slip_incompatible: wp.int32  # the contact sticks, but the last iterate could not take its small slip back
        applied: wide_vec3  # contact multiplier that has been applied to the bodies, as a vector [kg m]
        force: wide_vec3  # contact multiplier at the Newton iterate
        displacement: wide_vec3  # since the outer iterate began, at the Newton iterate: d [m]
        newton_step: wide_vec3  # change of that displacement by the Newton step
        rotation_stiffness: wp.float64  # stiffness K_r of torsional and rolling friction [kg m^2]
        angle_per_displacement: wp.float64  # ratio of both that an impulse at the contact causes [1/m]
        lambda_r_start: wide_vec3  # from here on those of torsional and rolling friction
        torsion_bound: wp.float64
        rolling_bound: wp.float64
        angle: wide_vec3
        applied_moment: wide_vec3
        moment: wide_vec3
        rotation: wide_vec3
        newton_rotation: wide_vec3
        free_displacement: vec3  # in free motion, to the first order
        slip_correction: wide_vec3  # second-order terms of that, and of the slip so far, as the bodies rotate [m]
        rolling_body: wp.int32  # first (1) or second (-1) body, which rolls about a centre fixed in it, or neither (0)
        rolling_centre: wide_vec3  # that centre from the body's centre of mass, body axes
        rolling_arm: wide_vec3  # from that centre to the contact, world axes
        gap_error: wp.float64  # target gap minus gap; the target is zero, or less for an old overlap
        w_n: scalar  # inverse effective mass along the normal [1/kg]
        w_t: scalar  # inverse effective mass along one tangent
        lambda_n: scalar  # normal multiplier so far [kg m]
        lambda_t: vec3  # tangential multiplier so far [kg m]
        slides: wp.int32
        stiffness_matrix: wide_mat33  # derivative -dL/dd at the Newton iterate
        remaining_at_impact: scalar  # remaining time of the substep at its impact, or negative [s]; with the next three
        restitution: scalar  # coefficient of restitution
        separation_speed: scalar  # normal speed that it is to have after the impact [m/s]
        in_impact: wp.int32  # it takes part in the impact
        load_applied: wp.int32  # its resting load has been applied to the free motion
        mu_torsional: scalar  # from here on only where some shape has such friction [m]
        mu_rolling: scalar  # [m]
        free_rotation: vec3  # of the first body relative to the second one in free motion [rad]
        w_torsion: scalar  # inverse effective inertia about the normal [1/(kg m^2)]
        w_rolling: scalar  # inverse effective inertia about a tangent
        lambda_r: vec3  # multiplier of torsional and rolling friction so far [kg m^2]
        torsion_sticks: scalar  # 1 where torsional friction sticks, 0 where it slides
        rolling_sticks: scalar  # the same for rolling friction
        rotation_stiffness_matrix: wide_mat33  # like `stiffness_matrix`

    @wp.struct
    class RelaxationRow:
        """The part of a row that Gauss-Seidel sweeps read and write, compact in memory: sweeps visit it often."""

        body_a: wp.int32  # its bodies, or -1 for static ones
        body_b: wp.int32
        normal: wide_vec3
        arm_a: wide_vec3
        arm_b: wide_vec3
        inv_mass_a: wp.float64
        inv_mass_b: wp.float64
        angular_response_a: wide_mat33  # rotation of the body by each component of a force at the contact [1/(kg m)]
        angular_response_b: wide_mat33
        w_n: wp.float64  # normal displacement by a unit normal force [1/kg]
        w_nt: wide_vec3  # tangential displacement by a unit normal force [1/kg]
        w_t: wp.float64  # greatest tangential displacement by a unit tangential force [1/kg]
        mu: wp.float64
        residual_n: wp.float64  # as in `Row`, with the next three
        slip: wide_vec3
        recovery: wp.float64
        recovery_limit: wp.float64
        lambda_n_start: wp.float64  # whole normal multiplier at the start of the outer iterate [kg m]
        lambda_n: wp.float64  # present normal multiplier without recovery, recovery multiplier, and contact multiplier
        lambda_recovery: wp.float64
        force: wide_vec3

    @wp.struct
    class Rows:
        """The contacts that may touch in this step, one row each."""

        row: wp.array(dtype=Row)
        relaxation_row: wp.array(dtype=RelaxationRow)  # in the order in which each island lists its rows
        first: wp.array(dtype=wp.int32)  # first row of each world, and the end of the last one
        count: wp.array(dtype=wp.int32)  # rows in use, one entry a world
        key: wp.int32  # distinguishes these rows from those of other contacts
        found: wp.array(dtype=wp.int32)  # how often rows were found so far, one entry a world
        lost: wp.array(dtype=wp.int32)  # contacts without room for a row so far, one entry a world
        has_twists: wp.int32  # some shape has torsional or rolling friction
        unsettled: wp.array(dtype=wp.int32)  # substeps so far whose solve has not converged; one entry an island
        residual: wp.array(dtype=wp.float64)  # natural residual of the last solve [m]; one entry an island
        gap_residual: wp.array(dtype=wp.float64)  # that of gaps alone after the last outer iterate [m]
        logs: wp.int32  # solves are logged (`solve.convergence`)
        solve_log: wp.array(dtype=wp.int32)
        residual_log: wp.array(dtype=wp.int32)
        old_slot: wp.array(dtype=wp.int32)  # slots of the rows of the last step
        shape_origin: wp.array(dtype=vec3)  # origin of each shape at the beginning of the step; one entry a shape
        listed_origin: wp.array(dtype=vec3)  # the same when pairs were listed; one entry a shape
        near_pair: wp.array(dtype=wp.int32)  # the listed pairs; one entry a pair
        near_count: wp.array(dtype=wp.int32)  # how many there are; one entry a world, with the next three
        is_listed: wp.array(dtype=wp.int32)
        slack: wp.array(dtype=scalar)  # of that list
        listed_reach: wp.array(dtype=scalar)  # bound of displacements in a step when it was made

    return {"Row": Row, "RelaxationRow": RelaxationRow, "Rows": Rows}


def _body_types(n: NumberTypes) -> dict[str, Any]:
    """Return the structure of bodies."""
    scalar, vec3, vec6, quat, mat33 = n.scalar, n.vec3, n.vec6, n.quat, n.mat33

    @wp.struct
    class Body:
        """A body in a substep, world axes. `_low` is the rounding error of a quantity (compensated summation).

        Momenta (v, spin) belong to the middle of a substep, poses (x, r) to its end (leapfrog). `_before` and
        `_earlier` are the values one and two substeps ago, `_free` those after free motion.
        """

        x: vec3  # centre of mass
        r: quat
        v: vec3
        spin: vec3  # angular momentum about the centre of mass
        x0: vec3  # x and r at the start of the substep
        r0: quat
        x_low: vec3
        v_low: vec3
        spin_low: vec3
        r_low: quat
        r0_low: quat
        x0_low: vec3
        tensor: mat33  # inertia about the centre of mass at the start of the substep, and its inverse
        inv_tensor: mat33
        x_free: vec3
        x_low_free: vec3
        r_free: quat
        r_low_free: quat
        v_free: vec3
        v_low_free: vec3
        spin_free: vec3
        spin_low_free: vec3
        omega_free: vec3
        h: scalar  # length of the substep [s]; before its start, that of the last one, which is 0 where it starts anew
        h_before: scalar
        h_earlier: scalar
        force_time: scalar  # time k for which forces change momenta: from the middle of the last substep to this one's
        nominal_h: scalar  # length of the substeps of the last step where none is shortened
        v_before: vec3
        spin_before: vec3
        v_earlier: vec3
        spin_earlier: vec3
        omitted_velocity: vec3  # velocity [m/s] and rotation [rad] by forces that its contacts are measured without
        omitted_rotation: vec3
        force: vec6  # applied force and torque
        moves_kinematically: wp.int32  # it is a kinematic body that moves in this step
        path_remaining: vec6  # displacement and rotation left on its path in this step
        path_rate: vec6  # velocity on the path at the start of the substep, and at the end of the step
        path_end: vec6
        path_acceleration: vec6  # mean over the step
        path_acceleration_change: vec6  # minus that of the last step
        path_remaining_next: vec6  # `path_remaining` at the start of the next launch of the step
        path_mean_rate: vec6  # mean velocity over this launch
        ends_at_goal: wp.int32  # the path ends at the written pose, which are the next two
        goal_x: vec3
        goal_r: quat
        motion_source: wp.int32  # a `MotionSource`
        pose_unchanged: wp.int32  # its pose is the one that the last step ended with
        has_no_history: wp.int32  # it starts anew, with the others of its island: no force has acted yet on it as it is
        overlap_count: wp.int32  # contacts that overlap when sweeps begin
        has_added_inertia: wp.int32  # it has geometric stiffness as added inertia in this substep
        added_inertia: wp.mat33d  # that inertia; see `solve/geometric_stiffness.py`
        load: vec6  # impulse times the substep's length that the next iterate applies to it [kg m, kg m^2]
        deferred_load: vec6  # effect of applied forces in the substep, where they are a load of the first iterate
        x0_saved: vec3  # x0, while that is the position at an impact
        impact_impulse: vec6  # impulse of an impact and its moment about the centre of mass
        impact_flags: wp.int32  # bits: an impact in its island in this substep, the last one, the one before that

    return {"Body": Body}


def _joint_types(n: NumberTypes) -> dict[str, Any]:
    """Return the structures of joints."""
    scalar, vec3, vec6, mat33 = n.scalar, n.vec3, n.vec6, n.mat33
    wide = number_types("float64")
    wide_vec6 = wide.vec6

    @wp.struct
    class Joint:
        """A joint in a substep: rows 0 to 2 are displacements, 3 to 5 rotations, of the child relative to the parent.

        Impulses are times the substep's length [kg m, kg m^2].
        """

        axes: mat33  # directions of the displacement rows, one a row
        turns: mat33  # directions of the rotation rows
        dual_turns: mat33  # dual basis: rotations that change one rotation row each
        arm_child: vec3  # of the point where impulses act, from the child's centre of mass
        arm_parent: vec3
        turn0: wide.quat  # child's frame seen from the parent's at the start of the substep
        mask: wp.int32  # rows that are locked or compliant in this iterate, as bits; see `ROW_BITS`, `COMPLIANT`
        error: vec6  # constraint error of each row [m, rad]
        allowed_gap: vec6  # error that locked rows may keep to the end of the substep, as the joint began apart
        closing_speed: scalar  # speed at which its errors close in this substep, where it may be open [m/s, rad/s]
        compliance: vec6  # of each row
        impulse: vec6  # of each row in this substep so far
        wrench: vec6  # impulse on the child [N s, N m s], in its own axes, summed over the step
        needs_rate: wp.int32  # the laws of some dof need its rate
        needs_coordinate: wp.int32  # iterates need the coordinate of some dof
        is_current: wp.int32  # its coordinates are those of the bodies' present poses
        factored_mask: wp.int32  # mask with which the Hessian was factored last, or -1
        stiffness: wide_vec6  # of the springs on free rows
        force: wide_vec6  # of springs and bounded laws at the Newton iterate
        friction_stiffness: wide_vec6  # of dry friction, on rows where it is a term of the merit function
        friction_bound: wide_vec6
        friction_displacement: wide_vec6  # of rows since the start of the substep
        drive_stiffness: wide_vec6  # of drives with an effort limit, likewise
        drive_bound: wide_vec6
        drive_displacement: wide_vec6  # of rows from where the drive exerts nothing
        lambda_friction: wide_vec6  # multipliers of dry friction that is a term of the merit function
        displacement: wide_vec6  # J d of each row at the Newton iterate
        newton_step: wide_vec6  # change of that by the Newton step, on joints with compliant rows
        active_set_changed: wp.int32  # a law or limit of some dof is on another piece than in the last iterate
        is_active: wp.int32  # it is enabled, and one of its bodies responds to forces
        needs_impulse: wp.int32  # a law, a limit or a reader needs its impulses
        has_constant_rows: wp.int32  # its rows are locked or free throughout the step
        force_time: scalar  # as `Body.force_time`
        limit_warm_start: wp.int32  # state of the warm start of its limits; see `joint_laws.WARM_START_ALLOWED`

    @wp.struct
    class Dof:
        """A degree of freedom in a substep, in rad or m."""

        q: wide.scalar  # its change in a substep may be less than its rounding in single precision
        q0: wide.scalar  # at the start of the substep
        rate0: scalar  # half a substep before that
        rotor_rate0: scalar  # rate of an undriven rotor, read along the directions of the substep
        rotor_rate: scalar  # rate of the bodies, read along the same directions, at this iterate
        axis_correction: scalar  # half the rate change predicted for the rotation of the directions in this substep
        rotor_detached: wp.int32  # its rotor keeps `rotor_rate`: later rows of a sweep have moved the bodies from it
        rotor_effort: scalar  # applied effort, which accelerates the rotor before the bodies
        rate_end: scalar  # half a substep after its start, along its directions
        inertia: scalar  # effective inertia of the two bodies alone
        target: wide.scalar  # of the drive
        spring_rest: wide.scalar  # position at which the joint's spring rests
        low: wide.scalar  # bounds of the coordinate in this substep
        high: wide.scalar
        path_rate: scalar  # rate of a rigid target at the start of the substep, with the next three
        path_end: scalar  # at the end of the step
        path_acceleration: scalar  # mean over the step
        path_acceleration_change: scalar  # minus that of the last step
        active_limit: wp.int32  # lower (-1) or upper (1) limit that is active, or 0
        limit_age: wp.int32  # substeps for which a limit has been active, three at most
        friction_sign: wp.int32  # sign of dry friction while it slides, else 0
        saturation_sign: wp.int32  # sign of the drive's effort while it is at its limit, else 0

    return {"Joint": Joint, "Dof": Dof}


def _system_types(n: NumberTypes) -> dict[str, Any]:
    """Return the structures of the Hessian and of loops."""
    scalar, vec6, wide = n.scalar, n.vec6, number_types("float64")
    wide_vec6, wide_mat66 = wide.vec6, wide.mat66

    @wp.struct
    class Node:
        """The rows of a body in the Hessian of its island, and in its factor."""

        degree: wp.int32  # neighbours in the remaining elimination graph
        pending_children: wp.int32  # children that have not been eliminated yet
        first_link: wp.int32
        link_count: wp.int32
        hessian: wide_mat66
        pivot: wide_mat66  # Cholesky factor R of the pivot, with reciprocals on the diagonal
        basis: wide_mat66  # N: displacements that the joint leaves free, one a row
        stiffness: wide_vec6  # of springs on those
        free_count: wp.int32  # number of those
        is_hinge: wp.int32  # there is one only, and the parent is the only neighbour
        parent_block: wide_vec6  # block of the factor to the parent in that case
        offset: wide_vec6  # displacement that removes the errors of locked rows
        load: wide_vec6
        reduced_load: wide_vec6  # after the forward substitution

    @wp.struct
    class System:
        """The Hessian of an island and its factor: one entry a body, or a link where that is said.

        Rows that close loops have one entry each; such a row depends on the displacements of up to four bodies.
        """

        node: wp.array(dtype=Node)
        neighbour: wp.array(dtype=wp.int32)  # neighbours in the graph, `Bodies.neighbours` places a body
        link_body: wp.array(dtype=wp.int32)  # neighbours at elimination, one entry a link, with the next three
        is_filled: wp.array(dtype=wp.int32)  # its blocks hold something; otherwise they are zero
        block: wp.array(dtype=wide_mat66)  # of the Hessian
        factor_block: wp.array(dtype=wide_mat66)  # of the factor
        step: wp.array(dtype=wide_vec6)  # Newton step
        open_loop_step: wp.array(dtype=wide_vec6)  # Newton step before loops are closed
        displacement: wp.array(dtype=wide_vec6)  # d, since the outer iterate began
        loop_matrix: wp.array(dtype=scalar)  # Schur complement
        loop_error: wp.array(dtype=scalar)
        loop_compliance: wp.array(dtype=scalar)
        loop_impulse: wp.array(dtype=scalar)
        loop_step_impulse: wp.array(dtype=scalar)  # found by the Newton step
        loop_iterate_impulse: wp.array(dtype=scalar)  # of the outer iterate so far
        loop_active: wp.array(dtype=wp.int32)
        loop_body: wp.array(dtype=wp.int32)  # four a row; -1 for none
        loop_jacobian: wp.array(dtype=vec6)  # four a row
        loop_load: wp.array(dtype=vec6)  # one entry a body
        loop_gap: wp.array(dtype=scalar)  # one entry a group: largest error to close in the substep so far [m, rad]
        loop_damping: wp.array(dtype=scalar)  # one entry a group: damping of the rows over their free mobility

    return {"Node": Node, "System": System}


def _option_types(n: NumberTypes) -> dict[str, Any]:
    """Return the settings of a solver."""
    scalar = n.scalar

    @wp.struct
    class Options:
        """Settings of a step: one entry an island, a copy of its world's except for the first two."""

        h: scalar  # length of the substep [s]
        substeps_left: wp.int32  # substeps of that length left in the step, including those of later launches
        per_impulse: scalar  # mean force over a step for an impulse [1/s]
        least_substeps: wp.int32
        dt: scalar  # length of a step [s]
        joint_turn_limit: scalar  # rotation of a body on a joint in a substep, at most [rad]
        iterations: wp.int32
        contacts: wp.int32  # contacts are simulated
        bounces: wp.int32  # restitution is simulated
        sweeps: wp.int32  # Gauss-Seidel sweeps in place of the direct solve
        reactions: wp.int32  # joint wrenches are summed
        linear_compliance: scalar  # [m/N]
        angular_compliance: scalar  # [rad/(N m)]
        linear_relaxation: scalar
        angular_relaxation: scalar
        contact_relaxation: scalar
        contact_weighting: wp.int32  # divide that by the number of contacts of two bodies
        angular_damping: scalar  # [1/s]

    return {"Options": Options}
