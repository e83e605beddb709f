# SPDX-FileCopyrightText: The inertia_tools authors
# SPDX-License-Identifier: Apache-2.0
"""Poses, vectors and tensors as callers write them: our own, NumPy's, or Warp's, without loading Warp."""

from __future__ import annotations

import numpy as np

from inertia_tools.errors import OptionError
from inertia_tools.spatial import Array, ArrayLike, Pose, are_usable, rotation_from_quaternion

Xform = Pose | ArrayLike
"""A `Pose`, or seven numbers as of a Warp transform: position [m], then quaternion x, y, z, w."""


def as_pose(xform: Xform | None) -> Pose:
    """Return the pose that a caller means; none is the identity.

    Raises:
        OptionError: It is neither a pose nor seven finite numbers whose last four are a rotation.
    """
    if xform is None:
        return Pose()
    if isinstance(xform, Pose):
        return xform
    numbers = np.ravel(np.asarray(xform, dtype=np.float64))
    if numbers.shape != (7,) or not are_usable(numbers) or not numbers[3:].any():
        raise OptionError("xform", xform, "a Pose, or a position and a quaternion x, y, z, w")
    return Pose(numbers[:3], rotation_from_quaternion(numbers[3:]))


def as_tensor(inertia: ArrayLike | None) -> Array:
    """Return a tensor as an array of shape (3, 3); none is zero. Warp's matrices arrive as nine numbers.

    Raises:
        OptionError: It has not nine numbers.
    """
    if inertia is None:
        return np.zeros((3, 3))
    numbers = np.array(inertia, dtype=np.float64)
    if numbers.shape not in ((3, 3), (9,)):
        raise OptionError("inertia", inertia, "nine numbers, shape (3, 3)")
    return numbers.reshape(3, 3)


def as_vector(name: str, vector: ArrayLike) -> Array:
    """Return three numbers, shape (3,).

    Raises:
        OptionError: There are not three, and this is its name.
    """
    numbers = np.array(vector, dtype=np.float64)
    if numbers.shape != (3,):
        raise OptionError(name, vector, "three numbers")
    return numbers
