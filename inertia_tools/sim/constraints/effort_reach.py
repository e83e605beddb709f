# SPDX-FileCopyrightText: The inertia_tools authors
# SPDX-License-Identifier: Apache-2.0
"""Displacement of bodies in a step by changed efforts on joints, for which contacts are found ahead.

The effect of past efforts is in the velocities. This adds their change since the last step: a drive that is switched
on, a target that has moved, a new force.
"""

from functools import lru_cache
from types import SimpleNamespace
from typing import Any

import warp as wp

from inertia_tools.sim.constraints.joint_laws import joint_law_functions
from inertia_tools.sim.kernels.motion import motion_functions
from inertia_tools.sim.kernels.precision import Precision
from inertia_tools.sim.kernels.scene_types import scene_type
from inertia_tools.sim.scene.joint_kind import JointKind


@lru_cache(maxsize=2)
def effort_reach_functions(p: Precision) -> Any:
    """Return the device functions of one precision."""
    Scene, scalar, vec4 = wp.ref[scene_type(p)], p.scalar, p.vec4
    is_static, stiffness_of = motion_functions(p).is_static, joint_law_functions(p).stiffness_of
    ball, free = wp.constant(int(JointKind.BALL)), wp.constant(int(JointKind.FREE))
    zero, half, one = (wp.constant(scalar(value)) for value in (0.0, 0.5, 1.0))

    @wp.func
    def effort_at(law: vec4, q: scalar, v: scalar, most: scalar) -> scalar:
        """Return the effort x - y q - z v of a law (x, y, z, f), clamped to a limit."""
        return wp.clamp(law[0] - law[1] * q - law[2] * v, -most, most)

    @wp.func
    def change_of_effort(scene: Scene, j: int, d: int, k: int) -> scalar:
        """Return the change of the effort on a degree of freedom since the last step [N, N m]."""
        then, force_then = vec4(), zero
        if scene.body[scene.joints.child[j]].has_no_history == 0:
            then, force_then = vec4(scene.state_in.law_last[d]), scalar(scene.state_in.joint_f_last[d])
        change = wp.abs(scene.control.joint_f[d] - force_then)
        if scene.joints.kind[j] == free or scene.joints.kind[j] == ball:
            return change
        q, v = scalar(scene.dof[d].q), scalar(scene.state_in.joint_qd[d])
        ke, kd, ks = stiffness_of(scene.joints, d), scene.joints.target_kd[d], scene.joints.stiffness[d]
        pull = ke * scene.control.target_pos[d] + kd * scene.control.target_vel[d] + ks * scene.joints.springref[d]
        now = vec4(pull, ke + ks, kd + scene.joints.damping[d], zero)
        most = scene.joints.effort_limit[d]
        return change + wp.abs(effort_at(now, q, v, most) - effort_at(then, q, v, most))

    @wp.func
    def jump_of_target(scene: Scene, j: int, d: int) -> scalar:
        """Return the distance of a rigid target from its coordinate [m, rad]."""
        if not wp.isinf(scene.joints.target_ke[d]) or scene.joints.kind[j] == ball or scene.joints.kind[j] == free:
            return zero
        return wp.abs(scene.control.target_pos[d] - scalar(scene.dof[d].q))

    @wp.func
    def gain_of_body(scene: Scene, b: int, turns: bool, effort: scalar) -> scalar:
        """Return a bound of the acceleration of a body's points by an effort on it alone [m/s^2]."""
        if is_static(scene.bodies, b):
            return zero
        if not turns:
            return effort * scene.bodies.inv_mass[b]
        light = wp.trace(scene.bodies.inv_inertia[b])
        return effort * (light * scene.bodies.extent[b] + half * wp.sqrt(scene.bodies.inv_mass[b] * light))

    @wp.func
    def gained_by_efforts(scene: Scene, world: int, dt: scalar) -> scalar:
        """Return a bound of the velocity gain of bodies of a world in a step by changed efforts on joints [m/s].

        For rigid targets it is the velocity that reaches them.
        """
        most, jump = scalar(0.0), scalar(0.0)
        for j in range(world * scene.joints.count, (world + 1) * scene.joints.count):
            if scene.joints.enabled[j] == 1:
                for k in range(scene.joints.dof_number[j]):
                    d = scene.joints.first_dof[j] + k
                    effort = change_of_effort(scene, j, d, k)
                    row = wp.where(scene.joints.kind[j] == free, k, scene.joints.row[d])
                    lever = wp.where(row >= 3, scene.bodies.extent[scene.joints.child[j]], one)
                    jump = wp.max(jump, lever * jump_of_target(scene, j, d))
                    if effort > zero:
                        most = wp.max(most, gain_of_body(scene, scene.joints.child[j], row >= 3, effort))
                        most = wp.max(most, gain_of_body(scene, scene.joints.parent[j], row >= 3, effort))
        return dt * most + jump / dt

    return SimpleNamespace(gained_by_efforts=gained_by_efforts)
