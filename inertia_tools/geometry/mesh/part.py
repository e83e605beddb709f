# SPDX-FileCopyrightText: The inertia_tools authors
# SPDX-License-Identifier: Apache-2.0
"""The named parts of a mesh file, and functions shared by the readers of the formats."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from inertia_tools.errors import MeshError
from inertia_tools.geometry.mesh.triangles import TriangleMesh
from inertia_tools.spatial import Array
from inertia_tools.wording import not_opened

Indices = npt.NDArray[np.int64]

MOST_TRIANGLES = 40_000_000
"""Maximum number of triangles after instantiation; the largest STL has a quarter of them."""

OLD_NUMPY = tuple(map(int, np.__version__.split(".")[:2])) < (2, 3)
"""Whether NumPy's reader of numbers only warns of an invalid word, and drops the rest of the text."""


@dataclass(frozen=True, eq=False)
class MeshPart:
    """One part of a mesh file.

    Attributes:
        names: Its possible names.
        mesh: Its mesh, in the frame of the file [m].
        nodes: Its preferred names, if the file distinguishes nodes from their content.
    """

    names: tuple[str, ...]
    mesh: TriangleMesh
    nodes: tuple[str, ...] = ()


def file_content(path: str, uri: str) -> bytes:
    """Return the bytes of a mesh file.

    Raises:
        MeshError: It cannot be opened.
    """
    try:
        return Path(path).read_bytes()
    except OSError as error:
        raise MeshError(uri, f"{path} {not_opened(error)}") from error


def frozen(vertices: Array, triangles: Indices) -> TriangleMesh:
    """Return a mesh with read-only arrays, since all users of its file share it."""
    vertices, triangles = np.ascontiguousarray(vertices), np.ascontiguousarray(triangles)
    vertices.setflags(write=False)
    triangles.setflags(write=False)
    return TriangleMesh(vertices, triangles)


def placed(vertices: Array, triangles: Indices, transform: Array, unit: float = 1.0) -> TriangleMesh:
    """Transform triangles to their file; a mirroring transform reverses them, so that outside stays outside.

    Args:
        vertices: Corners in the frame of the part, in the unit of the file, shape (n, 3).
        triangles: Three vertex indices each, shape (m, 3).
        transform: Transform from the frame of the part to that of the file, shape (4, 4).
        unit: Length of the file's unit [m].
    """
    if not np.array_equal(transform, np.eye(4)):
        vertices = vertices @ transform[:3, :3].T + transform[:3, 3]
    if np.linalg.det(transform[:3, :3]) < 0.0:
        triangles = triangles[:, ::-1]
    return frozen(vertices * unit, triangles)


def numbered_anew(vertices: Array, triangles: Indices) -> tuple[Array, Indices]:
    """Keep only the vertices of a file that one of its parts uses.

    Raises:
        IndexError: A triangle refers to a missing corner.
    """
    if len(triangles) and not 0 <= int(triangles.min()) <= int(triangles.max()) < len(vertices):
        raise IndexError(f"triangles between corners beyond its {len(vertices)}")
    used = np.zeros(len(vertices), dtype=bool)
    used[triangles] = True
    if used.all():
        return vertices, triangles
    return vertices[used], (np.cumsum(used) - 1)[triangles]


def fans(corners: Indices, counts: Indices) -> Indices:
    """Split polygons into triangles, all of a polygon from its first corner, shape (m, 3).

    Args:
        corners: Vertex indices of the polygons, one polygon after another, shape (n,).
        counts: Corners of each polygon; those with fewer than three have no triangle.
    """
    parts = np.maximum(counts - 2, 0)
    first = np.repeat(np.cumsum(counts) - counts, parts)
    step = np.arange(len(first)) - np.repeat(np.cumsum(parts) - parts, parts)
    return np.stack([corners[first], corners[first + step + 1], corners[first + step + 2]], axis=1)


def strips(corners: Indices, counts: Indices) -> Indices:
    """Split strips into triangles; every second one is reversed, since its corners have the other order, shape (m, 3).

    Args:
        corners: Vertex indices of the strips, one strip after another, shape (n,).
        counts: Corners of each strip; those with fewer than three have no triangle.
    """
    parts = np.maximum(counts - 2, 0)
    step = np.arange(int(parts.sum())) - np.repeat(np.cumsum(parts) - parts, parts)
    first = np.repeat(np.cumsum(counts) - counts, parts) + step
    odd = step % 2
    return np.stack([corners[first], corners[first + 1 + odd], corners[first + 2 - odd]], axis=1)


def numbers(text: str | None, kind: np.dtype[Any]) -> npt.NDArray[Any]:
    """Return the numbers in a text, separated by white space, shape (n,).

    Raises:
        ValueError: A word is not a number of that kind.
    """
    if not text or text.isspace():
        return np.empty(0, kind)
    if OLD_NUMPY:
        return np.array(text.split(), kind)
    return np.fromstring(text, kind, sep=" ")
