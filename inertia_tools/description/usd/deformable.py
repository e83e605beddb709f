# SPDX-FileCopyrightText: The inertia_tools authors
# SPDX-License-Identifier: Apache-2.0
"""What a prim of a USD stage and its material state of a deformable body."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from inertia_tools.description.usd.attributes import authored
from inertia_tools.description.usd.library import pxr

NAMESPACES = ("physics", "omniphysics", "physxDeformableBody")
"""Where values are looked for: as proposed, and as earlier files have them."""

POISSON = 0.3
"""Poisson's ratio of a deformable body that states none, as proposed."""


def _material(prim: Any) -> Any | None:
    """Return the physical material that is bound to a prim; None for none."""
    bound, _ = pxr().UsdShade.MaterialBindingAPI(prim).ComputeBoundMaterial("physics")
    return bound.GetPrim() if bound else None


def deformable_value(prim: Any, name: str, namespaces: Sequence[str] = NAMESPACES) -> Any | None:
    """Return what a prim states under one of the namespaces; None for nothing."""
    found = (authored(prim, f"{namespace}:{name}") for namespace in namespaces)
    return next((value for value in found if value is not None), None)


def material_value(prim: Any, name: str, namespaces: Sequence[str] = NAMESPACES) -> float | None:
    """Return what the material of a prim states under one of the namespaces; None for nothing."""
    material = _material(prim)
    value = None if material is None else deformable_value(material, name, namespaces)
    return None if value is None else float(value)


def misplaced_moduli(prim: Any) -> list[str]:
    """Name the constants of a material that a prim states itself, where they do not count."""
    found = (f"{space}:{name}" for name in ("youngsModulus", "poissonsRatio") for space in NAMESPACES)
    return [
        f"{prim.GetPath()}: {name} is authored on the geometry and does not count there; author it on the material"
        for name in found
        if authored(prim, name) is not None
    ]
