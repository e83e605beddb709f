# SPDX-FileCopyrightText: The inertia_tools authors
# SPDX-License-Identifier: Apache-2.0
"""Geometric prims on bodies: colliders, which have mass, and visuals."""

from __future__ import annotations

import math
from dataclasses import replace
from typing import Any

import numpy as np

from inertia_tools.description.colour import RGB
from inertia_tools.description.link import Shape
from inertia_tools.description.usd.attributes import applied_schemas, authored, stated_or
from inertia_tools.description.usd.colour_space import encoded_colours, stated_space
from inertia_tools.description.usd.geometry import read_geometry
from inertia_tools.description.usd.library import pxr
from inertia_tools.description.usd.lines import Lines
from inertia_tools.description.usd.mass import DENSITY, MASS_API, MASS_APIS, NEWTON_API, read_mass
from inertia_tools.description.usd.placement import Placement
from inertia_tools.description.usd.survey import COLLISION_API
from inertia_tools.description.usd_bodies import Collider, Shell, Units
from inertia_tools.spatial import Pose

MESH_API = "PhysicsMeshCollisionAPI"

THIN = 0.001
"""Default thickness of a wall [m]: that of thin sheet, as for hollow meshes."""


class ShapeReader:
    """Reads geometric prims into the frame of their body."""

    def __init__(self, units: Units, placement: Placement, materials: set[str], lines: Lines) -> None:
        self._units, self._placement, self._materials, self._lines = units, placement, materials, lines
        self._density: dict[str, float | None] = {}

    def read(
        self, prim: Any, apis: tuple[str, ...], body: Pose, body_prim: Any = None
    ) -> tuple[Shape, Collider | None] | None:
        """Read a prim.

        Args:
            prim: The prim.
            apis: Its applied schemas.
            body: Pose in the stage of the body that contains it; the identity for none.
            body_prim: The prim of that body, whose density applies to colliders without one.

        Returns:
            The shape, and the collider that it is; None for a prim that is not geometry.
        """
        _, in_stage, stretch = self._placement.of(prim)
        found = read_geometry(prim, stretch, self._placement.metre)
        if found is None:
            return None
        geometry, pose = found
        path = str(prim.GetPath())
        place = self._lines.place(prim)
        shape = Shape(geometry, body.inverse() @ in_stage @ pose, path, place, colour=_colour(prim))
        if COLLISION_API not in apis:
            return shape, None
        material = self._material(prim)
        stated = read_mass(prim, self._units, stretch) if MASS_API in apis else None
        density = self._density_of(prim.GetStage().GetPrimAtPath(material)) if material else None
        wished = (None if stated is None else stated.density, self._density_of_body(body_prim), density)
        shape = replace(shape, density=_quantity(*wished), mass=_quantity(None if stated is None else stated.mass))
        return shape, Collider(
            path=path,
            shape=shape,
            is_enabled=bool(stated_or(prim, "physics:collisionEnabled", True)),
            stated=stated,
            material_density=density,
            material=material,
            approximation=str(stated_or(prim, "physics:approximation", "none")) if MESH_API in apis else "none",
            scale=tuple(np.diag(stretch).tolist()),
            pose_link_prim=body.inverse() @ in_stage,
            shell=read_shell(prim, self._placement.metre) if NEWTON_API in apis else None,
        )

    def _material(self, prim: Any) -> str:
        """Return the path of the physics material that is bound to a prim; empty for none."""
        if not self._materials:
            return ""
        lib = pxr()
        bound, _ = lib.UsdShade.MaterialBindingAPI(prim).ComputeBoundMaterial("physics")
        path = str(bound.GetPath()) if bound else ""
        return path if path in self._materials else ""

    def _density_of_body(self, body: Any) -> float | None:
        return None if body is None or MASS_APIS.isdisjoint(applied_schemas(body)) else self._density_of(body)

    def _density_of(self, prim: Any) -> float | None:
        """Return the density that a material or body states [kg/m^3]; None for none."""
        path = str(prim.GetPath())
        if path not in self._density:
            density = authored(prim, DENSITY)
            self._density[path] = None if density is None else float(density) * self._units.density
        return self._density[path]


def read_shell(prim: Any, metre: float) -> Shell | None:
    """Return the wall of a collider for its mass; None for a solid.

    Without a valid thickness, its contact margin is used, and without that `THIN`.

    Args:
        prim: The prim.
        metre: Length of one unit of the stage [m].
    """
    if str(stated_or(prim, "newton:massModel", "solid")) != "shell":
        return None
    stated, margin = (float(stated_or(prim, name, 0.0)) for name in ("newton:shellThickness", "newton:contactMargin"))
    lengths = (length * metre for length in (stated, margin) if 0.0 < length < math.inf)
    is_refused = (stated < 0.0 and stated != -math.inf) or not stated < math.inf
    return Shell(next(lengths, THIN), stated if is_refused else None)


def _quantity(*wished: float | None) -> float | None:
    """Return the first valid mass or density; zero is the schema's value for "not given"."""
    return next((value for value in wished if value is not None and 0.0 < value < math.inf), None)


def _colour(prim: Any) -> tuple[float, float, float, float] | None:
    """Return the first colour that a prim itself states, encoded for display, and its opacity."""
    colours = authored(prim, "primvars:displayColor")
    if not colours or np.size(colours[0]) != RGB:
        return None
    attribute = prim.GetAttribute("primvars:displayColor")
    stated, where = np.array(colours[0], dtype=np.float64), str(attribute.GetPath())
    red, green, blue = encoded_colours(stated, stated_space(attribute), where).tolist()
    opacity = authored(prim, "primvars:displayOpacity")
    return red, green, blue, float(opacity[0]) if opacity else 1.0
