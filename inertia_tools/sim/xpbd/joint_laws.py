# SPDX-FileCopyrightText: The inertia_tools authors
# SPDX-License-Identifier: Apache-2.0
"""What acts on a degree of freedom: drive, spring, damper, rotor, dry friction, and bounds.

All that is linear is one implicit spring in each substep. With s = k h^2 and weights a, b, c on the positions after, at
and before the substep's start, the force of a spring is -k (a q1 + b q0 + c q-1 - target). The weights (1, 10, 1)/12
follow a slow oscillator to the fourth order (Numerov 1924), (1, 0, 0) is stable for any stiffness (backward Euler); the
inertia of the two bodies tells which is needed. A damper is central or backward likewise. A rotor resists what momenta
have gained of rate since the start of the substep, which is not a difference of positions. What is not linear (dry
friction, limits of effort) is a row that is held, or a constant effort; passes settle which, as for contacts, and leave
to Newton's method what they do not settle (`solve/bounded_laws.py`).
"""

from functools import lru_cache
from types import SimpleNamespace
from typing import Any

import warp as wp

from inertia_tools.sim.device.precision import Precision
from inertia_tools.sim.xpbd.joint_targets import target_functions
from inertia_tools.sim.xpbd.linear_algebra import algebra_functions
from inertia_tools.sim.xpbd.places import place

SLOW, FAST = 0.5, 2.0
"""Squared phase of an oscillator in a substep up to which it is followed exactly, and from which it is damped."""

AFTER_WHEN_SLOW = 1.0 / 12.0
"""Weight of the position after the substep where the phase is small."""

LATE = 5
"""From this pass on dry friction and drives with a limit are terms of the merit function (`solve/bounded_laws.py`).

Passes may go round in a ring, where what sticks or yields here slides there, and the other way round.
"""

LEFT, HELD, SPRUNG = 0.0, 1.0, 2.0
"""A row is left alone (but for a push), held at a position, or held by a spring."""


