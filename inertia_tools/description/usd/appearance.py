# SPDX-FileCopyrightText: The inertia_tools authors
# SPDX-License-Identifier: Apache-2.0
"""Appearance of geometric prims: the bound material, and their own colour and opacity.

Colours here are encoded for display (sRGB), as in files of other formats, whatever space the stage states.
"""

from __future__ import annotations

import warnings
from dataclasses import dataclass
from typing import Any

import numpy as np

from inertia_tools.description.usd.attributes import beginning
from inertia_tools.description.usd.colour_space import encoded_colours, stated_space
from inertia_tools.description.usd.library import pxr
from inertia_tools.description.usd.texture import MapReader, Picture, coordinates_of, picture_of

Rgb = tuple[float, float, float]

WHITE: Rgb = (1.0, 1.0, 1.0)
NEUTRAL = 0.18
"""Each linear channel of UsdPreviewSurface if no colour is stated."""

COLOURS = (
    "diffuseColor", "baseColor", "base_color", "diffuse_color", "diffuse_color_constant", "diffuse_reflection_color",
)  # fmt: skip
"""Inputs of surface shaders for the diffuse colour, in order of precedence."""

ROUGHNESS = ("roughness", "reflection_roughness_constant", "specular_roughness")
METALLIC = ("metallic", "metallic_constant", "metalness", "base_metalness")
OPACITY = ("opacity", "opacity_constant")


@dataclass(frozen=True, eq=False)
class Appearance:
    """Appearance of a prim; None for each value that is not stated.

    Attributes:
        colour: Red, green and blue from 0 to 1, encoded for display; white under a texture image.
        opacity: From 0, transparent, to 1, opaque.
        roughness: From 0 to 1.
        metallic: From 0 to 1.
        picture: The texture image of its colour.
        coordinates: Name of the primvar with the texture coordinates of its material; empty for the default one.
    """

    colour: Rgb | None = None
    opacity: float | None = None
    roughness: float | None = None
    metallic: float | None = None
    picture: Picture | None = None
    coordinates: str = ""


def appearance_of(prim: Any) -> Appearance:
    """Return the appearance of a geometric prim, or of a subset of a mesh.

    The bound material overrides `displayColor` and `displayOpacity`, which a prim inherits from its ancestors.
    """
    shader = _surface_shader(prim)
    picture = None if shader is None else MapReader(COLOURS).find(shader)
    coordinates = "" if shader is None else (picture.coordinates if picture is not None else coordinates_of(shader))
    colour: Rgb | None = WHITE
    if picture is None:
        colour = _shader_colour(shader) or _display_colour(prim)
    else:
        picture = picture_of(picture)
    opacity = _number(shader, OPACITY)
    if opacity is None:
        own = _first_value(prim, "displayOpacity")
        opacity = None if own is None else float(own)
    return Appearance(colour, opacity, _number(shader, ROUGHNESS), _number(shader, METALLIC), picture, coordinates)


def is_drawn(prim: Any) -> bool:
    """Return whether a viewport draws a prim: it is visible, and its purpose is neither guide nor render."""
    lib = pxr()
    imageable = lib.UsdGeom.Imageable(prim)
    if imageable.ComputeVisibility(beginning()) == lib.UsdGeom.Tokens.invisible:
        return False
    return imageable.ComputePurpose() in (lib.UsdGeom.Tokens.default_, lib.UsdGeom.Tokens.proxy)


def _surface_shader(prim: Any) -> Any | None:
    """Return the shader of the material that is bound to a prim; None without one."""
    lib = pxr()
    material, _ = lib.UsdShade.MaterialBindingAPI(prim).ComputeBoundMaterial()
    if not material:
        return None
    for context in ("", "mdl", "mtlx"):
        source = material.ComputeSurfaceSource(context)
        if source and source[0]:
            return source[0]
    shaders = (child for child in material.GetPrim().GetChildren() if child.IsA(lib.UsdShade.Shader))
    first = next(shaders, None)
    return None if first is None else lib.UsdShade.Shader(first)


def _value(shader: Any, names: tuple[str, ...]) -> tuple[Any, Any]:
    """Return the first stated value among inputs of a shader, or their sources, and its attribute; None for none."""
    for name in names if shader is not None else ():
        one = shader.GetInput(name)
        for attribute in one.GetValueProducingAttributes() if one else ():
            value = attribute.Get(beginning())
            if value is not None:
                return value, attribute
    return None, None


def _number(shader: Any, names: tuple[str, ...]) -> float | None:
    value, _ = _value(shader, names)
    return None if value is None or np.size(value) != 1 else float(value)


def _shader_colour(shader: Any) -> Rgb | None:
    """Return the diffuse colour of a surface shader."""
    value, attribute = _value(shader, COLOURS)
    return None if value is None or np.size(value) != len(WHITE) else _encoded(value, attribute)


def _display_colour(prim: Any) -> Rgb | None:
    """Return the first `displayColor` that a prim states or inherits."""
    primvar = pxr().UsdGeom.PrimvarsAPI(prim).FindPrimvarWithInheritance("displayColor")
    first = _first_value(prim, "displayColor")
    return None if first is None or np.size(first) != len(WHITE) else _encoded(first, primvar.GetAttr())


def _encoded(colour: Any, attribute: Any) -> Rgb:
    where = str(attribute.GetPath())
    red, green, blue = encoded_colours(np.array(colour, dtype=np.float64), stated_space(attribute), where).tolist()
    return red, green, blue


def _first_value(prim: Any, name: str) -> Any:
    """Return the first value of a primvar that a prim states or inherits; None for none."""
    primvar = pxr().UsdGeom.PrimvarsAPI(prim).FindPrimvarWithInheritance(name)
    values = primvar.ComputeFlattened(beginning()) if primvar and primvar.HasValue() else None
    if not values:
        return None
    if len(values) > 1 and name == "displayOpacity":
        message = f"{prim.GetPath()}: {name} varies over the prim; using the first value"
        warnings.warn(message, UserWarning, stacklevel=4)
    return values[0]
