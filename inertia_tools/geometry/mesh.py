# SPDX-FileCopyrightText: The inertia_tools authors
# SPDX-License-Identifier: Apache-2.0
"""Mass properties of a mesh as found: exact when it is closed, its hull with a stated error when it is not."""

from __future__ import annotations

import enum
from dataclasses import dataclass

import numpy as np

from inertia_tools.geometry.mesh_file import TriangleMesh
from inertia_tools.geometry.polyhedron import integrate_triangles
from inertia_tools.geometry.surface import WeldedSurface, is_closed, pieces, weld
from inertia_tools.inertial import Inertial
from inertia_tools.spatial import Array

EXACT_ERROR = 1e-12
"""Relative error of the integral over a closed mesh (measured: 1e-13 up to 10 km from the origin)."""


class MeshFault(enum.StrEnum):
    """What is wrong with a mesh, in the words of the finding codes."""

    OPEN = "open-mesh"
    INVERTED = "inverted-mesh"
    FLAT = "flat-mesh"


@dataclass(frozen=True, eq=False)
class MeshIntegral:
    """Mass properties of a mesh at unit density.

    Attributes:
        unit: Inertial at unit density, in the mesh's frame; None when the mesh encloses nothing, not even its hull.
        exact: The integral is over the mesh itself, not over a stand-in.
        error_estimate: Likely relative error of the volume.
        faults: What was noticed.
    """

    unit: Inertial | None
    exact: bool
    error_estimate: float
    faults: tuple[MeshFault, ...] = ()


def integrate_mesh(mesh: TriangleMesh) -> MeshIntegral:
    """Integrate the solid that a mesh describes.

    A closed mesh is integrated exactly, each piece turned so that its volume counts as material, except a piece
    inside another one wound the opposite way: that is a cavity. An open mesh is replaced by its convex hull; the
    error stated is how far the hull's volume is from the volume that the open surface spans from its middle.
    """
    welded = weld(mesh)
    if is_closed(welded.triangles):
        return _integrate_closed(mesh, welded)
    hull = integrate_hull(mesh.used_vertices)
    if hull is None:
        return MeshIntegral(None, False, 1.0, (MeshFault.FLAT,))
    spanned = abs(integrate_triangles(mesh.corners).mass)
    return MeshIntegral(hull, False, abs(hull.mass - spanned) / hull.mass, (MeshFault.OPEN,))


def _integrate_closed(mesh: TriangleMesh, welded: WeldedSurface) -> MeshIntegral:
    whole = integrate_triangles(mesh.corners)
    parts = _closed_parts(mesh, welded)
    turned = [i for i, part in enumerate(parts) if part.inertial.mass < 0.0 and not _is_cavity(part, parts)]
    if not turned:
        return _exact(whole, ())
    if len(turned) == len(parts):
        return _exact(_negated(whole), (MeshFault.INVERTED,))
    total = Inertial.sum(_negated(part.inertial) if i in turned else part.inertial for i, part in enumerate(parts))
    return _exact(total, (MeshFault.INVERTED,))


def _exact(unit: Inertial, faults: tuple[MeshFault, ...]) -> MeshIntegral:
    if not unit.mass > 0.0:
        return MeshIntegral(None, False, 1.0, (*faults, MeshFault.FLAT))
    return MeshIntegral(unit, True, EXACT_ERROR, faults)


@dataclass(frozen=True, eq=False)
class _Part:
    """One connected closed piece: its signed integral and its bounding box."""

    inertial: Inertial
    low: Array
    high: Array


def _closed_parts(mesh: TriangleMesh, welded: WeldedSurface) -> list[_Part]:
    """Integrate each connected piece of a closed mesh on its own."""
    number = pieces(welded.triangles)
    corners = mesh.corners[welded.kept]
    return [_part(corners[number == i]) for i in range(int(number.max()) + 1)]


def _part(corners: Array) -> _Part:
    flat = corners.reshape(-1, 3)
    return _Part(integrate_triangles(corners), flat.min(axis=0), flat.max(axis=0))


def _is_cavity(part: _Part, parts: list[_Part]) -> bool:
    """Tell whether a piece wound inwards lies inside one wound outwards, as the wall of a hollow does."""
    return any(
        other.inertial.mass > -part.inertial.mass and (other.low <= part.low).all() and (part.high <= other.high).all()
        for other in parts
    )


def _negated(inertial: Inertial) -> Inertial:
    return Inertial(-inertial.mass, inertial.com, -inertial.inertia)


def integrate_hull(points: Array) -> Inertial | None:
    """Integrate the convex hull of points [m], shape (n, 3), at unit density; None when they lie in a plane."""
    from scipy.spatial import ConvexHull, QhullError  # here, because loading scipy takes longer than most checks

    if len(points) < 4:
        return None
    try:
        hull = ConvexHull(points - points.mean(axis=0))
    except QhullError:
        return None
    corners = points[hull.simplices]
    normals = np.cross(corners[:, 1] - corners[:, 0], corners[:, 2] - corners[:, 0])
    inward = np.einsum("ij,ij->i", normals, hull.equations[:, :3]) < 0.0
    corners[inward] = corners[inward][:, ::-1]
    integral = integrate_triangles(corners)
    return integral if integral.mass > 0.0 else None
