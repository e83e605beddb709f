# SPDX-FileCopyrightText: The inertia_tools authors
# SPDX-License-Identifier: Apache-2.0
"""Reading triangle meshes from files."""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping
from dataclasses import replace
from functools import lru_cache
from pathlib import Path
from types import MappingProxyType

import numpy as np

from inertia_tools.description.content import check_size
from inertia_tools.description.geometry import InlineMesh
from inertia_tools.description.types import Mesh
from inertia_tools.errors import MeshError, MissingMeshError
from inertia_tools.geometry.hull import hull_triangles
from inertia_tools.geometry.mesh.collada import read_collada
from inertia_tools.geometry.mesh.gltf import read_gltf
from inertia_tools.geometry.mesh.library import read_by_trimesh
from inertia_tools.geometry.mesh.msh import msh_points, read_msh
from inertia_tools.geometry.mesh.obj import read_obj
from inertia_tools.geometry.mesh.obj_points import points_without_faces
from inertia_tools.geometry.mesh.part import MeshPart, frozen
from inertia_tools.geometry.mesh.ply import read_ply
from inertia_tools.geometry.mesh.stl import read_stl
from inertia_tools.geometry.mesh.triangles import TriangleMesh
from inertia_tools.spatial import Array, box_of, rotation_from_quaternion
from inertia_tools.wording import not_opened

NO_FILE = "no file is named; write its path or URI"
"""Fault of a mesh without a name."""

NOT_FOUND = "the file was not found; name the folder that holds its package with --package-path"
"""Fault of a mesh without a file, if the search for the file reported nothing more specific."""

FARTHEST = 1e9
"""Bound of the coordinates of meshes in a description [m]; the fifth power of larger ones overflows."""

READERS: Mapping[str, Callable[[str, str], list[MeshPart]]] = MappingProxyType(
    {
        ".stl": read_stl,
        ".obj": read_obj,
        ".dae": read_collada,
        ".ply": read_ply,
        ".glb": read_gltf,
        ".gltf": read_gltf,
        ".off": read_by_trimesh,
        ".msh": read_msh,
    }
)
"""Readers of the parts of a file, given its path and its name in the description, by suffix."""

MESH_SUFFIXES = tuple(READERS)


def read_mesh(geometry: Mesh, *, in_single: bool = False) -> TriangleMesh:
    """Read the mesh of a geometry: the selected part, centred and scaled.

    Args:
        geometry: The mesh.
        in_single: Round the vertices of the file to single precision first, as MuJoCo stores them.

    Raises:
        MeshError: The file is missing, cannot be read, has no part of that name, or has no triangle with finite
            corners; the scale is invalid, or corners are beyond `FARTHEST`.
    """
    if not all(abs(factor) <= FARTHEST for factor in geometry.scale):
        raise MeshError(geometry.uri, f"its scale is {' '.join(f'{factor:g}' for factor in geometry.scale)}")
    if geometry.inline is not None:
        return _placed(_inline_mesh(geometry.inline, geometry), geometry, in_single)
    if not geometry.uri and geometry.path is None:
        raise MeshError(geometry.uri, NO_FILE)
    if geometry.path is None:
        raise MeshError(geometry.uri, geometry.absence or NOT_FOUND)
    try:
        stamp = file_stamp(geometry.path)
    except OSError as error:
        kind = MissingMeshError if isinstance(error, FileNotFoundError) else MeshError
        raise kind(geometry.uri, f"{geometry.path} {not_opened(error)}") from error
    points = _points_alone(geometry.path, geometry.uri, stamp) if geometry.points_have_hull else None
    if points is not None:
        return _placed(_inline_mesh(InlineMesh(points), geometry), geometry, in_single)
    parts = _read_file(geometry.path, geometry.uri, stamp)
    if geometry.submesh is not None:
        parts = _parts_named(parts, geometry.submesh, geometry.uri)
    mesh = parts[0].mesh if len(parts) == 1 else TriangleMesh.joined([part.mesh for part in parts])
    if geometry.center:
        low, high = box_of(mesh.used_vertices)
        mesh = mesh.shifted(-0.5 * (low + high))
    return _placed(mesh, geometry, in_single)


def _points_alone(path: str, uri: str, stamp: tuple[int, ...]) -> Array | None:
    """Return the points of a file without faces; None for a file with faces, or of a format that always has them.

    Raises:
        MeshError: An MSH file cannot be read.
    """
    suffix = Path(path).suffix.lower()
    if suffix == ".msh":
        return msh_points(path, uri)
    return points_without_faces(path, stamp) if suffix == ".obj" else None


