# SPDX-FileCopyrightText: The inertia_tools authors
# SPDX-License-Identifier: Apache-2.0
"""Warp types of one precision, and the structures of arrays that kernels take.

Single and double precision are two sets of types and kernels made from the same text.
"""

from dataclasses import dataclass
from functools import lru_cache
from typing import Any

import numpy as np
import warp as wp

from inertia_tools.errors import OptionError

wp.config.enable_backward = False  # nothing here is differentiated, and adjoints double the time to compile
wp.config.log_level = wp.LOG_WARNING  # the banner would stand in the JSON that commands print


@dataclass(frozen=True)
class Precision:
    """Types of one precision.

    Attributes:
        name: "float32" or "float64".
        scalar: Warp's scalar type.
        numpy: NumPy's.
        vec3, vec4, vec6, quat, mat33, mat66, transform: The vectors and matrices of it; transforms are a position and a
            quaternion x, y, z, w.
        Bodies, Joints, Loops, Shapes, Contacts, Rows, State, Control: Structures of arrays.
        Work, JointWork, DofWork, LoopWork: Scratch of one substep, with one entry a body, joint, degree of freedom, or
            row of a loop.
        Options: Settings of a solver.
    """

    name: str
    scalar: Any
    numpy: Any
    vec3: Any
    vec4: Any
    vec6: Any
    quat: Any
    mat33: Any
    mat66: Any
    transform: Any
    Bodies: Any
    Joints: Any
    Loops: Any
    Shapes: Any
    Contacts: Any
    Rows: Any
    State: Any
    Control: Any
    Link: Any
    Work: Any
    JointWork: Any
    DofWork: Any
    LoopWork: Any
    Options: Any

    def references(self, *names: str) -> list[Any]:
        """Return references to structures, by their names, as types of arguments of functions on the device.

        By value, each call that is not inlined would copy kilobytes.
        """
        return [wp.ref[getattr(self, name)] for name in names]


