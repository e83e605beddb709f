# SPDX-FileCopyrightText: The inertia_tools authors
# SPDX-License-Identifier: Apache-2.0
"""What links look like: triangles of their visuals, or of their collisions where they have none."""

from __future__ import annotations

import logging
from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

from inertia_tools.description.types import Link, Plane
from inertia_tools.errors import InertiaToolsError
from inertia_tools.geometry.tessellation import shape_surface
from inertia_tools.spatial import Array

LOG = logging.getLogger(__name__)

RING = 32
"""Points on a circle of round shapes."""

GREY = (0.7, 0.7, 0.72)
"""Of shapes that state no colour: red, green, blue from 0 to 1."""


@dataclass(frozen=True, eq=False)
class LinkSurface:
    """Triangles of one shape.

    Attributes:
        vertices: Corners in the link's frame [m], shape (n, 3).
        triangles: Three indices each, shape (m, 3).
        colour: Red, green, blue from 0 to 1.
    """

    vertices: Array
    triangles: np.ndarray
    colour: tuple[float, float, float]


def link_surfaces(link: Link) -> Iterator[LinkSurface]:
    """Yield what a link looks like; a shape that cannot be shown is named in the log."""
    for shape in link.visuals or link.collisions:
        if isinstance(shape.geometry, Plane):
            continue  # the grid stands for the ground
        try:
            surface = shape_surface(shape, RING)
        except InertiaToolsError as error:
            LOG.warning("%s: link %r: a shape is not shown: %s", shape.place, link.name, error)
            continue
        if surface is not None:
            colour = GREY if shape.colour is None else shape.colour[:3]
            yield LinkSurface(surface.vertices, surface.triangles, colour)
