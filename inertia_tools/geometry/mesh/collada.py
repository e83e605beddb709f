# SPDX-FileCopyrightText: The inertia_tools authors
# SPDX-License-Identifier: Apache-2.0
"""Reading Collada without a library, which would take longer to load than most files take to read.

A part is a group of faces of a geometry that a node of the scene instantiates. Gazebo names a part by that node. The up
axis is not applied, as in Gazebo and RViz; the unit is.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass, field
from xml.etree import ElementTree
from xml.etree.ElementTree import Element

import numpy as np

from inertia_tools.errors import MeshError
from inertia_tools.geometry.mesh.collada_geometry import Group, groups_of, kind
from inertia_tools.geometry.mesh.collada_transform import transform_of
from inertia_tools.geometry.mesh.part import MOST_TRIANGLES, MeshPart, file_content, placed
from inertia_tools.spatial import Array

HELD = frozenset({"node", "instance_node", "instance_geometry"})
"""Child elements of a node that affect the placement of surfaces."""

MOST_NODES = 100_000
"""Maximum number of visited nodes, counted once per reference: nodes that refer to each other would never end."""


@dataclass(eq=False)
class _Document:
    """A document, and its elements by id."""

    root: Element
    by_id: dict[str, Element] = field(default_factory=dict)
    groups: dict[str, list[Group]] = field(default_factory=dict)

    def __post_init__(self) -> None:
        for element in self.root.iter():
            if "id" in element.attrib:
                self.by_id.setdefault(element.attrib["id"], element)

    def named(self, instance: Element, wanted: str) -> Element | None:
        """Return the element that an instance refers to; None if it is not in this file."""
        found = self.by_id.get(instance.get("url", "").removeprefix("#"))
        return found if found is not None and kind(found) == wanted else None

    def groups_of(self, geometry: Element) -> list[Group]:
        """Return the groups of faces of a geometry, read once for all nodes that instantiate it."""
        id_ = geometry.attrib["id"]
        if id_ not in self.groups:
            self.groups[id_] = groups_of(geometry)
        return self.groups[id_]

    @property
    def unit(self) -> float:
        """Length of the file's unit [m].

        Raises:
            ValueError: It is invalid.
        """
        unit = self.root.find("{*}asset/{*}unit")
        length = float(unit.get("meter", "1")) if unit is not None else 1.0
        if not 0.0 < length < math.inf:
            raise ValueError(f"its unit is {length:g} m")
        return length


def read_collada(path: str, uri: str) -> list[MeshPart]:
    """Read the parts of a file, in the order of its scene.

    Raises:
        MeshError: The file cannot be opened, is not Collada, or its scene cannot be read.
    """
    data = file_content(path, uri)
    try:
        document = _Document(ElementTree.fromstring(data))
        return list(_parts(document))
    except (ElementTree.ParseError, LookupError, ValueError, ArithmeticError) as error:
        raise MeshError(uri, f"{path} cannot be read as a mesh: {error}; export it again") from error


def _parts(document: _Document) -> Iterator[MeshPart]:
    """Iterate over the parts that the nodes of the scene instantiate."""
    unit, total = document.unit, 0
    for node, instance, transform in _held(document):
        geometry = document.named(instance, "geometry")
        if geometry is None:
            continue
        for vertices, triangles in document.groups_of(geometry):
            total += len(triangles)
            if total > MOST_TRIANGLES:
                raise ValueError(f"its nodes hold more than {MOST_TRIANGLES} triangles")
            yield MeshPart(_names(geometry), placed(vertices, triangles, transform, unit), _names(node))


def _held(document: _Document) -> Iterator[tuple[Element, Element, Array]]:
    """Iterate over the instances of geometries: the node, the instance, and the transform to the scene."""
    scene = _scene(document)
    waiting = [(scene, node, np.eye(4)) for node in reversed(scene.findall("{*}node"))]
    visited = 0
    while waiting:
        holder, element, transform = waiting.pop()
        visited += 1
        if visited > MOST_NODES:
            raise ValueError(f"it has more than {MOST_NODES} nodes, or a cycle of nodes")
        if kind(element) == "instance_geometry":
            yield holder, element, transform
        elif kind(element) == "instance_node":
            node = document.named(element, "node")
            if node is not None:
                waiting.append((holder, node, transform))
        else:
            within = transform @ transform_of(element)
            waiting += [(element, part, within) for part in reversed(element) if kind(part) in HELD]


def _scene(document: _Document) -> Element:
    """Return the scene that the file shows.

    Raises:
        LookupError: It refers to none.
    """
    instance = document.root.find("{*}scene/{*}instance_visual_scene")
    scene = document.named(instance, "visual_scene") if instance is not None else None
    if scene is None:
        raise LookupError("it has no scene")
    return scene


def _names(element: Element) -> tuple[str, ...]:
    """Return the name and id of an element."""
    return tuple(dict.fromkeys(name for name in (element.get("name"), element.get("id")) if name))
