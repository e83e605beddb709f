# SPDX-FileCopyrightText: The inertia_tools authors
# SPDX-License-Identifier: Apache-2.0
"""Walls of an ellipsoid with uniform thickness, which have no closed form: integrated over its surface.

With the unit normal n and the support distance h = 1 / sqrt(x^2/a^4 + y^2/b^4 + z^2/c^4) at a point p of the surface,
the Gaussian curvature is h^4 / (abc)^2 and twice the mean curvature is h^3 (a^2 + b^2 + c^2 - |p|^2) / (abc)^2. The
wall is swept by p - s n for s from 0 to the thickness, and its volume element is (1 - 2 H s + K s^2) dA ds.
"""

from __future__ import annotations

import math

import numpy as np

from inertia_tools.errors import InertiaError
from inertia_tools.geometry.primitives import check_thickness
from inertia_tools.inertial import Inertial
from inertia_tools.spatial import Array

Triple = tuple[float, float, float]

FEWEST_NODES, MOST_NODES = 16, 1024
"""Nodes along each of the two angles; they are doubled until the result converges."""

CONVERGED = 1e-13
"""Relative change of every number at which doubling stops."""

DEPTH_NODES = 4
"""Gauss nodes through the wall: exact, as the integrand is of the fourth degree in the depth."""


def uniform_wall_ellipsoid(semi_axes: Triple, thickness: float) -> Inertial:
    """Integrate the wall of uniform thickness of an ellipsoid, at unit density [m].

    Raises:
        OptionError: The thickness is not between zero and the smallest radius of curvature, beyond which the inner
            surface would fold over.
        InertiaError: The ellipsoid is so flat or thin that the quadrature does not converge.
    """
    sharpest = min(semi_axes) ** 2 / max(semi_axes)
    check_thickness(thickness, sharpest, "the smallest radius of curvature of the ellipsoid")
    return _integrate(semi_axes, thickness)


def thin_ellipsoid(semi_axes: Triple) -> Inertial:
    """Integrate over the surface of an ellipsoid [m]; the mass is its area [m^2].

    Raises:
        InertiaError: The ellipsoid is so flat or thin that the quadrature does not converge.
    """
    return _integrate(semi_axes, None)


def _integrate(semi_axes: Triple, thickness: float | None) -> Inertial:
    before = _sums(semi_axes, thickness, FEWEST_NODES)
    nodes = 2 * FEWEST_NODES
    while nodes <= MOST_NODES:
        now = _sums(semi_axes, thickness, nodes)
        if (np.abs(now - before) <= CONVERGED * now).all():
            volume, xx, yy, zz = now
            return Inertial(volume, np.zeros(3), np.diag([yy + zz, xx + zz, xx + yy]))
        before, nodes = now, 2 * nodes
    raise InertiaError(f"the wall of an ellipsoid of semi-axes {semi_axes} m varies too much to be integrated")


def _sums(semi_axes: Triple, thickness: float | None, nodes: int) -> Array:
    """Integrate 1, x^2, y^2, z^2 over the wall, or over the surface without a thickness, shape (4,)."""
    points, areas, normals = _octant(semi_axes, nodes)
    if thickness is None:
        return np.concatenate([[areas.sum()], areas @ points**2])
    axes = np.asarray(semi_axes)
    volume_squared = float(np.prod(axes)) ** 2
    support = (points * normals).sum(axis=1)
    gauss = support**4 / volume_squared
    twice_mean = support**3 * ((axes**2).sum() - (points**2).sum(axis=1)) / volume_squared
    total = np.zeros(4)
    for abscissa, weight in zip(*np.polynomial.legendre.leggauss(DEPTH_NODES), strict=True):
        depth = 0.5 * thickness * (1.0 + abscissa)
        layer = 0.5 * thickness * weight * areas * (1.0 - twice_mean * depth + gauss * depth**2)
        total += np.concatenate([[layer.sum()], layer @ (points - depth * normals) ** 2])
    return total


def _octant(semi_axes: Triple, nodes: int) -> tuple[Array, Array, Array]:
    """Return points, areas and unit normals of one eighth of the surface; the areas count for all eight.

    Gauss nodes in the height (its cosine along z), and the midpoint rule in the angle about z, which is exact to all
    orders for a periodic function.
    """
    a, b, c = semi_axes
    abscissas, weights = np.polynomial.legendre.leggauss(nodes)
    height, height_weight = 0.5 * (1.0 + abscissas), 0.5 * weights
    angle = (np.arange(nodes) + 0.5) * (0.5 * math.pi / nodes)
    u, phi = np.meshgrid(height, angle, indexing="ij")
    across = np.sqrt((1.0 - u) * (1.0 + u))
    x, y = across * np.cos(phi), across * np.sin(phi)
    points = np.stack([a * x, b * y, c * u], axis=-1).reshape(-1, 3)
    vectors = np.stack([b * c * x, a * c * y, a * b * u], axis=-1).reshape(-1, 3)
    sizes = np.linalg.norm(vectors, axis=1)
    areas = 8.0 * sizes * np.repeat(height_weight, nodes) * (0.5 * math.pi / nodes)
    return points, areas, vectors / sizes[:, None]
