# SPDX-FileCopyrightText: The inertia_tools authors
# SPDX-License-Identifier: Apache-2.0
"""Reading triangle meshes from files."""

from __future__ import annotations

import logging
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from functools import lru_cache
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt

from inertia_tools.description.content import check_size
from inertia_tools.description.geometry import InlineMesh
from inertia_tools.description.types import Mesh
from inertia_tools.errors import MeshError, MissingDependencyError
from inertia_tools.geometry.hull import hull_triangles
from inertia_tools.geometry.mesh.collada import PartNames, part_names
from inertia_tools.geometry.mesh.msh import read_msh
from inertia_tools.geometry.mesh.obj_points import points_without_faces
from inertia_tools.geometry.mesh.stl import read_stl
from inertia_tools.geometry.mesh.triangles import TriangleMesh
from inertia_tools.spatial import Array, rotation_from_quaternion

if TYPE_CHECKING:
    import trimesh

MESH_SUFFIXES = (".stl", ".obj", ".dae", ".ply", ".glb", ".gltf", ".off", ".msh")

NO_FILE = "no file is named; write its path or URI"
"""What is wrong with a mesh without a name."""

NOT_FOUND = "the file was not found; name the folder that holds its package with --package-path"
"""What is wrong with a mesh without a file, where whoever looked for that does not say more."""

FARTHEST = 1e9
"""Corners of meshes in a description lie nearer than this [m]; the fifth power of more leaves the numbers."""

READING: dict[str, dict[str, Any]] = {".obj": {"split_objects": True, "split_groups": True, "group_material": False}}
"""What trimesh's readers must be told to keep the named parts of a file apart."""


def read_mesh(geometry: Mesh, *, in_single: bool = False) -> TriangleMesh:
    """Read the mesh of a geometry: its part, centred, scaled, as the geometry says.

    Args:
        geometry: The mesh.
        in_single: Round the vertices of the file to single precision first, as MuJoCo keeps them.

    Raises:
        MeshError: The file is missing, cannot be read, has no part of that name, or holds no triangle with finite
            corners; the scale is none, or corners lie beyond `FARTHEST`.
    """
    if not all(abs(factor) <= FARTHEST for factor in geometry.scale):
        raise MeshError(geometry.uri, f"its scale is {' '.join(f'{factor:g}' for factor in geometry.scale)}")
    if geometry.inline is not None:
        return _placed(_inline_mesh(geometry.inline, geometry.uri), geometry, in_single)
    if not geometry.uri and geometry.path is None:
        raise MeshError(geometry.uri, NO_FILE)
    if geometry.path is None:
        raise MeshError(geometry.uri, geometry.absence or NOT_FOUND)
    try:
        stamp = file_stamp(geometry.path)
    except OSError as error:
        raise MeshError(geometry.uri, f"{geometry.path} cannot be opened: {error.strerror}") from error
    points = points_without_faces(geometry.path, stamp) if geometry.points_have_hull else None
    if points is not None:
        return _placed(_inline_mesh(InlineMesh(points), geometry.uri), geometry, in_single)
    parts = _read_file(geometry.path, geometry.uri, stamp)
    if geometry.submesh is not None:
        parts = _parts_named(_with_own_names(parts, geometry.path, stamp), geometry.submesh, geometry.uri)
    mesh = parts[0].mesh if len(parts) == 1 else TriangleMesh.joined([part.mesh for part in parts])
    if geometry.center:
        low, high = mesh.used_vertices.min(axis=0), mesh.used_vertices.max(axis=0)
        mesh = mesh.shifted(-0.5 * (low + high))
    return _placed(mesh, geometry, in_single)


def _placed(mesh: TriangleMesh, geometry: Mesh, in_single: bool) -> TriangleMesh:
    """Take the frame of reference that the geometry states, then its scale."""
    if in_single:
        mesh = TriangleMesh(mesh.vertices.astype(np.float32).astype(np.float64), mesh.triangles)
    if geometry.reference is not None:
        rotation = rotation_from_quaternion(geometry.reference[3:])
        mesh = TriangleMesh((mesh.vertices - np.array(geometry.reference[:3])) @ rotation, mesh.triangles)
    mesh = mesh.scaled(geometry.scale)
    if not (np.abs(mesh.vertices) <= FARTHEST).all():
        raise MeshError(geometry.uri, f"it has corners farther away than {FARTHEST:g} m, as scaled")
    return mesh


def _inline_mesh(inline: InlineMesh, uri: str) -> TriangleMesh:
    """Return a mesh that stands in the description, with the faces of its hull where it states none.

    Raises:
        MeshError: A corner is no finite number, or the points of a mesh without faces lie in a plane.
    """
    vertices = np.ascontiguousarray(inline.vertices)
    if not (np.abs(vertices) <= FARTHEST).all():
        raise MeshError(uri, "it has corners that are no finite numbers, or in no place")
    triangles = inline.triangles if inline.triangles is not None else hull_triangles(vertices)
    if triangles is None:
        raise MeshError(uri, "its points lie in a plane, so that they enclose nothing")
    return _frozen(vertices.copy(), triangles.copy())


