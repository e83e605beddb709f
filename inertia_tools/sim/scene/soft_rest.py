# SPDX-FileCopyrightText: The inertia_tools authors
# SPDX-License-Identifier: Apache-2.0
"""Rest shapes of triangles, bending edges and tetrahedra."""

from __future__ import annotations

import numpy as np

from inertia_tools.errors import SimulationError
from inertia_tools.sim.scene.soft_topology import BOUNDARY
from inertia_tools.spatial import Array

FLAT = 1e-12
"""Area by the longest edge squared, or volume by the longest edge cubed, at which the rest shape is lost in rounding.

A sliver of 1e-6 relative height, the worst that mesh generators leave, is a million times above it.
"""


def rest_of_triangles(corner: Array, triangles: np.ndarray) -> tuple[Array, Array]:
    """Return areas [m^2], shape (n,), and inverses of the matrices of rest edges [1/m], shape (n, 2, 2).

    The columns of the matrix are the edges from the first corner to the second and third, in axes in the plane of the
    triangle whose x points along the first edge.

    Args:
        corner: Corners of the triangles [m], shape (n, 3, 3).
        triangles: Particles of the corners, for errors, shape (n, 3).

    Raises:
        SimulationError: A triangle has no area.
    """
    first, second = corner[:, 1] - corner[:, 0], corner[:, 2] - corner[:, 0]
    normal = np.cross(first, second)
    areas = 0.5 * np.linalg.norm(normal, axis=1)
    longest = np.maximum.reduce([(edge**2).sum(axis=1) for edge in (first, second, second - first)], initial=0.0)
    flat = ~(areas > FLAT * longest)
    if flat.any():
        index = int(np.nonzero(flat)[0][0])
        raise SimulationError(
            f"triangle {index} (particles {_names(triangles[index])}) has no area: its corners are collinear; "
            "remove it, or merge coincident particles"
        )
    length = np.linalg.norm(first, axis=1)
    along = (first * second).sum(axis=1) / length
    across = 2.0 * areas / length
    inverse = np.zeros((len(triangles), 2, 2))
    inverse[:, 0, 0] = 1.0 / length
    inverse[:, 0, 1] = -along / (length * across)
    inverse[:, 1, 1] = 1.0 / across
    return areas, inverse


def rest_of_tetrahedra(corner: Array, tetrahedra: np.ndarray) -> tuple[Array, Array]:
    """Return volumes [m^3], shape (n,), and inverses of the matrices of rest edges [1/m], shape (n, 3, 3).

    The columns of the matrix are the edges from the first corner to the other three.

    Args:
        corner: Corners of the tetrahedra [m], shape (n, 4, 3).
        tetrahedra: Particles of the corners, for errors, shape (n, 4).

    Raises:
        SimulationError: A tetrahedron has no volume, or a negative one.
    """
    edges = np.swapaxes(corner[:, 1:] - corner[:, :1], 1, 2)
    volumes = np.linalg.det(edges) / 6.0
    spans = [(edges**2).sum(axis=1).max(axis=1, initial=0.0)]
    spans += [((corner[:, a] - corner[:, b]) ** 2).sum(axis=1) for a, b in ((1, 2), (1, 3), (2, 3))]
    bound = FLAT * np.maximum.reduce(spans) ** 1.5
    wrong = ~(volumes > bound)
    if wrong.any():
        index = int(np.nonzero(wrong)[0][0])
        named = f"tetrahedron {index} (particles {_names(tetrahedra[index])})"
        if volumes[index] < -bound[index]:
            raise SimulationError(f"{named} is inverted: its volume is negative; swap two of its corners")
        raise SimulationError(f"{named} is flat: its corners are coplanar; remove it, or merge coincident particles")
    return volumes, np.asarray(np.linalg.inv(edges), dtype=np.float64)


def angles_of_edges(corner: Array, edges: np.ndarray) -> Array:
    """Return the angles between the triangles at edges [rad], shape (n,); zero where they are flat, or at a boundary.

    An edge is i, j, k, l: the angle is that of the normal of (j, l, k) about the direction from k to l, seen from the
    normal of (i, k, l); positive where the two triangles fold away from their normals.

    Args:
        corner: The four points of each edge [m], shape (n, 4, 3); that of j counts for nothing at a boundary.
        edges: Their particles, shape (n, 4).
    """
    i, j, k, l_ = np.swapaxes(corner, 0, 1)
    axis = l_ - k
    axis = axis / np.linalg.norm(axis, axis=1, keepdims=True)
    first, second = np.cross(k - i, l_ - i), np.cross(l_ - j, k - j)
    sine = (np.cross(first, second) * axis).sum(axis=1)
    cosine = (first * second).sum(axis=1)
    return np.where(edges[:, 1] == BOUNDARY, 0.0, np.arctan2(sine, cosine))


def lengths_of_edges(corner: Array, edges: np.ndarray) -> Array:
    """Return the lengths of edges i, j, k, l [m], shape (n,); see `angles_of_edges`.

    Raises:
        SimulationError: The ends of one coincide.
    """
    lengths: Array = np.linalg.norm(corner[:, 3] - corner[:, 2], axis=1)
    if not (lengths > 0.0).all():
        index = int(np.nonzero(~(lengths > 0.0))[0][0])
        raise SimulationError(f"edge {index} has no length: particles {_names(edges[index, 2:])} coincide; merge them")
    return lengths


def lumped_masses(count: int, elements: np.ndarray, masses: Array) -> Array:
    """Return masses of particles [kg], shape (count,): each element gives its corners equal parts.

    Args:
        count: Number of particles.
        elements: Corners of elements, shape (n, width).
        masses: Mass of each element [kg], shape (n,).
    """
    width = elements.shape[1]
    return np.bincount(elements.ravel(), np.repeat(masses / width, width), minlength=count).astype(np.float64)


def _names(particles: np.ndarray) -> str:
    return ", ".join(map(str, np.asarray(particles).tolist()))
