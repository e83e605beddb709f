# SPDX-FileCopyrightText: The inertia_tools authors
# SPDX-License-Identifier: Apache-2.0
"""Contacts of cloth with itself and with particles: the triangles and edges concerned, and their hierarchies."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import warp as wp

from inertia_tools.sim.device.model_data import ModelData
from inertia_tools.sim.device.soft_state import skin_edges, slots_each
from inertia_tools.sim.soft import self_contact
from inertia_tools.sim.soft.self_contact import Skin
from inertia_tools.spatial import Array

ROWS_EACH = 3
"""Capacity in rows for each particle and each edge."""

Launch = Callable[..., None]


class SkinContact:
    """Finds contacts of cloth with itself and with particles, in addition to those between particles.

    Args:
        model: The scene.

    Attributes:
        rows: Greatest number of rows that it may need.
    """

    def __init__(self, model: ModelData) -> None:
        assert model.soft is not None, "a model without particles has no cloth"
        soft, self._device = model.soft, model.device
        triangles, edges = open_triangles(soft), skin_edges(model)
        count = len(soft.particle_mass)
        ends = np.sort(np.concatenate([triangles[:, [0, 1]], triangles[:, [1, 2]], triangles[:, [2, 0]]]), axis=1)
        open_edges = {(int(i), int(j)) for i, j in ends}
        edges = edges[[(int(i), int(j)) in open_edges for i, j in edges]] if len(edges) else edges
        self.rows = ROWS_EACH * (count + len(edges))
        self._count, self._triangles, self._edges = count, len(triangles), len(edges)
        skin = self._skin = Skin()
        skin.triangle, skin.edge = (wp.array(part, dtype=wp.int32, device=self._device) for part in (triangles, edges))
        skin.first_slot = wp.int32(count * slots_each(model))
        skin.velocity_range = wp.zeros(2, dtype=wp.vec3d, device=self._device)
        x = soft.particle_q.numpy()
        self._trees = [self._tree(x[part]) for part in (triangles, edges)]
        skin.triangles, skin.edges = (tree.id for tree in self._trees)

    def _tree(self, corners: Array) -> Any:
        """Return the bounding volume hierarchy of triangles or edges at rest; later it is only refitted.

        Args:
            corners: Rest positions of the corners [m], shape (n, corners, 3).
        """
        low: Any = wp.array(corners.min(axis=1), dtype=wp.vec3, device=self._device)
        high: Any = wp.array(corners.max(axis=1), dtype=wp.vec3, device=self._device)
        return wp.Bvh(low, high)

    def bound(self, launch: Launch, particles: Any, h: float) -> None:
        """Compute the bounding boxes at the start of a substep; `refit` must follow."""
        launch(self_contact.reset_velocity_range, 1, self._skin)
        launch(self_contact.measure_velocity_range, self._count, self._skin, particles)
        kernels = (self_contact.bound_triangles, self_contact.bound_edges)
        for kernel, count, tree in zip(kernels, (self._triangles, self._edges), self._trees, strict=True):
            launch(kernel, count, self._skin, particles, wp.float64(h), tree.lowers, tree.uppers)

    def refit(self) -> None:
        """Refit the hierarchies to the current boxes."""
        for tree in self._trees:
            tree.refit()

    def find(self, launch: Launch, particles: Any, rows: Any, slots: Any, parameters: Any, capacity: int) -> None:
        """Add the rows."""
        met = (self._skin, particles, rows, slots, parameters, capacity)
        launch(self_contact.find_points, self._count, *met)
        launch(self_contact.find_edges, self._edges, *met)


def open_triangles(soft: Any) -> Array:
    """Return the triangles through which a particle may pass between those at the corners, shape (n, 3).

    The point farthest from all corners is the circumcentre, or on a side if the circumcentre is outside. A particle of
    the same radius stops there if its distance to the corners is at most two radii.
    """
    corners: np.ndarray = soft.tri_indices.numpy()[: soft.tri_count]
    if not len(corners):
        return corners.reshape(0, 3)
    x, radii = soft.particle_q.numpy()[corners], soft.particle_radius.numpy()[corners].min(axis=1)
    sides = np.linalg.norm(x - np.roll(x, 1, axis=1), axis=2)
    area = 0.5 * np.linalg.norm(np.cross(x[:, 1] - x[:, 0], x[:, 2] - x[:, 0]), axis=1)
    circle = sides.prod(axis=1) / (4.0 * np.maximum(area, np.finfo(float).tiny))
    farthest = np.minimum(circle, sides.max(axis=1))
    return np.asarray(corners[(farthest > 2.0 * radii) & (radii > 0.0)])
