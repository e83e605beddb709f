# SPDX-FileCopyrightText: The inertia_tools authors
# SPDX-License-Identifier: Apache-2.0
"""Connectivity of particles: sparsity pattern of the matrix, connected components, and element frequencies."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from scipy.sparse import coo_matrix
from scipy.sparse.csgraph import connected_components

from inertia_tools.spatial import Array


@dataclass(frozen=True, eq=False)
class Pattern:
    """Off-diagonal sparsity pattern of the matrix, by rows.

    Attributes:
        first: First block of each row, shape (particles + 1,).
        column: Column of each block, shape (blocks,).
        slots: For each kind of element, indices of its blocks (a, b), ordered by a, then b, without a = b; -1 for none;
            shape (elements, n (n - 1)).
        component: Connected component of each particle, shape (particles,).
    """

    first: np.ndarray
    column: np.ndarray
    slots: tuple[np.ndarray, ...]
    component: np.ndarray


def pattern_of(count: int, kinds: tuple[np.ndarray, ...]) -> Pattern:
    """Return the sparsity pattern of the matrix.

    Args:
        count: Number of particles.
        kinds: Particles of each element, for each kind of element, shape (elements, n); negative for none.
    """
    pairs = [_pairs(elements) for elements in kinds]
    everything = np.concatenate([*pairs, np.zeros((0, 2), dtype=np.int64)])
    everything = everything[(everything >= 0).all(axis=1)]
    keys = np.unique(everything[:, 0] * count + everything[:, 1])
    rows, columns = keys // max(count, 1), keys % max(count, 1)
    first = np.searchsorted(rows, np.arange(count + 1))
    slots = []
    for elements, pair in zip(kinds, pairs, strict=True):
        found = np.searchsorted(keys, pair[:, 0] * count + pair[:, 1])
        found = np.where((pair >= 0).all(axis=1), found, -1)
        width = elements.shape[1] * (elements.shape[1] - 1)
        slots.append(found.reshape(len(elements), width).astype(np.int32))
    graph = coo_matrix((np.ones(len(keys)), (rows, columns)), shape=(count, count))
    component = connected_components(graph, directed=False)[1] if count else np.zeros(0)
    return Pattern(first.astype(np.int32), columns.astype(np.int32), tuple(slots), component.astype(np.int32))


def _pairs(elements: np.ndarray) -> np.ndarray:
    """Return the ordered pairs of particles of each element, shape (elements n (n - 1), 2)."""
    n = elements.shape[1]
    places = np.array([(a, b) for a in range(n) for b in range(n) if a != b])
    return np.asarray(elements, dtype=np.int64)[:, places].reshape(-1, 2)


@dataclass(frozen=True, eq=False)
class Frequencies:
    """Angular frequencies of the elements of one kind.

    The energy of an element is at most k |sum of g x|^2 / 2 for displacements x of its corners. Its corner i oscillates
    at w_i = |g_i| (k / m_i)^(1/2) while the others are fixed, and the isolated element at no more than the root of the
    sum of all w^2.

    Attributes:
        indices: Particles of the corners, shape (n, corners); negative for none. Bodies follow after all particles.
        corners: Angular frequency of each corner while the others are fixed [1/s], shape (n, corners).
    """

    indices: np.ndarray
    corners: Array

    @property
    def alone(self) -> Array:
        """Bounds of the squared angular frequencies of isolated elements [1/s^2], shape (n,)."""
        return np.asarray((self.corners**2).sum(axis=1))

    def together(self, count: int) -> Array:
        """Return their contribution to the bounds of squared frequencies of particles [1/s^2], shape (count,).

        As k (sum of |g| |x|)^2 is at most the sum of m_i w_i (sum of all w) |x_i|^2, no motion is faster than the
        largest sum of these over all kinds of elements.
        """
        is_particle = self.indices >= 0
        loads = self.corners * self.corners.sum(axis=1, keepdims=True)
        return np.bincount(self.indices[is_particle], loads[is_particle], minlength=count).astype(np.float64)

    def shares(self, together: Array, h: float) -> Array:
        """Return the share of each element that the backward Euler method integrates, 0 to 1, shape (n,).

        The rest takes the weights 1/12, 10/12, 1/12 of the forces at the next, this and the last position (Numerov),
        whose phase error is of fourth order. Motions that are fast compared with the substep cannot be resolved and are
        damped. With a share p, motions are stable up to (frequency h)^2 = 6 / (1 - 2.5 p): many elements of one
        particle may oscillate faster together than each of them.

        Args:
            together: Bounds of the squared frequencies of all particles by all elements [1/s^2].
            h: Length of the substep [s].
        """
        square = (self.alone * h * h) ** 2
        fastest = np.where(self.indices >= 0, together[np.maximum(self.indices, 0)], 0.0).max(axis=1, initial=0.0)
        least = 0.4 * (1.0 - 6.0 / np.maximum(fastest * h * h, 6.0))
        return np.asarray(np.maximum(square / (1.0 + square), least))


def spring_frequencies(indices: np.ndarray, stiffness: Array, inv_mass: Array) -> Frequencies:
    """Return the frequencies of springs."""
    return Frequencies(indices, np.sqrt(stiffness[:, None] * inv_mass[indices]))


def tie_frequencies(indices: np.ndarray, stiffness: Array, mobilities: Array) -> Frequencies:
    """Return bounds of the frequencies of attachments to bodies; rigid ones have none.

    Args:
        indices: Particle and body of each, shape (n, 2).
        stiffness: Stiffness [N/m], shape (n,).
        mobilities: Inverse mass of the particle, and greatest inverse mass of the body at the point [1/kg], shape (n,
            2).
    """
    soft = np.where(np.isfinite(stiffness), stiffness, 0.0)
    return Frequencies(indices, np.sqrt(soft[:, None] * mobilities))


def membrane_frequencies(
    indices: np.ndarray, poses: Array, areas: Array, materials: Array, inv_mass: Array
) -> Frequencies:
    """Return bounds of the frequencies of membranes."""
    slopes = np.concatenate([-poses.sum(axis=1, keepdims=True), poses], axis=1)
    return solid_frequencies(indices, slopes, areas, materials, inv_mass)


def solid_frequencies(
    indices: np.ndarray, slopes: Array, sizes: Array, materials: Array, inv_mass: Array
) -> Frequencies:
    """Return bounds of the frequencies of elements with a deformation gradient.

    Args:
        indices: Particles of the corners, shape (n, corners).
        slopes: Derivatives of the deformation gradient with respect to the corners [1/m], shape (n, corners, axes).
        sizes: Volumes [m^3] or areas [m^2].
        materials: mu and lambda first [Pa] or [N/m], shape (n, numbers).
        inv_mass: Inverse mass of each particle [1/kg].
    """
    squares = (slopes**2).sum(axis=2)
    moduli = 2.0 * materials[:, 0] + materials[:, 1]
    return Frequencies(indices, np.sqrt((moduli * sizes)[:, None] * squares * inv_mass[indices]))


def edge_frequencies(indices: np.ndarray, rest: Array, stiffness: Array, inv_mass: Array) -> Frequencies:
    """Return the frequencies of bending edges in the rest shape.

    Args:
        indices: Two opposite corners and the two of the edge, shape (n, 4); negative for none.
        rest: Rest positions of the particles [m], shape (particles, 3).
        stiffness: Torque per angle [N m/rad], shape (n,).
        inv_mass: Inverse mass of each particle [1/kg].
    """
    whole = np.asarray(indices >= 0).all(axis=1, keepdims=True)
    i, j, k, m = (rest[np.maximum(indices[:, a], 0)] for a in range(4))
    e = m - k
    length = np.maximum(np.linalg.norm(e, axis=1), 1e-15)
    normals = [np.cross(k - i, m - i), np.cross(m - j, k - j)]
    n1, n2 = (n / np.maximum((n**2).sum(axis=1), 1e-30)[:, None] for n in normals)
    along = [((a - b) * e).sum(axis=1)[:, None] for a, b in ((i, m), (j, m), (i, k), (j, k))]
    gradients = [
        length[:, None] * n1,
        length[:, None] * n2,
        (along[0] * n1 + along[1] * n2) / length[:, None],
        -(along[2] * n1 + along[3] * n2) / length[:, None],
    ]
    squares = np.stack([(g**2).sum(axis=1) for g in gradients], axis=1)
    of_corners = stiffness[:, None] * squares * inv_mass[np.maximum(indices, 0)]
    return Frequencies(indices, np.sqrt(np.where(whole, of_corners, 0.0)))
