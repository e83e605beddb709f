# SPDX-FileCopyrightText: The inertia_tools authors
# SPDX-License-Identifier: Apache-2.0
"""The colour space of a colour or an image on a stage, and conversion to display colours (sRGB).

An attribute states its space itself, or inherits that of the nearest ancestor with `ColorSpaceAPI`. Without either, a
colour is linear, as in UsdPreviewSurface, and an image is encoded for display.
"""

from __future__ import annotations

import warnings
from typing import Any

import numpy as np

from inertia_tools.description.colour import for_display
from inertia_tools.description.usd.library import pxr
from inertia_tools.spatial import Array

ENCODED = "srgb_rec709_scene"
"""OpenUSD's name of the space of colours in this package."""

LINEAR = "lin_rec709_scene"
"""The same primaries without the curve."""

_NAMES = {
    "": "", "auto": "",
    "srgb": ENCODED, "srgb_texture": ENCODED, "srgb_rec709_display": ENCODED, ENCODED: ENCODED,
    "linear": LINEAR, "lin_srgb": LINEAR, "lin_rec709": LINEAR, "raw": LINEAR, "data": LINEAR, "identity": LINEAR,
    LINEAR: LINEAR, "acescg": "lin_ap1_scene",
}  # fmt: skip
"""Spaces by the words for them in lower case: those of OpenUSD, of its texture nodes, of MaterialX and of OpenColorIO.

Numbers that are stated as data are what a shader computes with, which is linear."""


def stated_space(attribute: Any) -> str:
    """Return the colour space of an attribute by OpenUSD's name; empty where nothing states one."""
    lib = pxr()
    own = str(attribute.GetColorSpace() or "")
    if own or not hasattr(lib.Usd, "ColorSpaceAPI"):
        return known_space(own)
    return known_space(str(lib.Usd.ColorSpaceAPI.ComputeColorSpaceName(attribute, None)))


def known_space(name: str) -> str:
    """Return OpenUSD's name of a space for any of its names; empty for "automatic" ones, an unknown name unchanged."""
    return _NAMES.get(name.strip().lower(), name)


def encoded_colours(colours: Array, space: str, where: str) -> Array:
    """Return colours encoded for display, from 0 to 1.

    A space that OpenUSD does not know, or that this release cannot convert, causes a warning: its colours count as
    linear.

    Args:
        colours: Red, green and blue, shape (..., 3).
        space: Their space, as returned by `stated_space`.
        where: The object that states them, for the warning.
    """
    if space == ENCODED:
        return np.clip(np.asarray(colours, dtype=np.float64), 0.0, 1.0)
    if space in ("", LINEAR):
        return for_display(colours)
    lib = pxr().Gf
    if not hasattr(lib, "ColorSpace") or not lib.ColorSpace.IsValid(space):
        warnings.warn(
            f"{where} has the unknown colour space {space!r} and is taken as linear; use {ENCODED} or {LINEAR}",
            UserWarning,
            stacklevel=4,
        )
        return for_display(colours)
    from_space, to_space = lib.ColorSpace(space), lib.ColorSpace(LINEAR)
    primaries = np.linalg.solve(np.array(to_space.GetRGBToXYZ()), np.array(from_space.GetRGBToXYZ()))
    return for_display(_light(np.asarray(colours, dtype=np.float64), from_space) @ primaries.T)


def _light(colours: Array, space: Any) -> Array:
    """Return the linear values of colours of a space: linear near black, then a power."""
    end_of_line, slope = space.GetTransferFunctionParams()
    bias = space.GetLinearBias()
    power = ((np.maximum(colours, 0.0) + bias) / (1.0 + bias)) ** float(space.GetGamma())
    return np.asarray(np.where(colours <= end_of_line, colours / slope, power))
