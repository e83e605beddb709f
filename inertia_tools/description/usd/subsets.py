# SPDX-FileCopyrightText: The inertia_tools authors
# SPDX-License-Identifier: Apache-2.0
"""Subsets of a mesh prim's faces with their own material: each is displayed as a shape."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np

from inertia_tools.description.geometry import InlineMesh, Mesh
from inertia_tools.description.link import Shape
from inertia_tools.description.usd.attributes import beginning
from inertia_tools.description.usd.library import pxr
from inertia_tools.description.usd.mesh_corners import Topology

FAMILY = "materialBind"
"""Name of the family of subsets that materials are bound to."""


def subsets_of(prim: Any) -> dict[str, np.ndarray]:
    """Return the faces of each subset of a mesh prim that may have a material, by the path of the subset."""
    lib = pxr()
    mesh = lib.UsdGeom.Imageable(prim)
    subsets = lib.UsdGeom.Subset.GetGeomSubsets(mesh, lib.UsdGeom.Tokens.face, FAMILY)
    faces = {str(one.GetPath()): one.GetIndicesAttr().Get(beginning()) for one in subsets}
    return {path: np.asarray(indices, dtype=np.int64) for path, indices in faces.items() if indices}


def faces_of(prim: Any) -> np.ndarray | None:
    """Return the faces that are drawn for a mesh prim, or for a subset of one; None for all.

    The mesh does not draw the faces of its subsets again.
    """
    if prim.IsA(pxr().UsdGeom.Subset):
        return subsets_of(prim.GetParent()).get(str(prim.GetPath()))
    subsets = subsets_of(prim)
    if not subsets:
        return None
    count = len(pxr().UsdGeom.Mesh(prim).GetFaceVertexCountsAttr().Get(beginning()))
    return np.setdiff1d(np.arange(count), np.concatenate(list(subsets.values())))


def by_material(prim: Any, shape: Shape) -> list[Shape]:
    """Return a shape for each subset of a mesh prim, and one for the faces in none; the shape itself without any."""
    geometry = shape.geometry
    if not isinstance(geometry, Mesh) or geometry.inline is None or geometry.inline.triangles is None:
        return [shape]
    subsets = subsets_of(prim)
    if not subsets:
        return [shape]
    rest = faces_of(prim)
    assert rest is not None
    parts = {**subsets, str(prim.GetPath()): rest}
    inline, triangles, face_of = geometry.inline, geometry.inline.triangles, Topology.of(prim).faces
    found = []
    for path, faces in parts.items():
        own = triangles[np.isin(face_of, faces)]
        if len(own):
            part = replace(geometry, uri=path, inline=InlineMesh(inline.vertices, own))
            found.append(replace(shape, geometry=part, name=path))
    return found
