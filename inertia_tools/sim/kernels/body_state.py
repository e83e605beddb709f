# SPDX-FileCopyrightText: The inertia_tools authors
# SPDX-License-Identifier: Apache-2.0
"""Conversion of bodies between a state, which users see, and the arrays that a step works in.

The step keeps momenta half a substep before the poses (leapfrog); a state holds velocities at the time of the poses.
Writing a state extrapolates momenta to the pose (`momentum_at_pose`), and stores them beside it for the next reading.
Where a user has written the state, they are those at the pose, and the last substep has no length.
"""

from enum import IntFlag
from functools import lru_cache
from types import SimpleNamespace
from typing import Any

import warp as wp

from inertia_tools.sim.kernels.constants import IMPACT_RATIO, IMPACT_UNEVENNESS, SMOOTH_CURVATURE
from inertia_tools.sim.kernels.motion import motion_functions
from inertia_tools.sim.kernels.nonnegative_index import nonnegative_index
from inertia_tools.sim.kernels.precision import Precision
from inertia_tools.sim.kernels.scene_types import scene_type


class MomentumHistory(IntFlag):
    """Properties of the recent momenta of bodies, unless they are smooth; bodies that touch may share them."""

    NOT_SMOOTH = 1
    """A force has set in or ended."""
    IMPACT = 2
    """An impact has changed a momentum in this substep."""
    IMPACT_TWICE = 4
    """One has changed it in the last substep too."""
    UNSUPPORTED = 8
    """The bodies touch each other and no static body."""


