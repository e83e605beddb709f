# SPDX-FileCopyrightText: The inertia_tools authors
# SPDX-License-Identifier: Apache-2.0
"""Faults of a triangle surface, and the repair of those that do not change its shape.

Duplicate triangles are kept once; triangles wound against their neighbours are reversed. Neither moves a point of the
surface.
"""

from __future__ import annotations

import enum
from dataclasses import dataclass

import numpy as np

from inertia_tools.geometry.mesh.orientation import oriented
from inertia_tools.geometry.mesh.surface import Indices, Surface, repeated, weld
from inertia_tools.geometry.mesh.triangles import TriangleMesh
from inertia_tools.geometry.polyhedron import volume_sums


class MeshFault(enum.StrEnum):
    """Faults of a mesh, named as in the finding codes."""

    OPEN = "open-mesh"
    INVERTED = "inverted-mesh"
    MIXED_WINDING = "mixed-winding"
    DUPLICATE_FACES = "duplicate-faces"
    NON_MANIFOLD = "non-manifold-mesh"
    OVERLAP = "self-overlap"
    FLAT = "flat-mesh"


@dataclass(frozen=True, eq=False)
class MendedSurface:
    """A consistently wound surface without duplicate triangles.

    Attributes:
        surface: The triangles.
        faults: Faults found.
        turned: Number of reversed triangles.
        dropped: Number of removed duplicate triangles.
    """

    surface: Surface
    faults: tuple[MeshFault, ...] = ()
    turned: int = 0
    dropped: int = 0


def mend(mesh: TriangleMesh) -> MendedSurface:
    """Weld the corners of a mesh, remove duplicate triangles, and wind neighbours consistently."""
    surface = weld(mesh)
    if surface.is_clean or not len(surface.triangles):
        return MendedSurface(surface)
    faults = []
    single = _without_repetitions(surface)
    dropped = len(surface.triangles) - len(single.triangles)
    if dropped:
        faults.append(MeshFault.DUPLICATE_FACES)
    turned = 0
    if not single.is_closed:
        single, turned = oriented(single)
    if turned:
        faults.append(MeshFault.MIXED_WINDING)
    if not single.edges.is_manifold:
        faults.append(MeshFault.NON_MANIFOLD)
    return MendedSurface(single, tuple(faults), turned, dropped)


def _without_repetitions(surface: Surface) -> Surface:
    """Keep each triangle once.

    Two coincident triangles with opposite orientation are an inner wall between two solids, which is removed, or a
    sheet modelled from both sides, of which one side is kept: the choice leaves fewer loose edges and a non-zero
    volume.
    """
    found = repeated(surface.triangles)
    if found is None:
        return surface
    group, side = found
    balance = np.bincount(group, side)
    first = np.zeros(len(balance), dtype=np.int64)
    first[group[::-1]] = np.arange(len(group))[::-1]
    # of each group, a member with the majority's orientation
    for sign in (-1, 1):
        candidates = np.flatnonzero((side == sign) & (np.sign(balance)[group] == sign))
        first[group[candidates[::-1]]] = candidates[::-1]
    once = surface.with_triangles(surface.triangles[np.sort(first)])
    cancelled = surface.with_triangles(surface.triangles[np.sort(first[balance != 0])])
    if len(cancelled.triangles) == 0 or _is_volumeless(cancelled):
        return once
    return cancelled if _loose_edges(cancelled) <= _loose_edges(once) else once


def _loose_edges(surface: Surface) -> int:
    """Count edges with an odd number of triangles, which no winding closes."""
    return int((surface.edges.count % 2).sum())


def _is_volumeless(surface: Surface) -> bool:
    triangles: Indices = surface.triangles
    return volume_sums(surface.vertices, triangles).inertial().mass == 0.0
