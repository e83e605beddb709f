# SPDX-FileCopyrightText: The inertia_tools authors
# SPDX-License-Identifier: Apache-2.0
"""Stiffness of elements by what they are made of: Young's modulus and Poisson's ratio."""

from __future__ import annotations

import numpy as np

from inertia_tools.sim.scene.soft_topology import BOUNDARY
from inertia_tools.spatial import Array


def lame_parameters(young: float, poisson: float) -> tuple[float, float]:
    """Return Lame's parameters of a solid, mu and lambda [Pa].

    Args:
        young: Young's modulus [Pa].
        poisson: Poisson's ratio, below 1/2.
    """
    return young / (2.0 * (1.0 + poisson)), young * poisson / ((1.0 + poisson) * (1.0 - 2.0 * poisson))


def membrane_parameters(young: float, poisson: float, thickness: float) -> tuple[float, float]:
    """Return mu and lambda of a sheet in plane stress, times its thickness [N/m]."""
    return thickness * young / (2.0 * (1.0 + poisson)), thickness * young * poisson / (1.0 - poisson**2)


def plate_rigidity(young: float, poisson: float, thickness: float) -> float:
    """Return the bending rigidity of a plate, E t^3 / (12 (1 - nu^2)) [N m]."""
    return young * thickness**3 / (12.0 * (1.0 - poisson**2))


def hinge_factors(points: Array, edges: np.ndarray) -> Array:
    """Return L^2 / (A1 + A2) of each edge, shape (n,); zero at a boundary.

    Half of it, times the rigidity and the square of the angle, summed over the edges, is the energy of a plate that is
    bent to a cylinder (discrete shells of Grinspun, Hirani, Desbrun, Schroeder 2003): whichever way, if the triangles
    are equilateral, and along the sides, if they are halves of rectangles. Bent otherwise, and both ways at once, the
    sheet is stiffer or softer than a plate on any mesh; docs/soft_bodies.md says by how much.

    Args:
        points: Particles at rest [m], shape (particles, 3).
        edges: Particles i, j, k, l of the edges between k and l, shape (n, 4).
    """
    i, j, k, end = points[edges.T]
    along = end - k
    doubled = sum(np.linalg.norm(np.cross(corner - k, along), axis=1) for corner in (i, j))
    factors: Array = 2.0 * (along**2).sum(axis=1) / doubled
    return np.where(edges[:, 1] == BOUNDARY, 0.0, factors)
