# SPDX-FileCopyrightText: The inertia_tools authors
# SPDX-License-Identifier: Apache-2.0
"""Sizes of primitives that MuJoCo fits to a mesh, in the mesh's principal frame."""

from __future__ import annotations

import numpy as np

from inertia_tools.description.mjcf_bodies import Geom
from inertia_tools.errors import MeshError
from inertia_tools.geometry.mesh.rules import mesh_by_rule, stored
from inertia_tools.inertial import Inertial
from inertia_tools.spatial import Array, Pose, box_of

MOST_TURNS = 100
LEAST_PRODUCT = 1e-14
"""Products of inertia below this fraction of the trace are rounding errors."""

SAME_DIGITS = 11
"""Moments that agree to this number of decimals [m^5] keep their order."""

Sizes = tuple[float, float, float]


def fitted(geom: Geom, to_bounding_box: bool) -> tuple[Sizes, Pose]:
    """Fit a geom to its mesh.

    Args:
        geom: A primitive that names a mesh.
        to_bounding_box: Whether to fit to the bounding box of the vertices; otherwise to the box of equal inertia.

    Returns:
        Sizes as in MJCF [m], and the pose of the primitive in the body frame.

    Raises:
        MeshError: The mesh cannot be read, or MuJoCo rejects it.
    """
    assert geom.mesh is not None
    unit = mesh_by_rule(geom.mesh)
    frame = _principal_frame(unit)
    if to_bounding_box:
        cloud = frame.inverse().transform_points(stored(geom.mesh).vertices)
        low, high = box_of(cloud)
        centre = 0.5 * (low + high)
        sizes = _sizes_round(geom.type, 0.5 * (high - low))
        frame = frame @ Pose(centre)
    else:
        sizes = _sizes_by_box(geom.type, 0.5 * _box_edges(unit, frame))
    x, y, z = (geom.fitscale * size for size in (*sizes, 0.0, 0.0)[:3])
    return (x, y, z), geom.pose_body_geom @ frame


def _principal_frame(unit: Inertial) -> Pose:
    """Return the principal frame with the largest moment first."""
    axes = jacobi_axes(unit.inertia)
    order = np.argsort(-np.round(np.diag(axes.T @ unit.inertia @ axes), SAME_DIGITS), kind="stable")
    axes = axes[:, order]
    axes[:, 2] *= np.sign(np.linalg.det(axes))
    return Pose(unit.com, axes)


def jacobi_axes(tensor: Array) -> Array:
    """Return principal axes by repeatedly rotating the largest product to zero (Jacobi), shape (3, 3).

    For a body with equal moments this gives MuJoCo's axes, since MuJoCo rotates in the same order.

    Args:
        tensor: Symmetric tensor [kg m^2], shape (3, 3).
    """
    axes = np.eye(3)
    for _ in range(MOST_TURNS):
        seen = axes.T @ tensor @ axes
        products = np.abs([seen[1, 2], seen[0, 2], seen[0, 1]])
        about = 2 if products[2] > max(products[0], products[1]) else int(products[1] > products[0])
        if not products[about] > LEAST_PRODUCT * np.trace(tensor):
            break
        row, column = (axis for axis in range(3) if axis != about)
        slope = (seen[column, column] - seen[row, row]) / (2.0 * seen[row, column])
        tangent = np.copysign(1.0, slope) / (abs(slope) + np.hypot(1.0, slope))
        cosine = 1.0 / np.hypot(1.0, tangent)
        turn = np.eye(3)
        turn[row, row] = turn[column, column] = cosine
        turn[row, column], turn[column, row] = tangent * cosine, -tangent * cosine
        axes = axes @ turn
    return axes


def _box_edges(unit: Inertial, frame: Pose) -> Array:
    """Return the edges of the box of the same mass and tensor along the axes of the frame [m]."""
    moments = unit.principal_moments[::-1]
    squares = 6.0 * (moments.sum() - 2.0 * moments) / unit.mass
    if (squares < 0.0).any():
        raise MeshError("", "no body has these moments, so no box does")
    return np.asarray(np.sqrt(squares))


def _sizes_by_box(kind: str, half: Array) -> tuple[float, ...]:
    x, y, z = half.tolist()
    match kind:
        case "sphere":
            return ((x + y + z) / 3.0,)
        case "capsule":
            radius = 0.5 * (x + y)
            return radius, max(0.0, z - 0.5 * radius)
        case "cylinder":
            return 0.5 * (x + y), z
    return x, y, z


def _sizes_round(kind: str, half: Array) -> tuple[float, ...]:
    """Return the sizes for a bounding box with these half edges along the axes of the primitive [m]."""
    x, y, z = half.tolist()
    match kind:
        case "sphere":
            return (max(x, y, z),)
        case "cylinder":
            return max(x, y), z
        case "capsule":
            radius = max(x, y)
            return radius, max(0.0, z - radius)
    return x, y, z
