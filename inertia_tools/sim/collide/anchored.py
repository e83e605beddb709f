# SPDX-FileCopyrightText: The inertia_tools authors
# SPDX-License-Identifier: Apache-2.0
"""Pairs of shapes whose contacts the solver takes from the narrow phase once a step, and follows from their anchors."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any

import numpy as np
import warp as wp

from inertia_tools.sim.collide.collider_arrays import PlacedCollider, collider_arrays
from inertia_tools.sim.kernels.collision_types import MAX_CONTACTS
from inertia_tools.sim.kernels.on_device import OnDevice
from inertia_tools.sim.kernels.precision import precision
from inertia_tools.sim.scene.geo_type import GeoType

if TYPE_CHECKING:
    from inertia_tools.sim.scene.built_shape import BuiltShape

ROUND_OR_SURFACE = frozenset({GeoType.CONE, GeoType.ELLIPSOID, GeoType.HFIELD})
"""Shapes whose contacts are not those of a few feature points; meshes that stay are too."""

ONE_A_COLLIDER = (
    *("kind", "size", "point", "frame", "middle", "half", "margin", "gap", "still", "group", "world"),
    *("first_vertex", "vertex_count", "first_face", "face_count", "bvh", "first_triangle", "open_below", "closed"),
)
"""Arrays of colliders with one entry each, but for the bodies."""

SEARCHED_IN = "float64"
"""Precision in which contacts are found; see `anchored_kernels`."""

ENOUGH_FEATURES = 1
"""Marks pairs whose feature points tell enough unless they lie awkwardly; `QUICK` those where they count when quick."""

LONG = 3.0
"""A shape is long when it is so many times as long as thick; shorter ones have feature points enough."""


def needs_narrow_phase(first: BuiltShape, second: BuiltShape, first_is_static: bool, second_is_static: bool) -> bool:
    """Tell whether feature points are too few for the contacts of two shapes."""
    return (
        _has_no_features(first, first_is_static)
        or _has_no_features(second, second_is_static)
        or (_is_long(first) and _is_long(second))
    )


def may_be_awkward(first: BuiltShape, second: BuiltShape) -> bool:
    """Tell whether feature points of two shapes may fail to tell where they touch: planes and balls always know."""
    kinds = {first.kind, second.kind}
    return GeoType.PLANE not in kinds and kinds != {GeoType.SPHERE}


def may_be_quick(first: BuiltShape, second: BuiltShape, first_is_static: bool, second_is_static: bool) -> bool:
    """Tell whether both shapes have feature points, though too few for what is slow.

    Where one of them moves fast they tell more than contacts that are found once a step: they are looked at in every
    substep.
    """
    return all(
        shape.convex is not None and len(shape.convex.features) > 0 and not _has_triangles(shape, is_static)
        for shape, is_static in ((first, first_is_static), (second, second_is_static))
    )


def _has_triangles(shape: BuiltShape, is_static: bool) -> bool:
    """Tell whether a mesh collides as its triangles or in parts."""
    approximation = shape.config.mesh_approximation
    is_many = approximation == "convex_decomposition" or (is_static and approximation == "auto")
    return shape.kind is GeoType.MESH and is_many


def _has_no_features(shape: BuiltShape, is_static: bool) -> bool:
    """Tell whether a shape is rounder, or has more triangles, than a few points can tell."""
    ends = shape.kind is GeoType.PLANE and shape.scale[0] > 0.0
    return shape.kind in ROUND_OR_SURFACE or ends or _has_triangles(shape, is_static)


def _is_long(shape: BuiltShape) -> bool:
    """Tell whether the edges of a shape may cross others far from its feature points."""
    if shape.kind is GeoType.BOX:
        return max(shape.scale) > LONG * min(shape.scale)
    return shape.kind in (GeoType.CAPSULE, GeoType.CYLINDER) and shape.scale[1] > LONG * shape.scale[0]


@dataclass(frozen=True, eq=False)
class AnchoredPairs:
    """Pairs of colliders whose contacts a step takes from the narrow phase.

    Attributes:
        colliders: Structure of arrays.
        exact: The same in double precision.
        pairs: Colliders of each pair, shape (n, 2).
        shapes: Shapes of each pair, as the solver numbers them, shape (n, 2).
        first_slot: Slot of the first contact of the first pair; each has `MAX_CONTACTS`.
        trees: Trees of triangles, kept for as long as the colliders.
        optional: 1 for a pair that has feature points too, which count where they tell enough, 2 for one that has them
            for when it is quick; shape (n,).
    """

    colliders: Any
    exact: Any
    pairs: np.ndarray
    shapes: np.ndarray
    first_slot: int
    trees: Sequence[Any] = ()
    optional: np.ndarray = field(default_factory=lambda: np.zeros(0, dtype=np.int32))

    def __len__(self) -> int:
        return len(self.pairs)

    @property
    def slot_shapes(self) -> np.ndarray:
        """Shapes of each slot, shape (slots, 2)."""
        return np.repeat(self.shapes, MAX_CONTACTS, axis=0)


def anchored_pairs(
    placed: Sequence[PlacedCollider],
    chosen: Sequence[tuple[int, int]],
    optional: Mapping[tuple[int, int], int],
    first_slot: int,
    on: OnDevice,
) -> AnchoredPairs:
    """Return the pairs of colliders of pairs of shapes.

    Args:
        placed: The colliders; `shape` is the builder's number.
        chosen: Pairs of the builder's shapes.
        optional: Those of them that have feature points too, and what for; see `AnchoredPairs.optional`.
        first_slot: Slot of the first contact.
        on: Where they go.
    """
    used = sorted({shape for pair in chosen for shape in pair})
    kept = [one for one in placed if one.shape in used]
    parts: dict[int, list[int]] = {}
    for index, one in enumerate(kept):
        parts.setdefault(one.shape, []).append(index)
    rows, spare = [], []
    for first, second in chosen:
        for i in parts.get(first, ()):
            for j in parts.get(second, ()):
                rows.append(sorted((i, j), key=lambda c: kept[c].collider.kind))
                spare.append(optional.get((first, second), 0))
    data, exact, trees = searched_colliders(kept, on)
    pairs = np.array(rows, dtype=np.int32).reshape(-1, 2)
    shapes = np.array([[kept[c].shape for c in row] for row in rows], dtype=int).reshape(-1, 2)
    return AnchoredPairs(data, exact, pairs, shapes, first_slot, trees, np.array(spare, dtype=np.int32))


def searched_colliders(placed: Sequence[PlacedCollider], on: OnDevice) -> tuple[Any, Any, Sequence[Any]]:
    """Return colliders in the precision of a scene and in that of the search, and the trees of triangles of both."""
    data, trees = collider_arrays(placed, on)
    if on.precision.name == SEARCHED_IN:
        return data, data, trees
    exact, trees = collider_arrays(placed, OnDevice(precision(SEARCHED_IN), on.device))
    data.bvh = exact.bvh
    return data, exact, trees


def copied_colliders(data: Any, count: int, bodies: int, on: OnDevice) -> Any:
    """Return so many copies of the colliders of a scene that has these bodies, one after the other."""
    copies, shift = data._cls(), np.arange(count)[:, None]
    for name in data._cls.vars:
        setattr(copies, name, getattr(data, name))
    for name in ONE_A_COLLIDER:
        array = getattr(data, name)
        values = np.concatenate([array.numpy()[: int(data.count)]] * count)
        setattr(copies, name, on.array(values, array.dtype))
    body = data.body.numpy()[: int(data.count)]
    copies.body = on.array(np.where(body >= 0, body + shift * bodies, body).ravel(), wp.int32)
    copies.count = count * int(data.count)
    return copies


def replicated(pairs: AnchoredPairs, count: int, bodies: int, shapes: int, on: OnDevice) -> AnchoredPairs:
    """Return the pairs of so many copies of a scene that has these bodies and shapes."""
    colliders, shift = int(pairs.colliders.count), np.arange(count)[:, None, None]
    return replace(
        pairs,
        colliders=copied_colliders(pairs.colliders, count, bodies, on),
        exact=copied_colliders(pairs.exact, count, bodies, on),
        pairs=(pairs.pairs[None] + shift * colliders).reshape(-1, 2).astype(np.int32),
        shapes=(pairs.shapes[None] + shift * shapes).reshape(-1, 2),
        optional=np.tile(pairs.optional, count),
    )
