# SPDX-FileCopyrightText: The inertia_tools authors
# SPDX-License-Identifier: Apache-2.0
"""Mass properties of a mesh by the four rules of MuJoCo.

MuJoCo stores vertices in single precision and integrates in double. "exact" and "legacy" add up the pyramids from an
inner point to each triangle, "legacy" all of them as positive, so that a mesh wound either way, or both, has a mass;
for a closed, convex mesh the two agree. "convex" integrates the convex hull, "shell" the surface.
"""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from inertia_tools.description.mjcf_bodies import MeshAsset
from inertia_tools.errors import MeshError
from inertia_tools.geometry.hull import farthest_corners, integrate_hull
from inertia_tools.geometry.mesh.file import FARTHEST, read_mesh
from inertia_tools.geometry.mesh.triangles import TriangleMesh
from inertia_tools.inertial import Inertial
from inertia_tools.spatial import Array

NEARLY_FLAT = 1e-6
"""Ratio of the least to the largest variance of vertices above which they are certainly not planar."""

SMALLEST_VOLUME = 1e-15
"""Minimum volume [m^3], as in MuJoCo; for a shell, minimum area [m^2]."""


def mesh_by_rule(asset: MeshAsset) -> Inertial:
    """Integrate a mesh at unit density by its own rule; a shell at unit mass per area.

    Raises:
        MeshError: The mesh cannot be read, or MuJoCo rejects it under the rule.
    """
    mesh = stored(asset)
    if asset.inertia == "convex":
        hull = integrate_hull(_hull_points(asset, mesh))
        if hull is None:
            raise _refusal(asset, "its points lie in a plane; make it a thin box")
        return hull
    corners = mesh.corners
    unit = _shell(corners) if asset.inertia == "shell" else _pyramids(corners, keep_sign=asset.inertia == "exact")
    if asset.inertia == "exact":
        _check_winding(asset, mesh, unit)
    if not unit.mass > SMALLEST_VOLUME:
        raise _refusal(asset, f'it encloses {unit.mass:.3g} m^3; write inertia="shell" or close it')
    return unit


def lies_in_plane(asset: MeshAsset) -> bool:
    """Return whether all vertices are planar to the last digit, so that MuJoCo finds no hull for collisions.

    Raises:
        MeshError: The mesh cannot be read.
    """
    points = stored(asset).vertices
    with np.errstate(over="ignore", invalid="ignore"):
        apart = points - points.mean(axis=0)
        spread = np.linalg.eigvalsh(apart.T @ apart)
    return bool(spread[0] <= NEARLY_FLAT * spread[2]) and integrate_hull(points) is None


def _hull_points(asset: MeshAsset, mesh: TriangleMesh) -> Array:
    """Return the points of the hull: all, or a limited number of corners, selected before scaling."""
    if asset.geometry.hull_limit is None:
        return mesh.vertices
    unplaced = replace(asset.geometry, scale=(1.0, 1.0, 1.0), reference=None)
    kept = farthest_corners(read_mesh(unplaced, in_single=True).vertices, asset.geometry.hull_limit)
    return mesh.vertices if kept is None else mesh.vertices[kept]


def stored(asset: MeshAsset) -> TriangleMesh:
    """Return the mesh as MuJoCo stores it: vertices in single precision before they are moved and scaled.

    Raises:
        MeshError: The mesh cannot be read, or has vertices that are not finite or too far away.
    """
    with np.errstate(over="ignore", invalid="ignore"):  # overflows are refused
        mesh = read_mesh(asset.geometry, in_single=True)
    if not (np.abs(mesh.vertices) <= FARTHEST).all():
        raise MeshError(asset.name, f"it has vertices that are not numbers, or more than {FARTHEST:g} m away")
    return mesh


def _pyramids(corners: Array, *, keep_sign: bool) -> Inertial:
    """Add up pyramids: from the mean of the surface for the centre, then from there for volume and tensor."""
    middle = _shell(corners).com
    volumes, centroids = _volumes(corners - middle, keep_sign)
    if not abs(float(volumes.sum())) > 0.0:
        return Inertial(0.0)
    com = volumes @ centroids / volumes.sum()
    centred = corners - (middle + com)
    volumes, _ = _volumes(centred, keep_sign)
    total = centred.sum(axis=1)
    stacked = np.concatenate([centred[:, 0], centred[:, 1], centred[:, 2], total])
    second = (stacked * np.tile(volumes / 20.0, 4)[:, None]).T @ stacked
    return Inertial(float(volumes.sum()), middle + com, _tensor(second))


def _volumes(corners: Array, keep_sign: bool) -> tuple[Array, Array]:
    """Return volume and centroid of the pyramid from the origin to each triangle, shapes (m,) and (m, 3)."""
    volumes = np.einsum("ij,ij->i", corners[:, 0], np.cross(corners[:, 1], corners[:, 2])) / 6.0
    return (volumes if keep_sign else np.abs(volumes)), corners.sum(axis=1) / 4.0


def _shell(corners: Array) -> Inertial:
    """Integrate over the triangles themselves."""
    areas = 0.5 * np.linalg.norm(np.cross(corners[:, 1] - corners[:, 0], corners[:, 2] - corners[:, 0]), axis=1)
    area = float(areas.sum())
    if not area > 0.0:
        return Inertial(0.0)
    com = areas @ corners.mean(axis=1) / area
    centred = corners - com
    total = centred.sum(axis=1)
    stacked = np.concatenate([centred[:, 0], centred[:, 1], centred[:, 2], total])
    second = (stacked * np.tile(areas / 12.0, 4)[:, None]).T @ stacked
    return Inertial(area, com, _tensor(second))


def _tensor(second: Array) -> Array:
    """Return the inertia tensor from second moments."""
    second = 0.5 * (second + second.T)
    return np.asarray(np.trace(second) * np.eye(3) - second)


def _check_winding(asset: MeshAsset, mesh: TriangleMesh, unit: Inertial) -> None:
    """Check that no edge occurs twice in the same direction, and that the mesh is not inside out.

    Raises:
        MeshError: Either is the case; MuJoCo rejects such a mesh under this rule.
    """
    edges = mesh.triangles[:, [[0, 1], [1, 2], [2, 0]]].reshape(-1, 2)
    if len(np.unique(edges, axis=0)) < len(edges):
        raise _refusal(asset, 'its triangles are wound against each other; turn them, or write inertia="convex"')
    if unit.mass < 0.0:
        raise _refusal(asset, 'its triangles are wound inside out; turn them, or write inertia="convex"')


def _refusal(asset: MeshAsset, reason: str) -> MeshError:
    return MeshError(asset.name, f"MuJoCo refuses it with inertia={asset.inertia!r}: {reason}")
