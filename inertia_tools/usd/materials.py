# SPDX-FileCopyrightText: The inertia_tools authors
# SPDX-License-Identifier: Apache-2.0
"""The appearance of a prim from its bound material."""

from __future__ import annotations

from typing import Any

from inertia_tools.description.usd.appearance import appearance_of


def resolve_material_properties_for_prim(prim: Any) -> dict[str, Any]:
    """Return the appearance of a geometric prim, or of a subset of a mesh.

    The material bound to it counts, by OpenUSD's rules of strength, purpose and collections; values that the material
    does not state come from `displayColor` and `displayOpacity`, which a prim inherits from its ancestors.

    Args:
        prim: A `pxr.Usd.Prim`.

    Returns:
        `color`: red, green and blue from 0 to 1, encoded for display (sRGB), white under a texture; `opacity`,
        `roughness` and `metallic`, from 0 to 1; `texture`: the file of the colour's image, or the image itself, encoded
        for display, shape (height, width, channels), if the file is linear. Each is None if it is not stated.
    """
    seen = appearance_of(prim)
    return {
        "color": seen.colour,
        "opacity": seen.opacity,
        "roughness": seen.roughness,
        "metallic": seen.metallic,
        "texture": None if seen.picture is None else seen.picture.source,
    }
