# SPDX-FileCopyrightText: The inertia_tools authors
# SPDX-License-Identifier: Apache-2.0
"""The three axes of a frame by name, number or direction."""

from __future__ import annotations

import enum
from typing import Any

import numpy as np

from inertia_tools.errors import OptionError
from inertia_tools.spatial import Array


class Axis(enum.IntEnum):
    """An axis of a frame; the values are indices of a vector."""

    X = 0
    Y = 1
    Z = 2

    @classmethod
    def from_string(cls, word: str) -> Axis:
        """Return the axis of a name, in either case.

        Raises:
            OptionError: The value is not an axis.
        """
        name = word.upper().removeprefix("AXIS.")
        if name not in cls.__members__:
            raise OptionError("axis", word, "X, Y or Z")
        return cls[name]

    @classmethod
    def from_any(cls, value: Any, option: str = "axis") -> Axis:
        """Return the axis for a member, a name or a number from 0 to 2.

        Args:
            value: The value to convert.
            option: Name of the argument in messages.

        Raises:
            OptionError: The value is not an axis.
        """
        if isinstance(value, str) and value.upper().removeprefix("AXIS.") in cls.__members__:
            return cls.from_string(value)
        if hasattr(value, "__index__") and not isinstance(value, bool) and int(value) in (0, 1, 2):
            return cls(int(value))
        raise OptionError(option, value, "X, Y or Z, or 0, 1 or 2")

    def to_vector(self) -> tuple[float, float, float]:
        """Return the unit vector along the axis."""
        x, y, z = (float(self == axis) for axis in Axis)
        return (x, y, z)

    def to_vec3(self) -> Any:
        """Return the unit vector along the axis as a Warp vector."""
        import warp as wp

        return wp.vec3(*self.to_vector())

    def __eq__(self, other: object) -> bool:
        """Compare with an axis, its name or its number."""
        if isinstance(other, str):
            return other.upper() == self.name
        return int(self) == other

    __hash__ = enum.IntEnum.__hash__


def as_direction(axis: Any) -> Any:
    """Return the direction of an axis: a vector is unchanged, a name or number becomes a unit vector."""
    if isinstance(axis, str) or (np.ndim(axis) == 0 and hasattr(axis, "__index__")):
        return Axis.from_any(axis).to_vector()
    return axis


def up_rotation(axis: Any) -> Array:
    """Return the rotation from an up axis to z, shape (3, 3).

    Raises:
        OptionError: The value is not an axis.
    """
    return _UP[Axis.from_any(axis, "up_axis")]


_UP = {
    Axis.X: np.array([[0.0, 0.0, -1.0], [0.0, 1.0, 0.0], [1.0, 0.0, 0.0]]),
    Axis.Y: np.array([[1.0, 0.0, 0.0], [0.0, 0.0, -1.0], [0.0, 1.0, 0.0]]),
    Axis.Z: np.eye(3),
}
