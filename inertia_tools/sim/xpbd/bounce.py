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
from inertia_tools.sim.xpbd.motion import motion_functions

SLOWEST = 2.0
"""Only what approaches faster than gravity makes it in this many substeps bounces (Mueller et al. 2020)."""

SWEEPS = 8
"""Passes over contacts that bounce together, as the corners of a box that lands flat."""


@lru_cache(maxsize=2)
def bounce_functions(p: Precision) -> Any:
    """Return the device functions of one precision."""
    scalar, vec3 = p.scalar, p.vec3
    Bodies, Shapes, Contacts, Work = p.Bodies, p.Shapes, p.Contacts, p.Work
    motion = motion_functions(p)
    rate, stays, mobility = motion.rate, motion.stays, motion.mobility
    slowest = wp.constant(scalar(SLOWEST))

    @wp.func
    def velocity_at(bodies: Bodies, work: Work, b: int, point: vec3) -> vec3:
        """Return the velocity of a body's material at a point of the world."""
        if stays(bodies, b):
            return vec3()
        return work.v[b] + wp.cross(rate(bodies, b, work.r[b], work.spin[b]), point - work.x[b])

    @wp.func
    def kick(bodies: Bodies, work: Work, b: int, impulse: vec3, point: vec3):
        """Change the momenta of a body by an impulse [N s] at a point, its position staying."""
        if not stays(bodies, b):
            work.v[b] = work.v[b] + bodies.inv_mass[b] * impulse
            work.spin[b] = work.spin[b] + wp.cross(point - work.x0[b], impulse)

    @wp.func
    def closing_speed(bodies: Bodies, work: Work, body_a: int, body_b: int, point: vec3, n: vec3) -> scalar:
        """Return the speed at which two bodies part at a point, negative when they come together [m/s]."""
        return wp.dot(n, velocity_at(bodies, work, body_a, point) - velocity_at(bodies, work, body_b, point))

    @wp.func
    def bounce(
        bodies: Bodies, shapes: Shapes, contacts: Contacts, work: Work, pair: int, i: int, h: scalar, per_force: scalar
    ):
        """Let one contact part at its share of the speed at which it came."""
        slot = shapes.pair_slot[pair] + i
        came = contacts.approach[slot]
        least = slowest * h * wp.length(bodies.gravity[0])
        if contacts.normal_impulse[slot] > scalar(0.0) and came < -least:
            a, s = shapes.pair_feature[pair], shapes.pair_solid[pair]
            body_a, body_b = shapes.body[a], shapes.body[s]
            n, point = contacts.normal[slot], contacts.point[slot]
            e = scalar(0.5) * (shapes.restitution[a] + shapes.restitution[s])
            lacks = -e * came - closing_speed(bodies, work, body_a, body_b, point, n)
            if lacks > scalar(0.0):
                give = mobility(bodies, work, body_a, point, n) + mobility(bodies, work, body_b, point, n)
                impulse = (lacks / give) * n
                kick(bodies, work, body_a, impulse, point)
                kick(bodies, work, body_b, -impulse, point)
                contacts.force[slot] = contacts.force[slot] + (per_force * h) * impulse

    return SimpleNamespace(bounce=bounce, closing_speed=closing_speed)
