# SPDX-FileCopyrightText: The inertia_tools authors
# SPDX-License-Identifier: Apache-2.0
"""Mass properties of the convex hull of points, of a mesh or of a cloud."""

from __future__ import annotations

import numpy as np

from inertia_tools.geometry.manifold_library import manifold_library
from inertia_tools.geometry.mesh.triangles import renumbered, used_corners
from inertia_tools.geometry.polyhedron import integrate_triangles
from inertia_tools.inertial import Inertial
from inertia_tools.spatial import Array, box_of, extents

THIN = 1e-5
"""A hull of less volume, as a ratio of its longest side cubed, is left to Qhull, which is exact however thin it is."""


def integrate_hull(points: Array) -> Inertial | None:
    """Integrate the convex hull of points [m], shape (n, 3), at unit density; None when they lie in a plane."""
    if len(points) < 4:
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


def farthest_corners(points: Array, most: int) -> Array:
    """Return corners of the convex hull of points [m], shape (n, 3), no more than so many.

    The first four are those of a large tetrahedron, and each further one is the point farthest out of the hull of those
    before it, so that few give most of the form.

    Args:
        points: The points [m], shape (m, 3).
        most: How many, four or more.

    Returns:
        All corners where they are no more; all points where these lie in a plane.
    """
    from scipy.spatial import ConvexHull, QhullError

    corners = hull_corners(points)
    if len(corners) <= most:
        return corners
    centred = corners - corners.mean(axis=0)
    chosen = _large_tetrahedron(centred)
    try:
        while len(chosen) < most:
            planes = ConvexHull(centred[chosen]).equations
            chosen.append(int((centred @ planes[:, :3].T + planes[:, 3]).max(axis=1).argmax()))
    except QhullError:
        return points
    return np.asarray(corners[chosen])


def _large_tetrahedron(points: Array) -> list[int]:
    """Return four points: two far apart, one far from their line, and one far from the plane of the three."""
    axis = int(np.ptp(points, axis=0).argmax())
    first, second = int(points[:, axis].argmin()), int(points[:, axis].argmax())
    line = points[second] - points[first]
    third = int(np.linalg.norm(np.cross(line, points - points[first]), axis=1).argmax())
    normal = np.cross(line, points[third] - points[first])
    return [first, second, third, int(np.abs((points - points[first]) @ normal).argmax())]


def hull_triangles(points: Array) -> np.ndarray | None:
    """Return the triangles of the convex hull of points, turned outwards, shape (m, 3); None if they are flat."""
    from scipy.spatial import ConvexHull, QhullError  # here, because loading scipy takes longer than most checks

    if len(points) < 4:
        return None
    try:
        hull = ConvexHull(points - points.mean(axis=0))
    except QhullError:
        return None
    triangles: np.ndarray = hull.simplices.astype(np.int64)
    a, b, c = (points[triangles[:, k]] for k in range(3))
    inward = np.einsum("ij,ij->i", np.cross(b - a, c - a), hull.equations[:, :3]) < 0.0
    triangles[inward] = triangles[inward][:, ::-1]
    return triangles


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
    if len(points) < 4:
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
