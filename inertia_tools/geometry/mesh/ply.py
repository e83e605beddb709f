# SPDX-FileCopyrightText: The inertia_tools authors
# SPDX-License-Identifier: Apache-2.0
"""Reading PLY, text or binary, without a library.

A header names elements, each with a number of rows and with properties: a number, or a list preceded by its length.
The rows of all elements follow. Corners are the element `vertex`, polygons the lists of `face`, and strips of triangles
those of `tristrips`, where a negative index begins another strip.
"""

from __future__ import annotations

import re
from abc import ABC, abstractmethod
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from types import MappingProxyType
from typing import Any

import numpy as np
import numpy.typing as npt

from inertia_tools.errors import MeshError
from inertia_tools.geometry.mesh.part import Indices, MeshPart, fans, file_content, frozen, strips
from inertia_tools.spatial import Array

HEADER = re.compile(rb"ply\s*\n(.*?)\bend_header[ \t]*(?:\r\n|\n|\r)", re.DOTALL)

BYTE_ORDERS: Mapping[str, str] = MappingProxyType({"ascii": "", "binary_little_endian": "<", "binary_big_endian": ">"})

NUMBERS: Mapping[str, str] = MappingProxyType(
    {
        **{"char": "i1", "uchar": "u1", "short": "i2", "ushort": "u2", "int": "i4", "uint": "u4"},
        **{"int8": "i1", "uint8": "u1", "int16": "i2", "uint16": "u2", "int32": "i4", "uint32": "u4"},
        **{"float": "f4", "float32": "f4", "double": "f8", "float64": "f8"},
    }
)
"""Types of numbers by their two names."""

POLYGONS = ("vertex_indices", "vertex_index")
"""Names of the list of a face's corners."""

Column = npt.NDArray[Any]


@dataclass(frozen=True)
class _Property:
    """A property of an element; `length` is the type of a list's length, empty for a number."""

    name: str
    number: str
    length: str = ""


@dataclass(frozen=True)
class _Element:
    """An element of the header."""

    name: str
    count: int
    properties: list[_Property] = field(default_factory=list)


def read_ply(path: str, uri: str) -> list[MeshPart]:
    """Read the mesh of a file.

    Raises:
        MeshError: The file cannot be opened, or is not a PLY.
    """
    data = file_content(path, uri)
    try:
        vertices, triangles = _mesh(data)
    except Exception as error:  # a header may promise anything
        raise MeshError(uri, f"{path} cannot be read as a mesh: {error or type(error).__name__}") from error
    return [MeshPart((), frozen(vertices, triangles))]


def _mesh(data: bytes) -> tuple[Array, Indices]:
    header = HEADER.match(data)
    if header is None:
        raise ValueError("it has no header of a PLY")
    order, elements = _header(header[1].decode(errors="replace"))
    rows = _Binary(data, header.end(), order) if order else _Text(data[header.end() :])
    vertices, triangles = np.empty((0, 3)), np.empty((0, 3), np.int64)
    for element in elements:
        columns, lengths = rows.read(element)
        if element.name == "vertex":
            vertices = np.stack([columns[axis] for axis in "xyz"], axis=1).astype(np.float64)
        elif element.name in SURFACES:
            name = next((name for name in POLYGONS if name in lengths), None)
            if name is not None:
                corners, counts = columns[name].astype(np.int64), lengths[name].astype(np.int64)
                triangles = np.concatenate([triangles, SURFACES[element.name](corners, counts)])
    return vertices, triangles


def _parted_strips(corners: Indices, counts: Indices) -> Indices:
    """Split strips into triangles; a negative index, and the end of a list, ends a strip.

    Triangles with two equal corners, by which exporters turn within a strip, enclose nothing and are left out.
    """
    ends = np.zeros(len(corners), bool)
    ends[np.cumsum(counts)[counts > 0] - 1] = True
    parts = corners < 0
    strip = np.cumsum(parts | np.roll(ends, 1)) if len(corners) else corners
    triangles = strips(corners[~parts], np.unique(strip[~parts], return_counts=True)[1])
    whole: Indices = triangles[(triangles != np.roll(triangles, 1, axis=1)).all(axis=1)]
    return whole


SURFACES: Mapping[str, Callable[[Indices, Indices], Indices]] = MappingProxyType(
    {"face": fans, "tristrips": _parted_strips}
)
"""Splitting the lists of an element into triangles, by its name."""


