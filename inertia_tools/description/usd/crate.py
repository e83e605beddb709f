# SPDX-FileCopyrightText: The inertia_tools authors
# SPDX-License-Identifier: Apache-2.0
"""Checking the tables of a crate, the binary form of USD, before OpenUSD allocates the memory that they claim.

OpenUSD trusts the counts in a crate, and follows its tree of paths wherever it leads. A damaged count exhausts the
memory, and so does a tree whose branches meet again, since its paths double at every such point.
"""

from __future__ import annotations

import struct
from collections.abc import Iterator
from pathlib import Path

import numpy as np

from inertia_tools.description.usd.crate_bytes import Bytes, Damage
from inertia_tools.description.usd.crate_names import (
    Fields,
    Paths,
    Specs,
    refuse_missing_children,
    refuse_strange_names,
)
from inertia_tools.description.usd.crate_values import refuse_counts
from inertia_tools.description.usd.lz4 import LONGEST_RATIO, integers, unpacked, unpacked_size
from inertia_tools.errors import ParseError

MAGIC = b"PXR-USDC"
PACKAGE = b"PK\x03\x04"
SECTIONS = ("TOKENS", "STRINGS", "FIELDS", "FIELDSETS", "PATHS", "SPECS")
OLDEST = (0, 4, 0)
"""The first version with compressed tables, of 2017."""

MOST_SECTIONS = 64
DEEPEST = 4096
"""Longer paths, in names, count as damage."""

PRIM, PROPERTY, ROOT = range(3)
PROPERTIES, PRIMS, PSEUDO_ROOT, SPEC_TYPES = (1, 8), (6, 10, 11), 7, 12
"""Kinds of path targets, by the numbers of the format: properties, prims with their variants, and the root."""

SPARE_PATHS = 1024
"""Number of path entries that may be unused."""


def refuse_damaged_crates(data: bytes, name: str) -> None:
    """Refuse a crate, or a package that contains one, with inconsistent tables; accept everything else.

    Args:
        data: A file of USD.
        name: Its name in messages.

    Raises:
        ParseError: Tables claim more than their bytes can hold, or their paths do not form a tree.
    """
    for crate in _crates_in(data):
        try:
            _look_through(crate)
        except Damage as damage:
            remedy = "export it again (OpenUSD's usdchecker and usdcat give details)"
            raise ParseError(f"the crate is damaged: {damage}; {remedy}", name) from damage


def refuse_damaged_file(path: Path) -> None:
    """Refuse a file as `refuse_damaged_crates` does; only a file in a binary form of USD is read completely.

    Args:
        path: An existing file.

    Raises:
        ParseError: It is a damaged crate, or contains one.
    """
    with path.open("rb") as file:
        start = file.read(len(MAGIC))
        if start.startswith((MAGIC, PACKAGE)):
            refuse_damaged_crates(start + file.read(), str(path))


def _crates_in(data: bytes) -> Iterator[bytes]:
    """Yield a crate itself, or those of a package, which stores them uncompressed."""
    if data.startswith(MAGIC):
        yield data
    at = 0
    while data.startswith(PACKAGE, at) and at + 30 <= len(data):
        method, size = struct.unpack_from("<8xH8xI", data, at)
        start = at + 30 + sum(struct.unpack_from("<2H", data, at + 26))
        if method == 0 and data.startswith((MAGIC, PACKAGE), start):
            yield from _crates_in(data[start : start + size])
        at = start + size


