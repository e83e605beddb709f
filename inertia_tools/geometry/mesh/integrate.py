# SPDX-FileCopyrightText: The inertia_tools authors
# SPDX-License-Identifier: Apache-2.0
"""Mass properties of a mesh as found: exact if it is closed, else from the best of several substitutes.

Faults that can be repaired without moving a point are repaired first: corners are welded, duplicate triangles removed,
and wrongly wound triangles and pieces reversed. A closed surface is then integrated exactly. For one with holes,
methods are tried in order until the stated error is small enough: caps on its holes; voxels where its winding number is
above one half; its convex hull.
"""

from __future__ import annotations

import math
from dataclasses import replace

import numpy as np

from inertia_tools.errors import InertiaError, OptionError
from inertia_tools.geometry.hull import integrate_hull
from inertia_tools.geometry.mesh.cap import CappedSurface, capped
from inertia_tools.geometry.mesh.defects import MendedSurface, MeshFault, mend
from inertia_tools.geometry.mesh.integral import MeshIntegral, MeshOptions, Rung
from inertia_tools.geometry.mesh.nesting import nested
from inertia_tools.geometry.mesh.orientation import areas
from inertia_tools.geometry.mesh.solid import integrate_solid
from inertia_tools.geometry.mesh.surface import WELD_FRACTION, Surface
from inertia_tools.geometry.mesh.triangles import TriangleMesh
from inertia_tools.inertial import Inertial

CRACK_DOUBT = 3.0
"""Doubt about a surface whose corners were moved together, over the mean displacement times its area.

It is divided by the root of the number of corners.
"""

NO_USE = 1.0
"""Stated error above which a method is useless: the mesh is a sheet, or so open that it might be one."""

NO_HOLE = "some vertices lie on edges of neighbours, without holes"

AS_ASKED = "as asked for"

ACCEPTABLE_ERROR = 0.1
"""Stated error above which the next method is tried, and used if its error is smaller."""


def integrate_mesh(
    mesh: TriangleMesh, options: MeshOptions | None = None, quick: MeshIntegral | None = None
) -> MeshIntegral:
    """Integrate the solid that a mesh describes at unit density.

    Overlapping parts of a mesh count once.

    Args:
        mesh: The mesh.
        options: Options; by default `MeshOptions()`.
        quick: Known result without voxels; its methods are not tried again.

    Raises:
        OptionError: The voxels or the wall are too small or too large for the mesh.
        InertiaError: The wall is thicker than the part somewhere, or the arrays are not a valid mesh.
    """
    chosen = options or MeshOptions()
    _check(mesh)
    if not len(mesh.triangles):
        return MeshIntegral.nothing((), "it has no triangles")
    if chosen.thickness is not None:
        return _by_wall(mesh, chosen.thickness, chosen.method == "shell")
    mended = mend(mesh)
    if not len(mended.surface.triangles):
        return MeshIntegral.nothing(mended.faults, "it has no triangles")
    if mended.surface.is_closed and chosen.method in ("auto", "integration"):
        return _closed(mended.surface, mended.faults)
    if not mended.surface.is_closed:
        mended = replace(mended, faults=(*mended.faults, MeshFault.OPEN))
    if quick is None or MeshFault.INVERTED in quick.faults:
        mended = _outward(mended)
    wanted = chosen.open_mesh if chosen.method == "auto" else chosen.method
    match wanted:
        case "fail":
            return MeshIntegral(None, Rung.NONE, 1.0, mended.faults, reason="it has holes, and open_mesh is fail")
        case "hull":
            return _beside_another(_by_hull(mesh, mended.faults, AS_ASKED), mended)
        case "voxel":
            return _by_voxels(mended, chosen, AS_ASKED)
        case "cap" | "integration":
            return _by_caps(mended)
    return _down_the_ladder(mesh, mended, chosen, () if quick is None else quick.rungs)


