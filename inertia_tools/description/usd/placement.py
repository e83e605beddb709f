# SPDX-FileCopyrightText: The inertia_tools authors
# SPDX-License-Identifier: Apache-2.0
"""Poses of prims: transforms split into a pose in metres and the remaining scale and shear."""

from __future__ import annotations

from typing import Any

import numpy as np

from inertia_tools.description.usd.attributes import beginning
from inertia_tools.description.usd.library import pxr
from inertia_tools.spatial import Array, Pose

SHEAR = 1e-6
"""Cosine between the axes of a frame over which it counts as sheared; single precision gives 1e-7."""


IDENTITY = np.eye(3)
IDENTITY.setflags(write=False)


class Placement:
    """Transforms of prims in the frame of the stage, cached.

    Attributes:
        metre: Length of one unit of the stage [m].
    """

    def __init__(self, metre: float) -> None:
        lib = pxr()
        self._cache = lib.UsdGeom.XformCache(beginning())
        self._known: dict[Any, tuple[Array, Pose, Array]] = {}
        self.metre = metre

    def of(self, prim: Any) -> tuple[Array, Pose, Array]:
        """Return the transform of a prim and its decomposition.

        Returns:
            Its transform to the stage, for column vectors in stage units, shape (4, 4); its frame without scale [m];
            and the scale and shear applied before that, shape (3, 3).
        """
        path = prim.GetPath()
        known = self._known.get(path)
        if known is None:
            matrix = np.array(self._cache.GetLocalToWorldTransform(prim), dtype=np.float64).T
            turn, stretch = turn_and_stretch(matrix[:3, :3])
            known = self._known[path] = matrix, Pose(matrix[:3, 3] * self.metre, turn), stretch
        return known


def turn_and_stretch(linear: Array) -> tuple[Array, Array]:
    """Split a linear map into a rotation and a stretch applied before it: linear = rotation @ stretch.

    Without shear the stretch is diagonal: the scale along each axis. A mirror becomes a negative stretch along all
    axes, as in OpenUSD.

    Returns:
        The rotation and the stretch, both of shape (3, 3).
    """
    if np.array_equal(linear, IDENTITY):
        return IDENTITY, IDENTITY
    lengths = np.linalg.norm(linear, axis=0)
    if not (lengths > 0.0).all():
        return np.eye(3), linear
    axes = linear / lengths
    if np.linalg.det(linear) < 0.0:
        axes, lengths = -axes, -lengths
    gram = axes.T @ axes
    if np.abs(gram - np.eye(3)).max() <= SHEAR:
        turn = _orthonormal(axes)
        return turn, np.diag(lengths)
    left, _, right = np.linalg.svd(axes)
    turn = left @ right
    if np.linalg.det(turn) < 0.0:
        left[:, -1] = -left[:, -1]
        turn = left @ right
    return turn, turn.T @ linear


def _orthonormal(axes: Array) -> Array:
    """Remove the rounding errors of nearly orthonormal axes; exact ones are unchanged."""
    if np.array_equal(axes.T @ axes, np.eye(3)):
        return axes
    left, _, right = np.linalg.svd(axes)
    return np.asarray(left @ right)
