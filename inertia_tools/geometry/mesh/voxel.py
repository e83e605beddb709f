# SPDX-FileCopyrightText: The inertia_tools authors
# SPDX-License-Identifier: Apache-2.0
"""Mass properties of the volume that a surface with holes winds around, counted in voxels.

A point is inside if the generalised winding number is above one half. Voxels on the boundary are halved, and those
still on it count by the share of them that is behind the nearest part of the surface, so that the error falls with the
square of their size. Halving stops when the result has converged.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np

from inertia_tools.errors import OptionError
from inertia_tools.geometry.mesh.surface import Surface
from inertia_tools.inertial import Inertial
from inertia_tools.spatial import Array, box_of

COARSEST, FINEST = 24, 384
"""Voxels along the longest side, first and last; the last take up to 300 MB and some seconds on a CPU."""

FEWEST, MOST = 4, 512
"""Permitted numbers of voxels along the longest side; the most take up to 700 MB."""

MOST_POINTS = 800_000
"""Total number of located voxels without a given edge; each takes some microseconds on a CPU."""

DEAR = 200.0
"""Mean number of triangles near a voxel that doubles its time; the limit on voxels is reduced accordingly.

A triangle is near if its distance is at most its length. Only a surface with cracks everywhere has many."""

INSIDE = 0.5
BAND = 0.2
"""Half width of the band of winding numbers about one half at the boundary in a hole.

