# SPDX-FileCopyrightText: The inertia_tools authors
# SPDX-License-Identifier: Apache-2.0
"""Prims of a stage that simulations need: scenes, tetrahedral meshes, and those with a schema."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

from inertia_tools.description.usd.attributes import applied_schemas
from inertia_tools.description.usd.library import pxr


def has_applied_api_schema(prim: Any, schema_name: str) -> bool:
    """Return whether a schema is applied to a prim, also if OpenUSD does not know the schema."""
    return schema_name in applied_schemas(prim)


def get_physics_scenes(stage: Any, *, root_path: str = "/", exclude_paths: Sequence[str] = ()) -> list[Any]:
    """Return the `UsdPhysics.Scene` of each scene of a stage, including those in instances, in document order.

    Args:
        stage: A `pxr.Usd.Stage`.
        root_path: Only this prim and its descendants are searched.
        exclude_paths: Paths that are left out with their descendants.
    """
    scene = pxr().UsdPhysics.Scene
    found = (prim for prim in _under(stage, root_path) if prim.IsA(scene))
    return [scene(prim) for prim in found if not any(prim.GetPath().HasPrefix(path) for path in exclude_paths)]


def find_tetmesh_prims(stage: Any) -> list[Any]:
    """Return the prims of a stage that are tetrahedral meshes, in document order."""
    return [prim for prim in _under(stage, "/") if str(prim.GetTypeName()) == "TetMesh"]


def _under(stage: Any, root_path: str) -> Iterator[Any]:
    """Iterate over a prim and its descendants, including those in instances."""
    usd = pxr().Usd
    yield from usd.PrimRange(stage.GetPrimAtPath(root_path), usd.TraverseInstanceProxies())
