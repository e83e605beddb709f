# SPDX-FileCopyrightText: The inertia_tools authors
# SPDX-License-Identifier: Apache-2.0
"""What a description states of surfaces, as the material of shapes in a scene."""

from __future__ import annotations

import math
from dataclasses import replace
from typing import Any

from inertia_tools.description.link import Surface
from inertia_tools.sim.scene.shape_config import ShapeConfig


def touching(material: ShapeConfig, surface: Surface | None) -> ShapeConfig:
    """Return a material with what a surface states; what no surface can have, as negative friction, is passed over.

    More than all of a bounce is all of it. The margin of what is hollow is its wall, which no surface states.
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
