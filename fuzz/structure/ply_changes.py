# SPDX-FileCopyrightText: The inertia_tools authors
# SPDX-License-Identifier: Apache-2.0
"""Changes of PLY files that keep header and rows in agreement: numbers, rows, properties, elements, encoding."""

from __future__ import annotations

import struct
from random import Random

from fuzz.structure.numbers import changed_float, index_below
from fuzz.structure.ply import CODES, ORDERS, Element, Ply, Property, Value, read_ply, write_ply

MORE = ("nx", "ny", "nz", "red", "green", "alpha", "s", "t", "quality", "x", "confidence")
"""Names of properties that files have beside the corners."""


def changed_ply(data: bytes, random: Random) -> bytes:
    """Return a file with one to four changes; as it is where this does not follow it."""
    try:
        ply = read_ply(data)
    except (ValueError, IndexError, KeyError, struct.error, UnicodeDecodeError):
        return data
    for _ in range(random.choice((1, 1, 2, 4))):
        random.choice(CHANGES)(ply, random)
    try:
        return write_ply(ply)
    except (struct.error, OverflowError, ValueError):  # a number does not go into its type
        return data


def _some_element(ply: Ply, random: Random) -> Element | None:
    filled = [element for element in ply.elements if element.rows and element.properties]
    return random.choice(filled) if filled else None


def _change_number(ply: Ply, random: Random) -> None:
    element = _some_element(ply, random)
    if element is None:
        return
    row, column = random.choice(element.rows), random.randrange(len(element.properties))
    value, code = row[column], CODES[element.properties[column].kind]
    if isinstance(value, list):
        if value:
            value[random.randrange(len(value))] = index_below(len(ply.elements[0].rows), random)
    else:
        row[column] = changed_float(value, random) if code in "fd" else random.randrange(128)


def _change_corners(ply: Ply, random: Random) -> None:
    """Give a face fewer corners, or more."""
    lists = [value for element in ply.elements for row in element.rows for value in row if isinstance(value, list)]
    if not lists:
        return
    corners = random.choice(lists)
    if random.random() < 0.3 and corners:
        corners.pop()
    else:
        corners += [index_below(len(ply.elements[0].rows), random) for _ in range(random.choice((1, 1, 2, 40)))]


def _lose_rows(ply: Ply, random: Random) -> None:
    element = _some_element(ply, random)
    if element is not None:
        at = random.randrange(len(element.rows))
        del element.rows[at : at + (1 if element is ply.elements[0] else random.choice((1, 3, 1000)))]


def _repeat_row(ply: Ply, random: Random) -> None:
    element = _some_element(ply, random)
    if element is not None:
        row = random.choice(element.rows)
        copies = [
            [list(one) if isinstance(one, list) else one for one in row] for _ in range(random.choice((1, 2, 40)))
        ]
        element.rows += copies


def _add_property(ply: Ply, random: Random) -> None:
    element = _some_element(ply, random)
    if element is None:
        return
    at, is_list = random.randint(0, len(element.properties)), random.random() < 0.2
    name, kind = random.choice(MORE), random.choice(list(CODES))
    element.properties.insert(at, Property(kind, name, "uchar" if is_list else ""))
    for row in element.rows:
        row.insert(at, [random.randrange(9)] * random.randrange(4) if is_list else random.randrange(128))


def _lose_property(ply: Ply, random: Random) -> None:
    element = _some_element(ply, random)
    if element is not None and random.random() < 0.3:
        at = random.randrange(len(element.properties))
        del element.properties[at]
        for row in element.rows:
            del row[at]


def _retype(ply: Ply, random: Random) -> None:
    element = _some_element(ply, random)
    if element is not None:
        one = random.choice(element.properties)
        one.kind = random.choice([kind for kind, code in CODES.items() if (code in "fd") == (CODES[one.kind] in "fd")])
        if one.count:
            one.count = random.choice(("uchar", "ushort", "int", "uint8", "uint32"))


def _encode(ply: Ply, random: Random) -> None:
    ply.encoding = random.choice(list(ORDERS))


def _remark(ply: Ply, random: Random) -> None:
    ply.remarks.append(random.choice(("comment x", "comment", "obj_info made by hand", "comment TextureFile a.png")))


def _add_element(ply: Ply, random: Random) -> None:
    """Add a table that a mesh does not need, before the others or after."""
    rows: list[list[Value]] = [[float(random.randrange(4)) for _ in range(2)] for _ in range(random.randrange(5))]
    columns = [Property("int", "vertex1"), Property("float", "vertex2")]
    new = Element(random.choice(("edge", "material", "tristrips")), columns, rows)
    ply.elements.insert(random.choice((0, len(ply.elements), len(ply.elements))), new)


def _rename(ply: Ply, random: Random) -> None:
    """Call the corners of faces as other programs do, or an element as none does."""
    if random.random() < 0.2 and ply.elements:
        random.choice(ply.elements).name = random.choice(("vertex", "face", "x"))
        return
    for one in (one for element in ply.elements for one in element.properties if one.count):
        one.name = random.choice(("vertex_index", "vertex_indices", "indices"))


CHANGES = (
    *(_change_number, _change_number, _change_number, _change_corners, _change_corners, _lose_rows, _repeat_row),
    *(_add_property, _lose_property, _retype, _encode, _encode, _remark, _add_element, _rename),
)
"""What can happen to a file, the likelier the more often it stands here."""
