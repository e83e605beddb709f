# SPDX-FileCopyrightText: The inertia_tools authors
# SPDX-License-Identifier: Apache-2.0
"""Warp structures that a step works in: rows of contacts, scratch of bodies, joints and loops, and its settings."""

from typing import Any

import warp as wp

from inertia_tools.sim.kernels.number_types import NumberTypes, number_types

BASIS = 12
"""Columns of the basis in which bounds of friction are solved for (`solve.friction_bounds`)."""

ROWS_HELD, GIVES = 63, 64
"""The bits of a joint's mask that are rows, and the one beside them: some row has a compliance."""

SOLVE_BINS = 256
"""Newton steps of a substep that the log of solves keeps apart; the last bin counts those of more."""

RESIDUAL_BINS, LEAST_DECADE = 16, -12
"""Decades of the residual that it keeps apart, and the first of them, which counts all that is less."""


def work_types(n: NumberTypes) -> dict[str, Any]:
    """Return the structures of one precision, by their names."""
    return {**_row_types(n), **_body_types(n), **_joint_types(n), **_system_types(n), **_option_types(n)}


def _row_types(n: NumberTypes) -> dict[str, Any]:
    """Return those of contacts."""
    scalar, vec3 = n.scalar, n.vec3
    wide = number_types("float64")
    wide_vec3, wide_mat33 = wide.vec3, wide.mat33
    numbers = wp.types.vector(length=BASIS, dtype=wp.float64)

    @wp.struct
    class Row:
        """One slot that may touch in this step; impulses are times the substep's length [kg m]."""

        slot: wp.int32
        pair: wp.int32
        feature: wp.int32  # number of the feature in its shape
        shape: wp.int32
        solid: wp.int32
        body_a: wp.int32  # body of the feature
        body_b: wp.int32  # body of the solid
        planned: wp.int32  # it is solved directly in this step, or else swept
        acts: wp.int32  # the solve of this substep looks at it
        mu: scalar
        normal: vec3
        point: vec3
        arm_a: vec3  # of the point, from where the bodies' centres were at the start of the substep
        arm_b: vec3
        gap: scalar  # that free motion leads to
        link: wp.int32  # block between its bodies in the factorisation, or -1
        is_a_first: wp.int32  # the body of the feature is eliminated before the other one
        stiffness: wp.float64  # K of the augmented Lagrangian, times the substep squared [kg]
        slip_stiffness: wp.float64  # the same of friction [kg]
        recovery: wp.float64  # overlap of before that is to be recovered in this substep [m]
        recovery_limit: wp.float64  # greatest multiplier for that [kg m]
        recovery_start: wp.float64  # multiplier that the outer iterate begins with
        applied_recovery: wp.float64  # and that has moved the bodies already
        bound_error: wp.float64  # what the image of the iterate's bound is more than it [kg m]
        slide: wide_vec3  # where it slides: unit vector of its friction, or nothing
        press: wp.float64  # change of that image by its bodies' coming nearer [kg]
        basis: numbers  # columns in which the bounds of the next iterate are solved for
        applied_hard: wp.float64  # part of the normal multiplier that is not that spring's [kg m]
        lambda_n_start: wp.float64  # multipliers and bound that the outer iterate begins with [kg m]
        lambda_t_start: wide_vec3
        bound: wp.float64
        residual_n: wp.float64  # residual of the gap there [m]
        slip: wide_vec3  # and the slip since sticking began [m]
        strained: wp.int32  # the last iterate could not take that back, and it is small enough to be left
        applied: wide_vec3  # multipliers that have moved the bodies already [kg m]
        force: wide_vec3  # multipliers where the Newton iterate is
        moved: wide_vec3  # displacement there, since the outer iterate began [m]
        along: wide_vec3  # displacement by the Newton step
        turn_stiffness: wp.float64  # the same for torsional and rolling friction [kg m^2]
        per_length: wp.float64  # angle over displacement that an impulse at the contact makes [1/m]
        lambda_r_start: wide_vec3
        spin_bound: wp.float64
        roll_bound: wp.float64
        angle: wide_vec3
        applied_moment: wide_vec3
        moment: wide_vec3
        turned: wide_vec3
        turning: wide_vec3
        way: vec3  # of the feature along the solid in free motion
        bend: wide_vec3  # what is missing in that, and in the slip so far, as bodies turn [m]
        rolls: wp.int32  # the first body (1) or the second (-1) about a centre that is fixed in it, or neither
        centre: wide_vec3  # from the body's centre of mass, axes of the body
        rest: wide_vec3  # from there to the contact, world axes
        gap_error: wp.float64  # from that gap to the one to aim at: zero, or less for an old overlap
        w_n: scalar  # inverse effective mass along the normal [1/kg]
        w_t: scalar  # the same across it
        lambda_n: scalar  # normal multiplier so far [kg m]
        lambda_t: vec3  # tangential multiplier so far [kg m]
        slides: wp.int32
        spring: wide_mat33  # stiffness of what gives where the Newton iterate is
        impact: scalar  # part of the substep that is left when it closes [s]; with the next three only
        bounciness: scalar  # where shapes bounce: ratio of the speeds after and before
        parting: scalar  # speed at which it is to part [m/s]
        struck: wp.int32  # it takes part in an impact
        supported: wp.int32  # what it bears has been taken into the free motion
        mu_torsional: scalar  # from here on only where some shape has such friction [m]
        mu_rolling: scalar  # [m]
        turn: vec3  # of the body of the feature against the other in free motion [rad]
        w_spin: scalar  # inverse effective inertia about the normal [1/(kg m^2)]
        w_roll: scalar  # the same across it
        lambda_r: vec3  # multiplier of that friction so far [kg m^2]
        spin_hold: scalar  # 1 while it holds about the normal, 0 while it turns; and across it
        roll_hold: scalar
        turn_spring: wide_mat33  # like `spring`

    @wp.struct
    class Relaxed:
        """What sweeps read and change of a row, side by side in memory: they go through all rows hundreds of times."""

        body_a: wp.int32  # its bodies, or -1 for what does not move
        body_b: wp.int32
        normal: wide_vec3
        arm_a: wide_vec3
        arm_b: wide_vec3
        inv_mass_a: wp.float64
        inv_mass_b: wp.float64
        turn_a: wide_mat33  # rotation of its bodies by what it gives, one row an axis [1/(kg m)]
        turn_b: wide_mat33
        w_n: wp.float64  # displacement of its bodies against each other along the normal by what it gives there [1/kg]
        drag: wide_vec3  # and across the normal
        w_t: wp.float64  # greatest displacement across the normal by a unit of friction [1/kg]
        mu: wp.float64
        residual_n: wp.float64  # as in the row, with the next three
        slip: wide_vec3
        recovery: wp.float64
        recovery_limit: wp.float64
        start: wp.float64  # normal multiplier that the outer iterate begins with [kg m]
        hard: wp.float64  # what it gives now, without that for the recovery, that alone, and all together [kg m]
        recovers: wp.float64
        force: wide_vec3

    @wp.struct
    class Rows:
        """The slots that may touch in this step, one row each; impulses are times the substep's length [kg m]."""

        row: wp.array(dtype=Row)
        relaxed: wp.array(dtype=Relaxed)  # the rows of each island in the order in which it lists them
        first: wp.array(dtype=wp.int32)  # first row of each world, and the end of the last one
        count: wp.array(dtype=wp.int32)  # rows in use, one entry a world
        key: wp.int32  # tells these rows from those of other contacts
        found: wp.array(dtype=wp.int32)  # times that they were found so far, one entry a world
        lost: wp.array(dtype=wp.int32)  # contacts that there was no row for so far, one entry a world
        has_twists: wp.int32  # some shape has torsional or rolling friction
        unsettled: wp.array(dtype=wp.int32)  # substeps so far whose solve has not settled; one entry an island
        residual: wp.array(dtype=wp.float64)  # natural residual of the last solve [m]; one entry an island
        gap_residual: wp.array(dtype=wp.float64)  # that of gaps alone, of the last outer iterate [m]
        logs: wp.int32  # solves are logged (`solve.convergence`)
        solve_log: wp.array(dtype=wp.int32)
        residual_log: wp.array(dtype=wp.int32)
        old_slot: wp.array(dtype=wp.int32)  # of the rows of the last step
        centre: wp.array(dtype=vec3)  # origin of each shape at the beginning of the step; one entry a shape
        centre_then: wp.array(dtype=vec3)  # the same when pairs were listed; one entry a shape
        near: wp.array(dtype=wp.int32)  # the pairs of that list; one entry a pair
        near_count: wp.array(dtype=wp.int32)  # how many there are; one entry a world, with the next three
        is_listed: wp.array(dtype=wp.int32)
        slack: wp.array(dtype=scalar)  # of that list
        way_then: wp.array(dtype=scalar)  # how far things could go in a step when it was made

    return {"Row": Row, "Relaxed": Relaxed, "Rows": Rows}


