# SPDX-FileCopyrightText: The inertia_tools authors
# SPDX-License-Identifier: Apache-2.0
"""Large scenes, whose pairs of shapes are searched in each step: the choice of method, and the constant data."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import warp as wp

from inertia_tools.sim.collide.anchored import copied_colliders
from inertia_tools.sim.kernels.on_device import OnDevice

MOST_LISTED = 5_000
"""Number of ordered pairs of shapes above which each step searches for pairs; about 70 shapes that may all touch."""

MOST_SHAPES = 2000
"""Number of shapes above which each step searches for pairs, without counting them first."""

BROAD_PHASES = ("auto", "list", "search")
"""How pairs are found: listed by `finalize`, searched in each step, or whichever suits their number."""


@dataclass(frozen=True, eq=False)
class NearbyShapes:
    """Constant data of a scene that is searched in each step.

    Attributes:
        colliders: Structure of arrays.
        exact: The same in the precision of the search, `SEARCHED_IN`.
        filters: Pairs of the first world that may not collide; see `filter_arrays`.
        shapes: Shape of each collider, as the solver numbers them.
        trees: Hierarchies of triangles, which must live as long as the colliders.
        groups: World of each collider if there are several.
    """

    colliders: Any
    exact: Any
    filters: Any
    shapes: np.ndarray
    trees: Sequence[Any] = ()
    groups: Any = None


def copies_of_nearby(nearby: NearbyShapes, count: int, bodies: int, shapes: int, on: OnDevice) -> NearbyShapes:
    """Return the data of `count` copies of a scene with this many bodies and shapes."""
    colliders = int(nearby.colliders.count)
    copies, exact = (copied_colliders(one, count, bodies, on) for one in (nearby.colliders, nearby.exact))
    shift = np.repeat(np.arange(count), colliders)
    nearby.filters.grouped = 1
    groups = on.array(shift, wp.int32)
    return NearbyShapes(
        copies, exact, nearby.filters, np.tile(nearby.shapes, count) + shift * shapes, nearby.trees, groups
    )
