# SPDX-FileCopyrightText: The inertia_tools authors
# SPDX-License-Identifier: Apache-2.0
"""Mass properties of the convex hull of points, of a mesh or of a cloud."""

from __future__ import annotations

from typing import Any

import numpy as np

from inertia_tools.geometry.manifold_library import manifold_library
from inertia_tools.geometry.mesh.triangles import renumbered, used_corners
from inertia_tools.geometry.polyhedron import integrate_triangles
from inertia_tools.inertial import Inertial
from inertia_tools.spatial import Array, box_of, extents

THIN = 1e-5
"""A hull of less volume, as a ratio of its longest side cubed, is left to Qhull, which is exact however thin it is."""

FEWEST_CORNERS = 4
"""Corners of the simplest hull, a tetrahedron."""


def integrate_hull(points: Array) -> Inertial | None:
    """Integrate the convex hull of points [m], shape (n, 3), at unit density; None when they lie in a plane."""
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

    A hull thinner than a millionth of its size is within some per cent, any thicker one exact but for rounding.
    """
    hull = quick_hull(points)
    return 0.0 if hull is None else float(integrate_triangles(*hull).mass)


def _qhull(points: Array) -> tuple[Array, np.ndarray] | None:
    """Return corners and triangles of the convex hull of points, as Qhull finds it; None if they lie in a plane."""
    triangles = hull_triangles(points)
    if triangles is None:
        return None
    kept = used_corners(triangles, len(points))
    return points[kept], renumbered(triangles, kept, len(points))


def farthest_corners(points: Array, most: int) -> np.ndarray | None:
    """Return the numbers of points that are corners of a hull with no more than so many, as MuJoCo chooses them.

    The first four make a large tetrahedron, and each further one is the point farthest out of the hull of those before
    it (Qhull's option Q9), so that few give most of the form.

    Args:
        points: The points [m], shape (m, 3).
        most: How many, four or more.

    Returns:
        Rows of the points, shape (n,); None where they lie in a plane.
    """
    hull = _limited_qhull(points, most)
    return None if hull is None else np.asarray(hull.vertices)


def hull_triangles(points: Array, most: int | None = None) -> np.ndarray | None:
    """Return the triangles of the convex hull of points, turned outwards, shape (m, 3); None if they are flat.

    Args:
        points: The points [m], shape (n, 3).
        most: Most corners of the hull, chosen as by `farthest_corners`; None for all.
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
    """Return the hull of points that Qhull finds, stopped where it has so many corners; None if they are flat."""
    from scipy.spatial import ConvexHull, QhullError  # here, because loading scipy takes longer than most checks

    if len(points) < FEWEST_CORNERS:
        return None
    try:
        options = None if most is None else f"Qt Q9 TA{max(most - FEWEST_CORNERS, 0)}"
        return ConvexHull(points - points.mean(axis=0), qhull_options=options)
    except QhullError:
        return None


def hull_corners(points: Array) -> Array:
    """Return the points that are corners of their convex hull [m], shape (k, 3); all of them if they lie in a plane.

    Points that lie out of the hull of the rest by less than a hundred millionth of its size may be missing.
    """
    if len(points) < 5:
        return points
    hull = quick_hull(points)
    return points if hull is None else hull[0]


def quick_hull(points: Array) -> tuple[Array, np.ndarray] | None:
    """Return corners and triangles of the convex hull of points, turned outwards; None if they lie in a plane.

    manifold3d finds it in a third of Qhull's time, loads in a hundredth of SciPy's, and is as close as single precision
    of the corners is; Qhull does where it is not installed.

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
