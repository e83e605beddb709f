# SPDX-FileCopyrightText: The inertia_tools authors
# SPDX-License-Identifier: Apache-2.0
"""How stiff a contact is that is solved directly, and what friction it asks for in each pass.

A contact enters as a stiff spring with a multiplier: from pass to pass what presses is kept, what pulls is given back,
and the rest of the gap is asked for again. Friction is a spring on the slip while a contact sticks, and what Coulomb's
law grants against the slip while it slides.
"""

from functools import lru_cache
from types import SimpleNamespace
from typing import Any

import warp as wp

from inertia_tools.sim.device.precision import Precision, precision
from inertia_tools.sim.xpbd.contact_elimination import elimination_functions
from inertia_tools.sim.xpbd.contact_rows import row_functions
from inertia_tools.sim.xpbd.motion import motion_functions
from inertia_tools.sim.xpbd.rounding import rounding_functions

BRACING = 1e5
"""Stiffness of a contact of free bodies, over the inertia that they show there; the excess is what gives."""

JOINTED_BRACING = 1e3
"""The same where one of the bodies is on a joint: eliminating joints that hold leaves no more digits."""

MOST_BORNE = 1e4
"""Greatest mass that a contact is made stiff for, over the inertia that its bodies show there, for rounding's sake."""

RINGED_BORNE = 1e2
"""The same in rings, whose contacts are braced as those of jointed bodies: what stiff ones hold apart by rounding alone
would be a great force."""

OWN_WEIGHT = 9.81
"""Acceleration [m/s^2] of a load under which a contact is as stiff as if it braced the mass that makes that load.

The grip of friction grows with the load no further than that, so that friction is spread as the load is, and no
contact is asked for more than it can hold while the others are asked for less.
"""

UNCHANGED = 1e-6
"""Change of a load, relative, that friction need not be solved again for."""

SKID = 10.0
"""Slip of a contact that is new, over what friction could take back, from which it slides at once."""

LATE = 5
"""From this pass on friction of bodies on joints is a spring on the slip, and contacts are softer; see below.

Passes may go round in a ring, where what sticks here slides there, and the other way round, or what presses here pulls
there. Such springs take energy out wherever passes end, and they do end. They begin with the free motion of the
substep: what slides in the passes before is pushed by the load of the pass before, and where contacts are nearly
redundant, those loads, and the bodies with them, may have gone anywhere.
"""

LATE_BRACING = 10.0
"""Stiffness of a contact on joints in late passes, over the inertia that it shows or the mass that it bears.

Redundant contacts whose gaps do not fit a rigid body pull at each other, the more the stiffer they are, and letting go
of what pulls finds no end. Soft ones share the load, and what they leave of the gap becomes less from pass to pass.
"""

MOST_LATE = 100.0
"""Greatest mass that it is made stiff for then, over the inertia that it shows."""

LAST = 11
"""From this pass on friction only ever softens, and what pulls is out of the substep, so that passes do end."""


