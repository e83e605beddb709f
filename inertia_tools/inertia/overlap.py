# SPDX-FileCopyrightText: The inertia_tools authors
# SPDX-License-Identifier: Apache-2.0
"""What the shapes of a link share: volume that the sum of their masses counts more than once."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from inertia_tools.description.types import Shape
from inertia_tools.errors import MeshError, MissingDependencyError
from inertia_tools.geometry.extent import shape_points
from inertia_tools.geometry.mesh.solid import integrate_solid
from inertia_tools.geometry.mesh.surface import Surface
from inertia_tools.geometry.polyhedron import integrate_triangles
from inertia_tools.geometry.tessellation import hull_surface, shape_surface
from inertia_tools.geometry.union import union
from inertia_tools.inertial import Inertial

ROUNDING = 1e-9
"""Shared volume under this ratio of the sum is rounding, also when somebody asks."""

WORTH_TELLING = 1e-3
"""Shared volume under this ratio of the sum is shapes that touch."""

WORTH_A_LOOK = 1e-4
"""Hulls that share less than this ratio of their sum hold shapes that share next to nothing."""

MOST_TRIANGLES = 20_000
"""Shapes with more triangles than this together are not united unasked; `check` is to be quick."""


@dataclass(frozen=True, eq=False)
class Overlap:
    """What shapes share.

    Attributes:
        excess: What the sum counts too often, at unit density in link axes.
        share: Its volume over the sum's.
    """

    excess: Inertial
    share: float


def overlap_of(shapes: Sequence[Shape], *, asked: bool = False) -> Overlap | None:
    """Measure what shapes share; None when it is nothing worth telling, or cannot be told.

    Args:
        shapes: Shapes of one link, all of them solids.
        asked: The user wants to know, so that the number of triangles does not matter.

    Raises:
        MissingDependencyError: manifold3d is not installed and the user wants to know.
    """
    try:
        if len(shapes) < 2 or not _boxes_meet(shapes):
            return None
        if not asked and _measured([hull for hull in map(hull_surface, shapes) if hull], WORTH_A_LOOK) is None:
            return None  # the shapes share no more than their hulls do
        surfaces = [surface for surface in map(shape_surface, shapes) if surface is not None]
        if not asked and sum(len(surface.triangles) for surface in surfaces) > MOST_TRIANGLES:
            return None
        return _measured(surfaces, 0.0 if asked else WORTH_TELLING)
    except MeshError:
        return None
    except MissingDependencyError:
        if asked:
            raise
        return None


def _measured(surfaces: list[Surface], least: float) -> Overlap | None:
    whole = union(surfaces)
    if whole is None or not len(whole.triangles):
        return None
    parts = [part.unit for part in map(integrate_solid, surfaces) if part.unit is not None]
    total = Inertial.sum(parts)
    united = integrate_triangles(whole.vertices, whole.triangles)
    share = 1.0 - united.mass / total.mass
    return Overlap(total - united, share) if share > max(least, ROUNDING) else None


def _boxes_meet(shapes: Sequence[Shape]) -> bool:
    """Tell whether the boxes along the link's axes of any two shapes share volume."""
    clouds = [points for points in map(shape_points, shapes) if len(points)]
    low, high = np.array([c.min(axis=0) for c in clouds]), np.array([c.max(axis=0) for c in clouds])
    depth = np.minimum(high[:, None], high[None]) - np.maximum(low[:, None], low[None])
    meets = (depth > 1e-9 * (high - low).max()).all(axis=2)
    return bool(meets[np.triu_indices(len(clouds), 1)].any())
