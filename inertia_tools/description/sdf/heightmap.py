# SPDX-FileCopyrightText: The inertia_tools authors
# SPDX-License-Identifier: Apache-2.0
"""The `<heightmap>` of SDFormat: terrain from the brightness of an image."""

from __future__ import annotations

import numpy as np

from inertia_tools.description.content import content_of
from inertia_tools.description.geometry import HeightGrid, Heightmap
from inertia_tools.description.png import read_brightness
from inertia_tools.description.resources import resolve_uri
from inertia_tools.description.sdf.values import numbers_in, text_in
from inertia_tools.description.source import Document
from inertia_tools.description.xml import Element

UNIT = (1.0, 1.0, 1.0)
HERE = (0.0, 0.0, 0.0)


def read_heightmap(element: Element, document: Document) -> Heightmap:
    """Read a heightmap; it has no heights if its file is not found, or is not a PNG of 8 or 16 bits.

    As in Gazebo, the brightest pixel is at the height of `<size>`, black is at zero, and the top of the image has the
    largest y; here the outermost pixels are on the border. `<sampling>` adds points between pixels, and is ignored.

    Raises:
        ParseError: A size or a position is not a number.
    """
    uri = text_in(element, "uri")
    x, y, z = numbers_in(element, "size", 3, UNIT)
    px, py, pz = numbers_in(element, "pos", 3, HERE)
    path = resolve_uri(uri, document) if uri else None
    if path is None or not (x > 0.0 and y > 0.0):
        return Heightmap(uri)
    try:
        bright = read_brightness(content_of(path))[::-1].astype(np.float64)
    except (OSError, ValueError):
        return Heightmap(uri)
    if min(bright.shape) < 2:
        return Heightmap(uri)
    heights = z * bright / max(float(bright.max()), 1.0)
    return Heightmap(uri, HeightGrid(heights, 0.5 * x, 0.5 * y), (px, py, pz))