@lru_cache(maxsize=2)
def state_functions(p: Precision) -> Any:
    """Return the device functions of one precision."""
    Scene = wp.ref[scene_type(p)]
    scalar, vec3, vec6, quat, transform = p.scalar, p.vec3, p.vec6, p.quat, p.transform
    Bodies, State, Body, Row = p.references("Bodies", "State", "Body", "Row")
    motion = motion_functions(p)
    smooth, impact_ratio, uneven = (
        wp.constant(scalar(number)) for number in (SMOOTH_CURVATURE, IMPACT_RATIO, IMPACT_UNEVENNESS)
    )
    not_smooth, impact, impact_twice, unsupported = (wp.constant(int(bit)) for bit in MomentumHistory)
    is_static = motion.is_static
    exact_rate, gravity_of, world_tensor = motion.exact_rate, motion.gravity_of, motion.world_tensor

    @wp.func(inline=True)
    def has_last_pose(bodies: Bodies, state: State, b: int) -> bool:
        """Return whether a body has the pose of the end of the last step, or of the start of the scene."""
        same = bool(state.version_last[b] == bodies.version[b])
        q, q_last = state.q[b], state.q_last[b]
        for i in range(7):
            same = same and q[i] == q_last[i]
        return same

    @wp.func
    def has_last_velocity(state: State, b: int) -> bool:
        """Return whether a body with that pose has the velocity of the end of the last step too."""
        qd, qd_last = state.qd[b], state.qd_last[b]
        same = bool(state.h_last[b] > scalar(0.0))
        for i in range(6):
            same = same and qd[i] == qd_last[i]
        return same

    @wp.func
    def impacts_at_limits(scene: Scene, j: int) -> int:
        """Return as bits whether a joint has reached a limit in this substep or the last one; stopping may take two."""
        impacts = int(0)
        for k in range(scene.joints.dof_number[j]):
            d = scene.joints.first_dof[j] + k
            stopped = int(0)
            if scene.dof[d].active_limit != 0:
                stopped = wp.min(scene.dof[d].limit_age + 1, 3)
                if stopped == 1:
                    impacts = impacts | 1
                if stopped == 2:
                    impacts = 3
            scene.dof[d].limit_age = stopped
        return impacts

    @wp.func
    def is_closing(scene: Scene, j: int, most: scalar) -> bool:
        """Return whether the impulse that closes a joint is more than forces do, up to `most`, and than rounding is."""
        if wp.length_sq(scene.joint[j].allowed_gap) > scalar(0.0):
            return True
        speed = scene.joint[j].closing_speed
        if speed <= most:
            return False
        b = wp.where(is_static(scene.bodies, scene.joints.child[j]), scene.joints.parent[j], scene.joints.child[j])
        v, spin = scene.body[b].v - scene.body[b].v_before, scene.body[b].spin - scene.body[b].spin_before
        return speed > smooth * (wp.length(v) + wp.length(scene.body[b].inv_tensor * spin))

    @wp.func
    def velocity_change(bodies: Bodies, body: Body, b: int, arm: vec3) -> vec3:
        """Return the change of the velocity at an arm of a body by the substep [m/s]."""
        if is_static(bodies, b):
            return vec3()
        return body.v - body.v_before + wp.cross(body.inv_tensor * (body.spin - body.spin_before), arm)

    @wp.func
    def is_blow(scene: Scene, row: Row, most: scalar, h: scalar) -> bool:
        """Return whether a contact has changed the velocity of its bodies by more than `most`, and at its point too."""
        if row.lambda_n * row.w_n <= h * most:
            return False
        a, b = row.body_a, row.body_b
        change_b = velocity_change(scene.bodies, scene.body[b], b, row.arm_b)
        return wp.dot(row.normal, velocity_change(scene.bodies, scene.body[a], a, row.arm_a) - change_b) > most

    @wp.func
    def note_impacts(scene: Scene, n: int, h: scalar):
        """Record in `Body.impact_flags` whether the substep had an impact: at a contact, a limit or an open joint.

        What holds a point still is a force and no blow, as where a robot starts on its feet, however light these are.
        """
        most = impact_ratio * h * scene.bodies.max_gravity[0]
        impacts = int(0)
        for i in range(scene.islands.first_joint[n], scene.islands.end_joint[n]):
            impacts = impacts | impacts_at_limits(scene, scene.islands.joint[i])
            j = scene.islands.joint[i]
            if is_closing(scene, j, most):
                impacts = impacts | 1
        for i in range(scene.islands.first_row[n], scene.islands.end_row[n]):
            k = scene.islands.row[i]
            if is_blow(scene, scene.rows.row[k], most, h):
                impacts = impacts | 1
        for i in range(scene.islands.first_body[n], scene.islands.end_body[n]):
            b = scene.islands.body[i]
            scene.body[b].impact_flags = (2 * (scene.body[b].impact_flags & 3)) | impacts

    @wp.func
    def note_free_impacts(scene: Scene, n: int, h: scalar):
        """Record in `Body.impact_flags` of free bodies whether the substep had an impact on them.

        Contacts then change the momentum by more than lasting forces do, and by more than twice as much as before. The
        momentum itself does not count, as it does for smooth motion: a fast body lands like a slow one.
        """
        for i in range(scene.islands.first_body[n], scene.islands.end_body[n]):
            b = scene.islands.body[i]
            v, before, earlier = scene.body[b].v, scene.body[b].v_before, scene.body[b].v_earlier
            push, _ = applied_impulses(scene.bodies, scene.body[b], b, h)
            gained, last, _ = momentum_changes(scene.body[b], v, before, earlier, push)
            sets_in = wp.length(gained - last) > wp.length(last - push)
            impacts = int(sets_in and wp.length(gained - push) > impact_ratio * wp.length(push))
            scene.body[b].impact_flags = (2 * (scene.body[b].impact_flags & 3)) | impacts

    @wp.func
    def momentum_changes(body: Body, half_back: vec3, before: vec3, earlier: vec3, by_forces: vec3):
        """Return the change of a momentum over a substep, that over the one before, and its second difference.

        The arguments are the momentum half a substep, one more and two more before the present pose, and the change by
        applied forces. A body in its first substep moved under these alone before.
        """
        two_h, both = scalar(2.0) * body.h, body.h_before + body.h_earlier
        gained = (two_h / (body.h + body.h_before)) * (half_back - before)
        if both == scalar(0.0):
            return gained, by_forces, vec3()
        last = (two_h / both) * (before - earlier)
        second_difference = ((body.h + scalar(0.5) * body.h_before) / (body.h + body.h_before + both)) * (gained - last)
        return gained, last, second_difference

    @wp.func
    def momentum_history(body: Body, half_back: vec3, before: vec3, earlier: vec3, by_forces: vec3) -> int:
        """Return the `MomentumHistory` of a momentum, which applied forces change by `by_forces` in a substep."""
        gained, last, second_difference = momentum_changes(body, half_back, before, earlier, by_forces)
        if body.impact_flags == 0 and wp.dot(second_difference, second_difference) <= smooth * smooth * wp.dot(
            half_back, half_back
        ):
            return int(0)
        most, size = impact_ratio * wp.length(by_forces), wp.length(gained - by_forces)
        goes_on = (body.impact_flags & 2) == 2
        if not (size > most and (goes_on or wp.length(gained - last) > uneven * size)):
            return int(not_smooth)
        if wp.length(last - by_forces) <= most:
            return int(not_smooth | impact)
        return int(not_smooth | impact | impact_twice)

    @wp.func
    def momentum_at_pose(
        body: Body, half_back: vec3, before: vec3, earlier: vec3, by_forces: vec3, is_free: int, shared: int
    ) -> vec3:
        """Extrapolate a momentum to the time of the pose, from its values half a substep, one more and two more before.

        Smooth motion is extrapolated to the third order, with the weights 15/8, -10/8 and 3/8 for equal substeps, other
        motion to the second order. `by_forces` is the change by applied forces over a substep. After an impact a free
        body gains that change if it is unsupported, else its gain before the impact without the component against it.
        Bodies on joints share their history, so that their velocities fit the joints; so do unsupported bodies that
        touch, so that their momenta add up.
        """
        bits = shared | momentum_history(body, half_back, before, earlier, by_forces)
        gained, last, second_difference = momentum_changes(body, half_back, before, earlier, by_forces)
        if is_free == 0 and (body.impact_flags & 1) == 1:
            if (body.impact_flags & 2) == 2:
                return half_back
            return half_back + scalar(0.5) * last
        if (bits & not_smooth) == not_smooth:
            second_difference = vec3()
        if is_free == 1 and (bits & impact) == impact:
            impact_change = gained - by_forces
            gained = vec3()
            if (bits & unsupported) == unsupported:
                gained = by_forces
            elif (bits & impact_twice) == 0:
                gained = last
                if wp.dot(last, impact_change) < scalar(0.0):
                    gained = last - (wp.dot(last, impact_change) / wp.dot(impact_change, impact_change)) * impact_change
        return half_back + (scalar(0.5) * gained + second_difference)

    @wp.func
    def read_pose(bodies: Bodies, state: State, body: Body, b: int):
        """Read the pose of a body, exact if it is that of the end of the last step."""
        q = state.q[b]
        r = wp.transform_get_rotation(q)
        there = has_last_pose(bodies, state, b)
        body.r = r
        body.pose_unchanged = int(there)
        if there:
            body.x = state.x_last[b]
            body.x_low = state.x_low_last[b]
            body.r_low = state.r_low_last[b]
        else:
            body.x = wp.transform_get_translation(q) + wp.quat_rotate(r, bodies.com[b])
            body.x_low = vec3()
            body.r_low = quat(scalar(0.0), scalar(0.0), scalar(0.0), scalar(0.0))

    @wp.func
    def read_last_momenta(state: State, body: Body, b: int):
        """Read the momenta and the substep lengths of the end of the last step."""
        body.v = state.v_last[b]
        body.v_low = state.v_low_last[b]
        body.spin = state.spin_last[b]
        body.spin_low = state.spin_low_last[b]
        body.v_before = state.v_before_last[b]
        body.spin_before = state.spin_before_last[b]
        body.h = state.h_last[b]
        body.h_before = state.h_before_last[b]
        body.nominal_h = state.nominal_h_last[b]
        body.impact_flags = state.impact_flags_last[b]
        body.force_time = body.h
        body.has_no_history = int(0)

    @wp.func
    def start_anew(bodies: Bodies, state: State, body: Body, b: int):
        """Take the momenta at the time of the pose from the velocity of the state, as after a substep of no length.

        The forces of the last step belong to another pose, or to another velocity.
        """
        qd = state.qd[b]
        body.has_no_history = int(1)
        body.impact_flags = int(0)
        body.h = scalar(0.0)
        body.h_before = scalar(0.0)
        body.v = vec3(qd[0], qd[1], qd[2])
        body.v_low = vec3()
        body.v_before = body.v
        body.spin = world_tensor(body.r, bodies.inertia[b]) * vec3(qd[3], qd[4], qd[5])
        body.spin_low = vec3()
        body.spin_before = body.spin

    @wp.func
    def read_body(bodies: Bodies, state: State, body: Body, b: int):
        """Read a body from the state: pose, and momenta half a substep before.

        Exact values that the last step stored beside the state replace rounded ones while the state is unchanged.
        """
        b = nonnegative_index(b)
        qd = state.qd[b]
        body.omega_free = vec3(qd[3], qd[4], qd[5])
        body.force = state.f[b]
        read_pose(bodies, state, body, b)
        if body.pose_unchanged == 1 and has_last_velocity(state, b):
            read_last_momenta(state, body, b)
            if bodies.inv_mass[b] > scalar(0.0):  # a change of gravity acts for half a substep only
                body.v -= scalar(0.5) * body.h * (gravity_of(bodies, b) - state.fall_last[b])
        else:
            start_anew(bodies, state, body, b)

    @wp.func
    def share_start(scene: Scene, n: int):
        """Let all bodies of an island start anew from their velocities if one of them does.

        Constraints would give the others impulses for a whole substep, and this one for half of it.
        """
        starts = bool(False)
        for i in range(scene.islands.first_body[n], scene.islands.end_body[n]):
            starts = starts or scene.body[scene.islands.body[i]].has_no_history == 1
        for i in range(scene.islands.first_joint[n], scene.islands.end_joint[n]):
            j = scene.islands.joint[i]
            parent = scene.joints.parent[j]
            starts = starts or scene.body[scene.joints.child[j]].has_no_history == 1
            if parent >= 0:
                starts = starts or scene.body[parent].has_no_history == 1
        if starts:
            for i in range(scene.islands.first_body[n], scene.islands.end_body[n]):
                b = scene.islands.body[i]
                if scene.body[b].has_no_history == 0:
                    start_anew(scene.bodies, scene.state_in, scene.body[b], b)

    @wp.func
    def applied_impulses(bodies: Bodies, body: Body, b: int, h: scalar):
        """Return the change of a velocity and of an angular momentum by gravity and applied forces in a substep."""
        f = body.force
        push = h * (gravity_of(bodies, b) + bodies.inv_mass[b] * vec3(f[0], f[1], f[2]))
        return push, h * vec3(f[3], f[4], f[5])

    @wp.func
    def is_supported(scene: Scene, n: int) -> bool:
        """Return whether an island has joints, or a loaded contact with a static body."""
        if scene.islands.jointed[n] == 1:
            return True
        for i in range(scene.islands.first_row[n], scene.islands.end_row[n]):
            k = scene.islands.row[i]
            a, b = scene.rows.row[k].body_a, scene.rows.row[k].body_b
            if scene.rows.row[k].lambda_n > scalar(0.0) and (is_static(scene.bodies, a) or is_static(scene.bodies, b)):
                return True
        return False

    @wp.func(inline=False)
    def shared_history(scene: Scene, n: int) -> int:
        """Return the `MomentumHistory` that unsupported bodies in contact share, or 0 for other islands."""
        if scene.islands.end_body[n] - scene.islands.first_body[n] < 2 or is_supported(scene, n):
            return int(0)
        bits = int(unsupported)
        for i in range(scene.islands.first_body[n], scene.islands.end_body[n]):
            b = scene.islands.body[i]
            push, twist = applied_impulses(scene.bodies, scene.body[b], b, scene.options[n].h)
            v, spin = scene.body[b].v, scene.body[b].spin
            bits = bits | momentum_history(scene.body[b], v, scene.body[b].v_before, scene.body[b].v_earlier, push)
            bits = bits | momentum_history(
                scene.body[b], spin, scene.body[b].spin_before, scene.body[b].spin_earlier, twist
            )
        return bits

    @wp.func
    def write_body(bodies: Bodies, state: State, body: Body, b: int, h: scalar, before: State, shared: int):
        """Write a body to the state, with velocities at the time of the pose; `shared` is from `shared_history`."""
        b = nonnegative_index(b)
        r = body.r
        state.q[b] = transform(body.x - wp.quat_rotate(r, bodies.com[b]), r)
        state.f_last[b] = before.f[b]
        state.fall_last[b] = gravity_of(bodies, b)
        if bodies.inv_mass[b] > scalar(0.0):
            push, twist = applied_impulses(bodies, body, b, h)
            is_free = bodies.is_free_body[b]
            v = momentum_at_pose(body, body.v, body.v_before, body.v_earlier, push, is_free, shared)
            spin = momentum_at_pose(body, body.spin, body.spin_before, body.spin_earlier, twist, is_free, shared)
            omega = exact_rate(bodies, body, b, spin)
            a, torque = (v - body.v) / (scalar(0.5) * h), (spin - body.spin) / (scalar(0.5) * h)
            state.qd[b] = vec6(v[0], v[1], v[2], omega[0], omega[1], omega[2])
            state.qdd[b] = vec6(a[0], a[1], a[2], torque[0], torque[1], torque[2])
        else:
            state.qd[b] = before.qd[b]
            state.qdd[b] = before.qdd[b]
        state.q_last[b] = state.q[b]
        state.qd_last[b] = state.qd[b]
        state.x_last[b] = body.x
        state.x_low_last[b] = body.x_low
        state.r_low_last[b] = body.r_low
        state.v_last[b] = body.v
        state.v_low_last[b] = body.v_low
        state.spin_last[b] = body.spin
        state.spin_low_last[b] = body.spin_low
        state.v_before_last[b] = body.v_before
        state.spin_before_last[b] = body.spin_before
        state.h_last[b] = h
        state.h_before_last[b] = body.h_before
        state.impact_flags_last[b] = body.impact_flags
        state.closes_joint[b] = int(0)
        state.version_last[b] = bodies.version[b]

    return SimpleNamespace(
        has_last_pose=has_last_pose,
        read_body=read_body,
        start_anew=start_anew,
        share_start=share_start,
        write_body=write_body,
        note_impacts=note_impacts,
        note_free_impacts=note_free_impacts,
        shared_history=shared_history,
    )
