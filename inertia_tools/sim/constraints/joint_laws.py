# SPDX-FileCopyrightText: The inertia_tools authors
# SPDX-License-Identifier: Apache-2.0
"""Laws of a degree of freedom: drive, spring, damper, rotor, dry friction, and limits.

The linear ones are one implicit spring in each substep. With s = k h^2 (where substeps change their length, one h is
the mean of both) and weights a, b, c on the positions after, at and before the substep's start, the force of a spring
is -k (a q1 + b q0 + c q-1 - target). The weights (1, 10, 1)/12 follow a slow oscillator to the fourth order (Numerov
1924), (1, 0, 0) is stable for any stiffness (backward Euler); the inertia of the two bodies determines which is needed.
A damper is central or backward likewise. A rotor resists the rate that momenta have gained since the start of the
substep, which is not a difference of positions.

The non-linear ones (dry friction, effort limits, position limits) are piecewise: on each piece the row is locked, free
with a constant effort, or a spring. Outer iterates choose the pieces, as for contacts. Pieces on which they do not
agree are left to Newton's method (`constraints/bounded_laws.py`).
"""

from enum import IntEnum
from functools import lru_cache
from types import SimpleNamespace
from typing import Any

import warp as wp

from inertia_tools.sim.constraints.joint_targets import target_functions
from inertia_tools.sim.kernels.constants import (
    DRY_FRICTION_STIFFNESS,
    FAST_PHASE_SQUARED,
    LIMIT_WARM_START_TOLERANCE,
    MERIT_LAWS_FROM,
    SLOW_PHASE_SQUARED,
)
from inertia_tools.sim.kernels.linear_algebra import algebra_functions
from inertia_tools.sim.kernels.nonnegative_index import nonnegative_index
from inertia_tools.sim.kernels.precision import Precision
from inertia_tools.sim.kernels.scene_types import scene_type

WARM_START_ALLOWED, WARM_START_USED, WARM_START_REJECTED = 1, 2, 3
"""States of `Joint.limit_warm_start`: limits active in the last substep may start active, one does, one would pull."""

FREE, LOCKED, COMPLIANT_ROW = 0.0, 1.0, 2.0
"""Kinds of a row in an iterate: free (with an impulse), locked at a position, or a spring."""


class JointPlace(IntEnum):
    """Place of a joint in its island: in a tree, in a tree with loops, or closing a loop."""

    TREE = 0
    BESIDE_LOOPS = 1
    CLOSING = 2


