# SPDX-FileCopyrightText: The inertia_tools authors
# SPDX-License-Identifier: Apache-2.0
"""Meshes of Gmsh, formats 2.2 and 4.1, as text or binary: points, and elements of the highest dimension.

Segments, triangles and tetrahedra of four points are read; other elements are errors. The format is that of Gmsh's
reference manual, "MSH file format".
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from inertia_tools.spatial import Array

CORNERS = {1: 2, 2: 3, 4: 4}
"""Corners of the elements that are read, by Gmsh's number of their type."""

POINT = 15
"""Gmsh's type number of a point element; those are ignored."""

VERSIONS = ("2.2", "4.1")
MOST_ITEMS = 10_000_000
"""Maximum number of points or elements that a file may announce."""


@dataclass(frozen=True, eq=False)
class GmshMesh:
    """A mesh.

    Attributes:
        points: Positions, shape (n, 3).
        elements: Points of each element of the highest dimension, shape (m, dim + 1).
    """

    points: Array
    elements: np.ndarray

    @property
    def dim(self) -> int:
        """1 for lines, 2 for surfaces, 3 for solids."""
        return int(self.elements.shape[1]) - 1


def read_gmsh(data: bytes) -> GmshMesh:
    """Read a mesh.

    Raises:
        ValueError: It is not a mesh, is truncated, or has other elements; the message says where.
    """
    header = _section(data, b"MeshFormat").split(None, 3)
    if len(header) < 3 or header[0].decode("ascii", "replace") not in VERSIONS:
        raise ValueError("it is not a mesh of Gmsh in format 2.2 or 4.1; save it as one of these")
    words = _Words(header[1] == b"1", _byte_order(header))
    nodes, elements = _section(data, b"Nodes"), _section(data, b"Elements")
    if header[0] == b"2.2":
        tags, points = _nodes_2(words.of(nodes, "Nodes"))
        found = _elements_2(words.of(elements, "Elements"))
    else:
        tags, points = _nodes_4(words.of(nodes, "Nodes"))
        found = _elements_4(words.of(elements, "Elements"))
    if not found:
        raise ValueError("it has no segment, triangle or tetrahedron")
    corners = np.concatenate(found[max(found)])
    order = np.argsort(tags)
    place = np.searchsorted(tags, corners, sorter=order)
    if not len(tags) or (place >= len(tags)).any() or (tags[order[np.minimum(place, len(tags) - 1)]] != corners).any():
        raise ValueError("an element names a node that is not in the file")
    return GmshMesh(points, order[place])


def _section(data: bytes, name: bytes) -> bytes:
    """Return the content between `$name` and `$Endname`."""
    start, end = data.find(b"$" + name + b"\n"), data.find(b"$End" + name)
    if start < 0 or end < start:
        raise ValueError(f"its section ${name.decode()} is absent or not closed")
    return data[start + len(name) + 2 : end]


def _byte_order(header: list[bytes]) -> str:
    """Return the byte order of a binary file, whose header ends with the number one."""
    if header[1] != b"1" or len(header) < 4:
        return "<"
    return "<" if header[3][:1] == b"\x01" else ">"


class _Words:
    """The encoding of numbers."""

    def __init__(self, is_binary: bool, order: str) -> None:
        self._is_binary, self._order = is_binary, order

    def of(self, section: bytes, name: str) -> _Numbers:
        """Return the numbers of a section."""
        return _Numbers(section, name, self._is_binary, self._order)


