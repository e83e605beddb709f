# SPDX-FileCopyrightText: The inertia_tools authors
# SPDX-License-Identifier: Apache-2.0
"""Soft solids: meshes of tetrahedra, with the triangles and edges of their surface."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from inertia_tools.errors import OptionError, OptionTypeError
from inertia_tools.sim.scene.cloth import SceneCloth, SheetOptions, refuse_unused
from inertia_tools.sim.scene.custom_attributes import AttributeFrequency
from inertia_tools.sim.scene.given import as_count
from inertia_tools.sim.scene.mesh_shape import Mesh
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
from inertia_tools.sim.scene.soft_rest import lumped_masses, rest_of_tetrahedra
from inertia_tools.sim.scene.soft_topology import counted_on, edges_of_triangles, surface_of_tetrahedra
from inertia_tools.sim.scene.tet_mesh import TetMesh
from inertia_tools.spatial import Array, ArrayLike

EVEN_CELL = ((1, 2, 0, 5), (4, 7, 5, 0), (3, 0, 2, 7), (6, 5, 7, 2), (0, 5, 2, 7))
"""Five tetrahedra of a cell whose corners are numbered counterclockwise about z, 0 to 3 below and 4 to 7 above."""

ODD_CELL = ((0, 1, 3, 4), (2, 3, 1, 6), (5, 4, 6, 1), (7, 6, 4, 3), (1, 3, 4, 6))
"""The same with the other diagonals, so that the faces of neighbours match."""


@dataclass(frozen=True, kw_only=True)
class SolidOptions(SheetOptions):
    """Settings of a soft solid, independent of its shape.

    Attributes:
        density: Its density [kg/m^3]; the builder's default where none is given.
        smooth_strain: Average strain about particles; see `SceneSoftSolids.add_soft_grid`.
        of_tetrahedra: Shear modulus, first parameter of Lame and damping of its tetrahedra.
    """

    density: float | None
    smooth_strain: bool
    of_tetrahedra: tuple[Number, Number, Number]


@dataclass
class SceneSoftSolids(SceneCloth):
    """Adds soft solids: their particles, tetrahedra and surface follow those that the scene has."""

    def add_soft_grid(
        self,
        *,
        pos: ArrayLike = ORIGIN,
        rot: ArrayLike = IDENTITY,
        vel: ArrayLike = ORIGIN,
        dim_x: int,
        dim_y: int,
        dim_z: int,
        cell_x: float,
        cell_y: float,
        cell_z: float,
        density: float | None = None,
        k_mu: Number = None,
        k_lambda: Number = None,
        k_damp: Number = None,
        smooth_strain: bool = False,
        fix_left: bool = False,
        fix_right: bool = False,
        fix_top: bool = False,
        fix_bottom: bool = False,
        tri_ke: float = 0.0,
        tri_ka: float = 0.0,
        tri_kd: float = 0.0,
        tri_drag: float = 0.0,
        tri_lift: float = 0.0,
        add_surface_mesh_edges: bool = True,
        edge_ke: float = 0.0,
        edge_kd: float = 0.0,
        particle_radius: float | None = None,
        color: Any = None,
        opacity: Any = None,
        label: str | None = None,
    ) -> None:
        """Add a soft box of cells of five tetrahedra each; x is the fastest index of its particles and z the slowest.

        Each tetrahedron gives its corners a quarter of its mass. (Newton gives each particle the mass of a cell.)

        Args:
            pos: Position of its first corner [m].
            rot: Rotation about that, quaternion x, y, z, w.
            vel: Velocity of all particles [m/s].
            dim_x: Number of cells along x; there is a particle more.
            dim_y: The same along y.
            dim_z: The same along z.
            cell_x: Distance between neighbours along x [m].
            cell_y: The same along y [m].
            cell_z: The same along z [m].
            density: Density [kg/m^3].
            k_mu: Shear modulus of the tetrahedra [Pa], for all or one each.
            k_lambda: Their first parameter of Lame [Pa].
            k_damp: Their damping [Pa s].
            smooth_strain: Average strain about particles, so that tetrahedra do not lock: better in bending and near
                incompressibility, at about twice the work.
            fix_left: Pin the particles of least x: their mass becomes zero.
            fix_right: Pin those of greatest x.
            fix_bottom: Pin those of least y.
            fix_top: Pin those of greatest y.
            tri_ke: Stiffness of the triangles against shear [N/m]; the builder's default where none is given.
            tri_ka: Their stiffness against change of area [N/m].
            tri_kd: Their damping.
            tri_drag: Their drag in air.
            tri_lift: Their lift in air.
            add_surface_mesh_edges: Add the edges of the surface.
            edge_ke: Stiffness of the bending edges [N m/rad].
            edge_kd: Their damping [N m s/rad].
            particle_radius: Radius of the particles in contacts [m].
            color: Red, green and blue of the triangles from 0 to 1, for all or one each.
            opacity: Their opacity from 0 to 1, likewise.
            label: Its name.

        Raises:
            OptionError: A number is not finite or negative, or a count is invalid.
        """
        counts = [as_count(name, value) for name, value in (("dim_x", dim_x), ("dim_y", dim_y), ("dim_z", dim_z))]
        cells = (("cell_x", cell_x), ("cell_y", cell_y), ("cell_z", cell_z))
        sizes = [as_positive(name, value, "m") for name, value in cells]
        z, y, x = np.indices([count + 1 for count in reversed(counts)]).reshape(3, -1)
        points: Array = np.stack([x, y, z], axis=1) * np.array(sizes)
        fixed = pinned_sides(x, y, fix_left, fix_right, fix_bottom, fix_top)
        options = SolidOptions(
            vel=vel, radius=particle_radius, density=density, smooth_strain=smooth_strain, label=label,
            of_tetrahedra=(k_mu, k_lambda, k_damp), of_triangles=(tri_ke, tri_ka, tri_kd, tri_drag, tri_lift),
            of_edges=(edge_ke, edge_kd) if add_surface_mesh_edges else None, look=(color, opacity),
        )  # fmt: skip
        self._add_solid(placed_points(points, pos, rot), fixed, grid_tetrahedra(*counts), options)

    def add_soft_mesh(
        self,
        *,
        pos: ArrayLike = ORIGIN,
        rot: ArrayLike = IDENTITY,
        scale: float = 1.0,
        vel: ArrayLike = ORIGIN,
        mesh: TetMesh | Mesh | None = None,
        vertices: Any = None,
        indices: Any = None,
        density: float | None = None,
        k_mu: Number = None,
        k_lambda: Number = None,
        k_damp: Number = None,
        smooth_strain: bool = False,
        tri_ke: float = 0.0,
        tri_ka: float = 0.0,
        tri_kd: float = 0.0,
        tri_drag: float = 0.0,
        tri_lift: float = 0.0,
        add_surface_mesh_edges: bool = True,
        edge_ke: float = 0.0,
        edge_kd: float = 0.0,
        particle_radius: float | None = None,
        color: Any = None,
        opacity: Any = None,
        validate_mesh: bool = False,
        label: str | None = None,
    ) -> None:
        """Add a soft solid of a tetrahedral mesh.

        Each tetrahedron gives its corners a quarter of its mass. Edges of the surface that more than two triangles
        share, where solids touch along a line, are left out.

        Args:
            pos: Position of the mesh origin [m].
            rot: Rotation about that, quaternion x, y, z, w.
            scale: Factor of the vertices.
            vel: Velocity of all particles [m/s].
            mesh: A tetrahedral mesh, whose density, materials and values of custom attributes count where none are
                given here; or a closed triangle mesh, which is filled: see `TetMesh.create_from_surface`.
            vertices: The vertices [m], shape (n, 3), where no mesh is given.
            indices: Corners of the tetrahedra, flat or shape (m, 4), likewise.
            density: Density [kg/m^3].
            k_mu: Shear modulus of the tetrahedra [Pa], for all or one each.
            k_lambda: Their first parameter of Lame [Pa].
            k_damp: Their damping [Pa s].
            smooth_strain: Average strain about particles, so that tetrahedra do not lock: better in bending and near
                incompressibility, at about twice the work.
            tri_ke: Stiffness of the triangles against shear [N/m]; the builder's default where none is given.
            tri_ka: Their stiffness against change of area [N/m].
            tri_kd: Their damping.
            tri_drag: Their drag in air.
            tri_lift: Their lift in air.
            add_surface_mesh_edges: Add the edges of the surface.
            edge_ke: Stiffness of the bending edges [N m/rad].
            edge_kd: Their damping [N m s/rad].
            particle_radius: Radius of the particles in contacts [m].
            color: Red, green and blue of the triangles from 0 to 1, for all or one each.
            opacity: Their opacity from 0 to 1, likewise.
            validate_mesh: As in Newton; the mesh is always checked.
            label: Its name.

        Raises:
            OptionError: A number is not finite or negative; an index names no vertex, or a vertex is in no tetrahedron;
                or neither a mesh nor vertices and indices are given.
            SimulationError: A tetrahedron is flat or inverted, or tetrahedra overlap; or a triangle mesh is not closed.
            OptionTypeError: What is given as a mesh is none.
            MissingDependencyError: A triangle mesh is to be filled and pytetwild is not installed.
        """
        if not isinstance(mesh, Mesh | TetMesh | None):
            raise OptionTypeError("mesh", mesh, "a Mesh or a TetMesh")
        if isinstance(mesh, Mesh):
            mesh = TetMesh.create_from_surface(mesh.vertices, mesh.indices)
        if mesh is not None:
            vertices = mesh.vertices if vertices is None else vertices
            indices = mesh.tet_indices if indices is None else indices
            density = mesh.density if density is None else density
            k_mu, k_lambda, k_damp = (
                getattr(mesh, name) if given is None else given
                for name, given in (("k_mu", k_mu), ("k_lambda", k_lambda), ("k_damp", k_damp))
            )
        for name, given in (("vertices", vertices), ("indices", indices)):
            if given is None:
                raise OptionError(name, None, "given, where no mesh is")
        corners = as_points("vertices", vertices) * as_positive("scale", scale)
        tetrahedra = as_indices("indices", indices, 4, len(corners))
        refuse_unused("vertices", len(corners), tetrahedra, "tetrahedron")
        firsts = self.particle_count, self.tri_count, self.tet_count
        options = SolidOptions(
            vel=vel, radius=particle_radius, density=density, smooth_strain=smooth_strain, label=label,
            of_tetrahedra=(k_mu, k_lambda, k_damp), of_triangles=(tri_ke, tri_ka, tri_kd, tri_drag, tri_lift),
            of_edges=(edge_ke, edge_kd) if add_surface_mesh_edges else None, look=(color, opacity),
        )  # fmt: skip
        self._add_solid(placed_points(corners, pos, rot), np.zeros(len(corners), bool), tetrahedra, options)
        if mesh is not None:
            self._take_custom_values(mesh, *firsts)

    def _take_custom_values(self, mesh: TetMesh, particle: int, triangle: int, tetrahedron: int) -> None:
        """Give the elements of a mesh its values of those custom attributes that the scene has."""
        firsts = {
            AttributeFrequency.PARTICLE: particle,
            AttributeFrequency.TRIANGLE: triangle,
            AttributeFrequency.TETRAHEDRON: tetrahedron,
        }
        for key, (values, frequency) in mesh.custom_attributes.items():
            known = self.custom_attributes.get(key)
            if known is not None and known.frequency is frequency:
                self._set_custom_lists(firsts[frequency], len(values), {key: values}, frequency)

    def _add_solid(self, points: Array, fixed: np.ndarray, tetrahedra: np.ndarray, options: SolidOptions) -> None:
        """Add the particles, tetrahedra and surface of one solid; what is fixed is pinned."""
        density = self.default_tet_density if options.density is None else options.density
        rho = as_nonnegative("density", density, "kg/m^3")
        volumes, _ = rest_of_tetrahedra(points[tetrahedra], tetrahedra)
        surface = surface_of_tetrahedra(tetrahedra)
        masses = lumped_masses(len(points), tetrahedra, rho * volumes)
        has_edges = options.of_edges is not None
        edges = edges_of_triangles(surface, manifold_only=False) if has_edges else np.zeros((0, 4), dtype=np.int32)
        of_tet = self._tet_materials(len(tetrahedra), options.of_tetrahedra)
        of_tri = self._tri_materials(len(surface), options.of_triangles)
        of_edge = self._edge_materials(len(edges), options.of_edges or (None, None))
        colors = as_colors(*options.look, len(surface))
        first, first_tet = self.particle_count, self.tet_count
        self._add_moving(points, options.vel, masses, fixed, options.radius)
        self._append_tetrahedra(tetrahedra + first, of_tet, options.smooth_strain)
        self.mark_volume(options.label, first, first_tet)
        self._append_triangles(surface + first, of_tri, colors, None)
        self._append_edges(counted_on(edges, first), None, of_edge)


def grid_tetrahedra(dim_x: int, dim_y: int, dim_z: int) -> np.ndarray:
    """Return the tetrahedra of a grid of particles, five a cell, shape (5 dim_x dim_y dim_z, 4).

    Neighbouring cells are mirrored, so that the diagonals of the face that they share are the same.
    """
    z, y, x = np.indices((dim_z, dim_y, dim_x)).reshape(3, -1)
    row, layer = dim_x + 1, (dim_x + 1) * (dim_y + 1)
    below = (z * layer + y * row + x)[:, None] + np.array([0, 1, row + 1, row])
    corners = np.concatenate([below, below + layer], axis=1)
    is_odd = ((x + y + z) % 2 == 1)[:, None, None]
    chosen = np.where(is_odd, corners[:, np.array(ODD_CELL)], corners[:, np.array(EVEN_CELL)])
    return chosen.reshape(-1, 4).astype(np.int32)
