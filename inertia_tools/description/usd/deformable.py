# SPDX-FileCopyrightText: The inertia_tools authors
# SPDX-License-Identifier: Apache-2.0
"""Properties of a deformable body stated by a USD prim and its material."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from inertia_tools.description.usd.attributes import authored
from inertia_tools.description.usd.library import pxr

NAMESPACES = ("physics", "omniphysics", "physxDeformableBody")
"""Namespaces of values in order of precedence: as proposed, and as in earlier files."""

POISSON = 0.3
"""Default Poisson's ratio of a deformable body, as proposed."""


def _material(prim: Any) -> Any | None:
    """Return the physics material that is bound to a prim; None for none."""
    bound, _ = pxr().UsdShade.MaterialBindingAPI(prim).ComputeBoundMaterial("physics")
    return bound.GetPrim() if bound else None


def deformable_value(prim: Any, name: str, namespaces: Sequence[str] = NAMESPACES) -> Any | None:
    """Return a value of a prim under one of the namespaces; None for none."""
    found = (authored(prim, f"{namespace}:{name}") for namespace in namespaces)
    return next((value for value in found if value is not None), None)


def material_value(prim: Any, name: str, namespaces: Sequence[str] = NAMESPACES) -> float | None:
    """Return a value of a prim's material under one of the namespaces; None for none."""
    material = _material(prim)
    value = None if material is None else deformable_value(material, name, namespaces)
    return None if value is None else float(value)


def misplaced_moduli(prim: Any) -> list[str]:
    """Return the material constants that a prim states itself, where they are ignored."""
    found = (f"{space}:{name}" for name in ("youngsModulus", "poissonsRatio") for space in NAMESPACES)
    return [
        f"{prim.GetPath()}: {name} is authored on the geometry, where it has no effect; author it on the material"
        for name in found
        if authored(prim, name) is not None
    ]
