# SPDX-FileCopyrightText: The inertia_tools authors
# SPDX-License-Identifier: Apache-2.0
"""Poses, vectors and tensors as callers write them: our own, NumPy's, or Warp's, without loading Warp."""

from __future__ import annotations

from typing import Any

import numpy as np

from inertia_tools.errors import OptionError
from inertia_tools.spatial import Array, ArrayLike, Pose, are_usable, rotation_from_quaternion

Xform = Pose | ArrayLike
"""A `Pose`; or seven numbers as of a Warp transform, position [m], then quaternion x, y, z, w, also as a pair of both;
or a position alone."""


def as_pose(xform: Xform | None) -> Pose:
    """Return a pose from the accepted forms; None is the identity.

    Raises:
        OptionError: It is neither a pose of finite numbers, nor a position, nor seven finite numbers whose last four
            are a rotation.
    """
    if xform is None:
        return Pose()
    if isinstance(xform, Pose):
        if not (are_usable(xform.position) and are_usable(xform.rotation)):
            raise OptionError("xform", xform, "a Pose of finite numbers")
        return xform
    numbers = _numbers(xform)
    usable = are_usable(numbers)
    if numbers.shape == (3,) and usable:
        return Pose(numbers)
    if numbers.shape != (7,) or not usable or not numbers[3:].any():
        raise OptionError("xform", xform, "a Pose, or a position and a quaternion x, y, z, w")
    return Pose(numbers[:3], rotation_from_quaternion(numbers[3:]))


def _numbers(xform: ArrayLike) -> Array:
    """Return the numbers of a pose in one row; of what has none, an empty one."""
    try:
        parts = list(xform)  # type: ignore[arg-type]
        if len(parts) == 2:  # a position and a quaternion
            return np.concatenate([np.ravel(np.asarray(part, dtype=np.float64)) for part in parts])
        return np.ravel(np.asarray(xform, dtype=np.float64))
    except (TypeError, ValueError):
        return np.zeros(0)


def as_transform(pose: Pose) -> Any:
    """Return a pose as a Warp transform, which loads Warp."""
    import warp as wp

    return wp.transform(wp.vec3(*pose.position.tolist()), wp.quat(*pose.quaternion.tolist()))


def as_tensor(inertia: ArrayLike | None) -> Array:
    """Return a tensor as an array of shape (3, 3); none is zero. Warp's matrices arrive as nine numbers.

    Raises:
        OptionError: The value does not have nine numbers.
    """
    if inertia is None:
        return np.zeros((3, 3))
    try:
        numbers = np.array(inertia, dtype=np.float64)
    except (TypeError, ValueError):
        numbers = np.zeros(0)
    if numbers.shape not in ((3, 3), (9,)):
        raise OptionError("inertia", inertia, "nine numbers, shape (3, 3)")
    return numbers.reshape(3, 3)


def as_vector(name: str, vector: ArrayLike) -> Array:
    """Return three numbers, shape (3,).

    Raises:
        OptionError: There are not three numbers; the message has this name.
    """
    try:
        numbers = np.array(vector, dtype=np.float64)
    except (TypeError, ValueError):
        numbers = np.zeros(0)
    if numbers.shape != (3,):
        raise OptionError(name, vector, "three numbers")
    return numbers
