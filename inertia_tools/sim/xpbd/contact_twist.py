# SPDX-FileCopyrightText: The inertia_tools authors
# SPDX-License-Identifier: Apache-2.0
"""Torsional and rolling friction: moments about a contact that keep its bodies from turning against each other.

A contact that bears a force N resists spinning about its normal with a moment of at most N times one length, and
rolling across it with at most N times another. Both are springs on the angle turned since the contact began to stick,
each no stiffer than gives that moment: so what sticks does not creep, what turns is braked by the whole of it, and the
moments never add energy. Both bodies feel the same moment, in opposite directions.
"""

from functools import lru_cache
from types import SimpleNamespace
from typing import Any

import warp as wp

from inertia_tools.sim.device.precision import Precision
from inertia_tools.sim.xpbd.contact_finding import finding_functions
from inertia_tools.sim.xpbd.contact_rows import row_functions
from inertia_tools.sim.xpbd.contact_sweep import touch_functions
from inertia_tools.sim.xpbd.motion import motion_functions
from inertia_tools.sim.xpbd.rounding import rounding_functions


@lru_cache(maxsize=2)
def twist_functions(p: Precision) -> Any:
    """Return the device functions of one precision."""
    scalar, vec3 = p.scalar, p.vec3
    rounded = rounding_functions(p).rounded
    Bodies, Shapes, Contacts, Rows = p.references("Bodies", "Shapes", "Contacts", "Rows")
    Work, Options = p.references("Work", "Options")
    motion = motion_functions(p)
    is_static, push, pushed_turn = motion.is_static, motion.push, motion.pushed_turn
    combined, some_across = finding_functions(p).combined, row_functions(p).across
    share = touch_functions(p).share
    least = wp.constant(scalar(1.0e-30))

    @wp.func
    def turns_for(bodies: Bodies, work: Work, b: int, axis: vec3) -> scalar:
        """Return how far a unit moment about an axis turns a body about it [1/(kg m^2)]."""
        if is_static(bodies, b):
            return scalar(0.0)
        return wp.dot(axis, work.inv_tensor[b] * axis)

    @wp.func
    def turned_by(bodies: Bodies, work: Work, b: int, h: scalar) -> vec3:
        """Return how far impulses of this substep have turned a body so far [rad]."""
        if is_static(bodies, b):
            return vec3()
        return h * pushed_turn(work, b)

    @wp.func
    def turned(bodies: Bodies, contacts: Contacts, rows: Rows, work: Work, k: int, h: scalar) -> vec3:
        """Return how far the bodies of a contact have turned against each other since it began to stick [rad]."""
        by_impulses = turned_by(bodies, work, rows.body_a[k], h) - turned_by(bodies, work, rows.body_b[k], h)
        return contacts.turn[rows.slot[k]] + rows.turn[k] + by_impulses

    @wp.func
    def open_twist(bodies: Bodies, shapes: Shapes, rows: Rows, work: Work, k: int, h: scalar):
        """Begin a substep."""
        a, b = rows.body_a[k], rows.body_b[k]
        one, other = rows.shape[k], rows.solid[k]
        rule = shapes.friction_rule
        rows.mu_torsional[k] = combined(rule, shapes.mu_torsional[one], shapes.mu_torsional[other])
        rows.mu_rolling[k] = combined(rule, shapes.mu_rolling[one], shapes.mu_rolling[other])
        turn = vec3()
        if a >= 0:
            turn = turn + h * work.omega_free[a]
        if b >= 0:
            turn = turn - h * work.omega_free[b]
        n = rows.normal[k]
        t = some_across(n)
        rows.turn[k] = turn
        rows.w_spin[k] = turns_for(bodies, work, a, n) + turns_for(bodies, work, b, n)
        rows.w_roll[k] = turns_for(bodies, work, a, t) + turns_for(bodies, work, b, t)
        rows.lambda_r[k] = vec3()
        rows.spin_hold[k] = scalar(0.0)
        rows.roll_hold[k] = scalar(0.0)

    @wp.func
    def wind(bodies: Bodies, contacts: Contacts, rows: Rows, work: Work, options: Options, k: int, h: scalar):
        """Take back the turn of a contact that is swept, as far as Coulomb's law allows."""
        held = rows.lambda_r[k]
        lambda_n = rows.lambda_n[k]
        if lambda_n > scalar(0.0) or wp.dot(held, held) > scalar(0.0):
            n = rows.normal[k]
            angle = share(bodies, rows, work, options, k) * turned(bodies, contacts, rows, work, k, h)
            moment = held - angle / rows.w_roll[k]
            spin = wp.dot(held, n) - wp.dot(angle, n) / rows.w_spin[k]
            roll = moment - wp.dot(moment, n) * n
            most_spin, most_roll = rows.mu_torsional[k] * lambda_n, rows.mu_rolling[k] * lambda_n
            rows.spin_hold[k] = holding(wp.abs(spin), most_spin)
            rows.roll_hold[k] = holding(wp.length(roll), most_roll)
            moment = wp.clamp(spin, -most_spin, most_spin) * n + capped(roll, most_roll)
            push(bodies, work, rows.body_a[k], vec3(), moment - held, h)
            push(bodies, work, rows.body_b[k], vec3(), held - moment, h)
            rows.lambda_r[k] = moment

    @wp.func
    def holding(moment: scalar, most: scalar) -> scalar:
        """Return 1 where a moment is granted, 0 where it is too great."""
        if moment <= most:
            return scalar(1.0)
        return scalar(0.0)

    @wp.func
    def capped(moment: vec3, most: scalar) -> vec3:
        """Return a moment no greater than that."""
        return wp.min(scalar(1.0), most / (wp.length(moment) + least)) * moment

    @wp.func
    def keep_twist(bodies: Bodies, contacts: Contacts, rows: Rows, work: Work, k: int, h: scalar, per_force: scalar):
        """End a substep: remember the angle that friction still holds, and add the moment to the reported torque."""
        slot = rows.slot[k]
        lambda_n = rows.lambda_n[k]
        angle = vec3()
        if lambda_n > scalar(0.0):
            n, moment = rows.normal[k], rows.lambda_r[k]
            contacts.torque[slot] = contacts.torque[slot] + per_force * moment
            if rows.planned[k] == 1:
                angle = rounded((wp.float64(-1.0) / rows.turn_stiffness[k]) * rows.applied_moment[k])
            else:
                left = turned(bodies, contacts, rows, work, k, h)
                spin = wp.dot(left, n)
                angle = (rows.spin_hold[k] * spin) * n + rows.roll_hold[k] * (left - spin * n)
        contacts.turn[slot] = angle

    return SimpleNamespace(
        open_twist=open_twist,
        wind=wind,
        keep_twist=keep_twist,
    )
