# SPDX-FileCopyrightText: The inertia_tools authors
# SPDX-License-Identifier: Apache-2.0
"""Kinds of colliders, and the pairs of kinds that can collide."""

from __future__ import annotations

import enum
import itertools


class ColliderKind(enum.IntEnum):
    """Collision geometry of a collider; in a pair, the lower number comes first."""

    SPHERE = 0
    CAPSULE = 1
    ELLIPSOID = 2
    CYLINDER = 3
    CONE = 4
    BOX = 5
    HULL = 6
    PLANE = 7
    TRIANGLES = 8


UNBOUNDED = frozenset({ColliderKind.PLANE, ColliderKind.TRIANGLES})
"""Surfaces that bound the solid behind them; two of them do not collide."""


def pairs_that_meet() -> list[tuple[ColliderKind, ColliderKind]]:
    """Return every pair of kinds that the narrow phase handles, lower number first."""
    pairs = itertools.combinations_with_replacement(ColliderKind, 2)
    return [pair for pair in pairs if not set(pair) <= UNBOUNDED]
