# SPDX-FileCopyrightText: The inertia_tools authors
# SPDX-License-Identifier: Apache-2.0
"""Classification of a closed surface's pieces as material or cavities, independent of their winding."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property, lru_cache

import numpy as np

from inertia_tools.geometry.mesh.orientation import flipped
from inertia_tools.geometry.mesh.surface import Indices, Surface
from inertia_tools.geometry.mesh.triangles import used_corners
from inertia_tools.geometry.mesh.winding import winding_numbers
from inertia_tools.geometry.polyhedron import volume_sums
from inertia_tools.spatial import Array, box_of

TOUCHING = 1e-12
"""Boxes that overlap by less than this ratio of the size only touch."""

SHEET = 1e-14
"""Volume of a two-sided sheet due to rounding, as a ratio of the cube of its size.

Measured: 2e-15, thirty times its size from the origin.
"""

INSIDE = 0.5
"""Winding number from which a point counts as inside."""


@dataclass(frozen=True, eq=False)
class Nest:
    """A closed surface whose solids are wound outwards and whose cavities inwards.

    Attributes:
        surface: The surface.
        turned: Number of reversed triangles.
        solids: Indices of the triangles of each solid, including those of its cavities.
    """

    surface: Surface
    turned: int
    solids: Sequence[Indices]

    @cached_property
    def bodies(self) -> list[Surface]:
        """Its solids, each a separate surface with the same vertices."""
        if len(self.solids) == 1 and len(self.solids[0]) == len(self.surface.triangles):
            return [self.surface]
        return [self.surface.with_triangles(self.surface.triangles[solid]) for solid in self.solids]


@dataclass(frozen=True, eq=False)
class _Piece:
    """One connected piece: the indices of its triangles, its volume, its bounding box, and a point on it."""

    triangles: Indices
    volume: float
    low: Array
    high: Array
    point: Array

    @property
    def sign(self) -> float:
        """1 if it is wound outwards, -1 if inwards; 0 for a sheet, whose volume is rounding."""
        is_sheet = abs(self.volume) <= SHEET * float(np.linalg.norm(self.high - self.low)) ** 3
        return 0.0 if is_sheet else float(np.sign(self.volume))


@lru_cache(maxsize=1)
def nested(surface: Surface) -> Nest:
    """Reverse whole pieces of a closed surface so that solids are wound outwards and cavities inwards.

    A piece that is in no other is a solid. If it is wound inwards, it is reversed with everything inside it, since a
    mirrored export inverts a part with its cavities. A piece wound inwards inside a solid is a cavity. The last result
    is cached, for callers that need its integral and then its bodies.
    """
    pieces = _split(surface)
    sign = np.array([piece.sign for piece in pieces])
    if (sign > 0.0).all():
        return Nest(surface, 0, [piece.triangles for piece in pieces])
    holders = _holders(surface, pieces)
    turned = np.zeros(len(surface.triangles), dtype=bool)
    for i in range(len(pieces)):
        if holders[i] or sign[i] >= 0.0:
            continue
        for j in (i, *(k for k, held in enumerate(holders) if i in held)):
            turned[pieces[j].triangles] ^= True
            sign[j] = -sign[j]
    for i, piece in enumerate(pieces):  # the containing piece decides, also for a cavity in a floating part in a cavity
        around = sum(sign[j] for j in holders[i])
        if holders[i] and sign[i] < 0.0 and around <= 0.0:
            turned[piece.triangles] ^= True
            sign[i] = 1.0
    return Nest(flipped(surface, turned), int(turned.sum()), _solids(pieces, sign, holders))


def _solids(pieces: Sequence[_Piece], sign: Array, holders: Sequence[Sequence[int]]) -> list[Indices]:
    """Group pieces that are wound inwards with the smallest solid that contains them."""
    groups = {i: [piece.triangles] for i, piece in enumerate(pieces) if sign[i] > 0.0}
    for i, piece in enumerate(pieces):
        around = [j for j in holders[i] if j in groups]
        if i not in groups and around:
            groups[min(around, key=lambda j: abs(pieces[j].volume))].append(piece.triangles)
    return [np.concatenate(group) for group in groups.values()]


def boxes_meet(parts: list[Surface]) -> bool:
    """Return whether the axis-aligned boxes of any two surfaces overlap."""
    corners = [part.vertices[used_corners(part.triangles, len(part.vertices))] for part in parts]
    low, high = (np.array(ends) for ends in zip(*map(box_of, corners), strict=True))
    for i in range(len(parts) - 1):
        depth = np.minimum(high[i], high[i + 1 :]) - np.maximum(low[i], low[i + 1 :])
        if (depth > TOUCHING * np.ptp(low, axis=0).max() + TOUCHING * (high - low).max()).all(axis=1).any():
            return True
    return False


def _split(surface: Surface) -> list[_Piece]:
    labels = surface.pieces
    if not labels.any():
        return [_piece(surface, np.arange(len(labels)))]
    order = np.argsort(labels, kind="stable")
    groups = np.split(order, np.flatnonzero(np.diff(labels[order])) + 1)
    return [_piece(surface, group) for group in groups]


def _piece(surface: Surface, group: Indices) -> _Piece:
    triangles = surface.triangles[group]
    is_whole = len(group) == len(surface.triangles)
    own = surface.vertices if is_whole else surface.vertices[used_corners(triangles, len(surface.vertices))]
    sums = volume_sums(surface.vertices, triangles, own.mean(axis=0))
    return _Piece(group, sums.determinant, *box_of(own), surface.vertices[triangles[0]].mean(axis=0))


def _holders(surface: Surface, pieces: list[_Piece]) -> list[list[int]]:
    """Return for each piece those that contain it."""
    low, high = np.array([piece.low for piece in pieces]), np.array([piece.high for piece in pieces])
    holders: list[list[int]] = [[] for _ in pieces]
    for j, outer in enumerate(pieces):
        within = np.array((outer.low <= low).all(axis=1) & (high <= outer.high).all(axis=1))
        within[j] = False
        candidates = np.flatnonzero(within)
        points = np.array([pieces[i].point for i in candidates]).reshape(-1, 3)
        around = np.abs(winding_numbers(points, surface.vertices, surface.triangles[outer.triangles]))
        for i in candidates[around > INSIDE]:
            holders[i].append(j)
    return holders
