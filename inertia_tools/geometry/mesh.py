# SPDX-FileCopyrightText: The inertia_tools authors
# SPDX-License-Identifier: Apache-2.0
"""Mass properties of a mesh as found: exact when it closes, the best of several stand-ins when it does not.

What can be put right without moving a point is put right first: corners are welded, repeated triangles kept once,
triangles and pieces wound the wrong way turned. A surface that closes is then integrated exactly. One with holes goes
down a ladder until a rung's stated error is small enough: its holes are capped; the volume where its winding number is
over one half is measured in voxels; its convex hull stands in.
"""

from __future__ import annotations

import enum
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from types import MappingProxyType
from typing import Literal

import numpy as np

from inertia_tools.errors import OptionError
from inertia_tools.geometry.cap import CappedSurface, capped
from inertia_tools.geometry.defects import MendedSurface, MeshFault, mend
from inertia_tools.geometry.hull import integrate_hull
from inertia_tools.geometry.solid import integrate_solid
from inertia_tools.geometry.surface import Surface
from inertia_tools.geometry.triangle_mesh import TriangleMesh
from inertia_tools.inertial import Inertial

ACCEPTABLE_ERROR = 0.1
"""A rung with a larger stated error gives way to the next, if that one's is smaller."""

Method = Literal["auto", "integration", "voxel", "hull"]


class Rung(enum.StrEnum):
    """How the mass properties of a mesh came about."""

    EXACT = "exact"
    CAPPED = "capped"
    VOXEL = "voxel"
    HULL = "hull"
    SHELL = "shell"
    NONE = "none"


@dataclass(frozen=True)
class MeshOptions:
    """How to integrate a mesh.

    Attributes:
        method: "auto" takes the first rung of the ladder that will do; "integration" the surface itself, capped where
            it has holes; "voxel" and "hull" that one rung, for closed meshes too.
        tolerance: Relative error asked of the voxels.
        voxel_size: Edge of the smallest voxels [m]; by default as small as the tolerance asks.
        may_load_warp: The automatic choice may go as far as the voxels, whose kernel takes a second to load.
        device: Where the voxels are counted, by Warp's name.
    """

    method: Method = "auto"
    tolerance: float = 1e-3
    voxel_size: float | None = None
    may_load_warp: bool = True
    device: str = "cpu"

    def __post_init__(self) -> None:
        """Check the values.

        Raises:
            OptionError: One is outside what it may be.
        """
        if self.method not in ("auto", "integration", "voxel", "hull"):
            raise OptionError("method", self.method, "auto, integration, voxel or hull")
        if not 0.0 < self.tolerance < 1.0:
            raise OptionError("tolerance", self.tolerance, "between 0 and 1")
        if self.voxel_size is not None and not 0.0 < self.voxel_size < np.inf:
            raise OptionError("voxel_size", self.voxel_size, "a positive number of metres")


@dataclass(frozen=True, eq=False)
class MeshIntegral:
    """Mass properties of a mesh at unit density.

    Attributes:
        unit: Inertial at unit density, in the mesh's frame; None when the mesh encloses nothing, not even its hull.
        rung: How it was found.
        error_estimate: Likely relative error of the volume, and of the moments over the largest of them.
        faults: What was noticed.
        alternatives: Volumes that the rungs tried give [m^3], by the name of the rung.
        reason: Why this rung, in a clause.
    """

    unit: Inertial | None
    rung: Rung
    error_estimate: float
    faults: tuple[MeshFault, ...] = ()
    alternatives: Mapping[str, float] = field(default_factory=lambda: MappingProxyType({}))
    reason: str = ""

    @property
    def exact(self) -> bool:
        """Whether the integral is over the mesh itself, not over a stand-in."""
        return self.rung is Rung.EXACT


def integrate_mesh(mesh: TriangleMesh, options: MeshOptions | None = None) -> MeshIntegral:
    """Integrate the solid that a mesh describes at unit density.

    A point is inside the solid or not: parts of a mesh that overlap count once.
    """
    chosen = options or MeshOptions()
    mended = mend(mesh)
    if not len(mended.surface.triangles):
        return _nothing(mended.faults, "it has no triangles")
    if chosen.method == "hull":
        return _by_hull(mesh, mended.faults, "as asked for")
    if chosen.method == "voxel":
        return _by_voxels(mended, chosen, "as asked for")
    if mended.surface.is_closed:
        return _closed(mended.surface, mended.faults)
    return _open(mesh, mended, chosen)