def _placed(mesh: TriangleMesh, geometry: Mesh, in_single: bool) -> TriangleMesh:
    """Transform to the geometry's reference frame, then scale."""
    if in_single:
        mesh = TriangleMesh(mesh.vertices.astype(np.float32).astype(np.float64), mesh.triangles)
    if geometry.reference is not None:
        rotation = rotation_from_quaternion(geometry.reference[3:])
        mesh = TriangleMesh((mesh.vertices - np.array(geometry.reference[:3])) @ rotation, mesh.triangles)
    mesh = mesh.scaled(geometry.scale)
    if not (np.abs(mesh.vertices) <= FARTHEST).all():
        raise MeshError(geometry.uri, f"it has corners farther away than {FARTHEST:g} m, as scaled")
    return mesh


def _inline_mesh(inline: InlineMesh, geometry: Mesh) -> TriangleMesh:
    """Return a mesh from the description, with the faces of its hull if it states none.

    Raises:
        MeshError: A coordinate is not finite, or the points of a mesh without faces are planar.
    """
    vertices = np.ascontiguousarray(inline.vertices)
    if not (np.abs(vertices) <= FARTHEST).all():
        raise MeshError(geometry.uri, f"it has vertices that are not finite, or more than {FARTHEST:g} m away")
    triangles = inline.triangles if inline.triangles is not None else hull_triangles(vertices, geometry.hull_limit)
    if triangles is None:
        raise MeshError(geometry.uri, "its points lie in a plane, so they enclose no volume")
    return frozen(vertices.copy(), triangles.copy())


def _parts_named(parts: tuple[MeshPart, ...], name: str, uri: str) -> tuple[MeshPart, ...]:
    """Return the parts of that name: those of nodes with that name, else those with that name themselves.

    Raises:
        MeshError: There is none; the message lists the existing names.
    """
    found = [part for part in parts if name in part.nodes] or [part for part in parts if name in part.names]
    if not found:
        known = ", ".join(sorted({(*part.nodes, *part.names)[0] for part in parts}))
        raise MeshError(uri, f"it has no part named {name!r}; its parts are {known}")
    return tuple(found)


def file_stamp(path: str) -> tuple[int, ...]:
    """Return the values that identify a version of a file: times and sizes, including its companions.

    Raises:
        OSError: The file cannot be opened, or is larger than the limit.
    """
    stats = [os.stat(path), *map(os.stat, companions(path))]
    check_size(sum(stat.st_size for stat in stats))
    return tuple(number for stat in stats for number in (stat.st_mtime_ns, stat.st_ctime_ns, stat.st_size))


def companions(path: str) -> list[Path]:
    """Return the files beside a glTF that may hold its buffers."""
    return sorted(Path(path).parent.glob("*.bin")) if path.lower().endswith(".gltf") else []


@lru_cache(maxsize=256)
def _read_file(path: str, uri: str, stamp: tuple[int, ...]) -> tuple[MeshPart, ...]:
    """Read one file; the stamp is part of the key so that a changed file is read again."""
    reader = READERS.get(Path(path).suffix.lower())
    if reader is None:
        raise MeshError(uri, f"unknown mesh format; known are {', '.join(MESH_SUFFIXES)}")
    return _checked(reader(path, uri), path, uri)


def _checked(parts: list[MeshPart], path: str, uri: str) -> tuple[MeshPart, ...]:
    """Return the parts that have triangles; unnamed parts get the name of the file.

    Raises:
        MeshError: There is no triangle, a coordinate is not finite, or a triangle refers to a missing corner.
    """
    own = (Path(path).name, Path(path).stem)
    filled = tuple(replace(part, names=part.names or own) for part in parts if len(part.mesh.triangles))
    if not filled:
        raise MeshError(uri, f"{path} holds no triangles")
    for vertices, triangles in ((part.mesh.vertices, part.mesh.triangles) for part in filled):
        if not np.isfinite(vertices).all():
            raise MeshError(uri, f"{path} has corners that are not finite numbers")
        if int(triangles.min()) < 0 or int(triangles.max()) >= len(vertices):
            raise MeshError(uri, f"{path} has triangles between corners beyond its {len(vertices)}")
    return filled
