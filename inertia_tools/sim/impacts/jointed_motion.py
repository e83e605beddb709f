# SPDX-FileCopyrightText: The inertia_tools authors
# SPDX-License-Identifier: Apache-2.0
"""Bodies of an island with joints at an instant within a substep, and from there to its end.

The motion along which impacts are searched is free motion with its joints, without contacts. Bodies are stopped on it
at an impact. The effect of an impact is added to the free motion too, from which the constraint solve starts.
"""

from functools import lru_cache
from types import SimpleNamespace
from typing import Any

import warp as wp

from inertia_tools.sim.collide.time_of_impact import impact_time_functions
from inertia_tools.sim.constraints.joint_rows import joint_row_functions
from inertia_tools.sim.constraints.joints import joint_functions
from inertia_tools.sim.impacts.free_impacts import impact_functions
from inertia_tools.sim.impacts.impulse_response import response_functions
from inertia_tools.sim.kernels.joint_axes import axes_functions
from inertia_tools.sim.kernels.motion import motion_functions
from inertia_tools.sim.kernels.precision import Precision
from inertia_tools.sim.kernels.rounding import rounding_functions
from inertia_tools.sim.kernels.scene_types import scene_type


@lru_cache(maxsize=2)
def jointed_motion_functions(p: Precision) -> Any:
    """Return the device functions of one precision."""
    Scene = wp.ref[scene_type(p)]
    scalar, vec3, vec6 = p.scalar, p.vec3, p.vec6
    (Body,) = p.references("Body")
    motion, axes, response = motion_functions(p), axes_functions(p), response_functions(p)
    is_static, translate, spin_freely, turned = motion.is_static, motion.translate, motion.spin_freely, motion.turned
    linear, angular, joined = axes.linear, axes.angular, axes.joined
    lock_joint, set_rotor_rates, find_response = response.lock_joint, response.set_rotor_rates, response.find_response
    factor_masses, exact_six = response.factor_masses, rounding_functions(p).exact_six
    is_active_joint, update_directions = joint_functions(p).is_active_joint, joint_row_functions(p).update_directions
    rewind, acceleration_of = impact_functions(p).rewind, impact_time_functions(p).acceleration_of
    half = wp.constant(scalar(0.5))

    @wp.func
    def remaining_displacement(body: Body, b: int, remaining: scalar, h: scalar) -> vec3:
        """Return the displacement of a body in the remaining time of the substep [m]."""
        return remaining * (body.v + (half * (h - remaining)) * acceleration_of(body, b))

    @wp.func
    def move_to_impact(scene: Scene, b: int, remaining: scalar, h: scalar):
        """Move a body to its pose with a remaining time of the substep, and store its velocity then.

        Momenta belong to the middle of the substep, and grow linearly.
        """
        if not is_static(scene.bodies, b):
            translate(scene.body[b], -remaining_displacement(scene.body[b], b, remaining, h))
            scene.body[b].x0 = scene.body[b].x
            rewind(scene.bodies, scene.body[b], b, remaining)
            since = (half * h - remaining) / scene.body[b].force_time
            v = scene.body[b].v + since * (scene.body[b].v - scene.body[b].v_before)
            spin = scene.body[b].spin + since * (scene.body[b].spin - scene.body[b].spin_before)
            if scene.bodies.is_free_body[b] == 1:
                spin = scene.body[b].spin
            scene.meeting[b] = joined(v, scene.body[b].inv_tensor * spin)
            scene.body[b].impact_impulse = vec6()

    @wp.func
    def finish_body(scene: Scene, b: int, remaining: scalar, h: scalar):
        """Move a body to the end of the substep, and add the effect of the impact to its free motion."""
        if not is_static(scene.bodies, b):
            velocity_change, rate_change = linear(scene.response[b]), angular(scene.response[b])
            spin = scene.body[b].tensor * rate_change
            scene.body[b].v = scene.body[b].v + velocity_change
            scene.body[b].spin = scene.body[b].spin + spin
            scene.body[b].v_free = scene.body[b].v_free + velocity_change
            scene.body[b].spin_free = scene.body[b].spin_free + spin
            scene.body[b].v_before = scene.body[b].v_before + velocity_change
            scene.body[b].spin_before = scene.body[b].spin_before + spin
            scene.body[b].v_earlier = scene.body[b].v_earlier + velocity_change
            scene.body[b].spin_earlier = scene.body[b].spin_earlier + spin
            translate(scene.body[b], remaining_displacement(scene.body[b], b, remaining, h))
            spin_freely(scene.bodies, scene.body[b], b, scene.body[b].spin, remaining)
            if scene.bodies.is_free_body[b] == 1:
                scene.body[b].x_free = scene.body[b].x
                scene.body[b].x_low_free = scene.body[b].x_low
                scene.body[b].r_free = scene.body[b].r
                scene.body[b].r_low_free = scene.body[b].r_low
            else:
                step = remaining * velocity_change + scene.body[b].x_low_free
                there = scene.body[b].x_free + step
                scene.body[b].x_low_free = step - (there - scene.body[b].x_free)
                scene.body[b].x_free = there
                scene.body[b].r_free = turned(scene.body[b].r_free, remaining * rate_change)

    @wp.func(inline=False)
    def begin_impact(scene: Scene, n: int, remaining: scalar, h: scalar):
        """Stop all bodies of an island at an instant, with velocities that the joints allow there."""
        for i in range(scene.islands.first_body[n], scene.islands.end_body[n]):
            move_to_impact(scene, scene.islands.body[i], remaining, h)
        for i in range(scene.islands.first_joint[n], scene.islands.end_joint[n]):
            j = scene.islands.joint[i]
            lock_joint(scene, j)
            if is_active_joint(scene, j):
                update_directions(scene, scene.joint[j], j)
                set_rotor_rates(scene, scene.joint[j], j)
        factor_masses(scene, n)
        for i in range(scene.islands.first_body[n], scene.islands.end_body[n]):
            b = scene.islands.body[i]
            twist = scene.meeting[b]
            scene.system.node[b].load = exact_six(
                joined(scene.bodies.mass[b] * linear(twist), scene.body[b].tensor * angular(twist))
            )
        find_response(scene, n)
        for i in range(scene.islands.first_body[n], scene.islands.end_body[n]):
            scene.meeting[scene.islands.body[i]] = scene.response[scene.islands.body[i]]
        for i in range(scene.islands.first_joint[n], scene.islands.end_joint[n]):
            scene.joint[scene.islands.joint[i]].error = vec6()

    return SimpleNamespace(finish_body=finish_body, begin_impact=begin_impact)
