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
"""Point that a tensor is taken about: the centre of mass, the origin of the coordinate system, or it is not said."""

POSITIVE, NEGATIVE = "positive", "negative"
"""Notations of products: the integral of x y dm, and its opposite, which is the entry of the tensor."""

PRODUCTS = frozenset({"xy", "xz", "yz"})


@dataclass
class CadPart:
    """What a table says of a part, in its own units and signs.

    Attributes:
        name: The part's name.
        line: Line of the file that it begins on.
        is_titled: The table says its name.
        mass: Mass; None until it is read.
        com: Centre of mass by axis: x, y, z.
        tensors: Entries by name (xx, xy, ...), by the point that they are taken about.
        principal_moments: Principal moments in the order of the axes.
        principal_axes: Their axes, one a row.
        mass_unit: Name of the unit of mass, where the table says.
        length_unit: Name of the unit of length, where the table says.
        sign: Notation of the products, where the table says.
        program: The program that prints so, where that is known.
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
    sign: str | None = None
    program: str = ""

    @property
    def is_complete(self) -> bool:
        """Mass, centre and six entries about some point are there."""
        return self.mass is not None and len(self.com) == 3 and any(self.entries(frame) for frame in self.tensors)

    def entries(self, frame: Frame) -> dict[str, float] | None:
        """Return the six entries about a point; None unless all are there."""
        found = self.tensors.get(frame, {})
        same = {"".join(sorted(name)): value for name, value in found.items()}
        return same if len(same) == 6 else None

    def tensor(self, frame: Frame, sign: str) -> Array | None:
        """Return the tensor about a point in the table's units, shape (3, 3); None when it is not there.

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

    def note_units(self, words: str) -> None:
        """Take units of mass and length from words, where they have any; what was said first stays.

        A unit of length has three letters at the most, or is written in full, so that the X of a name is none.
        """
        for word in re.findall(r"[A-Za-z]+", words):
            unit = WRITTEN.get(word.lower())
            if unit in KILOGRAMS and self.mass_unit is None:
                self.mass_unit = unit
            elif unit in METRES and self.length_unit is None:
                self.length_unit = unit
