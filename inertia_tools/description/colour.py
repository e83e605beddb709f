# SPDX-FileCopyrightText: The inertia_tools authors
# SPDX-License-Identifier: Apache-2.0
"""Colours in files. A colour that cannot be read counts as absent, since mass properties do not depend on it."""

from __future__ import annotations

import enum
import warnings
from collections.abc import Sequence

import numpy as np

from inertia_tools.description.xml import Element, parse_numbers
from inertia_tools.spatial import Array

Colour = tuple[float, float, float, float]
"""Red, green, blue and opacity, from 0 to 1."""


LINEAR_PART, GAMMA = 0.0031308, 2.4
"""Where the curve of IEC 61966-2-1 changes from a line to a power, and that power."""

SLOPE, SCALE, OFFSET = 12.92, 1.055, 0.055
"""The slope of that curve's line, and the scale and offset of its power."""

RGB = 3


class ColorSpace(enum.IntEnum):
    """How colours are written; names are those of Newton."""

    LINEAR = 0
    SRGB = 1


def for_display(linear: Array) -> Array:
    """Encode linear colours for display (sRGB), any shape; values are clipped to 0 to 1."""
    return _encoded(np.clip(np.asarray(linear, dtype=np.float64), 0.0, 1.0))


def color_linear_to_srgb(color: Sequence[float]) -> tuple[float, float, float]:
    """Encode a linear colour for display; a channel below 0 counts as 0, one above 1 continues along the curve.

    Args:
        color: Red, green and blue; further entries are ignored.

    Raises:
        ValueError: There are fewer than three numbers.
    """
    red, green, blue = _encoded(_channels(color)).tolist()
    return red, green, blue


def color_srgb_to_linear(color: Sequence[float]) -> tuple[float, float, float]:
    """Return the linear colour of one encoded for display; the inverse of `color_linear_to_srgb`.

    Args:
        color: Red, green and blue; further entries are ignored.

    Raises:
        ValueError: There are fewer than three numbers.
    """
    red, green, blue = _decoded(_channels(color)).tolist()
    return red, green, blue


def _encoded(linear: Array) -> Array:
    return np.where(linear <= LINEAR_PART, SLOPE * linear, SCALE * linear ** (1.0 / GAMMA) - OFFSET)


def _decoded(encoded: Array) -> Array:
    return np.where(encoded <= LINEAR_PART * SLOPE, encoded / SLOPE, ((encoded + OFFSET) / SCALE) ** GAMMA)


def _channels(color: Sequence[float]) -> Array:
    """Return red, green and blue, clipped below at zero.

    Raises:
        ValueError: There are fewer than three numbers.
    """
    numbers = np.asarray(color, dtype=np.float64).ravel()
    if numbers.size < RGB:
        raise ValueError(f"a colour has red, green and blue; {color!r} has {numbers.size} numbers")
    return np.clip(numbers[:RGB], 0.0, None)


def colour_of(text: str) -> Colour | None:
    """Return the colour of three or four numbers; it is opaque without the fourth.

    An opacity outside 0 to 1 is clipped, with a warning.
    """
    try:
        numbers = parse_numbers(text)
    except ValueError:
        return None
    if len(numbers) not in (3, 4) or not all(0.0 <= value <= 1.0 for value in numbers[:RGB]):
        return None
    red, green, blue, opacity = (*numbers, 1.0)[:4]
    if np.isnan(opacity):
        return None
    if not 0.0 <= opacity <= 1.0:
        message = f"Clamping opacity {opacity:g} of the colour {text!r} to the range from 0 to 1"
        warnings.warn(message, UserWarning, stacklevel=2)
    return red, green, blue, min(max(opacity, 0.0), 1.0)


def urdf_colours(root: Element) -> dict[str, Colour]:
    """Return the colours of the materials that a URDF names, wherever they are defined; the first definition counts."""
    named: dict[str, Colour] = {}
    waiting = [root]
    while waiting:
        element = waiting.pop()
        if element.tag == "material":
            colour = _stated(element)
            if colour is not None:
                named.setdefault(element.attributes.get("name", ""), colour)
        elif element.tag in ("robot", "link", "visual"):
            waiting += reversed(element.children)
    return named


def urdf_colour(visual: Element, named: dict[str, Colour]) -> Colour | None:
    """Return the colour of a URDF `<visual>`: that of its material, defined there or elsewhere in the file."""
    material = next(visual.all("material"), None)
    if material is None:
        return None
    return _stated(material) or named.get(material.attributes.get("name", ""))


def _stated(material: Element) -> Colour | None:
    colour = next(material.all("color"), None)
    return None if colour is None else colour_of(colour.attributes.get("rgba", ""))


def sdf_colour(visual: Element) -> Colour | None:
    """Return the colour of an SDFormat `<visual>`: the diffuse colour of its material."""
    material = next(visual.all("material"), None)
    diffuse = None if material is None else next(material.all("diffuse"), None)
    return None if diffuse is None else colour_of(diffuse.text)
