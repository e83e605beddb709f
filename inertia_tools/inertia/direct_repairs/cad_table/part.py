# SPDX-FileCopyrightText: The inertia_tools authors
# SPDX-License-Identifier: Apache-2.0
"""Mass properties of one part, as a CAD program prints them."""

from __future__ import annotations

import re
from dataclasses import dataclass, field

import numpy as np

from inertia_tools.inertia.unit_table import KILOGRAMS, METRES, WRITTEN
from inertia_tools.spatial import Array

Frame = str
COM: Frame = "com"
OUTPUT: Frame = "output"
UNKNOWN: Frame = "unknown"
"""Reference point of a tensor: the centre of mass, the origin of the coordinate system, or unknown."""

POSITIVE, NEGATIVE = "positive", "negative"
"""Notations of products: the integral of x y dm, and its opposite, which is the entry of the tensor."""

COMPOUND = re.compile(r"\b(kg|g|lb|oz)(mm|cm|m|in|ft)(?:\^?2|q|sq)?\b", re.IGNORECASE)
"""Two units without anything between them, as in gmm2."""


@dataclass
class CadPart:
    """The values of a part in its own units and signs.

    Attributes:
        name: The part's name.
        line: Line of the file on which it begins.
        is_titled: The table states its name.
        mass: Mass; None until it is read.
        com: Centre of mass by axis: x, y, z.
        tensors: Entries by name (xx, xy, ...), by the reference point.
        principal_moments: Principal moments in the order of the axes.
        principal_axes: Their axes, one per row.
        mass_unit: Name of the unit of the mass, if stated.
        length_unit: Name of the unit of the centre of mass, if stated.
        moment_units: Names of the units of mass and length of the moments, if stated.
        sign: Notation of the products, if stated.
        program: The program that prints this layout, if known.
    """

    name: str
    line: int
    is_titled: bool = False
    mass: float | None = None
    com: dict[str, float] = field(default_factory=dict)
    tensors: dict[Frame, dict[str, float]] = field(default_factory=dict)
    principal_moments: dict[str, float] = field(default_factory=dict)
    principal_axes: dict[str, tuple[float, float, float]] = field(default_factory=dict)
    mass_unit: str | None = None
    length_unit: str | None = None
    moment_units: tuple[str | None, str | None] = (None, None)
    sign: str | None = None
    program: str = ""

    @property
    def is_complete(self) -> bool:
        """Mass, centre and six entries about some point are present."""
        return self.mass is not None and len(self.com) == 3 and any(self.entries(frame) for frame in self.tensors)

    def entries(self, frame: Frame) -> dict[str, float] | None:
        """Return the six entries about a point; None unless all are present."""
        is_other = frame == OUTPUT and COM in self.tensors  # of two tensors, the one that is not about the centre
        found = self.tensors.get(frame) or (self.tensors.get(UNKNOWN, {}) if is_other else {})
        same = {"".join(sorted(name)): value for name, value in found.items()}
        return same if len(same) == 6 else None

    def tensor(self, frame: Frame, sign: str) -> Array | None:
        """Return the tensor about a point in the table's units, shape (3, 3); None if it is absent.

        Args:
            frame: The point.
            sign: Notation of the products.
        """
        six = self.entries(frame)
        if six is None:
            return None
        factor = -1.0 if sign == POSITIVE else 1.0
        xy, xz, yz = (factor * six[name] for name in ("xy", "xz", "yz"))
        return np.array([[six["xx"], xy, xz], [xy, six["yy"], yz], [xz, yz, six["zz"]]])

    def note_mass_unit(self, words: str) -> None:
        """Set the unit of the mass from words that contain one; the first one found is kept."""
        self.mass_unit = self.mass_unit or _units_in(words)[0]

    def note_length_unit(self, words: str) -> None:
        """Set the unit of the centre of mass from words that contain one; the first one found is kept."""
        self.length_unit = self.length_unit or _units_in(words)[1]

    def note_moment_units(self, words: str) -> None:
        """Set the units of the moments from words that contain any; the first ones found are kept."""
        mass, length = _units_in(words)
        self.moment_units = self.moment_units[0] or mass, self.moment_units[1] or length

    def settle(self) -> CadPart:
        """Convert mass and centre to the units of the moments, if these are stated and differ."""
        mass, length = self.moment_units
        if mass and self.mass_unit and self.mass is not None:
            self.mass *= KILOGRAMS[self.mass_unit] / KILOGRAMS[mass]
        if length and self.length_unit:
            self.com = {axis: one * METRES[self.length_unit] / METRES[length] for axis, one in self.com.items()}
        self.mass_unit, self.length_unit = mass or self.mass_unit, length or self.length_unit
        return self


def _units_in(words: str) -> tuple[str | None, str | None]:
    """Return the first unit of mass and the first of length in words."""
    found = [WRITTEN.get(word.lower()) for word in re.findall(r"[A-Za-z]+", COMPOUND.sub(r"\1 \2", words))]
    masses, lengths = ([one for one in found if one in units] for units in (KILOGRAMS, METRES))
    return masses[0] if masses else None, lengths[0] if lengths else None
