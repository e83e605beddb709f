# SPDX-FileCopyrightText: The inertia_tools authors
# SPDX-License-Identifier: Apache-2.0
"""Meshes as assets of MJCF."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from inertia_tools.conversion.grounded import free_name
from inertia_tools.conversion.markup import Node, numbers
from inertia_tools.conversion.meshes import MeshFiles, must_be_written, relative
from inertia_tools.description.geometry import Mesh
from inertia_tools.errors import MeshError

STL_HEADER, STL_TRIANGLE = 84, 50
"""Bytes of a binary STL file before its triangles, and of each."""

MOST_STL_TRIANGLES = 200_000
"""MuJoCo reads no STL file with more."""


@dataclass(frozen=True)
class AssetName:
    """The name of a mesh in the document, or the reason why it has none."""

    name: str = ""
    reason: str = ""


class MeshAssets:
    """The meshes of a document, each once, by file and scale.

    Attributes:
        nodes: Their elements.
    """

    def __init__(self, output: Path | None) -> None:
        self._output = output
        self._files = MeshFiles()
        self._names: dict[tuple[str, tuple[float, ...], int | None], str] = {}
        self.nodes: list[Node] = []

    @property
    def files(self) -> dict[str, bytes]:
        """Written meshes, by their path relative to the document."""
        return self._files.files

    def named(self, mesh: Mesh) -> AssetName:
        """Return the name of a mesh, adding it where it is new."""
        try:
            file = self._file(mesh)
        except MeshError as error:
            return AssetName(reason=error.reason)
        key = (file, mesh.scale, mesh.hull_limit)
        if key not in self._names:
            name = free_name(Path(file).stem, set(self._names.values()))
            scale = {} if mesh.scale == (1.0, 1.0, 1.0) else {"scale": numbers(mesh.scale)}
            limit = {} if mesh.hull_limit is None else {"maxhullvert": str(mesh.hull_limit)}
            # The surface always has a moment, even with holes; the mass of a body is stated elsewhere.
            self.nodes.append(Node("mesh", {"name": name, "file": file, **scale, **limit, "inertia": "shell"}))
            self._names[key] = name
        return AssetName(self._names[key])

    def _file(self, mesh: Mesh) -> str:
        """Return a file that MuJoCo reads.

        Raises:
            MeshError: There is none, or it cannot be read.
        """
        if mesh.is_missing:
            raise MeshError(mesh.uri, f"the file {mesh.uri!r} was not found; name its folder with --package-path")
        if must_be_written(mesh) or mesh.submesh is not None or mesh.path is None or not _is_readable(Path(mesh.path)):
            return self._files.written(mesh)
        return relative(mesh.path, self._output)


def _is_readable(path: Path) -> bool:
    """Return whether MuJoCo reads a mesh file: OBJ, its own MSH, and binary STL of limited length."""
    suffix = path.suffix.lower()
    if suffix != ".stl":
        return suffix in (".obj", ".msh")
    try:
        with path.open("rb") as file:
            head = file.read(STL_HEADER)
        size = path.stat().st_size
    except OSError:
        return False
    if len(head) < STL_HEADER:
        return False
    count = int.from_bytes(head[-4:], "little")
    return 0 < count <= MOST_STL_TRIANGLES and size == STL_HEADER + STL_TRIANGLE * count
