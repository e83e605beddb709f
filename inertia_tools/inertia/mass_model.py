# SPDX-FileCopyrightText: The inertia_tools authors
# SPDX-License-Identifier: Apache-2.0
"""What a user knows about the masses of a robot: densities, materials, masses of links, the mass of the whole."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass, field

from inertia_tools.description.types import Description
from inertia_tools.errors import OptionError
from inertia_tools.inertia.compute import WATER


@dataclass(frozen=True)
class MassModel:
    """Known masses and densities.

    Attributes:
        density: Density where nothing else is known [kg/m^3].
        link_density: Density of single links [kg/m^3].
        link_mass: Mass of single links [kg]; it overrides what the file declares.
        total_mass: Mass of the whole robot [kg]; the links without a given mass are scaled by one factor to meet it.
    """

    density: float = WATER
    link_density: Mapping[str, float] = field(default_factory=dict)
    link_mass: Mapping[str, float] = field(default_factory=dict)
    total_mass: float | None = None

    def validate(self, robot: Description) -> None:
        """Check the numbers and the names.

        Raises:
            OptionError: A mass or density is not positive, or the given link masses leave nothing for the rest.
            UnknownLinkError: The robot has no such link.
        """
        for name in (*self.link_density, *self.link_mass):
            robot.link(name)
        named = {"density": self.density, **{f"density of {link}": value for link, value in self.link_density.items()}}
        named.update({f"mass of {link}": value for link, value in self.link_mass.items()})
        if self.total_mass is not None:
            named["total mass"] = self.total_mass
        for option, value in named.items():
            if not (math.isfinite(value) and value > 0.0):
                raise OptionError(option, value, "a positive number")
        if self.total_mass is not None and sum(self.link_mass.values()) >= self.total_mass:
            raise OptionError(
                "total mass", self.total_mass, f"above the {sum(self.link_mass.values()):g} kg of the links given"
            )

    def density_of(self, link: str) -> float:
        """Return the density to use for a link [kg/m^3]."""
        return self.link_density.get(link, self.density)

    def scale_for(self, masses: Mapping[str, float]) -> float:
        """Return the factor on the links without a given mass that makes the whole weigh `total_mass`.

        Raises:
            OptionError: Those links have no mass that could be scaled.
        """
        if self.total_mass is None:
            return 1.0
        given = sum(self.link_mass.values())
        rest = sum(mass for link, mass in masses.items() if link not in self.link_mass)
        if not rest > 0.0:
            raise OptionError("total mass", self.total_mass, "left out: no link has a mass that could be scaled to it")
        return (self.total_mass - given) / rest
