# SPDX-FileCopyrightText: The inertia_tools authors
# SPDX-License-Identifier: Apache-2.0
"""Mass properties of the solid bounded by closed triangles, exact in float64.

Each triangle and a common apex span a tetrahedron of signed volume; the sum over a closed surface is the solid's
integral for any apex. An apex among the corners keeps the tetrahedra as small as the part, so that a part far from its
file's origin loses no digits.

For a tetrahedron with one corner at the origin and the others a, b, c, with d = a . (b x c) and s = a + b + c: volume
d/6, first moment d/24 s, second moments d/120 (a a^T + b b^T + c c^T + s s^T) (Tonon 2004).
"""

from __future__ import annotations

import sys
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from inertia_tools.inertial import Inertial
from inertia_tools.spatial import Array

Indices = npt.NDArray[np.integer]

ROUNDING = 64.0 * np.finfo(np.float64).eps
"""Volumes under this fraction of the sum of their parts' sizes are rounding of a true zero."""

BLOCK = 8192
"""Triangles integrated at a time: their numbers fit in the processor's second-level cache (measured: 1 k to 64 k)."""

SAMPLE = 4096
"""Number of vertices whose mean is the apex: any nearby point will do, and that of all takes as long as the sums."""

KERNEL = "inertia_tools.geometry.kernels.tetrahedron_sums"

WORTH_A_LAUNCH, WORTH_LOADING = 3_000, 50_000
"""From this many triangles on, the Warp kernel is used if it is loaded, and loaded if Warp is (measured)."""


@dataclass(frozen=True, eq=False)
class VolumeSums:
    """Sums over the tetrahedra of triangles with an apex; those of several meshes with one apex add up.

    Attributes:
        apex: The common corner [m], shape (3,).
        determinant: Sum of d, six times the volume [m^3].
        size: Sum of |d| [m^3].
        first: Sum of d s [m^4], shape (3,).
        second: Sum of d (a a^T + b b^T + c c^T + s s^T) [m^5], shape (3, 3).
    """

    apex: Array
    determinant: float
    size: float
    first: Array
    second: Array

    def minus(self, other: VolumeSums) -> VolumeSums:
        """Subtract the sums of other triangles with the same apex."""
        return VolumeSums(
            self.apex,
            self.determinant - other.determinant,
            self.size,
            self.first - other.first,
            self.second - other.second,
        )

    def inertial(self) -> Inertial:
        """Return the mass properties at unit density; see `integrate_triangles`."""
        volume = self.determinant / 6.0
        if abs(self.determinant) <= ROUNDING * self.size:
            return Inertial(0.0, self.apex)
        centre = self.first / (24.0 * volume)
        second = self.second / 120.0 - volume * np.outer(centre, centre)
        second = 0.5 * (second + second.T)
        return Inertial(volume, self.apex + centre, np.trace(second) * np.eye(3) - second)


def integrate_triangles(vertices: Array, triangles: Indices, backend: str = "auto") -> Inertial:
    """Integrate the solid inside closed triangles at unit density.

    Args:
        vertices: Positions [m], shape (n, 3).
        triangles: Three vertex indices each, counter-clockwise seen from outside, shape (m, 3).
        backend: "numpy"; "warp", a kernel that takes a quarter of the time and a second to load; "auto" is the kernel
            for large meshes where Warp is loaded anyway.

    Returns:
        Mass is the signed volume [m^3]: negative if the triangles are wound the other way, and then the tensor is
        negative too. Zero mass, with the apex as its centre, if no volume is enclosed.
    """
    return volume_sums(vertices, triangles, backend=backend).inertial()


def volume_sums(vertices: Array, triangles: Indices, apex: Array | None = None, backend: str = "auto") -> VolumeSums:
    """Sum over the tetrahedra of triangles with an apex, by default among the vertices."""
    origin = _middle(vertices) if apex is None else apex
    if backend == "warp" or (backend == "auto" and _is_worth_a_kernel(len(triangles))):
        from inertia_tools.geometry.kernels.tetrahedron_sums import tetrahedron_sums

        return VolumeSums(origin, *tetrahedron_sums(vertices, triangles, origin))
    return VolumeSums(origin, *_sums(np.ascontiguousarray((vertices - origin).T), triangles))


def _is_worth_a_kernel(triangle_count: int) -> bool:
    return "warp" in sys.modules and triangle_count >= (WORTH_A_LAUNCH if KERNEL in sys.modules else WORTH_LOADING)


def _middle(points: Array) -> Array:
    """Return a point among others, shape (n, 3): the mean of some thousand, to the last digit also far away."""
    some = points[:: 1 + len(points) // SAMPLE]
    return np.asarray(some[0] + (some - some[0]).mean(axis=0))


def _sums(coordinates: Array, triangles: Indices) -> tuple[float, float, Array, Array]:
    """Sum block by block; coordinates are relative to the apex, one row per axis."""
    determinant, size, first, second = 0.0, 0.0, np.zeros(3), np.zeros((3, 3))
    for start in range(0, len(triangles), BLOCK):
        corners = coordinates.take(np.ascontiguousarray(triangles[start : start + BLOCK].T), axis=1)
        x, y, z = corners  # each of shape (3 corners, block)
        d = x[0] * (y[1] * z[2] - z[1] * y[2])
        d += y[0] * (z[1] * x[2] - x[1] * z[2])
        d += z[0] * (x[1] * y[2] - y[1] * x[2])
        s = corners.sum(axis=1)
        weighted = corners * d
        determinant += float(d.sum())
        size += float(np.abs(d).sum())
        first += s @ d
        second += np.tensordot(weighted, corners, axes=([1, 2], [1, 2])) + (s * d) @ s.T
    return determinant, size, first, second