The volume between the boundaries at its two ends is the doubt about the position of the missing surface.
"""

SHARE_OF_DOUBT = 0.15
"""Share of the doubt about the holes that the voxels may add to the stated error."""

STRAY, MOST_STRAYED = 0.5, 3
"""A result does not converge if halving changes it by more than this fraction this many times in a row."""

MARGIN = 2
"""Voxels between the surface and the boundary of the lattice."""


@dataclass(frozen=True, eq=False)
class VoxelIntegral:
    """Mass properties at unit density; the inertial is None when no voxel is inside.

    Attributes:
        unit: Inertial in the mesh's frame.
        error_estimate: Likely relative error of the volume, and of the moments over the largest.
        edge: Edge of the smallest voxels [m].
        is_coarse: Whether halving stopped before convergence, at `MOST_POINTS` or because the result does not converge;
            the stated error includes the remaining change.
    """

    unit: Inertial | None
    error_estimate: float
    edge: float
    is_coarse: bool = False


def count_voxels(
    surface: Surface,
    tolerance: float = 1e-3,
    edge: float | None = None,
    device: str = "cpu",
    hopeless: float = math.inf,
) -> VoxelIntegral:
    """Count the voxels that a surface winds around.

    Args:
        surface: Triangles, counter-clockwise seen from outside.
        tolerance: Relative error at which halving stops; if the holes leave more in doubt, it stops at a small share of
            that doubt, which finer voxels do not reduce.
        edge: Edge of the smallest voxels [m]; instead of the tolerance.
        device: Warp device name.
        hopeless: Stated error from which the result is useless to the caller; if the doubt about the holes alone is
            larger, halving stops after the first time.

    Raises:
        OptionError: The edge is longer than the part or needs more than `MOST` voxels along it.
    """
    from inertia_tools.geometry.kernels.surface_locator import SurfaceLocator

    low, high = box_of(surface.vertices)
    centre, side = 0.5 * (low + high), float((high - low).max())
    locator = SurfaceLocator((surface.vertices - centre) / side, surface.triangles, device)
    extent = (high - low) / side
    counts = _resolutions(side, edge)
    before: Inertial | None = None
    lattice = _Lattice.over(extent, counts[0]).located(locator)
    doubt = _hole_doubt(locator, lattice if counts[0] == COARSEST else _Lattice.over(extent, COARSEST).located(locator))
    now, change = lattice.inertial(), 1.0
    points, strayed, is_coarse = lattice.inside.size, 0, False
    most = MOST_POINTS / (1.0 + _near_triangles((surface.vertices / side)[surface.triangles], extent) / DEAR)
    for _ in counts[1:]:
        points += lattice.points_of_half()
        is_coarse = edge is None and (points > most or strayed == MOST_STRAYED)
        if is_coarse:
            break
        before, lattice = now, lattice.halved(locator)
        now = lattice.inertial()
        change = 1.0 if before is None or now is None else _difference(before, now)
        strayed = strayed + 1 if now is not None and change > STRAY else 0
        share = 1.0 if now is None else doubt / now.mass
        if edge is None and (change <= max(tolerance, SHARE_OF_DOUBT * share) or share > hopeless):
            break
    if now is None:
        return VoxelIntegral(None, 1.0, side * lattice.edge, is_coarse)
    unit = Inertial(now.mass * side**3, now.com * side + centre, now.inertia * side**5)
    return VoxelIntegral(unit, change + doubt / now.mass, side * lattice.edge, is_coarse)


def _near_triangles(corners: Array, extent: Array) -> float:
    """Return the mean number of triangles near a point of the box, which are tested one by one.

    Args:
        corners: Corners of the triangles, shape (n, 3, 3).
        extent: Edges of the box, in which a flat one counts as one voxel of the coarsest lattice.
    """
    reach = np.linalg.norm(np.ptp(corners, axis=1), axis=1)
    room = float(np.prod(np.maximum(extent, 1.0 / COARSEST)))
    return float(np.minimum(4.0 / 3.0 * np.pi * reach**3 / room, 1.0).sum())


def _resolutions(side: float, edge: float | None) -> list[int]:
    """Return the numbers of voxels along the longest side, each twice the previous one."""
    if edge is None:
        return [COARSEST * 2**k for k in range(8) if COARSEST * 2**k <= FINEST]
    finest = round(side / edge)
    if not FEWEST <= finest <= MOST:
        raise OptionError("voxel_size", edge, f"between {side / MOST:.3g} and {side / FEWEST:.3g} m for this mesh")
    halvings = 0
    while halvings == 0 or finest / 2 ** (halvings + 1) >= COARSEST:  # at least once, to measure the change
        halvings += 1
    coarsest = side / edge / 2**halvings
    return [max(2, round(coarsest * 2**k)) for k in range(halvings + 1)]


def _hole_doubt(locator: object, lattice: _Lattice) -> float:
    """Return half the volume between the boundaries at winding numbers a little below and above one half.

    A point inside at one half is inside below it, and one outside is outside above it, so that each voxel is tested
    once.
    """
    cells = lattice.inside.reshape(-1)
    centres = lattice.centres()
    gained = locator.locate(centres[~cells], INSIDE - BAND)[0]  # type: ignore[attr-defined]
    kept = locator.locate(centres[cells], INSIDE + BAND)[0]  # type: ignore[attr-defined]
    return 0.5 * float(gained.sum() + (~kept).sum()) * lattice.edge**3


def _difference(a: Inertial, b: Inertial) -> float:
    """Return the difference of two results, in the volume or in a moment over the largest."""
    size = float(np.linalg.norm(b.inertia, 2))
    return max(abs(a.mass - b.mass) / b.mass, float(np.linalg.norm(a.inertia - b.inertia, 2)) / size)


@dataclass(frozen=True, eq=False)
class _Lattice:
    """Cubic voxels over the unit part.

    Attributes:
        origin: Lowest corner, shape (3,).
        edge: Edge of a voxel.
        inside: Whether the centre of each voxel is inside, three axes, bool.
        share: Share of each voxel that counts, 0 to 1, three axes.
    """

    origin: Array
    edge: float
    inside: np.ndarray
    share: np.ndarray

    @classmethod
    def over(cls, extent: Array, count: int) -> _Lattice:
        """Place `count` voxels along the longest side, and a margin around."""
        edge = 1.0 / count
        cells = np.ceil(extent / edge).astype(int) + 2 * MARGIN
        return cls(-0.5 * cells * edge, edge, np.zeros(cells, dtype=bool), np.zeros(cells, dtype=np.float32))

    def centres(self, cells: np.ndarray | None = None) -> Array:
        """Return the centres of voxels, all or those with these indices, shape (k, 3)."""
        numbers = np.indices(self.inside.shape).reshape(3, -1).T if cells is None else cells
        return np.asarray(self.origin + (numbers + 0.5) * self.edge)

    def located(self, locator: object) -> _Lattice:
        """Locate every voxel."""
        return self._filled(locator, np.indices(self.inside.shape).reshape(3, -1).T, self.inside.copy())

    def halved(self, locator: object) -> _Lattice:
        """Halve every voxel, and locate those on or near the boundary."""
        parents = np.argwhere(self._is_passed())
        inside = self.inside.repeat(2, axis=0).repeat(2, axis=1).repeat(2, axis=2)
        steps = np.indices((2, 2, 2)).reshape(3, -1).T
        children = (2 * parents[:, None, :] + steps).reshape(-1, 3)
        finer = _Lattice(self.origin, 0.5 * self.edge, inside, inside.astype(np.float32))
        return finer._filled(locator, children, inside)

    def points_of_half(self) -> int:
        """Return the number of voxels that `halved` locates."""
        return 8 * int(np.count_nonzero(self._is_passed()))

    def _filled(self, locator: object, cells: np.ndarray, inside: np.ndarray) -> _Lattice:
        within, way = locator.locate(self.centres(cells), INSIDE)  # type: ignore[attr-defined]
        at = tuple(cells.T)
        inside[at] = within
        share = inside.astype(np.float32)
        share[at] = self._shares(within, way)
        return _Lattice(self.origin, self.edge, inside, share)

    def _shares(self, within: np.ndarray, way: Array) -> Array:
        """Return the share of a voxel on its centre's side of a plane normal to the vector to the surface."""
        distance = np.linalg.norm(way, axis=1)
        breadth = np.abs(way).sum(axis=1) / np.maximum(distance, np.finfo(float).tiny) * self.edge
        beyond = np.clip(0.5 - distance / np.maximum(breadth, np.finfo(float).tiny), 0.0, 0.5)
        return np.asarray(np.where(within, 1.0 - beyond, beyond))

    def _is_passed(self) -> np.ndarray:
        """Return which voxels the boundary passes: the surface, or in a hole the change from inside to outside."""
        partial = (self.share > 0.0) & (self.share < 1.0)
        for axis in range(3):
            change = np.diff(self.inside, axis=axis)
            ahead = [slice(None)] * 3
            behind = [slice(None)] * 3
            ahead[axis], behind[axis] = slice(1, None), slice(None, -1)
            partial[tuple(ahead)] |= change
            partial[tuple(behind)] |= change
        return partial

    def inertial(self) -> Inertial | None:
        """Sum up the voxels; None if none is inside."""
        cells = np.argwhere(self.share > 0.0)
        if not len(cells):
            return None
        weight = self.share[tuple(cells.T)].astype(np.float64) * self.edge**3
        points = self.centres(cells)
        volume = float(weight.sum())
        com = weight @ points / volume
        arms = points - com
        second = (arms * weight[:, None]).T @ arms + volume * self.edge**2 / 12.0 * np.eye(3)
        return Inertial(volume, com, np.trace(second) * np.eye(3) - second)
