# SPDX-FileCopyrightText: The inertia_tools authors
# SPDX-License-Identifier: Apache-2.0
"""Contacts of large scenes from step to step: each takes over what the same one held before."""

from functools import lru_cache
from types import SimpleNamespace
from typing import Any

import warp as wp

from inertia_tools.kernel_loading import MODULE_OPTIONS
from inertia_tools.sim.collide.anchored_kernels import MOVED
from inertia_tools.sim.collide.nearby_foresight import approach_functions
from inertia_tools.sim.kernels.collision_types import MAX_CONTACTS, collision_types
from inertia_tools.sim.kernels.precision import Precision
from inertia_tools.sim.kernels.rounding import rounding_functions


@lru_cache(maxsize=2)
def handover_kernels(p: Precision) -> Any:
    """Return the kernels of one precision, and the structure of what is held."""
    scalar, vec3 = p.scalar, p.vec3
    types, Contacts, Rows = collision_types(p), p.Contacts, p.Rows
    Anchored, Colliders, Followed = types.Anchored, types.Colliders, types.Followed
    rounded = rounding_functions(p).rounded
    smallest_half = approach_functions(p).smallest_half
    moved = wp.constant(scalar(MOVED))

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
        lambda_n: wp.array(dtype=scalar)
        slides: wp.array(dtype=wp.int32)
        residual_slip: wp.array(dtype=vec3)
        angle: wp.array(dtype=vec3)
        lambda_t: wp.array(dtype=vec3)
        rest_mu: wp.array(dtype=vec3)
        rest_stamp: wp.array(dtype=wp.int64)
        force: wp.array(dtype=vec3)
        torque: wp.array(dtype=vec3)
        point: wp.array(dtype=vec3)
        normal: wp.array(dtype=vec3)
        depth: wp.array(dtype=scalar)
        taken: wp.array(dtype=wp.int32)

    @wp.kernel(module="unique", module_options=MODULE_OPTIONS)
    def put_by(anchored: Anchored, contacts: Contacts, held: Held, worlds: int, threads: int):
        """Copy what the contacts of the last step held, as their places are to be used for others."""
        i = wp.tid()
        while i < anchored.ends[worlds]:
            held.feature[i] = anchored.contact[i].feature
            held.at[i] = rounded(anchored.contact[i].centre_a)
            held.slip[i] = contacts.slip[i]
            held.lambda_n[i] = contacts.lambda_n[i]
            held.slides[i] = contacts.slides[i]
            held.residual_slip[i] = contacts.residual_slip[i]
            held.angle[i] = contacts.angle[i]
            held.lambda_t[i] = contacts.lambda_t[i]
            held.rest_mu[i] = contacts.rest_mu[i]
            held.rest_stamp[i] = contacts.rest_stamp[i]
            held.force[i] = contacts.force[i]
            held.torque[i] = contacts.torque[i]
            held.point[i] = contacts.point[i]
            held.normal[i] = contacts.normal[i]
            held.depth[i] = contacts.depth[i]
            held.taken[i] = int(0)
            contacts.force[i] = vec3()
            contacts.torque[i] = vec3()
            contacts.depth[i] = scalar(0.0)
            i += threads

    @wp.func
    def old_pair(held: Held, a: int, b: int) -> int:
        """Name the same pair in the last step; -1 for none."""
        low = int(0)
        high = held.pair_count[0]
        while low < high:
            middle = (low + high) // 2
            one, other = held.pair_a[middle], held.pair_b[middle]
            if one < a or (one == a and other < b):
                low = middle + 1
            else:
                high = middle
        if low < held.pair_count[0]:
            if held.pair_a[low] == a and held.pair_b[low] == b:
                return low
        return int(-1)

    @wp.func
    def same_contact(held: Held, old: int, c: Followed, near: scalar, by_feature: int) -> int:
        """Name the contact of an old pair that has this feature, or the nearest one; -1 for none."""
        best = int(-1)
        closest = near
        for i in range(held.start[old], held.start[old] + held.count[old]):
            if held.taken[i] == 0:
                away = wp.length(held.at[i] - rounded(c.centre_a))
                if (by_feature == 0 or held.feature[i] == c.feature) and away < closest:
                    closest = away
                    best = i
        return best

    @wp.func
    def hand_over(contacts: Contacts, held: Held, to: int, i: int):
        held.taken[i] = int(1)
        contacts.slip[to] = held.slip[i]
        contacts.lambda_n[to] = held.lambda_n[i]
        contacts.slides[to] = held.slides[i]
        contacts.residual_slip[to] = held.residual_slip[i]
        contacts.angle[to] = held.angle[i]
        contacts.lambda_t[to] = held.lambda_t[i]
        contacts.rest_mu[to] = held.rest_mu[i]
        contacts.rest_stamp[to] = held.rest_stamp[i]
        contacts.force[to] = held.force[i]
        contacts.torque[to] = held.torque[i]
        contacts.point[to] = held.point[i]
        contacts.normal[to] = held.normal[i]
        contacts.depth[to] = held.depth[i]

    @wp.kernel(module="unique", module_options=MODULE_OPTIONS)
    def take(
        colliders: Colliders,
        anchored: Anchored,
        contacts: Contacts,
        held: Held,
        pair_a: wp.array(dtype=wp.int32),
        pair_b: wp.array(dtype=wp.int32),
        pair_count: wp.array(dtype=wp.int32),
        found: wp.array(dtype=Followed),
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
                anchored.contact[to + i] = c
                anchored.shape_a[to + i] = shape[c.a]
                anchored.shape_b[to + i] = shape[c.b]
                anchored.place[to + i] = int(-1)
                contacts.slip[to + i] = vec3()
                contacts.lambda_n[to + i] = scalar(0.0)
                contacts.slides[to + i] = int(0)
                contacts.residual_slip[to + i] = vec3()
                contacts.angle[to + i] = vec3()
                contacts.lambda_t[to + i] = vec3()
            if old >= 0:
                for turn in range(2):
                    for i in range(found_count[pair]):
                        if anchored.place[to + i] < 0:
                            c = found[first + i]
                            near = moved * smallest_half(colliders, c.a, c.b)
                            same = same_contact(held, old, c, near, 1 - turn)
                            if same >= 0:
                                anchored.place[to + i] = same
                                hand_over(contacts, held, to + i, same)
            pair += threads

    @wp.kernel(module="unique", module_options=MODULE_OPTIONS)
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

    @wp.kernel(module="unique", module_options=MODULE_OPTIONS)
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
        anchored.changed[world] = int(1)

    return SimpleNamespace(Held=Held, put_by=put_by, take=take, keep_pairs=keep_pairs, end_worlds=end_worlds)
