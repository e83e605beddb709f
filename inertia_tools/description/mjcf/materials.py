# SPDX-FileCopyrightText: The inertia_tools authors
# SPDX-License-Identifier: Apache-2.0
"""The colours of MJCF materials: their own, times the mean of a procedural texture."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np

from inertia_tools.description.colour import Colour, colour_of
from inertia_tools.description.mjcf.defaults import MAIN, Defaults
from inertia_tools.description.xml import Element

WHITE: Colour = (1.0, 1.0, 1.0, 1.0)
"""Colour of a material that states none."""

FIRST, SECOND = (0.8, 0.8, 0.8, 1.0), (0.5, 0.5, 0.5, 1.0)
"""`rgb1` and `rgb2` of a procedural texture that states none."""


def read_material_colours(root: Element, defaults: Defaults) -> dict[str, Colour]:
    """Return the colour of each material by name; a texture from a file does not change it."""
    means = _texture_means(root, defaults)
    found: dict[str, Colour] = {}
    for section in root.all("asset"):
        for element in section.all("material"):
            words = defaults.completed(element, MAIN).attributes
            own = colour_of(words.get("rgba", "")) or WHITE
            red, green, blue, _ = means.get(words.get("texture", ""), WHITE)
            found[words.get("name", "")] = (own[0] * red, own[1] * green, own[2] * blue, own[3])
    return found


def geom_colour(words: Mapping[str, str], materials: Mapping[str, Colour]) -> Colour | None:
    """Return the colour of a geom or a site: its `rgba`, else that of its material."""
    return colour_of(words.get("rgba", "")) or materials.get(words.get("material", ""))


def _texture_means(root: Element, defaults: Defaults) -> dict[str, Colour]:
    """Return the mean colour of each procedural texture by name.

    A checker has equal shares of its two colours, a gradient is their mean, and a flat texture has the first.
    """
    found: dict[str, Colour] = {}
    for section in root.all("asset"):
        for element in section.all("texture"):
            words = defaults.completed(element, MAIN).attributes
            kind = words.get("builtin", "none")
            if kind == "none":
                continue
            first, second = colour_of(words.get("rgb1", "")) or FIRST, colour_of(words.get("rgb2", "")) or SECOND
            red, green, blue, opacity = np.mean([first, first if kind == "flat" else second], axis=0).tolist()
            found[words.get("name", "")] = (red, green, blue, opacity)
    return found