def _closed(surface: Surface, faults: tuple[MeshFault, ...]) -> MeshIntegral:
    """Integrate a closed surface exactly."""
    solid = integrate_solid(surface)
    faults = (*faults, *solid.faults)
    if solid.unit is None:
        return _nothing(faults, "it encloses no volume")
    return MeshIntegral(solid.unit, Rung.EXACT, solid.error_estimate, faults, reason="it is closed")


def _nothing(faults: tuple[MeshFault, ...], reason: str) -> MeshIntegral:
    return MeshIntegral(None, Rung.NONE, 1.0, (*faults, MeshFault.FLAT), reason=reason)


def _open(mesh: TriangleMesh, mended: MendedSurface, options: MeshOptions) -> MeshIntegral:
    """Go down the ladder."""
    faults = (*mended.faults, MeshFault.OPEN)
    result = _by_caps(capped(mended.surface), faults)
    if options.method == "integration":
        return result
    rungs = [result]
    if result.error_estimate > ACCEPTABLE_ERROR and options.may_load_warp:
        rungs.append(_by_voxels(mended, options, "capping its holes leaves more in doubt"))
    rungs.append(_by_hull(mesh, faults, "nothing else is more certain"))
    return _best(rungs)


def _best(rungs: list[MeshIntegral]) -> MeshIntegral:
    """Choose the first rung that will do, else the one with the smallest stated error."""
    usable = [rung for rung in rungs if rung.unit is not None]
    if not usable:
        return rungs[-1]
    volumes = {rung.rung.value: rung.unit.mass for rung in usable if rung.unit is not None}
    usable = [_hull_error(rung, volumes) for rung in usable]
    good = [rung for rung in usable if rung.error_estimate <= ACCEPTABLE_ERROR]
    chosen = good[0] if good else min(usable, key=lambda rung: rung.error_estimate)
    return replace(chosen, alternatives=MappingProxyType(volumes))


def _hull_error(rung: MeshIntegral, volumes: Mapping[str, float]) -> MeshIntegral:
    """State how far the hull is from the other rungs: it is off by that, or they are."""
    others = [volume for name, volume in volumes.items() if name != Rung.HULL]
    if rung.rung is not Rung.HULL or rung.unit is None or not others:
        return rung
    return replace(rung, error_estimate=max(abs(volume - rung.unit.mass) for volume in others) / rung.unit.mass)


def _by_caps(closed: CappedSurface, faults: tuple[MeshFault, ...]) -> MeshIntegral:
    """Integrate a surface whose holes have caps."""
    solid = integrate_solid(closed.surface)
    faults = (*faults, *solid.faults)
    if solid.unit is None:
        return _nothing(faults, "it encloses no volume")
    error = solid.error_estimate + _doubt(closed, solid.unit)
    plane = sum(cap.is_plane for cap in closed.caps)
    count = len(closed.caps)
    reason = f"its {count} holes were capped" if count != 1 else "its hole was capped"
    reason += ", all of them plane" if plane == count else f", {count - plane} of them not plane"
    return MeshIntegral(solid.unit, Rung.CAPPED, error, faults, reason=reason)


def _doubt(closed: CappedSurface, unit: Inertial) -> float:
    """Return the doubt about all caps relative to the volume, or to the largest moment if that is more."""
    doubts = np.array([cap.doubt for cap in closed.caps])
    distances = np.array([np.linalg.norm(cap.centre - unit.com) for cap in closed.caps])
    return max(float(doubts.sum()) / unit.mass, float(doubts @ distances**2) / float(unit.principal_moments[2]))


def _by_hull(mesh: TriangleMesh, faults: tuple[MeshFault, ...], reason: str) -> MeshIntegral:
    hull = integrate_hull(mesh.used_vertices)
    if hull is None:
        return _nothing(faults, "it is flat")
    return MeshIntegral(hull, Rung.HULL, 1.0, faults, reason=reason)


def _by_voxels(mended: MendedSurface, options: MeshOptions, reason: str) -> MeshIntegral:
    from inertia_tools.geometry.voxel import count_voxels

    voxels = count_voxels(mended.surface, options.tolerance, options.voxel_size, options.device)
    if voxels.unit is None:
        return _nothing(mended.faults, "it encloses no volume")
    return MeshIntegral(voxels.unit, Rung.VOXEL, voxels.error_estimate, mended.faults, reason=reason)

