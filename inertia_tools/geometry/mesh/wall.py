# SPDX-FileCopyrightText: The inertia_tools authors
# SPDX-License-Identifier: Apache-2.0
"""Mass properties of a mesh as sheet metal: a wall of some thickness inside its surface, or the surface itself."""

from __future__ import annotations

import numpy as np

from inertia_tools.errors import InertiaError
from inertia_tools.geometry.mesh.columns import stretches
from inertia_tools.geometry.mesh.defects import MendedSurface, MeshFault, mend
from inertia_tools.geometry.mesh.integral import MeshIntegral, Rung
from inertia_tools.geometry.mesh.nesting import nested
from inertia_tools.geometry.mesh.orientation import area_vectors
from inertia_tools.geometry.mesh.solid import EXACT_ERROR, SCAN_RESOLUTION
from inertia_tools.geometry.mesh.surface import Surface
from inertia_tools.geometry.mesh.triangles import TriangleMesh
from inertia_tools.geometry.polyhedron import VolumeSums
from inertia_tools.geometry.primitives import check_thickness
from inertia_tools.inertial import Inertial
from inertia_tools.spatial import Array, extents

FLAT_CORNER = 1e-4
"""Ratio of eigenvalues of a corner's normals below which its faces count as parallel: they differ by half a degree."""

CURVATURE_DOUBT = 2.5
"""Error of a thin sheet over thickness times mean curvature: 1 in a ball's volume, 2 in its moments, more if thick."""


def hollow_mesh(mesh: TriangleMesh, thickness: float) -> MeshIntegral:
    """Integrate the wall between a closed mesh and the same mesh moved inwards by the thickness, at unit density.

    Each corner moves to the intersection of its faces' planes, moved inwards; if more than three do not meet in one
    point, to the point nearest to all. The stated error is the deviation of the faces from the requested thickness,
    averaged over the area.

    Args:
        mesh: A closed mesh.
        thickness: Thickness of the wall [m].

    Raises:
        OptionError: The thickness is not between zero and half the mesh's smallest extent.
        InertiaError: The mesh has holes, or the wall is thicker than part of the mesh, so that its inner side inverts.
    """
    extent = extents(mesh.used_vertices)
    check_thickness(thickness, 0.5 * float(extent.min()), "half the smallest extent of the mesh")
    mended = mend(mesh)
    if not mended.surface.is_closed:
        raise InertiaError("a wall needs a closed mesh; use method shell for an open one")
    nest = nested(mended.surface)
    outer = nest.surface
    moves, error = _inward_moves(outer, thickness)
    _refuse_folds(outer, Surface(outer.vertices + moves, outer.triangles), thickness)
    unit = _between(outer, moves).inertial()
    faults = (*mended.faults, MeshFault.INVERTED) if nest.turned else mended.faults
    return MeshIntegral(unit, Rung.SHELL, max(EXACT_ERROR, error), faults, reason=f"its wall is {thickness:g} m thick")


def thin_mesh(mesh: TriangleMesh, thickness: float = 1.0) -> MeshIntegral:
    """Integrate over the surface of a mesh, closed or not, with the thickness as mass per square metre at unit density.

    For a triangle of area A with corners a, b, c and s = a + b + c the second moments are A/12 (a a^T + b b^T + c c^T +
    s s^T). The stated error is that of a wall inside the surface, thickness times mean curvature.

    Raises:
        OptionError: The thickness is not positive.
    """
    check_thickness(thickness, np.inf, "of any sheet")
    mended = mend(mesh)
    surface = mended.surface
    vectors = area_vectors(surface.vertices, surface.triangles)
    areas = 0.5 * np.linalg.norm(vectors, axis=1)
    area = float(areas.sum())
    faults = mended.faults if surface.is_closed else (*mended.faults, MeshFault.OPEN)
    if area == 0.0:
        return MeshIntegral.nothing(faults, "it has no area")
    origin = surface.vertices.mean(axis=0)
    corners = surface.vertices[surface.triangles] - origin
    total = corners.sum(axis=1)
    centre = areas @ total / (3.0 * area)
    stacked = np.concatenate([corners[:, 0], corners[:, 1], corners[:, 2], total])
    second = (stacked * np.tile(areas / 12.0, 4)[:, None]).T @ stacked - area * np.outer(centre, centre)
    second = 0.5 * (second + second.T)
    tensor = thickness * (np.trace(second) * np.eye(3) - second)
    bend = CURVATURE_DOUBT * thickness * _mean_curvature(mended, vectors) / area
    error = bend + bend**2
    reason = f"its surface is treated as a sheet {thickness:g} m thick"
    unit = Inertial(area * thickness, origin + centre, tensor)
    return MeshIntegral(unit, Rung.SHELL, max(EXACT_ERROR, error), faults, reason=reason)


