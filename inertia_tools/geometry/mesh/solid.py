# SPDX-FileCopyrightText: The inertia_tools authors
# SPDX-License-Identifier: Apache-2.0
"""Mass properties of the solid in a closed surface: its pieces oriented outwards, overlaps counted once."""

from __future__ import annotations

from dataclasses import dataclass, replace
from importlib.util import find_spec

import numpy as np

from inertia_tools.geometry.mesh.columns import Stretches, stretches
from inertia_tools.geometry.mesh.defects import MeshFault
from inertia_tools.geometry.mesh.nesting import boxes_meet, nested
from inertia_tools.geometry.mesh.orientation import areas
from inertia_tools.geometry.mesh.surface import Indices, Surface
from inertia_tools.geometry.polyhedron import VolumeSums, volume_sums
from inertia_tools.geometry.union import union
from inertia_tools.inertial import Inertial

EXACT_ERROR = 1e-12
"""Relative error of the integral over a closed mesh (measured: 1e-13 up to 10 km from the origin)."""

ROUNDING = 2.0 * np.finfo(np.float64).eps
"""Relative rounding of a coordinate; flatter surfaces have no volume."""

SCAN_RESOLUTION = 32
"""Lines per side in the search for overlaps of a closed surface: it finds those over a thousandth of the section."""

OVERLAP_RESOLUTION = 160
"""Lines per side for measuring a found overlap; the result for balls is accurate to 1e-4 of their volume."""

OVERLAP_DOUBT = 0.1
"""Doubt about a measured overlap, as a ratio of it: a slab along the lines may be between them."""

UNSEEN = 1e-3
"""Doubt about overlaps between the lines, where solids cannot be united."""

MOST_SCANNED_THRICE = 100_000
"""Larger surfaces are searched along one axis only."""

UNION_ERROR = 1e-9
"""Relative error of a union; its new corners are rounded to about 1e-12 of the size."""

MOST_UNITED = 200_000
"""Overlapping pieces with more triangles than this are measured along lines, since uniting them takes seconds."""


@dataclass(frozen=True, eq=False)
class Solid:
    """The solid in a closed surface.

    Attributes:
        unit: Inertial at unit density; None without volume.
        error_estimate: Likely relative error of the volume, and of the moments over the largest.
        faults: Faults found.
    """

    unit: Inertial | None
    error_estimate: float
    faults: tuple[MeshFault, ...] = ()


def integrate_solid(surface: Surface) -> Solid:
    """Integrate the solid in a closed surface at unit density; see `nesting.nested` for cavities.

    Solids whose boxes overlap are united; if that changes nothing, they do not overlap. Lines through a piece detect
    self-intersections.
    """
    nest = nested(surface)
    wound, parts = nest.surface, nest.bodies
    faults = (MeshFault.INVERTED,) if nest.turned else ()
    sums = volume_sums(wound.vertices, wound.triangles)
    unit = sums.inertial()
    if _is_flat(wound, abs(unit.mass)):
        return Solid(None, 1.0, faults)
    if len(parts) > 1 and boxes_meet(parts):
        return _united(wound, parts, sums, faults)
    if _is_simple(wound):
        return Solid(unit, EXACT_ERROR, faults) if unit.mass > 0.0 else Solid(None, 1.0, faults)
    return _measured(stretches(wound, OVERLAP_RESOLUTION), sums, faults)


def _is_flat(surface: Surface, volume: float) -> bool:
    """Return whether a volume is only the rounding error of a flat surface's coordinates."""
    thickness = ROUNDING * float(np.abs(surface.vertices).max())
    if volume > thickness * surface.diagonal**2 * len(surface.triangles):
        return False  # not flat for any area, which takes longer to add up than the volume
    return bool(volume <= thickness * float(areas(surface).sum()))


def _is_simple(surface: Surface, part: Indices | None = None) -> bool:
    """Return whether no line through a surface, or a part, is inside more than once, based on some hundred lines."""
    axes = range(3) if len(surface.triangles) <= MOST_SCANNED_THRICE else [2]
    return all((stretches(_along(surface, axis), SCAN_RESOLUTION, part).winding == 1).all() for axis in axes)


def _along(surface: Surface, axis: int) -> Surface:
    """Rotate a surface so that an axis becomes z."""
    return replace(surface, vertices=np.ascontiguousarray(np.roll(surface.vertices, 2 - axis, axis=1)))


def _united(surface: Surface, parts: list[Surface], sums: VolumeSums, faults: tuple[MeshFault, ...]) -> Solid:
    """Count the overlap of several solids once."""
    unit = sums.inertial()
    whole = union(parts) if _can_unite(parts) else None
    if whole is not None and len(whole.triangles):
        united = volume_sums(whole.vertices, whole.triangles).inertial()
        if abs(united.mass - unit.mass) <= UNION_ERROR * unit.mass:
            return Solid(unit, EXACT_ERROR, faults)
        return Solid(united, UNION_ERROR, (*faults, MeshFault.OVERLAP))
    scan = stretches(surface, OVERLAP_RESOLUTION)
    if (scan.winding == 1).all():
        return Solid(unit, UNSEEN, faults) if unit.mass > 0.0 else Solid(None, 1.0, faults)
    return _measured(scan, sums, faults)


def _can_unite(parts: list[Surface]) -> bool:
    """Return whether the union of solids is worth its time: that of self-intersecting solids would be invalid."""
    sizes = [len(part.triangles) for part in parts]
    if sum(sizes) > MOST_UNITED or find_spec("manifold3d") is None:
        return False
    side_by_side = parts[0].with_triangles(np.concatenate([part.triangles for part in parts]))
    return _is_simple(side_by_side, np.repeat(np.arange(len(parts)), sizes))


def _measured(scan: Stretches, sums: VolumeSums, faults: tuple[MeshFault, ...]) -> Solid:
    """Subtract multiply counted volume, as measured along lines, and state the doubt about it."""
    surplus = np.where(scan.winding > 0, scan.winding - 1, scan.winding).astype(np.float64)
    unit = sums.minus(scan.sums(surplus, sums.apex)).inertial()
    faults = (*faults, MeshFault.OVERLAP)
    if not unit.mass > 0.0:
        return Solid(None, 1.0, faults)
    doubt = UNSEEN * scan.coarseness + OVERLAP_DOUBT * scan.volume(np.abs(surplus)) / unit.mass
    return Solid(unit, min(1.0, doubt), faults)
