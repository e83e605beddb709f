# SPDX-FileCopyrightText: The inertia_tools authors
# SPDX-License-Identifier: Apache-2.0
"""Triangles as given by a file or a caller."""

from __future__ import annotations

import hashlib
from dataclasses import dataclass
from functools import cached_property

import numpy as np
import numpy.typing as npt

from inertia_tools.spatial import Array, read_only


@dataclass(frozen=True, eq=False)
class TriangleMesh:
    """Triangles as read, all parts of the file together.

    Attributes:
        vertices: Vertex positions [m], shape (n, 3).
        triangles: Three vertex indices each, counter-clockwise seen from outside, shape (m, 3).
    """

    vertices: Array
    triangles: npt.NDArray[np.int64]

    @property
    def corners(self) -> Array:
        """The three corners of each triangle [m], shape (m, 3, 3)."""
        return self.vertices[self.triangles]

    @cached_property
    def used_vertices(self) -> Array:
        """The vertices used by triangles [m], shape (k, 3)."""
        return self.vertices[used_corners(self.triangles, len(self.vertices))]

    @cached_property
    def digest(self) -> str:
        """Hash of the content: meshes with the same numbers have the same hash, whatever file they come from."""
        content = hashlib.blake2b(np.ascontiguousarray(self.vertices).tobytes(), digest_size=16)
        content.update(np.ascontiguousarray(self.triangles).tobytes())
        return content.hexdigest()

    def scaled(self, scale: tuple[float, float, float]) -> TriangleMesh:
        """Scale each axis; a mirroring scale also reverses the triangles so that outside stays outside."""
        if scale == (1.0, 1.0, 1.0):
            return self
        triangles = self.triangles if np.prod(np.sign(scale)) > 0.0 else self.triangles[:, ::-1]
        return TriangleMesh(self.vertices * np.asarray(scale, dtype=np.float64), triangles)

    def shifted(self, offset: Array) -> TriangleMesh:
        """Move all vertices by an offset [m]."""
        return TriangleMesh(self.vertices + offset, self.triangles)

    @classmethod
    def joined(cls, parts: list[TriangleMesh]) -> TriangleMesh:
        """Join several meshes into one with read-only arrays."""
        first = np.cumsum([0] + [len(part.vertices) for part in parts])
        triangles = np.concatenate([part.triangles + start for part, start in zip(parts, first, strict=False)])
        vertices = np.concatenate([part.vertices for part in parts])
        triangles.setflags(write=False)
        return cls(read_only(vertices, vertices.shape), triangles)


def used_corners(triangles: npt.NDArray[np.integer], count: int) -> npt.NDArray[np.int64]:
    """Return the indices of the used ones of `count` vertices, ascending; marking is faster than sorting."""
    used = np.zeros(count, dtype=bool)
    used[triangles] = True
    return np.flatnonzero(used)


def renumbered(triangles: npt.NDArray[np.integer], kept: npt.NDArray[np.int64], count: int) -> npt.NDArray[np.int64]:
    """Renumber the corners of triangles after only some of `count` vertices are kept, in their order."""
    number = np.zeros(count, dtype=np.int64)
    number[kept] = np.arange(len(kept))
    numbered: npt.NDArray[np.int64] = number[triangles]
    return numbered