def _body_types(n: NumberTypes) -> dict[str, Any]:
    """Return those of bodies."""
    scalar, vec3, vec6, quat, mat33 = n.scalar, n.vec3, n.vec6, n.quat, n.mat33

    @wp.struct
    class Body:
        """Scratch of one substep of a body."""

        x: vec3
        r: quat
        v: vec3
        spin: vec3  # angular momentum about the centre of mass, world axes
        x0: vec3
        r0: quat
        x_low: vec3  # what rounding leaves out of x
        v_low: vec3
        spin_low: vec3
        r_low: quat
        r0_low: quat  # the same of r0
        x0_low: vec3  # and of x0
        tensor: mat33  # about the centre of mass, world axes, at the start of the substep
        inv_tensor: mat33
        x_free: vec3  # after free motion, with the next eight
        x_low_free: vec3
        r_free: quat
        r_low_free: quat
        v_free: vec3
        v_low_free: vec3
        spin_free: vec3
        spin_low_free: vec3
        omega_free: vec3
        h: scalar  # length of the substep [s]; before its start, that of the last one
        h_before: scalar  # those of the last one, and the one before it
        h_earlier: scalar
        kick: scalar  # time for which forces change momenta: from the middle of the last substep to that of this one
        whole: scalar  # length of the substeps of the last step where none is shortened
        v_before: vec3  # momenta a substep ago, and two
        spin_before: vec3
        v_earlier: vec3
        spin_earlier: vec3
        lag: vec3  # what momenta of the middle of a substep before lack of a velocity that was given [m/s]
        left_out: vec3  # velocity that its contacts are measured without [m/s], and rotation [rad]
        left_out_turn: vec3
        force: vec6
        is_led: wp.int32  # it is a kinematic body that moves in this step
        path_way: vec6  # displacement and rotation that are left
        path_rate: vec6  # velocity at the start of the substep, and at the end of the step
        path_end: vec6
        path_bend: vec6  # acceleration over the step
        path_change: vec6  # how much it differs from that of the last step
        path_next: vec6  # `path_way` where the next launch of the step begins
        path_before: vec6  # mean velocity of this launch
        aims: wp.int32  # the path ends where its pose was written, which are the next two
        goal_x: vec3
        goal_r: quat
        led: wp.int32  # what moves it in this step; see `Lead`
        there: wp.int32  # it is where the last step left it
        begins: wp.int32  # or it is not, or there was none: nothing has acted on it yet
        touching: wp.int32  # contacts that overlap when sweeps begin
        is_taut: wp.int32  # it has inertia for what its joints pull in this substep
        added: wp.mat33d  # that inertia; see `solve/tension.py`
        load: vec6
        held_back: vec6  # what forces do in the substep, where the first iterate has it as a load
        x_start: vec3  # x0 while that is where the body is at the instant of an impact
        struck_by: vec6  # impulse of an impact, and its moment about the centre of mass
        blows: wp.int32  # blows in its island, as bits: in this substep, in the last one, in the one before that

    return {"Body": Body}