def _between(surface: Surface, moves: Array) -> VolumeSums:
    """Sum the difference of the solid in a closed surface to the one after its corners move.

    The terms of `polyhedron` are subtracted factor by factor, x' y' - x y = (x' - x) y' + x (y' - y), so that a wall
    keeps its digits however thin it is.
    """
    apex = surface.vertices.mean(axis=0)
    outer = (surface.vertices - apex)[surface.triangles]  # (m, 3 corners, 3)
    step = moves[surface.triangles]
    inner = outer + step
    (a, b, c), (da, db, dc), (ia, ib, _) = (np.moveaxis(part, 1, 0) for part in (outer, step, inner))
    less = _triple(da, b, c) + _triple(ia, db, c) + _triple(ia, ib, dc)  # growth of d inwards
    whole = _triple(a, b, c)
    outer_sum, step_sum = outer.sum(axis=1, keepdims=True), step.sum(axis=1, keepdims=True)
    points = np.concatenate([outer, outer_sum], axis=1)
    steps = np.concatenate([step, step_sum], axis=1)
    moved = points + steps
    first = less @ moved[:, 3] + whole @ steps[:, 3]
    mixed = np.einsum("m,mki,mkj->ij", whole, steps, moved, optimize=True)
    mixed += np.einsum("m,mki,mkj->ij", whole, points, steps, optimize=True)
    second = np.einsum("m,mki,mkj->ij", less, moved, moved, optimize=True) + mixed
    second = 0.5 * (second + second.T)
    return VolumeSums(apex, -float(less.sum()), float(np.abs(less).sum()), -first, -second)


def _triple(a: Array, b: Array, c: Array) -> Array:
    """Return a . (b x c), row by row."""
    return np.asarray((a * np.cross(b, c)).sum(axis=1))


def _inward_moves(surface: Surface, thickness: float) -> tuple[Array, float]:
    """Return how the corners move to the inner side of a wall, and the mean relative error of its thickness."""
    vectors = area_vectors(surface.vertices, surface.triangles)
    sizes = np.linalg.norm(vectors, axis=1)
    normals = vectors / np.maximum(sizes, np.finfo(float).tiny)[:, None]
    corner = surface.triangles.reshape(-1)
    weights = _angles(surface).reshape(-1)
    weighted = np.repeat(normals, 3, axis=0) * weights[:, None]
    count = len(surface.vertices)
    push = np.stack([np.bincount(corner, weighted[:, k], minlength=count) for k in range(3)], axis=1)
    products = weighted[:, :, None] * np.repeat(normals, 3, axis=0)[:, None, :]
    stiffness = np.stack([np.bincount(corner, p, minlength=count) for p in products.reshape(-1, 9).T], axis=1)
    move = -thickness * _solved(np.asarray(stiffness.reshape(-1, 3, 3), np.float64), np.asarray(push, np.float64))
    reached = -(move[surface.triangles] * normals[:, None, :]).sum(axis=2)
    error = float((sizes[:, None] * np.abs(reached - thickness)).sum() / (3.0 * sizes.sum() * thickness))
    return move, error


def _solved(stiffness: Array, push: Array) -> Array:
    """Solve A x = b for many symmetric A, leaving out directions in which A is almost zero."""
    values, axes = np.linalg.eigh(stiffness)
    usable = values > FLAT_CORNER * values[:, 2:]
    inverse = np.where(usable, 1.0 / np.where(usable, values, 1.0), 0.0)
    solution: Array = np.einsum("nij,nj,nkj,nk->ni", axes, inverse, axes, push, optimize=True)
    return solution


def _angles(surface: Surface) -> Array:
    """Return the angle at each corner of each triangle, shape (m, 3)."""
    corners = surface.vertices[surface.triangles]
    ahead = np.roll(corners, -1, axis=1) - corners
    behind = np.roll(corners, 1, axis=1) - corners
    sine = np.linalg.norm(np.cross(ahead, behind), axis=2)
    return np.asarray(np.arctan2(sine, (ahead * behind).sum(axis=2)))


def _refuse_folds(outer: Surface, inner: Surface, thickness: float) -> None:
    """Check that the inner side is a smaller version of the outer one.

    Raises:
        InertiaError: A face is reversed, or the inner side leaves the part or intersects itself.
    """
    before = area_vectors(outer.vertices, outer.triangles)
    after = area_vectors(inner.vertices, inner.triangles)
    folds = int(((before * after).sum(axis=1) < 0.0).sum())
    both = Surface(
        np.concatenate([outer.vertices, inner.vertices]),
        np.concatenate([outer.triangles, inner.triangles[:, ::-1] + len(outer.vertices)]),
    )
    if folds or not (stretches(both, SCAN_RESOLUTION).winding == 1).all():
        where = f"{folds} of its faces are inverted" if folds else "its inner surface intersects itself"
        raise InertiaError(f"a wall of {thickness:g} m is thicker than part of the mesh: {where}")


def _mean_curvature(mended: MendedSurface, vectors: Array) -> float:
    """Return the integral of the absolute mean curvature over a surface [m]: half of edge length times angle."""
    surface = mended.surface
    first, second = surface.pairs
    normals = vectors / np.maximum(np.linalg.norm(vectors, axis=1), np.finfo(float).tiny)[:, None]
    a, b = normals[first // 3], normals[second // 3]
    angle = np.arctan2(np.linalg.norm(np.cross(a, b), axis=1), (a * b).sum(axis=1))
    begin = surface.triangles.reshape(-1)[first]
    end = surface.triangles[:, [1, 2, 0]].reshape(-1)[first]
    lengths = np.linalg.norm(surface.vertices[end] - surface.vertices[begin], axis=1)
    return 0.5 * float(lengths @ angle)