class _Numbers:
    """Reads the numbers of a section in order."""

    def __init__(self, section: bytes, name: str, is_binary: bool, order: str) -> None:
        self.is_binary, self._order, self._name, self._at = is_binary, order, name, 0
        self._bytes = section
        self._text = [] if is_binary else section.split()

    def line(self) -> int:
        """Read a number in text form, which starts the sections of format 2.2 in binary files too."""
        if not self.is_binary:
            return int(self.take(1, "i4")[0])
        end = self._bytes.find(b"\n", self._at)
        word, self._at = self._bytes[self._at : end], end + 1
        try:
            return int(word)
        except ValueError as error:
            raise self._cut() from error

    def take(self, count: int, kind: str) -> np.ndarray:
        """Read that many numbers of a NumPy type."""
        if count < 0 or count > MOST_ITEMS * 8:
            raise ValueError(f"its section ${self._name} announces {count} numbers")
        if self.is_binary:
            end = self._at + count * np.dtype(kind).itemsize
            if end > len(self._bytes):
                raise self._cut()
            found = np.frombuffer(self._bytes[self._at : end], dtype=self._order + kind)
        else:
            end = self._at + count
            if end > len(self._text):
                raise self._cut()
            try:
                found = np.array(self._text[self._at : end], dtype=np.float64)
            except ValueError as error:
                raise ValueError(f"its section ${self._name} holds a value that is not a number") from error
        self._at = end
        return found.astype(np.float64 if kind == "f8" else np.int64)

    def take_nodes(self, count: int) -> tuple[np.ndarray, Array]:
        """Read that many nodes of a binary file in format 2.2: a number and three coordinates each."""
        kind = np.dtype([("tag", self._order + "i4"), ("point", self._order + "f8", (3,))])
        end = self._at + count * kind.itemsize
        if not 0 <= count <= MOST_ITEMS or end > len(self._bytes):
            raise self._cut()
        found = np.frombuffer(self._bytes[self._at : end], dtype=kind)
        return found["tag"].astype(np.int64), found["point"].astype(np.float64)

    def finish(self) -> None:
        """Raise `ValueError` if a text has more numbers than it announces."""
        if not self.is_binary and self._at < len(self._text):
            raise ValueError(f"its section ${self._name} has more numbers than it announces")

    def _cut(self) -> ValueError:
        return ValueError(f"its section ${self._name} ends too early")


def _nodes_2(numbers: _Numbers) -> tuple[np.ndarray, Array]:
    """Return numbers and positions of the nodes of format 2.2."""
    count = numbers.line()
    if numbers.is_binary:
        return numbers.take_nodes(count)
    table = numbers.take(4 * count, "f8").reshape(-1, 4)
    numbers.finish()
    return table[:, 0].astype(np.int64), table[:, 1:]


def _elements_2(numbers: _Numbers) -> dict[int, list[np.ndarray]]:
    """Return nodes of the elements of format 2.2, by their number of corners."""
    found: dict[int, list[np.ndarray]] = {}
    left = numbers.line()
    while left > 0:
        if numbers.is_binary:
            kind, count, tags = numbers.take(3, "i4").tolist()
            skip = 1 + tags
        else:
            _, kind, tags = numbers.take(3, "i4").tolist()
            count, skip = 1, tags
        if count < 1:
            raise ValueError("its section $Elements announces an empty block")
        rows = numbers.take(count * (skip + _corners(kind)), "i4").reshape(count, -1)
        _keep(found, kind, rows[:, skip:])
        left -= count
    numbers.finish()
    return found


def _nodes_4(numbers: _Numbers) -> tuple[np.ndarray, Array]:
    """Return numbers and positions of the nodes of format 4.1."""
    blocks = int(numbers.take(4, "u8")[0])
    tags, points = [np.zeros(0, dtype=np.int64)], [np.zeros((0, 3))]
    for _ in range(blocks):
        parametric = int(numbers.take(3, "i4")[2])
        count = int(numbers.take(1, "u8")[0])
        tags.append(numbers.take(count, "u8"))
        if parametric:
            raise ValueError("it has parametric nodes; save it without them")
        points.append(numbers.take(3 * count, "f8").reshape(-1, 3))
    numbers.finish()
    return np.concatenate(tags), np.concatenate(points)


def _elements_4(numbers: _Numbers) -> dict[int, list[np.ndarray]]:
    """Return nodes of the elements of format 4.1, by their number of corners."""
    found: dict[int, list[np.ndarray]] = {}
    for _ in range(int(numbers.take(4, "u8")[0])):
        kind = int(numbers.take(3, "i4")[2])
        count = int(numbers.take(1, "u8")[0])
        rows = numbers.take(count * (1 + _corners(kind)), "u8").reshape(-1, 1 + _corners(kind))
        _keep(found, kind, rows[:, 1:])
    numbers.finish()
    return found


def _corners(kind: int) -> int:
    """Return the corners of an element."""
    if kind == POINT:
        return 1
    if kind not in CORNERS:
        raise ValueError(f"it has elements of Gmsh's type {kind}; segments, triangles and tetrahedra are read")
    return CORNERS[kind]


def _keep(found: dict[int, list[np.ndarray]], kind: int, rows: np.ndarray) -> None:
    if kind != POINT:
        found.setdefault(CORNERS[kind], []).append(rows)
