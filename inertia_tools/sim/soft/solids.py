# SPDX-FileCopyrightText: The inertia_tools authors
# SPDX-License-Identifier: Apache-2.0
"""Solid elements: tetrahedra, and node-based elements over which the strain of tetrahedra is averaged.

Linear tetrahedra are too stiff in bending (shear locking) and at nearly constant volume (volumetric locking). The
node-based element of a particle is a quarter of each adjacent tetrahedron, with the mean deformation gradient (Dohrmann
et al. 2000). By itself it is too soft, and has deformation modes of zero energy. So the shear stiffness is divided
between both kinds of elements, as in alpha-FEM (Liu, Nguyen-Thoi, Lam 2008), while the volumetric stiffness belongs to
the node-based elements alone (Puso, Solberg 2006, with the tetrahedra as stabilisation).
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from inertia_tools.sim.soft.pattern import Frequencies, solid_frequencies
from inertia_tools.spatial import Array

SHEAR_OF_TETRAHEDRA = 0.3
"""Share of the shear modulus and damping that smoothed tetrahedra keep.

Cantilevers of 20 x 4 x 4 cells (five tetrahedra, six, or Delaunay's of displaced points; nu 0.3 and 0.45) deflect by
0.95 to 1.02 of Timoshenko's beam at the tip with 0.3, and by 0.92 to 1.00 with 0.4."""

WHOLE = (1.0, 1.0, 1.0)
STABILISING = (SHEAR_OF_TETRAHEDRA, 0.0, SHEAR_OF_TETRAHEDRA)
SMOOTHED = (1.0 - SHEAR_OF_TETRAHEDRA, 1.0, 1.0 - SHEAR_OF_TETRAHEDRA)
"""Factors of mu, lambda and damping of a plain tetrahedron, a smoothed one, and a node-based element."""


@dataclass(frozen=True, eq=False)
class Solids:
    """Elements with a deformation gradient, F = sum of x g^T over their corners.

    Attributes:
        corners: Their particles, one array for each number of corners, shape (n, corners).
        slopes: Derivatives g of F with respect to the corners [1/m], shape (n, corners, 3) each.
        volumes: Volumes at rest [m^3], shape (all,).
        first, tet, weight: Tetrahedra over which materials are averaged, with their weights; those of element s are
            entries first[s] to first[s + 1].
        factors: Of mu, lambda and damping of those means, shape (all, 3).
    """

    corners: tuple[np.ndarray, ...]
    slopes: tuple[Array, ...]
    volumes: Array
    first: np.ndarray
    tet: np.ndarray
    weight: Array
    factors: Array

    def frequencies(self, materials: Array, inv_mass: Array) -> list[Frequencies]:
        """Return bounds of the frequencies of the elements, one entry for each array of `corners`.

        Args:
            materials: mu, lambda and damping of the tetrahedra, shape (tetrahedra, 3).
            inv_mass: Of each particle [1/kg].
        """
        shares = self.weight[:, None] * materials[self.tet]
        means = self.factors * np.add.reduceat(shares, self.first[:-1], axis=0) if len(self.tet) else self.factors
        ends = np.cumsum([0, *map(len, self.corners)])
        return [
            solid_frequencies(corners, slopes, self.volumes[first:end], means[first:end], inv_mass)
            for corners, slopes, first, end in zip(self.corners, self.slopes, ends, ends[1:], strict=False)
        ]


def solids_of(tetrahedra: np.ndarray, poses: Array, volumes: Array, smoothed: np.ndarray) -> Solids:
    """Return the solid elements of tetrahedra.

    Args:
        tetrahedra: Particles of the corners, shape (n, 4).
        poses: Inverses of the matrices of rest edges [1/m], shape (n, 3, 3).
        volumes: Rest volumes [m^3], shape (n,).
        smoothed: Tetrahedra whose strain is averaged at their particles, shape (n,).
    """
    slopes = np.concatenate([-poses.sum(axis=1, keepdims=True), poses], axis=1)
    chosen, count = np.flatnonzero(smoothed), len(tetrahedra)
    around, of_entry = np.unique(tetrahedra[chosen].ravel(), return_inverse=True)
    order = np.argsort(of_entry, kind="stable")
    tet, of_entry = np.repeat(chosen, 4)[order], of_entry[order]
    parts = 0.25 * volumes[tet]
    sizes = np.bincount(of_entry, parts, minlength=len(around))
    weight = parts / sizes[of_entry]
    corners, mean_slopes, numbers = _neighbourhoods(tetrahedra[tet], weight[:, None, None] * slopes[tet], of_entry)
    rank = np.empty(len(around), dtype=np.int64)
    rank[numbers] = np.arange(len(around))
    order = np.argsort(rank[of_entry], kind="stable")
    counts = np.bincount(of_entry, minlength=len(around))[numbers]
    kinds = np.where(np.asarray(smoothed, dtype=bool)[:, None], STABILISING, WHOLE)
    return Solids(
        corners=(tetrahedra, *corners),
        slopes=(slopes, *mean_slopes),
        volumes=np.concatenate([volumes, sizes[numbers]]),
        first=np.concatenate([np.arange(count), count + np.cumsum([0, *counts])]),
        tet=np.concatenate([np.arange(count), tet[order]]),
        weight=np.concatenate([np.ones(count), weight[order]]),
        factors=np.concatenate([kinds, np.tile(SMOOTHED, (len(around), 1))]),
    )


def _neighbourhoods(
    tetrahedra: np.ndarray, slopes: Array, number: np.ndarray
) -> tuple[list[np.ndarray], list[Array], np.ndarray]:
    """Return corners and mean slopes of node-based elements by their numbers of corners, and their order.

    Args:
        tetrahedra: Corners of the tetrahedra of all node-based elements, shape (entries, 4).
        slopes: Slopes with respect to the corners, times their weights, shape (entries, 4, 3).
        number: Node-based element of each entry, ascending, shape (entries,).
    """
    bound = int(tetrahedra.max(initial=0)) + 1
    keys, place = np.unique((number[:, None] * bound + tetrahedra).ravel(), return_inverse=True)
    summed = np.stack([np.bincount(place, slopes[..., a].ravel(), minlength=len(keys)) for a in range(3)], axis=1)
    widths = np.bincount(keys // bound)
    begins = np.cumsum([0, *widths])[:-1]
    corners, means, numbers = [], [], [np.zeros(0, dtype=np.int64)]
    for width in np.unique(widths):
        members = np.flatnonzero(widths == width)
        rows = begins[members][:, None] + np.arange(width)
        corners.append((keys[rows] % bound).astype(np.int32))
        means.append(summed[rows])
        numbers.append(members)
    return corners, means, np.concatenate(numbers)
