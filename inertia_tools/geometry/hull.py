# SPDX-FileCopyrightText: The inertia_tools authors
# SPDX-License-Identifier: Apache-2.0
"""Mass properties of the convex hull of points."""

from __future__ import annotations

from typing import Any

import numpy as np

from inertia_tools.geometry.manifold_library import manifold_library
from inertia_tools.geometry.mesh.triangles import renumbered, used_corners
from inertia_tools.geometry.polyhedron import integrate_triangles
from inertia_tools.inertial import Inertial
from inertia_tools.spatial import Array, box_of, extents

THIN = 1e-5
"""Qhull computes hulls whose volume over the cube of the longest side is smaller, as it is exact for thin hulls too."""

FEWEST_CORNERS = 4
"""Minimum number of corners of a hull, those of a tetrahedron."""


def integrate_hull(points: Array) -> Inertial | None:
    """Integrate the convex hull of points [m], shape (n, 3), at unit density; None if they are planar."""
    if len(points) < FEWEST_CORNERS:
        return None
    hull = quick_hull(points)
    integral = None if hull is None else integrate_triangles(*hull)
    if integral is None or integral.mass < THIN * float(extents(points).max()) ** 3:
        hull = _qhull(points)
        integral = None if hull is None else integrate_triangles(*hull)
    return integral if integral is not None and integral.mass > 0.0 else None


def hull_volume(points: Array) -> float:
    """Return the volume of the convex hull of points [m^3], shape (n, 3); zero if they are flat.

    A hull thinner than a millionth of its size is accurate to some per cent, any other one up to rounding.
    """
    hull = quick_hull(points)
    return 0.0 if hull is None else float(integrate_triangles(*hull).mass)


def _qhull(points: Array) -> tuple[Array, np.ndarray] | None:
    """Return corners and triangles of the convex hull of points from Qhull; None if they are planar."""
    triangles = hull_triangles(points)
    if triangles is None:
        return None
    kept = used_corners(triangles, len(points))
    return points[kept], renumbered(triangles, kept, len(points))


def farthest_corners(points: Array, most: int) -> np.ndarray | None:
    """Return the indices of points that are corners of a hull with a limited number of corners, chosen as in MuJoCo.

    The first four form a large tetrahedron, and each further one is the point farthest outside of the hull of the
    earlier ones (Qhull's option Q9), so that few corners give most of the shape.

    Args:
        points: The points [m], shape (m, 3).
        most: Maximum number, four or more.

    Returns:
        Indices of the points, shape (n,); None if they are planar.
    """
    hull = _limited_qhull(points, most)
    return None if hull is None else np.asarray(hull.vertices)


def hull_triangles(points: Array, most: int | None = None) -> np.ndarray | None:
    """Return the triangles of the convex hull of points, oriented outwards, shape (m, 3); None if they are planar.

    Args:
        points: The points [m], shape (n, 3).
        most: Maximum number of corners, chosen as in `farthest_corners`; None for no limit.
    """
    hull = _limited_qhull(points, most)
    if hull is None:
        return None
    triangles: np.ndarray = hull.simplices.astype(np.int64)
    a, b, c = (points[triangles[:, k]] for k in range(3))
    inward = np.einsum("ij,ij->i", np.cross(b - a, c - a), hull.equations[:, :3]) < 0.0
    triangles[inward] = triangles[inward][:, ::-1]
    return triangles


def _limited_qhull(points: Array, most: int | None) -> Any:
    """Return Qhull's hull of points, limited to a number of corners; None if they are planar."""
    from scipy.spatial import ConvexHull, QhullError  # here, because loading scipy takes longer than most checks

    if len(points) < FEWEST_CORNERS:
        return None
    try:
        options = None if most is None else f"Qt Q9 TA{max(most - FEWEST_CORNERS, 0)}"
        return ConvexHull(points - points.mean(axis=0), qhull_options=options)
    except QhullError:
        return None


def hull_corners(points: Array) -> Array:
    """Return the corners of the convex hull of points [m], shape (k, 3); all points if they are planar.

    Points outside of the hull of the others by less than a hundred millionth of its size may be missing.
    """
    if len(points) < 5:
        return points
    hull = quick_hull(points)
    return points if hull is None else hull[0]


def quick_hull(points: Array) -> tuple[Array, np.ndarray] | None:
    """Return corners and triangles of the convex hull of points, oriented outwards; None if they are planar.

    manifold3d takes a third of Qhull's time, loads in a hundredth of SciPy's, and is accurate to single precision of
    the corners; Qhull is used if it is not installed.

    Args:
        points: Points [m], shape (n, 3).
    """
    if len(points) < FEWEST_CORNERS:
        return None
    try:
        manifold3d = manifold_library()
    except ImportError:
        return _qhull(points)
    low, high = box_of(points)
    centre, size = 0.5 * (low + high), float((high - low).max())
    if not size > 0.0:
        return None
    hull = manifold3d.Manifold.hull_points(np.ascontiguousarray((points - centre) / size))
    if hull.status() != manifold3d.Error.NoError or hull.is_empty():
        return None
    mesh = hull.to_mesh64()
    corners = np.asarray(mesh.vert_properties, dtype=np.float64)[:, :3] * size + centre
    return corners, np.asarray(mesh.tri_verts, dtype=np.int64)
