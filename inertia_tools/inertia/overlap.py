# SPDX-FileCopyrightText: The inertia_tools authors
# SPDX-License-Identifier: Apache-2.0
"""Overlap of the shapes of a link: volume that the sum of their masses counts more than once."""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from functools import lru_cache

import numpy as np

from inertia_tools.description.types import Geometry, Mesh, Prism, Shape
from inertia_tools.errors import MeshError, MissingDependencyError
from inertia_tools.geometry.extent import shape_boxes
from inertia_tools.geometry.mesh.file import read_mesh
from inertia_tools.geometry.mesh.nesting import nested
from inertia_tools.geometry.mesh.record import record_key
from inertia_tools.geometry.mesh.solid import integrate_solid
from inertia_tools.geometry.mesh.surface import Surface
from inertia_tools.geometry.polyhedron import integrate_triangles
from inertia_tools.geometry.tessellation import FINE, hull_surface, shape_surface
from inertia_tools.geometry.union import union
from inertia_tools.inertial import Inertial
from inertia_tools.spatial import Array

ROUNDING = 1e-9
"""Overlap below this ratio of the sum is rounding, also when it is requested."""

WORTH_TELLING = 1e-3
"""Overlap below this ratio of the sum is that of touching shapes."""

WORTH_A_LOOK = 1e-4
"""Shapes whose hulls overlap by less than this ratio of their sum have a negligible overlap."""

MOST_TRIANGLES = 20_000
"""Shapes with more triangles in total than this are united only on request, to keep `check` fast."""

MOST_PAIRS = 20_000
"""Shapes with more pairs of overlapping boxes are united only on request; 200 shapes that all overlap take a second."""

QUICK = 48
"""Points per circle of shapes that are united without request; half the volume of two balls is accurate to 0.1 %."""

KEPT = 512
"""Number of cached overlaps; links of a crowd, and the legs of one robot, have equal shapes."""


@dataclass(frozen=True, eq=False)
class Overlap:
    """The overlap of the shapes of a link.

    Attributes:
        excess: The inertial that the sum counts too often, at unit density in link axes.
        share: Its volume over the sum's.
    """

    excess: Inertial
    share: float


def overlap_of(shapes: Sequence[Shape], volumes: Sequence[float], *, asked: bool = False) -> Overlap | None:
    """Measure the overlap of shapes; None if it is negligible or cannot be determined.

    Args:
        shapes: Shapes of one link, all of them solids.
        volumes: The volume of each [m^3].
        asked: The user requests it, so that the number of triangles is not limited.

    Raises:
        MissingDependencyError: manifold3d is not installed and the user requests the overlap.
    """
    try:
        meeting = _meeting(shapes, math.inf if asked else MOST_PAIRS) if len(shapes) > 1 else {}
        if not meeting:
            return None
        excess = _excess(tuple(_Stood.of(shapes[number]) for number in meeting), asked)
    except MeshError:
        return None
    except MissingDependencyError:
        if asked:
            raise
        return None
    if excess is None:
        return None
    volume = sum(volumes[number] for number in meeting)
    share = excess.mass * volume / sum(volumes)
    if share <= (ROUNDING if asked else WORTH_TELLING):
        return None
    return Overlap(Inertial(excess.mass * volume, excess.com, excess.inertia * volume), share)


@dataclass(frozen=True)
class _Stood:
    """A placed shape; two are equal if they have the same geometry at the same place."""

    geometry: Geometry
    content: str
    place: bytes
    shape: Shape = field(compare=False)

    @classmethod
    def of(cls, shape: Shape) -> _Stood:
        """Return the properties of a shape on which its overlap depends.

        Raises:
            MeshError: Its mesh is not found.
        """
        content = record_key(shape.geometry, None) if isinstance(shape.geometry, Mesh) else ""
        pose = shape.pose_link_shape
        return cls(shape.geometry, content, pose.position.tobytes() + pose.rotation.tobytes(), shape)


@lru_cache(maxsize=KEPT)
def _excess(meeting: tuple[_Stood, ...], asked: bool) -> Inertial | None:
    """Return the excess of the sum of shapes, see `_measured`; None if there is none, or if it is skipped."""
    shapes = [stood.shape for stood in meeting]
    if not asked and any(map(_may_be_hollow, shapes)) and _is_too_much_or_nothing(shapes):
        return None
    ring, most = (FINE, math.inf) if asked else (QUICK, MOST_TRIANGLES)
    solids = _up_to(most, (_solid(shape, ring) for shape in shapes))
    return None if solids is None else _measured(solids, ROUNDING)


