# SPDX-FileCopyrightText: The inertia_tools authors
# SPDX-License-Identifier: Apache-2.0
"""Contacts that are solved directly, with the joints and with each other.

A contact enters as a stiff spring with a multiplier: from pass to pass what presses is kept, what pulls is given back,
and the rest of the gap is asked for again. Friction is a spring on the slip while a contact sticks, and what Coulomb's
law grants against the slip while it slides.

Bodies that no joint holds are carried: each by at most one other body that moves, whatever else it touches, so that
those that carry each other make a forest. Contacts with what stays, and those between a body and its carrier, are
solved without error in one elimination from the leaves to the roots, whose cost grows with the number of bodies: a
light box under a heavy one feels the weight at once. Contacts between two bodies on joints come in when the trees of
joints are solved (`tree_contacts`). What is left, where contacts close a ring, is swept.

Springs, what they pull at, and what is eliminated are in double precision whatever that of the scene: contacts that
share a load are a hundred thousand times as stiff as what they carry, and what rounding makes of that would shake it.
"""

from functools import lru_cache
from types import SimpleNamespace
from typing import Any

import warp as wp

from inertia_tools.sim.device.precision import Precision, precision
from inertia_tools.sim.xpbd.contact_rings import ring_functions
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

WRONG_BY = 1.01
"""Friction over what Coulomb grants that is not left so."""

BEARABLE = 0.05
"""Pull, and friction beyond what Coulomb grants, that contacts in rings may be left with, over the bodies' weight."""

RESIDUE = 2.5e-3
"""Distance from the gap to aim at that needs no other pass, over the fall in a substep.

A pass leaves one part in `JOINTED_BRACING` of what a body bears, over its own weight: a whole number of such parts
would let rounding decide whether what rests on another takes one pass or two, and shake it.
"""

FIRST_RESIDUE = 3e-5
"""The same after the first pass: a contact whose load has not changed is far closer than that."""


