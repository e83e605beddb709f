# SPDX-FileCopyrightText: The inertia_tools authors
# SPDX-License-Identifier: Apache-2.0
"""Are numbers in another unit than the format's? A power of ten between two units is the evidence.

Mass, tensor and geometry are checked together, so that one cause that explains them all is named once. `fix --scope
implausible` uses `wrong_units` as its proof where no single cause is proven (`inertia/causes`).
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace

import numpy as np

from inertia_tools.inertia.checks.view import LinkView
from inertia_tools.inertia.compute import UNITS, LinkInertial
from inertia_tools.inertia.finding import Finding

TENSOR_UNITS = {
    1e9: "g mm^2",
    1e7: "g cm^2",
    1e6: "kg mm^2",
    1e4: "kg cm^2",
    1e3: "g m^2",
}
"""Unit of a number that is too large by this factor."""

SAME_SHAPE = 0.1
"""Largest difference of moments, over their sum, from those of the geometry at which a unit may explain the rest."""

SAME_SIZE = 2.0
"""Largest ratio that may remain once the factor of a unit is divided out."""

USUAL_DENSITY = (100.0, 20000.0)
"""Range of the mean densities of most links over their hulls [kg/m^3]."""

GRAM, MILLIMETRE = 1e3, 1e-3
"""Factors of grams and millimetres: a mass in grams is too large by the first; a millimetre in metres is the second."""

OF_MILLIMETRES = ("g mm^2", "kg mm^2")
"""Units of tensors beside which a centre of mass may be in millimetres, too."""


@dataclass(frozen=True)
class WrongUnits:
    """The units that explain a mismatch of mass, tensor and geometry of a link.

    Attributes:
        said: The explanation in words.
        mass_factor: Divisor of the mass.
        tensor_factor: Divisor of the tensor.
        com_factor: Divisor of the centre of mass.
        is_proven: The corrected tensor has shape, axes and size of the geometry's; otherwise it is only a suspicion.
        is_geometry: The geometry is in millimetres; the inertial is right once it is divided by the factors.
    """

    said: str
    mass_factor: float = 1.0
    tensor_factor: float = 1.0
    com_factor: float = 1.0
    is_proven: bool = False
    is_geometry: bool = False


def units(view: LinkView, computed: LinkInertial, density: float | None) -> Iterator[Finding]:
    """Report numbers that are off by the ratio of two units; the arguments are those of `wrong_units`."""
    found = wrong_units(view, computed, density)
    if found is not None:
        yield view.warning(UNITS, found.said)


def wrong_units(view: LinkView, computed: LinkInertial, density: float | None) -> WrongUnits | None:
    """Find the units that explain a density out of range, a tensor of the geometry's shape and another size, or both.

    Args:
        view: The link.
        computed: Mass properties from its geometry.
        density: Mean density over its hull if that is out of range [kg/m^3]; None if it is in range or unknown.
    """
    found = _explained(view, _tensor_ratio(view, computed), density)
    if found is None or not found.is_proven or _has_same_axes(view, computed):
        return found
    return replace(found, is_proven=False)


def _explained(view: LinkView, ratio: float | None, density: float | None) -> WrongUnits | None:
    if density is None:
        return None if ratio is None else _of_tensor(view, ratio)
    if USUAL_DENSITY[0] <= density / GRAM <= USUAL_DENSITY[1]:
        usual = density / GRAM
        said = f"the mass looks like grams: {density:.3g} kg/m^3 is 1000 times a usual density of {usual:.3g}"
        found, left = WrongUnits(said, mass_factor=GRAM), None if ratio is None else ratio * GRAM
    elif USUAL_DENSITY[0] <= density * MILLIMETRE**-3 <= USUAL_DENSITY[1]:
        usual = density * MILLIMETRE**-3
        said = (
            f"the geometry looks like millimetres: {density:.3g} kg/m^3 is 1e-09 times a usual density of {usual:.3g}; "
            "scale it by 0.001"
        )
        found, left = WrongUnits(said, is_geometry=True), None if ratio is None else ratio * MILLIMETRE**-2
    else:
        return None if ratio is None else _of_tensor(view, ratio)
    return found if left is None else _with_tensor(view, found, left)


def _with_tensor(view: LinkView, found: WrongUnits, left: float) -> WrongUnits:
    """Add the evidence of the tensor, given its ratio to the geometry's without the factors already found."""
    if 1.0 / SAME_SIZE <= left <= SAME_SIZE:
        return replace(found, said=f"{found.said}; the tensor confirms it", is_proven=True)
    of_tensor = _of_tensor(view, left)
    if of_tensor is None:
        return found
    said = f"{found.said}; in addition, {of_tensor.said}"
    return replace(of_tensor, said=said, mass_factor=found.mass_factor, is_geometry=found.is_geometry)


def _tensor_ratio(view: LinkView, computed: LinkInertial) -> float | None:
    """Return the trace of the tensor over that of the geometry at its mass; None where they differ in shape."""
    if view.sound is None or view.moments is None or view.is_isotropic:
        return None
    if computed.inertial is None or not computed.inertial.mass > 0.0:
        return None
    expected = np.linalg.eigvalsh(computed.inertial.inertia) * (view.sound.mass / computed.inertial.mass)
    trace, usual = float(view.moments.sum()), float(expected.sum())
    if not usual > 0.0 or np.abs(view.moments / trace - expected / usual).max() > SAME_SHAPE:
        return None
    return trace / usual


def _has_same_axes(view: LinkView, computed: LinkInertial) -> bool:
    """Return whether the tensor equals the geometry's up to a factor in all entries, not only in its moments."""
    assert view.sound is not None and computed.inertial is not None
    one, other = (value.inertia / np.trace(value.inertia) for value in (view.sound, computed.inertial))
    return bool(np.abs(one - other).max() <= SAME_SHAPE)


def _of_tensor(view: LinkView, ratio: float) -> WrongUnits | None:
    said = f"it is {ratio:.3g} times that of the link's geometry at its mass, and of the same shape"
    for factor, unit in TENSOR_UNITS.items():
        if 1.0 / SAME_SIZE <= ratio / factor <= SAME_SIZE:
            com = 1.0 / MILLIMETRE if unit in OF_MILLIMETRES and _is_com_in_millimetres(view) else 1.0
            words = f"the tensor looks like {unit}: {said}"
            words += "" if com == 1.0 else "; so does the centre of mass, in mm"
            return WrongUnits(words, tensor_factor=factor, com_factor=com, is_proven=True)
        if 1.0 / SAME_SIZE <= ratio * factor <= SAME_SIZE:
            words = f"the tensor looks as if it was converted twice from {unit}: {said}"
            return WrongUnits(words, tensor_factor=1.0 / factor, is_proven=True)
    return None


def _is_com_in_millimetres(view: LinkView) -> bool:
    """Return whether the centre of mass is outside the geometry as stated, and inside if read as millimetres."""
    if view.centre is None or view.box is None:
        return False
    low, high = view.box
    scaled = view.centre * MILLIMETRE
    is_outside = bool(((view.centre < low) | (view.centre > high)).any())
    return is_outside and bool(((scaled >= low) & (scaled <= high)).all())
