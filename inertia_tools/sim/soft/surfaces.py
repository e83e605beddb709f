# SPDX-FileCopyrightText: The inertia_tools authors
# SPDX-License-Identifier: Apache-2.0
"""The surfaces of shapes that particles collide with."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np
import warp as wp

from inertia_tools.sim.kernels.on_device import OnDevice
from inertia_tools.sim.kernels.precision import precision
from inertia_tools.sim.rays.ray_scene import tree_of
from inertia_tools.sim.scene.built_shape import BuiltShape
from inertia_tools.sim.scene.geo_type import SCALED, GeoType


@wp.struct
class Surfaces:
    """Surfaces of the shapes of a scene, one entry each.

    Copies of the scene have the same shapes on their own bodies.
    """

    count: wp.int32
    bodies: wp.int32  # bodies of one copy; zero if worlds were built one by one
    shapes: wp.int32  # shapes of one copy; likewise
    shape: wp.array[wp.int32]  # index among all shapes of the scene
    world: wp.array[wp.int32]  # its world, if worlds were built one by one; -1 for all
    kind: wp.array[wp.int32]
    size: wp.array[wp.vec3d]
    mesh: wp.array[wp.uint64]
    reach: wp.array[wp.float64]  # radius of the bounding sphere about its origin; negative for an infinite plane
    body: wp.array[wp.int32]  # -1 is the world
    point: wp.array[wp.vec3d]  # its frame seen from the body's
    turn: wp.array[wp.quatd]
    margin: wp.array[wp.float64]


@dataclass(eq=False)
class SurfaceScene:
    """Shapes that collide with particles, on a device.

    Attributes:
        shapes: All shapes of the scene.
        bodies: Number of bodies of each copy; zero where worlds were begun one by one.
        shapes_each: Number of shapes of each; likewise.
        device: Where they lie, as Warp names it.
        data: Structure of arrays.
    """

    shapes: Sequence[BuiltShape]
    bodies: int
    shapes_each: int
    device: str
    data: Any = field(init=False)
    _trees: list[Any] = field(init=False, default_factory=list)

    def __post_init__(self) -> None:
        """Copy the shapes to the device."""
        touching = [
            s for s, shape in enumerate(self.shapes) if shape.config.has_particle_collision and not shape.config.is_site
        ]
        shapes = [self.shapes[s] for s in touching]
        data: Any = Surfaces()
        array = OnDevice(precision("float64"), self.device).array
        self.data = data
        data.count, data.bodies = len(shapes), self.bodies
        data.shapes, data.shape = self.shapes_each, array(touching, wp.int32)
        meshes = [self._tree(shape) for shape in shapes]
        data.mesh = array([mesh for mesh, _ in meshes], wp.uint64)
        data.kind = array([int(shape.kind) for shape in shapes], wp.int32)
        data.size = array([shape.scale for shape in shapes], wp.vec3d)
        reaches = [_reach(shape, far) for shape, (_, far) in zip(shapes, meshes, strict=True)]
        data.reach = array(reaches, wp.float64)
        data.body = array([shape.body for shape in shapes], wp.int32)
        data.world = array([shape.world for shape in shapes], wp.int32)
        data.point = array([shape.pose.position for shape in shapes], wp.vec3d)
        data.turn = array([shape.pose.quaternion for shape in shapes], wp.quatd)
        data.margin = array([shape.config.margin if shape.config.is_solid else 0.0 for shape in shapes], wp.float64)

    def _tree(self, shape: BuiltShape) -> tuple[int, float]:
        """Return the identifier of a shape's hierarchy of triangles, and their reach [m]; zeros if there is none."""
        if shape.kind not in SCALED:
            return 0, 0.0
        tree = tree_of(shape, self.device)
        self._trees.append(tree)
        return int(tree.id), float(np.linalg.norm(tree.points.numpy(), axis=1).max())


def _reach(shape: BuiltShape, far: float) -> float:
    """Return the radius of the bounding sphere about the origin of a shape's frame; -1 for an infinite plane [m]."""
    a, b, c = shape.scale
    if shape.kind is GeoType.PLANE:
        return float(np.hypot(a, b)) / 2.0 if a > 0.0 and b > 0.0 else -1.0
    if shape.kind is GeoType.SPHERE:
        return float(a)
    if shape.kind is GeoType.CAPSULE:
        return float(a + b)
    if shape.kind in (GeoType.CYLINDER, GeoType.CONE):
        return float(np.hypot(a, b))
    if shape.kind is GeoType.BOX:
        return float(np.linalg.norm((a, b, c)))
    if shape.kind is GeoType.ELLIPSOID:
        return float(max(a, b, c))
    return far
