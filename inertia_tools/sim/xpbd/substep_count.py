# SPDX-FileCopyrightText: The inertia_tools authors
# SPDX-License-Identifier: Apache-2.0
"""How many substeps a step of a world has: those asked for, or more of them where joints turn fast.

What joints hold is linear in the displacements of a substep. A limp arm that turns by half a radian in one is thrown
apart by what the linear system leaves out. The free rotation of a body goes by parts likewise (`xpbd/motion.py`).
"""

from functools import lru_cache
from types import SimpleNamespace
from typing import Any

import warp as wp

from inertia_tools.sim.device.precision import Precision
from inertia_tools.sim.xpbd.joint_axes import axes_functions
from inertia_tools.sim.xpbd.motion import motion_functions

MOST_TURN = 0.1
"""Angle [rad] by which a body on a joint may turn in a substep."""

MOST_DOUBLINGS = 6
"""How often the substeps of a step are doubled at most."""


@lru_cache(maxsize=2)
def count_functions(p: Precision) -> Any:
    """Return the device functions of one precision."""
    scalar, angular, rate = p.scalar, axes_functions(p).angular, motion_functions(p).rate
    Bodies, State, Contacts, Rows, Options = p.references("Bodies", "State", "Contacts", "Rows", "Options")
    most_turn, most_doublings = wp.constant(scalar(MOST_TURN)), wp.constant(MOST_DOUBLINGS)

    @wp.func
    def greatest_rate(bodies: Bodies, state: State, world: int, h: scalar) -> scalar:
        """Return the greatest angular velocity of a body on a joint after a time h, if it goes on as it did [rad/s]."""
        most = scalar(0.0)
        for b in range(world * bodies.count, (world + 1) * bodies.count):
            if bodies.is_free_body[b] == 0 and bodies.inv_mass[b] > scalar(0.0):
                r = wp.transform_get_rotation(state.q[b])
                gain = h * wp.length(rate(bodies, b, r, angular(state.qdd[b])))
                most = wp.max(most, wp.length(angular(state.qd[b])) + gain)
        return most

    @wp.func
    def choose_substeps(bodies: Bodies, state: State, options: Options, world: int):
        """Choose the substeps of a world's step, and their length."""
        count = options.least_substeps
        turn = options.dt * greatest_rate(bodies, state, world, options.dt / scalar(count))
        if options.sweeps == 0:
            for _doubling in range(most_doublings):
                if turn > most_turn * scalar(count):
                    count = 2 * count
        options.substeps = count
        options.h = options.dt / scalar(count)
        options.per_force = options.per_impulse / options.h

    @wp.func
    def rescale_loads(contacts: Contacts, rows: Rows, options: Options, world: int, h_before: scalar):
        """Express what contacts gave in substeps of another length, multipliers being forces times its square."""
        if h_before > scalar(0.0) and h_before != options.h:
            ratio = (options.h / h_before) * (options.h / h_before)
            for k in range(rows.first[world], rows.first[world] + rows.count[world]):
                slot = rows.row[k].slot
                contacts.load[slot] = ratio * contacts.load[slot]
                contacts.lambda_t[slot] = ratio * contacts.lambda_t[slot]

    return SimpleNamespace(choose_substeps=choose_substeps, rescale_loads=rescale_loads)
