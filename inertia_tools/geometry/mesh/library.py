# SPDX-FileCopyrightText: The inertia_tools authors
# SPDX-License-Identifier: Apache-2.0
"""Reading the less common mesh format OFF with trimesh."""

from __future__ import annotations

import logging
from collections.abc import Iterator
from typing import TYPE_CHECKING

import numpy as np

from inertia_tools.errors import MeshError, MissingDependencyError
from inertia_tools.geometry.mesh.part import MeshPart, placed

if TYPE_CHECKING:
    import trimesh


def read_by_trimesh(path: str, uri: str) -> list[MeshPart]:
    """Read the parts of a file.

    Raises:
        MissingDependencyError: trimesh is not installed.
        MeshError: trimesh cannot read the file.
    """
    try:
        import trimesh
    except ImportError as error:
        raise MissingDependencyError("trimesh", "reading meshes of this format", "pip install trimesh") from error
    logging.getLogger("trimesh").setLevel(logging.ERROR)
    try:
        return list(_placed_parts(trimesh.load_scene(path, process=False, skip_materials=True)))
    except Exception as error:  # trimesh's parsers raise any exception
        raise MeshError(uri, f"{path} cannot be read as a mesh: {error or type(error).__name__}") from error


def _placed_parts(scene: trimesh.Scene) -> Iterator[MeshPart]:
    """Iterate over the meshes of a file, each transformed to the file's frame, in metres."""
    import trimesh

    for node in scene.graph.nodes_geometry:
        transform, name = scene.graph[node]
        part = scene.geometry[name]
        if not isinstance(part, trimesh.Trimesh):
            continue
        vertices = np.asarray(part.vertices, dtype=np.float64)
        triangles = np.asarray(part.faces, dtype=np.int64)
        names = dict.fromkeys([str(node), str(name), str(part.metadata.get("name", name))])
        yield MeshPart(tuple(names), placed(vertices, triangles, transform))
