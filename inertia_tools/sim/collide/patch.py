# SPDX-FileCopyrightText: The inertia_tools authors
# SPDX-License-Identifier: Apache-2.0
"""Contact reduction: a pair keeps its deepest contact and those that span its patch."""

from functools import lru_cache
from types import SimpleNamespace
from typing import Any

import warp as wp

from inertia_tools.sim.collide.anchors import AnchorKind
from inertia_tools.sim.kernels.collision_types import MAX_CONTACTS, collision_types
from inertia_tools.sim.kernels.precision import Precision

SAME_PLACE = 1e-3
"""Two contacts with agreeing normals are one if they are nearer to each other than this, relative to the size of the
smaller shape."""

SAME_GAP = 1e-7
"""Gaps count as equal if they differ by no more than this, relative to that distance."""

ONE_PLANE = 1.0 - 1e-6
"""Contacts whose normals have at least this cosine are of one plane, and may represent each other."""

TINY, BEYOND_ANY = 1e-6, 1e12
"""The spacing of contacts of different planes is their squared distance plus `TINY` [m^2], times `BEYOND_ANY`: more
than that of any contacts of one plane."""


@lru_cache(maxsize=2)
def patch_functions(p: Precision) -> Any:
    """Return the device functions of one precision."""
    scalar = p.scalar
    Contact, balls = collision_types(p).Contact, wp.constant(int(AnchorKind.BALLS))
    same_gap = wp.constant(scalar(SAME_GAP))
    one_plane, tiny, beyond_any = (wp.constant(scalar(value)) for value in (ONE_PLANE, TINY, BEYOND_ANY))

    @wp.func
    def squared_distance(a: Contact, b: Contact) -> scalar:
        """Return the squared distance of two contacts [m^2]."""
        segment = a.on_a - b.on_a
        return wp.dot(segment, segment)

    @wp.func
    def spacing(a: Contact, b: Contact) -> scalar:
        """Return the squared distance of two contacts of one plane; contacts of different planes get a huge value."""
        distance = squared_distance(a, b)
        if wp.dot(a.normal, b.normal) > one_plane:
            return distance
        return beyond_any * (distance + tiny)

    @wp.func
    def least_useful(contacts: wp.array(dtype=Contact), first: int, count: int, new: Contact) -> int:
        """Return the shallower of the two nearest contacts; `count` stands for the new one."""
        closest = scalar(1.0e36)
        victim = count
        for i in range(count):
            c = contacts[first + i]
            to_new = spacing(c, new)
            if to_new < closest:
                closest = to_new
                victim = count
                if c.gap > new.gap:
                    victim = i
            for j in range(i):
                other = contacts[first + j]
                of_pair = spacing(c, other)
                if of_pair < closest:
                    closest = of_pair
                    victim = i
                    if other.gap > c.gap:
                        victim = j
        return victim

    @wp.func
    def is_redundant(c: Contact, a: Contact, b: Contact, near: scalar) -> bool:
        """Return whether a contact is on the segment between two others of its plane, and no deeper than that segment.

        Such a contact is redundant. A contact of another kind is not: a fixed plane does not represent an edge whose
        normal rotates, such as that of a capsule on a ridge.
        """
        is_one_kind = c.kind == a.kind and c.kind == b.kind
        if not is_one_kind or wp.min(wp.dot(c.normal, a.normal), wp.dot(c.normal, b.normal)) < one_plane:
            return False
        segment = b.on_a - a.on_a
        t = wp.dot(c.on_a - a.on_a, segment)
        length2 = wp.dot(segment, segment)
        if t <= scalar(0.0) or t >= length2:
            return False
        t = t / length2
        off = c.on_a - a.on_a - t * segment
        return wp.length(off) < near and c.gap > a.gap + t * (b.gap - a.gap) - same_gap * near

    @wp.func
    def remove_redundant(contacts: wp.array(dtype=Contact), first: int, count: int, new: Contact, near: scalar) -> int:
        """Remove contacts between a new one and another, and return the number that remain."""
        k, remaining = int(0), int(count)
        while k < remaining:
            redundant = bool(False)
            for i in range(remaining):
                if i != k and is_redundant(contacts[first + k], new, contacts[first + i], near):
                    redundant = True
            if redundant:
                remaining -= 1
                contacts[first + k] = contacts[first + remaining]
            else:
                k += 1
        return remaining

    @wp.func
    def add_contact(contacts: wp.array(dtype=Contact), first: int, count: int, new: Contact, near: scalar) -> int:
        """Add a contact to those of a pair, which start at `first`, and return their number.

        Of two contacts within `near` [m] that have the same normal, only the deeper stays. If both are equally deep up
        to rounding, a contact with a fixed plane is preferred to one whose normal rotates. Of contacts on one line,
        only the ends stay; otherwise the load of a body that lies on many triangles would move from contact to contact.
        """
        for i in range(count):
            c = contacts[first + i]
            if squared_distance(c, new) < near * near and wp.dot(c.normal, new.normal) > scalar(0.99):
                new_rotates, old_rotates = scalar(new.kind == balls), scalar(c.kind == balls)
                if new.gap + same_gap * near * (new_rotates - old_rotates) < c.gap:
                    contacts[first + i] = new
                return count
        for i in range(count):
            for j in range(i):
                if is_redundant(new, contacts[first + i], contacts[first + j], near):
                    return count
        count = remove_redundant(contacts, first, count, new, near)
        if count < MAX_CONTACTS:
            contacts[first + count] = new
            return count + 1
        victim = least_useful(contacts, first, count, new)
        if victim < count:
            contacts[first + victim] = new
        return count

    return SimpleNamespace(add_contact=add_contact)
