# SPDX-FileCopyrightText: The inertia_tools authors
# SPDX-License-Identifier: Apache-2.0
"""The names in a crate, and the lists of children: OpenUSD crashes if one names a missing child."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from inertia_tools.description.usd.crate_bytes import Bytes, Damage
from inertia_tools.description.usd.crate_values import ARRAY, INLINED, PLACE

PRIM_SPEC, VARIANT, VARIANT_SET = 6, 10, 11
PROPERTY_SPECS = (1, 8)
"""Types of path targets, by the numbers of the format."""

NAMES = 41
"""The type of a value that is a list of words."""

LISTS = {
    b"primChildren": (PRIM_SPEC,),
    b"properties": PROPERTY_SPECS,
    b"variantSetChildren": (VARIANT_SET,),
    b"variantChildren": (VARIANT,),
}
"""The fields that list children, and the kind of child."""


@dataclass(frozen=True, eq=False)
class Paths:
    """The tree of paths; the index of a path is its position in the arrays.

    Attributes:
        kinds: Target of each: -1 nothing, 0 a prim or its content, 1 a property, 2 the root.
        parents: Index of the parent path, -1 for none.
        words: Index of the last word of each.
    """

    kinds: np.ndarray
    parents: np.ndarray
    words: np.ndarray


@dataclass(frozen=True, eq=False)
class Specs:
    """The entries of paths.

    Attributes:
        paths: The path of each.
        starts: Position of its first field in the sets.
        types: Its type, by the numbers of the format.
    """

    paths: np.ndarray
    starts: np.ndarray
    types: np.ndarray


@dataclass(frozen=True, eq=False)
class Fields:
    """The fields that paths may have.

    Attributes:
        names: Index of the word that names each field.
        values: Value of each.
        sets: The fields of each set, with -1 after each set.
    """

    names: np.ndarray
    values: tuple[int, ...]
    sets: np.ndarray


def refuse_strange_names(words: Sequence[bytes], paths: Paths, specs: Specs) -> None:
    """Refuse prims and properties with names that OpenUSD does not accept.

    Raises:
        Damage: One has such a name.
    """
    named = np.isin(specs.types, (PRIM_SPEC, *PROPERTY_SPECS))
    for number in np.unique(paths.words[specs.paths[named]]).tolist():
        name = words[number].decode(errors="replace")
        if not all(part.isidentifier() for part in name.split(":")):
            raise Damage(f"{name!r} cannot be the name of a prim or a property")


def refuse_missing_children(data: Bytes, words: Sequence[bytes], paths: Paths, specs: Specs, fields: Fields) -> None:
    """Refuse lists of children that name missing ones.

    Args:
        data: The crate.
        words: Its words.
        paths: Its paths.
        specs: The entries of its paths.
        fields: Its fields.

    Raises:
        Damage: A list is invalid, or names a missing child.
    """
    ends = [words[number] for number in paths.words[specs.paths].tolist()]
    there = set(zip(paths.parents[specs.paths].tolist(), ends, specs.types.tolist(), strict=True))
    lists = _lists_by_set(words, fields)
    for path, own, start in zip(specs.paths.tolist(), ends, specs.starts.tolist(), strict=True):
        for field, value in lists.get(start, ()):
            for name in _names(data, value, words, field):
                place = _place(path, own, name, field, paths)
                if not any((*place, kind) in there for kind in LISTS[field]):
                    listed = f"{field.decode()} of {own.decode(errors='replace')!r}"
                    raise Damage(f"{listed} has {name.decode(errors='replace')!r}, which does not exist")


def _lists_by_set(words: Sequence[bytes], fields: Fields) -> dict[int, list[tuple[bytes, int]]]:
    """Return the lists of children, field and value, by the start of the set that contains them."""
    numbers = [number for number, word in enumerate(words) if word in LISTS]
    has_list = np.append(np.isin(fields.names, numbers), False)  # the last is that of -1, the end of a set
    places = np.flatnonzero(has_list[fields.sets])
    starts = np.concatenate([[0], np.flatnonzero(fields.sets == -1) + 1])
    owners = starts[np.searchsorted(starts, places, side="right") - 1]
    found: dict[int, list[tuple[bytes, int]]] = {}
    for owner, place in zip(owners.tolist(), places.tolist(), strict=True):
        field = int(fields.sets[place])
        found.setdefault(owner, []).append((words[int(fields.names[field])], fields.values[field]))
    return found


def _names(data: Bytes, value: int, words: Sequence[bytes], field: bytes) -> list[bytes]:
    """Return the words of a list.

    Raises:
        Damage: The value is not a list of words.
    """
    if value & (ARRAY | INLINED) or value >> 48 & 0xFF != NAMES:
        raise Damage(f"{field.decode()} is not a list of names")
    place = value & PLACE
    end = data.vector(place, 4)
    numbers = np.frombuffer(data.data[place + 8 : end], dtype="<u4")[: data.count(place)].tolist()
    if any(number >= len(words) for number in numbers):
        raise Damage(f"{field.decode()} has the number of a word outside 0 to {len(words) - 1}")
    return [words[number] for number in numbers]


def _place(path: int, own: bytes, name: bytes, field: bytes, paths: Paths) -> tuple[int, bytes]:
    """Return the parent path of a listed child, and its word; variant sets and variants are in braces."""
    if field == b"variantSetChildren":
        return path, b"{" + name + b"=}"
    if field == b"variantChildren":
        return int(paths.parents[path]), own[:-1] + name + b"}"
    return path, name
