# SPDX-FileCopyrightText: The inertia_tools authors
# SPDX-License-Identifier: Apache-2.0
"""Simpler collision geometry of meshes: convex hull, convex parts, bounding box or bounding sphere."""

from __future__ import annotations

import copy
import importlib.util
from collections.abc import Iterable
from dataclasses import replace

import numpy as np

from inertia_tools.errors import OptionError, SimulationError
from inertia_tools.sim.scene.built_shape import BuiltShape
from inertia_tools.sim.scene.convex_parts import INSTALL
from inertia_tools.sim.scene.geo_type import GeoType
from inertia_tools.sim.scene.given import as_index, as_list
from inertia_tools.sim.scene.mesh_shape import Mesh
from inertia_tools.sim.scene.shapes import SceneShapes
from inertia_tools.spatial import Array, Pose

METHODS = ("convex_hull", "coacd", "bounding_box", "bounding_sphere")
"""Methods of `ModelBuilder.approximate_meshes`."""

MESHES = (GeoType.MESH, GeoType.CONVEX_MESH)
THINNEST = 1e-6
"""Least edge of the bounding box of a flat mesh, relative to its largest, so that the box has volume."""


def approximate(
    scene: SceneShapes, method: str, chosen: Iterable[int] | None, raise_on_failure: bool, keep_visual_shapes: bool
) -> set[int]:
    """Replace the collision geometry of meshes; see `ModelBuilder.approximate_meshes`."""
    if not isinstance(method, str) or method not in METHODS:
        raise OptionError("method", method, f"one of {', '.join(METHODS)}")
    if method == "coacd" and raise_on_failure and importlib.util.find_spec("coacd") is None:
        raise SimulationError(INSTALL)
    count = scene.shape_count
    asked = as_list("shape_indices", range(count) if chosen is None else chosen, "the indices of shapes")
    asked = [as_index("shape_indices", index, "a shape") for index in asked]
    for index in asked:
        if not 0 <= index < count:
            raise OptionError("shape_indices", index, f"from 0 to {count - 1}, as the scene has {count} shapes")
    meshes = {index for index in asked if scene.shapes[index].kind in MESHES}
    if chosen is None:
        meshes = {index for index in meshes if scene.shapes[index].config.has_shape_collision}
    for index in sorted(meshes):
        shape = scene.shapes[index]
        scene.shapes[index] = _simplified(shape, method, scene.default_mesh_approximation_cfg.coacd_threshold)
        if keep_visual_shapes:
            _keep_visual(scene, index, shape)
    return meshes


def _simplified(shape: BuiltShape, method: str, concavity: float) -> BuiltShape:
    """Return a shape with its simpler collision geometry."""
    if method in ("bounding_box", "bounding_sphere"):
        return _around(shape, method)
    approximation = "convex_decomposition" if method == "coacd" else "auto"
    kind = GeoType.MESH if method == "coacd" else GeoType.CONVEX_MESH
    config = replace(shape.config, mesh_approximation=approximation)
    assert isinstance(shape.source, Mesh)
    source = copy.copy(shape.source)  # other shapes may share the mesh
    source.concavity = concavity
    return shape.rebuilt(kind=kind, source=source, config=config)


def _around(shape: BuiltShape, method: str) -> BuiltShape:
    """Return the smallest bounding box along its own or its principal axes, or a bounding sphere.

    The sphere is about the centre of that box.
    """
    assert isinstance(shape.source, Mesh)
    points = shape.source.vertices * np.array(shape.scale)
    turned = np.linalg.svd(points - points.mean(axis=0), full_matrices=False)[2].T
    turned[:, 2] = np.cross(turned[:, 0], turned[:, 1])
    boxes = [_box_along(points, axes) for axes in (np.eye(3), turned)]
    axes, middle, half = min(boxes, key=lambda box: float(box[2].prod()))
    if method == "bounding_sphere":
        reach = float(np.linalg.norm(points - middle, axis=1).max())
        return shape.rebuilt(kind=GeoType.SPHERE, scale=(reach, 0.0, 0.0), source=None, pose=shape.pose @ Pose(middle))
    x, y, z = np.maximum(half, THINNEST * half.max()).tolist()
    return shape.rebuilt(kind=GeoType.BOX, scale=(x, y, z), source=None, pose=shape.pose @ Pose(middle, axes))


def _box_along(points: Array, axes: Array) -> tuple[Array, Array, Array]:
    """Return axes, centre and half edges of the bounding box of points along given axes [m]."""
    along = points @ axes
    low, high = along.min(axis=0), along.max(axis=0)
    return axes, axes @ (0.5 * (low + high)), 0.5 * (high - low)


def _keep_visual(scene: SceneShapes, index: int, before: BuiltShape) -> None:
    """Add the original shape without collision and mass, and hide the one that collides."""
    seen = replace(before.config, has_shape_collision=False, has_particle_collision=False, is_visible=True, density=0.0)
    name, path = (own and f"{own}_visual" for own in (before.name, before.path))
    scene.shapes.append(replace(before, config=seen, convex=None, name=name, path=path))
    hidden = scene.shapes[index]
    scene.shapes[index] = replace(hidden, config=replace(hidden.config, is_visible=False))