def _check(mesh: TriangleMesh) -> None:
    """Check the arrays of a mesh.

    Raises:
        InertiaError: A coordinate is not finite, or a triangle refers to a missing vertex.
    """
    if not np.isfinite(mesh.vertices).all():
        raise InertiaError("the mesh has corners that are not finite numbers")
    if len(mesh.triangles) and not 0 <= int(mesh.triangles.min()) <= int(mesh.triangles.max()) < len(mesh.vertices):
        raise InertiaError(f"the mesh has triangles with corners beyond its {len(mesh.vertices)} vertices")


def _outward(mended: MendedSurface) -> MendedSurface:
    """Reverse the pieces that are wound inwards once their holes are capped.

    Caps continue the slope of the surface towards its outside, and winding numbers are positive only inside a surface
    that is wound outwards.
    """
    closed = capped(mended.surface)
    nest = None if closed is None else nested(closed.surface)
    if nest is None or not nest.turned:
        return mended
    triangles = nest.surface.triangles[: len(mended.surface.triangles)]  # those of the caps are after them
    surface = mended.surface.with_triangles(triangles)
    return replace(mended, surface=surface, faults=(*mended.faults, MeshFault.INVERTED))


def _closed(surface: Surface, faults: tuple[MeshFault, ...]) -> MeshIntegral:
    """Integrate a closed surface exactly; if corners were moved to close it, with the resulting doubt."""
    solid = integrate_solid(surface)
    faults = (*faults, *solid.faults)
    if solid.unit is None:
        return MeshIntegral.nothing(faults, "it encloses no volume")
    error = solid.error_estimate + _crack_doubt(surface, solid.unit.mass)
    if surface.gap > WELD_FRACTION * surface.diagonal:
        reason = f"its cracks, {surface.gap:.2g} m wide on average, were closed"
        return MeshIntegral(solid.unit, Rung.CAPPED, error, (MeshFault.OPEN, *faults), reason=reason)
    return MeshIntegral(solid.unit, Rung.EXACT, error, faults, reason="it is closed")


def _crack_doubt(surface: Surface, volume: float) -> float:
    """Return the doubt about a surface whose corners were moved together: the displacements mostly cancel."""
    if surface.gap == 0.0:
        return 0.0
    return CRACK_DOUBT * surface.gap * float(areas(surface).sum()) / (volume * math.sqrt(len(surface.vertices)))


def needs_no_voxels(integral: MeshIntegral) -> bool:
    """Return whether the automatic result without voxels equals the one with them."""
    return integral.rung in (Rung.EXACT, Rung.CAPPED) and integral.error_estimate <= ACCEPTABLE_ERROR


def _down_the_ladder(
    mesh: TriangleMesh, mended: MendedSurface, options: MeshOptions, known: tuple[MeshIntegral, ...]
) -> MeshIntegral:
    caps, hull = known or (
        _by_caps(mended),
        _by_hull(mesh, mended.faults, "no other method has a smaller error"),
    )
    if not (caps.error_estimate > ACCEPTABLE_ERROR and options.may_load_warp):
        return _best((caps, hull))
    reason = "capping its holes has a larger error"
    return _best((caps, _by_voxels(mended, options, reason, hopeless=caps.error_estimate), hull))


def _beside_another(hull: MeshIntegral, mended: MendedSurface) -> MeshIntegral:
    """State the error of a requested hull by comparison with the surface itself."""
    surface = _by_caps(mended)
    usable = [rung for rung in (hull, surface) if rung.unit is not None]
    return replace(_hull_error(hull, usable[1:]), rungs=(hull, surface))


def _best(rungs: tuple[MeshIntegral, ...]) -> MeshIntegral:
    """Return the first result with an acceptable error, else the one with the smallest stated error."""
    return replace(_chosen(rungs), rungs=rungs)


def _chosen(rungs: tuple[MeshIntegral, ...]) -> MeshIntegral:
    usable = [rung for rung in rungs if rung.unit is not None]
    if not usable:
        return rungs[-1]
    usable = [_hull_error(rung, [other for other in usable if other is not rung]) for rung in usable]
    usable = [rung for rung in usable if rung.error_estimate <= NO_USE]
    if not usable:
        return MeshIntegral.nothing(rungs[-1].faults, "it is too open to enclose a volume")
    good = [rung for rung in usable if rung.error_estimate <= ACCEPTABLE_ERROR]
    return good[0] if good else min(usable, key=lambda rung: rung.error_estimate)


