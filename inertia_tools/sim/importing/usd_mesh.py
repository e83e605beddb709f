# SPDX-FileCopyrightText: The inertia_tools authors
# SPDX-License-Identifier: Apache-2.0
"""A mesh prim of a USD stage as a mesh of a scene."""

from __future__ import annotations

from typing import Any

import numpy as np

from inertia_tools.description.types import Mesh as MeshFile
from inertia_tools.description.usd.appearance import Appearance, appearance_of
from inertia_tools.description.usd.geometry import read_geometry
from inertia_tools.description.usd.library import pxr
from inertia_tools.description.usd.mesh_corners import (
    SMOOTH_ANGLE,
    Topology,
    coordinates_at_corners,
    divide,
    face_normals_at_corners,
    normals_at_corners,
    unit,
)
from inertia_tools.errors import OptionError
from inertia_tools.sim.scene.mesh_shape import Mesh
from inertia_tools.spatial import Array


def get_mesh(
    source: Any = None,
    *,
    prim: Any = None,
    load_normals: bool = False,
    load_uvs: bool = False,
    load_visual_materials: bool = True,
    vertex_splitting_angle_threshold_deg: float = SMOOTH_ANGLE,
    compute_inertia: bool = True,
    apply_stage_units: bool = True,
) -> Mesh:
    """Return the triangles of a mesh prim, in its own frame.

    Args:
        source: A `pxr.Usd.Prim` of type Mesh.
        prim: Another name of `source`.
        load_normals: Whether its normals are read; vertices at sharp edges are split.
        load_uvs: Whether its texture coordinates are read; vertices at seams are split if normals are read, or if
            they are stated for each corner.
        load_visual_materials: Whether colour, opacity, roughness, metallic and texture of its material are read.
        vertex_splitting_angle_threshold_deg: Smallest angle between normals at a sharp edge [degrees].
        compute_inertia: Compute mass, centre and tensor at unit density when they are asked for.
        apply_stage_units: Whether lengths are converted to metres; otherwise they are in units of the stage.

    Raises:
        OptionError: The prim is not a mesh, or has no triangles.
    """
    prim = source if prim is None else prim
    found = read_geometry(prim, np.eye(3), _metre(prim) if apply_stage_units else 1.0) if prim else None
    geometry = None if found is None else found[0]
    inline = geometry.inline if isinstance(geometry, MeshFile) else None
    if inline is None or inline.triangles is None or not len(inline.triangles):
        raise OptionError("prim", str(prim.GetPath()) if prim else None, "a prim of type Mesh with points and faces")
    solid = Mesh(inline.vertices, inline.triangles, compute_inertia=compute_inertia)
    seen = appearance_of(prim) if load_visual_materials or load_uvs else Appearance()
    topology = Topology.of(prim)
    normals = normals_at_corners(prim, topology) if load_normals else None
    coordinates = coordinates_at_corners(prim, topology, seen.coordinates) if load_uvs else None
    mesh = solid
    if normals is not None or coordinates is not None:
        mesh = _divided(solid, topology, normals, coordinates, vertex_splitting_angle_threshold_deg)
    if load_visual_materials:
        show(mesh, seen)
    return mesh


def _metre(prim: Any) -> float:
    """Return the unit of length of a prim's stage [m]; where it states none, metres."""
    lib, stage = pxr(), prim.GetStage()
    return float(lib.UsdGeom.GetStageMetersPerUnit(stage)) if lib.UsdGeom.StageHasAuthoredMetersPerUnit(stage) else 1.0


def visual_mesh(prim: Any, solid: Mesh, stretch: Array, faces: np.ndarray | None, seen: Appearance) -> Mesh:
    """Return a mesh prim for drawing, with normals, texture coordinates and the appearance of its material.

    Without stated normals, those of its faces are used, smoothed except at sharp edges.

    Args:
        prim: The mesh prim.
        solid: Its points as they stand in the scene, and triangles.
        stretch: What was applied to them: scale and shear, shape (3, 3).
        faces: Faces that are drawn; None for all.
        seen: What it looks like.
    """
    topology = Topology.of(prim)
    normals = normals_at_corners(prim, topology)
    if normals is None:
        normals = face_normals_at_corners(topology, solid.vertices)
    else:
        normals = unit(normals @ np.linalg.inv(stretch))
    coordinates = coordinates_at_corners(prim, topology, seen.coordinates)
    drawn = topology if faces is None else topology.within(faces)
    if np.linalg.det(stretch) < 0.0:
        drawn = Topology(drawn.counts, drawn.points, drawn.corners[:, ::-1], drawn.faces, drawn.point_count)
    mesh = _divided(solid, drawn, normals, coordinates, SMOOTH_ANGLE)
    show(mesh, seen)
    return mesh


def show(mesh: Mesh, seen: Appearance) -> None:
    """Set the appearance of a mesh from a prim."""
    mesh.color, mesh.opacity = seen.colour, seen.opacity
    mesh.roughness, mesh.metallic = seen.roughness, seen.metallic
    if seen.picture is not None:
        mesh.texture, mesh.texture_transform = seen.picture.source, np.array(seen.picture.transform)


def _divided(solid: Mesh, topology: Topology, normals: Array | None, coordinates: Array | None, angle: float) -> Mesh:
    """Return a mesh with points divided at edges and seams, which weighs what it was made of weighs."""
    parts = divide(topology, normals, coordinates, angle)
    return Mesh(
        solid.vertices[parts.points],
        parts.triangles,
        compute_inertia=solid.compute_inertia,
        normals=parts.normals,
        uvs=parts.coordinates,
        undivided=solid,
    )