def _look_through(data: bytes) -> None:
    """Check the tables of a crate.

    Raises:
        Damage: They are inconsistent.
    """
    version = (data[8], data[9], data[10]) if len(data) > 10 else (0, 0, 0)
    if version < OLDEST:
        raise Damage(
            f"it says that it is of version {'.'.join(map(str, version))}, before {'.'.join(map(str, OLDEST))}"
        )
    tables = _sections(Bytes(data))
    words = _words(tables["TOKENS"])
    _look_at_strings(tables["STRINGS"], len(words))
    names, values = _values(tables["FIELDS"], len(words))
    fields = Fields(names, values, _field_sets(tables["FIELDSETS"], len(values)))
    paths = _paths(tables["PATHS"], len(words))
    specs = _specs(tables["SPECS"], paths.kinds, fields.sets)
    refuse_counts(Bytes(data, "a value"), values, version)
    refuse_strange_names(words, paths, specs)
    refuse_missing_children(Bytes(data, "a list"), words, paths, specs, fields)


def _sections(data: Bytes) -> dict[str, Bytes]:
    """Return the tables by name."""
    start = data.count(16)
    count = data.count(start)
    if count > MOST_SECTIONS:
        raise Damage(f"its table of contents has {count} lines")
    found: dict[str, Bytes] = {}
    for k in range(count):
        line = start + 8 + 32 * k
        name = data.at(line, 16).split(b"\0")[0].decode(errors="replace")
        first, size = data.count(line + 16), data.count(line + 24)
        if first + size > len(data.data):
            raise Damage(f"{name} goes past the end of the file")
        found.setdefault(name, Bytes(data.data[first : first + size], name))
    for name in SECTIONS:
        if name not in found:
            raise Damage(f"it has no {name}")
    return found


def _words(table: Bytes) -> list[bytes]:
    """Return the words of the crate."""
    count, size, packed_size = table.count(0), table.count(8), table.count(16)
    if count > size or _unpacked_size(table, 24, packed_size) != size:
        raise Damage(f"TOKENS claims {count} words of {size} bytes and has others")
    words = _unpacked(table.at(24, packed_size), table).split(b"\0") if size else [b""]
    if words.pop() or len(words) != count or len(set(words)) != count:
        raise Damage(f"TOKENS claims {count} different words and has others")
    return words


def _look_at_strings(table: Bytes, tokens: int) -> None:
    """Check the strings, each of which is the index of a word."""
    end = table.vector(0, 4)
    _refuse_outside(table, np.frombuffer(table.data[8:end], dtype="<u4"), 0, tokens)


def _values(table: Bytes, tokens: int) -> tuple[np.ndarray, tuple[int, ...]]:
    """Return the names of fields, as indices of words, and their values."""
    count = table.count(0)
    names, at = _integers(table, 8, count)
    _refuse_outside(table, names, 0, tokens)
    if _unpacked_size(table, at + 8, table.count(at)) != 8 * count:
        raise Damage(f"FIELDS claims {count} values and has others")
    return names, struct.unpack(f"<{count}Q", _unpacked(table.at(at + 8, table.count(at)), table)) if count else ()


def _field_sets(table: Bytes, fields: int) -> np.ndarray:
    """Return the indices of fields in each set, with -1 after each set."""
    sets, _ = _integers(table, 8, table.count(0))
    _refuse_outside(table, sets, -1, fields)
    if len(sets) and sets[-1] != -1:
        raise Damage("FIELDSETS has no end")
    return sets


def _paths(table: Bytes, tokens: int) -> Paths:
    """Return the tree of paths."""
    places, count = table.count(0), table.count(8)
    if places > count + SPARE_PATHS:
        raise Damage(f"PATHS claims {places} paths and has {count}")
    numbers, at = _integers(table, 16, count)
    words, at = _integers(table, at, count)
    jumps, _ = _integers(table, at, count)
    _refuse_outside(table, numbers, 0, places)
    _refuse_outside(table, np.abs(words), 0, tokens)
    _refuse_repeated(table, numbers)
    above = np.array(_holders(jumps.tolist()), dtype=np.int64)
    kinds, parents, ends = np.full(places, -1), np.full(places, -1), np.zeros(places, dtype=np.int64)
    kinds[numbers] = words < 0
    kinds[numbers[:1]] = ROOT
    parents[numbers] = np.where(above < 0, -1, numbers[above])
    ends[numbers] = np.abs(words)
    return Paths(kinds, parents, ends)


