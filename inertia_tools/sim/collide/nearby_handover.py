# SPDX-FileCopyrightText: The inertia_tools authors
# SPDX-License-Identifier: Apache-2.0
"""Persistent contacts of large scenes: each contact takes over the state of the same contact in the last step.

Contacts match by feature first, else by position. The state is what friction and load carry from step to step.
"""

from functools import lru_cache
from types import SimpleNamespace
from typing import Any

import warp as wp

from inertia_tools.kernel_loading import RIGID_OPTIONS
from inertia_tools.sim.collide.anchored_kernels import SAME_CONTACT
from inertia_tools.sim.collide.nearby_foresight import approach_functions
from inertia_tools.sim.kernels.collision_types import MAX_CONTACTS, collision_types
from inertia_tools.sim.kernels.precision import Precision
from inertia_tools.sim.kernels.rounding import rounding_functions


@lru_cache(maxsize=2)
def handover_kernels(p: Precision) -> Any:
    """Return the kernels of one precision, and the structure of the saved state."""
    scalar, vec3 = p.scalar, p.vec3
    types, Contacts, Rows = collision_types(p), p.Contacts, p.Rows
    Anchored, Colliders, Followed = types.Anchored, types.Colliders, types.Followed
    rounded = rounding_functions(p).rounded
    smallest_half = approach_functions(p).smallest_half
    tolerance = wp.constant(scalar(SAME_CONTACT))

    @wp.struct
    class SavedContacts:
        """Contacts of the last step: the pairs in ascending order, and the state of the contacts of each pair."""

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

    @wp.kernel(module="unique", module_options=RIGID_OPTIONS)
    def save_contacts(anchored: Anchored, contacts: Contacts, saved: SavedContacts, worlds: int, threads: int):
        """Save the state of the contacts of the last step, since their slots will be reused."""
        i = wp.tid()
        while i < anchored.ends[worlds]:
            saved.feature[i] = anchored.contact[i].feature
            saved.at[i] = rounded(anchored.contact[i].centre_a)
            saved.slip[i] = contacts.slip[i]
            saved.lambda_n[i] = contacts.lambda_n[i]
            saved.slides[i] = contacts.slides[i]
            saved.residual_slip[i] = contacts.residual_slip[i]
            saved.angle[i] = contacts.angle[i]
            saved.lambda_t[i] = contacts.lambda_t[i]
            saved.rest_mu[i] = contacts.rest_mu[i]
            saved.rest_stamp[i] = contacts.rest_stamp[i]
            saved.force[i] = contacts.force[i]
            saved.torque[i] = contacts.torque[i]
            saved.point[i] = contacts.point[i]
            saved.normal[i] = contacts.normal[i]
            saved.depth[i] = contacts.depth[i]
            saved.taken[i] = int(0)
            contacts.force[i] = vec3()
            contacts.torque[i] = vec3()
            contacts.depth[i] = scalar(0.0)
            i += threads

    SavedRef, ContactsRef = wp.ref[SavedContacts], p.references("Contacts")[0]

    @wp.func
    def old_pair(saved: SavedRef, a: int, b: int) -> int:
        """Return the index of the same pair in the last step by binary search; -1 if there is none."""
        low = int(0)
        high = saved.pair_count[0]
        while low < high:
            middle = (low + high) // 2
            one, other = saved.pair_a[middle], saved.pair_b[middle]
            if one < a or (one == a and other < b):
                low = middle + 1
            else:
                high = middle
        if low < saved.pair_count[0]:
            if saved.pair_a[low] == a and saved.pair_b[low] == b:
                return low
        return int(-1)

    @wp.func
    def same_contact(saved: SavedRef, old: int, c: Followed, near: scalar, by_feature: int) -> int:
        """Return the contact of an old pair with the same feature, or the nearest one; -1 if there is none."""
        best = int(-1)
        closest = near
        for i in range(saved.start[old], saved.start[old] + saved.count[old]):
            if saved.taken[i] == 0:
                distance = wp.length(saved.at[i] - rounded(c.centre_a))
                if (by_feature == 0 or saved.feature[i] == c.feature) and distance < closest:
                    closest = distance
                    best = i
        return best

    @wp.func
    def restore_contact(contacts: ContactsRef, saved: SavedRef, to: int, i: int):
        """Copy the saved state of contact i to a new slot."""
        saved.taken[i] = int(1)
        contacts.slip[to] = saved.slip[i]
        contacts.lambda_n[to] = saved.lambda_n[i]
        contacts.slides[to] = saved.slides[i]
        contacts.residual_slip[to] = saved.residual_slip[i]
        contacts.angle[to] = saved.angle[i]
        contacts.lambda_t[to] = saved.lambda_t[i]
        contacts.rest_mu[to] = saved.rest_mu[i]
        contacts.rest_stamp[to] = saved.rest_stamp[i]
        contacts.force[to] = saved.force[i]
        contacts.torque[to] = saved.torque[i]
        contacts.point[to] = saved.point[i]
        contacts.normal[to] = saved.normal[i]
        contacts.depth[to] = saved.depth[i]

    @wp.kernel(module="unique", module_options=RIGID_OPTIONS)
    def write_contacts(
        colliders: Colliders,
        anchored: Anchored,
        contacts: Contacts,
        saved: SavedContacts,
        pair_a: wp.array(dtype=wp.int32),
        pair_b: wp.array(dtype=wp.int32),
        pair_count: wp.array(dtype=wp.int32),
        found: wp.array(dtype=Followed),
        found_count: wp.array(dtype=wp.int32),
        start: wp.array(dtype=wp.int32),
        shape: wp.array(dtype=wp.int32),
        threads: int,
    ):
        """Write the new contacts with the state of the same contact in the last step.

        The same contact has the same feature, or else is the nearest one.
        """
        pair = wp.tid()
        while pair < pair_count[0]:
            old = old_pair(saved, pair_a[pair], pair_b[pair])
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
                for attempt in range(2):
                    for i in range(found_count[pair]):
                        if anchored.place[to + i] < 0:
                            c = found[first + i]
                            near = tolerance * smallest_half(colliders, c.a, c.b)
                            same = same_contact(saved, old, c, near, 1 - attempt)
                            if same >= 0:
                                anchored.place[to + i] = same
                                restore_contact(contacts, saved, to + i, same)
            pair += threads

    @wp.kernel(module="unique", module_options=RIGID_OPTIONS)
    def save_pairs(
        pair_a: wp.array(dtype=wp.int32),
        pair_b: wp.array(dtype=wp.int32),
        pair_count: wp.array(dtype=wp.int32),
        start: wp.array(dtype=wp.int32),
        found_count: wp.array(dtype=wp.int32),
        saved: SavedContacts,
        threads: int,
    ):
        """Save the pairs for the next step."""
        pair = wp.tid()
        if pair == 0:
            saved.pair_count[0] = pair_count[0]
        while pair < pair_count[0]:
            saved.pair_a[pair] = pair_a[pair]
            saved.pair_b[pair] = pair_b[pair]
            saved.start[pair] = start[pair]
            saved.count[pair] = found_count[pair]
            pair += threads

    @wp.kernel(module="unique", module_options=RIGID_OPTIONS)
    def compute_world_ends(
        colliders_a_world: int,
        worlds: int,
        first_pair: wp.array(dtype=wp.int32),
        pair_count: wp.array(dtype=wp.int32),
        start: wp.array(dtype=wp.int32),
        found_count: wp.array(dtype=wp.int32),
        anchored: Anchored,
        rows: Rows,
    ):
        """Compute where the contacts of each world end, one row each; `first_pair` has an entry for each collider."""
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

    return SimpleNamespace(
        SavedContacts=SavedContacts,
        save_contacts=save_contacts,
        write_contacts=write_contacts,
        save_pairs=save_pairs,
        compute_world_ends=compute_world_ends,
    )
