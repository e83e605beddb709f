# SPDX-FileCopyrightText: The inertia_tools authors
# SPDX-License-Identifier: Apache-2.0
"""Bodies of an island with joints at an instant within a substep, and on from there.

What the joints do to the free motion of the substep is found first, as if nothing were touched; bodies are stopped
along that motion. What impacts change goes into the free motion too, from which the passes of the substep begin.
"""

from functools import lru_cache
from types import SimpleNamespace
from typing import Any

import warp as wp

from inertia_tools.sim.collide.time_of_impact import impact_time_functions
from inertia_tools.sim.constraints.joint_rows import row_functions
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
    Bodies, Work = p.references("Bodies", "Work")
    (Body,) = p.references("Body")
    motion, axes, response = motion_functions(p), axes_functions(p), response_functions(p)
    is_static, add, spin_freely, turned = motion.is_static, motion.add, motion.spin_freely, motion.turned
    linear, angular, joined = axes.linear, axes.angular, axes.joined
    hold, keep_rotors, respond = response.hold, response.keep_rotors, response.respond
    factor_masses, exact_six = response.factor_masses, rounding_functions(p).exact_six
    acts, look = joint_functions(p).acts, row_functions(p).look
    halt, pull = impact_functions(p).halt, impact_time_functions(p).pull
    half = wp.constant(scalar(0.5))

    @wp.func
    def way_back(body: Body, b: int, remaining: scalar, h: scalar) -> vec3:
        """Return how far a body goes in what is left of the substep."""
        return remaining * (body.v + (half * (h - remaining)) * pull(body, b))

    @wp.func
    def stop_at(bodies: Bodies, work: Work, b: int, remaining: scalar, h: scalar):
        """Put a body where it is when so much of the substep is left, and note its velocity then.

        Momenta are those of the middle of the substep, and gain evenly.
        """
        if not is_static(bodies, b):
            add(work.body[b], -way_back(work.body[b], b, remaining, h))
            work.body[b].x0 = work.body[b].x
            halt(bodies, work.body[b], b, remaining)
            since = (half * h - remaining) / work.body[b].kick
            v = work.body[b].v + since * (work.body[b].v - work.body[b].v_before)
            spin = work.body[b].spin + since * (work.body[b].spin - work.body[b].spin_before)
            if bodies.is_free_body[b] == 1:
                spin = work.body[b].spin
            work.meets[b] = joined(v, work.body[b].inv_tensor * spin)
            work.body[b].struck_by = vec6()

    @wp.func
    def go_on(bodies: Bodies, work: Work, b: int, remaining: scalar, h: scalar):
        """Move a body to the end of the substep, and shift what is free motion alone by what the impact has changed."""
        if not is_static(bodies, b):
            kick, turn = linear(work.move[b]), angular(work.move[b])
            spin = work.body[b].tensor * turn
            work.body[b].v = work.body[b].v + kick
            work.body[b].spin = work.body[b].spin + spin
            work.body[b].v_free = work.body[b].v_free + kick
            work.body[b].spin_free = work.body[b].spin_free + spin
            work.body[b].v_before = work.body[b].v_before + kick
            work.body[b].spin_before = work.body[b].spin_before + spin
            work.body[b].v_earlier = work.body[b].v_earlier + kick
            work.body[b].spin_earlier = work.body[b].spin_earlier + spin
            add(work.body[b], way_back(work.body[b], b, remaining, h))
            spin_freely(bodies, work.body[b], b, work.body[b].spin, remaining)
            if bodies.is_free_body[b] == 1:
                work.body[b].x_free = work.body[b].x
                work.body[b].x_low_free = work.body[b].x_low
                work.body[b].r_free = work.body[b].r
                work.body[b].r_low_free = work.body[b].r_low
            else:
                step = remaining * kick + work.body[b].x_low_free
                there = work.body[b].x_free + step
                work.body[b].x_low_free = step - (there - work.body[b].x_free)
                work.body[b].x_free = there
                work.body[b].r_free = turned(work.body[b].r_free, remaining * turn)

    @wp.func(inline=False)
    def ready_bodies(scene: Scene, n: int, remaining: scalar, h: scalar):
        """Stop all bodies of an island at an instant, with velocities that the joints allow there."""
        for i in range(scene.islands.first_body[n], scene.islands.end_body[n]):
            stop_at(scene.bodies, scene.work, scene.islands.body[i], remaining, h)
        for i in range(scene.islands.first_joint[n], scene.islands.end_joint[n]):
            j = scene.islands.joint[i]
            hold(scene, j)
            if acts(scene.bodies, scene.joints, j):
                look(scene.joints, scene.work, scene.jw.joint[j], j)
                keep_rotors(scene.joints, scene.work, scene.jw.joint[j], j)
        factor_masses(scene, n)
        for i in range(scene.islands.first_body[n], scene.islands.end_body[n]):
            b = scene.islands.body[i]
            twist = scene.work.meets[b]
            scene.system.node[b].load = exact_six(
                joined(scene.bodies.mass[b] * linear(twist), scene.work.body[b].tensor * angular(twist))
            )
        respond(scene, n)
        for i in range(scene.islands.first_body[n], scene.islands.end_body[n]):
            scene.work.meets[scene.islands.body[i]] = scene.work.move[scene.islands.body[i]]
        for i in range(scene.islands.first_joint[n], scene.islands.end_joint[n]):
            scene.jw.joint[scene.islands.joint[i]].error = vec6()

    return SimpleNamespace(go_on=go_on, ready_bodies=ready_bodies)
