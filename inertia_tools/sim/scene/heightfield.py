# SPDX-FileCopyrightText: The inertia_tools authors
# SPDX-License-Identifier: Apache-2.0
"""Terrain given by heights on a grid."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from inertia_tools.errors import OptionError
from inertia_tools.sim.scene.given import as_count, as_number, as_numbers
from inertia_tools.sim.scene.mesh_heights import rasterize_mesh_to_heightfield
from inertia_tools.spatial import Array, ArrayLike


@dataclass(eq=False, init=False)
class Heightfield:
    """Heights on a regular grid about the shape's origin.

    Attributes:
        data: Heights over the range from `min_z` to `max_z`, 0 to 1, float32, shape (nrow, ncol); rows run along y,
            columns along x. It may be written to before `finalize`.
        nrow, ncol: Number of rows and columns.
        hx: Half extent along x [m].
        hy: Half extent along y [m].
        min_z, max_z: Heights of the data values 0 and 1 [m]; the first may be the larger one.
        has_inertia: False: terrain has no mass.
        mass: Zero [kg].
    """

    data: npt.NDArray[np.float32]
    nrow: int
    ncol: int
    hx: float
    hy: float
    min_z: float
    max_z: float
    has_inertia: bool = False
    mass: float = 0.0

    def __init__(
        self,
        data: ArrayLike,
        nrow: int,
        ncol: int,
        hx: float = 1.0,
        hy: float = 1.0,
        min_z: float | None = None,
        max_z: float | None = None,
    ) -> None:
        """Store heights [m]; with `min_z` or `max_z` they are stretched to these, and a flat field lies at `min_z` [m].

        Raises:
            OptionError: The heights are not finite or not nrow times ncol, or an extent is not positive.
        """
        heights = as_numbers("data", data, "finite heights")
        nrow, ncol = as_count("nrow", nrow), as_count("ncol", ncol)
        if heights.size != nrow * ncol or min(nrow, ncol) < 2 or not np.isfinite(heights).all():
            raise OptionError("data", heights.shape, f"{nrow} x {ncol} finite heights, two or more each way")
        for name, value in (("hx", hx), ("hy", hy)):
            if not 0.0 < as_number(value) < math.inf:
                raise OptionError(name, value, "a positive number of metres")
        low, high = float(heights.min()), float(heights.max())
        spread = (heights - low) / (high - low) if high > low else np.zeros_like(heights)
        self.data = spread.reshape(nrow, ncol).astype(np.float32)
        self.nrow, self.ncol, self.hx, self.hy = int(nrow), int(ncol), float(hx), float(hy)
        self.min_z = low if min_z is None else float(min_z)
        self.max_z = high if max_z is None else float(max_z)

    @property
    def heights(self) -> Array:
        """Heights [m], shape (nrow, ncol)."""
        return self.min_z + self.data.astype(np.float64) * (self.max_z - self.min_z)

    def __hash__(self) -> int:
        """Return a number that is the same for the same terrain."""
        return hash((self.data.tobytes(), self.data.shape, self.hx, self.hy, self.min_z, self.max_z))

    @classmethod
    def create_from_mesh(
        cls, mesh: Any, resolution: float, *, max_cells_per_axis: int = 4096
    ) -> tuple[Heightfield, Any]:
        """Return the upper surface of triangles as terrain, and its pose, a Warp transform.

        Args:
            mesh: A `Mesh`, or a Warp mesh, in the frame of the terrain.
            resolution: Largest distance between heights along x and y [m].
            max_cells_per_axis: Largest number of heights along each axis; it increases the distance if necessary.

        Raises:
            OptionError: The resolution is not positive, or fewer than two heights are allowed.
        """
        import warp as wp

        heights, (x0, y0, x1, y1) = rasterize_mesh_to_heightfield(
            mesh, resolution, max_cells_per_axis=max_cells_per_axis
        )
        rows, columns = heights.shape
        field = Heightfield(heights, rows, columns, 0.5 * (x1 - x0), 0.5 * (y1 - y0))
        return field, wp.transform(wp.vec3(0.5 * (x0 + x1), 0.5 * (y0 + y1), 0.0), wp.quat_identity())
