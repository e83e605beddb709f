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

from inertia_tools.sim.device.precision import Precision, precision
from inertia_tools.sim.xpbd.contact_bracing import LATE
from inertia_tools.sim.xpbd.contact_finding import finding_functions
from inertia_tools.sim.xpbd.contact_rings import ring_functions
from inertia_tools.sim.xpbd.contact_rows import row_functions
from inertia_tools.sim.xpbd.contact_sweep import touch_functions
from inertia_tools.sim.xpbd.motion import motion_functions
from inertia_tools.sim.xpbd.rounding import rounding_functions

SETTLED = 1e-6
"""Moment that may be missing or in excess, over the greatest that Coulomb's law grants."""


@lru_cache(maxsize=2)
def twist_functions(p: Precision) -> Any:
    """Return the device functions of one precision."""
    scalar, vec3, wide = p.scalar, p.vec3, precision("float64")
    wide_vec3, wide_mat33 = wide.vec3, wide.mat33
    exact, rounded = rounding_functions(p).exact, rounding_functions(p).rounded
    Bodies, Shapes, Contacts, Rows = p.references("Bodies", "Shapes", "Contacts", "Rows")
    Work, Options = p.references("Work", "Options")
    motion = motion_functions(p)
    stays, push, pushed_turn = motion.stays, motion.push, motion.pushed_turn
    link_of = ring_functions(p).link_of
    combined, some_across = finding_functions(p).combined, row_functions(p).across
    share = touch_functions(p).share
    settled, least = wp.constant(scalar(SETTLED)), wp.constant(scalar(1.0e-30))
    late = wp.constant(LATE)

    @wp.func
    def turns_for(bodies: Bodies, work: Work, b: int, axis: vec3) -> scalar:
        """Return how far a unit moment about an axis turns a body about it [1/(kg m^2)]."""
        if stays(bodies, b):
            return scalar(0.0)
        return wp.dot(axis, work.inv_tensor[b] * axis)

    @wp.func
    def turned_by(bodies: Bodies, work: Work, b: int, h: scalar) -> vec3:
        """Return how far impulses of this substep have turned a body so far [rad]."""
        if stays(bodies, b):
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
        rows.spin_give[k] = turns_for(bodies, work, a, n) + turns_for(bodies, work, b, n)
        rows.roll_give[k] = turns_for(bodies, work, a, t) + turns_for(bodies, work, b, t)
        rows.twisted[k] = vec3()
        rows.spin_hold[k] = scalar(0.0)
        rows.roll_hold[k] = scalar(0.0)
        rows.spin_grip[k] = scalar(0.0)
        rows.roll_grip[k] = scalar(0.0)

    @wp.func
    def softened(grip: scalar, angle: scalar, most: scalar) -> scalar:
        """Return the stiffness of a spring that gives no more than a moment at an angle; none where none is granted."""
        if grip * angle >= most:
            return most / wp.max(angle, least)
        return grip

    @wp.func
    def brace_twist(bodies: Bodies, contacts: Contacts, rows: Rows, work: Work, k: int, h: scalar, turn: int):
        """Add the springs of a contact to what is solved directly, after the contact itself."""
        if rows.braced[k] == 1:
            back = -exact(rows.twisted[k])
            spring = wide_mat33()
            lacks = wide_vec3()
            load = rows.load[k]
            if load > scalar(0.0):
                n = rows.normal[k]
                angle = turned(bodies, contacts, rows, work, k, h)
                spin = wp.dot(angle, n)
                # As stiff, for the inertia it turns, as the grip of sliding friction is for the mass that it moves.
                stiff = rows.grip[k] * rows.sideways[k]
                rows.spin_grip[k] = stiff / rows.spin_give[k]
                rows.roll_grip[k] = stiff / rows.roll_give[k]
                spin_hold = softened(rows.spin_grip[k], wp.abs(spin), rows.mu_torsional[k] * load)
                roll_hold = softened(rows.roll_grip[k], wp.length(angle - spin * n), rows.mu_rolling[k] * load)
                if turn > late:
                    spin_hold = wp.min(spin_hold, rows.spin_hold[k])
                    roll_hold = wp.min(roll_hold, rows.roll_hold[k])
                rows.spin_hold[k] = spin_hold
                rows.roll_hold[k] = roll_hold
                spring = wp.float64(spin_hold - roll_hold) * wp.outer(exact(n), exact(n))
                for d in range(3):
                    spring[d, d] = spring[d, d] + wp.float64(roll_hold)
                lacks = -exact(angle)
            rows.twisted[k] = vec3()
            rows.turn_spring[k] = spring
            rows.turn_lacks[k] = lacks
            rows.turn_back[k] = back
            moment = spring * lacks + back
            a, b = rows.body_a[k], rows.body_b[k]
            a_moves, b_moves = not stays(bodies, a), not stays(bodies, b)
            if a_moves:
                load_turn(work, a, spring, moment)
            if b_moves:
                load_turn(work, b, spring, -moment)
            if a_moves and b_moves:
                link = link_of(bodies, work, a, b)
                if link < 0:
                    link = link_of(bodies, work, b, a)
                couple_turns(work, link, spring)

    @wp.func
    def load_turn(work: Work, b: int, spring: wide_mat33, moment: wide_vec3):
        """Add a spring on a body's rotation, and a moment, to what the body is solved with."""
        m = work.braced_matrix[b]
        load = work.braced_load[b]
        for r in range(3):
            load[r + 3] = load[r + 3] + moment[r]
            for c in range(3):
                m[r + 3, c + 3] = m[r + 3, c + 3] + spring[r, c]
        work.braced_matrix[b] = m
        work.braced_load[b] = load

    @wp.func
    def couple_turns(work: Work, link: int, spring: wide_mat33):
        """Add a spring between the rotations of a body and one that it is tied to, to the block that couples them."""
        m = work.couple[link]
        for r in range(3):
            for c in range(3):
                m[r + 3, c + 3] = m[r + 3, c + 3] - spring[r, c]
        work.couple[link] = m

    @wp.func
    def solved_turn(bodies: Bodies, work: Work, b: int) -> wide_vec3:
        """Return how far the solve turns a body."""
        if stays(bodies, b):
            return wide_vec3()
        move = work.braced_move[b]
        return wide_vec3(move[3], move[4], move[5])

    @wp.func
    def draw_twist(bodies: Bodies, rows: Rows, work: Work, k: int):
        """Find the moment that the solve draws from a contact, for its two bodies alike."""
        if rows.braced[k] == 1:
            a, b = rows.body_a[k], rows.body_b[k]
            went = solved_turn(bodies, work, a) - solved_turn(bodies, work, b)
            moment = rows.turn_spring[k] * (rows.turn_lacks[k] - went)
            rows.twisted[k] = rounded(moment)
            drawn = moment + rows.turn_back[k]
            if not stays(bodies, a):
                work.drawn_twist[a] = work.drawn_twist[a] + drawn
            if not stays(bodies, b):
                work.drawn_twist[b] = work.drawn_twist[b] - drawn

    @wp.func
    def is_off(moment: scalar, most: scalar, hold: scalar, grip: scalar) -> bool:
        """Tell whether a moment is more than is granted, or less though its spring was made soft for it."""
        if moment > most * (scalar(1.0) + settled):
            return True
        return hold < grip and moment < most * (scalar(1.0) - settled)

    @wp.func
    def is_twist_unsettled(rows: Rows, k: int, turn: int) -> bool:
        """Tell whether the moment of a contact asks for another pass; before `is_unsettled` ends it."""
        pressed = rows.pressed[k]
        if rows.braced[k] == 0 or pressed <= scalar(0.0):
            return False
        n, moment = rows.normal[k], rows.twisted[k]
        spin = wp.dot(moment, n)
        roll = wp.length(moment - spin * n)
        most_spin, most_roll = rows.mu_torsional[k] * pressed, rows.mu_rolling[k] * pressed
        if turn > late:
            return spin > most_spin * (scalar(1.0) + settled) or roll > most_roll * (scalar(1.0) + settled)
        if is_off(wp.abs(spin), most_spin, rows.spin_hold[k], rows.spin_grip[k]):
            return True
        return is_off(roll, most_roll, rows.roll_hold[k], rows.roll_grip[k])

    @wp.func
    def wind(bodies: Bodies, contacts: Contacts, rows: Rows, work: Work, options: Options, k: int, h: scalar):
        """Take back the turn of a contact that is swept, as far as Coulomb's law allows."""
        held = rows.twisted[k]
        pressed = rows.pressed[k]
        if pressed > scalar(0.0) or wp.dot(held, held) > scalar(0.0):
            n = rows.normal[k]
            angle = share(bodies, rows, work, options, k) * turned(bodies, contacts, rows, work, k, h)
            moment = held - angle / rows.roll_give[k]
            spin = wp.dot(held, n) - wp.dot(angle, n) / rows.spin_give[k]
            roll = moment - wp.dot(moment, n) * n
            most_spin, most_roll = rows.mu_torsional[k] * pressed, rows.mu_rolling[k] * pressed
            rows.spin_hold[k] = holding(wp.abs(spin), most_spin)
            rows.roll_hold[k] = holding(wp.length(roll), most_roll)
            moment = wp.clamp(spin, -most_spin, most_spin) * n + capped(roll, most_roll)
            push(bodies, work, rows.body_a[k], vec3(), moment - held, h)
            push(bodies, work, rows.body_b[k], vec3(), held - moment, h)
            rows.twisted[k] = moment

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
        pressed = rows.pressed[k]
        angle = vec3()
        if pressed > scalar(0.0):
            n, moment = rows.normal[k], rows.twisted[k]
            contacts.torque[slot] = contacts.torque[slot] + per_force * moment
            if rows.spin_grip[k] > scalar(0.0):
                spin = wp.dot(moment, n)
                most = rows.mu_torsional[k] * pressed
                roll = capped(moment - spin * n, rows.mu_rolling[k] * pressed)
                angle = (-wp.clamp(spin, -most, most) / rows.spin_grip[k]) * n - roll / rows.roll_grip[k]
            else:  # it was swept
                left = turned(bodies, contacts, rows, work, k, h)
                spin = wp.dot(left, n)
                angle = (rows.spin_hold[k] * spin) * n + rows.roll_hold[k] * (left - spin * n)
        contacts.turn[slot] = angle

    return SimpleNamespace(
        open_twist=open_twist,
        brace_twist=brace_twist,
        draw_twist=draw_twist,
        is_twist_unsettled=is_twist_unsettled,
        wind=wind,
        keep_twist=keep_twist,
    )
