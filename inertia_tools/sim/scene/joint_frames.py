# SPDX-FileCopyrightText: The inertia_tools authors
# SPDX-License-Identifier: Apache-2.0
"""Frames whose axes are those of a joint."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from inertia_tools.errors import OptionError
from inertia_tools.sim.scene.given import as_numbers
from inertia_tools.spatial import Array, ArrayLike, rotation_between

ORTHOGONAL = 1e-6
"""Axes of one joint may be this far from a right angle, as the cosine between them."""


def frame_along(axes: Sequence[ArrayLike]) -> tuple[Array, tuple[float, ...]]:
    """Return a right-handed frame whose x, y, z lie along up to three axes, shape (3, 3), and the sign of each.

    A sign is -1 where the axes are left-handed, so that the last one points against its column.

    Raises:
        OptionError: An axis is zero, or two are not orthogonal.
    """
    units = [_unit(axis) for axis in axes]
    for index, one in enumerate(units):
        for other in units[:index]:
            if abs(float(one @ other)) > ORTHOGONAL:
                raise OptionError("axis", np.round(one, 9).tolist(), "at right angles to the joint's other axes")
    signs = [1.0] * len(units)
    if not units:
        return np.eye(3), ()
    if len(units) == 1:
        return rotation_between([1.0, 0.0, 0.0], units[0]), (1.0,)
    second = units[1] - (units[0] @ units[1]) * units[0]
    second = second / np.linalg.norm(second)
    third = np.cross(units[0], second)
    if len(units) == 3 and units[2] @ third < 0.0:
        signs[2] = -1.0
    return np.column_stack([units[0], second, third]), tuple(signs)


def _unit(axis: ArrayLike) -> Array:
    vector = as_numbers("axis", axis, "three finite numbers, not all zero")
    length = float(np.linalg.norm(vector)) if vector.shape == (3,) else 0.0
    if not (np.isfinite(length) and length > 0.0):
        raise OptionError("axis", axis, "three finite numbers, not all zero")
    return np.asarray(vector / length)