@lru_cache(maxsize=2)
def joint_law_functions(p: Precision) -> Any:
    """Return the device functions of one precision."""
    Scene = wp.ref[scene_type(p)]
    scalar, vec3, vec4 = p.scalar, p.vec3, p.vec4
    (Joints,) = p.references("Joints")
    Joint, Dof = p.references("Joint", "Dof")
    algebra, rate_limit = algebra_functions(p), target_functions(p).rate_limit
    mobility_of_rows, inertia_of_row = algebra.mobility_of_rows, algebra.inertia_of_row
    inertia_of_free_row, all_rows = algebra.inertia_of_free_row, wp.constant(63)
    slow, span = wp.constant(scalar(SLOW_PHASE_SQUARED)), wp.constant(scalar(FAST_PHASE_SQUARED - SLOW_PHASE_SQUARED))
    least = wp.constant(scalar(1.0e-30))
    closing, beside_loops = wp.constant(int(JointPlace.CLOSING)), wp.constant(int(JointPlace.BESIDE_LOOPS))
    friction_stiffness = wp.constant(scalar(DRY_FRICTION_STIFFNESS))
    merit_from, at_limit = wp.constant(MERIT_LAWS_FROM), wp.constant(wp.float64(LIMIT_WARM_START_TOLERANCE[p.name]))
    warm_start_used, warm_start_rejected = wp.constant(WARM_START_USED), wp.constant(WARM_START_REJECTED)
    free_row, locked, compliant_row = (wp.constant(scalar(kind)) for kind in (FREE, LOCKED, COMPLIANT_ROW))

    @wp.struct
    class Laws:
        """The laws of a degree of freedom in an iterate; springs are (s, s (goal - q), 0), see `spring`.

        Bounds are those of impulses in the substep, times its length.
        """

        drive: vec3
        passive: vec3  # spring, damper and rotor of the joint itself
        friction_spring: vec3  # sticking friction of a joint that closes a loop, or zero
        effort_bound: scalar
        friction_bound: scalar
        is_rigid: wp.bool  # the drive is rigid
        in_merit: wp.bool  # the drive is a term of the merit function

    @wp.func
    def stiffness_of(joints: Joints, d: int) -> scalar:
        """Return the stiffness of a drive; zero for a rigid one."""
        ke = joints.target_ke[d]
        if wp.isinf(ke):
            return scalar(0.0)
        return ke

    @wp.func
    def needs_any_rate(joints: Joints, j: int) -> int:
        """Return whether the laws of a joint need the rate of some degree of freedom."""
        for k in range(joints.dof_number[j]):
            d = nonnegative_index(joints.first_dof[j] + k)
            linear = stiffness_of(joints, d) + joints.target_kd[d] + joints.damping[d] + joints.stiffness[d]
            if linear + joints.armature[d] + joints.friction[d] > scalar(0.0):
                return int(1)
            if not wp.isinf(rate_limit(joints, d)):
                return int(1)
            if wp.isinf(joints.target_ke[d]) and not wp.isinf(joints.effort_limit[d]):
                return int(1)
        return int(0)

    @wp.func
    def needs_any_coordinate(scene: Scene, j: int, needs_rate: int) -> int:
        """Return whether iterates need a coordinate of a joint: for a law, a limit, or a coupling."""
        if needs_rate == 1 or scene.bodies.simple[scene.joints.child[j]] == 0:
            return int(1)
        for k in range(scene.joints.dof_number[j]):
            d = nonnegative_index(scene.joints.first_dof[j] + k)
            if wp.isinf(scene.joints.target_ke[d]) or not (
                wp.isinf(scene.joints.lower[d]) and wp.isinf(scene.joints.upper[d])
            ):
                return int(1)
        return int(0)

    @wp.func
    def has_rotor(joints: Joints, j: int) -> bool:
        """Return whether some degree of freedom of a joint has a rotor."""
        total = scalar(0.0)
        for k in range(joints.dof_number[j]):
            total += joints.armature[joints.first_dof[j] + k]
        return total > scalar(0.0)

    @wp.func(inline=False)
    def find_inertia(scene: Scene, j: int):
        """Compute the effective inertia of each degree of freedom, with no other constraint on its two bodies."""
        j = nonnegative_index(j)
        first = scene.joints.first_dof[j]
        if scene.joints.hard[j] == all_rows - (int(1) << scene.joints.row[first]):
            scene.dof[first].inertia = inertia_of_free_row(scene, scene.joint[j], j, scene.joints.row[first])
            return
        a = mobility_of_rows(scene, scene.joint[j], j)
        for k in range(scene.joints.dof_number[j]):
            d = scene.joints.first_dof[j] + k
            scene.dof[d].inertia = inertia_of_row(a, scene.joints.hard[j], scene.joints.row[d])

    @wp.func
    def previous_fraction(joint: Joint, h: scalar) -> scalar:
        """Return the part of `force_time` that belongs to the last substep."""
        return scalar(1.0) - scalar(0.5) * h / joint.force_time

    @wp.func
    def damping_weight(joints: Joints, dof: Dof, d: int, h: scalar) -> scalar:
        """Return 0 where the oscillation can be integrated exactly, 1 where it must be damped."""
        inertia = dof.inertia + joints.armature[d] + least
        phase = (stiffness_of(joints, d) + joints.stiffness[d]) * h * h / inertia
        decay = (joints.target_kd[d] + joints.damping[d]) * h / inertia
        return wp.clamp((phase + decay - slow) / span, scalar(0.0), scalar(1.0))

    @wp.func
    def initial_friction_sign(joints: Joints, joint: Joint, dof: Dof, d: int) -> int:
        """Return the sign of sliding friction; 0 without friction, or if it can stop the motion in the substep."""
        if joints.friction[d] == scalar(0.0):
            return int(0)
        v = dof.rate0
        if wp.abs(v) * (dof.inertia + joints.armature[d]) > joints.friction[d] * joint.force_time:
            return -int(wp.sign(v))
        return int(0)

    @wp.func
    def law_of(scene: Scene, dof: Dof, d: int) -> vec4:
        """Return (x, y, z, f) of the effort x - y position - z velocity + f, with f the sliding friction."""
        ke, kd, ks = stiffness_of(scene.joints, d), scene.joints.target_kd[d], scene.joints.stiffness[d]
        pull = ke * scalar(dof.target) + kd * scene.control.target_vel[d] + ks * scalar(dof.spring_rest)
        return vec4(pull, ke + ks, kd + scene.joints.damping[d], scalar(dof.friction_sign) * scene.joints.friction[d])

    @wp.func
    def transition_effort(scene: Scene, joint: Joint, dof: Dof, d: int, last_law: vec4, h: scalar) -> scalar:
        """Return the effort that corrects for a law changed since the last step.

        Momenta lag by half of the last substep, in which the effort of the old law (`last_law`) acts. Friction sets in
        where there was none. Where there was friction, iterates find whether it continues, reverses or sticks.
        """
        dof.friction_sign = initial_friction_sign(scene.joints, joint, dof, d)
        law = law_of(scene, dof, d)
        most = scene.joints.effort_limit[d]
        q, v = scalar(dof.q0), dof.rate0
        effort_now = wp.clamp(law[0] - law[1] * q - law[2] * v, -most, most)
        effort_then = wp.clamp(last_law[0] - last_law[1] * q - last_law[2] * v, -most, most)
        if last_law[3] == scalar(0.0):
            effort_now = effort_now + law[3]
        return (
            previous_fraction(joint, h)
            * (scalar(1.0) - damping_weight(scene.joints, dof, d, h))
            * (effort_then - effort_now)
        )

    @wp.func
    def spring(
        stiffness: scalar,
        damping: scalar,
        rest: scalar,
        rest_rate: scalar,
        displacement: scalar,
        v0: scalar,
        damped: scalar,
        h: scalar,
        force_time: scalar,
    ) -> vec3:
        """Return stiffness and present impulse (s, s (goal - q), 0) of the implicit spring of two linear forces.

        Rest position and displacement are relative to the start of the substep. Where the phase is small, the mean
        force from the middle of the last substep to that of this one is exact to the third order: Numerov's weights for
        equal substeps, and those of a start where the last one has no length.
        """
        last = wp.min(scalar(2.0) * force_time / h - scalar(1.0), scalar(1.0))
        before = (last * (last + scalar(1.0)) - scalar(1.0)) / (scalar(6.0) * (last + scalar(1.0)))
        after = before + (scalar(1.0) - last) / scalar(3.0)
        weight_after = after + (scalar(1.0) - after) * damped
        weight_before = before * (scalar(1.0) - damped)
        s = stiffness * h * force_time
        pull = s * (rest - weight_after * displacement + weight_before * h * v0)
        backward = (scalar(2.0) + last) / (scalar(3.0) * (scalar(1.0) + last))
        backward = backward + (scalar(1.0) - backward) * damped
        d = damping * force_time
        resist = d * (h * rest_rate - backward * displacement - (scalar(1.0) - backward) * h * v0)
        return vec3(weight_after * s + backward * d, pull + resist, scalar(0.0))

    @wp.func
    def add_drive_term(joint: Joint, row: int, drive: vec3, effort_bound: scalar):
        """Make a drive a term of the merit function: an implicit spring with a bounded impulse."""
        stiffness, displacement, bound = joint.drive_stiffness, joint.drive_displacement, joint.drive_bound
        stiffness[row] = wp.float64(drive[0])
        displacement[row] = -wp.float64(drive[1]) / wp.float64(drive[0])
        bound[row] = wp.float64(effort_bound)
        joint.drive_stiffness = stiffness
        joint.drive_displacement = displacement
        joint.drive_bound = bound

    @wp.func
    def first_pieces(joints: Joints, joint: Joint, dof: Dof, d: int, laws: Laws) -> wp.vec3i:
        """Return the pieces of the laws in the first iterate: signs of saturation, sliding friction, and active limit.

        Each is -1 or 1, or 0 where the drive is not saturated, friction sticks, or no limit is active.
        """
        saturation_sign, active_limit = int(0), int(0)
        inertia = dof.inertia + joints.armature[d]
        expected = laws.drive[1] / (scalar(1.0) + laws.drive[0] / (inertia + laws.passive[0] + least))
        if wp.abs(expected) > laws.effort_bound:
            saturation_sign = int(wp.sign(expected))
        if laws.is_rigid and wp.float64(dof.saturation_sign) * (dof.target - dof.q) > wp.float64(0.0):
            saturation_sign = int(dof.saturation_sign)  # as in the last substep
        if not laws.is_rigid and not wp.isinf(rate_limit(joints, d)):
            active_limit = limit_ahead(dof, laws, expected, inertia + laws.passive[0] + least)
        if (active_limit == 0 and not laws.is_rigid) and (
            laws.drive[0] == scalar(0.0) or laws.drive[1] * scalar(dof.active_limit) > scalar(0.0)
        ):
            active_limit = initial_limit(joint, dof)
        friction_sign = initial_friction_sign(joints, joint, dof, d)
        if laws.friction_spring[0] > scalar(0.0):
            friction_sign = friction_sign_of(laws.friction_spring[1], laws.friction_bound)
        return wp.vec3i(saturation_sign, friction_sign, active_limit)

    @wp.func
    def limit_ahead(dof: Dof, laws: Laws, drive_impulse: scalar, inertia: scalar) -> int:
        """Return the limit that free motion and the drive violate together, for a degree of freedom of limited rate.

        Its limits are as far away as it may move in a substep, so a wrong guess moves it little. Without the guess, a
        stiff drive at its largest rate takes the first iterate to its target, and rows are linearised there.
        """
        displacement = wp.clamp(drive_impulse, -laws.effort_bound, laws.effort_bound) / inertia
        return beyond(dof.q + wp.float64(displacement), dof.low, dof.high)

    @wp.func
    def initial_limit(joint: Joint, dof: Dof) -> int:
        """Return the active limit of the first iterate: one violated by free motion, or a warm-started one."""
        active_limit = beyond(dof.q, dof.low, dof.high)
        if active_limit == 0 and dof.active_limit != 0 and joint.limit_warm_start != 0:
            active_limit = beyond(dof.q0, dof.low + at_limit, dof.high - at_limit)
            if active_limit != 0:
                joint.limit_warm_start = warm_start_used
        return active_limit

    @wp.func
    def active_bound(dof: Dof) -> wp.float64:
        """Return the position of the active limit."""
        if dof.active_limit < 0:
            return dof.low
        return dof.high

    @wp.func
    def set_active_limit(joint: Joint, dof: Dof, active_limit: int, iteration: int):
        """Set the active limit; if a warm-started one is released, the warm start is rejected."""
        if iteration > 0 and joint.limit_warm_start == warm_start_used and dof.active_limit != 0 and active_limit == 0:
            joint.limit_warm_start = warm_start_rejected
        dof.active_limit = active_limit

    @wp.func
    def next_limit(dof: Dof, locked_impulse: scalar, is_rigid: bool) -> int:
        """Return the active limit of the next iterate; `locked_impulse` is that of the locked row."""
        if is_rigid and dof.saturation_sign == 0:
            return int(0)
        if dof.active_limit == 0:
            return beyond(dof.q, dof.low, dof.high)
        if locked_impulse * scalar(dof.active_limit) > scalar(0.0) and dof.low < dof.high:
            return int(0)  # it would pull
        return dof.active_limit

    @wp.func
    def next_saturation(dof: Dof, laws: Laws, locked_impulse: scalar) -> int:
        """Return the sign of a drive's effort in the next iterate if it is at its limit, else 0."""
        if laws.is_rigid:
            if dof.saturation_sign == 0 and wp.abs(locked_impulse) > laws.effort_bound:
                return int(wp.sign(locked_impulse))
            if dof.saturation_sign != 0 and wp.float64(dof.saturation_sign) * (dof.target - dof.q) < wp.float64(0.0):
                return int(0)
            return dof.saturation_sign
        if wp.abs(laws.drive[1]) > laws.effort_bound and not laws.in_merit:
            return int(wp.sign(laws.drive[1]))
        return int(0)

    @wp.func
    def may_be_in_merit(iteration: int, place: int) -> bool:
        """Return whether bounded laws are terms of the merit function in an iterate.

        Those of joints that close loops are not: their rows are no coordinates. See `JointPlace`.
        """
        return iteration >= merit_from and place != closing

    @wp.func
    def is_drive_in_merit(dof: Dof, laws: Laws, iteration: int, place: int) -> bool:
        """Return whether a drive with an effort limit is a term of the merit function in an iterate.

        It is so from the second one on, unless the first one confirms that the drive is saturated. Otherwise a stiff
        drive that a contact pushes in an iterate would exert its whole effort limit in the next one.
        """
        is_confirmed = laws.drive[1] * scalar(dof.saturation_sign) > laws.effort_bound
        return may_be_in_merit(iteration, place) or (iteration > 0 and place != closing and not is_confirmed)

    @wp.func
    def is_friction_in_merit(iteration: int, place: int) -> bool:
        """Return whether dry friction is a term of the merit function in an iterate.

        It is so in the first one of an island with loops: close to a singularity, loops would demand any impulse of a
        joint that friction locks.
        """
        return may_be_in_merit(iteration, place) or (iteration == 0 and place == beside_loops)

    @wp.func
    def spring_of_friction(joints: Joints, dof: Dof, d: int) -> vec3:
        """Return sticking friction of a joint that closes a loop, as an implicit spring; see `spring`.

        If it were locked, its impulse would be unbounded where the loop is at a dead point for this joint.
        """
        stiffness = friction_stiffness * (dof.inertia + joints.armature[d])
        return vec3(stiffness, -stiffness * scalar(dof.q - dof.q0), scalar(0.0))

    @wp.func
    def friction_sign_of(friction: scalar, friction_bound: scalar) -> int:
        """Return the sign of dry friction if it reaches its bound, else 0."""
        return wp.where(wp.abs(friction) < friction_bound, int(0), int(wp.sign(friction)))

    @wp.func
    def next_friction_sign(
        dof: Dof, locked_impulse: scalar, friction: scalar, friction_bound: scalar, iteration: int, place: int
    ) -> int:
        """Return the sign of dry friction in the next iterate if it slides, else 0; `friction` is its last impulse."""
        if friction_bound == scalar(0.0):
            return int(0)
        if iteration == 1 and place == beside_loops:
            return friction_sign_of(friction, friction_bound)
        if (
            (iteration < merit_from or place == closing)
            and dof.friction_sign == 0
            and wp.abs(locked_impulse) > friction_bound
        ):
            return int(wp.sign(locked_impulse))
        if (
            iteration < merit_from
            and dof.friction_sign != 0
            and (dof.q - dof.q0) * wp.float64(dof.friction_sign) > wp.float64(0.0)
        ):
            return int(0)
        return dof.friction_sign

    @wp.func
    def next_pieces(joint: Joint, dof: Dof, row: int, laws: Laws, iteration: int, place: int) -> wp.vec3i:
        """Return the pieces of the laws in the next iterate, as `first_pieces` does."""
        friction = scalar(dof.friction_sign) * laws.friction_bound
        if laws.friction_bound > scalar(0.0) and is_friction_in_merit(iteration - 1, place):
            friction = scalar(joint.lambda_friction[row])
        law_impulse = laws.passive[1] + friction
        if laws.in_merit:
            law_impulse = law_impulse + wp.clamp(laws.drive[1], -laws.effort_bound, laws.effort_bound)
        elif dof.saturation_sign != 0:
            law_impulse = law_impulse + scalar(dof.saturation_sign) * laws.effort_bound
        elif not laws.is_rigid:
            law_impulse = law_impulse + laws.drive[1]
        locked_impulse = joint.impulse[row] - law_impulse
        active_limit = next_limit(dof, locked_impulse, laws.is_rigid)
        if active_limit != 0:
            return wp.vec3i(dof.saturation_sign, dof.friction_sign, active_limit)
        friction_sign = int(dof.friction_sign)
        if not laws.is_rigid:
            friction_sign = next_friction_sign(dof, locked_impulse, friction, laws.friction_bound, iteration, place)
        return wp.vec3i(next_saturation(dof, laws, locked_impulse), friction_sign, active_limit)

    @wp.func
    def row_of(joint: Joint, dof: Dof, row: int, laws: Laws, iteration: int, place: int) -> vec4:
        """Return the row of a degree of freedom for the pieces of its laws; see `evaluate_dof`."""
        q, none = wp.float64(dof.q), scalar(0.0)
        if dof.active_limit != 0 or dof.low == dof.high:
            return vec4(locked, scalar(q - active_bound(dof)), none, none)
        if laws.is_rigid and dof.saturation_sign == 0:
            return vec4(locked, scalar(q - dof.target), none, none)
        total, extra_impulse = vec3(laws.passive), scalar(dof.friction_sign) * laws.friction_bound
        if laws.friction_bound > none and is_friction_in_merit(iteration, place):
            extra_impulse = none
        elif laws.friction_spring[0] > none and dof.friction_sign == 0:
            total = laws.passive + laws.friction_spring
        elif laws.friction_bound > none and dof.friction_sign == 0:
            return vec4(locked, scalar(q - dof.q0), none, none)
        if laws.in_merit:
            add_drive_term(joint, row, laws.drive, laws.effort_bound)
        elif dof.saturation_sign != 0:
            extra_impulse = extra_impulse + scalar(dof.saturation_sign) * laws.effort_bound
        else:
            total = total + laws.drive
        impulse = joint.impulse[row]
        if total[0] > none:
            compliance = scalar(1.0) / total[0]
            return vec4(compliant_row, compliance * ((impulse - extra_impulse) - total[1]), compliance, none)
        return vec4(free_row, none, none, extra_impulse - impulse)

    @wp.func
    def laws_of(scene: Scene, joint: Joint, dof: Dof, d: int, iteration: int, place: int, h: scalar) -> Laws:
        """Return the laws of a degree of freedom in an iterate."""
        laws = Laws()
        displacement, v0, damped = scalar(dof.q - dof.q0), dof.rate0, damping_weight(scene.joints, dof, d, h)
        ke, kd, rate = stiffness_of(scene.joints, d), scene.joints.target_kd[d], scene.control.target_vel[d]
        laws.drive = spring(ke, kd, scalar(dof.target - dof.q0), rate, displacement, v0, damped, h, joint.force_time)
        ks, damping, rest = scene.joints.stiffness[d], scene.joints.damping[d], scalar(dof.spring_rest - dof.q0)
        laws.passive = spring(ks, damping, rest, scalar(0.0), displacement, v0, damped, h, joint.force_time)
        if scene.joints.armature[d] > scalar(0.0):
            gained = dof.rotor_rate - dof.rotor_rate0
            rotor_impulse = joint.force_time * dof.rotor_effort - scene.joints.armature[d] * gained
            laws.passive = laws.passive + vec3(scene.joints.armature[d], h * rotor_impulse, scalar(0.0))
        laws.is_rigid = wp.isinf(scene.joints.target_ke[d])
        impulse_per_effort = h * joint.force_time
        laws.effort_bound = scene.joints.effort_limit[d] * impulse_per_effort
        laws.friction_bound = scene.joints.friction[d] * impulse_per_effort
        if place == closing and laws.friction_bound > scalar(0.0):
            laws.friction_spring = spring_of_friction(scene.joints, dof, d)
        laws.in_merit = is_drive_in_merit(dof, laws, iteration, place) and not laws.is_rigid
        laws.in_merit = laws.in_merit and laws.drive[0] > scalar(0.0) and not wp.isinf(laws.effort_bound)
        return laws

    @wp.func(inline=False)
    def evaluate_dof(scene: Scene, joint: Joint, dof: Dof, d: int, iteration: int, place: int, h: scalar) -> vec4:
        """Return the row of a degree of freedom in an iterate: (kind, error, compliance, impulse to apply)."""
        d = nonnegative_index(d)
        row = scene.joints.row[d]
        if joint.needs_rate == 0:
            return evaluate_simple_dof(scene.joints, joint, dof, d, iteration)
        laws = laws_of(scene, joint, dof, d, iteration, place, h)
        pieces = wp.vec3i()
        if iteration == 0:
            pieces = first_pieces(scene.joints, joint, dof, d, laws)
        else:
            pieces = next_pieces(joint, dof, row, laws, iteration, place)
        set_pieces(joint, dof, pieces, iteration)
        return row_of(joint, dof, row, laws, iteration, place)

    @wp.func
    def set_pieces(joint: Joint, dof: Dof, pieces: wp.vec3i, iteration: int):
        """Set the pieces of the laws, and record whether they differ from those of the last iterate."""
        if iteration > 0 and (
            pieces[0] != dof.saturation_sign or pieces[1] != dof.friction_sign or pieces[2] != dof.active_limit
        ):
            joint.active_set_changed = int(1)
        dof.saturation_sign = pieces[0]
        dof.friction_sign = pieces[1]
        set_active_limit(joint, dof, pieces[2], iteration)

    @wp.func
    def evaluate_simple_dof(joints: Joints, joint: Joint, dof: Dof, d: int, iteration: int) -> vec4:
        """Do the same for a degree of freedom that is free between its limits, or locked rigidly."""
        q, impulse = wp.float64(dof.q), joint.impulse[joints.row[d]]
        if wp.isinf(joints.target_ke[d]):
            return vec4(locked, scalar(q - dof.target), scalar(0.0), scalar(0.0))
        active_limit = int(dof.active_limit)
        released = scalar(0.0)
        if active_limit != 0 and iteration > 0:
            released = -impulse  # impulse of a free row is rounding only
        if iteration == 0:
            active_limit = initial_limit(joint, dof)
        elif active_limit == 0:
            active_limit = beyond(q, dof.low, dof.high)
        elif impulse * scalar(active_limit) > scalar(0.0) and dof.low < dof.high:
            active_limit = int(0)  # it would pull
        if iteration > 0 and active_limit != dof.active_limit:
            joint.active_set_changed = int(1)
        set_active_limit(joint, dof, active_limit, iteration)
        if active_limit != 0 or dof.low == dof.high:
            return vec4(locked, scalar(q - active_bound(dof)), scalar(0.0), scalar(0.0))
        return vec4(free_row, scalar(0.0), scalar(0.0), released)

    @wp.func
    def beyond(q: wp.float64, lower: wp.float64, upper: wp.float64) -> int:
        """Return -1 or 1 for a coordinate below or above its bounds, else 0."""
        if q < lower:
            return int(-1)
        if q > upper:
            return int(1)
        return int(0)

    return SimpleNamespace(
        needs_any_rate=needs_any_rate,
        needs_any_coordinate=needs_any_coordinate,
        has_rotor=has_rotor,
        find_inertia=find_inertia,
        previous_fraction=previous_fraction,
        law_of=law_of,
        stiffness_of=stiffness_of,
        transition_effort=transition_effort,
        evaluate_dof=evaluate_dof,
        is_friction_in_merit=is_friction_in_merit,
    )
