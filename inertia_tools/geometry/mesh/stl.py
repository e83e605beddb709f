# SPDX-FileCopyrightText: The inertia_tools authors
# SPDX-License-Identifier: Apache-2.0
"""Reading STL, binary or text, without a library: most meshes of robots are STL, and a library takes longer to load.

A binary file has 80 arbitrary bytes, the number of triangles, and for each a normal, three corners in single precision
and two more bytes. Some start with the word "solid" as text does, so the length decides.
"""

from __future__ import annotations

import re
from codecs import BOM_UTF8

import numpy as np

from inertia_tools.errors import MeshError
from inertia_tools.geometry.mesh.part import MeshPart, file_content, frozen
from inertia_tools.spatial import Array

HEADER = 84
"""Bytes before the first triangle."""

RECORD = np.dtype([("normal", "<f4", 3), ("corners", "<f4", (3, 3)), ("attribute", "<u2")])

SOLID = re.compile(rb"^[ \t]*solid\b[ \t]*([^\r\n]*)", re.MULTILINE | re.IGNORECASE)
VERTEX = re.compile(rb"\bvertex\s+(\S+)\s+(\S+)\s+(\S+)", re.IGNORECASE)


def read_stl(path: str, uri: str) -> list[MeshPart]:
    """Read the solids of a file, by name where they have one.

    Raises:
        MeshError: The file cannot be opened, or is not an STL.
    """
    data = file_content(path, uri).removeprefix(BOM_UTF8)
    stated = int.from_bytes(data[HEADER - 4 : HEADER], "little")
    if len(data) >= HEADER + stated * RECORD.itemsize:
        records = np.frombuffer(data, RECORD, stated, HEADER)
        with np.errstate(invalid="ignore"):  # a signalling NaN; the caller refuses non-finite values
            return [_part("", records["corners"].reshape(-1, 3).astype(np.float64))]
    solids = list(SOLID.finditer(data))
    if not solids:
        reason = (
            f"it states {stated} triangles but has {len(data)} bytes"
            if len(data) >= HEADER
            else "it holds no triangles"
        )
        raise MeshError(uri, f"{path} is not an STL: {reason}; export it again")
    ends = [*(solid.start() for solid in solids[1:]), len(data)]
    return [
        _part(solid[1].decode(errors="replace").strip(), _corners(data[solid.end() : end], path, uri))
        for solid, end in zip(solids, ends, strict=True)
    ]


def _corners(text: bytes, path: str, uri: str) -> Array:
    """Return the corners in a solid's text, shape (n, 3).

    Raises:
        MeshError: A coordinate is not a number, or a triangle has fewer than nine.
    """
    words = VERTEX.findall(text)
    try:
        corners = np.array([[float(word) for word in corner] for corner in words], dtype=np.float64).reshape(-1, 3)
    except ValueError as error:
        raise MeshError(uri, f"{path} is not an STL: {error}; export it again") from error
    if len(corners) % 3:
        raise MeshError(uri, f"{path} is not an STL: a triangle has fewer than three corners; export it again")
    return corners


def _part(name: str, corners: Array) -> MeshPart:
    """Return triangles that do not share corners."""
    triangles = np.arange(len(corners), dtype=np.int64).reshape(-1, 3)
    return MeshPart((name,) if name else (), frozen(corners, triangles))