@lru_cache(maxsize=2)
def law_functions(p: Precision) -> Any:
    """Return the device functions of one precision."""
    scalar, vec3, vec4 = p.scalar, p.vec3, p.vec4
    Bodies, Joints, Control, Work = p.references("Bodies", "Joints", "Control", "Work")
    JointWork, Joint, Dof = p.references("JointWork", "Joint", "Dof")
    algebra, rate_limit = algebra_functions(p), target_functions(p).rate_limit
    mobility_of_rows, inertia_of_row = algebra.mobility_of_rows, algebra.inertia_of_row
    inertia_of_free_row, all_rows = algebra.inertia_of_free_row, wp.constant(63)
    slow, span = wp.constant(scalar(SLOW)), wp.constant(scalar(FAST - SLOW))
    after_when_slow = wp.constant(scalar(AFTER_WHEN_SLOW))
    least = wp.constant(scalar(1.0e-30))
    late = wp.constant(LATE)
    left, held, sprung = (wp.constant(scalar(kind)) for kind in (LEFT, HELD, SPRUNG))

    @wp.func
    def stiffness_of(joints: Joints, d: int) -> scalar:
        """Return the stiffness of a drive that gives; one that holds rigidly has none here."""
        ke = joints.target_ke[d]
        if wp.isinf(ke):
            return scalar(0.0)
        return ke

    @wp.func
    def needs_any_rate(joints: Joints, j: int) -> int:
        """Tell whether some degree of freedom of a joint needs its rate."""
        for k in range(joints.dof_number[j]):
            d = place(joints.first_dof[j] + k)
            linear = stiffness_of(joints, d) + joints.target_kd[d] + joints.damping[d] + joints.stiffness[d]
            if linear + joints.armature[d] + joints.friction[d] > scalar(0.0):
                return int(1)
            if not wp.isinf(rate_limit(joints, d)):
                return int(1)
            if wp.isinf(joints.target_ke[d]) and not wp.isinf(joints.effort_limit[d]):
                return int(1)
        return int(0)

    @wp.func
    def is_heeded(bodies: Bodies, joints: Joints, j: int, needs_rate: int) -> int:
        """Tell whether passes need a coordinate of a joint: for a law, a limit, or a coupling."""
        if needs_rate == 1 or bodies.simple[joints.child[j]] == 0:
            return int(1)
        for k in range(joints.dof_number[j]):
            d = place(joints.first_dof[j] + k)
            if wp.isinf(joints.target_ke[d]) or not (wp.isinf(joints.lower[d]) and wp.isinf(joints.upper[d])):
                return int(1)
        return int(0)

    @wp.func
    def has_rotor(joints: Joints, j: int) -> bool:
        """Tell whether some degree of freedom of a joint has a rotor."""
        total = scalar(0.0)
        for k in range(joints.dof_number[j]):
            total += joints.armature[joints.first_dof[j] + k]
        return total > scalar(0.0)

    @wp.func(inline=False)
    def find_inertia(bodies: Bodies, joints: Joints, work: Work, jw: JointWork, j: int):
        """Find the inertia that each degree of freedom shows when nothing but this joint holds its two bodies."""
        j = place(j)
        first = joints.first_dof[j]
        if joints.hard[j] == all_rows - (int(1) << joints.row[first]):
            jw.dof[first].inertia = inertia_of_free_row(bodies, joints, work, jw.joint[j], j, joints.row[first])
            return
        a = mobility_of_rows(bodies, joints, work, jw.joint[j], j)
        for k in range(joints.dof_number[j]):
            d = joints.first_dof[j] + k
            jw.dof[d].inertia = inertia_of_row(a, joints.hard[j], joints.row[d])

    @wp.func
    def urgency(joints: Joints, dof: Dof, d: int, h: scalar) -> scalar:
        """Return 0 where the motion can be followed exactly, 1 where it must be damped."""
        inertia = dof.inertia + joints.armature[d] + least
        phase = (stiffness_of(joints, d) + joints.stiffness[d]) * h * h / inertia
        decay = (joints.target_kd[d] + joints.damping[d]) * h / inertia
        return wp.clamp((phase + decay - slow) / span, scalar(0.0), scalar(1.0))

    @wp.func
    def sliding(joints: Joints, dof: Dof, d: int, h: scalar) -> int:
        """Return the sign of dry friction, or 0 where there is none, or it can stop the motion within the substep."""
        if joints.friction[d] == scalar(0.0):
            return int(0)
        v = dof.rate0
        if wp.abs(v) * (dof.inertia + joints.armature[d]) > joints.friction[d] * h:
            return -int(wp.sign(v))
        return int(0)

    @wp.func
    def linear_law(joints: Joints, control: Control, dof: Dof, d: int) -> vec3:
        """Return (x, y, z) of effort = x - y position - z velocity."""
        ke, kd, ks = stiffness_of(joints, d), joints.target_kd[d], joints.stiffness[d]
        pull = ke * dof.goal + kd * control.target_vel[d] + ks * joints.springref[d]
        pull = pull + scalar(dof.slides) * joints.friction[d]
        return vec3(pull, ke + ks, kd + joints.damping[d])

    @wp.func
    def set_in(joints: Joints, control: Control, dof: Dof, d: int, then: vec3, h: scalar) -> scalar:
        """Return the effort that makes up for a law that has changed since the state was found.

        Momenta are half a substep behind, brought there by the effort of then: half of what has changed is too much.
        """
        dof.slides = sliding(joints, dof, d, h)
        now = linear_law(joints, control, dof, d)
        most = joints.effort_limit[d]
        q, v = dof.q0, dof.rate0
        effort_now = wp.clamp(now[0] - now[1] * q - now[2] * v, -most, most)
        effort_then = wp.clamp(then[0] - then[1] * q - then[2] * v, -most, most)
        return scalar(-0.5) * (scalar(1.0) - urgency(joints, dof, d, h)) * (effort_now - effort_then)

    @wp.func
    def spring(stiffness: scalar, damping: scalar, rest: scalar, rest_rate: scalar, q: scalar, q0: scalar, v0: scalar,
               damped: scalar, h: scalar) -> vec3:  # fmt: skip
        """Return stiffness and present pull (s, s (goal - q), 0) of the implicit spring that stands for two forces."""
        after = after_when_slow + (scalar(1.0) - after_when_slow) * damped
        before = after_when_slow * (scalar(1.0) - damped)
        now = scalar(1.0) - after - before
        s = stiffness * h * h
        pull = s * (rest - after * q - now * q0 - before * (q0 - h * v0))
        backward = scalar(0.5) + scalar(0.5) * damped
        d = damping * h
        resist = d * (backward * (q0 - q) + h * rest_rate - (scalar(1.0) - backward) * h * v0)
        return vec3(after * s + backward * d, pull + resist, scalar(0.0))

    @wp.func
    def bound_drive(joint: Joint, row: int, drive: vec3, strongest: scalar):
        """Leave a drive to Newton's method, as an implicit spring that gives so much at most."""
        stiffness, way, bound = joint.drive_stiffness, joint.drive_way, joint.drive_bound
        stiffness[row] = wp.float64(drive[0])
        way[row] = -wp.float64(drive[1]) / wp.float64(drive[0])
        bound[row] = wp.float64(strongest)
        joint.drive_stiffness = stiffness
        joint.drive_way = way
        joint.drive_bound = bound

    @wp.func(inline=False)
    def decide(joints: Joints, control: Control, joint: Joint, dof: Dof, d: int, turn: int, h: scalar) -> vec4:
        """Return what to do with the row of a degree of freedom in a pass: (kind, error, compliance, push)."""
        d = place(d)
        row = joints.row[d]
        q = dof.q
        given = joint.impulse[row]
        low, high = dof.low, dof.high
        if joint.needs_rate == 0:
            return decide_simply(joints, joint, dof, d, q, given, low, high, turn)
        q0, v0 = dof.q0, dof.rate0
        damped = urgency(joints, dof, d, h)
        holds = wp.isinf(joints.target_ke[d])
        goal = dof.goal
        drive = spring(stiffness_of(joints, d), joints.target_kd[d], goal, control.target_vel[d], q, q0, v0, damped, h)
        own = spring(joints.stiffness[d], joints.damping[d], joints.springref[d], scalar(0.0), q, q0, v0, damped, h)
        if joints.armature[d] > scalar(0.0):
            gained = dof.read - dof.read0 - dof.turn
            own = own + vec3(joints.armature[d], h * (h * dof.effort - joints.armature[d] * gained), scalar(0.0))
        strongest, grip = joints.effort_limit[d] * h * h, joints.friction[d] * h * h
        is_merit = turn >= late and not holds and drive[0] > scalar(0.0) and not wp.isinf(strongest)
        saturated, slides, stop = int(dof.saturated), int(dof.slides), int(dof.stop)
        if turn == 0:
            saturated, slides, stop = int(0), int(0), int(0)
            inertia = dof.inertia + joints.armature[d]
            slides = sliding(joints, dof, d, h)
            asked = drive[1] / (scalar(1.0) + drive[0] / (inertia + own[0] + least))
            if wp.abs(asked) > strongest:
                saturated = int(wp.sign(asked))
            if drive[0] == scalar(0.0) and not holds:
                stop = beyond(q, low, high)
        else:
            known = own[1] + scalar(slides) * grip
            if turn > late:
                known = own[1] + scalar(joint.lambda_friction[row])
            if is_merit:
                known = known + wp.clamp(drive[1], -strongest, strongest)
            elif saturated != 0:
                known = known + scalar(saturated) * strongest
            elif not holds:
                known = known + drive[1]
            rest = given - known  # what held rows have given
            if holds and saturated == 0:
                stop = int(0)
            elif stop == 0:
                stop = beyond(q, low, high)
            elif rest * scalar(stop) > scalar(0.0) and low < high:
                stop = int(0)  # it would pull
            if stop == 0:
                if holds:
                    if saturated == 0 and wp.abs(rest) > strongest:
                        saturated = int(wp.sign(rest))
                    elif saturated != 0 and scalar(saturated) * (goal - q) < scalar(0.0):
                        saturated = int(0)
                else:
                    asked = drive[1]
                    saturated = int(0)
                    if wp.abs(asked) > strongest and not is_merit:
                        saturated = int(wp.sign(asked))
                    if grip == scalar(0.0):
                        slides = int(0)
                    elif turn < late and slides == 0 and wp.abs(rest) > grip:
                        slides = int(wp.sign(rest))
                    elif turn < late and slides != 0 and (q - q0) * scalar(slides) > scalar(0.0):
                        slides = int(0)
        if turn > 0 and (saturated != dof.saturated or slides != dof.slides or stop != dof.stop):
            joint.unsettled = int(1)
        dof.saturated = saturated
        dof.slides = slides
        dof.stop = stop
        if stop != 0 or low == high:
            return vec4(held, q - wp.clamp(q, low, high), scalar(0.0), scalar(0.0))
        if holds and saturated == 0:
            return vec4(held, q - goal, scalar(0.0), scalar(0.0))
        total = own
        push = scalar(slides) * grip
        if grip > scalar(0.0) and turn >= late:
            push = scalar(0.0)
        elif grip > scalar(0.0) and slides == 0:
            return vec4(held, q - q0, scalar(0.0), scalar(0.0))
        if is_merit:
            bound_drive(joint, row, drive, strongest)
        elif saturated != 0:
            push = push + scalar(saturated) * strongest
        else:
            total = total + drive
        if total[0] > scalar(0.0):
            compliance = scalar(1.0) / total[0]
            return vec4(sprung, compliance * ((given - push) - total[1]), compliance, scalar(0.0))
        return vec4(left, scalar(0.0), scalar(0.0), push - given)

    @wp.func
    def decide_simply(
        joints: Joints,
        joint: Joint,
        dof: Dof,
        d: int,
        q: scalar,
        given: scalar,
        lower: scalar,
        upper: scalar,
        turn: int,
    ) -> vec4:
        """Decide on a degree of freedom that is free between its limits, or held rigidly."""
        if wp.isinf(joints.target_ke[d]):
            return vec4(held, q - dof.goal, scalar(0.0), scalar(0.0))
        stop = int(dof.stop)
        if turn == 0:
            stop = int(0)
        back = scalar(0.0)
        if stop != 0:
            back = -given  # what was not held has given nothing but rounding
        if stop == 0:
            stop = beyond(q, lower, upper)
        elif given * scalar(stop) > scalar(0.0) and lower < upper:
            stop = int(0)  # it would pull
        if turn > 0 and stop != dof.stop:
            joint.unsettled = int(1)
        dof.stop = stop
        if stop != 0 or lower == upper:
            return vec4(held, q - wp.clamp(q, lower, upper), scalar(0.0), scalar(0.0))
        return vec4(left, scalar(0.0), scalar(0.0), back)

    @wp.func
    def beyond(q: scalar, lower: scalar, upper: scalar) -> int:
        """Tell which bound a coordinate is beyond, if any."""
        if q < lower:
            return int(-1)
        if q > upper:
            return int(1)
        return int(0)

    return SimpleNamespace(
        needs_any_rate=needs_any_rate,
        is_heeded=is_heeded,
        has_rotor=has_rotor,
        find_inertia=find_inertia,
        linear_law=linear_law,
        set_in=set_in,
        decide=decide,
    )
