# SPDX-FileCopyrightText: The inertia_tools authors
# SPDX-License-Identifier: Apache-2.0
"""Units of mass and length by the names in CAD programs and in common use, and pairs of them."""

from __future__ import annotations

from dataclasses import dataclass
from types import MappingProxyType

from inertia_tools.errors import OptionError

KILOGRAMS = MappingProxyType(
    {"kg": 1.0, "g": 1e-3, "mg": 1e-6, "t": 1e3, "lb": 0.45359237, "oz": 0.028349523125, "slug": 14.59390293720636}
)
"""Kilograms in a unit of mass."""

METRES = MappingProxyType({"m": 1.0, "cm": 1e-2, "mm": 1e-3, "um": 1e-6, "in": 0.0254, "ft": 0.3048})
"""Metres in a unit of length."""

WRITTEN = MappingProxyType(
    {
        **dict.fromkeys(("kg", "kgs", "kilogram", "kilograms", "kilogramme", "kilogrammes"), "kg"),
        **dict.fromkeys(("g", "gr", "gram", "grams", "gramme", "grammes"), "g"),
        **dict.fromkeys(("mg", "milligram", "milligrams"), "mg"),
        **dict.fromkeys(("t", "tonne", "tonnes", "ton", "tons"), "t"),
        **dict.fromkeys(("lb", "lbs", "lbm", "lbmass", "pound", "pounds"), "lb"),
        **dict.fromkeys(("oz", "ozm", "ounce", "ounces"), "oz"),
        **dict.fromkeys(("slug", "slugs"), "slug"),
        **dict.fromkeys(("m", "meter", "meters", "metre", "metres"), "m"),
        **dict.fromkeys(("cm", "centimeter", "centimeters", "centimetre", "centimetres"), "cm"),
        **dict.fromkeys(("mm", "millimeter", "millimeters", "millimetre", "millimetres"), "mm"),
        **dict.fromkeys(("um", "micrometer", "micrometers", "micron", "microns"), "um"),
        **dict.fromkeys(("in", "inch", "inches"), "in"),
        **dict.fromkeys(("ft", "foot", "feet"), "ft"),
    }
)
"""Units by their spellings, in lower case."""


@dataclass(frozen=True)
class Units:
    """A unit of mass and a unit of length for mass properties.

    Attributes:
        mass: Name of the unit of mass, as in `KILOGRAMS`.
        length: Name of the unit of length, as in `METRES`.
    """

    mass: str
    length: str

    @property
    def kilograms(self) -> float:
        """Kilograms in a unit of mass."""
        return KILOGRAMS[self.mass]

    @property
    def metres(self) -> float:
        """Metres in a unit of length."""
        return METRES[self.length]

    @property
    def moment(self) -> float:
        """Kilograms times square metres in a unit of a moment of inertia."""
        return self.kilograms * self.metres**2

    def __str__(self) -> str:
        return f"{self.mass}, {self.length}"


SI = Units("kg", "m")


def units_of(words: str, option: str) -> Units:
    """Read a unit of mass and one of length, in either order, such as `g,mm`; a missing one is the SI unit.

    Args:
        words: The units, with anything but letters between them.
        option: Name of the option in messages.

    Raises:
        OptionError: A unit is unknown, or there are two of one kind.
    """
    found: dict[str, str] = {}
    for word in "".join(one if one.isalpha() else " " for one in words).split():
        unit = WRITTEN.get(word.lower())
        kind = "mass" if unit in KILOGRAMS else "length"
        if unit is None or kind in found:
            raise OptionError(option, words, f"a unit of mass ({', '.join(KILOGRAMS)}) and one of length ({_LENGTHS})")
        found[kind] = unit
    if not found:
        raise OptionError(option, words, "two units, such as g,mm")
    return Units(found.get("mass", SI.mass), found.get("length", SI.length))


_LENGTHS = ", ".join(METRES)
