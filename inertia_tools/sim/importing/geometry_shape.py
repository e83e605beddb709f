# SPDX-FileCopyrightText: The inertia_tools authors
# SPDX-License-Identifier: Apache-2.0
"""Shapes of a robot description as shapes of a scene."""

from __future__ import annotations

import logging
from dataclasses import replace

import numpy as np

from inertia_tools.description.types import (
    Box,
    Capsule,
    Cone,
    Cylinder,
    Ellipsoid,
    Geometry,
    Heightmap,
    OtherGeometry,
    Plane,
    Prism,
    Shape,
    Sphere,
)
from inertia_tools.description.types import Mesh as MeshFile
from inertia_tools.errors import SimulationError
from inertia_tools.geometry.mesh.file import read_mesh
from inertia_tools.sim.scene.bodies import WORLD
from inertia_tools.sim.scene.built_shape import BuiltShape, build_shape
from inertia_tools.sim.scene.geo_type import GeoType
from inertia_tools.sim.scene.heightfield import Heightfield
from inertia_tools.sim.scene.mesh_shape import UNSCALED, Mesh, Triple, hull_of
from inertia_tools.sim.scene.scene import Scene
from inertia_tools.sim.scene.shape_config import ShapeConfig
from inertia_tools.sim.scene.shape_inertia import Source
from inertia_tools.spatial import Pose, rotation_between

LOG = logging.getLogger(__name__)


def shape_of_link(shape: Shape, config: ShapeConfig, link: str) -> BuiltShape:
    """Build a shape in the frame of its link, not yet on a body; a mesh and a prism collide as their hulls.

    Raises:
        MeshError: A mesh cannot be read.
        OptionError: A size is not positive.
        SimulationError: A mesh that collides as its hull is flat, or the shape is a heightmap whose heights were not
            read.
    """
    kind, scale, mesh = _parts(shape.geometry)
    pose = shape.pose_link_shape
    if isinstance(shape.geometry, Plane):
        pose = pose @ Pose(rotation=rotation_between([0.0, 0.0, 1.0], shape.geometry.normal))
    elif isinstance(shape.geometry, Heightmap):
        pose = pose @ Pose(np.array(shape.geometry.position))
    return build_shape(WORLD, kind, scale, mesh, pose, config, link)


def leave_flat_out(builder: Scene, first_shape: int) -> None:
    """Disable collision of flat meshes without a hull, from a shape on, with a warning."""
    for index in range(first_shape, builder.shape_count):
        shape = builder.shapes[index]
        stays = shape.body == WORLD or builder.body_kinematic[shape.body] or builder.body_mass[shape.body] == 0.0
        if shape.is_without_hull(stays):
            LOG.warning("the mesh %s does not collide: it is flat, so it has no hull", shape.known_as)
            builder.shapes[index] = shape.rebuilt(config=replace(shape.config, has_shape_collision=False))


def limit_hulls(builder: Scene, first_shape: int, most: int | None) -> None:
    """Limit the number of hull vertices of meshes without an own limit, from a shape on; None for no limit."""
    for shape in builder.shapes[first_shape:] if most is not None else ():
        if isinstance(shape.source, Mesh) and shape.source.maxhullvert is None:
            shape.source.maxhullvert = most


def _parts(geometry: Geometry) -> tuple[GeoType, Triple, Source]:
    match geometry:
        case Box((x, y, z)):
            return GeoType.BOX, (0.5 * x, 0.5 * y, 0.5 * z), None
        case Sphere(radius):
            return GeoType.SPHERE, (radius, 0.0, 0.0), None
        case Cylinder(radius, length):
            return GeoType.CYLINDER, (radius, 0.5 * length, 0.0), None
        case Capsule(radius, length):
            return GeoType.CAPSULE, (radius, 0.5 * length, 0.0), None
        case Cone(radius, length):
            return GeoType.CONE, (radius, 0.5 * length, 0.0), None
        case Ellipsoid(semi_axes):
            return GeoType.ELLIPSOID, semi_axes, None
        case Prism(outlines, height):
            corners = np.array([corner for outline in outlines for corner in outline])
            levels = [np.column_stack([corners, np.full(len(corners), level)]) for level in (0.0, height)]
            return GeoType.CONVEX_MESH, UNSCALED, hull_of(np.concatenate(levels))
        case Plane():
            return GeoType.PLANE, (0.0, 0.0, 0.0), None
        case Heightmap(uri, grid, _):
            if grid is None:
                raise SimulationError(f"the heights of the heightmap {uri!r} were not read")
            rows, columns = grid.heights.shape
            return (
                GeoType.HFIELD,
                UNSCALED,
                Heightfield(grid.heights, rows, columns, grid.half_x, grid.half_y, max_z=grid.top),
            )
        case OtherGeometry(kind):
            raise SimulationError(f"<{kind}> is not a supported shape")
        case MeshFile():
            triangles = read_mesh(geometry)
            source = Mesh(
                triangles.vertices,
                triangles.triangles,
                compute_inertia=False,
                maxhullvert=geometry.hull_limit,
                maxhulls=geometry.parts_limit,
            )
            return GeoType.MESH, UNSCALED, source
