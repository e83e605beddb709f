# SPDX-FileCopyrightText: The inertia_tools authors
# SPDX-License-Identifier: Apache-2.0
"""What a collision shape is made of."""

from __future__ import annotations

import math
from dataclasses import dataclass

from inertia_tools.errors import OptionError


@dataclass(frozen=True)
class ShapeConfig:
    """Material of a shape.

    Attributes:
        density: Density [kg/m^3]; zero adds no mass to the body.
        mu: Coefficient of Coulomb friction, sticking and sliding; a pair has the mean of its two.
    """

    density: float = 1000.0
    mu: float = 1.0

    def __post_init__(self) -> None:
        """Refuse values that no material has.

        Raises:
            OptionError: A value is negative or not finite.
        """
        for name in ("density", "mu"):
            value = getattr(self, name)
            if not (math.isfinite(value) and value >= 0.0):
                raise OptionError(name, value, "a finite number, zero or more")
