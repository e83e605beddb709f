# SPDX-FileCopyrightText: The inertia_tools authors
# SPDX-License-Identifier: Apache-2.0
"""Colours as files write them. A colour that cannot be read is none: no robot weighs more or less for it."""

from __future__ import annotations

from inertia_tools.description.xml import Element, parse_numbers

Colour = tuple[float, float, float, float]
"""Red, green, blue and opacity, from 0 to 1."""


def colour_of(text: str) -> Colour | None:
    """Return the colour of three or four numbers; without the fourth it is opaque."""
    try:
        numbers = parse_numbers(text)
    except ValueError:
        return None
    if len(numbers) not in (3, 4) or not all(0.0 <= value <= 1.0 for value in numbers):
        return None
    red, green, blue, opacity = (*numbers, 1.0)[:4]
    return red, green, blue, opacity


def urdf_colours(root: Element) -> dict[str, Colour]:
    """Return the colours of the materials that a URDF names, wherever they are defined; the first one counts."""
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
    """Return the colour of a `<visual>` of URDF: that of its material, there or elsewhere in the file."""
    material = next(visual.all("material"), None)
    if material is None:
        return None
    return _stated(material) or named.get(material.attributes.get("name", ""))


def _stated(material: Element) -> Colour | None:
    colour = next(material.all("color"), None)
    return None if colour is None else colour_of(colour.attributes.get("rgba", ""))


def sdf_colour(visual: Element) -> Colour | None:
    """Return the colour of a `<visual>` of SDFormat: what its material scatters."""
    material = next(visual.all("material"), None)
    diffuse = None if material is None else next(material.all("diffuse"), None)
    return None if diffuse is None else colour_of(diffuse.text)