def _specs(table: Bytes, kinds: np.ndarray, sets: np.ndarray) -> Specs:
    """Return the entry of each path: a set of fields, and the type."""
    count = table.count(0)
    paths, at = _integers(table, 8, count)
    starts, at = _integers(table, at, count)
    types, _ = _integers(table, at, count)
    _refuse_outside(table, paths, 0, len(kinds))
    _refuse_outside(table, starts, 0, len(sets))
    _refuse_outside(table, types, 1, SPEC_TYPES)
    _refuse_repeated(table, paths)
    if (sets[starts[starts > 0] - 1] != -1).any():
        raise Damage("SPECS begins inside a set of fields")
    specs, kinds = Specs(paths, starts, types), kinds[paths]
    is_root, is_property = types == PSEUDO_ROOT, np.isin(types, PROPERTIES)
    if (kinds < 0).any() or (is_root != (kinds == ROOT)).any() or (~is_property & (kinds == PROPERTY)).any():
        raise Damage("SPECS says that a path leads to something else")
    if (np.isin(types, PRIMS) & (kinds != PRIM)).any():
        raise Damage("SPECS says that a path leads to something else")
    return specs


def _holders(jumps: list[int]) -> list[int]:
    """Return the index of each path's parent, -1 for none; paths are ordered by branch.

    Args:
        jumps: Distance of each path to its next sibling, after all its children; 0 is a sibling without children
            between them, -1 has children and no sibling, a lower value has neither.

    Raises:
        Damage: A branch ends elsewhere than an earlier path states.
    """
    waiting: list[tuple[int, int, int]] = []
    holders: list[int] = []
    depth, holder = 0, -1
    for number, jump in enumerate(jumps):
        holders.append(holder)
        if jump > 0:
            waiting.append((number + jump, depth, holder))
        if jump > 0 or jump == -1:
            depth, holder = depth + 1, number
            if depth > DEEPEST:
                raise Damage(f"PATHS goes more than {DEEPEST} names deep")
        elif jump < -1:
            sibling, depth, holder = waiting.pop() if waiting else (len(jumps), 0, -1)
            if sibling != number + 1:
                raise Damage("PATHS is not a tree")
    if jumps and (waiting or jumps[-1] >= -1):
        raise Damage("PATHS is not a tree")
    return holders


def _refuse_outside(table: Bytes, numbers: np.ndarray, low: int, high: int) -> None:
    """Refuse numbers below `low`, or of `high` or more."""
    if len(numbers) and (numbers.min() < low or numbers.max() >= high):
        raise Damage(f"{table.name} has a number outside {low} to {high - 1}")


def _refuse_repeated(table: Bytes, numbers: np.ndarray) -> None:
    if len(np.unique(numbers)) < len(numbers):
        raise Damage(f"{table.name} has a path twice")


def _integers(table: Bytes, at: int, count: int) -> tuple[np.ndarray, int]:
    """Return integers, of at least two bits each, and the offset after them."""
    size = table.count(at)
    packed = table.at(at + 8, size)
    if not count:
        return np.empty(0, dtype=np.int64), at + 8 + size
    if count > 4 * LONGEST_RATIO * size or _unpacked_size(table, at + 8, size) < 4 + (count + 3) // 4:
        raise Damage(f"{table.name} claims {count} entries and has fewer")
    try:
        return integers(packed, count), at + 8 + size
    except ValueError:
        raise Damage(f"{table.name} does not unpack") from None


def _unpacked(packed: bytes, table: Bytes) -> bytes:
    try:
        return unpacked(packed)
    except ValueError:
        raise Damage(f"{table.name} does not unpack") from None


def _unpacked_size(table: Bytes, at: int, size: int) -> int:
    """Return the unpacked size of a part of a table [bytes]."""
    if not size:
        return 0
    try:
        return unpacked_size(table.at(at, size))
    except ValueError:
        raise Damage(f"{table.name} does not unpack") from None
