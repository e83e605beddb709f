# SPDX-FileCopyrightText: The inertia_tools authors
# SPDX-License-Identifier: Apache-2.0
"""Shapes of a robot description as shapes of a scene."""

from __future__ import annotations

from inertia_tools.description.types import Box, Capsule, Cylinder, Geometry, Shape, Sphere
from inertia_tools.description.types import Mesh as MeshFile
from inertia_tools.errors import SimulationError
from inertia_tools.geometry.mesh_file import read_mesh
from inertia_tools.sim.geo_type import GeoType
from inertia_tools.sim.mesh_shape import UNSCALED, Mesh, Triple
from inertia_tools.sim.scene_bodies import WORLD
from inertia_tools.sim.scene_shapes import BuiltShape, build_shape
from inertia_tools.sim.shape_config import ShapeConfig


def shape_of_link(shape: Shape, config: ShapeConfig, link: str) -> BuiltShape:
    """Build a shape in the frame of its link, not yet on a body; a mesh collides as its hull.

    Raises:
        MeshError: A mesh cannot be read.
        OptionError: A size is not positive.
        SimulationError: A mesh is flat, or shapes of this kind do not collide.
    """
    kind, scale, mesh = _parts(shape.geometry)
    return build_shape(WORLD, kind, scale, mesh, shape.pose_link_shape, config, link)


def _parts(geometry: Geometry) -> tuple[GeoType, Triple, Mesh | None]:
    match geometry:
        case Box((x, y, z)):
            return GeoType.BOX, (0.5 * x, 0.5 * y, 0.5 * z), None
        case Sphere(radius):
            return GeoType.SPHERE, (radius, 0.0, 0.0), None
        case Cylinder(radius, length):
            return GeoType.CYLINDER, (radius, 0.5 * length, 0.0), None
        case Capsule(radius, length):
            return GeoType.CAPSULE, (radius, 0.5 * length, 0.0), None
        case MeshFile():
            triangles = read_mesh(geometry)
            return GeoType.MESH, UNSCALED, Mesh(triangles.vertices, triangles.triangles, compute_inertia=False)
    raise SimulationError(f"a {type(geometry).__name__.lower()} does not collide yet")
