# SPDX-FileCopyrightText: The inertia_tools authors
# SPDX-License-Identifier: Apache-2.0
"""Transfer of contacts to a scene with other entities: forces of the last step, multipliers, and friction anchors."""

from __future__ import annotations

from collections.abc import Hashable
from typing import Any

import numpy as np

from inertia_tools.sim.kernels.collision_types import MAX_CONTACTS
from inertia_tools.sim.simulation.carried_rows import Rows, numbered, shared, taken


def take_contacts(old: Any, new: Any, shapes: Rows) -> None:
    """Copy the contacts between shapes that two scenes share; the next step finds them anew and goes on from these.

    A scene that has just become too large to list its pairs, or small enough, begins without contacts.

    Args:
        old: The scene before, a `BuiltScene`.
        new: The scene with other entities.
        shapes: Rows of the shapes that both have.
    """
    was, now = old.contacts, new.contacts
    if was.nearby is None and now.nearby is None:
        _take_slots(was, now, shapes)
    elif was.nearby is not None and now.nearby is not None:
        _take_near(was, now, shapes)


def _take_slots(was: Any, now: Any, shapes: Rows) -> None:
    """Copy the contacts of scenes that list all their pairs, each with slots of its own."""
    slots = shared(*_keys(was.slot_shapes, now.slot_shapes, shapes))
    for name in was.data._cls.vars:
        array = getattr(now.data, name)
        array.assign(taken(getattr(was.data, name), array, slots))
    _take_anchored(was.anchored, now.anchored, shapes)
    _take_rows(was.rows, now.rows, dict(zip(*slots, strict=True)))


def _take_near(was: Any, now: Any, shapes: Rows) -> None:
    """Copy the contacts of scenes that search for their pairs, whose contacts lie close in the order of the pairs."""
    now.nearby.grow_like(was.nearby, now)
    of_old, of_new = _keys(was.nearby.collider_shapes[:, None], now.nearby.collider_shapes[:, None], shapes)
    place = dict(zip(*shared(of_old, of_new), strict=True))
    kept = [pair for pair in was.nearby.held_pairs.tolist() if pair[0] in place and pair[1] in place]
    kept.sort(key=lambda pair: (place[pair[0]], place[pair[1]]))
    before = [slot for _, _, start, count in kept for slot in range(start, start + count)]
    starts = np.cumsum([0, *(count for _, _, _, count in kept)]).tolist()
    pairs = [(place[a], place[b], start, count) for (a, b, _, count), start in zip(kept, starts[:-1], strict=True)]
    now.nearby.hold_pairs(np.array(pairs, dtype=int).reshape(-1, 4))
    slots = before, list(range(len(before)))
    for source, target, names in (
        (was.data, now.data, was.data._cls.vars),
        (was.anchored.data, now.anchored.data, ("contact",)),
    ):
        for name in names:
            array = getattr(target, name)
            array.assign(taken(getattr(source, name), array, slots))
    shape = dict(zip(*shapes, strict=True))
    for side, name in enumerate(("shape_a", "shape_b")):
        numbers = [shape[number] for number in was.slot_shapes[before, side].tolist()]
        getattr(now.anchored.data, name)[: len(numbers)].assign(np.array(numbers, dtype=np.int32))
    now.anchored.data.ends.assign(np.array([0, len(before)], dtype=np.int32))
    _take_rows(was.rows, now.rows, dict(zip(*slots, strict=True)))


def _take_anchored(was: Any, now: Any, shapes: Rows) -> None:
    rows = shared(*_keys(was.model.anchored.shapes, now.model.anchored.shapes, shapes))
    slots = _slots_of(rows[0]), _slots_of(rows[1])
    for names, chosen in ((("used", "contact"), slots), (("held",), rows)):
        for name in names:
            array = getattr(now.data, name)
            array.assign(taken(getattr(was.data, name), array, chosen))


def _slots_of(pairs: list[int]) -> list[int]:
    return [MAX_CONTACTS * pair + slot for pair in pairs for slot in range(MAX_CONTACTS)]


def _take_rows(was: Any, now: Any, place: dict[int, int]) -> None:
    """List the slots in use, which the next step empties unless it finds their contacts again."""
    rows = was.row.numpy()[: int(was.count.numpy()[0])]
    values = rows[np.isin(rows["slot"], list(place))]
    values["slot"] = [place[slot] for slot in values["slot"].tolist()]
    if len(values):
        now.row[: len(values)].assign(values)
    now.count.fill_(len(values))


def _keys(old: np.ndarray, new: np.ndarray, shapes: Rows) -> tuple[list[Hashable], list[Hashable]]:
    """Return a key for each tuple of shapes of two scenes, and its index among equal ones."""
    place = dict(zip(*shapes, strict=True))
    of_old = [tuple(place.get(shape, -1) for shape in row) for row in old.tolist()]
    keys: list[Hashable] = [("gone", index) if -1 in row else row for index, row in enumerate(of_old)]
    return numbered(keys), numbered(map(tuple, new.tolist()))
