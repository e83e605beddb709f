# SPDX-FileCopyrightText: The inertia_tools authors
# SPDX-License-Identifier: Apache-2.0
"""The image texture of a surface: its file, its texture coordinates, and their transform."""

from __future__ import annotations

import logging
import math
from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np

from inertia_tools.description.usd.attributes import beginning
from inertia_tools.description.usd.colour_space import ENCODED, encoded_colours, known_space, stated_space

LOG = logging.getLogger(__name__)

Rows = tuple[tuple[float, float, float], tuple[float, float, float]]

UNMOVED: Rows = ((1.0, 0.0, 0.0), (0.0, 1.0, 0.0))
COLOUR_FILES = ("diffuse", "basecolor", "base_color", "albedo")
"""Parts of the names of MDL asset inputs for the colour of a surface."""

CHANNEL = frozenset({"r", "g", "b", "a"})
"""Outputs of a texture that are a single channel, which is not a colour."""

BRIGHTEST = 255.0
"""Largest value of a channel of eight bits."""


@dataclass(frozen=True, eq=False)
class Picture:
    """An image texture of a surface.

    Attributes:
        source: Its file; or the image itself, encoded for display, shape (height, width, channels), if the file is in
            another colour space and can be read.
        coordinates: Name of the primvar with the texture coordinates; empty for the default one.
        transform: Two rows that map coordinates (u, v, 1) to those of the image.
        space: Colour space of the file by OpenUSD's name.
    """

    source: str | np.ndarray
    coordinates: str = ""
    transform: Rows = UNMOVED
    space: str = ENCODED


class MapReader:
    """Finds the image texture for the colour of a surface."""

    def __init__(self, colours: Sequence[str]) -> None:
        """Store the names of the colour inputs."""
        self._colours = colours

    def find(self, shader: Any) -> Picture | None:
        """Return the image texture of a surface shader: one connected to a colour input, or an asset named as one."""
        for name in self._colours:
            one = shader.GetInput(name)
            sources = one.GetConnectedSources()[0] if one else ()
            for source in sources:
                picture = None if str(source.sourceName) in CHANNEL else _of_node(_shader(source))
                if picture is not None:
                    return picture
        return _of_assets(shader)


def picture_of(picture: Picture) -> Picture:
    """Return an image texture for display: a readable file in another colour space is converted."""
    if picture.space == ENCODED or not Path(str(picture.source)).is_file():
        return picture
    try:
        from PIL import Image  # type: ignore[import-untyped,unused-ignore]

        with Image.open(str(picture.source)) as file:
            pixels = np.asarray(file.convert("RGBA"))
    except (ImportError, OSError) as error:
        LOG.info("%s: the texture is not converted: %s", picture.source, error)
        return picture
    colours = encoded_colours(pixels[..., :3] / BRIGHTEST, picture.space, str(picture.source))
    coded = np.round(BRIGHTEST * colours).astype(np.uint8)
    return replace(picture, source=np.concatenate([coded, pixels[..., 3:]], axis=-1), space=ENCODED)


def _shader(source: Any) -> Any:
    from inertia_tools.description.usd.library import pxr

    return pxr().UsdShade.Shader(source.source.GetPrim())


def _stated(shader: Any, name: str) -> Any:
    return _stated_with_attribute(shader, name)[0]


def _stated_with_attribute(shader: Any, name: str) -> tuple[Any, Any]:
    """Return the value of an input, or of its source, and its attribute; None for none."""
    one = shader.GetInput(name)
    attributes = one.GetValueProducingAttributes() if one else ()
    values = ((each.Get(beginning()), each) for each in attributes)
    return next((found for found in values if found[0] is not None), (None, None))


def _path(asset: Any) -> str:
    return str(asset.resolvedPath or asset.path)


def _of_node(shader: Any) -> Picture | None:
    """Return the image of a texture node; None for another node, or one without a file."""
    file, attribute = _stated_with_attribute(shader, "file")
    if file is None or not _path(file):
        return None
    space = known_space(str(_stated(shader, "sourceColorSpace") or ""))
    coordinates, transform = _mapping(shader)
    return Picture(_path(file), coordinates, transform, space or stated_space(attribute) or ENCODED)


def _mapping(shader: Any) -> tuple[str, Rows]:
    """Return the primvar of a texture node's coordinates, and their transform."""
    transform = UNMOVED
    one = shader.GetInput("st")
    for _ in range(2):  # a primvar reader, perhaps behind one transform
        sources = one.GetConnectedSources()[0] if one else ()
        if not sources:
            break
        node = _shader(sources[0])
        if str(node.GetIdAttr().Get()) == "UsdTransform2d":
            transform, one = _moved(node), node.GetInput("in")
            continue
        return str(_stated(node, "varname") or ""), transform
    return "", transform


def _moved(node: Any) -> Rows:
    """Return the map of a UsdTransform2d: scale, then rotate counter-clockwise, then translate."""
    across, up = (float(part) for part in _stated(node, "scale") or (1.0, 1.0))
    right, high = (float(part) for part in _stated(node, "translation") or (0.0, 0.0))
    angle = math.radians(float(_stated(node, "rotation") or 0.0))
    cosine, sine = math.cos(angle), math.sin(angle)
    return (across * cosine, -up * sine, right), (across * sine, up * cosine, high)


def _of_assets(shader: Any) -> Picture | None:
    """Return the image that an input names itself, as in MDL."""
    for one in shader.GetInputs():
        name = str(one.GetBaseName()).lower()
        if not any(word in name for word in COLOUR_FILES):
            continue
        value, attribute = _stated_with_attribute(shader, one.GetBaseName())
        if value is not None and hasattr(value, "resolvedPath") and _path(value):
            return Picture(_path(value), coordinates_of(shader), space=stated_space(attribute) or ENCODED)
    return None


def coordinates_of(shader: Any) -> str:
    """Return the primvar for the index of a set of texture coordinates; empty for the default one."""
    number = _stated(shader, "uv_space_index")
    return "" if not number else f"st_{int(number)}"