@lru_cache(maxsize=2)
def precision(name: str) -> Precision:
    """Return the types of "float32" or "float64".

    Raises:
        OptionError: The name is neither.
    """
    if name not in ("float32", "float64"):
        raise OptionError("dtype", name, "float32 or float64")
    scalar = wp.float32 if name == "float32" else wp.float64
    vec3, vec4, vec6 = (wp.types.vector(length=n, dtype=scalar) for n in (3, 4, 6))
    mat33, mat66 = (wp.types.matrix(shape=(n, n), dtype=scalar) for n in (3, 6))
    quat, transform = wp.types.quaternion(dtype=scalar), wp.types.transformation(dtype=scalar)
    wide_vec3, wide_vec6 = (wp.types.vector(length=n, dtype=wp.float64) for n in (3, 6))
    wide_mat33, wide_mat66 = (wp.types.matrix(shape=(n, n), dtype=wp.float64) for n in (3, 6))

    @wp.struct
    class Bodies:
        """What does not change: one entry a body."""

        count: wp.int32
        order: wp.array(dtype=wp.int32)  # parents before children
        inv_mass: wp.array(dtype=scalar)  # zero for what does not answer to forces
        mass: wp.array(dtype=scalar)
        com: wp.array(dtype=vec3)
        inertia: wp.array(dtype=mat33)
        inv_inertia: wp.array(dtype=mat33)
        parent: wp.array(dtype=wp.int32)  # body that it hangs on; -1 is the world, -2 nothing
        joint: wp.array(dtype=wp.int32)  # joint that it hangs on, or -1
        gravity: wp.array(dtype=vec3)  # one entry
        version: wp.array(dtype=wp.int32)  # one entry: how often the mass properties were changed
        lone: wp.array(dtype=wp.int32)  # it moves, and no joint holds it
        simple: wp.array(dtype=wp.int32)  # its joint turns about one axis at most, and no loop goes through it
        extent: wp.array(dtype=scalar)  # how far its shapes reach from its centre of mass
        links: wp.int32  # bodies that a free one may be tied to while it is solved
        held_count: wp.int32  # bodies that move and that a joint holds

    @wp.struct
    class Joints:
        """One entry a joint, then one a degree of freedom (dof); positions are in rad or m."""

        count: wp.int32
        dof_count: wp.int32
        parent: wp.array(dtype=wp.int32)  # -1 is the world
        child: wp.array(dtype=wp.int32)
        enabled: wp.array(dtype=wp.int32)
        kind: wp.array(dtype=wp.int32)
        hard: wp.array(dtype=wp.int32)  # hard rows as bits
        turning: wp.array(dtype=wp.int32)  # how rotation is read
        mirrored: wp.array(dtype=wp.int32)  # rows whose axis points against the frame's, as bits
        first_dof: wp.array(dtype=wp.int32)
        dof_number: wp.array(dtype=wp.int32)
        first_coordinate: wp.array(dtype=wp.int32)
        parent_point: wp.array(dtype=vec3)  # origin from the parent's centre of mass, or from the world's origin
        parent_low: wp.array(dtype=vec3)  # what rounding leaves out of that in the world
        parent_frame: wp.array(dtype=quat)  # of the rows of displacement
        parent_turn: wp.array(dtype=quat)  # of the rows of rotation
        child_point: wp.array(dtype=vec3)  # origin from the child's centre of mass
        child_turn: wp.array(dtype=quat)
        row: wp.array(dtype=wp.int32)  # from here on, one entry a dof
        lower: wp.array(dtype=scalar)
        upper: wp.array(dtype=scalar)
        target_ke: wp.array(dtype=scalar)
        target_kd: wp.array(dtype=scalar)
        armature: wp.array(dtype=scalar)
        friction: wp.array(dtype=scalar)
        effort_limit: wp.array(dtype=scalar)
        velocity_limit: wp.array(dtype=scalar)
        damping: wp.array(dtype=scalar)
        stiffness: wp.array(dtype=scalar)
        springref: wp.array(dtype=scalar)

    @wp.struct
    class Loops:
        """Rows that trees do not hold: joints that close loops, and couplings of two dofs; one group an island."""

        group_count: wp.int32
        first_body: wp.array(dtype=wp.int32)
        body_count: wp.array(dtype=wp.int32)
        body: wp.array(dtype=wp.int32)  # parents before children
        first_row: wp.array(dtype=wp.int32)
        row_count: wp.array(dtype=wp.int32)
        first_entry: wp.array(dtype=wp.int32)  # of its matrix
        row_total: wp.int32
        row_joint: wp.array(dtype=wp.int32)  # one entry a row: the joint, or the follower of a coupling
        row_index: wp.array(dtype=wp.int32)  # row of that joint
        row_dof: wp.array(dtype=wp.int32)  # dof of the follower; -1 for a row of a joint
        leader_joint: wp.array(dtype=wp.int32)
        leader_index: wp.array(dtype=wp.int32)
        leader_dof: wp.array(dtype=wp.int32)
        offset: wp.array(dtype=scalar)
        ratio: wp.array(dtype=scalar)

    @wp.struct
    class Shapes:
        """Convex shapes, and the ordered pairs (features of one, solid of the other) that may touch."""

        kind: wp.array(dtype=wp.int32)
        size: wp.array(dtype=vec3)
        body: wp.array(dtype=wp.int32)
        point: wp.array(dtype=vec3)  # origin from the body's centre of mass
        low: wp.array(dtype=vec3)  # what rounding leaves out of that in the world
        frame: wp.array(dtype=quat)
        friction_rule: wp.int32  # how those of a pair are combined, as `FRICTION_RULES` counts them
        mu: wp.array(dtype=scalar)
        mu_torsional: wp.array(dtype=scalar)  # length [m]
        mu_rolling: wp.array(dtype=scalar)  # length [m]
        restitution: wp.array(dtype=scalar)
        restitution_rule: wp.int32  # the same of those
        reach: wp.array(dtype=scalar)  # radius of the ball that holds it; negative for a plane
        margin: wp.array(dtype=scalar)  # distance that it keeps from others; they add up
        half_thickness: wp.array(dtype=scalar)  # radius of the ball that it holds; endless for a plane
        first_feature: wp.array(dtype=wp.int32)
        feature_count: wp.array(dtype=wp.int32)
        first_face: wp.array(dtype=wp.int32)
        face_count: wp.array(dtype=wp.int32)
        feature: wp.array(dtype=vec3)
        radius: wp.array(dtype=scalar)
        is_rim: wp.array(dtype=wp.int32)
        edge_start: wp.array(
            dtype=wp.int32
        )  # of the middle of an edge, the numbers of the corners at its ends; else -1
        edge_end: wp.array(dtype=wp.int32)
        face: wp.array(dtype=vec4)
        count: wp.int32
        pair_count: wp.int32
        pair_feature: wp.array(dtype=wp.int32)
        pair_solid: wp.array(dtype=wp.int32)
        pair_slot: wp.array(dtype=wp.int32)
        pair_anchored: wp.array(dtype=wp.int32)  # the same pair where the narrow phase may look at it, or -1

    @wp.struct
    class Contacts:
        """What stays from step to step: one slot for each feature of each pair."""

        close: wp.array(dtype=wp.int32)  # it has a row in this step
        slip: wp.array(dtype=vec3)  # tangential displacement still to be taken back, kept while the contact sticks
        load: wp.array(dtype=scalar)  # normal impulse of the last substep, times its length [kg m]
        slides: wp.array(dtype=wp.int32)  # it slid in the last substep
        left: wp.array(dtype=vec3)  # slip that was left in its end
        turn: wp.array(dtype=vec3)  # angle still to be taken back by torsional and rolling friction [rad]
        rubbed: wp.array(dtype=vec3)  # impulse of friction of the last substep where islands are coloured [kg m]
        force: wp.array(dtype=vec3)  # mean over the step, on the body of the features [N]
        torque: wp.array(dtype=vec3)  # the same of the torque about the point of contact [N m]
        point: wp.array(dtype=vec3)
        normal: wp.array(dtype=vec3)  # from the solid towards the feature
        depth: wp.array(dtype=scalar)

    @wp.struct
    class Rows:
        """The slots that may touch in this step, one row each; impulses are times the substep's length [kg m]."""

        first: wp.array(dtype=wp.int32)  # first row of each world, and the end of the last one
        count: wp.array(dtype=wp.int32)  # rows in use, one entry a world
        lost: wp.array(dtype=wp.int32)  # contacts that there was no row for so far, one entry a world
        old_slot: wp.array(dtype=wp.int32)  # of the rows of the last step
        centre: wp.array(dtype=vec3)  # origin of each shape at the beginning of the step; one entry a shape
        centre_then: wp.array(dtype=vec3)  # the same when pairs were listed; one entry a shape
        near: wp.array(dtype=wp.int32)  # the pairs of that list; one entry a pair
        near_count: wp.array(dtype=wp.int32)  # how many there are; one entry a world, with the next three
        is_listed: wp.array(dtype=wp.int32)
        slack: wp.array(dtype=scalar)  # of that list
        way_then: wp.array(dtype=scalar)  # how far things could go in a step when it was made
        slot: wp.array(dtype=wp.int32)
        pair: wp.array(dtype=wp.int32)
        feature: wp.array(dtype=wp.int32)  # number of the feature in its shape
        shape: wp.array(dtype=wp.int32)
        solid: wp.array(dtype=wp.int32)
        body_a: wp.array(dtype=wp.int32)  # body of the feature
        body_b: wp.array(dtype=wp.int32)  # body of the solid
        planned: wp.array(dtype=wp.int32)  # to be solved directly in this step, or else swept
        direct: wp.array(dtype=wp.int32)  # the same in this substep
        ringed: wp.array(dtype=wp.int32)  # its island is solved directly with all its rings
        ties_trees: wp.array(dtype=wp.int32)  # both its bodies are on joints
        mu: wp.array(dtype=scalar)
        normal: wp.array(dtype=vec3)
        point: wp.array(dtype=vec3)
        arm_a: wp.array(dtype=vec3)  # of the point, from where the bodies' centres were at the start of the substep
        arm_b: wp.array(dtype=vec3)
        gap: wp.array(dtype=scalar)  # that free motion leads to
        way: wp.array(dtype=vec3)  # of the feature along the solid in free motion
        to_goal: wp.array(dtype=wp.float64)  # from that gap to the one to aim at: zero, or less for an old overlap
        give: wp.array(dtype=scalar)  # displacement along the normal for a unit impulse [1/kg]
        sideways: wp.array(dtype=scalar)  # the same across it
        pressed: wp.array(dtype=scalar)  # normal impulse so far
        rubbed: wp.array(dtype=vec3)  # impulse of friction so far
        slides: wp.array(dtype=wp.int32)
        heading: wp.array(dtype=vec3)  # where it slides to
        grip: wp.array(dtype=scalar)  # stiffness of the friction that holds it, times the substep squared [kg]
        most: wp.array(dtype=scalar)  # impulse that friction was granted
        hold: wp.array(dtype=scalar)  # stiffness of friction that gives way, in late passes; it never rises there
        barred: wp.array(dtype=wp.int32)  # it has pulled in a late pass, and is out of this substep
        braced: wp.array(dtype=wp.int32)  # it takes part in the present direct solve, with the next two
        spring: wp.array(dtype=wide_mat33)
        lacks: wp.array(dtype=wide_vec3)
        back: wp.array(dtype=wide_vec3)  # impulse that is given back or granted
        pull: wp.array(dtype=wide_vec3)  # impulse of the spring where it ties trees
        rest: wp.array(dtype=wide_vec3)  # what is left to find of it
        search: wp.array(dtype=wide_vec3)  # impulse by which a step looks for it
        parted: wp.array(dtype=wide_vec3)  # how far that moves the bodies apart
        load: wp.array(dtype=scalar)  # normal impulse that friction was reckoned with
        colour: wp.array(dtype=wp.int32)  # with the next two only where islands are coloured
        direction: wp.array(dtype=vec3)  # of the impulse from sweep to sweep
        change: wp.array(dtype=vec3)  # of the impulse by the last sweep
        impact: wp.array(dtype=scalar)  # part of the substep that is left when it closes [s]; with the next three only
        bounciness: wp.array(dtype=scalar)  # where shapes bounce: ratio of the speeds after and before
        parting: wp.array(dtype=scalar)  # speed at which it is to part [m/s]
        struck: wp.array(dtype=wp.int32)  # it takes part in an impact
        propped: wp.array(dtype=wp.int32)  # what it bears has been taken into the free motion
        mu_torsional: wp.array(dtype=scalar)  # from here on only where some shape has such friction [m]
        mu_rolling: wp.array(dtype=scalar)  # [m]
        turn: wp.array(dtype=vec3)  # of the body of the feature against the other in free motion [rad]
        spin_give: wp.array(dtype=scalar)  # turn about the normal for a unit moment [1/(kg m^2)]
        roll_give: wp.array(dtype=scalar)  # the same across it
        twisted: wp.array(dtype=vec3)  # moment of that friction so far [kg m^2]
        spin_hold: wp.array(dtype=scalar)  # stiffness that it has in this pass about the normal, and across it
        roll_hold: wp.array(dtype=scalar)
        spin_grip: wp.array(dtype=scalar)  # the most it may have
        roll_grip: wp.array(dtype=scalar)
        turn_spring: wp.array(dtype=wide_mat33)  # like `spring`, `lacks` and `back`
        turn_lacks: wp.array(dtype=wide_vec3)
        turn_back: wp.array(dtype=wide_vec3)

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
        joint_q_left: wp.array(dtype=scalar)  # as the last step left it; where bodies are too, it need not be read
        joint_f_then: wp.array(dtype=scalar)  # effort that is part of it
        rate_turn: wp.array(dtype=scalar)  # how much the last turn of the directions has changed the rate they read
        law_then: wp.array(dtype=vec3)  # law of drive and spring that is: effort = x - y position - z velocity
        parent_f: wp.array(dtype=vec6)  # mean over the step of what joints do to each child [N, N m]; one a body
        q_left: wp.array(dtype=transform)  # q and qd as the last step left them: while they are, what follows holds
        qd_left: wp.array(dtype=vec6)
        x_left: wp.array(dtype=vec3)  # centre of mass, and what rounding leaves out of it
        x_low_left: wp.array(dtype=vec3)
        r_low_left: wp.array(dtype=quat)
        v_left: wp.array(dtype=vec3)  # half a substep before q
        v_low_left: wp.array(dtype=vec3)
        spin_left: wp.array(dtype=vec3)
        spin_low_left: wp.array(dtype=vec3)
        v_before_left: wp.array(dtype=vec3)  # a substep before those
        spin_before_left: wp.array(dtype=vec3)
        h_left: wp.array(dtype=scalar)  # length of that substep
        tangled: wp.array(dtype=wp.int32)  # how often the direct solve of its contacts has found no end of late
        version_left: wp.array(dtype=wp.int32)

    @wp.struct
    class Control:
        """One entry a dof: what drives aim at, and efforts to add."""

        target_pos: wp.array(dtype=scalar)
        target_vel: wp.array(dtype=scalar)
        joint_f: wp.array(dtype=scalar)

    @wp.struct
    class Link:
        """A body that is eliminated on one freedom of its joint, or none: all of it in one place."""

        joint: wp.int32
        parent: wp.int32  # -1 for what stays
        row: wp.int32  # that is free or gives; 6 for none
        lever: vec3  # of its centre from that of the parent, at the start of the substep
        way: vec6  # displacement along the row that is free or gives
        push: vec6  # impulse that a unit of it takes
        give: scalar  # how far it goes for a unit impulse
        spring: scalar  # stiffness of that row
        rest: vec6  # displacement that takes the errors of the held rows away
        goal: scalar  # how far it goes besides, its parent staying

    @wp.struct
    class Work:
        """Scratch of one substep, one entry a body."""

        x: wp.array(dtype=vec3)
        r: wp.array(dtype=quat)
        v: wp.array(dtype=vec3)
        spin: wp.array(dtype=vec3)  # angular momentum about the centre of mass, world axes
        x0: wp.array(dtype=vec3)
        r0: wp.array(dtype=quat)
        x_low: wp.array(dtype=vec3)  # what rounding leaves out of x
        v_low: wp.array(dtype=vec3)
        spin_low: wp.array(dtype=vec3)
        r_low: wp.array(dtype=quat)
        drawn: wp.array(dtype=wide_vec3)  # impulses, moments that the solve has drawn from contacts of a free body
        drawn_twist: wp.array(dtype=wide_vec3)
        tensor: wp.array(dtype=mat33)  # about the centre of mass, world axes, at the start of the substep
        inv_tensor: wp.array(dtype=mat33)
        x_free: wp.array(dtype=vec3)  # after free motion, with the next eight
        x_low_free: wp.array(dtype=vec3)
        r_free: wp.array(dtype=quat)
        r_low_free: wp.array(dtype=quat)
        v_free: wp.array(dtype=vec3)
        v_low_free: wp.array(dtype=vec3)
        spin_free: wp.array(dtype=vec3)
        spin_low_free: wp.array(dtype=vec3)
        omega_free: wp.array(dtype=vec3)
        v_before: wp.array(dtype=vec3)  # momenta a substep ago, and two
        spin_before: wp.array(dtype=vec3)
        v_earlier: wp.array(dtype=vec3)
        spin_earlier: wp.array(dtype=vec3)
        force: wp.array(dtype=vec6)
        there: wp.array(dtype=wp.int32)  # it is where the last step left it
        touching: wp.array(dtype=wp.int32)  # contacts that overlap at the start of the passes
        mass_matrix: wp.array(dtype=mat66)
        response: wp.array(dtype=mat66)  # multipliers for a unit displacement of the parent, less what is eliminated
        column: wp.array(dtype=mat66)  # rows of the mass matrix when they were eliminated, and their pivots
        pivot: wp.array(dtype=vec6)
        stage: wp.array(dtype=vec6)  # the load of each when it was
        load: wp.array(dtype=vec6)
        error: wp.array(dtype=vec6)
        move: wp.array(dtype=vec6)
        link: wp.array(dtype=Link)
        busy: wp.array(dtype=wp.int32)  # contacts of it are solved directly
        carrier: wp.array(dtype=wp.int32)  # body that a free one is solved with, or -1
        hanging: wp.array(dtype=wp.int32)
        root: wp.array(dtype=wp.int32)  # of its tree in the forest
        rank: wp.array(dtype=wp.int32)  # place of a free body in the order of elimination
        link_count: wp.array(dtype=wp.int32)  # bodies that it is tied to when it is eliminated
        above: wp.array(dtype=wp.int32)  # those, `Bodies.links` places a body
        braced_matrix: wp.array(dtype=wide_mat66)  # springs of contacts, and the mass matrix of a free body
        braced_load: wp.array(dtype=wide_vec6)
        braced_move: wp.array(dtype=wide_vec6)
        factor: wp.array(dtype=wide_mat66)  # Cholesky factor of a free body, reciprocals on its diagonal
        couple: wp.array(dtype=wide_mat66)  # blocks between a free body and those
        reduced: wp.array(dtype=wide_vec6)
        meets: wp.array(dtype=vec6)  # velocity at the instant of an impact, and after it
        x_start: wp.array(dtype=vec3)  # x0 while that is where the body is at the instant of an impact
        untied_move: wp.array(dtype=vec6)  # displacement without the contacts that tie trees
        struck_by: wp.array(dtype=vec6)  # impulse of an impact, and its moment about the centre of mass
        tangled: wp.array(dtype=wp.int32)  # how often the direct solve of its contacts has found no end of late
        colours: wp.array(dtype=wp.int64)  # of its contacts, as bits, where its island is coloured, as the next two
        move_before: wp.array(dtype=vec6)  # `move` before the last sweep
        move_direction: wp.array(dtype=vec6)  # and from sweep to sweep

    @wp.struct
    class JointWork:
        """Scratch of one substep, one entry a joint; impulses are times the substep's length [kg m, kg m^2]."""

        axes: wp.array(dtype=mat33)  # directions of the rows of displacement, one a row
        turns: wp.array(dtype=mat33)  # of those of rotation
        about: wp.array(dtype=mat33)  # rotation that changes each of those alone, one a row
        arm_child: wp.array(dtype=vec3)  # of the point where impulses act, from the child's centre of mass
        arm_parent: wp.array(dtype=vec3)
        turn0: wp.array(dtype=quat)  # child's frame seen from the parent's at the start of the substep
        mask: wp.array(dtype=wp.int32)  # rows that are held in this pass, as bits, and whether some give
        error: wp.array(dtype=vec6)
        compliance: wp.array(dtype=vec6)
        impulse: wp.array(dtype=vec6)  # of each row in this substep so far
        untied_impulse: wp.array(dtype=vec6)  # the same without the contacts of this pass that tie trees
        wrench: wp.array(dtype=vec6)  # impulse on the child, in its own axes, summed over the step
        lively: wp.array(dtype=wp.int32)  # some dof needs its rate
        heeded: wp.array(dtype=wp.int32)  # some dof needs its coordinate in passes
        known: wp.array(dtype=wp.int32)  # its coordinates are those of the bodies' present poses
        unsettled: wp.array(dtype=wp.int32)  # this pass has decided on a dof otherwise than the last one
        open_row: wp.array(dtype=wp.int32)  # the one that is free or gives; 6 for none, 7 for several
        anew: wp.array(dtype=wp.int32)  # what is held, what gives, or a direction is not what it was in the last pass
        acting: wp.array(dtype=wp.int32)  # it holds something
        felt: wp.array(dtype=wp.int32)  # its impulses are asked for
        plain: wp.array(dtype=wp.int32)  # its rows are hard or free throughout the step
        plain_row: wp.array(dtype=wp.int32)  # its open row then

    @wp.struct
    class DofWork:
        """Scratch of one substep, one entry a dof."""

        q: wp.array(dtype=scalar)
        q0: wp.array(dtype=scalar)  # at the start of the substep
        rate0: wp.array(dtype=scalar)  # half a substep before that
        read0: wp.array(dtype=scalar)  # the same as the directions of the substep read it
        read: wp.array(dtype=scalar)  # and as they read it now
        turn: wp.array(dtype=scalar)  # how much the last turn of the directions has changed what they read
        effort: wp.array(dtype=scalar)  # on a rotor, which takes its share before the bodies do
        hold: wp.array(dtype=scalar)  # stiffness of dry friction that gives way, in late passes; it never rises there
        rate_end: wp.array(dtype=scalar)  # half a substep after it, as its directions read it
        inertia: wp.array(dtype=scalar)  # of the two bodies alone
        goal: wp.array(dtype=scalar)  # what the drive aims at
        stop: wp.array(dtype=wp.int32)  # at its lower (-1) or upper (1) bound
        slides: wp.array(dtype=wp.int32)  # sign of the friction while it slides
        saturated: wp.array(dtype=wp.int32)  # sign of the drive's effort while it is at its limit

    @wp.struct
    class LoopWork:
        """Scratch of one pass, one entry a row; a row reads the displacement of up to four bodies."""

        matrix: wp.array(dtype=scalar)
        error: wp.array(dtype=scalar)
        compliance: wp.array(dtype=scalar)
        impulse: wp.array(dtype=scalar)
        held: wp.array(dtype=wp.int32)
        body: wp.array(dtype=wp.int32)  # four a row; -1 for none
        reads: wp.array(dtype=vec6)  # four a row
        load: wp.array(dtype=vec6)  # from here on, one entry a body
        move: wp.array(dtype=vec6)

    @wp.struct
    class Options:
        """How a step is made."""

        substeps: wp.int32
        iterations: wp.int32
        sweeps: wp.int32  # joints one after the other, not directly
        reactions: wp.int32  # sum what joints do to their children
        linear_compliance: scalar  # [m/N]
        angular_compliance: scalar  # [rad/(N m)]
        linear_relaxation: scalar
        angular_relaxation: scalar
        contact_relaxation: scalar
        contact_weighting: wp.int32  # share that among the contacts of two bodies
        coloured: wp.int32  # which islands are, a number of `Coloured`
        angular_damping: scalar  # [1/s]

    structs = (Bodies, Joints, Loops, Shapes, Contacts, Rows, State, Control, Link, Work, JointWork, DofWork, LoopWork)
    structs = (*structs, Options)
    kinds = (vec3, vec4, vec6, quat, mat33, mat66, transform, *structs)
    return Precision(name, scalar, np.dtype(name).type, *kinds)
