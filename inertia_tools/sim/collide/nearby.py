# SPDX-FileCopyrightText: The inertia_tools authors
# SPDX-License-Identifier: Apache-2.0
"""Large scenes, whose pairs of shapes are searched in each step: which these are, and what of them stays the same."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import warp as wp

from inertia_tools.sim.collide.anchored import copied_colliders
from inertia_tools.sim.kernels.on_device import OnDevice

MOST_LISTED = 5_000
"""Ordered pairs of shapes, beyond which a scene is searched in each step; about 70 shapes that all may touch."""

MOST_SHAPES = 2000
"""Shapes beyond which a scene is searched without counting its pairs."""

BROAD_PHASES = ("auto", "list", "search")
"""How pairs are found: all listed at `finalize`, searched in each step, or one or the other by their number."""


@dataclass(frozen=True, eq=False)
class NearbyShapes:
    """What of a large scene stays the same.

    Attributes:
        colliders: Structure of arrays.
        exact: The same in the precision of the search, `SEARCHED_IN`.
        filters: Who may not meet, of the first world; see `filter_arrays`.
        shapes: Shape of each collider, as the solver numbers them.
        trees: Trees of triangles, kept for as long as the colliders.
        groups: World of each collider, where there are several.
    """

    colliders: Any
    exact: Any
    filters: Any
    shapes: np.ndarray
    trees: Sequence[Any] = ()
    groups: Any = None


def copies_of_nearby(nearby: NearbyShapes, count: int, bodies: int, shapes: int, on: OnDevice) -> NearbyShapes:
    """Return what so many copies of a scene share; the scene has so many bodies and shapes."""
    colliders = int(nearby.colliders.count)
    copies, exact = (copied_colliders(one, count, bodies, on) for one in (nearby.colliders, nearby.exact))
    shift = np.repeat(np.arange(count), colliders)
    nearby.filters.grouped = 1
    groups = on.array(shift, wp.int32)
    return NearbyShapes(
        copies, exact, nearby.filters, np.tile(nearby.shapes, count) + shift * shapes, nearby.trees, groups
    )
