# SPDX-FileCopyrightText: The inertia_tools authors
# SPDX-License-Identifier: Apache-2.0
"""Targets of drives and springs in a substep, and bounds of coordinates.

A rigid target is reached at the end of the step, along a path (`paths`) within the velocity limit. A coordinate beyond
a limit returns at a bounded speed.
"""

from functools import lru_cache
from types import SimpleNamespace
from typing import Any

import warp as wp

from inertia_tools.sim.constraints.joint_rows import joint_row_functions
from inertia_tools.sim.kernels.constants import RECOVERY_SPEED, RECOVERY_TIME
from inertia_tools.sim.kernels.joint_axes import axes_functions
from inertia_tools.sim.kernels.nonnegative_index import nonnegative_index
from inertia_tools.sim.kernels.paths import path_functions
from inertia_tools.sim.kernels.precision import Precision
from inertia_tools.sim.kernels.rounding import rounding_functions
from inertia_tools.sim.kernels.scene_types import scene_type
from inertia_tools.sim.scene.joint_kind import Turning


@lru_cache(maxsize=2)
def target_functions(p: Precision) -> Any:
    """Return the device functions of one precision."""
    Scene = wp.ref[scene_type(p)]
    scalar, vec3, vec6, quat = p.scalar, p.vec3, p.vec6, p.quat
    (Joints,) = p.references("Joints")
    Dof, Options = p.references("Dof", "Options")
    on_row, rows = axes_functions(p).on_row, joint_row_functions(p)
    read_coordinates, small_vector = rows.read_coordinates, rows.small_vector
    relative_speed_of_state = rows.relative_speed_of_state
    plan, advance = path_functions(p).plan, path_functions(p).advance
    rounding = rounding_functions(p)
    exact_quat, rounded, rounded_quat = rounding.exact_quat, rounding.rounded, rounding.rounded_quat
    vector = wp.constant(int(Turning.VECTOR))
    recovery_speed, per_time = wp.constant(scalar(RECOVERY_SPEED)), wp.constant(scalar(1.0 / RECOVERY_TIME))

    @wp.func
    def recovery(beyond: scalar, h: scalar) -> scalar:
        """Return the recovery, in a substep, of a coordinate that is beyond a limit."""
        return wp.min(wp.min(recovery_speed, per_time * beyond) * h, beyond)

    @wp.func
    def rate_limit(joints: Joints, d: int) -> scalar:
        """Return the largest rate of a degree of freedom; that of its drive counts while the drive has gains."""
        limit = scalar(joints.velocity_limit[d])
        if joints.target_ke[d] + joints.target_kd[d] > scalar(0.0):
            limit = wp.min(limit, joints.drive_velocity_limit[d])
        return limit

    @wp.func
    def set_bounds(joints: Joints, dof: Dof, d: int, h: scalar):
        """Set the bounds of a coordinate in this substep; a rate limit bounds the position."""
        q, lower, upper = wp.float64(dof.q), wp.float64(joints.lower[d]), wp.float64(joints.upper[d])
        low, high = wp.float64(lower), wp.float64(upper)
        if q > upper:
            high = q - wp.float64(recovery(scalar(q - upper), h))
            low = wp.where(lower == upper, high, lower)
        elif q < lower:
            low = q + wp.float64(recovery(scalar(lower - q), h))
            high = wp.where(lower == upper, low, upper)
        reach = wp.float64(rate_limit(joints, d) * h)
        dof.low = wp.max(low, wp.min(q - reach, high))
        dof.high = wp.min(high, wp.max(q + reach, low))

    @wp.func
    def advance_target(
        scene: Scene, dof: Dof, d: int, to_target: scalar, rate: scalar, left: int, plans: bool, h: scalar
    ) -> scalar:
        """Return the displacement of a rigid target in this substep.

        `to_target` is the remaining displacement, `rate` the velocity one step ago.
        """
        limit = rate_limit(scene.joints, d)
        most = limit * scalar(left) * h
        remaining = vec3(wp.clamp(to_target, -most, most), scalar(0.0), scalar(0.0))
        if plans:
            last_acceleration = vec3(scene.state_in.path_acceleration[d], scalar(0.0), scalar(0.0))
            last_change = vec3(scene.state_in.path_acceleration_change[d], scalar(0.0), scalar(0.0))
            start, end, acceleration, change = plan(
                remaining,
                vec3(rate, scalar(0.0), scalar(0.0)),
                last_acceleration,
                last_change,
                scalar(left) * h,
                scene.bodies.max_gravity[0],
            )
            dof.path_rate = start[0]
            dof.path_end = wp.clamp(end[0], -limit, limit)
            dof.path_acceleration = acceleration[0]
            dof.path_acceleration_change = change[0]
        start = vec3(dof.path_rate, scalar(0.0), scalar(0.0))
        end = vec3(dof.path_end, scalar(0.0), scalar(0.0))
        step, speed = advance(remaining, start, end, left, h)
        dof.path_rate = wp.clamp(speed[0], -limit, limit)
        return step[0]

    @wp.func
    def rotation_to_target(now: quat, turn: vec3) -> vec3:
        """Return the rotation vector from the orientation of a ball joint to a target rotation vector [rad]."""
        size = wp.length(turn)
        target = quat(scalar(0.0), scalar(0.0), scalar(0.0), scalar(1.0))
        if size > scalar(0.0):
            target = wp.quat_from_axis_angle(turn / size, size)
        displacement = target * wp.quat_inverse(now)
        remaining = rounded(small_vector(exact_quat(displacement)))
        sine = scalar(0.5) * wp.length(remaining)
        if sine > scalar(0.0):
            remaining = (wp.atan2(sine, wp.abs(displacement[3])) / sine) * remaining
        return remaining

    @wp.func
    def find_targets(scene: Scene, j: int):
        """Set the target of drives and the rest position of springs of a joint.

        The coordinates of a ball joint are relative to its present orientation, so these are rotations from there, the
        short way.
        """
        first = scene.joints.first_dof[j]
        for k in range(scene.joints.dof_number[j]):
            d = nonnegative_index(first + k)
            scene.dof[d].target = wp.float64(scene.control.target_pos[d])
            scene.dof[d].spring_rest = wp.float64(scene.joints.springref[d])
        if scene.joints.turning[j] == vector:
            target, rest = vec3(), vec3()
            for k in range(3):
                target[k] = scene.control.target_pos[first + k]
                rest[k] = scene.joints.springref[first + k]
            at = rounded_quat(scene.joint[j].turn0)
            target, rest = rotation_to_target(at, target), rotation_to_target(at, rest)
            for k in range(3):
                scene.dof[first + k].q = wp.float64(0.0)
                scene.dof[first + k].target = wp.float64(target[k])
                scene.dof[first + k].spring_rest = wp.float64(rest[k])

    @wp.func
    def set_targets(scene: Scene, options: Options, j: int, first_substep: int):
        """Set the targets of a joint in this substep, and the bounds of its coordinates."""
        j = nonnegative_index(j)
        h, left = options.h, options.substeps_left
        if scene.joint[j].needs_coordinate == 1:
            read_coordinates(scene, j)
        first = scene.joints.first_dof[j]
        find_targets(scene, j)
        apart = vec6()
        plans, is_read = first_substep == 1 and scene.islands.launch[0] == 0, bool(False)
        for k in range(scene.joints.dof_number[j]):
            d = nonnegative_index(first + k)
            lower, upper = wp.float64(scene.joints.lower[d]), wp.float64(scene.joints.upper[d])
            set_bounds(scene.joints, scene.dof[d], d, h)
            if plans:
                scene.dof[d].path_acceleration = scalar(0.0)
                scene.dof[d].path_acceleration_change = scalar(0.0)
            if wp.isinf(scene.joints.target_ke[d]):
                q = wp.float64(scene.dof[d].q)
                remaining = scalar(wp.clamp(scene.dof[d].target, lower, upper) - q)
                if plans and not is_read:
                    apart = relative_speed_of_state(scene, scene.state_in, scene.joint[j], j)
                    is_read = True
                rate = on_row(scene.joint[j], scene.joints.row[d], apart)
                step = advance_target(scene, scene.dof[d], d, remaining, rate, left, plans, h)
                scene.dof[d].target = wp.clamp(q + wp.float64(step), scene.dof[d].low, scene.dof[d].high)
                if q > upper:
                    scene.dof[d].target = scene.dof[d].high
                elif q < lower:
                    scene.dof[d].target = scene.dof[d].low

    return SimpleNamespace(
        set_targets=set_targets, find_targets=find_targets, rotation_to_target=rotation_to_target, rate_limit=rate_limit
    )
