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
from inertia_tools.sim.soft import near_groups, self_contact
from inertia_tools.sim.soft.grouping import Grouping
from inertia_tools.sim.soft.near_groups import Paths
from inertia_tools.sim.soft.self_contact import Skin
from inertia_tools.spatial import Array

ROWS_EACH = 3
"""Capacity in rows for each particle and each edge."""

MARGIN = 0.15
"""Margin of the larger boxes of particles, relative to the mean length of the edges at a particle.

Of 0.1 to 0.4, this costs least for cloth that hangs, falls, folds and tumbles."""

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
        self._count, self._edges = count, len(edges)
        x, worlds = soft.particle_q.numpy(), soft.particle_world.numpy()
        self._paths, skin = self._empty_paths(x, triangles, edges), Skin()
        lists = ((triangles, count), (edges, len(edges)))
        self._groups = [Grouping(part, x, worlds, self._device, number) for part, number in lists]
        skin.triangle, skin.edge = (wp.array(part, dtype=wp.int32, device=self._device) for part in (triangles, edges))
        triangle_of = np.full(count, -1, dtype=np.int32)
        triangle_of[triangles] = np.arange(len(triangles))[:, None]
        skin.triangle_of = wp.array(triangle_of, dtype=wp.int32, device=self._device)
        skin.first_slot = wp.int32(count * slots_each(model))
        self._skin = skin

    def _empty_paths(self, x: Array, triangles: Array, edges: Array) -> Any:
        """Return arrays for the boxes of particles; the first substep makes lists.

        Args:
            x: Rest positions of particles [m], shape (n, 3).
            triangles: Particles of each triangle, shape (t, 3).
            edges: Particles of each edge, shape (e, 2).
        """
        paths, device = Paths(), self._device
        paths.extent = wp.zeros(4, dtype=wp.vec3d, device=device)
        for name in ("low", "high", "kept_low", "kept_high"):
            setattr(paths, name, wp.zeros(len(x), dtype=wp.vec3, device=device))
        paths.kept_centre = wp.full(1, wp.vec3d(np.nan), dtype=wp.vec3d, device=device)
        paths.margin = wp.array(MARGIN * mean_edge_lengths(x, edges), dtype=wp.float64, device=device)
        is_corner = np.isin(np.arange(len(x)), triangles)
        paths.is_corner = wp.array(is_corner.astype(np.int32), dtype=wp.int32, device=device)
        paths.is_stale = wp.zeros(1, dtype=wp.int32, device=device)
        return paths

    def bound(self, launch: Launch, particles: Any, h: float) -> None:
        """Compute the bounding boxes at the start of a substep; `refit` must follow."""
        paths, length = self._paths, wp.float64(h)
        launch(near_groups.reset_extent, 1, paths)
        launch(near_groups.measure_extent, self._count, paths, particles)
        launch(near_groups.bound_particles, self._count, paths, particles, length)
        launch(near_groups.keep_boxes, self._count, paths, particles, length)
        for grouping in self._groups:
            launch(near_groups.bound_groups, grouping.count, paths, grouping.groups)

    def refit(self) -> None:
        """Refit the hierarchies to the larger boxes of groups."""
        for grouping in self._groups:
            grouping.tree.refit()

    def find(self, launch: Launch, particles: Any, rows: Any, slots: Any, parameters: Any, capacity: int) -> None:
        """Add the rows."""
        for grouping in self._groups:
            launch(near_groups.list_groups, grouping.count, self._paths, grouping.groups)
        kernels = ((self_contact.find_points, self._count), (self_contact.find_edges, self._edges))
        for (kernel, count), grouping in zip(kernels, self._groups, strict=True):
            found = (self._skin, grouping.groups, self._paths, particles, rows, slots, parameters, capacity)
            launch(kernel, count, *found)


def mean_edge_lengths(x: Array, edges: Array) -> Array:
    """Return the mean length of the edges at each particle, or of all edges for one without [m], shape (n,).

    Args:
        x: Positions of particles [m], shape (n, 3).
        edges: Particles of each edge, shape (m, 2).
    """
    lengths = np.linalg.norm(x[edges[:, 0]] - x[edges[:, 1]], axis=1)
    counts = np.bincount(edges.ravel(), minlength=len(x))
    sums = np.bincount(edges.ravel(), np.repeat(lengths, 2), len(x))
    return np.where(counts > 0, sums / np.maximum(counts, 1), lengths.mean())


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
