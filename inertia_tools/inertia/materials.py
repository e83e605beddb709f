# SPDX-FileCopyrightText: The inertia_tools authors
# SPDX-License-Identifier: Apache-2.0
"""Densities of common materials at room temperature, solid."""

from __future__ import annotations

import difflib

from inertia_tools.errors import OptionError

DENSITY = {
    "abs": 1050.0,
    "acrylic": 1180.0,
    "aluminium": 2700.0,
    "brass": 8500.0,
    "carbon-fibre": 1600.0,
    "concrete": 2400.0,
    "copper": 8960.0,
    "glass": 2500.0,
    "ice": 917.0,
    "iron": 7870.0,
    "lead": 11340.0,
    "magnesium": 1740.0,
    "nylon": 1150.0,
    "oak": 720.0,
    "pine": 500.0,
    "pla": 1240.0,
    "polycarbonate": 1200.0,
    "polyethylene": 950.0,
    "pvc": 1380.0,
    "rubber": 1100.0,
    "stainless-steel": 8000.0,
    "steel": 7850.0,
    "titanium": 4510.0,
    "water": 1000.0,
}
"""Density [kg/m^3] by name; the usual handbook values, rounded as the materials vary."""

OTHER_NAMES = {"aluminum": "aluminium", "carbon-fiber": "carbon-fibre"}


def density_of(material: str) -> float:
    """Return the density of a material [kg/m^3]; case, spaces and underscores do not matter.

    Raises:
        OptionError: The table has no such material.
    """
    key = material.strip().lower().replace(" ", "-").replace("_", "-")
    key = OTHER_NAMES.get(key, key)
    if key not in DENSITY:
        close = difflib.get_close_matches(key, DENSITY, n=3) or sorted(DENSITY)
        raise OptionError("material", material, "one of " + ", ".join(close))
    return DENSITY[key]
