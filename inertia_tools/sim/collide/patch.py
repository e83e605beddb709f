# SPDX-FileCopyrightText: The inertia_tools authors
# SPDX-License-Identifier: Apache-2.0
"""Which contacts a pair keeps: the deepest, and those that span its patch."""

from functools import lru_cache
from types import SimpleNamespace
from typing import Any

import warp as wp

from inertia_tools.sim.collide.anchors import AnchorKind
from inertia_tools.sim.kernels.collision_types import MAX_CONTACTS, collision_types
from inertia_tools.sim.kernels.precision import Precision

SAME_PLACE = 1e-3
"""Contacts nearer to each other than this, over the size of the smaller shape, are one when their normals agree."""

SAME_GAP = 1e-7
"""And as deep when their gaps differ by no more than this, over that distance."""

ONE_PLANE = 1.0 - 1e-6
"""Cosine of the angle by which contacts of one plane differ at most: they can stand for each other."""

TINY, BEYOND_ANY = 1e-6, 1e12
"""Contacts of different planes are as far apart as their squared distance and a little [m^2] times this: farther than
any of one plane."""


@lru_cache(maxsize=2)
def patch_functions(p: Precision) -> Any:
    """Return the device functions of one precision."""
    scalar = p.scalar
    Contact, balls = collision_types(p).Contact, wp.constant(int(AnchorKind.BALLS))
    same_gap = wp.constant(scalar(SAME_GAP))
    one_plane, tiny, beyond_any = (wp.constant(scalar(value)) for value in (ONE_PLANE, TINY, BEYOND_ANY))

    @wp.func
    def apart(a: Contact, b: Contact) -> scalar:
        """Return the squared distance of two contacts."""
        way = a.on_a - b.on_a
        return wp.dot(way, way)

    @wp.func
    def crowded(a: Contact, b: Contact) -> scalar:
        """Return the squared distance of two contacts of one plane, and more than any for those of different planes."""
        distance = apart(a, b)
        if wp.dot(a.normal, b.normal) > one_plane:
            return distance
        return beyond_any * (distance + tiny)

    @wp.func
    def most_crowded(contacts: wp.array(dtype=Contact), first: int, count: int, new: Contact) -> int:
        """Of the two nearest neighbours, name the shallower one; `count` names the new one."""
        closest = scalar(1.0e36)
        victim = count
        for i in range(count):
            c = contacts[first + i]
            to_new = crowded(c, new)
            if to_new < closest:
                closest = to_new
                victim = count
                if c.gap > new.gap:
                    victim = i
            for j in range(i):
                other = contacts[first + j]
                between = crowded(c, other)
                if between < closest:
                    closest = between
                    victim = i
                    if other.gap > c.gap:
                        victim = j
        return victim

    @wp.func
    def is_between(c: Contact, a: Contact, b: Contact, near: scalar) -> bool:
        """Tell whether a contact is on the line from one to another of its plane, and no deeper: they tell all.

        A plane that stays does not tell what an edge does whose normal turns, as of a capsule that lies on a ridge.
        """
        is_one_kind = c.kind == a.kind and c.kind == b.kind
        if not is_one_kind or wp.min(wp.dot(c.normal, a.normal), wp.dot(c.normal, b.normal)) < one_plane:
            return False
        way = b.on_a - a.on_a
        t = wp.dot(c.on_a - a.on_a, way)
        length2 = wp.dot(way, way)
        if t <= scalar(0.0) or t >= length2:
            return False
        t = t / length2
        off = c.on_a - a.on_a - t * way
        return wp.length(off) < near and c.gap > a.gap + t * (b.gap - a.gap) - same_gap * near

    @wp.func
    def without_between(contacts: wp.array(dtype=Contact), first: int, count: int, new: Contact, near: scalar) -> int:
        """Take out contacts between a new one and others, and return how many are left."""
        k, left = int(0), int(count)
        while k < left:
            told = bool(False)
            for i in range(left):
                if i != k and is_between(contacts[first + k], new, contacts[first + i], near):
                    told = True
            if told:
                left -= 1
                contacts[first + k] = contacts[first + left]
            else:
                k += 1
        return left

    @wp.func
    def keep(contacts: wp.array(dtype=Contact), first: int, count: int, new: Contact, near: scalar) -> int:
        """Add a contact to those of a pair, from `first` on, and return how many there are.

        One that is within `near` of another with the same normal takes its place, or gives way to it. One that is fixed
        in a face counts more than one whose normal turns, and is as deep but for rounding. Of those on one line the
        ends stay: what lies over many triangles would bear its load now here, now there.
        """
        for i in range(count):
            c = contacts[first + i]
            if apart(c, new) < near * near and wp.dot(c.normal, new.normal) > scalar(0.99):
                turns, turned = scalar(new.kind == balls), scalar(c.kind == balls)
                if new.gap + same_gap * near * (turns - turned) < c.gap:
                    contacts[first + i] = new
                return count
        for i in range(count):
            for j in range(i):
                if is_between(new, contacts[first + i], contacts[first + j], near):
                    return count
        count = without_between(contacts, first, count, new, near)
        if count < MAX_CONTACTS:
            contacts[first + count] = new
            return count + 1
        victim = most_crowded(contacts, first, count, new)
        if victim < count:
            contacts[first + victim] = new
        return count

    return SimpleNamespace(keep=keep)
