# SPDX-FileCopyrightText: The inertia_tools authors
# SPDX-License-Identifier: Apache-2.0
"""Contacts: impulses that keep features out of solids, with Coulomb friction that remembers what it holds.

Impulses act equal and opposite at one point, so that momentum is kept. Friction takes back the tangential
displacement that a contact has made since it began to stick, also what an earlier substep left over; so a body that
sticks does not creep. The friction disc is isotropic.
"""

from functools import lru_cache
from types import SimpleNamespace
from typing import Any

import warp as wp

from inertia_tools.sim.precision import Precision
from inertia_tools.sim.xpbd.bounce import bounce_functions
from inertia_tools.sim.xpbd.motion import motion_functions
from inertia_tools.sim.xpbd.placement import placement_functions

RECOVERY_SPEED = 0.3
"""Overlap that was there before the substep is pushed out no faster than this [m/s], so that nothing is shot away."""

BRACING = 1e3
"""Stiffness of a contact in the joint solve, over the inertia that its body shows there; the excess is what gives."""

OWN_WEIGHT = 9.81
"""Acceleration [m/s^2] of a load under which a contact grips as if it braced the mass that makes that load.

The grip grows with the load, so that friction is spread as the load is, and no contact is asked for more than it
can hold while the others are asked for less.
"""

CLOSENESS = 0.02
"""A feature farther from a solid than this, over the size of its shape, is left alone for the substep."""