def _joint_types(n: NumberTypes) -> dict[str, Any]:
    """Return those of joints."""
    scalar, vec3, vec6, mat33 = n.scalar, n.vec3, n.vec6, n.mat33
    wide = number_types("float64")
    wide_vec6 = wide.vec6

    @wp.struct
    class Joint:
        """Scratch of one substep of a joint; impulses are times the substep's length [kg m, kg m^2]."""

        axes: mat33  # directions of the rows of displacement, one a row
        turns: mat33  # of those of rotation
        about: mat33  # rotation that changes each of those alone, one a row
        arm_child: vec3  # of the point where impulses act, from the child's centre of mass
        arm_parent: vec3
        turn0: wide.quat  # child's frame seen from the parent's at the start of the substep
        mask: wp.int32  # rows that are held in this pass, as bits, and whether some give
        error: vec6
        left_open: vec6  # how far apart held rows may be at the end of the substep, as they began far apart
        compliance: vec6
        impulse: vec6  # of each row in this substep so far
        wrench: vec6  # impulse on the child [N s, N m s], in its own axes, summed over the step
        needs_rate: wp.int32  # some dof needs its rate
        heeded: wp.int32  # some dof needs its coordinate in iterates
        known: wp.int32  # its coordinates are those of the bodies' present poses
        factored: wp.int32  # mask with which the Hessian was factored last, or -1
        stiffness: wide_vec6  # of rows that are not held
        force: wide_vec6  # what their springs and bounded laws give where the Newton iterate is
        friction_stiffness: wide_vec6  # of dry friction, on rows where Newton's method decides on it
        friction_bound: wide_vec6  # the most that it gives
        friction_way: wide_vec6  # that rows have gone since the start of the substep
        drive_stiffness: wide_vec6  # of drives with a limit of effort, likewise
        drive_bound: wide_vec6
        drive_way: wide_vec6  # that rows are from where drives give nothing
        lambda_friction: wide_vec6  # multipliers of dry friction, where Newton's method decides on it
        went: wide_vec6  # what rows read of the displacements where the Newton iterate is
        goes: wide_vec6  # what they read of the Newton step, where some give
        unsettled: wp.int32  # this pass has decided on a dof otherwise than the last one
        acting: wp.int32  # it holds something
        felt: wp.int32  # its impulses are asked for
        plain: wp.int32  # its rows are hard or free throughout the step
        kick: scalar  # as `Body.kick`
        leans: wp.int32  # it may hold, or holds, at a limit of the last substep, or has let go (`joint_laws`)
        before: scalar  # part of that in which its laws have not acted, as its child has only begun to move

    @wp.struct
    class Dof:
        """Scratch of one substep of a degree of freedom."""

        q: wide.scalar  # what changes it in a substep may be less than its rounding in single precision
        q0: wide.scalar  # at the start of the substep
        rate0: scalar  # half a substep before that
        read0: scalar  # what the directions of the substep read of a rotor that nothing moves
        read: scalar  # and as they read it now
        lead: scalar  # half of what the turn of the directions in this substep is taken to change of what they read
        keeps_rate: wp.int32  # its rotor is left at `read`, which later rows of a sweep have moved the bodies from
        effort: scalar  # on a rotor, which takes its share before the bodies do
        rate_end: scalar  # half a substep after it, as its directions read it
        inertia: scalar  # of the two bodies alone
        goal: wide.scalar  # what the drive aims at
        rest: wide.scalar  # where the spring pulls to
        low: wide.scalar  # bounds of the coordinate in this substep
        high: wide.scalar
        path_rate: scalar  # of a rigid target at the start of the substep, with the next three
        path_end: scalar  # and at the end of the step
        path_bend: scalar  # acceleration over the step
        path_change: scalar  # how much it differs from that of the last step
        stop: wp.int32  # at its lower (-1) or upper (1) bound
        stopped: wp.int32  # substeps for which it has been there, three at most
        slides: wp.int32  # sign of the friction while it slides
        saturated: wp.int32  # sign of the drive's effort while it is at its limit

    return {"Joint": Joint, "Dof": Dof}