def _hull_error(rung: MeshIntegral, others: list[MeshIntegral]) -> MeshIntegral:
    """Return the difference of the hull from the other results, plus their possible errors."""
    if rung.rung is not Rung.HULL or rung.unit is None or not others:
        return rung
    errors = [
        abs(other.unit.mass / rung.unit.mass - 1.0) + min(other.error_estimate, ACCEPTABLE_ERROR)
        for other in others
        if other.unit is not None
    ]
    return replace(rung, error_estimate=max(errors))


def _by_caps(mended: MendedSurface) -> MeshIntegral:
    """Integrate a surface with caps on its holes."""
    closed = capped(mended.surface)
    if closed is None:
        return MeshIntegral.nothing(mended.faults, "it has more holes than triangles")
    solid = integrate_solid(closed.surface)
    faults = (*mended.faults, *solid.faults)
    if solid.unit is None:
        return MeshIntegral.nothing(faults, "it encloses no volume")
    if not closed.caps:
        return MeshIntegral(solid.unit, Rung.EXACT, solid.error_estimate, faults, reason=NO_HOLE)
    error = solid.error_estimate + _doubt(closed, solid.unit) + _crack_doubt(closed.surface, solid.unit.mass)
    plane = sum(cap.is_plane for cap in closed.caps)
    count = len(closed.caps)
    if count == 1:
        reason = "its planar hole was capped" if plane else "its hole, which is not planar, was capped"
    else:
        rest = "all of them planar" if plane == count else f"{count - plane} of them not planar"
        reason = f"its {count} holes were capped, {rest}"
    return MeshIntegral(solid.unit, Rung.CAPPED, error, faults, reason=reason)


def _doubt(closed: CappedSurface, unit: Inertial) -> float:
    """Return the doubt about all caps relative to the volume, or to the largest moment if that is larger."""
    doubts = np.array([cap.doubt for cap in closed.caps])
    distances = np.array([np.linalg.norm(cap.centre - unit.com) for cap in closed.caps])
    return max(float(doubts.sum()) / unit.mass, float(doubts @ distances**2) / float(unit.principal_moments[2]))


def _by_hull(mesh: TriangleMesh, faults: tuple[MeshFault, ...], reason: str) -> MeshIntegral:
    hull = integrate_hull(mesh.used_vertices)
    if hull is None:
        return MeshIntegral.nothing(faults, "it is flat")
    return MeshIntegral(hull, Rung.HULL, 1.0, faults, reason=reason)


def _by_wall(mesh: TriangleMesh, thickness: float, is_sheet: bool) -> MeshIntegral:
    """Integrate a wall: inside the surface where that is closed, else the surface as a sheet."""
    from inertia_tools.geometry.mesh.wall import hollow_mesh, thin_mesh

    if not is_sheet and mend(mesh).surface.is_closed:
        return hollow_mesh(mesh, thickness)
    sheet = thin_mesh(mesh, thickness)
    if sheet.error_estimate > NO_USE:
        raise OptionError("thickness", thickness, "less: the mesh bends more sharply than a sheet so thick can")
    return sheet


def _by_voxels(mended: MendedSurface, options: MeshOptions, reason: str, hopeless: float = math.inf) -> MeshIntegral:
    from inertia_tools.geometry.mesh.voxel import count_voxels

    voxels = count_voxels(mended.surface, options.tolerance, options.voxel_size, options.device, hopeless)
    if voxels.unit is None:
        return MeshIntegral.nothing(mended.faults, "it encloses no volume")
    if voxels.is_coarse:
        reason = f"{reason}; the voxel size is {voxels.edge:.2g} m; finer voxels exceed the limit or do not help"
    return MeshIntegral(voxels.unit, Rung.VOXEL, voxels.error_estimate, mended.faults, reason=reason)
