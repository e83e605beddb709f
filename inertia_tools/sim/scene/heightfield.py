# SPDX-FileCopyrightText: The inertia_tools authors
# SPDX-License-Identifier: Apache-2.0
"""Terrain given by heights on a grid."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from inertia_tools.errors import OptionError
from inertia_tools.spatial import Array, ArrayLike, read_only


@dataclass(frozen=True, eq=False, init=False)
class Heightfield:
    """Heights on a regular grid about the shape's origin.

    Attributes:
        data: Heights [m], shape (nrow, ncol); rows run along y, columns along x.
        hx: Half extent along x [m].
        hy: Half extent along y [m].
    """

    data: Array
    hx: float
    hy: float

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
        """Store heights; with `min_z` and `max_z` they are stretched to lie between these [m].

        Raises:
            OptionError: The heights are not finite or not nrow times ncol, or an extent is not positive.
        """
        heights = np.array(data, dtype=np.float64)
        if heights.size != nrow * ncol or min(nrow, ncol) < 2 or not np.isfinite(heights).all():
            raise OptionError("data", heights.shape, f"{nrow} x {ncol} finite heights, two or more each way")
        for name, value in (("hx", hx), ("hy", hy)):
            if not (np.isfinite(value) and value > 0.0):
                raise OptionError(name, value, "a positive number of metres")
        low, high = float(heights.min()), float(heights.max())
        floor, top = low if min_z is None else min_z, high if max_z is None else max_z
        spread = (heights - low) / (high - low) if high > low else np.zeros_like(heights)
        object.__setattr__(self, "data", read_only((floor + spread * (top - floor)).reshape(nrow, ncol), (nrow, ncol)))
        object.__setattr__(self, "hx", float(hx))
        object.__setattr__(self, "hy", float(hy))
