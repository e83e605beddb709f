# SPDX-FileCopyrightText: The inertia_tools authors
# SPDX-License-Identifier: Apache-2.0
"""Restitution: what touched in a substep parts with a share of the speed at which it came (Newton's law of impact).

Only momenta change, after the passes; slow contacts do not bounce, so that what rests stays quiet.
"""

from functools import lru_cache
from types import SimpleNamespace
from typing import Any

import warp as wp

from inertia_tools.sim.precision import Precision
from inertia_tools.sim.xpbd.contact_rows import row_functions
from inertia_tools.sim.xpbd.motion import motion_functions

SLOWEST = 2.0
"""Only what approaches faster than gravity makes it in this many substeps bounces (Mueller et al. 2020)."""

SWEEPS = 8
"""Passes over contacts that bounce together, as the corners of a box that lands flat."""


@lru_cache(maxsize=2)
def bounce_functions(p: Precision) -> Any:
    """Return the device functions of one precision."""
    scalar, vec3 = p.scalar, p.vec3
    Bodies, Shapes, Contacts, Rows, Work = p.references("Bodies", "Shapes", "Contacts", "Rows", "Work")
    stays, pushed = motion_functions(p).stays, row_functions(p).pushed
    slowest = wp.constant(scalar(SLOWEST))

    @wp.func
    def kick(bodies: Bodies, work: Work, b: int, impulse: vec3, arm: vec3):
        """Change the momenta of a body by an impulse [N s] at an arm, its position staying."""
        if not stays(bodies, b):
            work.v[b] = work.v[b] + bodies.inv_mass[b] * impulse
            work.spin[b] = work.spin[b] + wp.cross(arm, impulse)

    @wp.func
    def bounce(
        bodies: Bodies, shapes: Shapes, contacts: Contacts, rows: Rows, work: Work, k: int, h: scalar, per_force: scalar
    ):
        """Let one contact part at its share of the speed at which it came, which is that of free motion."""
        n = rows.normal[k]
        came = wp.dot(n, rows.way[k]) / h
        if rows.pressed[k] > scalar(0.0) and came < -slowest * h * wp.length(bodies.gravity[0]):
            e = scalar(0.5) * (shapes.restitution[rows.shape[k]] + shapes.restitution[rows.solid[k]])
            lacks = -(scalar(1.0) + e) * came - wp.dot(n, pushed(bodies, rows, work, k, h)) / h
            if lacks > scalar(0.0):
                impulse = (lacks / rows.give[k]) * n
                kick(bodies, work, rows.body_a[k], impulse, rows.arm_a[k])
                kick(bodies, work, rows.body_b[k], -impulse, rows.arm_b[k])
                contacts.force[rows.slot[k]] = contacts.force[rows.slot[k]] + (per_force * h) * impulse

    return SimpleNamespace(bounce=bounce)
