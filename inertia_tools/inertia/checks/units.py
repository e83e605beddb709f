# SPDX-FileCopyrightText: The inertia_tools authors
# SPDX-License-Identifier: Apache-2.0
"""Were numbers written in another unit than the format's? A power of ten that a unit explains gives it away."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from inertia_tools.inertia.checks.view import LinkView
from inertia_tools.inertia.compute import LinkInertial
from inertia_tools.inertia.finding import Finding

TENSOR_UNITS = {
    1e9: "g mm^2",
    1e7: "g cm^2",
    1e6: "kg mm^2",
    1e4: "kg cm^2",
    1e3: "g m^2",
}
"""What a number that is too large by this factor was probably written in."""

SAME_SHAPE = 0.1
"""Moments over their sum may differ by this much from those of the geometry, for a unit to explain the rest."""

SAME_SIZE = 2.0
"""Ratio that may be left over when a unit has been taken out."""

USUAL_DENSITY = (100.0, 20000.0)
"""Where the mean densities of most links lie, over their hulls [kg/m^3]."""

DENSITY_UNITS = {1e3: "the mass looks like grams", 1e-9: "the geometry looks like millimetres"}
"""What explains a density that is off by this factor."""


def unit_of_density(view: LinkView, density: float) -> Iterator[Finding]:
    """Report a density that is off by a unit of mass or of length; it is out of range already [kg/m^3]."""
    for factor, said in DENSITY_UNITS.items():
        if USUAL_DENSITY[0] <= density / factor <= USUAL_DENSITY[1]:
            message = f"{said}: {density:.3g} kg/m^3 is {factor:g} times a usual density of {density / factor:.3g}"
            yield view.warning("unit-suspect", message)


def unit_of_tensor(view: LinkView, computed: LinkInertial) -> Iterator[Finding]:
    """Report a tensor that has the shape of the geometry's, and is off by the ratio of two units."""
    if view.sound is None or view.moments is None or view.is_isotropic:
        return
    if computed.inertial is None or not computed.inertial.mass > 0.0:
        return
    expected = np.linalg.eigvalsh(computed.inertial.inertia) * (view.sound.mass / computed.inertial.mass)
    trace, usual = float(view.moments.sum()), float(expected.sum())
    if not usual > 0.0 or np.abs(view.moments / trace - expected / usual).max() > SAME_SHAPE:
        return
    ratio = trace / usual
    said = f"it is {ratio:.3g} times that of the link's geometry at its mass, and of the same shape"
    for factor, unit in TENSOR_UNITS.items():
        if 1.0 / SAME_SIZE <= ratio / factor <= SAME_SIZE:
            yield view.warning("unit-suspect", f"the tensor looks like {unit}: {said}")
        elif 1.0 / SAME_SIZE <= ratio * factor <= SAME_SIZE:
            yield view.warning("unit-suspect", f"the tensor looks as if {unit} had been converted twice: {said}")