def _system_types(n: NumberTypes) -> dict[str, Any]:
    """Return those of the Hessian and of loops."""
    scalar, vec6, wide = n.scalar, n.vec6, number_types("float64")
    wide_vec6, wide_mat66 = wide.vec6, wide.mat66

    @wp.struct
    class Node:
        """The rows of a body in the Hessian of its island, and in its factor."""

        degree: wp.int32  # neighbours in the graph that is left
        waiting: wp.int32  # children that are to be eliminated before it
        first_link: wp.int32
        link_count: wp.int32
        hessian: wide_mat66
        pivot: wide_mat66
        basis: wide_mat66  # displacements that the joint leaves free, one a row
        stiffness: wide_vec6  # of springs on those
        open_count: wp.int32  # how many they are
        is_hinge: wp.int32  # one only, and nothing but the parent is a neighbour
        carries: wide_vec6  # the block of the factor to the parent then
        offset: wide_vec6  # displacement that takes the errors of held rows away
        load: wide_vec6
        half: wide_vec6  # after the forward substitution

    @wp.struct
    class System:
        """The Hessian of an island and its factor: one entry a body, or a link where that is said.

        With what closes its loops: one entry a row of a loop, which reads the displacement of up to four bodies.
        """

        node: wp.array(dtype=Node)
        neighbour: wp.array(dtype=wp.int32)  # those, `Bodies.neighbours` places a body
        link_body: wp.array(dtype=wp.int32)  # neighbours when it is eliminated, one entry a link, with the next three
        filled: wp.array(dtype=wp.int32)  # something is in its blocks, which are zero otherwise
        block: wp.array(dtype=wide_mat66)  # of the Hessian between a body and each of those
        reduced: wp.array(dtype=wide_mat66)  # of the factor
        step: wp.array(dtype=wide_vec6)  # of Newton's method
        base: wp.array(dtype=wide_vec6)  # that step while its loops are open
        move: wp.array(dtype=wide_vec6)  # displacement since the outer iterate began
        loop_matrix: wp.array(dtype=scalar)
        loop_error: wp.array(dtype=scalar)
        loop_compliance: wp.array(dtype=scalar)
        loop_impulse: wp.array(dtype=scalar)
        loop_step_impulse: wp.array(dtype=scalar)  # that the Newton step found
        loop_iterate_impulse: wp.array(dtype=scalar)  # of the outer iterate so far
        loop_held: wp.array(dtype=wp.int32)
        loop_body: wp.array(dtype=wp.int32)  # four a row; -1 for none
        loop_reads: wp.array(dtype=vec6)  # four a row
        loop_load: wp.array(dtype=vec6)  # one entry a body
        loop_gap: wp.array(dtype=scalar)  # one entry a group: most that a substep had to close so far [m, rad]
        loop_give: wp.array(dtype=scalar)  # one entry a group: part of its free mobility by which a row gives

    return {"Node": Node, "System": System}


def _option_types(n: NumberTypes) -> dict[str, Any]:
    """Return the settings of a solver."""
    scalar = n.scalar

    @wp.struct
    class Options:
        """How a step is made: one entry an island, a copy of that of its world but for the first two."""

        h: scalar  # length of the substep [s]
        left: wp.int32  # substeps of that length that are left in the step, with those of later launches
        per_impulse: scalar  # mean force over a step, for an impulse [1/s]
        least_substeps: wp.int32
        dt: scalar  # length of a step [s]
        joint_turn_limit: scalar  # by which a body on a joint may turn in a substep [rad]
        iterations: wp.int32
        contacts: wp.int32  # they are looked for
        bounces: wp.int32  # shapes bounce by their restitution
        sweeps: wp.int32  # joints one after the other, not directly
        reactions: wp.int32  # sum what joints do to their children
        linear_compliance: scalar  # [m/N]
        angular_compliance: scalar  # [rad/(N m)]
        linear_relaxation: scalar
        angular_relaxation: scalar
        contact_relaxation: scalar
        contact_weighting: wp.int32  # share that among the contacts of two bodies
        angular_damping: scalar  # [1/s]

    return {"Options": Options}
