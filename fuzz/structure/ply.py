# SPDX-FileCopyrightText: The inertia_tools authors
# SPDX-License-Identifier: Apache-2.0
"""PLY files taken apart into tables, and put together again."""

from __future__ import annotations

import struct
from collections.abc import Callable
from dataclasses import dataclass, field

CODES = {
    **{"char": "b", "uchar": "B", "short": "h", "ushort": "H", "int": "i", "uint": "I", "float": "f", "double": "d"},
    **{"int8": "b", "uint8": "B", "int16": "h", "uint16": "H", "int32": "i", "uint32": "I"},
    **{"float32": "f", "float64": "d"},
}
"""Types of numbers, and what `struct` calls them."""

ORDERS = {"ascii": "", "binary_little_endian": "<", "binary_big_endian": ">"}

Value = float | list[float]
Take = Callable[[str], float]
"""Returns the next number of a file, given its type."""


@dataclass
class Property:
    """A column: its type, its name, and for lists the type of their counts."""

    kind: str
    name: str
    count: str = ""


@dataclass
class Element:
    """A table of the file."""

    name: str
    properties: list[Property] = field(default_factory=list)
    rows: list[list[Value]] = field(default_factory=list)


@dataclass
class Ply:
    """A file: how it is encoded, and its tables."""

    encoding: str
    elements: list[Element]
    remarks: list[str]


def read_ply(data: bytes) -> Ply:
    """Take a file apart.

    Raises:
        ValueError, IndexError, KeyError, struct.error: It is not as the format says.
    """
    header, _, body = data.partition(b"end_header\n")
    ply, counts = Ply("ascii", [], []), []
    for words in (line.split() for line in header.decode("ascii").splitlines()[1:]):
        if words[0] == "format":
            ply.encoding = words[1]
        elif words[0] == "element":
            ply.elements.append(Element(words[1]))
            counts.append(int(words[2]))
        elif words[0] == "property":
            is_list = words[1] == "list"
            ply.elements[-1].properties.append(Property(words[-2], words[-1], words[2] if is_list else ""))
        else:
            ply.remarks.append(" ".join(words))
    take = _words(body) if ply.encoding == "ascii" else _numbers(body, ORDERS[ply.encoding])
    for element, count in zip(ply.elements, counts, strict=True):
        element.rows = [_row(element, take) for _ in range(count)]
    return ply


def _row(element: Element, take: Take) -> list[Value]:
    return [
        [take(one.kind) for _ in range(int(take(one.count)))] if one.count else take(one.kind)
        for one in element.properties
    ]


def _words(body: bytes) -> Take:
    words = iter(body.split())

    def take(kind: str) -> float:
        word = next(words, b"")
        return float(word) if CODES[kind] in "fd" else int(word)

    return take


def _numbers(body: bytes, order: str) -> Take:
    at = 0

    def take(kind: str) -> float:
        nonlocal at
        (number,) = struct.unpack_from(order + CODES[kind], body, at)
        at += struct.calcsize(order + CODES[kind])
        return float(number) if CODES[kind] in "fd" else int(number)

    return take


def write_ply(ply: Ply) -> bytes:
    """Put a file together.

    Raises:
        struct.error, OverflowError, ValueError: A number does not go into its type.
    """
    lines = ["ply", f"format {ply.encoding} 1.0", *ply.remarks]
    for element in ply.elements:
        lines.append(f"element {element.name} {len(element.rows)}")
        for one in element.properties:
            lines.append(f"property {f'list {one.count} ' if one.count else ''}{one.kind} {one.name}")
    body = [_written(element, row, ply.encoding) for element in ply.elements for row in element.rows]
    return "\n".join([*lines, "end_header\n"]).encode() + b"".join(body)


def _written(element: Element, row: list[Value], encoding: str) -> bytes:
    """Write a row."""
    cells: list[tuple[str, float]] = []
    for one, value in zip(element.properties, row, strict=True):
        if isinstance(value, list):
            cells += [(one.count, len(value)), *((one.kind, number) for number in value)]
        else:
            cells.append((one.kind, value))
    typed = [(CODES[kind], number if CODES[kind] in "fd" else int(number)) for kind, number in cells]
    if encoding == "ascii":
        return " ".join(str(number) for _, number in typed).encode() + b"\n"
    return b"".join(struct.pack(ORDERS[encoding] + code, number) for code, number in typed)