def _header(text: str) -> tuple[str, list[_Element]]:
    """Return the byte order, empty for a text, and the elements."""
    order, elements = "", []
    for line in text.splitlines():
        match line.split():
            case ["format", kind, _]:
                order = BYTE_ORDERS[kind]
            case ["element", name, count]:
                elements.append(_Element(name, int(count)))
            case ["property", "list", length, number, name]:
                elements[-1].properties.append(_Property(name, NUMBERS[number], NUMBERS[length]))
            case ["property", number, name]:
                elements[-1].properties.append(_Property(name, NUMBERS[number]))
    return order, elements


class _Rows(ABC):
    """Takes the rows of one element after another."""

    def __init__(self, at: int) -> None:
        self.at = at

    @abstractmethod
    def take(self, number: str, count: int) -> Column:
        """Return the next numbers of a type."""

    @abstractmethod
    def table(self, types: list[tuple[str, int]], rows: int) -> list[Column]:
        """Return the next rows, each of these numbers of these types, one array of rows for each type."""

    def read(self, element: _Element) -> tuple[dict[str, Column], dict[str, Column]]:
        """Return the numbers of each property, those of lists one after another, and the lengths of the lists."""
        if not element.count or not element.properties:
            return {one.name: np.empty(0) for one in element.properties}, {}
        start = self.at
        try:
            return self._alike(element)
        except ValueError:  # too short for rows like the first, or with others among them
            if not any(one.length for one in element.properties):
                raise
            self.at = start
            return self._one_by_one(element)

    def _alike(self, element: _Element) -> tuple[dict[str, Column], dict[str, Column]]:
        """Read rows whose lists are as long as those of the first.

        Raises:
            ValueError: They are not.
        """
        start = self.at
        types: list[tuple[str, int]] = []
        wanted: list[int | None] = []
        for one in element.properties:
            count = self._row(one)[1].size
            types += [(one.length, 1), (one.number, count)] if one.length else [(one.number, 1)]
            wanted += [count, None] if one.length else [None]
        self.at = start
        columns = self.table(types, element.count)
        if any(count is not None and (column != count).any() for column, count in zip(columns, wanted, strict=True)):
            raise ValueError("lists of different lengths")
        lengths = [column.reshape(-1) for column, count in zip(columns, wanted, strict=True) if count is not None]
        values = [column.reshape(-1) for column, count in zip(columns, wanted, strict=True) if count is None]
        names = [one.name for one in element.properties]
        lists = [one.name for one in element.properties if one.length]
        return dict(zip(names, values, strict=True)), dict(zip(lists, lengths, strict=True))

    def _one_by_one(self, element: _Element) -> tuple[dict[str, Column], dict[str, Column]]:
        found = [[self._row(one) for one in element.properties] for _ in range(element.count)]
        values = {one.name: np.concatenate([row[k][1] for row in found]) for k, one in enumerate(element.properties)}
        lengths = {
            one.name: np.concatenate([row[k][0] for row in found])
            for k, one in enumerate(element.properties)
            if one.length
        }
        return values, lengths

    def _row(self, one: _Property) -> tuple[Column, Column]:
        """Return the length of a list, or nothing, and the numbers of a property in one row."""
        length = self.take(one.length, 1) if one.length else np.empty(0)
        return length, self.take(one.number, int(length[0]) if one.length else 1)


class _Binary(_Rows):
    """Rows of bytes."""

    def __init__(self, data: bytes, at: int, order: str) -> None:
        super().__init__(at)
        self._data, self._order = data, order

    def take(self, number: str, count: int) -> Column:
        return self._block(np.dtype(self._order + number), count)

    def table(self, types: list[tuple[str, int]], rows: int) -> list[Column]:
        row = np.dtype([(str(k), self._order + number, (count,)) for k, (number, count) in enumerate(types)])
        block = self._block(row, rows)
        return [block[str(k)] for k in range(len(types))]

    def _block(self, kind: np.dtype[Any], count: int) -> Column:
        if not 0 <= count * kind.itemsize <= len(self._data) - self.at:
            raise ValueError("it ends before its last row")
        block = np.frombuffer(self._data, kind, count, self.at) if count and kind.itemsize else np.empty(count, kind)
        self.at += block.nbytes
        return block


class _Text(_Rows):
    """Rows of words."""

    def __init__(self, text: bytes) -> None:
        super().__init__(0)
        self._words = text.split()

    def take(self, number: str, count: int) -> Column:
        if not 0 <= count <= len(self._words) - self.at:
            raise ValueError("it ends before its last row")
        self.at += count
        return np.array(self._words[self.at - count : self.at], dtype=np.float64)

    def table(self, types: list[tuple[str, int]], rows: int) -> list[Column]:
        ends = np.cumsum([count for _, count in types])
        block = self.take("", rows * int(ends[-1])).reshape(rows, -1)
        return np.split(block, ends[:-1], axis=1)