@lru_cache(maxsize=2)
def bracing_functions(p: Precision) -> Any:
    """Return the device functions of one precision."""
    scalar, vec3 = p.scalar, p.vec3
    wide = precision("float64")
    wide_vec3, wide_mat33 = wide.vec3, wide.mat33
    Bodies, Contacts, Rows, Work = p.references("Bodies", "Contacts", "Rows", "Work")
    stays, load_body = motion_functions(p).stays, elimination_functions(p).load_body
    pushed, slipped = row_functions(p).pushed, row_functions(p).slipped
    exact, rounded = rounding_functions(p).exact, rounding_functions(p).rounded
    free_bracing, jointed_bracing = wp.constant(scalar(BRACING)), wp.constant(scalar(JOINTED_BRACING))
    most_borne, ringed_borne = wp.constant(scalar(MOST_BORNE)), wp.constant(scalar(RINGED_BORNE))
    own_weight, unchanged = wp.constant(scalar(OWN_WEIGHT)), wp.constant(scalar(UNCHANGED))
    skid, late, last = wp.constant(scalar(SKID)), wp.constant(LATE), wp.constant(LAST)
    late_bracing, most_late = wp.constant(scalar(LATE_BRACING)), wp.constant(scalar(MOST_LATE))

    @wp.func
    def is_free(bodies: Bodies, b: int) -> bool:
        return stays(bodies, b) or bodies.lone[b] == 1

    @wp.func
    def choose_friction(contacts: Contacts, rows: Rows, k: int, slip: vec3, most: scalar, turn: int):
        """Decide whether a contact slides in this pass, and where to.

        What sticks begins to slide where friction would have to be more than Coulomb grants; what slides goes on,
        turning with its slip, until that would turn back. In the first pass everything is as it was in the last
        substep; what is new sticks, unless it comes in fast.
        """
        slot = rows.slot[k]
        if rows.mu[k] == scalar(0.0):
            rows.slides[k] = int(1)
            rows.heading[k] = vec3()  # nowhere: nothing is held across it
        elif turn == 0:
            rows.slides[k] = contacts.slides[slot]
            if contacts.slides[slot] == 1:
                rows.heading[k] = wp.normalize(contacts.left[slot])
            elif contacts.load[slot] == scalar(0.0) and wp.length(slip) > skid * rows.sideways[k] * most:
                rows.slides[k] = int(1)
                rows.heading[k] = wp.normalize(slip)
        elif rows.slides[k] == 0:
            if wp.length(rows.rubbed[k]) > most * (scalar(1.0) + unchanged):
                rows.slides[k] = int(1)
                rows.heading[k] = -wp.normalize(rows.rubbed[k])
        elif wp.dot(slip, rows.heading[k]) <= scalar(0.0):
            rows.slides[k] = int(0)
        else:
            rows.heading[k] = wp.normalize(slip)

    @wp.func
    def soften(rows: Rows, k: int, slip: vec3, grip: scalar, most: scalar, turn: int):
        """Make friction so soft that it gives no more than Coulomb grants; see `LATE`."""
        hold = rows.hold[k]
        if turn < last or hold < scalar(0.0):
            hold = grip
            size = wp.length(slip)
            if grip * size > most:
                hold = most / size
        rubbed = wp.length(rows.rubbed[k])
        if turn >= last and rubbed > most:
            hold = hold * most / rubbed
        rows.hold[k] = hold
        rows.slides[k] = int(0)
        if hold < grip:
            rows.slides[k] = int(1)
            rows.heading[k] = wp.normalize(slip)

    @wp.func
    def brace(bodies: Bodies, contacts: Contacts, rows: Rows, work: Work, k: int, h: scalar, turn: int):
        """Add a contact to what is solved directly.

        What is about to touch takes part in the first pass, and is let go if it pulls: a whole stack is felt at once.
        An old load tells how much mass the contact bears, and how stiff it must be not to give; where joints are about,
        the first pass begins with it, and only what has changed is left to springs. What slides is pushed with what
        Coulomb grants, and held across its heading.
        """
        way = pushed(bodies, rows, work, k, h)
        n = rows.normal[k]
        upward = exact(n)
        moved = wp.dot(upward, way)
        pressed = rows.pressed[k]
        are_free = is_free(bodies, rows.body_a[k]) and is_free(bodies, rows.body_b[k])
        softens = turn >= late and not (are_free and rows.ringed[k] == 0)
        near = -unchanged * own_weight * h * h
        if turn == 0:
            near = own_weight * h * h
            rows.barred[k] = int(0)
            rows.hold[k] = scalar(-1.0)
        if softens and rows.ties_trees[k] == 1:  # a link that is wedged between others stays as deep as it is
            rows.to_goal[k] = wp.min(rows.to_goal[k], -wp.dot(upward, exact(rows.way[k])))
        if (rows.gap[k] + scalar(moved) < near and rows.barred[k] == 0) or pressed != scalar(0.0):
            give_back = -exact(rows.rubbed[k])
            if turn == 0 and not are_free:
                pressed = contacts.load[rows.slot[k]]
                rows.pressed[k] = pressed
                give_back = give_back + exact(pressed * n)
            granted = vec3()
            spring = wide_mat33()
            lacks = wide_vec3()
            rows.most[k] = scalar(0.0)
            rows.load[k] = scalar(0.0)
            if pressed < scalar(0.0):
                give_back = give_back - exact(pressed * n)
                rows.pressed[k] = scalar(0.0)
                if softens and turn >= last:
                    rows.barred[k] = int(1)
            else:
                give, sideways = rows.give[k], rows.sideways[k]
                to_goal = rows.to_goal[k] - moved
                load = pressed
                if load == scalar(0.0):
                    load = contacts.load[rows.slot[k]]
                if load == scalar(0.0):
                    load = wp.max(scalar(to_goal), scalar(0.0)) / give
                slipped_by = slipped(contacts, rows, k, way)
                slip = rounded(slipped_by)
                most = rows.mu[k] * load
                rows.load[k] = load
                borne = load / (own_weight * h * h)
                bracing, most_times = jointed_bracing, scalar(1.0)
                if are_free:
                    bracing, most_times = free_bracing, most_borne
                    if rows.ringed[k] == 1:
                        bracing, most_times = jointed_bracing, wp.min(most_borne, ringed_borne)
                grip = bracing * wp.min(scalar(1.0) / sideways, borne)
                hold = grip
                if softens:
                    soften(rows, k, slip, grip, most, turn)
                    hold = rows.hold[k]
                else:
                    choose_friction(contacts, rows, k, slip, most, turn)
                upright = (bracing / give) * wp.clamp(give * borne, scalar(1.0), most_times)
                if softens:
                    before = contacts.load[rows.slot[k]] / (own_weight * h * h)
                    upright = (late_bracing / give) * wp.clamp(give * before, scalar(1.0), most_late)
                spring = wp.float64(upright) * wp.outer(upward, upward)
                if rows.slides[k] == 1 and not softens:
                    heading = rows.heading[k]
                    across = exact(wp.cross(n, heading))
                    size = wp.length(slip)
                    if grip * size > most:
                        hold = most / size
                    spring = spring + wp.float64(hold) * wp.outer(across, across)
                    granted = -most * heading
                else:
                    spring = spring - wp.float64(hold) * wp.outer(upward, upward)
                    for d in range(3):
                        spring[d, d] = spring[d, d] + wp.float64(hold)
                lacks = to_goal * upward - slipped_by
                rows.grip[k] = grip
                rows.most[k] = most
            rows.rubbed[k] = granted
            give_back = give_back + exact(granted)
            rows.lacks[k] = lacks
            rows.back[k] = give_back
            rows.spring[k] = spring
            rows.braced[k] = int(1)
            impulse = spring * lacks + give_back
            if rows.ties_trees[k] == 1:  # its spring comes in when the trees are solved
                spring = wide_mat33()
                impulse = give_back
            begin = wp.where(stays(bodies, rows.body_a[k]), 1, 0)
            end = wp.where(stays(bodies, rows.body_b[k]), 1, 2)
            for side in range(begin, end):
                on_a = side == 0
                body, arm = wp.where(on_a, rows.body_a[k], rows.body_b[k]), wp.where(on_a, rows.arm_a[k], rows.arm_b[k])
                load_body(work, body, arm, spring, wp.where(on_a, impulse, -impulse))

    return SimpleNamespace(is_free=is_free, brace=brace)
