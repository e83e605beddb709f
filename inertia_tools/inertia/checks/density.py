# SPDX-FileCopyrightText: The inertia_tools authors
# SPDX-License-Identifier: Apache-2.0
"""Could a body of the link's size have the declared mass?"""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

from inertia_tools.errors import OptionError
from inertia_tools.geometry.hull import hull_volume
from inertia_tools.inertia.checks.view import LinkView
from inertia_tools.inertia.compute import LinkInertial
from inertia_tools.inertia.finding import Finding


@dataclass(frozen=True)
class DensityRange:
    """Mean densities over the hull of a link that pass [kg/m^3]: from an aerogel of air to beyond any metal."""

    low: float = 1.0
    high: float = 30000.0

    def __post_init__(self) -> None:
        """Check the bounds.

        Raises:
            OptionError: The bounds are negative, or not in order.
        """
        if not 0.0 <= self.low < self.high:
            raise OptionError("density range", (self.low, self.high), "two numbers of kg/m^3, the lower first")


def out_of_range(view: LinkView, computed: LinkInertial, allowed: DensityRange) -> float | None:
    """Return the mean density over the convex hull of the link's geometry [kg/m^3]; None if it is in range.

    The hull is expensive to compute. It is not needed for a mass that passes both in the bounding box, which is larger
    than the hull, and in the volume of the geometry, which is smaller.
    """
    declared = view.declared
    mass = None if declared is None else declared.stated_mass
    if mass is None or not 0.0 < mass < math.inf or not computed.volume or not len(view.points):
        return None
    box = 0.0 if view.box is None else float(np.prod(view.box[1] - view.box[0]))
    if box > 0.0 and mass / box >= allowed.low and mass / computed.volume <= allowed.high:
        return None
    volume = hull_volume(view.points)
    value = mass / volume if volume > 0.0 else allowed.low
    return None if allowed.low <= value <= allowed.high else value


def density(view: LinkView, value: float | None, allowed: DensityRange) -> Iterator[Finding]:
    """Report a mass that is too small or too large for the hull, by the density that `out_of_range` returns."""
    mass = None if view.declared is None else view.declared.mass
    if value is None or mass is None:
        return
    said = f"{mass:g} kg in a hull of {hull_volume(view.points):.3g} m^3 is {value:.3g} kg/m^3 on average"
    if value < allowed.low:
        yield view.warning("density-low", f"{said}, under {allowed.low:g}")
    else:
        yield view.warning("density-high", f"{said}, over {allowed.high:g}")
