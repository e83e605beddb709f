# SPDX-FileCopyrightText: The inertia_tools authors
# SPDX-License-Identifier: Apache-2.0
"""The union of overlapping solids, by manifold3d's exact booleans."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

import numpy as np

from inertia_tools.errors import MissingDependencyError
from inertia_tools.geometry.manifold_library import manifold_library
from inertia_tools.geometry.mesh.surface import Surface
from inertia_tools.geometry.mesh.triangles import renumbered, used_corners
from inertia_tools.spatial import Array


def union(solids: Iterable[Surface]) -> Surface | None:
    """Unite closed surfaces into the boundary of their union; None if one of them is not a manifold.

    Raises:
        MissingDependencyError: manifold3d is not installed.
    """
    manifold3d = _library()
    surfaces = list({(s.vertices.tobytes(), s.triangles.tobytes()): s for s in solids}.values())  # each one once
    origin = np.mean([surface.vertices.mean(axis=0) for surface in surfaces], axis=0)
    bodies = [_manifold(surface, origin) for surface in surfaces]
    if any(body is None for body in bodies):
        return None
    joined = manifold3d.Manifold.batch_boolean([body for body in bodies if body is not None], manifold3d.OpType.Add)
    mesh = joined.to_mesh64()
    vertices = np.asarray(mesh.vert_properties, dtype=np.float64)[:, :3] + origin
    return Surface(vertices, np.asarray(mesh.tri_verts, dtype=np.int64))


def extruded(outlines: Sequence[Array], height: float) -> Surface:
    """Return the boundary of outlines in the xy plane extruded from z = 0; an outline inside another is a hole.

    Raises:
        MissingDependencyError: manifold3d is not installed.
    """
    manifold3d = _library()
    section = manifold3d.CrossSection([np.asarray(outline) for outline in outlines], manifold3d.FillRule.EvenOdd)
    mesh = manifold3d.Manifold.extrude(section, height).to_mesh64()
    vertices = np.asarray(mesh.vert_properties, dtype=np.float64)[:, :3]
    return Surface(vertices, np.asarray(mesh.tri_verts, dtype=np.int64))


def enclosed_area(outlines: Sequence[Array]) -> float:
    """Return the area of the points that outlines in a plane wind around an odd number of times [m^2].

    Raises:
        MissingDependencyError: manifold3d is not installed.
    """
    manifold3d = _library()
    corner = np.min([outline.min(axis=0) for outline in outlines], axis=0)
    size = float(np.max([np.ptp(outline, axis=0) for outline in outlines]))
    scaled = [(outline - corner) / size for outline in outlines]  # its coordinates have a fixed number of decimals
    return float(manifold3d.CrossSection(scaled, manifold3d.FillRule.EvenOdd).area()) * size**2


def _library() -> Any:
    try:
        return manifold_library()
    except ImportError as error:
        raise MissingDependencyError("manifold3d", "uniting solids", "pip install manifold3d") from error


def _manifold(surface: Surface, origin: Array) -> Any | None:
    """Return a surface as the library's type; None if it has no volume, which would crash the library."""
    if not surface.is_closed:
        return None
    manifold3d = _library()
    used = used_corners(surface.triangles, len(surface.vertices))
    triangles = renumbered(surface.triangles, used, len(surface.vertices))
    mesh = manifold3d.Mesh64(surface.vertices[used] - origin, triangles.astype(np.uint64))
    body = manifold3d.Manifold(mesh)
    return body if body.status() == manifold3d.Error.NoError and not body.is_empty() else None
