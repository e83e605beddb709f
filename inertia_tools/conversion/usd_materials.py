# SPDX-FileCopyrightText: The inertia_tools authors
# SPDX-License-Identifier: Apache-2.0
"""Surfaces as materials of UsdPhysics, one for all colliders with equal surfaces."""

from __future__ import annotations

from typing import Any

from inertia_tools.conversion.stage_physics import FRICTION, RESTITUTION, ROLLING, TORSIONAL
from inertia_tools.description.link import Surface
from inertia_tools.description.usd.library import pxr

MATERIALS = "materials"


class UsdMaterialWriter:
    """Writes materials, and binds them to colliders."""

    def __init__(self, stage: Any, folder: str) -> None:
        self._lib, self._stage, self._folder = pxr(), stage, folder
        self._made: dict[tuple[tuple[str, float], ...], Any] = {}

    def bind(self, collider: Any, surface: Surface | None) -> None:
        """Give a collider the contact properties of a surface that UsdPhysics and Newton's schema have."""
        stated = attributes_of(surface or Surface())
        if not stated:
            return
        if stated not in self._made:
            self._made[stated] = self._material(stated)
        shade = self._lib.UsdShade
        binding = shade.MaterialBindingAPI.Apply(collider)
        binding.Bind(self._made[stated], shade.Tokens.weakerThanDescendants, "physics")

    def _material(self, stated: tuple[tuple[str, float], ...]) -> Any:
        self._lib.UsdGeom.Scope.Define(self._stage, self._folder)
        material = self._lib.UsdShade.Material.Define(self._stage, f"{self._folder}/surface_{len(self._made)}")
        self._lib.UsdPhysics.MaterialAPI.Apply(material.GetPrim())
        for name, value in stated:
            material.GetPrim().CreateAttribute(name, self._lib.Sdf.ValueTypeNames.Float).Set(value)
        return material


def attributes_of(surface: Surface) -> tuple[tuple[str, float], ...]:
    """Return the material attributes of a surface; lengths are in metres."""
    stated = {
        **dict.fromkeys(FRICTION, surface.friction),
        RESTITUTION: surface.restitution,
        TORSIONAL: surface.torsional,
        ROLLING: surface.rolling,
    }
    return tuple((name, value) for name, value in stated.items() if value is not None)
