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

from inertia_tools.sim.device.precision import Precision
from inertia_tools.sim.xpbd.impacts import impact_functions
from inertia_tools.sim.xpbd.impulse_response import response_functions
from inertia_tools.sim.xpbd.island_types import island_types
from inertia_tools.sim.xpbd.joint_axes import axes_functions
from inertia_tools.sim.xpbd.joint_rows import row_functions
from inertia_tools.sim.xpbd.joints import joint_functions
from inertia_tools.sim.xpbd.motion import motion_functions
from inertia_tools.sim.xpbd.rounding import rounding_functions
from inertia_tools.sim.xpbd.time_of_impact import impact_time_functions


@lru_cache(maxsize=2)
def jointed_motion_functions(p: Precision) -> Any:
    """Return the device functions of one precision."""
    scalar, vec3, vec6 = p.scalar, p.vec3, p.vec6
    Bodies, Joints, Loops, System = p.references("Bodies", "Joints", "Loops", "System")
    Work, JointWork, DofWork, LoopWork = p.references("Work", "JointWork", "DofWork", "LoopWork")
    Islands = wp.ref[island_types(p).Islands]
    motion, axes, response = motion_functions(p), axes_functions(p), response_functions(p)
    is_static, add, spin_freely, turned = motion.is_static, motion.add, motion.spin_freely, motion.turned
    linear, angular, joined = axes.linear, axes.angular, axes.joined
    hold, keep_rotors, respond = response.hold, response.keep_rotors, response.respond
    factor_masses, exact_six = response.factor_masses, rounding_functions(p).exact_six
    acts, look = joint_functions(p).acts, row_functions(p).look
    halt, pull = impact_functions(p).halt, impact_time_functions(p).pull
    half = wp.constant(scalar(0.5))

    @wp.func
    def way_back(work: Work, b: int, left: scalar, h: scalar) -> vec3:
        """Return how far a body goes in what is left of the substep."""
        return left * (work.v[b] + (half * (h - left)) * pull(work, b, h))

    @wp.func
    def stop_at(bodies: Bodies, work: Work, b: int, left: scalar, h: scalar):
        """Put a body where it is when so much of the substep is left, and note its velocity then.

        Momenta are those of the middle of the substep, and gain evenly.
        """
        if not is_static(bodies, b):
            add(work, b, -way_back(work, b, left, h))
            work.x0[b] = work.x[b]
            halt(bodies, work, b, left)
            since = half - left / h
            v = work.v[b] + since * (work.v[b] - work.v_before[b])
            spin = work.spin[b] + since * (work.spin[b] - work.spin_before[b])
            if bodies.is_free_body[b] == 1:
                spin = work.spin[b]
            work.meets[b] = joined(v, work.inv_tensor[b] * spin)
            work.struck_by[b] = vec6()

    @wp.func
    def go_on(bodies: Bodies, work: Work, b: int, left: scalar, h: scalar):
        """Move a body to the end of the substep, and shift what is free motion alone by what the impact has changed."""
        if not is_static(bodies, b):
            kick, turn = linear(work.move[b]), angular(work.move[b])
            spin = work.tensor[b] * turn
            work.v[b] = work.v[b] + kick
            work.spin[b] = work.spin[b] + spin
            work.v_free[b] = work.v_free[b] + kick
            work.spin_free[b] = work.spin_free[b] + spin
            work.v_before[b] = work.v_before[b] + kick
            work.spin_before[b] = work.spin_before[b] + spin
            work.v_earlier[b] = work.v_earlier[b] + kick
            work.spin_earlier[b] = work.spin_earlier[b] + spin
            add(work, b, way_back(work, b, left, h))
            spin_freely(bodies, work, b, work.spin[b], left)
            if bodies.is_free_body[b] == 1:
                work.x_free[b] = work.x[b]
                work.x_low_free[b] = work.x_low[b]
                work.r_free[b] = work.r[b]
                work.r_low_free[b] = work.r_low[b]
            else:
                step = left * kick + work.x_low_free[b]
                there = work.x_free[b] + step
                work.x_low_free[b] = step - (there - work.x_free[b])
                work.x_free[b] = there
                work.r_free[b] = turned(work.r_free[b], left * turn)

    @wp.func(inline=False)
    def ready_bodies(
        bodies: Bodies,
        joints: Joints,
        loops: Loops,
        islands: Islands,
        work: Work,
        system: System,
        jw: JointWork,
        dw: DofWork,
        lw: LoopWork,
        n: int,
        left: scalar,
        h: scalar,
    ):
        """Stop all bodies of an island at an instant, with velocities that the joints allow there."""
        for i in range(islands.first_body[n], islands.end_body[n]):
            stop_at(bodies, work, islands.body[i], left, h)
        for i in range(islands.first_joint[n], islands.end_joint[n]):
            j = islands.joint[i]
            hold(bodies, joints, jw, dw, j)
            if acts(bodies, joints, j):
                look(joints, work, jw, j)
                keep_rotors(joints, work, jw, j)
        factor_masses(bodies, islands, work, jw, system, n)
        for i in range(islands.first_body[n], islands.end_body[n]):
            b = islands.body[i]
            twist = work.meets[b]
            system.load[b] = exact_six(joined(bodies.mass[b] * linear(twist), work.tensor[b] * angular(twist)))
        respond(bodies, joints, loops, islands, work, system, jw, dw, lw, n)
        for i in range(islands.first_body[n], islands.end_body[n]):
            work.meets[islands.body[i]] = work.move[islands.body[i]]
        for i in range(islands.first_joint[n], islands.end_joint[n]):
            jw.error[islands.joint[i]] = vec6()

    return SimpleNamespace(go_on=go_on, ready_bodies=ready_bodies)