@lru_cache(maxsize=2)
def solve_functions(p: Precision) -> Any:
    """Return the device functions of one precision."""
    scalar, vec3, vec6, mat66 = p.scalar, p.vec3, p.vec6, p.mat66
    wide = precision("float64")
    wide_vec3, wide_vec6, wide_mat33, wide_mat66 = wide.vec3, wide.vec6, wide.mat33, wide.mat66
    Bodies, Contacts, Rows, Work = p.references("Bodies", "Contacts", "Rows", "Work")
    motion, row = motion_functions(p), row_functions(p)
    stays, go_back = motion.stays, motion.go_back
    pushed, slipped, link_of = row.pushed, row.slipped, ring_functions(p).link_of
    rounding = rounding_functions(p)
    exact, exact_six, rounded = rounding.exact, rounding.exact_six, rounding.rounded
    rounded_six, rounded_block, exact_block = rounding.rounded_six, rounding.rounded_block, rounding.exact_block
    one = wp.constant(wp.float64(1.0))
    free_bracing, own_weight = wp.constant(scalar(BRACING)), wp.constant(scalar(OWN_WEIGHT))
    jointed_bracing = wp.constant(scalar(JOINTED_BRACING))
    late, last, late_bracing = wp.constant(LATE), wp.constant(LAST), wp.constant(scalar(LATE_BRACING))
    most_late = wp.constant(scalar(MOST_LATE))
    ringed_borne = wp.constant(scalar(RINGED_BORNE))
    bearable = wp.constant(scalar(BEARABLE))
    wrong_by = wp.constant(scalar(WRONG_BY))
    skid = wp.constant(scalar(SKID))
    most_borne = wp.constant(scalar(MOST_BORNE))
    unchanged = wp.constant(scalar(UNCHANGED))
    residue, first_residue = wp.constant(scalar(RESIDUE)), wp.constant(scalar(FIRST_RESIDUE))

    @wp.func
    def is_free(bodies: Bodies, b: int) -> bool:
        return stays(bodies, b) or bodies.lone[b] == 1

    @wp.func
    def mark_body(bodies: Bodies, rows: Rows, work: Work, k: int, b: int):
        if not stays(bodies, b):
            if rows.gap[k] < scalar(0.0):
                work.touching[b] = work.touching[b] + 1
            if rows.direct[k] == 1:
                work.busy[b] = int(1)

    @wp.func
    def mark_busy(bodies: Bodies, rows: Rows, work: Work, k: int):
        """Note which bodies the direct solve is about, and count the contacts of each."""
        mark_body(bodies, rows, work, k, rows.body_a[k])
        mark_body(bodies, rows, work, k, rows.body_b[k])

    @wp.func
    def begin_body(bodies: Bodies, work: Work, b: int):
        """Begin a solve with a body's own mass; what contacts do comes on top, in double precision."""
        if stays(bodies, b):
            return
        is_lone, is_busy = bodies.lone[b] == 1, work.busy[b] == 1
        if is_lone and not is_busy:
            work.braced_move[b] = wide_vec6()
            return
        own = mat66()
        tensor = work.tensor[b]
        for i in range(3):
            own[i, i] = bodies.mass[b]
            for j in range(3):
                own[i + 3, j + 3] = tensor[i, j]
        m = wide_mat66()
        if is_lone:
            m = exact_block(own)
        else:
            work.mass_matrix[b] = own
            work.braced_move[b] = wide_vec6()
        if is_busy:
            work.braced_matrix[b] = m
            work.braced_load[b] = wide_vec6()
            for i in range(b * bodies.links, b * bodies.links + work.link_count[b]):
                work.couple[i] = wide_mat66()

    @wp.func
    def load_body(work: Work, b: int, arm: vec3, spring: wide_mat33, impulse: wide_vec3):
        """Add a spring at an arm, and an impulse besides, to what a body is solved with."""
        turn = wp.skew(exact(arm))
        both = turn * spring
        corner = both * wp.transpose(turn)
        twist = wp.cross(exact(arm), impulse)
        m = work.braced_matrix[b]
        for r in range(3):
            for c in range(3):
                m[r, c] = m[r, c] + spring[r, c]
                m[r + 3, c] = m[r + 3, c] + both[r, c]
                m[c, r + 3] = m[c, r + 3] + both[r, c]
                m[r + 3, c + 3] = m[r + 3, c + 3] + corner[r, c]
        work.braced_matrix[b] = m
        load = work.braced_load[b]
        work.braced_load[b] = load + wide_vec6(impulse[0], impulse[1], impulse[2], twist[0], twist[1], twist[2])

    @wp.func
    def couple_bodies(work: Work, link: int, arm: vec3, arm_above: vec3, spring: wide_mat33):
        """Add a spring between a body and one that it is tied to, to the block that couples them."""
        turn = wp.skew(exact(arm))
        back = wp.transpose(wp.skew(exact(arm_above)))
        right = spring * back
        below = turn * spring
        corner = turn * right
        m = work.couple[link]
        for r in range(3):
            for c in range(3):
                m[r, c] = m[r, c] - spring[r, c]
                m[r, c + 3] = m[r, c + 3] - right[r, c]
                m[r + 3, c] = m[r + 3, c] - below[r, c]
                m[r + 3, c + 3] = m[r + 3, c + 3] - corner[r, c]
        work.couple[link] = m

    @wp.func
    def load_joints(bodies: Bodies, work: Work, b: int):
        """Add what contacts, and free bodies on it, do to a body on a joint to what joints are solved with."""
        if bodies.lone[b] == 0 and work.busy[b] == 1:
            work.mass_matrix[b] = work.mass_matrix[b] + rounded_block(work.braced_matrix[b])
            work.load[b] = work.load[b] + rounded_six(work.braced_load[b])

    @wp.func
    def take_move(bodies: Bodies, work: Work, b: int):
        """Take the displacement of a body on a joint from the solve of the joints."""
        if bodies.lone[b] == 0 and work.busy[b] == 1:
            work.braced_move[b] = exact_six(work.move[b])

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

    @wp.func
    def couple_row(bodies: Bodies, rows: Rows, work: Work, k: int):
        """Couple the bodies of a contact that has been added, of which one at least is free, if both move."""
        a, b = rows.body_a[k], rows.body_b[k]
        if rows.braced[k] == 1 and rows.ties_trees[k] == 0 and not stays(bodies, a) and not stays(bodies, b):
            link = link_of(bodies, work, a, b)
            below = link >= 0
            if not below:
                link = link_of(bodies, work, b, a)
            arm = wp.where(below, rows.arm_a[k], rows.arm_b[k])
            arm_above = wp.where(below, rows.arm_b[k], rows.arm_a[k])
            couple_bodies(work, link, arm, arm_above, rows.spring[k])

    # Elimination

    @wp.func
    def reduce_body(bodies: Bodies, work: Work, b: int):
        """Factor a free body, those before it being eliminated, and eliminate it into those that it is tied to."""
        low = work.braced_matrix[b]
        y = work.braced_load[b]
        for i in range(6):
            for j in range(i):
                s = low[i, j]
                for k in range(j):
                    s -= low[i, k] * low[j, k]
                low[i, j] = s * low[j, j]
            s = low[i, i]
            for k in range(i):
                s -= low[i, k] * low[i, k]
            low[i, i] = one / wp.sqrt(s)
            s = y[i]
            for k in range(i):
                s -= low[i, k] * y[k]
            y[i] = s * low[i, i]
        work.factor[b] = low
        work.reduced[b] = y
        first = b * bodies.links
        end = first + work.link_count[b]
        for n in range(first, end):
            x = work.couple[n]
            for c in range(6):
                for i in range(6):
                    s = x[i, c]
                    for k in range(i):
                        s -= low[i, k] * x[k, c]
                    x[i, c] = s * low[i, i]
            work.couple[n] = x
            down = wp.transpose(x)
            above = work.above[n]
            work.braced_matrix[above] = work.braced_matrix[above] - down * x
            work.braced_load[above] = work.braced_load[above] - down * y
            for m in range(first, n):
                fill(bodies, work, above, down, work.above[m], work.couple[m])

    @wp.func
    def fill(bodies: Bodies, work: Work, one: int, one_down: wide_mat66, other: int, reduced: wide_mat66):
        """Couple two bodies that one which is eliminated was tied to."""
        link = int(-1)
        if bodies.lone[one] == 1:
            link = link_of(bodies, work, one, other)
        if link >= 0:
            work.couple[link] = work.couple[link] - one_down * reduced
        else:
            link = link_of(bodies, work, other, one)
            work.couple[link] = work.couple[link] - wp.transpose(one_down * reduced)

    @wp.func
    def find_move(bodies: Bodies, work: Work, b: int):
        """Find the displacement of a free body, those that it is tied to being known."""
        low = work.factor[b]
        y = work.reduced[b]
        for n in range(b * bodies.links, b * bodies.links + work.link_count[b]):
            y = y - work.couple[n] * work.braced_move[work.above[n]]
        for r in range(6):
            i = 5 - r
            s = y[i]
            for k in range(i + 1, 6):
                s -= low[k, i] * y[k]
            y[i] = s * low[i, i]
        work.braced_move[b] = y
        work.drawn[b] = wide_vec3()
        work.drawn_twist[b] = wide_vec3()

    @wp.func
    def moved_at(bodies: Bodies, work: Work, b: int, arm: vec3) -> wide_vec3:
        """Return how far the solve moves a body at an arm."""
        if stays(bodies, b):
            return wide_vec3()
        move = work.braced_move[b]
        return wide_vec3(move[0], move[1], move[2]) + wp.cross(wide_vec3(move[3], move[4], move[5]), exact(arm))

    @wp.func
    def move_at(move: vec6, arm: vec3) -> wide_vec3:
        """Return how far a body goes at an arm by a displacement."""
        wide_move = exact_six(move)
        turn = wide_vec3(wide_move[3], wide_move[4], wide_move[5])
        return wide_vec3(wide_move[0], wide_move[1], wide_move[2]) + wp.cross(turn, exact(arm))

    @wp.func
    def load_at(work: Work, b: int, arm: vec3, impulse: wide_vec3):
        """Add an impulse at an arm to what the joints of a body are solved with."""
        twist = wp.cross(exact(arm), impulse)
        load = wide_vec6(impulse[0], impulse[1], impulse[2], twist[0], twist[1], twist[2])
        work.load[b] = work.load[b] + rounded_six(load)

    @wp.func
    def draw(bodies: Bodies, rows: Rows, work: Work, k: int):
        """Find the impulse that the solve draws from a contact, for its two bodies alike."""
        if rows.braced[k] == 1:
            n, arm_a, arm_b = rows.normal[k], rows.arm_a[k], rows.arm_b[k]
            a, b = rows.body_a[k], rows.body_b[k]
            went = moved_at(bodies, work, a, arm_a) - moved_at(bodies, work, b, arm_b)
            pull = rows.spring[k] * (rows.lacks[k] - went)
            if rows.ties_trees[k] == 1:
                pull = rows.pull[k]
            drawn = wp.dot(exact(n), pull)
            rows.pressed[k] = scalar(wp.float64(rows.pressed[k]) + drawn)
            rows.rubbed[k] = rounded(exact(rows.rubbed[k]) + pull - drawn * exact(n))
            impulse = pull + rows.back[k]
            if not stays(bodies, a):
                work.drawn[a] = work.drawn[a] + impulse
                work.drawn_twist[a] = work.drawn_twist[a] + wp.cross(exact(arm_a), impulse)
            if not stays(bodies, b):
                work.drawn[b] = work.drawn[b] - impulse
                work.drawn_twist[b] = work.drawn_twist[b] - wp.cross(exact(arm_b), impulse)

    @wp.func
    def is_unsettled(bodies: Bodies, contacts: Contacts, rows: Rows, work: Work, k: int, h: scalar, turn: int) -> bool:
        """Tell whether a contact asks for another pass: it sets in, pulls, or rubs other than it should."""
        n = rows.normal[k]
        pressed = rows.pressed[k]
        way = pushed(bodies, rows, work, k, h)
        was_braced = rows.braced[k] == 1
        rows.braced[k] = int(0)
        if was_braced and pressed != scalar(0.0):
            if pressed < scalar(0.0):
                return True
            are_free = is_free(bodies, rows.body_a[k]) and is_free(bodies, rows.body_b[k])
            if (turn == 0 or not are_free) and contacts.load[rows.slot[k]] == scalar(0.0):
                return True
            enough = residue
            if turn == 0 and not are_free:
                enough = first_residue
            if scalar(wp.abs(rows.to_goal[k] - wp.dot(exact(n), way))) > enough * own_weight * h * h:
                return True
            most = rows.mu[k] * pressed
            rubbed = wp.length(rows.rubbed[k])
            if rows.mu[k] == scalar(0.0):
                return False
            if rows.hold[k] >= scalar(0.0):
                return rubbed > wrong_by * most
            if rows.slides[k] == 1:
                back = wp.dot(rounded(slipped(contacts, rows, k, way)), rows.heading[k]) <= scalar(0.0)
                return back or wp.abs(most - rubbed) > unchanged * most
            return rubbed > most * (scalar(1.0) + unchanged)
        if rows.barred[k] == 1:
            return False
        return rows.gap[k] + scalar(wp.dot(exact(n), way)) < -unchanged * own_weight * h * h

    @wp.func
    def is_wrong(bodies: Bodies, rows: Rows, work: Work, k: int, h: scalar) -> bool:
        """Tell whether a contact that was solved directly was left pulling, open, or rubbing far more than it may.

        Rings may leave a little, as bricks that just touch each other's sides: it is taken for what it is over weights.
        """
        pressed = rows.pressed[k]
        if rows.direct[k] == 0:
            return False
        if pressed == scalar(0.0) and rows.barred[k] == 0:
            moved = scalar(wp.dot(exact(rows.normal[k]), pushed(bodies, rows, work, k, h)))
            return wp.min(-rows.gap[k], scalar(rows.to_goal[k])) - moved > own_weight * h * h
        leave = scalar(0.0)
        if rows.ringed[k] == 1:
            leave = bearable * own_weight * h * h / rows.give[k]
        return pressed < -leave or wp.length(rows.rubbed[k]) > wrong_by * rows.mu[k] * pressed + leave

    @wp.func
    def give_up(bodies: Bodies, rows: Rows, work: Work, k: int):
        """Leave a contact of free bodies to sweeps, as when bodies are wedged and the direct solve finds no end."""
        a, b = rows.body_a[k], rows.body_b[k]
        if is_free(bodies, a) and is_free(bodies, b):
            rows.pressed[k] = scalar(0.0)
            rows.rubbed[k] = vec3()
            rows.twisted[k] = vec3()
            rows.grip[k] = scalar(0.0)
            rows.direct[k] = int(0)
            if not stays(bodies, a):
                go_back(work, a)
            if not stays(bodies, b):
                go_back(work, b)

    return SimpleNamespace(
        is_wrong=is_wrong,
        give_up=give_up,
        mark_busy=mark_busy,
        begin_body=begin_body,
        load_at=load_at,
        load_joints=load_joints,
        move_at=move_at,
        take_move=take_move,
        brace=brace,
        couple_row=couple_row,
        reduce_body=reduce_body,
        find_move=find_move,
        draw=draw,
        is_unsettled=is_unsettled,
    )
