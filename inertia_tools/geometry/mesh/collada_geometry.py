# SPDX-FileCopyrightText: The inertia_tools authors
# SPDX-License-Identifier: Apache-2.0
"""The triangles of a Collada geometry: groups of faces that refer to corners, which sources of numbers define."""

from __future__ import annotations

from xml.etree.ElementTree import Element

import numpy as np

from inertia_tools.geometry.mesh.part import Indices, fans, numbered_anew, numbers, strips
from inertia_tools.spatial import Array

Group = tuple[Array, Indices]
"""Vertices in the unit of the file, shape (n, 3), and triangles between them, shape (m, 3)."""

INTEGER, REAL = np.dtype(np.int64), np.dtype(np.float64)

FACES = frozenset({"triangles", "polylist", "polygons", "tristrips", "trifans"})
"""Elements of a mesh that are faces; lines have no mass."""


def kind(element: Element) -> str:
    """Return the name of an element without its namespace."""
    return element.tag.rpartition("}")[2]


def groups_of(geometry: Element) -> list[Group]:
    """Return the triangles of each group of faces of a geometry.

    Raises:
        ValueError: A value is not a number, or their count is wrong.
        LookupError: A reference is invalid.
    """
    mesh = geometry.find("{*}mesh")
    if mesh is None:
        return []
    own = {element.attrib["id"]: element for element in mesh.iter() if "id" in element.attrib}
    places: dict[str | None, Array] = {}
    return [_group(element, own, places) for element in mesh if kind(element) in FACES]


def _group(faces: Element, own: dict[str, Element], places: dict[str | None, Array]) -> Group:
    """Return the triangles of some faces; vertices of several groups are read once."""
    inputs = faces.findall("{*}input")
    stride = 1 + max((int(one.get("offset", "0")) for one in inputs), default=0)
    corner = next((one for one in inputs if one.get("semantic") == "VERTEX"), None)
    if corner is None or stride < 1:
        raise LookupError(f"its <{kind(faces)}> name no vertices")
    if faces.find("{*}ph") is not None:
        raise ValueError("it has polygons with holes, which are not supported; export triangles")
    rows = [numbers(p.text, INTEGER) for p in faces.findall("{*}p")]
    if any(len(row) % stride for row in rows):
        raise ValueError(f"its <{kind(faces)}> end within a vertex")
    offset = int(corner.get("offset", "0"))
    source = corner.get("source")
    if source not in places:
        places[source] = _positions(corner, own)
    return numbered_anew(places[source], _triangles(faces, [row[offset::stride] for row in rows]))


def _triangles(faces: Element, rows: list[Indices]) -> Indices:
    """Return the triangles of faces, shape (m, 3), from the corners in each <p>."""
    corners = np.concatenate(rows) if rows else np.empty(0, INTEGER)
    lengths = np.array([len(row) for row in rows], INTEGER)
    form = kind(faces)
    if form == "triangles":
        if len(corners) % 3:
            raise ValueError("a triangle of it has fewer than three corners")
        return corners.reshape(-1, 3)
    if form == "tristrips":
        return strips(corners, lengths)
    if form != "polylist":
        return fans(corners, lengths)
    count = faces.find("{*}vcount")
    counts = numbers(count.text if count is not None else None, INTEGER)
    if ((counts < 0) | (counts > len(corners))).any() or int(counts.sum()) != len(corners):
        raise ValueError(f"its polygons have {len(corners)} corners, not the number that they state")
    return fans(corners, counts)


def _positions(corner: Element, own: dict[str, Element]) -> Array:
    """Return the positions of the faces' vertices, in the unit of the file, shape (n, 3)."""
    vertices = _named(corner, own)
    places = next((one for one in vertices.findall("{*}input") if one.get("semantic") == "POSITION"), None)
    if places is None:
        raise LookupError(f"its vertices {vertices.get('id')!r} have no positions")
    source = _named(places, own)
    accessor = source.find("{*}technique_common/{*}accessor")
    if accessor is None:
        raise LookupError(f"its source {source.get('id')!r} has no accessor")
    stated = _stated(_named(accessor, own))
    names = [param.get("name") for param in accessor.findall("{*}param")]
    columns = [names.index(name) for name in "XYZ"] if set("XYZ") <= set(names) else [0, 1, 2]
    stride, offset = int(accessor.get("stride", len(names) or 3)), int(accessor.get("offset", "0"))
    if offset < 0 or stride <= max(columns):
        raise ValueError(f"its source {source.get('id')!r} does not have three numbers for each vertex")
    count = max(len(stated) - offset, 0) // stride
    return stated[offset : offset + count * stride].reshape(count, stride)[:, columns]


def _stated(array: Element) -> Array:
    """Return the numbers of an array.

    Raises:
        ValueError: Their number differs from its count.
    """
    stated = numbers(array.text, REAL)
    if int(array.get("count", len(stated))) != len(stated):
        raise ValueError(f"its array {array.get('id')!r} has {len(stated)} numbers, but count is {array.get('count')}")
    return stated


def _named(reference: Element, own: dict[str, Element]) -> Element:
    """Return the element that another refers to by its source.

    Raises:
        LookupError: It is not in the mesh.
    """
    id_ = reference.get("source", "").removeprefix("#")
    if id_ not in own:
        raise LookupError(f"its <{kind(reference)}> names {id_!r}, which does not exist")
    return own[id_]