@dataclass(frozen=True, eq=False)
class _Solid:
    """The content of a shape: the boundaries of its bodies in link axes, and its inertial at unit density."""

    bodies: list[Surface]
    unit: Inertial

    @classmethod
    def of_convex(cls, surface: Surface) -> _Solid:
        """Return the content of a convex surface, which needs no search for cavities."""
        return cls([surface], integrate_triangles(surface.vertices, surface.triangles))


def _solid(shape: Shape, ring: int) -> _Solid | None:
    """Return the content of a shape, as a polyhedron with `ring` points per circle; None if it is empty.

    Raises:
        MeshError: Its mesh cannot be read.
    """
    surface = shape_surface(shape, ring)
    if surface is None:
        return None
    if not _may_be_hollow(shape):
        return _Solid.of_convex(surface)
    unit = integrate_solid(surface).unit
    return None if unit is None else _Solid(nested(surface).bodies, unit)


def _up_to(most: float, solids: Iterable[_Solid | None]) -> list[_Solid] | None:
    """Collect solids; None as soon as they have more than `most` triangles in total."""
    made, triangles = [], 0
    for solid in solids:
        if solid is None:
            continue
        made.append(solid)
        triangles += sum(len(body.triangles) for body in solid.bodies)
        if triangles > most:
            return None
    return made


def _is_too_much_or_nothing(shapes: Sequence[Shape]) -> bool:
    """Return whether shapes need not be united without request: their hulls are apart, or they have many triangles."""
    return sum(map(_triangles_of, shapes)) > MOST_TRIANGLES or _hulls_are_apart(shapes)


def _may_be_hollow(shape: Shape) -> bool:
    """Return whether a shape may fill less than its hull."""
    return isinstance(shape.geometry, Mesh | Prism)


def _hulls_are_apart(shapes: Sequence[Shape]) -> bool:
    """Return whether the hulls of shapes have a negligible overlap, or too many triangles to compute it."""
    surfaces = map(hull_surface, shapes)
    hulls = _up_to(MOST_TRIANGLES, (_Solid.of_convex(hull) for hull in surfaces if hull is not None))
    return hulls is None or _measured(hulls, WORTH_A_LOOK) is None


def _triangles_of(shape: Shape) -> int:
    """Return how many triangles the mesh of a shape has; none if it has no mesh."""
    return len(read_mesh(shape.geometry).triangles) if isinstance(shape.geometry, Mesh) else 0


def _measured(solids: list[_Solid], least: float) -> Inertial | None:
    """Return the excess of the sum of solids; None below `least` of the sum, or where it cannot be determined.

    The sum has unit mass, since polyhedra are a little smaller than the round shapes that they replace.
    """
    whole = union(body for solid in solids for body in solid.bodies) if len(solids) > 1 else None
    if whole is None or not len(whole.triangles):
        return None
    total = Inertial.sum(solid.unit for solid in solids)
    united = integrate_triangles(whole.vertices, whole.triangles)
    if not 1.0 - united.mass / total.mass > least:
        return None
    excess = total - united
    return Inertial(excess.mass / total.mass, excess.com, excess.inertia / total.mass)


def _meeting(shapes: Sequence[Shape], most: float) -> dict[int, int] | None:
    """Return the indices of the shapes whose boxes along the link's axes overlap others, with the number of those.

    Args:
        shapes: Shapes of one link.
        most: Maximum number of pairs; above it None is returned.

    Raises:
        MeshError: A mesh cannot be read.
    """
    met = _met_boxes(*shape_boxes(shapes), most)
    return None if met is None else {number: count for number, count in enumerate(met.tolist()) if count}


def _met_boxes(low: Array, high: Array, most: float = math.inf) -> np.ndarray | None:
    """Return how many others each box overlaps; along one axis, only boxes that begin before its end are tested.

    The axis is the one with the fewest such boxes.

    Args:
        low: Lowest corners [m], shape (n, 3).
        high: Highest corners [m], shape (n, 3).
        most: Maximum number of pairs; above it None is returned.
    """
    rounding = 1e-9 * (high - low).max()
    ordered = np.sort(low, axis=0)
    axis = min(range(3), key=lambda axis: int(np.searchsorted(ordered[:, axis], high[:, axis]).sum()))
    order = np.argsort(low[:, axis])
    low, high = low[order], high[order]
    ends = np.searchsorted(low[:, axis], high[:, axis])
    met = np.zeros(len(low), dtype=np.int64)
    pairs = 0
    for k, end in enumerate(ends):
        later = slice(k + 1, max(k + 1, end))
        depth = np.minimum(high[k], high[later]) - np.maximum(low[k], low[later])
        meets = (depth > rounding).all(axis=1)
        met[later] += meets
        met[k] += meets.sum()
        pairs += int(meets.sum())
        if pairs > most:
            return None
    return met[np.argsort(order)]
