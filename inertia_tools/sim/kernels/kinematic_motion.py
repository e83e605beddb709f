# SPDX-FileCopyrightText: The inertia_tools authors
# SPDX-License-Identifier: Apache-2.0
"""Motion of kinematic bodies: by the velocity of the state, or to poses that users write to it.

A body with a velocity moves on by it from its pose. For a body without one, a pose written since the last step is the
target at the end of this step: the body follows a path (`paths`) from its last pose. A target farther away than the
body's size, or turned by more than a quarter, is reached at once.
"""

from enum import IntEnum
from functools import lru_cache
from types import SimpleNamespace
from typing import Any

import warp as wp

from inertia_tools.sim.kernels.constants import KINEMATIC_RAMP, KINEMATIC_TURN
from inertia_tools.sim.kernels.joint_axes import axes_functions
from inertia_tools.sim.kernels.motion import motion_functions
from inertia_tools.sim.kernels.nonnegative_index import nonnegative_index
from inertia_tools.sim.kernels.paths import path_functions
from inertia_tools.sim.kernels.precision import Precision
from inertia_tools.sim.kernels.scene_types import scene_type


class MotionSource(IntEnum):
    """Source of the motion of a kinematic body in a step."""

    POSES = 0
    VELOCITY = 1
    """The velocity in the state; the body stays if it is zero."""
    TELEPORT = 2
    """A pose that was reached at once: the velocity of a path from there is not known."""
    PATH_CONTINUES = 3
    """The path of a step that has further launches; its rate is in the state."""


