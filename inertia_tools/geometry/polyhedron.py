# SPDX-FileCopyrightText: The inertia_tools authors
# SPDX-License-Identifier: Apache-2.0
"""Mass properties of the solid that closed triangles bound, exact in float64.

Each triangle and a common apex span a tetrahedron of signed volume; the sum over a closed surface is the solid's
integral whatever the apex. Taking the mean corner as the apex keeps the tetrahedra as small as the part, so that a
part far from its file's origin loses no digits.
"""

from __future__ import annotations

import numpy as np

from inertia_tools.inertial import Inertial
from inertia_tools.spatial import Array

ROUNDING = 64.0 * np.finfo(np.float64).eps
"""Volumes under this fraction of the sum of their parts' sizes are rounding of a true zero."""


def integrate_triangles(corners: Array) -> Inertial:
    """Integrate the solid inside closed triangles at unit density.

    For a tetrahedron with one corner at the origin and the others a, b, c, with d = a . (b x c) and s = a + b + c:
    volume d/6, first moment d/24 s, second moments d/120 (a a^T + b b^T + c c^T + s s^T) (Tonon 2004).

    Args:
        corners: Three corners for each triangle, counter-clockwise seen from outside [m], shape (m, 3, 3).

    Returns:
        Mass is the signed volume [m^3]: negative when the triangles are wound the other way round, and then the
        tensor is negative too. Zero mass, with the mean corner as its centre, when no volume is enclosed.
    """
    apex = corners.reshape(-1, 3).mean(axis=0)
    a, b, c = np.moveaxis(corners - apex, 1, 0)
    determinants = np.einsum("ij,ij->i", a, np.cross(b, c))
    volume = float(determinants.sum()) / 6.0
    if abs(volume) <= ROUNDING * float(np.abs(determinants).sum()) / 6.0:
        return Inertial(0.0, apex)
    s = a + b + c
    centre = (determinants @ s) / (24.0 * volume)
    stacked = np.concatenate([a, b, c, s])
    weights = np.tile(determinants / 120.0, 4)
    second = (stacked * weights[:, None]).T @ stacked - volume * np.outer(centre, centre)
    second = 0.5 * (second + second.T)
    return Inertial(volume, apex + centre, np.trace(second) * np.eye(3) - second)
