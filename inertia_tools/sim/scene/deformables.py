# SPDX-FileCopyrightText: The inertia_tools authors
# SPDX-License-Identifier: Apache-2.0
"""Elements between particles of a scene: springs, membrane triangles, bending edges and tetrahedra."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from inertia_tools.errors import OptionError
from inertia_tools.sim.scene.custom_attributes import AttributeFrequency
from inertia_tools.sim.scene.given import as_finite
from inertia_tools.sim.scene.particles import Values
from inertia_tools.sim.scene.soft_arguments import as_colors, as_columns, as_each, as_nonnegative
from inertia_tools.sim.scene.soft_elements import Number, SceneElements


@dataclass
class SceneDeformables(SceneElements):
    """Adds elements one by one, or as lists; where the particles lie when one is added is its rest shape."""

    def add_spring(
        self, i: int, j: int, ke: float, kd: float = 0.0, control: float = 0.0, custom_attributes: Values | None = None
    ) -> int:
        """Add a spring between two particles, and return its index; it is at rest as they lie now.

        Args:
            i: Index of a particle.
            j: Index of another.
            ke: Stiffness [N/m].
            kd: Damping [N s/m].
            control: Actuation, stored without effect.
            custom_attributes: Values of attributes of frequency spring, by key.

        Raises:
            OptionError: A particle is unknown, or both are the same; or a number is negative or not finite.
        """
        ends = as_columns(("i", "j"), ([i], [j]), self.particle_count)
        numbers = as_nonnegative("ke", ke, "N/m"), as_nonnegative("kd", kd, "N s/m"), as_finite("control", control)
        self.set_custom_values(self.spring_count, custom_attributes, AttributeFrequency.SPRING)
        self._append_springs(ends, *([number] for number in numbers))
        return self.spring_count - 1

    def add_springs(
        self,
        i: Any,
        j: Any,
        ke: Number,
        kd: Number = 0.0,
        control: Number = 0.0,
        custom_attributes: Values | None = None,
    ) -> range:
        """Add springs between two particles each, and return their indices; they are at rest as they lie now.

        Args:
            i: Indices of particles.
            j: Indices of others, as many.
            ke: Stiffness [N/m], for all or one each.
            kd: Damping [N s/m], likewise.
            control: Actuation, likewise, stored without effect.
            custom_attributes: A list of values, one for each spring, by key of attributes of frequency spring.

        Raises:
            OptionError: A particle is unknown, or a spring has one twice; a number is negative or not finite; or a list
                has another length.
        """
        ends = as_columns(("i", "j"), (i, j), self.particle_count)
        first, count = self.spring_count, len(ends)
        numbers = as_each("ke", ke, count), as_each("kd", kd, count), as_each("control", control, count, least=-np.inf)
        self._set_custom_lists(first, count, custom_attributes, AttributeFrequency.SPRING)
        self._append_springs(ends, *(values.tolist() for values in numbers))
        return range(first, first + count)

    def add_triangle(
        self,
        i: int,
        j: int,
        k: int,
        *,
        tri_ke: float | None = None,
        tri_ka: float | None = None,
        tri_kd: float | None = None,
        tri_drag: float | None = None,
        tri_lift: float | None = None,
        color: Any = None,
        opacity: float | None = None,
        custom_attributes: Values | None = None,
    ) -> float:
        """Add a membrane between three particles, and return its area [m^2]; see `add_triangles`."""
        areas = self.add_triangles(
            [i], [j], [k], tri_ke=tri_ke, tri_ka=tri_ka, tri_kd=tri_kd, tri_drag=tri_drag, tri_lift=tri_lift,
            color=color, opacity=opacity, custom_attributes=custom_attributes,
        )  # fmt: skip
        return areas[0]

    def add_triangles(
        self,
        i: Any,
        j: Any,
        k: Any,
        *,
        tri_ke: Number = None,
        tri_ka: Number = None,
        tri_kd: Number = None,
        tri_drag: Number = None,
        tri_lift: Number = None,
        color: Any = None,
        opacity: Any = None,
        custom_attributes: Values | None = None,
    ) -> list[float]:
        """Add membranes between three particles each, and return their areas [m^2]; they are at rest as they lie now.

        Args:
            i: Indices of the first corners.
            j: Indices of the second corners.
            k: Indices of the third corners.
            tri_ke: Stiffness against shear [N/m], for all or one each; the builder's default where none is given.
            tri_ka: Stiffness against change of area [N/m].
            tri_kd: Damping.
            tri_drag: Drag in air.
            tri_lift: Lift in air.
            color: Red, green and blue from 0 to 1, for all or one each.
            opacity: 0 to 1, likewise.
            custom_attributes: A list of values, one for each triangle, by key of attributes of frequency triangle.

        Raises:
            OptionError: A particle is unknown, or a triangle has one twice; a number is negative or not finite; or a
                list has another length.
            SimulationError: A triangle has no area.
        """
        triangles = as_columns(("i", "j", "k"), (i, j, k), self.particle_count)
        materials = self._tri_materials(len(triangles), (tri_ke, tri_ka, tri_kd, tri_drag, tri_lift))
        look = as_colors(color, opacity, len(triangles))
        areas: list[float] = self._append_triangles(triangles, materials, look, custom_attributes).tolist()
        return areas

    def add_edge(
        self,
        i: int,
        j: int,
        k: int,
        l: int,  # noqa: E741 - Newton's name
        *,
        rest: float | None = None,
        edge_ke: float | None = None,
        edge_kd: float | None = None,
        custom_attributes: Values | None = None,
    ) -> int:
        """Add a bending edge and return its index; see `add_edges`."""
        self.add_edges(
            [i], [j], [k], [l], rest=None if rest is None else [rest], edge_ke=edge_ke, edge_kd=edge_kd,
            custom_attributes=custom_attributes,
        )  # fmt: skip
        return self.edge_count - 1

    def add_edges(
        self,
        i: Any,
        j: Any,
        k: Any,
        l: Any,  # noqa: E741 - Newton's name
        *,
        rest: Number = None,
        edge_ke: Number = None,
        edge_kd: Number = None,
        custom_attributes: Values | None = None,
    ) -> range:
        """Add bending edges between k and l, of the triangles (i, k, l) and (j, l, k), and return their indices.

        Args:
            i: Indices of the corners opposite the edges in their first triangles.
            j: Opposite corners in the second triangles; -1 at a boundary edge, which does not bend.
            k: Indices of the starts of the edges.
            l: Indices of their ends.
            rest: Angles at rest [rad], positive where the triangles fold away from their normals; as they lie now
                where none are given.
            edge_ke: Stiffness [N m/rad], for all or one each; the builder's default where none is given.
            edge_kd: Damping [N m s/rad].
            custom_attributes: A list of values, one for each edge, by key of attributes of frequency edge.

        Raises:
            OptionError: A particle is unknown, or an edge has one twice; a number is negative or not finite; or a list
                has another length.
            SimulationError: The ends of an edge coincide.
        """
        edges = as_columns(("i", "j", "k", "l"), (i, j, k, l), self.particle_count, boundary=True)
        if (edges[:, [0, 2, 3]] < 0).any():
            raise OptionError("i, k, l", -1, "indices of particles; only j may be -1, at a boundary")
        return self._append_edges(edges, rest, self._edge_materials(len(edges), (edge_ke, edge_kd)), custom_attributes)

    def add_tetrahedra(
        self,
        i: Any,
        j: Any,
        k: Any,
        l: Any,  # noqa: E741 - Newton's name
        k_mu: Number = None,
        k_lambda: Number = None,
        k_damp: Number = None,
        custom_attributes: Values | None = None,
    ) -> list[float]:
        """Add tetrahedra between four particles each, and return their volumes [m^3]; see `add_tetrahedron`.

        Args:
            i: Indices of the first corners.
            j: Indices of the second corners.
            k: Indices of the third corners.
            l: Indices of the fourth corners.
            k_mu: Shear modulus [Pa], for all or one each; the builder's default where none is given.
            k_lambda: Lame's first parameter [Pa], likewise.
            k_damp: Damping [Pa s], likewise.
            custom_attributes: A list of values, one for each, by key of attributes of frequency tetrahedron.

        Raises:
            OptionError: A particle is unknown, or two of a tetrahedron are the same; a number is negative or not
                finite; or a list has another length.
            SimulationError: A tetrahedron is flat or inverted.
        """
        corners = as_columns(("i", "j", "k", "l"), (i, j, k, l), self.particle_count)
        materials = self._tet_materials(len(corners), (k_mu, k_lambda, k_damp))
        volumes: list[float] = self._append_tetrahedra(corners, materials, custom=custom_attributes).tolist()
        return volumes

    def add_tetrahedron(
        self,
        i: int,
        j: int,
        k: int,
        l: int,  # noqa: E741 - Newton's name
        k_mu: float = 1e3,
        k_lambda: float = 1e3,
        k_damp: float = 0.0,
        custom_attributes: Values | None = None,
    ) -> float:
        """Add a tetrahedron between four particles, and return its volume [m^3]; it is at rest as they lie now.

        Args:
            i: Index of the first corner; seen from the fourth, the first three are counterclockwise.
            j: Index of the second corner.
            k: Index of the third corner.
            l: Index of the fourth corner.
            k_mu: Shear modulus [Pa].
            k_lambda: Lame's first parameter [Pa].
            k_damp: Damping [Pa s].
            custom_attributes: Values of attributes of frequency tetrahedron, by key.

        Raises:
            OptionError: A particle is unknown, or two are the same; or a number is negative or not finite.
            SimulationError: The tetrahedron is flat or inverted.
        """
        corners = as_columns(("i", "j", "k", "l"), ([i], [j], [k], [l]), self.particle_count)
        materials = self._tet_materials(1, (k_mu, k_lambda, k_damp))
        volumes = self._append_tetrahedra(corners, materials, custom=custom_attributes)
        return float(volumes[0])
