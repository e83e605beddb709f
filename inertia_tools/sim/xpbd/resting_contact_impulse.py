# SPDX-FileCopyrightText: The inertia_tools authors
# SPDX-License-Identifier: Apache-2.0
"""Impulses on free motion within a substep, and contacts that bear a load until their bodies are hit."""

from functools import lru_cache
from types import SimpleNamespace
from typing import Any

import warp as wp

from inertia_tools.sim.device.precision import Precision
from inertia_tools.sim.xpbd.motion import motion_functions


@lru_cache(maxsize=2)
def load_functions(p: Precision) -> Any:
    """Return the device functions of one precision."""
    scalar, vec3 = p.scalar, p.vec3
    Bodies, Contacts, Rows, Work = p.references("Bodies", "Contacts", "Rows", "Work")
    is_static, add = motion_functions(p).is_static, motion_functions(p).add
    zero, half = wp.constant(scalar(0.0)), wp.constant(scalar(0.5))

    @wp.func
    def kick(bodies: Bodies, work: Work, b: int, arm: vec3, impulse: vec3):
        """Change the momenta of a body's free motion by an impulse [N s] at an arm."""
        if not is_static(bodies, b):
            v, spin = bodies.inv_mass[b] * impulse, wp.cross(arm, impulse)
            work.v[b] = work.v[b] + v
            work.spin[b] = work.spin[b] + spin
            work.v_free[b] = work.v_free[b] + v
            work.spin_free[b] = work.spin_free[b] + spin
            work.omega_free[b] = work.inv_tensor[b] * work.spin_free[b]
            work.v_before[b] = work.v_before[b] + v
            work.spin_before[b] = work.spin_before[b] + spin
            work.v_earlier[b] = work.v_earlier[b] + v
            work.spin_earlier[b] = work.spin_earlier[b] + spin

    @wp.func
    def gained(bodies: Bodies, work: Work, b: int) -> vec3:
        """Return what free motion adds to a body's velocity in the substep [m/s]."""
        if is_static(bodies, b):
            return vec3()
        return work.v[b] - work.v_before[b]

    @wp.func
    def lean(bodies: Bodies, work: Work, b: int, arm: vec3, impulse: vec3, share: scalar, way: scalar):
        """Let a support act on a body until an impact: by such a share of an impulse, over such a time."""
        if not is_static(bodies, b):
            kick(bodies, work, b, arm, share * impulse)
            add(work, b, (way * bodies.inv_mass[b]) * impulse)
            work.x_free[b] = work.x[b]
            work.x_low_free[b] = work.x_low[b]

    @wp.func
    def prop(
        bodies: Bodies, contacts: Contacts, rows: Rows, work: Work, k: int, left: scalar, h: scalar, per_impulse: scalar
    ) -> bool:
        """Let a contact that bears a load bear it until an impact, as it would go on to if there were none.

        What rests is not falling then. The load is no more than what holds the bodies where they are. An impulse p of
        each substep that acts until the time t of this one adds p / h (h / 2 + t) to a momentum that is half a substep
        behind, and after that the body moves as if it had always been free. Tell whether it did anything.
        """
        slot = rows.slot[k]
        if contacts.load[slot] > zero and rows.propped[k] == 0:
            rows.propped[k] = int(1)
            a, b, n = rows.body_a[k], rows.body_b[k], rows.normal[k]
            falls = -wp.dot(n, gained(bodies, work, a) - gained(bodies, work, b))
            if falls > zero and rows.w_n[k] > zero:
                impulse = wp.min(contacts.load[slot] / h, falls / rows.w_n[k])
                since = (h - left) / h
                share = half + since
                way = h * (half * since + half * since * since + (left / h) * share)
                lean(bodies, work, a, rows.arm_a[k], impulse * n, share, way)
                lean(bodies, work, b, rows.arm_b[k], -impulse * n, share, way)
                contacts.force[slot] = contacts.force[slot] + (per_impulse * share * impulse) * n
                return True
        return False

    return SimpleNamespace(kick=kick, prop=prop)
