# SPDX-FileCopyrightText: The inertia_tools authors
# SPDX-License-Identifier: Apache-2.0
"""Kinds of shapes that a scene can hold."""

from __future__ import annotations

import enum


class GeoType(enum.IntEnum):
    """Geometry of a shape; the numbers are those of Newton, so that its scripts may pass them."""

    PLANE = 1
    HFIELD = 2
    SPHERE = 3
    CAPSULE = 4
    ELLIPSOID = 5
    CYLINDER = 6
    BOX = 7
    MESH = 8
    CONE = 9
    CONVEX_MESH = 10


WEIGHTLESS = frozenset({GeoType.PLANE, GeoType.HFIELD})
"""Shapes that bound the world and have no volume: they never add mass."""

SCALED = frozenset({GeoType.MESH, GeoType.CONVEX_MESH, GeoType.HFIELD})
"""Shapes given by a mesh or by heights, whose scale is a factor along each axis rather than a size."""
