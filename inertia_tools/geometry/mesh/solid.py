# SPDX-FileCopyrightText: The inertia_tools authors
# SPDX-License-Identifier: Apache-2.0
"""Mass properties of what a closed surface holds: its pieces turned outwards, overlaps counted once."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from inertia_tools.errors import MissingDependencyError
from inertia_tools.geometry.mesh.columns import Stretches, stretches
from inertia_tools.geometry.mesh.defects import MeshFault
from inertia_tools.geometry.mesh.nesting import outward
from inertia_tools.geometry.mesh.orientation import areas
from inertia_tools.geometry.mesh.surface import Surface
from inertia_tools.geometry.polyhedron import VolumeSums, volume_sums
from inertia_tools.geometry.union import union
from inertia_tools.inertial import Inertial

EXACT_ERROR = 1e-12
"""Relative error of the integral over a closed mesh (measured: 1e-13 up to 10 km from the origin)."""

ROUNDING = 2.0 * np.finfo(np.float64).eps
"""How far rounding moves a coordinate, relative to it; surfaces flatter than that enclose nothing."""

SCAN_RESOLUTION = 32
"""Lines a side with which a closed surface is searched for overlaps: finds those over a thousandth of the section."""

OVERLAP_RESOLUTION = 160
"""Lines a side with which a found overlap is measured; balls come out to 1e-4 of their volume."""

OVERLAP_DOUBT = 0.02
"""Doubt about a measured overlap, as a ratio of it."""

UNION_ERROR = 1e-9
"""Relative error of a union; its new corners are rounded to about 1e-12 of the size."""

MOST_UNITED = 200_000
"""Overlapping pieces with more triangles than this are measured along lines; uniting them takes seconds."""


@dataclass(frozen=True, eq=False)
class Solid:
    """What a closed surface holds.

    Attributes:
        unit: Inertial at unit density; None when nothing is held.
        error_estimate: Likely relative error of the volume, and of the moments over the largest.
        faults: What was noticed.
    """

    unit: Inertial | None
    error_estimate: float
    faults: tuple[MeshFault, ...] = ()


def integrate_solid(surface: Surface) -> Solid:
    """Integrate what a closed surface holds at unit density; see `nesting.outward` for what counts as a cavity."""
    wound, turned = outward(surface)
    faults = (MeshFault.INVERTED,) if turned else ()
    sums = volume_sums(wound.vertices, wound.triangles)
    unit = sums.inertial()
    if _is_flat(wound, abs(unit.mass)):
        return Solid(None, 1.0, faults)
    if (stretches(wound, SCAN_RESOLUTION).winding == 1).all():
        return Solid(unit, EXACT_ERROR, faults) if unit.mass > 0.0 else Solid(None, 1.0, faults)
    united, error = _without_overlap(wound, sums)
    return Solid(united if united.mass > 0.0 else None, error, (*faults, MeshFault.OVERLAP))


def _is_flat(surface: Surface, volume: float) -> bool:
    """Tell whether a volume is no more than rounding of the coordinates makes of a flat surface."""
    thickness = ROUNDING * float(np.abs(surface.vertices).max())
    if volume > thickness * surface.diagonal**2 * len(surface.triangles):
        return False  # whatever the area is, which takes longer to add up than the volume
    return bool(volume <= thickness * float(areas(surface).sum()))


def _without_overlap(surface: Surface, sums: VolumeSums) -> tuple[Inertial, float]:
    """Count once what is inside more than once, and return the doubt about that too.

    The pieces are united. A piece that runs into itself cannot be, which shows in that the result still overlaps; then
    the overlap is measured along lines.
    """
    united = _united(surface)
    if united is not None:
        return united, UNION_ERROR
    scan: Stretches = stretches(surface, OVERLAP_RESOLUTION)
    surplus = np.where(scan.winding > 0, scan.winding - 1, scan.winding).astype(np.float64)
    unit = sums.minus(scan.sums(surplus, sums.apex)).inertial()
    if not unit.mass > 0.0:
        return unit, 1.0
    return unit, max(EXACT_ERROR, OVERLAP_DOUBT * scan.volume(np.abs(surplus)) / unit.mass)


def _united(surface: Surface) -> Inertial | None:
    """Unite the pieces; None when that is not possible, or leaves an overlap."""
    if len(surface.triangles) > MOST_UNITED:
        return None
    pieces = [surface.with_triangles(surface.triangles[surface.pieces == i]) for i in range(surface.pieces.max() + 1)]
    if any(volume_sums(piece.vertices, piece.triangles).determinant < 0.0 for piece in pieces):
        return None  # cavities are no solids of their own
    try:
        whole = union(pieces)
    except MissingDependencyError:
        return None
    if whole is None or not len(whole.triangles) or not (stretches(whole, SCAN_RESOLUTION).winding == 1).all():
        return None
    return volume_sums(whole.vertices, whole.triangles).inertial()
