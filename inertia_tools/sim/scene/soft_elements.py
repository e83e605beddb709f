# SPDX-FileCopyrightText: The inertia_tools authors
# SPDX-License-Identifier: Apache-2.0
"""Lists of the elements between particles: springs, membrane triangles, bending edges and tetrahedra."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from inertia_tools.sim.scene.custom_attributes import AttributeFrequency
from inertia_tools.sim.scene.particles import SceneParticles, Values
from inertia_tools.sim.scene.soft_arguments import as_each
from inertia_tools.sim.scene.soft_rest import (
    angles_of_edges,
    lengths_of_edges,
    rest_of_tetrahedra,
    rest_of_triangles,
)
from inertia_tools.spatial import Array

Number = float | Sequence[float] | Array | None
"""A number for all elements, or one for each; None for the builder's default."""

SURFACE_RANGES = tuple(f"surface_{kind}_{end}" for kind in ("particle", "tri", "edge") for end in ("start", "end"))
VOLUME_RANGES = tuple(f"volume_{kind}_{end}" for kind in ("particle", "tet") for end in ("start", "end"))
"""Lists of the ranges of cloth and soft solids."""

FEW = 4000
"""Corners below which those are looked up one by one; above, all particles are put into an array first."""


@dataclass
class SceneElements(SceneParticles):
    """Elements between particles, named by their index; the particles' positions when one is added are its rest shape.

    Attributes:
        default_spring_ke, default_spring_kd: Stiffness [N/m] and damping [N s/m] of springs that are added with a mesh.
        default_tri_ke, default_tri_ka: Stiffness of triangles against shear and against change of area [N/m].
        default_tri_kd, default_tri_drag, default_tri_lift: Their damping, and their drag and lift in air.
        default_edge_ke, default_edge_kd: Stiffness [N m/rad] and damping [N m s/rad] of bending edges.
        default_tet_k_mu, default_tet_k_lambda: Lame's parameters of solids [Pa].
        default_tet_k_damp: Their damping [Pa s].
        default_tet_density: Their density [kg/m^3].
        spring_indices: Two particles for each spring, flat.
        spring_rest_length, spring_stiffness, spring_damping: Its rest length [m], stiffness [N/m] and damping [N s/m].
        spring_control: Its actuation.
        tri_indices: Three particles of each triangle.
        tri_poses: Inverse of its matrix of rest edges [1/m], shape (2, 2).
        tri_areas: Its area at rest [m^2].
        tri_activations: Its actuation.
        tri_materials: Its ke, ka, kd, drag and lift.
        tri_color, tri_opacity: How it looks: red, green and blue, or None; 0 to 1.
        edge_indices: Four particles of each bending edge, i, j, k, l: it lies between k and l, its triangles are
            (i, k, l) and (j, l, k); j is -1 at a boundary, where nothing bends.
        edge_rest_angle, edge_rest_length: Its angle [rad] and length [m] at rest.
        edge_bending_properties: Its ke and kd.
        tet_indices: Four particles of each tetrahedron.
        tet_poses: Inverse of its matrix of rest edges [1/m], shape (3, 3).
        tet_activations: Its actuation.
        tet_materials: Its mu and lambda [Pa], and damping [Pa s].
        tet_smoothed: Its strain is averaged about its particles; see docs/soft_bodies.md.
        surface_label: Name of each cloth, whose particles, triangles and edges run from a start to before an end.
        surface_particle_start, surface_particle_end: Where its particles begin and end.
        surface_tri_start, surface_tri_end: The same of its triangles.
        surface_edge_start, surface_edge_end: The same of its edges.
        volume_label: Name of each soft solid.
        volume_particle_start, volume_particle_end: Where its particles begin and end.
        volume_tet_start, volume_tet_end: The same of its tetrahedra.
    """

    default_spring_ke: float = 100.0
    default_spring_kd: float = 0.0
    default_tri_ke: float = 100.0
    default_tri_ka: float = 100.0
    default_tri_kd: float = 10.0
    default_tri_drag: float = 0.0
    default_tri_lift: float = 0.0
    default_edge_ke: float = 100.0
    default_edge_kd: float = 0.0
    default_tet_k_mu: float = 1e3
    default_tet_k_lambda: float = 1e3
    default_tet_k_damp: float = 0.0
    default_tet_density: float = 1.0
    spring_indices: list[int] = field(default_factory=list)
    spring_rest_length: list[float] = field(default_factory=list)
    spring_stiffness: list[float] = field(default_factory=list)
    spring_damping: list[float] = field(default_factory=list)
    spring_control: list[float] = field(default_factory=list)
    tri_indices: list[Any] = field(default_factory=list)
    tri_poses: list[Any] = field(default_factory=list)
    tri_areas: list[float] = field(default_factory=list)
    tri_activations: list[float] = field(default_factory=list)
    tri_materials: list[Any] = field(default_factory=list)
    tri_color: list[Any] = field(default_factory=list)
    tri_opacity: list[float] = field(default_factory=list)
    edge_indices: list[Any] = field(default_factory=list)
    edge_rest_angle: list[float] = field(default_factory=list)
    edge_rest_length: list[float] = field(default_factory=list)
    edge_bending_properties: list[Any] = field(default_factory=list)
    tet_indices: list[Any] = field(default_factory=list)
    tet_poses: list[Any] = field(default_factory=list)
    tet_activations: list[float] = field(default_factory=list)
    tet_materials: list[Any] = field(default_factory=list)
    tet_smoothed: list[bool] = field(default_factory=list)
    surface_label: list[str] = field(default_factory=list)
    surface_particle_start: list[int] = field(default_factory=list)
    surface_particle_end: list[int] = field(default_factory=list)
    surface_tri_start: list[int] = field(default_factory=list)
    surface_tri_end: list[int] = field(default_factory=list)
    surface_edge_start: list[int] = field(default_factory=list)
    surface_edge_end: list[int] = field(default_factory=list)
    volume_label: list[str] = field(default_factory=list)
    volume_particle_start: list[int] = field(default_factory=list)
    volume_particle_end: list[int] = field(default_factory=list)
    volume_tet_start: list[int] = field(default_factory=list)
    volume_tet_end: list[int] = field(default_factory=list)

    @property
    def spring_count(self) -> int:
        """Number of springs."""
        return len(self.spring_rest_length)

    @property
    def tri_count(self) -> int:
        """Number of triangles."""
        return len(self.tri_indices)

    @property
    def edge_count(self) -> int:
        """Number of bending edges."""
        return len(self.edge_indices)

    @property
    def tet_count(self) -> int:
        """Number of tetrahedra."""
        return len(self.tet_indices)

    def mark_surface(self, label: str | None, particle: int, tri: int, edge: int) -> None:
        """Name a cloth, whose particles, triangles and edges are those that were added from these on."""
        self.surface_label.append(label or f"surface_{len(self.surface_label)}")
        ends = (particle, self.particle_count, tri, self.tri_count, edge, self.edge_count)
        for name, value in zip(SURFACE_RANGES, ends, strict=True):
            getattr(self, name).append(value)

    def mark_volume(self, label: str | None, particle: int, tet: int) -> None:
        """Name a soft solid, whose particles and tetrahedra are those that were added from these on."""
        self.volume_label.append(label or f"volume_{len(self.volume_label)}")
        for name, value in zip(VOLUME_RANGES, (particle, self.particle_count, tet, self.tet_count), strict=True):
            getattr(self, name).append(value)

    def _corners_of(self, elements: np.ndarray) -> Array:
        """Return where the particles of elements are [m], shape (n, width, 3)."""
        if elements.size < FEW:
            corners = [self.particle_q[particle] for particle in elements.ravel().tolist()]
            return np.array(corners, dtype=np.float64).reshape(*elements.shape, 3)
        positions: Array = np.array(self.particle_q, dtype=np.float64).reshape(-1, 3)[elements]
        return positions

    def _append_springs(self, ends: np.ndarray, ke: Any, kd: Any, control: Any) -> None:
        corner = self._corners_of(ends)
        lengths = np.linalg.norm(corner[:, 1] - corner[:, 0], axis=1)
        self.spring_indices.extend(ends.ravel().tolist())
        self.spring_rest_length.extend(lengths.tolist())
        self.spring_stiffness.extend(ke)
        self.spring_damping.extend(kd)
        self.spring_control.extend(control)

    def _append_triangles(
        self, triangles: np.ndarray, materials: Array, look: tuple[list[Any], list[float]], custom: Values | None
    ) -> Array:
        """Add triangles of checked corners, and return their areas [m^2]."""
        areas, poses = rest_of_triangles(self._corners_of(triangles), triangles)
        self._set_custom_lists(self.tri_count, len(triangles), custom, AttributeFrequency.TRIANGLE)
        self.tri_indices.extend(triangles)
        self.tri_poses.extend(poses)
        self.tri_areas.extend(areas.tolist())
        self.tri_activations.extend([0.0] * len(triangles))
        self.tri_materials.extend(map(tuple, materials.tolist()))
        self.tri_color.extend(look[0])
        self.tri_opacity.extend(look[1])
        return areas

    def _append_edges(self, edges: np.ndarray, rest: Number, materials: Array, custom: Values | None = None) -> range:
        """Add bending edges of checked corners, and return their indices."""
        first, count, corner = self.edge_count, len(edges), self._corners_of(edges)
        lengths = lengths_of_edges(corner, edges)
        angles = angles_of_edges(corner, edges) if rest is None else as_each("rest", rest, count, least=-np.inf)
        self._set_custom_lists(first, count, custom, AttributeFrequency.EDGE)
        self.edge_indices.extend(edges)
        self.edge_rest_angle.extend(angles.tolist())
        self.edge_rest_length.extend(lengths.tolist())
        self.edge_bending_properties.extend(map(tuple, materials.tolist()))
        return range(first, first + count)

    def _append_tetrahedra(
        self, tetrahedra: np.ndarray, materials: Array, smoothed: bool = False, custom: Values | None = None
    ) -> Array:
        """Add tetrahedra of checked corners, and return their volumes [m^3]."""
        volumes, poses = rest_of_tetrahedra(self._corners_of(tetrahedra), tetrahedra)
        self._set_custom_lists(self.tet_count, len(tetrahedra), custom, AttributeFrequency.TETRAHEDRON)
        self.tet_indices.extend(tetrahedra)
        self.tet_poses.extend(poses)
        self.tet_activations.extend([0.0] * len(tetrahedra))
        self.tet_materials.extend(map(tuple, materials.tolist()))
        self.tet_smoothed.extend([bool(smoothed)] * len(tetrahedra))
        return volumes

    def _tri_materials(self, count: int, given: Sequence[Number]) -> Array:
        """Return ke, ka, kd, drag and lift of so many triangles, shape (count, 5); see `_materials`."""
        return self._materials(count, ("tri_ke", "tri_ka", "tri_kd", "tri_drag", "tri_lift"), given)

    def _edge_materials(self, count: int, given: Sequence[Number]) -> Array:
        """Return ke and kd of so many bending edges, shape (count, 2); see `_materials`."""
        return self._materials(count, ("edge_ke", "edge_kd"), given)

    def _tet_materials(self, count: int, given: Sequence[Number]) -> Array:
        """Return mu, lambda and damping of so many tetrahedra, shape (count, 3); see `_materials`."""
        return self._materials(count, ("k_mu", "k_lambda", "k_damp"), given, "default_tet_")

    def _materials(self, count: int, names: Sequence[str], given: Sequence[Number], prefix: str = "default_") -> Array:
        """Return the numbers of a material of so many elements, shape (count, numbers).

        Raises:
            OptionError: One is negative or not finite, or there are more or fewer than elements.
        """
        numbers = zip(names, given, strict=True)
        columns = [as_each(name, value, count, getattr(self, prefix + name)) for name, value in numbers]
        return np.stack(columns, axis=1)
