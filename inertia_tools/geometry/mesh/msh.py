# SPDX-FileCopyrightText: The inertia_tools authors
# SPDX-License-Identifier: Apache-2.0
"""Reading MuJoCo's own mesh files.

Four 32-bit integers count vertices, normals, texture coordinates and triangles; then follow three single-precision
numbers per vertex, three per normal, two per texture coordinate, and three vertex indices per triangle.
"""

from __future__ import annotations

from pathlib import Path

import numpy as np

from inertia_tools.errors import MeshError
from inertia_tools.geometry.mesh.part import MeshPart, file_content, frozen
from inertia_tools.spatial import Array

HEADER = 4
"""Integers at the beginning."""

WORD = 4
"""Bytes of a number."""


def msh_points(path: str, uri: str) -> Array | None:
    """Return the vertices of a file without triangles [m], shape (n, 3); None if it has triangles, or no vertices.

    Raises:
        MeshError: The file cannot be opened, or is not such a file.
    """
    (part,) = read_msh(path, uri)
    points = part.mesh.vertices
    return points if len(points) and not len(part.mesh.triangles) else None


def read_msh(path: str, uri: str) -> list[MeshPart]:
    """Read the one part of a file.

    Raises:
        MeshError: The file cannot be opened, or is not such a file.
    """
    data = file_content(path, uri)
    words = np.frombuffer(data[: len(data) // WORD * WORD], dtype="<i4")
    if len(words) < HEADER or words[:HEADER].min() < 0:
        raise MeshError(uri, f"{path} is not an MSH file of MuJoCo")
    vertices, normals, texcoords, triangles = (int(count) for count in words[:HEADER])
    first = HEADER + 3 * vertices + 3 * normals + 2 * texcoords
    if len(data) != WORD * (first + 3 * triangles):
        raise MeshError(uri, f"{path} does not have the length that its header states")
    points = words[HEADER : HEADER + 3 * vertices].view("<f4").astype(np.float64).reshape(-1, 3)
    corners = words[first:].astype(np.int64).reshape(-1, 3)
    if triangles and not (corners.min() >= 0 and corners.max() < vertices):
        raise MeshError(uri, f"{path} has triangles with vertices beyond its list")
    return [MeshPart((Path(path).stem,), frozen(points, corners))]
