# SPDX-FileCopyrightText: The inertia_tools authors
# SPDX-License-Identifier: Apache-2.0
"""Surface properties of a description, as the material of shapes in a scene."""

from __future__ import annotations

import math
from dataclasses import replace
from typing import Any

from inertia_tools.description.link import Surface
from inertia_tools.sim.scene.shape_config import ShapeConfig


def touching(material: ShapeConfig, surface: Surface | None) -> ShapeConfig:
    """Return a material with the values that a surface states; invalid ones, such as negative friction, are ignored.

    Restitution above one counts as one. The margin of a hollow shape is its wall thickness, which no surface states.
    """
    if surface is None:
        return material
    stated: dict[str, float | None] = {
        "mu": surface.friction,
        "mu_torsional": surface.torsional,
        "mu_rolling": surface.rolling,
        "restitution": None if surface.restitution is None else min(surface.restitution, 1.0),
        "margin": surface.margin if material.is_solid else None,
        "gap": surface.gap,
        "ke": surface.stiffness,
        "kd": surface.damping,
    }
    usable: dict[str, Any] = {
        name: value for name, value in stated.items() if value is not None and 0.0 <= value < math.inf
    }
    return replace(material, **usable)
