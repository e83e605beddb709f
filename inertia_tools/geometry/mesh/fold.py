# SPDX-FileCopyrightText: The inertia_tools authors
# SPDX-License-Identifier: Apache-2.0
"""The original faces of a small hole: how its missing triangles were folded.

A hole of four or five edges was closed by two or three triangles with one common corner. The likeliest common corner is
the one whose triangles bend least against the surrounding faces; edges without any bend count most, since parts have
plane faces.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np

from inertia_tools.spatial import Array, skew

FOLD_DOUBT = 1.5
"""Doubt about a fold, over the distance of the likelier fold from the likelihood-weighted mean of the two."""

NO_BEND = 1e-3
"""Bend below which a face counts as continued [rad]."""

CLEAR = 0.25
"""Likelihood of the second fold below which the likeliest is used alone, instead of the mean of the two."""

UNLIKELY = 0.01
"""Least likelihood of the second fold: a face may seem to continue by accident."""


@dataclass(frozen=True)
class Fold:
    """The likeliest cap of a small hole.

    Attributes:
        height: Height over the rim's plane of the point of a fan with the same volume [m].
        doubt: Possible error of that height [m].
        corner: Index of the triangles' common rim corner; None if two are about equally likely.
    """

    height: float
    doubt: float
    corner: int | None


def likeliest_fold(corners: Array, normals: Array, heights: Array) -> Fold:
    """Return the cap of a hole of four edges or a few more.

    Args:
        corners: Corners of the rim in the orientation of a cap [m], shape (k, 3).
        normals: Unit normal of the face at each edge, from corner i to corner i + 1, shape (k, 3).
        heights: Height of each corner over the plane of the rim [m], shape (k,).
    """
    around = [(np.roll(corners, -i, axis=0), np.roll(normals, -i, axis=0)) for i in range(len(corners))]
    bends = np.array([_bending(*seen) for seen in around])
    best = int(np.argmin(bends))
    others = np.abs(heights - heights[best]) > 1e-9 * float(np.ptp(heights))
    if not others.any():
        return Fold(float(heights[best]), 0.0, best)
    second = int(np.flatnonzero(others)[np.argmin(bends[others])])
    share = max(UNLIKELY, 1.0 / (1.0 + np.exp(bends[second] - bends[best])))
    apart = float(heights[second] - heights[best])
    return Fold(float(heights[best]) + share * apart, FOLD_DOUBT * share * abs(apart), best if share < CLEAR else None)


def _bending(corners: Array, normals: Array) -> float:
    """Return the sum of the logarithms of the angles between a fan from the first corner and the surrounding faces."""
    total = 0.0
    last = len(corners) - 2
    for i in range(1, len(corners) - 1):
        normal = skew(corners[i] - corners[0]) @ (corners[i + 1] - corners[0])
        edges = [i] + [0] * (i == 1) + [len(corners) - 1] * (i == last)
        for edge in edges:
            across = skew(normal) @ normals[edge]
            angle = math.atan2(math.sqrt(across @ across), normal @ normals[edge])
            total += math.log(angle + NO_BEND)
    return total