@lru_cache(maxsize=2)
def kinematic_functions(p: Precision) -> Any:
    """Return the device functions of one precision."""
    scalar, vec3, vec6, quat = p.scalar, p.vec3, p.vec6, p.quat
    Bodies, State, Body = p.references("Bodies", "State", "Body")
    Scene = wp.ref[scene_type(p)]
    axes, paths = axes_functions(p), path_functions(p)
    linear, angular, joined = axes.linear, axes.angular, axes.joined
    plan, advance, translate = paths.plan, paths.advance, motion_functions(p).translate
    ramp, farthest_turn = wp.constant(scalar(KINEMATIC_RAMP)), wp.constant(scalar(KINEMATIC_TURN))
    from_poses, from_velocity, teleported, path_continues = (wp.constant(int(source)) for source in MotionSource)
    half = wp.constant(scalar(0.5))

    @wp.func
    def is_zero(v: vec6) -> bool:
        return wp.dot(v, v) == scalar(0.0)

    @wp.func
    def rotated(r: quat, turn: vec3) -> quat:
        """Rotate an orientation by a rotation vector in world axes [rad]."""
        angle = wp.length(turn)
        if angle == scalar(0.0):
            return r
        return wp.normalize(wp.quat_from_axis_angle(turn / angle, angle) * r)

    @wp.func
    def rotation_vector(r: quat) -> vec3:
        v = vec3(r[0], r[1], r[2])
        sine = wp.length(v)
        if sine == scalar(0.0):
            return vec3()
        return (wp.where(r[3] < scalar(0.0), scalar(-2.0), scalar(2.0)) * wp.atan2(sine, wp.abs(r[3])) / sine) * v

    @wp.func
    def is_stepped(bodies: Bodies, state: State, b: int) -> bool:
        """Return whether a step has been made with a body."""
        return state.h_last[b] > scalar(0.0) and state.version_last[b] == bodies.version[b]

    @wp.func(inline=True)
    def written_displacement(bodies: Bodies, state: State, b: int) -> vec6:
        """Return displacement and rotation from a body's last pose to the written one [m, rad]; zero if too far."""
        if not is_stepped(bodies, state, b):
            return vec6()
        q = state.q[b]
        r = wp.transform_get_rotation(q)
        x = wp.transform_get_translation(q) + wp.quat_rotate(r, bodies.com[b])
        offset = (x - state.x_last[b]) - state.x_low_last[b]
        turn = rotation_vector(r * wp.quat_inverse(wp.transform_get_rotation(state.q_last[b])))
        size = scalar(2.0) * bodies.extent[b]
        if size > scalar(0.0) and (wp.length(offset) > size or wp.length(turn) > farthest_turn):
            return vec6()
        return joined(offset, turn)

    @wp.func(inline=True)
    def is_path_goal(bodies: Bodies, state: State, b: int) -> bool:
        """Return whether the written pose of a body is the target of a path in this step."""
        return is_zero(state.qd[b]) and not is_zero(written_displacement(bodies, state, b))

    @wp.func(inline=True)
    def expected_rate(bodies: Bodies, state: State, b: int, time: scalar) -> vec6:
        """Return the approximate velocity of a kinematic body in a launch of length `time` [s]."""
        if state.motion_source[b] == path_continues:
            return state.kinematic_rate[b]
        return state.qd[b] + written_displacement(bodies, state, b) / time

    @wp.func
    def plan_to_pose(bodies: Bodies, state: State, body: Body, b: int, offset: vec6, rate: vec6, time: scalar):
        """Plan the path of a body to a pose at displacement `offset`."""
        if state.motion_source[b] == teleported:
            body.path_rate = offset / time
            body.path_end = offset / time
            body.path_acceleration = vec6()
            body.path_acceleration_change = vec6()
            return
        gravity = bodies.max_gravity[0]
        last_acceleration, last_change = vec6(), vec6()
        if state.motion_source[b] == from_poses:
            last_acceleration = vec6(state.kinematic_acceleration[b])
            last_change = vec6(state.kinematic_acceleration_change[b])
        v, v_end, acceleration, change = plan(
            linear(offset), linear(rate), linear(last_acceleration), linear(last_change), time, gravity
        )
        reach = wp.max(bodies.extent[b], scalar(1.0e-30))
        omega, omega_end, angular_acceleration, turn_change = plan(
            angular(offset), angular(rate), angular(last_acceleration), angular(last_change), time, gravity / reach
        )
        body.path_rate = joined(v, omega)
        body.path_end = joined(v_end, omega_end)
        body.path_acceleration = joined(acceleration, angular_acceleration)
        body.path_acceleration_change = joined(change, turn_change)

    @wp.func
    def is_ramp(bodies: Bodies, b: int, change: vec6, time: scalar) -> bool:
        """Return whether a change of velocity is so small that the velocity grows linearly over the step."""
        most = ramp * time * bodies.max_gravity[0]
        return wp.length(linear(change)) <= most and wp.length(angular(change)) * bodies.extent[b] <= most

    @wp.func
    def plan_body(bodies: Bodies, state: State, body: Body, b: int, time: scalar) -> int:
        """Plan the motion of a body in a step, and return its `MotionSource`.

        Its pose is that of the state. `Body.path_remaining` starts there; `Body.moves_kinematically` says whether it
        moves, and `Body.has_no_history` whether its pose or velocity jumps.
        """
        velocity = state.qd[b]
        rate, offset = vec6(velocity), vec6()
        source = int(from_velocity)
        body.has_no_history = int(0)
        if is_stepped(bodies, state, b):
            rate = vec6(state.kinematic_rate[b])
            source = int(state.motion_source[b])
            if body.pose_unchanged == 0:
                offset = written_displacement(bodies, state, b)
                if is_zero(offset):
                    rate = vec6(velocity)
                    source = int(from_velocity)
                elif is_zero(velocity):
                    source = int(from_poses)
        if is_zero(velocity) and source == from_poses:
            body.path_remaining = offset
            plan_to_pose(bodies, state, body, b, offset, rate, time)
        else:
            if not is_ramp(bodies, b, velocity - rate, time):
                rate = vec6(velocity)
                body.has_no_history = int(1)
            body.path_remaining = half * time * (rate + velocity)
            body.path_rate = rate
            body.path_end = velocity
            body.path_acceleration = (velocity - rate) / time
            body.path_acceleration_change = vec6()
            source = wp.where(body.pose_unchanged == 0 and is_zero(velocity), teleported, from_velocity)
            if body.pose_unchanged == 0 and is_zero(offset):
                body.has_no_history = int(1)
        is_still = is_zero(body.path_remaining) and is_zero(body.path_rate) and is_zero(body.path_end)
        body.moves_kinematically = int(not is_still)
        return source

    @wp.func
    def last_rate(state: State, body: Body, b: int, h: scalar) -> vec6:
        """Return the mean velocity of the substep before a step, as momenta of dynamic bodies are of that time.

        A body whose velocity jumps has the new one. All substeps count as equally long.
        """
        change = body.path_rate - vec6(state.kinematic_rate[b])
        if not is_zero(change):
            return body.path_rate
        return body.path_rate - half * h * vec6(state.kinematic_acceleration[b])

    @wp.func
    def first_substep(body: Body, left: int, h: scalar):
        """Return the displacement in the first of the remaining substeps of a path, and the velocity after it."""
        offset, rate, end = body.path_remaining, body.path_rate, body.path_end
        displacement, v = advance(linear(offset), linear(rate), linear(end), left, h)
        turn, omega = advance(angular(offset), angular(rate), angular(end), left, h)
        return joined(displacement, turn), joined(v, omega)

    @wp.func
    def follow_path(scene: Scene, body: Body, b: int, h: scalar, substep: scalar):
        """Plan a body's path over all launches of a step, each of length h [s], or continue it.

        Returns:
            Displacement in this launch, velocity after it, and mean velocity of the substep before it.
        """
        left = scene.islands.launch[1] + 1
        before = vec6()
        if scene.islands.launch[0] == 0:
            body.motion_source = plan_body(scene.bodies, scene.state_in, body, b, scalar(left) * h)
            before = last_rate(scene.state_in, body, b, substep)
        else:
            body.path_remaining = body.path_remaining_next
            body.path_rate = vec6(scene.state_in.kinematic_rate[b])
            before = vec6(body.path_mean_rate)
        part, rate = first_substep(body, left, h)
        body.path_remaining_next = body.path_remaining - part
        body.path_mean_rate = part / h
        return part, rate, before

    @wp.func
    def advance_body(scene: Scene, b: int, left: int, h: scalar):
        """Move a body along its path over the first of the remaining substeps of the step."""
        b = nonnegative_index(b)
        part, rate = first_substep(scene.body[b], left, h)
        displacement, turn = linear(part), angular(part)
        scene.body[b].x0 = scene.body[b].x
        scene.body[b].r0 = scene.body[b].r
        scene.body[b].r0_low = scene.body[b].r_low
        translate(scene.body[b], displacement)
        scene.body[b].r = rotated(scene.body[b].r, turn)
        scene.body[b].x_free = scene.body[b].x
        scene.body[b].x_low_free = scene.body[b].x_low
        scene.body[b].path_remaining = scene.body[b].path_remaining - part
        scene.body[b].path_rate = rate
        scene.body[b].v = displacement / h
        scene.body[b].v_before = scene.body[b].v
        scene.body[b].v_free = scene.body[b].v
        scene.body[b].omega_free = turn / h
        scene.meeting[b] = joined(scene.body[b].v_free, scene.body[b].omega_free)

    return SimpleNamespace(
        is_zero=is_zero,
        written_displacement=written_displacement,
        is_path_goal=is_path_goal,
        expected_rate=expected_rate,
        follow_path=follow_path,
        advance_body=advance_body,
        rotated=rotated,
    )
