# SPDX-FileCopyrightText: The inertia_tools authors
# SPDX-License-Identifier: Apache-2.0
"""Pairs of shapes whose contacts the narrow phase finds once a step; their anchors then give the gaps."""

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
"""Shapes whose contacts a few feature points cannot represent; static meshes are also among them."""

ONE_A_COLLIDER = (
    *("kind", "size", "point", "frame", "middle", "half", "margin", "gap", "still", "group", "world"),
    *("first_vertex", "vertex_count", "first_face", "face_count", "bvh", "first_triangle", "open_below", "closed"),
)
"""Arrays with one entry per collider, except the bodies."""

SEARCHED_IN = "float64"
"""Precision of the search for contacts; see `anchored_kernels`."""

HAS_FEATURES = 1
"""Marks pairs that use feature points unless these are insufficient for the step; `QUICK` marks pairs that use them
while moving fast."""

LONG = 3.0
"""A shape is long if its length is this many times its thickness; shorter shapes have enough feature points."""


def needs_narrow_phase(first: BuiltShape, second: BuiltShape, first_is_static: bool, second_is_static: bool) -> bool:
    """Return whether feature points are too few for the contacts of two shapes."""
    return (
        _has_no_features(first, first_is_static)
        or _has_no_features(second, second_is_static)
        or (_is_long(first) and _is_long(second))
    )


def features_may_fail(first: BuiltShape, second: BuiltShape) -> bool:
    """Return whether feature points of two shapes may be insufficient.

    They always suffice against planes, and between two spheres.
    """
    kinds = {first.kind, second.kind}
    return GeoType.PLANE not in kinds and kinds != {GeoType.SPHERE}


def has_features(first: BuiltShape, second: BuiltShape, first_is_static: bool, second_is_static: bool) -> bool:
    """Return whether both shapes have feature points, even if these suffice only while the shapes move fast.

    At high speed, feature points that are checked in every substep are more accurate than contacts found once a step.
    """
    return all(
        shape.convex is not None and len(shape.convex.features) > 0 and not _has_triangles(shape, is_static)
        for shape, is_static in ((first, first_is_static), (second, second_is_static))
    )


def _has_triangles(shape: BuiltShape, is_static: bool) -> bool:
    """Return whether a mesh collides as its triangles or as convex parts."""
    approximation = shape.config.mesh_approximation
    is_many = approximation == "convex_decomposition" or (is_static and approximation == "auto")
    return shape.kind is GeoType.MESH and is_many


def _has_no_features(shape: BuiltShape, is_static: bool) -> bool:
    """Return whether a shape is too round, or has too many triangles, for a few feature points."""
    ends = shape.kind is GeoType.PLANE and shape.scale[0] > 0.0
    return shape.kind in ROUND_OR_SURFACE or ends or _has_triangles(shape, is_static)


def _is_long(shape: BuiltShape) -> bool:
    """Return whether the edges of a shape may cross others far from its feature points."""
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
        trees: Hierarchies of triangles, which must live as long as the colliders.
        optional: 1 for a pair that uses feature points where these are sufficient, 2 for one that uses them while it
            moves fast, else 0; shape (n,).
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
    """Return the pairs of colliders of chosen pairs of shapes.

    Args:
        placed: The colliders; `shape` is the builder's number.
        chosen: Pairs of the builder's shapes.
        optional: Those of them that also have feature points, and when these count; see `AnchoredPairs.optional`.
        first_slot: Slot of the first contact.
        on: Device and precision.
    """
    used = sorted({shape for pair in chosen for shape in pair})
    kept = [one for one in placed if one.shape in used]
    parts: dict[int, list[int]] = {}
    for index, one in enumerate(kept):
        parts.setdefault(one.shape, []).append(index)
    rows, optional_rows = [], []
    for first, second in chosen:
        for i in parts.get(first, ()):
            for j in parts.get(second, ()):
                rows.append(sorted((i, j), key=lambda c: kept[c].collider.kind))
                optional_rows.append(optional.get((first, second), 0))
    data, exact, trees = searched_colliders(kept, on)
    pairs = np.array(rows, dtype=np.int32).reshape(-1, 2)
    shapes = np.array([[kept[c].shape for c in row] for row in rows], dtype=int).reshape(-1, 2)
    return AnchoredPairs(data, exact, pairs, shapes, first_slot, trees, np.array(optional_rows, dtype=np.int32))


def searched_colliders(placed: Sequence[PlacedCollider], on: OnDevice) -> tuple[Any, Any, Sequence[Any]]:
    """Return the colliders in the precision of the scene and of the search, and the hierarchies of triangles."""
    data, trees = collider_arrays(placed, on)
    if on.precision.name == SEARCHED_IN:
        return data, data, trees
    exact, trees = collider_arrays(placed, OnDevice(precision(SEARCHED_IN), on.device))
    data.bvh = exact.bvh
    return data, exact, trees


def copied_colliders(data: Any, count: int, bodies: int, on: OnDevice) -> Any:
    """Return `count` copies of the colliders of a scene with this many bodies, one after the other."""
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
    """Return the pairs of `count` copies of a scene with this many bodies and shapes."""
    colliders, shift = int(pairs.colliders.count), np.arange(count)[:, None, None]
    return replace(
        pairs,
        colliders=copied_colliders(pairs.colliders, count, bodies, on),
        exact=copied_colliders(pairs.exact, count, bodies, on),
        pairs=(pairs.pairs[None] + shift * colliders).reshape(-1, 2).astype(np.int32),
        shapes=(pairs.shapes[None] + shift * shapes).reshape(-1, 2),
        optional=np.tile(pairs.optional, count),
    )
