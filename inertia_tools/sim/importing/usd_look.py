# SPDX-FileCopyrightText: The inertia_tools authors
# SPDX-License-Identifier: Apache-2.0
"""Appearance of shapes from a stage: visibility, colour, opacity and texture."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np

from inertia_tools.description.colour import for_display
from inertia_tools.description.usd.appearance import NEUTRAL, Appearance, appearance_of, is_drawn
from inertia_tools.description.usd.attributes import applied_schemas, beginning
from inertia_tools.description.usd.library import pxr
from inertia_tools.description.usd.placement import Placement
from inertia_tools.description.usd.subsets import faces_of
from inertia_tools.description.usd_bodies import UsdBodies
from inertia_tools.sim.importing.usd_mesh import show, visual_mesh
from inertia_tools.sim.scene.built_shape import BuiltShape
from inertia_tools.sim.scene.geo_type import GeoType
from inertia_tools.sim.scene.mesh_shape import Mesh, Triple
from inertia_tools.sim.scene.scene import Scene

WHITE_LIGHT = for_display(np.full(3, NEUTRAL))
"""Colour of what states none, encoded for display."""

PLANE_AXES = {"X": (2, 1), "Y": (0, 2), "Z": (0, 1)}
"""Axes of the width and of the length of a UsdGeomPlane, by that of its normal."""


def dress(
    builder: Scene, usd_bodies: UsdBodies, first_shape: int, *, show_colliders: bool, hide_colliders: bool
) -> None:
    """Set colour, opacity and visibility of the shapes of a stage from their prims.

    Args:
        builder: The scene.
        usd_bodies: The stage.
        first_shape: Index of the first shape from the stage; all later ones are from it, too.
        show_colliders: Whether all colliders are drawn; otherwise those that a viewport draws.
        hide_colliders: Whether colliders of bodies with visuals are hidden.
    """
    placement = Placement(usd_bodies.units.metre)
    own = range(first_shape, builder.shape_count)
    prims = {index: usd_bodies.stage.GetPrimAtPath(builder.shapes[index].name) for index in own}
    prims = {index: prim for index, prim in prims.items() if prim and not builder.shapes[index].config.is_site}
    drawn = {index: is_drawn(_imageable(prim)) for index, prim in prims.items()}
    has_visual = {
        builder.shapes[index].body for index, seen in drawn.items() if seen and not _collides(builder.shapes[index])
    }
    for index, prim in prims.items():
        shape = builder.shapes[index]
        is_visible = drawn[index]
        if _collides(shape):
            hidden = hide_colliders and shape.body in has_visual
            is_visible = show_colliders or (is_visible and not hidden)
        builder.shapes[index] = _dressed(
            replace(shape, config=replace(shape.config, is_visible=is_visible)), prim, placement
        )


def _collides(shape: BuiltShape) -> bool:
    return shape.config.has_shape_collision or shape.config.has_particle_collision


def _imageable(prim: Any) -> Any:
    """Return the prim whose purpose and visibility count: those of a subset's mesh."""
    return prim.GetParent() if prim.IsA(pxr().UsdGeom.Subset) else prim


def _dressed(shape: BuiltShape, prim: Any, placement: Placement) -> BuiltShape:
    seen = appearance_of(prim)
    red, green, blue = WHITE_LIGHT.tolist() if seen.colour is None else seen.colour
    shape = replace(
        shape, color=(red, green, blue), opacity=1.0 if seen.opacity is None else min(max(seen.opacity, 0.0), 1.0)
    )
    if shape.kind is GeoType.PLANE and not _collides(shape):
        return replace(shape, scale=_extent_of_plane(prim, placement))
    if not isinstance(shape.source, Mesh):
        return shape
    if _collides(shape) or "PhysicsCollisionAPI" in applied_schemas(prim):  # one that is switched off is no other mesh
        show(shape.source, seen)
        return shape
    return replace(shape, source=_visual(shape.source, prim, seen, placement))


def _extent_of_plane(prim: Any, placement: Placement) -> Triple:
    """Return width and length of the plane that a prim draws [m]; one that collides has no end."""
    plane = pxr().UsdGeom.Plane(prim)
    width, length = (float(one.Get(beginning())) for one in (plane.GetWidthAttr(), plane.GetLengthAttr()))
    across, along = PLANE_AXES[str(plane.GetAxisAttr().Get(beginning()))]
    stretch = placement.metre * np.linalg.norm(placement.of(prim)[2], axis=0)
    return width * float(stretch[across]), length * float(stretch[along]), 0.0


def _visual(source: Mesh, prim: Any, seen: Appearance, placement: Placement) -> Mesh:
    """Return the mesh of a visual with its normals and texture coordinates."""
    mesh_prim = _imageable(prim)
    if str(mesh_prim.GetTypeName()) != "Mesh":
        return source
    return visual_mesh(mesh_prim, source, placement.of(mesh_prim)[2], faces_of(prim), seen)
