# SPDX-FileCopyrightText: The inertia_tools authors
# SPDX-License-Identifier: Apache-2.0
"""What a prim looks like by the material that is bound to it."""

from __future__ import annotations

from typing import Any

from inertia_tools.description.usd.appearance import appearance_of


def resolve_material_properties_for_prim(prim: Any) -> dict[str, Any]:
    """Return what a geometric prim, or a subset of a mesh, looks like.

    The material bound to it counts, by OpenUSD's rules of strength, purpose and collections; what the material leaves
    open is taken from `displayColor` and `displayOpacity`, which a prim inherits from those above it.

    Args:
        prim: A `pxr.Usd.Prim`.

    Returns:
        `color`: red, green and blue from 0 to 1, encoded for display (sRGB), white under a texture; `opacity`,
        `roughness` and `metallic`, from 0 to 1; `texture`: the file of the picture that gives the colour, or the
        picture itself, encoded for display, shape (height, width, channels), where the file is linear. Each is None
        where nothing states it.
    """
    seen = appearance_of(prim)
    return {
        "color": seen.colour,
        "opacity": seen.opacity,
        "roughness": seen.roughness,
        "metallic": seen.metallic,
        "texture": None if seen.picture is None else seen.picture.source,
    }
