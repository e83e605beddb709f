# SPDX-FileCopyrightText: The inertia_tools authors
# SPDX-License-Identifier: Apache-2.0
"""What the parts of a Collada file are called there: Gazebo names a part by the node that holds it."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any


@dataclass(frozen=True)
class PartNames:
    """Names and ids of a part of a file.

    Attributes:
        of_node: Those of the node that holds it, its own.
        of_geometry: Those of its geometry, which several nodes may hold.
    """

    of_node: tuple[str, ...]
    of_geometry: tuple[str, ...]


def part_names(path: str) -> Mapping[str, PartNames]:
    """Return what each part is called in a file, by the name that trimesh gives the part.

    trimesh makes a part of every group of triangles of every node, and names it by its geometry, with a number where
    that name is taken. The same walk through the scene gives the same names.

    Args:
        path: The file.
    """
    import collada
    from trimesh.util import unique_name

    scene = collada.Collada(path, ignore=[collada.common.DaeError]).scene
    names: dict[str, PartNames] = {}
    counts: dict[str | None, int] = {}
    for node, held in _walk(scene.nodes):
        for group in held.geometry.primitives:
            is_surface = isinstance(group, (collada.polylist.Polylist, collada.triangleset.TriangleSet))
            if is_surface and group.vertex is not None:
                part = unique_name(held.geometry.id, contains=names, counts=counts)
                names[part] = PartNames(_named(node), _stated(held.geometry.name, held.geometry.id))
    return names


def _walk(nodes: list[Any]) -> Iterator[tuple[Any, Any]]:
    """Iterate over the geometries of a scene, each with the node that holds it, in the order of the file."""
    import collada

    waiting = [(None, node) for node in reversed(nodes)]
    while waiting:
        holder, node = waiting.pop()
        if isinstance(node, collada.scene.GeometryNode):
            yield holder, node
        elif isinstance(node, collada.scene.Node):
            waiting += [(node, child) for child in reversed(node.children or [])]


def _named(node: Any) -> tuple[str, ...]:
    """Return the name and id of a node; of an instance of another, those of that one."""
    element = None if node is None else getattr(node, "node", node).xmlnode
    return () if element is None else _stated(element.get("name"), element.get("id"))


def _stated(*names: str | None) -> tuple[str, ...]:
    return tuple(dict.fromkeys(name for name in names if name))