@lru_cache(maxsize=2)
def contact_functions(p: Precision) -> Any:
    """Return the device functions of one precision."""
    scalar, vec3, mat33 = p.scalar, p.vec3, p.mat33
    Bodies, Shapes, Contacts, Work, Options = p.Bodies, p.Shapes, p.Contacts, p.Work, p.Options
    motion, placement = motion_functions(p), placement_functions(p)
    push, mobility, carried_from = motion.push, motion.mobility, motion.carried_from
    closing_speed = bounce_functions(p).closing_speed
    stays, spot = motion.stays, placement.spot
    world_distance, may_touch = placement.world_distance, placement.may_touch
    recovery_speed = wp.constant(scalar(RECOVERY_SPEED))
    bracing = wp.constant(scalar(BRACING))
    own_weight = wp.constant(scalar(OWN_WEIGHT))
    closeness = wp.constant(scalar(CLOSENESS))

    @wp.func
    def goal_of(contacts: Contacts, work: Work, body_a: int, body_b: int, point: vec3, n: vec3, gap: scalar, h: scalar):
        """Return the gap to aim at: zero, or less while an old overlap is being pushed out slowly."""
        moved = carried_from(work, body_b, point) - carried_from(work, body_a, point)
        return wp.min(scalar(0.0), gap - wp.dot(n, moved) + recovery_speed * h)

    @wp.func
    def slipped(contacts: Contacts, work: Work, body_a: int, body_b: int, slot: int, point: vec3, n: vec3) -> vec3:
        """Return how far body a has moved along body b since the contact began to stick."""
        total = contacts.slip[slot] + carried_from(work, body_b, point) - carried_from(work, body_a, point)
        return total - wp.dot(total, n) * n

    @wp.func
    def share(bodies: Bodies, work: Work, options: Options, body_a: int, body_b: int) -> scalar:
        """Return the ratio of a contact's multiplier that a pass applies, the same for both bodies."""
        if options.sweeps == 0:
            return scalar(1.0)
        ratio = options.contact_relaxation
        if options.contact_weighting == 1:
            count, sides = int(0), int(0)
            if not stays(bodies, body_a):
                count += work.touching[body_a]
                sides += 1
            if not stays(bodies, body_b):
                count += work.touching[body_b]
                sides += 1
            ratio = ratio * scalar(sides) / scalar(wp.max(count, sides))
        return ratio

    @wp.func
    def rub(
        bodies: Bodies,
        contacts: Contacts,
        work: Work,
        body_a: int,
        body_b: int,
        slot: int,
        point: vec3,
        n: vec3,
        mu: scalar,
        ratio: scalar,
        h: scalar,
    ):
        """Take back the slip of a contact, as far as Coulomb's law allows."""
        slip = slipped(contacts, work, body_a, body_b, slot, point, n)
        size = wp.length(slip)
        if size > scalar(0.0):
            t = slip / size
            give = mobility(bodies, work, body_a, point, t) + mobility(bodies, work, body_b, point, t)
            held = contacts.friction_impulse[slot]
            impulse = held - (ratio / give) * slip
            impulse = impulse - wp.dot(impulse, n) * n
            most = mu * contacts.normal_impulse[slot]
            asked = wp.length(impulse)
            contacts.slides[slot] = int(0)
            if asked > most:
                impulse = (most / asked) * impulse
                contacts.slides[slot] = int(1)
            push(bodies, work, body_a, impulse - held, point, h)
            push(bodies, work, body_b, held - impulse, point, h)
            contacts.friction_impulse[slot] = impulse

    @wp.func
    def touch(
        bodies: Bodies,
        shapes: Shapes,
        contacts: Contacts,
        work: Work,
        options: Options,
        pair: int,
        i: int,
        h: scalar,
    ):
        """Resolve one feature against one solid."""
        a = shapes.pair_feature[pair]
        s = shapes.pair_solid[pair]
        slot = shapes.pair_slot[pair] + i
        radius = shapes.radius[shapes.first_feature[a] + i]
        at = spot(shapes, work, pair, i)
        found = world_distance(shapes, work, s, at)
        n = vec3(found[0], found[1], found[2])
        gap = found[3] - radius
        held = contacts.normal_impulse[slot]
        if gap < scalar(0.0) or held != scalar(0.0):
            body_a = shapes.body[a]
            body_b = shapes.body[s]
            point = at - (radius + scalar(0.5) * gap) * n
            goal = goal_of(contacts, work, body_a, body_b, point, n, gap, h)
            give = mobility(bodies, work, body_a, point, n) + mobility(bodies, work, body_b, point, n)
            ratio = share(bodies, work, options, body_a, body_b)
            impulse = wp.max(held + ratio * (goal - gap) / give, scalar(0.0))
            push(bodies, work, body_a, (impulse - held) * n, point, h)
            push(bodies, work, body_b, (held - impulse) * n, point, h)
            contacts.normal_impulse[slot] = impulse
            contacts.point[slot] = point
            contacts.normal[slot] = n
            contacts.depth[slot] = -gap
            mu = scalar(0.5) * (shapes.mu[a] + shapes.mu[s])
            rub(bodies, contacts, work, body_a, body_b, slot, point, n, mu, ratio, h)

    @wp.func
    def moving_side(bodies: Bodies, shapes: Shapes, pair: int) -> int:
        """Return the one body of a pair that moves; -1 when both do."""
        body_a = shapes.body[shapes.pair_feature[pair]]
        body_b = shapes.body[shapes.pair_solid[pair]]
        if stays(bodies, body_b):
            return body_a
        if stays(bodies, body_a):
            return body_b
        return int(-1)

    @wp.func
    def across(n: vec3) -> vec3:
        """Return some unit vector across another."""
        other = vec3(scalar(1.0), scalar(0.0), scalar(0.0))
        if wp.abs(n[0]) > scalar(0.6):
            other = vec3(scalar(0.0), scalar(1.0), scalar(0.0))
        return wp.normalize(wp.cross(n, other))

    @wp.func
    def load_body(work: Work, b: int, arm: vec3, spring: mat33, impulse: vec3):
        """Add a spring, and an impulse besides, at an arm to the system that the joints are solved in."""
        turn = wp.skew(arm)
        both = turn * spring
        corner = both * wp.transpose(turn)
        twist = turn * impulse
        m = work.mass_matrix[b]
        load = work.load[b]
        for r in range(3):
            load[r] = load[r] + impulse[r]
            load[r + 3] = load[r + 3] + twist[r]
            for c in range(3):
                m[r, c] = m[r, c] + spring[r, c]
                m[r + 3, c] = m[r + 3, c] + both[r, c]
                m[c, r + 3] = m[c, r + 3] + both[r, c]
                m[r + 3, c + 3] = m[r + 3, c + 3] + corner[r, c]
        work.mass_matrix[b] = m
        work.load[b] = load

    @wp.func
    def brace(bodies: Bodies, shapes: Shapes, contacts: Contacts, work: Work, pair: int, i: int, b: int, h: scalar):
        """Add a contact of body b with something that stays to the system that the joints are solved in.

        All such contacts of a robot and its joints are solved together; a light foot alone would feel the weight above
        it only substep by substep. From pass to pass, what presses is kept and what pulls is given back. Friction is a
        spring on the slip, as stiff as the bracing while that asks for no more than Coulomb's law grants, and as stiff
        as gives just that when it would: an implicit law, which takes energy out at any speed. `beyond` is the slip
        that would be left if the body gave way to all that friction can do.
        """
        slot = shapes.pair_slot[pair] + i
        a = shapes.pair_feature[pair]
        s = shapes.pair_solid[pair]
        radius = shapes.radius[shapes.first_feature[a] + i]
        at = spot(shapes, work, pair, i)
        found = world_distance(shapes, work, s, at)
        n = vec3(found[0], found[1], found[2])
        gap = found[3] - radius
        pressed = contacts.normal_impulse[slot]
        if gap < scalar(0.0) or pressed != scalar(0.0):
            body_a = shapes.body[a]
            body_b = shapes.body[s]
            side = scalar(1.0)
            if b == body_b:
                side = scalar(-1.0)
            point = at - (radius + scalar(0.5) * gap) * n
            rubbed = contacts.friction_impulse[slot]
            give_back = -rubbed
            contacts.friction_impulse[slot] = vec3()
            spring = mat33()
            lacks = vec3()
            if pressed < scalar(0.0):
                give_back = give_back - pressed * contacts.normal[slot]
                contacts.normal_impulse[slot] = scalar(0.0)
            else:
                give = mobility(bodies, work, b, point, n)
                to_goal = goal_of(contacts, work, body_a, body_b, point, n, gap, h) - gap
                load = pressed
                if load == scalar(0.0):
                    load = contacts.load[slot]
                if load == scalar(0.0):
                    load = wp.max(to_goal, scalar(0.0)) / give
                slip = slipped(contacts, work, body_a, body_b, slot, point, n)
                most = scalar(0.5) * (shapes.mu[a] + shapes.mu[s]) * load
                sideways = mobility(bodies, work, b, point, across(n))
                grip = bracing * wp.min(scalar(1.0) / sideways, load / (own_weight * h * h))
                hold = grip
                beyond = wp.length(slip - sideways * rubbed) - sideways * most
                if grip * beyond > most:
                    hold = most / beyond
                upright = bracing / give
                spring = (upright - hold) * wp.outer(n, n)
                for d in range(3):
                    spring[d, d] = spring[d, d] + hold
                lacks = to_goal * n - slip
                contacts.grip[slot] = grip
            arm = point - work.x[b]
            load_body(work, b, arm, spring, side * (spring * lacks + give_back))
            contacts.point[slot] = point
            contacts.normal[slot] = n
            contacts.depth[slot] = -gap
            contacts.lacks[slot] = side * lacks
            contacts.spring[slot] = spring
            contacts.arm[slot] = arm
            contacts.braced[slot] = int(1)

    @wp.func
    def credit(shapes: Shapes, contacts: Contacts, work: Work, pair: int, i: int, b: int):
        """Add to a braced contact the impulse that the solve has drawn from it."""
        slot = shapes.pair_slot[pair] + i
        if contacts.braced[slot] == 1:
            contacts.braced[slot] = int(0)
            move = work.move[b]
            went = vec3(move[0], move[1], move[2]) + wp.cross(vec3(move[3], move[4], move[5]), contacts.arm[slot])
            impulse = contacts.spring[slot] * (contacts.lacks[slot] - went)
            if b == shapes.body[shapes.pair_solid[pair]]:
                impulse = -impulse
            n = contacts.normal[slot]
            pressed = wp.dot(n, impulse)
            total = contacts.normal_impulse[slot] + pressed
            contacts.normal_impulse[slot] = total
            contacts.friction_impulse[slot] = contacts.friction_impulse[slot] + impulse - pressed * n

    @wp.func
    def count(shapes: Shapes, work: Work, s: int):
        """Count a contact on the body of a shape."""
        b = shapes.body[s]
        if b >= 0:
            work.touching[b] = work.touching[b] + 1

    @wp.func
    def open_pair(bodies: Bodies, shapes: Shapes, contacts: Contacts, work: Work, options: Options, pair: int):
        """Begin a substep: see which features are close to the solid, and remember the loads of the last substep."""
        a = shapes.pair_feature[pair]
        near = int(0)
        if may_touch(shapes, work, pair):
            near = int(1)
        if near == 1 or contacts.near[pair] == 1:
            for i in range(shapes.feature_count[a]):
                slot = shapes.pair_slot[pair] + i
                close = int(0)
                if near == 1:
                    found = world_distance(shapes, work, shapes.pair_solid[pair], spot(shapes, work, pair, i))
                    gap = found[3] - shapes.radius[shapes.first_feature[a] + i]
                    if gap < closeness * shapes.reach[a]:
                        close = int(1)
                    if close == 1 and options.bounces == 1:
                        n = vec3(found[0], found[1], found[2])
                        body_a, body_b = shapes.body[a], shapes.body[shapes.pair_solid[pair]]
                        at = spot(shapes, work, pair, i) - shapes.radius[shapes.first_feature[a] + i] * n
                        contacts.approach[slot] = closing_speed(bodies, work, body_a, body_b, at, n)
                    if gap < scalar(0.0):
                        count(shapes, work, a)
                        count(shapes, work, shapes.pair_solid[pair])
                contacts.close[slot] = close
                contacts.load[slot] = wp.max(contacts.normal_impulse[slot], scalar(0.0))
                contacts.grip[slot] = scalar(0.0)
                contacts.normal_impulse[slot] = scalar(0.0)
                contacts.friction_impulse[slot] = vec3()
                if close == 0:
                    contacts.slip[slot] = vec3()
        contacts.near[pair] = near

    @wp.func
    def keep(shapes: Shapes, contacts: Contacts, work: Work, pair: int, i: int, per_force: scalar):
        """End a substep: remember the slip that friction still holds, and add the impulse to the reported force."""
        slot = shapes.pair_slot[pair] + i
        pressed = contacts.normal_impulse[slot]
        if pressed != scalar(0.0):
            n = contacts.normal[slot]
            total = pressed * n + contacts.friction_impulse[slot]
            contacts.force[slot] = contacts.force[slot] + per_force * total
            body_a = shapes.body[shapes.pair_feature[pair]]
            body_b = shapes.body[shapes.pair_solid[pair]]
            slip = slipped(contacts, work, body_a, body_b, slot, contacts.point[slot], n)
            if contacts.grip[slot] > scalar(0.0):
                slip = (scalar(-1.0) / contacts.grip[slot]) * contacts.friction_impulse[slot]
            elif contacts.slides[slot] == 1:
                slip = vec3()
            contacts.slip[slot] = slip
        else:
            contacts.slip[slot] = vec3()

    return SimpleNamespace(
        moving_side=moving_side,
        touch=touch,
        brace=brace,
        credit=credit,
        open_pair=open_pair,
        keep=keep,
    )
