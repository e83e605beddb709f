# SPDX-FileCopyrightText: The inertia_tools authors
# SPDX-License-Identifier: Apache-2.0
"""The shapes of a scene, prepared for ray casting."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np
import warp as wp

from inertia_tools.kernel_loading import launch
from inertia_tools.sim.collide.surface import height_triangles
from inertia_tools.sim.rays.surface_kernels import cast_kernel
from inertia_tools.sim.scene.body_motion import BodyMotion
from inertia_tools.sim.scene.built_shape import BuiltShape
from inertia_tools.sim.scene.geo_type import SCALED, GeoType
from inertia_tools.sim.scene.heightfield import Heightfield
from inertia_tools.sim.scene.mesh_shape import Mesh, hull_of
from inertia_tools.spatial import Array


@dataclass(frozen=True, eq=False)
class RayHits:
    """First hits of rays, one entry each.

    Attributes:
        distances: Distance from the origin of the ray [m]; infinite without a hit; shape (n,).
        points: Point of the hit in the world [m]; NaN without a hit; shape (n, 3).
        normals: Outward unit normal at the hit; NaN without a hit; shape (n, 3).
        links: Label of the shape that is hit; None without a hit.
    """

    distances: Array
    points: Array
    normals: Array
    links: tuple[str | None, ...]


@dataclass(eq=False)
class RayScene:
    """Shapes with collision, on a device.

    Attributes:
        shapes: The shapes.
        device: Name of the Warp device.
    """

    shapes: Sequence[BuiltShape]
    device: str
    _trees: list[Any] = field(init=False, default_factory=list)

    def __post_init__(self) -> None:
        """Copy the constant data to the device."""
        self.shapes = [shape for shape in self.shapes if shape.config.has_shape_collision]
        meshes = [self._tree(shape) for shape in self.shapes]
        self._kind = self._array([int(shape.kind) for shape in self.shapes], wp.int32)
        self._size = self._array([shape.scale for shape in self.shapes], wp.vec3d)
        self._mesh = self._array(meshes, wp.uint64)

    def cast(
        self, motion: BodyMotion, origins: Array, directions: Array, reach: float, unseen: Collection[str]
    ) -> RayHits:
        """Cast rays and return their first hits.

        Args:
            motion: Poses of the bodies.
            origins: Origins of the rays in the world [m], shape (n, 3).
            directions: Unit vectors, shape (n, 3).
            reach: Length of the rays [m]; may be infinite.
            unseen: Labels of shapes that rays pass through.
        """
        count = len(origins)
        poses = [motion.pose(shape.body) @ shape.pose for shape in self.shapes]
        distance, shape = wp.zeros(count, dtype=wp.float64, device=self.device), self._array(np.zeros(count), wp.int32)
        normal = wp.zeros(count, dtype=wp.vec3d, device=self.device)
        inputs = [
            *(self._kind, self._size, self._mesh),
            self._array([pose.position for pose in poses], wp.vec3d),
            self._array([pose.rotation for pose in poses], wp.mat33d),
            self._array([int(one.label in unseen) for one in self.shapes], wp.int32),
            *(self._array(origins, wp.vec3d), self._array(directions, wp.vec3d), wp.float64(min(reach, 1e300))),
        ]
        launch(cast_kernel(), count, inputs, [distance, normal, shape], self.device)
        met = shape.numpy() >= 0
        distances = np.where(met, distance.numpy(), np.inf)
        points = origins + np.where(met, distances, np.nan)[:, None] * directions
        normals = np.where(met[:, None], normal.numpy(), np.nan)
        labels = tuple(self.shapes[index].label if index >= 0 else None for index in shape.numpy().tolist())
        return RayHits(distances, points, normals, labels)

    def _tree(self, shape: BuiltShape) -> int:
        """Return the identifier of a shape's hierarchy of triangles; zero for a shape without one."""
        if shape.kind not in SCALED:
            return 0
        self._trees.append(tree_of(shape, self.device))
        return int(self._trees[-1].id)

    def _array(self, values: Any, dtype: Any) -> Any:
        return wp.array(values, dtype=dtype, device=self.device)


def tree_of(shape: BuiltShape, device: str) -> Any:
    """Return a Warp mesh of a shape's triangles in its frame, for queries by rays and particles."""
    corners = triangles_of(shape).reshape(-1, 3)
    points: Any = wp.array(corners, dtype=wp.vec3, device=device)
    indices: Any = wp.array(np.arange(len(corners)), dtype=wp.int32, device=device)
    return wp.Mesh(points=points, indices=indices)


def triangles_of(shape: BuiltShape) -> Array:
    """Return the corners of a shape's triangles in its frame [m], shape (n, 3, 3)."""
    if isinstance(shape.source, Heightfield):
        return np.asarray(height_triangles(shape.source) * np.asarray(shape.scale))
    assert isinstance(shape.source, Mesh)
    source = hull_of(shape.source.vertices) if shape.kind is GeoType.CONVEX_MESH else shape.source
    mesh = source.triangles(shape.scale)
    return np.asarray(mesh.vertices[mesh.triangles])
