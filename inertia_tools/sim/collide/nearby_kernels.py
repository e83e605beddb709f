# SPDX-FileCopyrightText: The inertia_tools authors
# SPDX-License-Identifier: Apache-2.0
"""Contacts of large scenes between two steps: how far each shape looks around, and what friction held where."""

from functools import lru_cache
from types import SimpleNamespace
from typing import Any

import warp as wp

from inertia_tools.sim.collide.anchored_kernels import SAFETY
from inertia_tools.sim.collide.collision_types import MAX_CONTACTS, collision_types
from inertia_tools.sim.device.precision import Precision
from inertia_tools.sim.xpbd.rounding import rounding_functions

CLOSENESS = 0.01
"""Half the distance, over the smallest half edge of the box around a shape, from which its contacts are foreseen."""

PUSHED_BY = 0.5
"""What is hit by the fastest body around is foreseen to go no farther than this, over that half edge, in a step."""

MOVED = 0.1
"""A contact that has moved over its shape no farther than this, over that half edge, holds the friction it held."""


@lru_cache(maxsize=2)
def nearby_kernels(p: Precision) -> Any:
    """Return the kernels of one precision."""
    scalar, vec3 = p.scalar, p.vec3
    types = collision_types(p)
    Contact, Anchored, Colliders, Followed = types.Contact, types.Anchored, types.Colliders, types.Followed
    exact, rounded = rounding_functions(p).exact, rounding_functions(p).rounded
    Bodies, State, Contacts, Rows = p.Bodies, p.State, p.Contacts, p.Rows
    safety, closeness = wp.constant(scalar(SAFETY)), wp.constant(scalar(CLOSENESS))
    moved, pushed_by = wp.constant(scalar(MOVED)), wp.constant(scalar(PUSHED_BY))

    @wp.struct
    class Held:
        """What stays of the contacts of the last step: pairs in ascending order, and where the contacts of each are."""

        pair_count: wp.array(dtype=wp.int32)  # one entry
        pair_a: wp.array(dtype=wp.int32)
        pair_b: wp.array(dtype=wp.int32)
        start: wp.array(dtype=wp.int32)  # first contact of each pair
        count: wp.array(dtype=wp.int32)  # contacts of each pair
        feature: wp.array(dtype=wp.int32)  # from here on, one entry a contact
        at: wp.array(dtype=vec3)  # seen from the first body
        slip: wp.array(dtype=vec3)
        load: wp.array(dtype=scalar)
        slides: wp.array(dtype=wp.int32)
        left: wp.array(dtype=vec3)
        turn: wp.array(dtype=vec3)
        rubbed: wp.array(dtype=vec3)
        taken: wp.array(dtype=wp.int32)

    @wp.func
    def smallest(half: vec3) -> scalar:
        return wp.min(half[0], wp.min(half[1], half[2]))

    @wp.func
    def closeness_of(colliders: Colliders, c: int) -> scalar:
        return wp.max(closeness * smallest(colliders.half[c]), scalar(0.0))

    @wp.func
    def turning(bodies: Bodies, state: State, b: int) -> scalar:
        """Return how fast a point of a body may be for its rotation [m/s]."""
        if b < 0:
            return scalar(0.0)
        qd = state.qd[b]
        return wp.length(vec3(qd[3], qd[4], qd[5])) * bodies.extent[b]

    @wp.func
    def velocity(state: State, b: int) -> vec3:
        if b < 0:
            return vec3()
        qd = state.qd[b]
        return vec3(qd[0], qd[1], qd[2])

    @wp.func
    def gained(bodies: Bodies, state: State, b: int, dt: scalar) -> scalar:
        """Return how much faster a body may get in a step, but for gravity [m/s]."""
        if b < 0:
            return scalar(0.0)
        f = state.f[b]
        return dt * bodies.inv_mass[b] * wp.length(vec3(f[0], f[1], f[2]))

    @wp.func
    def pushed_of(colliders: Colliders, c: int, fastest: scalar) -> scalar:
        """Return how far a collider is foreseen to be pushed when the fastest body around hits it."""
        if colliders.still[c] == 1:
            return scalar(0.0)
        return wp.clamp(fastest, scalar(0.0), pushed_by * wp.max(smallest(colliders.half[c]), scalar(0.0)))

    @wp.kernel(module="unique")
    def look_around(
        bodies: Bodies,
        state: State,
        colliders: Colliders,
        dt: scalar,
        fastest: wp.array(dtype=scalar),
        of_world: int,
        reach: wp.array(dtype=scalar),
    ):
        """Find how far a point of each collider may come in a step; `fastest` has the way of each world's fastest."""
        c = wp.tid()
        b = colliders.body[c]
        speed = wp.length(velocity(state, b)) + turning(bodies, state, b) + gained(bodies, state, b, dt)
        if colliders.still[c] == 0:
            speed = speed + dt * wp.length(bodies.gravity[0])
        reach[c] = closeness_of(colliders, c) + safety * dt * speed + pushed_of(colliders, c, fastest[c // of_world])

    @wp.kernel(module="unique")
    def foresee_pairs(
        bodies: Bodies,
        state: State,
        colliders: Colliders,
        dt: scalar,
        fastest: wp.array(dtype=scalar),
        of_world: int,
        pair_a: wp.array(dtype=wp.int32),
        pair_b: wp.array(dtype=wp.int32),
        pair_count: wp.array(dtype=wp.int32),
        threads: int,
        foresight: wp.array(dtype=scalar),
    ):
        """Find how far the two colliders of each pair may come closer: what falls together does not."""
        pair = wp.tid()
        while pair < wp.min(pair_count[0], pair_a.shape[0]):
            c, d = pair_a[pair], pair_b[pair]
            a, b = colliders.body[c], colliders.body[d]
            speed = wp.length(velocity(state, a) - velocity(state, b)) + dt * wp.length(bodies.gravity[0])
            speed = speed + turning(bodies, state, a) + turning(bodies, state, b)
            speed = speed + gained(bodies, state, a, dt) + gained(bodies, state, b, dt)
            far = closeness_of(colliders, c) + closeness_of(colliders, d) + safety * dt * speed
            most = fastest[c // of_world]
            foresight[pair] = far + pushed_of(colliders, c, most) + pushed_of(colliders, d, most)
            pair += threads

    @wp.func
    def velocity_at(bodies: Bodies, state: State, x: wp.array(dtype=vec3), b: int, at: vec3) -> vec3:
        """Return the velocity of a body's material at a place in the world."""
        if b < 0:
            return vec3()
        qd = state.qd[b]
        return vec3(qd[0], qd[1], qd[2]) + wp.cross(vec3(qd[3], qd[4], qd[5]), at - x[b])

    @wp.func
    def closing_speed(
        bodies: Bodies, state: State, colliders: Colliders, x: wp.array(dtype=vec3), c: Contact
    ) -> scalar:
        """Return how fast the gap of a contact closes [m/s]."""
        a, b = colliders.body[c.a], colliders.body[c.b]
        closing = velocity_at(bodies, state, x, b, c.on_b) - velocity_at(bodies, state, x, a, c.on_a)
        return wp.dot(closing, c.normal)

    @wp.func
    def may_close(bodies: Bodies, state: State, colliders: Colliders, c: Contact, speed: scalar, dt: scalar) -> bool:
        """Tell whether a gap may close in a step when it does so at some speed, and bodies are pushed besides."""
        a, b = colliders.body[c.a], colliders.body[c.b]
        most = wp.max(speed, scalar(0.0)) + dt * wp.length(bodies.gravity[0])
        most = most + gained(bodies, state, a, dt) + gained(bodies, state, b, dt)
        turned = dt * (turning(bodies, state, a) + turning(bodies, state, b))
        return c.gap < closeness_of(colliders, c.a) + closeness_of(colliders, c.b) + turned + safety * dt * most

    @wp.func
    def push_on(hits: wp.array(dtype=scalar, ndim=2), b: int, push: vec3):
        """Note the greatest velocity that a hit may give a body along each axis, either way."""
        if b >= 0:
            for axis in range(3):
                wp.atomic_max(hits, b, 2 * axis, push[axis])
                wp.atomic_max(hits, b, 2 * axis + 1, -push[axis])

    @wp.func
    def hit_along(hits: wp.array(dtype=scalar, ndim=2), b: int, n: vec3) -> scalar:
        """Return the greatest velocity along a direction that hits may give a body."""
        most = scalar(0.0)
        if b >= 0:
            for axis in range(3):
                if n[axis] > scalar(0.0):
                    most = most + n[axis] * hits[b, 2 * axis]
                else:
                    most = most - n[axis] * hits[b, 2 * axis + 1]
        return most

    @wp.kernel(module="unique")
    def find_hits(
        bodies: Bodies,
        state: State,
        colliders: Colliders,
        dt: scalar,
        x: wp.array(dtype=vec3),
        pair_count: wp.array(dtype=wp.int32),
        threads: int,
        found: wp.array(dtype=Contact),
        found_count: wp.array(dtype=wp.int32),
        known: wp.array(dtype=scalar, ndim=2),
        hits: wp.array(dtype=scalar, ndim=2),
    ):
        """Find how fast bodies may be after hits in a step, some being known already."""
        pair = wp.tid()
        while pair < wp.min(pair_count[0], found_count.shape[0]):
            for i in range(MAX_CONTACTS * pair, MAX_CONTACTS * pair + found_count[pair]):
                c = found[i]
                speed = closing_speed(bodies, state, colliders, x, c)
                speed = speed + hit_along(known, colliders.body[c.b], c.normal)
                speed = speed + hit_along(known, colliders.body[c.a], -c.normal)
                if speed > scalar(0.0) and may_close(bodies, state, colliders, c, speed, dt):
                    push_on(hits, colliders.body[c.a], speed * c.normal)
                    push_on(hits, colliders.body[c.b], -speed * c.normal)
            pair += threads

    @wp.kernel(module="unique")
    def sift(
        bodies: Bodies,
        state: State,
        colliders: Colliders,
        dt: scalar,
        x: wp.array(dtype=vec3),
        pair_count: wp.array(dtype=wp.int32),
        threads: int,
        found: wp.array(dtype=Contact),
        found_count: wp.array(dtype=wp.int32),
        hits: wp.array(dtype=scalar, ndim=2),
    ):
        """Leave out contacts that cannot close in a step, as of what falls past each other."""
        pair = wp.tid()
        while pair < wp.min(pair_count[0], found_count.shape[0]):
            first = MAX_CONTACTS * pair
            kept = int(0)
            for i in range(found_count[pair]):
                c = found[first + i]
                speed = closing_speed(bodies, state, colliders, x, c)
                speed = speed + hit_along(hits, colliders.body[c.b], c.normal)
                speed = speed + hit_along(hits, colliders.body[c.a], -c.normal)
                if may_close(bodies, state, colliders, c, speed, dt):
                    found[first + kept] = c
                    kept += 1
            found_count[pair] = kept
            pair += threads

    @wp.kernel(module="unique")
    def blank(pair_count: wp.array(dtype=wp.int32), count: wp.array(dtype=wp.int32)):
        """Have no contacts where there is no pair."""
        pair = wp.tid()
        if pair >= pair_count[0]:
            count[pair] = int(0)

    @wp.kernel(module="unique")
    def put_by(anchored: Anchored, contacts: Contacts, held: Held, worlds: int, threads: int):
        """Copy what the contacts of the last step held, as their places are to be used for others."""
        i = wp.tid()
        while i < anchored.ends[worlds]:
            held.feature[i] = anchored.contact[i].feature
            held.at[i] = rounded(anchored.contact[i].centre_a)
            held.slip[i] = contacts.slip[i]
            held.load[i] = contacts.load[i]
            held.slides[i] = contacts.slides[i]
            held.left[i] = contacts.left[i]
            held.turn[i] = contacts.turn[i]
            held.rubbed[i] = contacts.rubbed[i]
            held.taken[i] = int(0)
            contacts.force[i] = vec3()
            contacts.torque[i] = vec3()
            contacts.depth[i] = scalar(0.0)
            i += threads

    @wp.func
    def is_before(a: int, b: int, c: int, d: int) -> bool:
        return a < c or (a == c and b < d)

    @wp.func
    def old_pair(held: Held, a: int, b: int) -> int:
        """Name the same pair in the last step; -1 for none."""
        low = int(0)
        high = held.pair_count[0]
        while low < high:
            middle = (low + high) // 2
            if is_before(held.pair_a[middle], held.pair_b[middle], a, b):
                low = middle + 1
            else:
                high = middle
        if low < held.pair_count[0]:
            if held.pair_a[low] == a and held.pair_b[low] == b:
                return low
        return int(-1)

    @wp.func
    def same_contact(held: Held, old: int, c: Contact, near: scalar, by_feature: int) -> int:
        """Name the contact of an old pair that has this feature, or the nearest one; -1 for none."""
        best = int(-1)
        closest = near
        for i in range(held.start[old], held.start[old] + held.count[old]):
            if held.taken[i] == 0:
                away = wp.length(held.at[i] - c.centre_a)
                if (by_feature == 0 or held.feature[i] == c.feature) and away < closest:
                    closest = away
                    best = i
        return best

    @wp.func
    def hand_over(contacts: Contacts, held: Held, to: int, i: int):
        held.taken[i] = int(1)
        contacts.slip[to] = held.slip[i]
        contacts.load[to] = held.load[i]
        contacts.slides[to] = held.slides[i]
        contacts.left[to] = held.left[i]
        contacts.turn[to] = held.turn[i]
        contacts.rubbed[to] = held.rubbed[i]

    @wp.func
    def widened(c: Contact) -> Followed:
        """Return a contact in double precision."""
        out = Followed()
        out.a = c.a
        out.b = c.b
        out.kind = c.kind
        out.feature = c.feature
        out.gap = wp.float64(c.gap)
        out.normal = exact(c.normal)
        out.on_a = exact(c.on_a)
        out.on_b = exact(c.on_b)
        out.centre_a = exact(c.centre_a)
        out.centre_b = exact(c.centre_b)
        out.axis_a = exact(c.axis_a)
        out.axis_b = exact(c.axis_b)
        out.semi = exact(c.semi)
        return out

    @wp.kernel(module="unique")
    def take(
        colliders: Colliders,
        anchored: Anchored,
        contacts: Contacts,
        held: Held,
        pair_a: wp.array(dtype=wp.int32),
        pair_b: wp.array(dtype=wp.int32),
        pair_count: wp.array(dtype=wp.int32),
        found: wp.array(dtype=Contact),
        found_count: wp.array(dtype=wp.int32),
        start: wp.array(dtype=wp.int32),
        shape: wp.array(dtype=wp.int32),
        threads: int,
    ):
        """Give each new contact what the same one held before: the same feature first, else one at the same place."""
        pair = wp.tid()
        while pair < pair_count[0]:
            old = old_pair(held, pair_a[pair], pair_b[pair])
            first = MAX_CONTACTS * pair
            to = start[pair]
            for i in range(found_count[pair]):
                c = found[first + i]
                anchored.contact[to + i] = widened(c)
                anchored.shape_a[to + i] = shape[c.a]
                anchored.shape_b[to + i] = shape[c.b]
                anchored.place[to + i] = int(-1)
                contacts.slip[to + i] = vec3()
                contacts.load[to + i] = scalar(0.0)
                contacts.slides[to + i] = int(0)
                contacts.left[to + i] = vec3()
                contacts.turn[to + i] = vec3()
                contacts.rubbed[to + i] = vec3()
            if old >= 0:
                for turn in range(2):
                    for i in range(found_count[pair]):
                        if anchored.place[to + i] < 0:
                            c = found[first + i]
                            near = moved * smallest(colliders.half[c.a])
                            if near <= scalar(0.0):
                                near = moved * smallest(colliders.half[c.b])
                            same = same_contact(held, old, c, near, 1 - turn)
                            if same >= 0:
                                anchored.place[to + i] = same
                                hand_over(contacts, held, to + i, same)
            pair += threads

    @wp.kernel(module="unique")
    def keep_pairs(
        pair_a: wp.array(dtype=wp.int32),
        pair_b: wp.array(dtype=wp.int32),
        pair_count: wp.array(dtype=wp.int32),
        start: wp.array(dtype=wp.int32),
        found_count: wp.array(dtype=wp.int32),
        held: Held,
        threads: int,
    ):
        """Remember the pairs for the next step."""
        pair = wp.tid()
        if pair == 0:
            held.pair_count[0] = pair_count[0]
        while pair < pair_count[0]:
            held.pair_a[pair] = pair_a[pair]
            held.pair_b[pair] = pair_b[pair]
            held.start[pair] = start[pair]
            held.count[pair] = found_count[pair]
            pair += threads

    @wp.kernel(module="unique")
    def end_worlds(
        colliders_a_world: int,
        worlds: int,
        first_pair: wp.array(dtype=wp.int32),
        pair_count: wp.array(dtype=wp.int32),
        start: wp.array(dtype=wp.int32),
        found_count: wp.array(dtype=wp.int32),
        anchored: Anchored,
        rows: Rows,
    ):
        """Find where the contacts of each world end, each a row; `first_pair` has an entry for each collider."""
        world = wp.tid()
        last = pair_count[0] - 1
        if world + 1 < worlds:
            last = first_pair[(world + 1) * colliders_a_world] - 1
        end = int(0)
        if last >= 0:
            end = start[last] + found_count[last]
        if world == 0:
            anchored.ends[0] = int(0)
            rows.first[0] = int(0)
        anchored.ends[world + 1] = end
        rows.first[world + 1] = end
        rows.count[world] = int(0)

    return SimpleNamespace(
        Held=Held,
        look_around=look_around,
        foresee_pairs=foresee_pairs,
        find_hits=find_hits,
        sift=sift,
        blank=blank,
        put_by=put_by,
        take=take,
        keep_pairs=keep_pairs,
        end_worlds=end_worlds,
    )
