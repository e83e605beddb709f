# SPDX-FileCopyrightText: The inertia_tools authors
# SPDX-License-Identifier: Apache-2.0
"""Bounding box of a shape in its own frame."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from inertia_tools.sim.scene.geo_type import GeoType
from inertia_tools.sim.scene.heightfield import Heightfield
from inertia_tools.sim.scene.mesh_shape import Mesh
from inertia_tools.spatial import Array

if TYPE_CHECKING:
    from inertia_tools.sim.scene.built_shape import BuiltShape


def box_of_shape(shape: BuiltShape) -> tuple[Array, Array]:
    """Return the lowest and the highest corner [m], shape (3,) each; a plane is endless but for its solid side."""
    x, y, z = shape.scale
    half = {
        GeoType.SPHERE: (x, x, x),
        GeoType.BOX: (x, y, z),
        GeoType.ELLIPSOID: (x, y, z),
        GeoType.CAPSULE: (x, x, x + y),
        GeoType.CYLINDER: (x, x, y),
        GeoType.CONE: (x, x, y),
    }.get(shape.kind)
    if half is not None:
        return -np.array(half), np.array(half)
    if isinstance(shape.source, Heightfield):
        field = shape.source
        low, high = sorted((field.min_z, field.max_z))
        return np.array([-field.hx, -field.hy, low]), np.array([field.hx, field.hy, high])
    if isinstance(shape.source, Mesh):
        points = shape.source.triangles(shape.scale).used_vertices
        return points.min(axis=0), points.max(axis=0)
    reach = (0.5 * x or np.inf, 0.5 * y or np.inf)
    return np.array([-reach[0], -reach[1], -np.inf]), np.array([reach[0], reach[1], 0.0])
