# SPDX-FileCopyrightText: The inertia_tools authors
# SPDX-License-Identifier: Apache-2.0
"""The meshes of MJCF: files, numbers in the document, or built-in ones."""

from __future__ import annotations

from pathlib import Path, PurePath

import numpy as np

from inertia_tools.description.geometry import InlineMesh, Mesh
from inertia_tools.description.mjcf.builtin_meshes import RECIPES, builtin_mesh, is_open_block
from inertia_tools.description.mjcf.defaults import MAIN, Defaults
from inertia_tools.description.mjcf.orientation import ORIGIN
from inertia_tools.description.mjcf.values import choice, parse_numbers, triple, vector, whole
from inertia_tools.description.mjcf_bodies import Compiler, MeshAsset
from inertia_tools.description.resources import readable, unreadable
from inertia_tools.description.source import Document
from inertia_tools.description.xml import Element
from inertia_tools.spatial import Array

MESH_INERTIA = ("convex", "exact", "legacy", "shell")
UNTURNED = (1.0, 0.0, 0.0, 0.0)
POINTS_ALONE = (".obj", ".msh")
"""Mesh files that may hold points without faces, which represent their hull."""

UNLIMITED, FEWEST_CORNERS = -1, 4
"""Values of maxhullvert: no limit, and the smallest limit."""

SMALLEST_LENGTH = 1e-14
"""A refquat shorter than this counts as absent."""


def read_meshes(root: Element, compiler: Compiler, defaults: Defaults, document: Document) -> dict[str, MeshAsset]:
    """Read the meshes of all `<asset>` sections by name.

    Raises:
        ParseError: A mesh has no name, or one in use, or numbers that cannot be read.
    """
    meshes: dict[str, MeshAsset] = {}
    for section in root.all("asset"):
        for element in section.all("mesh"):
            asset = _read_mesh(defaults.completed(element, MAIN), compiler, document)
            if asset.name in meshes:
                raise element.error(f"a second mesh is named {asset.name!r}; rename one")
            meshes[asset.name] = asset
    return meshes


def _read_mesh(element: Element, compiler: Compiler, document: Document) -> MeshAsset:
    file = element.attributes.get("file", "").strip()
    name = element.attributes.get("name") or PurePath(file.replace("\\", "/")).stem
    if not name:
        raise element.error("the mesh has neither name nor file; add one")
    path = resolve_asset(file, element, compiler, document) if file else None
    absence = ""
    if path is None and file:
        expected = unreadable(asset_path(file, compiler, document), document)
        absence = f"the file was not found: {expected}"
    elif element.children:
        absence = "a MuJoCo plugin makes it, and plugins do not run here; save the mesh as a file and name the file"
    geometry = Mesh(
        uri=file or name,
        path=None if path is None else str(path),
        scale=triple(element, "scale", (1.0, 1.0, 1.0)),
        reference=_read_reference(element),
        inline=_read_inline(element),
        absence=absence,
        points_have_hull=file.lower().endswith(POINTS_ALONE),
        hull_limit=_read_hull_limit(element),
    )
    inertia = choice(element, "inertia", MESH_INERTIA, "legacy")
    if _is_sheet(element, inertia):
        inertia = "shell"
    return MeshAsset(name, geometry, inertia, element.place)  # type: ignore[arg-type]


def _read_hull_limit(element: Element) -> int | None:
    most = whole(element, "maxhullvert", UNLIMITED)
    if most != UNLIMITED and most < FEWEST_CORNERS:
        raise element.error(
            f"maxhullvert={most} of <mesh>; write {FEWEST_CORNERS} or more, or {UNLIMITED} for no limit"
        )
    return None if most == UNLIMITED else most


def _read_reference(element: Element) -> tuple[float, ...] | None:
    if not {"refpos", "refquat"} & element.attributes.keys():
        return None
    w, x, y, z = vector(element, "refquat", UNTURNED).tolist()
    if not float(np.linalg.norm([w, x, y, z])) > SMALLEST_LENGTH:
        raise element.error("refquat is zero; write w x y z")
    return (*vector(element, "refpos", ORIGIN).tolist(), x, y, z, w)


def _read_inline(element: Element) -> InlineMesh | None:
    """Read a mesh that is not in a file."""
    sources = [name for name in ("builtin", "file", "vertex") if name in element.attributes]
    if len(sources) > 1:
        raise element.error(f"<mesh> states {' and '.join(sources)}; keep one")
    if "builtin" in element.attributes:
        return _read_builtin(element)
    return _read_vertices(element) if "vertex" in element.attributes else None


def _read_builtin(element: Element) -> InlineMesh:
    kind = choice(element, "builtin", tuple(RECIPES), "")
    try:
        return builtin_mesh(kind, parse_numbers(element.attribute("params")))
    except ValueError as error:
        raise element.error(f"the builtin {kind} {error}") from error


def _is_sheet(element: Element, inertia: str) -> bool:
    """Return whether MuJoCo treats a mesh as a shell without being told; for a plate, even against what it states."""
    kind = element.attributes.get("builtin", "")
    if kind == "plate":
        return True
    return bool(kind) and inertia == "legacy" and is_open_block(parse_numbers(element.attribute("params")))


def _read_vertices(element: Element) -> InlineMesh:
    vertices = _many(element, "vertex")
    if not len(vertices):
        raise element.error("vertex of <mesh> is empty; give at least four points")
    if "face" not in element.attributes:
        return InlineMesh(vertices)
    faces = _many(element, "face")
    if not (faces.size and np.array_equal(faces, np.floor(faces)) and faces.min() >= 0.0):
        raise element.error("face of <mesh> holds a value that is not a vertex number; write numbers from 0")
    if faces.max() >= len(vertices):
        raise element.error(f"face of <mesh> names vertex {faces.max():g}, but there are {len(vertices)} vertices")
    return InlineMesh(vertices, faces.astype(np.int64))


def _many(element: Element, name: str) -> Array:
    """Return numbers in groups of three, shape (n, 3)."""
    try:
        numbers = np.array(parse_numbers(element.attribute(name)))
    except ValueError as error:
        raise element.error(f"{name} of <mesh> holds a value that is not a number; write digits") from error
    if len(numbers) % 3:
        raise element.error(f"{name} of <mesh> has {len(numbers)} numbers, which is not a multiple of 3")
    return numbers.reshape(-1, 3)


def resolve_asset(file: str, element: Element, compiler: Compiler, document: Document) -> Path | None:
    """Return the existing file of a mesh or a height field; None if there is none.

    A file named in an included document may lie in the folder of that document, without `meshdir`, if it is not found
    relative to the main document: MuJoCo 4.0 searches there second, unless `strippath` is set.
    """
    first = readable(asset_path(file, compiler, document), document)
    return first or (None if compiler.strippath else beside_include(file, element, document))


def beside_include(file: str, element: Element, document: Document) -> Path | None:
    """Return the existing file in the folder of the included document that contains an element, if there is one."""
    own = element.place.file
    is_file = own != document.name and not own.startswith("<")
    return readable(Path(own).parent / file, document) if is_file else None


def asset_path(file: str, compiler: Compiler, document: Document) -> Path:
    """Return the expected path of a mesh or height field file."""
    name = PurePath(file.replace("\\", "/")).name if compiler.strippath else file
    folder = document.path.parent if document.path is not None else Path()
    return folder / document.resolved(str(Path(compiler.meshdir) / name))
