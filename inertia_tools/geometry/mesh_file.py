# SPDX-FileCopyrightText: The inertia_tools authors
# SPDX-License-Identifier: Apache-2.0
"""Reading triangle meshes from files."""

from __future__ import annotations

import logging
from collections.abc import Iterator
from functools import lru_cache
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from inertia_tools.description.types import Mesh
from inertia_tools.errors import MeshError, MissingDependencyError
from inertia_tools.geometry.triangle_mesh import TriangleMesh

if TYPE_CHECKING:
    import trimesh

MESH_SUFFIXES = (".stl", ".obj", ".dae", ".ply", ".glb", ".gltf", ".off")


def read_mesh(geometry: Mesh) -> TriangleMesh:
    """Read the mesh of a geometry, scaled.

    Raises:
        MeshError: The file is missing, cannot be read, or holds no triangle with finite corners.
    """
    if geometry.path is None:
        raise MeshError(
            geometry.uri, "the file was not found; name the folder that holds its package with --package-path"
        )
    try:
        stamp = Path(geometry.path).stat().st_mtime_ns
    except OSError as error:
        raise MeshError(geometry.uri, f"{geometry.path} cannot be opened: {error.strerror}") from error
    return _read_file(geometry.path, geometry.uri, stamp).scaled(geometry.scale)


@lru_cache(maxsize=256)
def _read_file(path: str, uri: str, modified: int) -> TriangleMesh:
    """Read one file; `modified` is part of the key so that a changed file is read again."""
    try:
        import trimesh
    except ImportError as error:
        raise MissingDependencyError("trimesh", "reading meshes", "pip install trimesh pycollada") from error
    if Path(path).suffix.lower() not in MESH_SUFFIXES:
        raise MeshError(uri, f"unknown mesh format; known are {', '.join(MESH_SUFFIXES)}")
    logging.getLogger("trimesh").setLevel(logging.ERROR)
    try:
        parts = list(_placed_parts(trimesh.load_scene(path, process=False, skip_materials=True)))
    except Exception as error:  # trimesh's readers raise whatever their parsers raise
        raise MeshError(uri, f"{path} cannot be read as a mesh: {error or type(error).__name__}") from error
    return _joined(parts, path, uri)


def _placed_parts(scene: trimesh.Scene) -> Iterator[TriangleMesh]:
    """Iterate over the meshes of a file, each placed where the file puts it, in metres."""
    import trimesh

    for node in scene.graph.nodes_geometry:
        transform, name = scene.graph[node]
        part = scene.geometry[name]
        if not isinstance(part, trimesh.Trimesh):
            continue
        vertices = np.asarray(part.vertices, dtype=np.float64)
        if not np.array_equal(transform, np.eye(4)):
            vertices = vertices @ transform[:3, :3].T + transform[:3, 3]
        triangles = np.asarray(part.faces, dtype=np.int64)
        if np.linalg.det(transform[:3, :3]) < 0.0:
            triangles = triangles[:, ::-1]
        yield TriangleMesh(vertices * _metres(part), triangles)


def _metres(part: trimesh.Trimesh) -> float:
    """Return the length of the file's unit [m]; Collada states one, and ROS applies it."""
    from trimesh.units import unit_conversion

    return unit_conversion(part.units, "meters") if part.units else 1.0


def _joined(parts: list[TriangleMesh], path: str, uri: str) -> TriangleMesh:
    """Put the parts of a file into one mesh.

    Raises:
        MeshError: There is no triangle, or a corner is no finite number.
    """
    if not sum(len(part.triangles) for part in parts):
        raise MeshError(uri, f"{path} holds no triangles")
    mesh = TriangleMesh.joined(parts)
    if not np.isfinite(mesh.vertices).all():
        raise MeshError(uri, f"{path} has corners that are no finite numbers")
    return mesh
