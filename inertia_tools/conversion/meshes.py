# SPDX-FileCopyrightText: The inertia_tools authors
# SPDX-License-Identifier: Apache-2.0
"""How a target names the meshes of a description.

Names that the target understands are kept. Gazebo has `model://` where ROS has `package://`, with the same rest. If the
target knows neither, the path of the file is relative to the written document; text without a file has the full path.
Meshes that are in the source itself, or in a frame of their own, become OBJ files.
"""

from __future__ import annotations

import os
from dataclasses import replace
from pathlib import Path

from inertia_tools.conversion.markup import numbers
from inertia_tools.description.geometry import Mesh
from inertia_tools.geometry.mesh.file import read_mesh

FOLDER = "meshes"
"""Folder beside the document for written meshes."""

PACKAGES = {"package://": "model://", "model://": "package://"}


def uri_for(mesh: Mesh, output: Path | None, scheme: str) -> str:
    """Return the name of a mesh file for a target that understands `file://` and one scheme for packages.

    Args:
        mesh: The mesh, which is in a file.
        output: The document that will be written, if it is a file.
        scheme: `package://` or `model://`.
    """
    for known in PACKAGES:
        if mesh.uri.startswith(known):
            return scheme + mesh.uri.removeprefix(known)
    is_local = "://" not in mesh.uri or (mesh.uri.startswith("file://") and not mesh.uri.startswith("file:///"))
    if mesh.path is None or not is_local:  # what `file://` names without a third slash depends on the document's folder
        return mesh.uri
    return f"file://{Path(mesh.path).resolve()}" if output is None else relative(mesh.path, output)


def relative(path: str, output: Path | None) -> str:
    """Return the path of a file relative to the document to write, or its full path without a document."""
    file = Path(path).resolve()
    if output is None:
        return str(file)
    return Path(os.path.relpath(file, output.resolve().parent)).as_posix()


def must_be_written(mesh: Mesh) -> bool:
    """Return whether no file has the mesh in the form that the target needs."""
    return mesh.inline is not None or mesh.reference is not None


class MeshFiles:
    """Meshes that become OBJ files beside the document, each once.

    Attributes:
        files: Content by path relative to the document.
    """

    def __init__(self) -> None:
        self.files: dict[str, bytes] = {}
        self._names: dict[tuple[object, ...], str] = {}

    def written(self, mesh: Mesh) -> str:
        """Return the path of a mesh without its scale, relative to the document.

        Raises:
            MeshError: It cannot be read.
        """
        inline = None if mesh.inline is None else mesh.inline.digest
        key = (mesh.path, mesh.submesh, mesh.center, mesh.reference, inline)
        if key not in self._names:
            name = f"{FOLDER}/{_stem(mesh)}.obj"
            number = 2
            while name in self.files:
                name, number = f"{FOLDER}/{_stem(mesh)}_{number}.obj", number + 1
            self.files[name] = as_obj(mesh)
            self._names[key] = name
        return self._names[key]


def _stem(mesh: Mesh) -> str:
    """Return a name for a file from the name of a mesh, or of its part."""
    stem = mesh.submesh or mesh.uri.replace("\\", "/").rpartition("/")[2].partition(".")[0]
    return "".join(letter if letter.isalnum() or letter in "-_" else "_" for letter in stem) or "mesh"


def as_obj(mesh: Mesh) -> bytes:
    """Return a mesh in its own frame, and without its scale, as an OBJ file.

    Raises:
        MeshError: It cannot be read.
    """
    triangles = read_mesh(replace(mesh, scale=(1.0, 1.0, 1.0)))
    lines = [f"v {numbers(vertex)}" for vertex in triangles.vertices]
    lines += [f"f {a} {b} {c}" for a, b, c in (triangles.triangles + 1).tolist()]
    return ("\n".join(lines) + "\n").encode()
