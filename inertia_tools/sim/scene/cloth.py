# SPDX-FileCopyrightText: The inertia_tools authors
# SPDX-License-Identifier: Apache-2.0
"""Cloth: meshes of membranes with bending edges, and springs where they are asked for."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from inertia_tools.errors import OptionError
from inertia_tools.sim.scene.custom_attributes import AttributeFrequency
from inertia_tools.sim.scene.deformables import SceneDeformables
from inertia_tools.sim.scene.given import as_count
from inertia_tools.sim.scene.particles import Values
from inertia_tools.sim.scene.soft_arguments import (
    IDENTITY,
    ORIGIN,
    as_colors,
    as_indices,
    as_nonnegative,
    as_points,
    as_positive,
    pinned_sides,
    placed_points,
)
from inertia_tools.sim.scene.soft_elements import Number
from inertia_tools.sim.scene.soft_rest import lumped_masses, rest_of_triangles
from inertia_tools.sim.scene.soft_topology import BOUNDARY, counted_on, edges_of_triangles
from inertia_tools.spatial import Array, ArrayLike


@dataclass(frozen=True, kw_only=True)
class SheetOptions:
    """Options of a cloth, or of a solid with its surface, in any form.

    Attributes:
        vel: Velocity of all particles [m/s].
        radius: Radius of its particles in contacts [m]; the builder's default where none is given.
        of_triangles: ke, ka, kd, drag and lift of its triangles; see `SceneCloth.add_cloth_grid`.
        of_edges: ke and kd of its bending edges; None for a surface without.
        look: Colour and opacity of its triangles.
        label: Its name.
    """

    vel: ArrayLike
    radius: float | None
    of_triangles: tuple[Number, Number, Number, Number, Number]
    of_edges: tuple[Number, Number] | None
    look: tuple[Any, Any]
    label: str | None


@dataclass(frozen=True, kw_only=True)
class ClothOptions(SheetOptions):
    """The same of a cloth.

    Attributes:
        of_springs: ke and kd of its springs; None for a cloth without.
        custom: Values of attributes of its particles, edges, triangles and springs by key.
    """

    of_springs: tuple[float | None, float | None] | None
    custom: tuple[Values | None, Values | None, Values | None, Values | None]


@dataclass
class SceneCloth(SceneDeformables):
    """Adds cloth: its particles, triangles and edges follow those that the scene has."""

    def add_cloth_grid(
        self,
        *,
        pos: ArrayLike = ORIGIN,
        rot: ArrayLike = IDENTITY,
        vel: ArrayLike = ORIGIN,
        dim_x: int,
        dim_y: int,
        cell_x: float,
        cell_y: float,
        mass: float,
        reverse_winding: bool = False,
        fix_left: bool = False,
        fix_right: bool = False,
        fix_top: bool = False,
        fix_bottom: bool = False,
        tri_ke: Number = None,
        tri_ka: Number = None,
        tri_kd: Number = None,
        tri_drag: Number = None,
        tri_lift: Number = None,
        edge_ke: Number = None,
        edge_kd: Number = None,
        add_springs: bool = False,
        spring_ke: float | None = None,
        spring_kd: float | None = None,
        particle_radius: float | None = None,
        color: Any = None,
        opacity: Any = None,
        custom_attributes_particles: Values | None = None,
        custom_attributes_edges: Values | None = None,
        custom_attributes_triangles: Values | None = None,
        custom_attributes_springs: Values | None = None,
        label: str | None = None,
    ) -> None:
        """Add a flat rectangle of cloth in its own xy plane; x is the fastest index of its particles.

        Args:
            pos: Position of its first corner [m].
            rot: Rotation about that, quaternion x, y, z, w.
            vel: Velocity of all particles [m/s].
            dim_x: Number of cells along x; each has two triangles, and there is a particle more.
            dim_y: The same along y.
            cell_x: Distance between neighbours along x [m].
            cell_y: The same along y [m].
            mass: Mass of each particle [kg].
            reverse_winding: Whether the normals point along -z instead of z.
            fix_left: Pin the particles of least x: their mass becomes zero.
            fix_right: Pin those of greatest x.
            fix_bottom: Pin those of least y.
            fix_top: Pin those of greatest y.
            tri_ke: Stiffness of the triangles against shear [N/m]; the builder's default where none is given.
            tri_ka: Their stiffness against change of area [N/m].
            tri_kd: Their damping.
            tri_drag: Their drag in air.
            tri_lift: Their lift in air.
            edge_ke: Stiffness of the bending edges [N m/rad].
            edge_kd: Their damping [N m s/rad].
            add_springs: Add a spring along each edge, and one between the corners opposite each inner one.
            spring_ke: Stiffness of the springs [N/m].
            spring_kd: Their damping [N s/m].
            particle_radius: Radius of the particles in contacts [m].
            color: Red, green and blue of the triangles from 0 to 1, for all or one each.
            opacity: Their opacity from 0 to 1, likewise.
            custom_attributes_particles: Values of attributes of the particles by key: one for all, or one each.
            custom_attributes_edges: The same of the bending edges.
            custom_attributes_triangles: The same of the triangles.
            custom_attributes_springs: The same of the springs.
            label: Its name.

        Raises:
            OptionError: A number is not finite or negative, or a count is invalid.
            SimulationError: The cells have no area within the precision of their positions or lengths.
        """
        counts = as_count("dim_x", dim_x), as_count("dim_y", dim_y)
        sizes = as_positive("cell_x", cell_x, "m"), as_positive("cell_y", cell_y, "m")
        y, x = np.indices((counts[1] + 1, counts[0] + 1)).reshape(2, -1)
        points = np.stack([x * sizes[0], y * sizes[1], np.zeros(len(x))], axis=1)
        fixed = pinned_sides(x, y, fix_left, fix_right, fix_bottom, fix_top)
        masses = np.full(len(points), as_nonnegative("mass", mass, "kg"))
        options = ClothOptions(
            vel=vel, radius=particle_radius, label=label, look=(color, opacity),
            of_triangles=(tri_ke, tri_ka, tri_kd, tri_drag, tri_lift), of_edges=(edge_ke, edge_kd),
            of_springs=(spring_ke, spring_kd) if add_springs else None,
            custom=(custom_attributes_particles, custom_attributes_edges, custom_attributes_triangles,
                    custom_attributes_springs),
        )  # fmt: skip
        triangles = _grid_triangles(counts[0], counts[1], reverse_winding)
        self._add_sheet(placed_points(points, pos, rot), masses, fixed, triangles, options)

    def add_cloth_mesh(
        self,
        *,
        pos: ArrayLike = ORIGIN,
        rot: ArrayLike = IDENTITY,
        scale: float = 1.0,
        vel: ArrayLike = ORIGIN,
        vertices: Any,
        indices: Any,
        density: float,
        tri_ke: Number = None,
        tri_ka: Number = None,
        tri_kd: Number = None,
        tri_drag: Number = None,
        tri_lift: Number = None,
        edge_ke: Number = None,
        edge_kd: Number = None,
        add_springs: bool = False,
        spring_ke: float | None = None,
        spring_kd: float | None = None,
        particle_radius: float | None = None,
        color: Any = None,
        opacity: Any = None,
        custom_attributes_particles: Values | None = None,
        custom_attributes_edges: Values | None = None,
        custom_attributes_triangles: Values | None = None,
        custom_attributes_springs: Values | None = None,
        validate_mesh: bool = False,
        label: str | None = None,
    ) -> None:
        """Add cloth of a triangle mesh: a particle for each vertex, a membrane for each face, an edge for each edge.

        Each triangle gives its corners a third of its mass.

        Args:
            pos: Position of the mesh origin [m].
            rot: Rotation about that, quaternion x, y, z, w.
            scale: Factor of the vertices.
            vel: Velocity of all particles [m/s].
            vertices: The vertices [m], shape (n, 3).
            indices: Corners of the triangles, flat or shape (m, 3).
            density: Mass per area [kg/m^2].
            tri_ke: Stiffness of the triangles against shear [N/m]; the builder's default where none is given.
            tri_ka: Their stiffness against change of area [N/m].
            tri_kd: Their damping.
            tri_drag: Their drag in air.
            tri_lift: Their lift in air.
            edge_ke: Stiffness of the bending edges [N m/rad].
            edge_kd: Their damping [N m s/rad].
            add_springs: Add a spring along each edge, and one between the corners opposite each inner one.
            spring_ke: Stiffness of the springs [N/m].
            spring_kd: Their damping [N s/m].
            particle_radius: Radius of the particles in contacts [m].
            color: Red, green and blue of the triangles from 0 to 1, for all or one each.
            opacity: Their opacity from 0 to 1, likewise.
            custom_attributes_particles: Values of attributes of the particles by key: one for all, or one each.
            custom_attributes_edges: The same of the bending edges.
            custom_attributes_triangles: The same of the triangles.
            custom_attributes_springs: The same of the springs.
            validate_mesh: As in Newton; the mesh is always checked.
            label: Its name.

        Raises:
            OptionError: A number is not finite or negative; an index names no vertex, or a vertex is in no triangle.
            SimulationError: A triangle has no area, or the mesh is not manifold.
        """
        corners = as_points("vertices", vertices) * as_positive("scale", scale)
        triangles = as_indices("indices", indices, 3, len(corners))
        refuse_unused("vertices", len(corners), triangles, "triangle")
        areas, _ = rest_of_triangles(corners[triangles], triangles)
        masses = lumped_masses(len(corners), triangles, as_nonnegative("density", density, "kg/m^2") * areas)
        options = ClothOptions(
            vel=vel, radius=particle_radius, label=label, look=(color, opacity),
            of_triangles=(tri_ke, tri_ka, tri_kd, tri_drag, tri_lift), of_edges=(edge_ke, edge_kd),
            of_springs=(spring_ke, spring_kd) if add_springs else None,
            custom=(custom_attributes_particles, custom_attributes_edges, custom_attributes_triangles,
                    custom_attributes_springs),
        )  # fmt: skip
        self._add_sheet(placed_points(corners, pos, rot), masses, np.zeros(len(corners), bool), triangles, options)

    def _add_sheet(
        self, points: Array, masses: Array, fixed: np.ndarray, triangles: np.ndarray, options: ClothOptions
    ) -> None:
        """Add the particles, triangles, edges and springs of one cloth; what is fixed is pinned."""
        edges = edges_of_triangles(triangles)
        of_tri = self._tri_materials(len(triangles), options.of_triangles)
        of_edge = self._edge_materials(len(edges), options.of_edges or (None, None))
        colors = as_colors(*options.look, len(triangles))
        ends = _spring_ends(edges) if options.of_springs is not None else np.zeros((0, 2), dtype=np.int32)
        stretch = self._materials(len(ends), ("spring_ke", "spring_kd"), options.of_springs or (None, None))
        of_particles, of_edges, of_triangles, of_springs = options.custom
        for count, values, frequency in (
            (len(points), of_particles, AttributeFrequency.PARTICLE),
            (len(triangles), of_triangles, AttributeFrequency.TRIANGLE),
            (len(edges), of_edges, AttributeFrequency.EDGE),
            (len(ends), of_springs, AttributeFrequency.SPRING),
        ):
            self._custom_rows(count, values, frequency)  # before anything is added
        first, first_tri, first_edge = self.particle_count, self.tri_count, self.edge_count
        rest_of_triangles(points[triangles], triangles + first)  # refuses what has no area, likewise
        self._add_moving(points, options.vel, masses, fixed, options.radius, of_particles)
        self._append_triangles(triangles + first, of_tri, colors, of_triangles)
        self._append_edges(counted_on(edges, first), None, of_edge, of_edges)
        self._set_custom_lists(self.spring_count, len(ends), of_springs, AttributeFrequency.SPRING)
        stiffness, damping = stretch.T.tolist()
        self.mark_surface(options.label, first, first_tri, first_edge)
        self._append_springs(ends + first, stiffness, damping, [0.0] * len(ends))


def _spring_ends(edges: np.ndarray) -> np.ndarray:
    """Return the ends of a spring along each edge, and of one across each that two triangles share, each pair once."""
    pairs = np.concatenate([edges[:, 2:], edges[edges[:, 1] != BOUNDARY, :2]])
    return np.unique(np.sort(pairs, axis=1), axis=0)


def _grid_triangles(dim_x: int, dim_y: int, reverse: bool) -> np.ndarray:
    """Return the triangles of a grid of particles, two a cell, shape (2 dim_x dim_y, 3)."""
    y, x = np.indices((dim_y, dim_x)).reshape(2, -1)
    a = y * (dim_x + 1) + x
    b, c, d = a + 1, a + dim_x + 2, a + dim_x + 1
    pair = ([a, b, c], [a, c, d]) if reverse else ([a, b, d], [b, c, d])
    triangles = np.stack([np.stack(one, axis=1) for one in pair], axis=1).reshape(-1, 3)
    return (triangles[:, ::-1] if reverse else triangles).astype(np.int32)


def refuse_unused(name: str, count: int, elements: np.ndarray, kind: str) -> None:
    """Raise `OptionError` if a vertex belongs to no element, as its particle would be unconnected."""
    used = np.zeros(count, dtype=bool)
    used[elements.ravel()] = True
    if not used.all():
        index = int(np.nonzero(~used)[0][0])
        raise OptionError(
            name, f"of {count}, of which vertex {index} is in no {kind}", "corners of elements: remove it"
        )
