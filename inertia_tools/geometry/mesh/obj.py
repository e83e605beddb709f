# SPDX-FileCopyrightText: The inertia_tools authors
# SPDX-License-Identifier: Apache-2.0
"""Reading Wavefront OBJ without a library, which would take longer to load than most files take to read.

Only corners and faces affect the mass: `v x y z ...` and `f a/b/c ...` with corners counted from 1, or backwards from
the latest one. Faces with more corners are split into triangles from their first. `o` and `g` name the faces after
them.
"""

from __future__ import annotations

import re
from codecs import BOM_UTF8
from dataclasses import dataclass, field

import numpy as np

from inertia_tools.errors import MeshError
from inertia_tools.geometry.mesh.part import Indices, MeshPart, fans, file_content, frozen, numbered_anew, numbers
from inertia_tools.spatial import Array

CONTINUED = re.compile(rb"\\\r?\n")
"""The end of a line that continues on the next."""

BESIDE = re.compile(rb"/\S*|#[^\n]*")
"""Further data of faces besides vertex indices: indices of textures and normals, and comments."""

BESIDE_PLACES = b"vn", b"vt"
"""Prefixes of lines with normals and textures, half of a file, which are skipped."""


@dataclass(eq=False)
class _Faces:
    """The faces of one name: the text of each, and the number of vertices before it."""

    names: tuple[str, ...]
    rows: list[bytes] = field(default_factory=list)
    before: list[int] = field(default_factory=list)

    def triangles(self) -> Indices:
        """Split the faces into triangles, shape (m, 3)."""
        text = BESIDE.sub(b"", b"\n".join(self.rows))
        counts = np.array([len(row.split()) for row in text.split(b"\n")])
        stated = numbers(text.decode("ascii", "replace"), np.dtype(np.int64))
        return fans(np.where(stated < 0, stated + np.repeat(self.before, counts), stated - 1), counts)


def read_obj(path: str, uri: str) -> list[MeshPart]:
    """Read the parts of a file: faces with the same names.

    Raises:
        MeshError: The file cannot be opened, its corners or faces are not numbers, or a face refers to a missing
            corner.
    """
    data = CONTINUED.sub(b" ", file_content(path, uri).removeprefix(BOM_UTF8))
    try:
        vertices, groups = _read(data)
        parts = [(faces.names, numbered_anew(vertices, faces.triangles())) for faces in groups]
    except (ValueError, IndexError) as error:
        raise MeshError(uri, f"{path} cannot be read as a mesh: {error}; export it again") from error
    return [MeshPart(names, frozen(*mesh)) for names, mesh in parts]


def _read(data: bytes) -> tuple[Array, list[_Faces]]:
    """Return the vertices of a file, shape (n, 3), and its faces by name."""
    places: list[bytes] = []
    groups: dict[tuple[bytes, bytes], _Faces] = {}
    of_object, of_group, faces = b"", b"", None
    for line in data.splitlines():
        if line.startswith(BESIDE_PLACES):
            continue
        word, rest = (*line.split(None, 1), b"", b"")[:2]
        if word == b"v":
            places.append(rest)
        elif word == b"f":
            faces = faces or groups.setdefault((of_object, of_group), _Faces(_names(of_object, of_group)))
            faces.rows.append(rest)
            faces.before.append(len(places))
        elif word == b"o":
            of_object, faces = rest.strip(), None
        elif word == b"g":
            of_group, faces = rest.strip(), None
    vertices = np.array([place.split(None, 3)[:3] for place in places], dtype=np.float64)
    return vertices.reshape(-1, 3), list(groups.values())


def _names(of_object: bytes, of_group: bytes) -> tuple[str, ...]:
    """Return the possible names of faces under an object and a group."""
    stated = [name.decode(errors="replace") for name in (of_object, of_group) if name]
    return tuple(dict.fromkeys(["_".join(stated), *stated])) if stated else ()