@dataclass(frozen=True, eq=False)
class MeshPart:
    """One part of a mesh file.

    Attributes:
        names: What it may be called.
        mesh: It, placed where the file puts it [m].
        nodes: What it is called first of all, where the file tells nodes from what they hold.
    """

    names: tuple[str, ...]
    mesh: TriangleMesh
    nodes: tuple[str, ...] = ()


def _parts_named(parts: tuple[MeshPart, ...], name: str, uri: str) -> tuple[MeshPart, ...]:
    """Return the parts of that name: those that nodes of that name hold, else those that are called so themselves.

    Raises:
        MeshError: There is none; the message lists those there are.
    """
    found = [part for part in parts if name in part.nodes] or [part for part in parts if name in part.names]
    if not found:
        known = ", ".join(sorted({(*part.nodes, *part.names)[0] for part in parts}))
        raise MeshError(uri, f"it has no part named {name!r}; it has {known}")
    return tuple(found)


def _with_own_names(parts: tuple[MeshPart, ...], path: str, stamp: tuple[int, ...]) -> tuple[MeshPart, ...]:
    """Give parts the names that they have in the file, where trimesh does not keep them."""
    if Path(path).suffix.lower() != ".dae":
        return parts
    known = _collada_names(path, stamp)
    return tuple(_with_names(part, known.get(part.names[0])) for part in parts)


def _with_names(part: MeshPart, own: PartNames | None) -> MeshPart:
    if own is None:
        return part
    return replace(part, names=(*own.of_geometry, *part.names), nodes=own.of_node)


@lru_cache(maxsize=64)
def _collada_names(path: str, stamp: tuple[int, ...]) -> Mapping[str, PartNames]:
    """Read what the parts of a Collada file are called; the stamp is part of the key."""
    return part_names(path)


def file_stamp(path: str) -> tuple[int, ...]:
    """Return what tells a changed file from the one read before: times and sizes, of its companions too.

    Raises:
        OSError: The file cannot be opened, or holds more than is read.
    """
    stats = [file.stat() for file in (Path(path), *companions(path))]
    check_size(sum(stat.st_size for stat in stats))
    return tuple(number for stat in stats for number in (stat.st_mtime_ns, stat.st_ctime_ns, stat.st_size))


def companions(path: str) -> list[Path]:
    """Return the files beside a glTF that may hold its numbers."""
    return sorted(Path(path).parent.glob("*.bin")) if Path(path).suffix.lower() == ".gltf" else []


@lru_cache(maxsize=256)
def _read_file(path: str, uri: str, stamp: tuple[int, ...]) -> tuple[MeshPart, ...]:
    """Read one file; the stamp is part of the key so that a changed file is read again."""
    suffix, own = Path(path).suffix.lower(), (Path(path).name, Path(path).stem)
    if suffix == ".msh":
        return _checked([MeshPart(own[1:], read_msh(path, uri))], path, uri)
    if suffix == ".stl":
        solids = read_stl(path, uri)
        return _checked([MeshPart((name,) if name else own, mesh) for name, mesh in solids], path, uri)
    try:
        import trimesh
    except ImportError as error:
        raise MissingDependencyError("trimesh", "reading meshes", "pip install trimesh pycollada") from error
    if suffix not in MESH_SUFFIXES:
        raise MeshError(uri, f"unknown mesh format; known are {', '.join(MESH_SUFFIXES)}")
    logging.getLogger("trimesh").setLevel(logging.ERROR)
    try:
        scene = trimesh.load_scene(path, process=False, skip_materials=True, **READING.get(suffix, {}))
        parts = list(_placed_parts(scene))
    except Exception as error:  # trimesh's readers raise whatever their parsers raise
        raise MeshError(uri, f"{path} cannot be read as a mesh: {error or type(error).__name__}") from error
    return _checked(parts, path, uri)


def _placed_parts(scene: trimesh.Scene) -> Iterator[MeshPart]:
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
        names = dict.fromkeys([str(node), str(name), str(part.metadata.get("name", name))])
        yield MeshPart(tuple(names), _frozen(vertices * _metres(part), triangles))


def _frozen(vertices: Array, triangles: npt.NDArray[np.int64]) -> TriangleMesh:
    vertices, triangles = np.ascontiguousarray(vertices), np.ascontiguousarray(triangles)
    vertices.setflags(write=False)
    triangles.setflags(write=False)
    return TriangleMesh(vertices, triangles)


def _metres(part: trimesh.Trimesh) -> float:
    """Return the length of the file's unit [m]; Collada states one, and ROS applies it."""
    from trimesh.units import unit_conversion

    return unit_conversion(part.units, "meters") if part.units else 1.0


def _checked(parts: list[MeshPart], path: str, uri: str) -> tuple[MeshPart, ...]:
    """Return the parts that have triangles.

    Raises:
        MeshError: There is no triangle, a corner is no finite number, or a triangle has a corner that is not there.
    """
    filled = tuple(part for part in parts if len(part.mesh.triangles))
    if not filled:
        raise MeshError(uri, f"{path} holds no triangles")
    for vertices, triangles in ((part.mesh.vertices, part.mesh.triangles) for part in filled):
        if not np.isfinite(vertices).all():
            raise MeshError(uri, f"{path} has corners that are no finite numbers")
        if int(triangles.min()) < 0 or int(triangles.max()) >= len(vertices):
            raise MeshError(uri, f"{path} has triangles between corners beyond its {len(vertices)}")
    return filled
