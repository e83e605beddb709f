# SPDX-FileCopyrightText: The inertia_tools authors
# SPDX-License-Identifier: Apache-2.0
"""The counts in the values of a crate, compared with the available bytes.

A value takes 64 bits: whether it is an array, whether it is stored in these bits itself, whether it is packed, its
type, and its offset.
"""

from __future__ import annotations

from collections.abc import Iterable

from inertia_tools.description.usd.crate_bytes import Bytes, Damage
from inertia_tools.description.usd.lz4 import LONGEST_RATIO

ARRAY, INLINED, PACKED = 1 << 63, 1 << 62, 1 << 61
PLACE = (1 << 48) - 1

SIZES = {
    **{1: 1, 2: 1, 3: 4, 4: 4, 5: 8, 6: 8, 7: 2, 8: 4, 9: 8, 10: 4, 11: 4, 12: 4, 13: 32, 14: 72, 15: 128},
    **{16: 32, 17: 16, 18: 8, 19: 16, 20: 8, 21: 4, 22: 8, 23: 24, 24: 12, 25: 6, 26: 12},
    **{27: 32, 28: 16, 29: 8, 30: 16, 56: 8, 57: 4},
}
"""Bytes of one array item, by type."""

INTEGERS, FLOATS = range(3, 7), range(7, 10)
"""Types whose arrays may be packed."""

FEWEST_PACKED = 16
"""Shorter arrays are not packed."""

VECTORS = {40: 4, 41: 4, 45: 8, 48: 8, 49: 16, 50: 4, 58: 8, 59: 1}
"""Bytes of one item for types with a count and items.

These are paths, tokens, variants, numbers, offsets, strings, relocated paths, and splines.
"""

LISTS = {32: 4, 33: 4, 34: 4, 35: 32, 36: 4, 37: 8, 38: 4, 39: 8, 54: 16, 55: 8}
"""Least number of bytes of one item for types that edit lists."""

REFERENCES = 35
LIST_BITS = 6
"""A byte selects which of six lists follow, above a bit for whether they replace others."""

DICTIONARY, SAMPLES, HELD = 31, 46, (52, 53)


def refuse_counts(data: Bytes, values: Iterable[int], version: tuple[int, int, int]) -> None:
    """Refuse values that claim to be longer than the file.

    Args:
        data: The crate.
        values: The values of its fields.
        version: The version of the crate.

    Raises:
        Damage: A value is too long, or extends past the end.
    """
    waiting, seen = list(values), set[int]()
    while waiting:
        value = waiting.pop()
        if value & INLINED or value in seen:
            continue
        seen.add(value)
        kind, place = value >> 48 & 0xFF, value & PLACE
        if value & ARRAY:
            if place and kind in SIZES:
                _look_at_array(data, kind, place, bool(value & PACKED), version)
        elif kind in VECTORS:
            data.vector(place, VECTORS[kind])
        elif kind in LISTS:
            waiting += _in_lists(data, kind, place)
        elif kind == DICTIONARY:
            waiting += _in_dictionary(data, place)[0]
        elif kind == SAMPLES:
            waiting += _in_samples(data, place)
        elif kind in HELD:
            waiting.append(_forward(data, place)[0])


def _look_at_array(data: Bytes, kind: int, place: int, is_packed: bool, version: tuple[int, int, int]) -> None:
    """Compare the length of an array with the available bytes."""
    if version < (0, 5, 0):
        place += 4  # the number of its dimensions
    width = 4 if version < (0, 7, 0) else 8
    count, place = data.count(place, width), place + width
    is_packed &= (kind in INTEGERS and version >= (0, 5, 0)) or (kind in FLOATS and version >= (0, 6, 0))
    if not is_packed or count < FEWEST_PACKED:
        data.things(place, count, SIZES[kind])
        return
    if kind in FLOATS:
        code, place = data.at(place, 1), place + 1
        if code == b"t":
            place = data.things(place + 4, data.count(place, 4), SIZES[kind])
    size = data.count(place)
    data.things(place + 8, size, 1)
    if count > 4 * LONGEST_RATIO * size:
        raise Damage(f"an array claims {count} numbers in {size} bytes")


def _forward(data: Bytes, place: int) -> tuple[int, int]:
    """Return the value that an offset points forward to, and the offset after it.

    Raises:
        Damage: It points backward.
    """
    step = data.count(place)
    if step < 8:
        raise Damage(f"the value at {place} lies before itself")
    return data.count(place + step), place + step + 8


def _in_dictionary(data: Bytes, place: int) -> tuple[list[int], int]:
    """Return the values of a dictionary, and the offset after it."""
    count = data.count(place)
    data.vector(place, 4 + 8 + 8)
    held, place = [], place + 8
    for _ in range(count):
        value, place = _forward(data, place + 4)
        held.append(value)
    return held, place


def _in_lists(data: Bytes, kind: int, place: int) -> list[int]:
    """Check lists, and return the values in them."""
    held: list[int] = []
    lists = (data.count(place, 1) >> 1 & (1 << LIST_BITS) - 1).bit_count()
    place += 1
    for _ in range(lists):
        end = data.vector(place, LISTS[kind])
        if kind == REFERENCES:
            count, end = data.count(place), place + 8
            for _ in range(count):
                values, end = _in_dictionary(data, end + LISTS[kind] - 8)
                held += values
        elif kind == 54:
            count, end = data.count(place), place + 8
            for _ in range(count):
                value, end = _forward(data, end)
                held.append(value)
        elif kind == 55:
            return held  # the size of an item depends on the version
        place = end
    return held


def _in_samples(data: Bytes, place: int) -> list[int]:
    """Return the times and the values of an animation."""
    times, place = _forward(data, place)
    step = data.count(place)
    if step < 8:
        raise Damage(f"the samples at {place} lie before themselves")
    start = place + step
    data.vector(start, 8)
    return [times, *(data.count(start + 8 * k) for k in range(1, data.count(start) + 1))]
