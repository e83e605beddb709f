# SPDX-FileCopyrightText: The inertia_tools authors
# SPDX-License-Identifier: Apache-2.0
"""The colliders of a scene as arrays on a device."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import warp as wp

from inertia_tools.sim.collide.broad_phase import broad_phase_kernels
from inertia_tools.sim.collide.collider import Collider, Surface
from inertia_tools.sim.collide.collider_kind import ColliderKind
from inertia_tools.sim.kernels.collision_types import collision_types
from inertia_tools.sim.kernels.on_device import OnDevice
from inertia_tools.spatial import Array


@dataclass(frozen=True, eq=False)
class PlacedCollider:
    """A collider with its pose in a body.

    Attributes:
        collider: The collider.
        shape: Index of its shape.
        body: Index of the body; -1 is the world.
        point: Its origin from the body's centre of mass, or from the world's origin [m], shape (3,).
        quaternion: Its frame seen from the body (x, y, z, w).
        is_static: Forces do not move the body.
        group: Collision group.
        margin: Distance that its contacts keep [m].
        gap: Distance beyond the margin from which it gets contacts [m].
        world: Its world; -1 for all worlds.
    """

    collider: Collider
    shape: int = 0
    body: int = -1
    point: Array = (0.0, 0.0, 0.0)  # type: ignore[assignment]
    quaternion: Array = (0.0, 0.0, 0.0, 1.0)  # type: ignore[assignment]
    is_static: bool = False
    group: int = 1
    margin: float = 0.0
    gap: float = 0.0
    world: int = -1


def collider_arrays(placed: Sequence[PlacedCollider], on: OnDevice) -> tuple[Any, list[Any]]:
    """Return the structure of arrays, and the hierarchies of its triangles, which must live as long as it does."""
    p, data = on.precision, collision_types(on.precision).Colliders()
    colliders = [one.collider for one in placed]
    data.count = len(placed)
    data.kind = on.array([int(c.kind) for c in colliders], wp.int32)
    data.body = on.array([one.body for one in placed], wp.int32)
    data.still = on.array([int(one.is_static) for one in placed], wp.int32)
    data.group = on.array([one.group for one in placed], wp.int32)
    data.world = on.array([one.world for one in placed], wp.int32)
    data.margin = on.array([one.margin for one in placed], p.scalar)
    data.gap = on.array([one.gap for one in placed], p.scalar)
    data.point = on.array([one.point for one in placed], p.vec3)
    data.frame = on.array([one.quaternion for one in placed], p.quat)
    for name in ("size", "middle", "half"):
        setattr(data, name, on.array([getattr(c, name) for c in colliders], p.vec3))
    _load_polytopes(data, colliders, on)
    return data, _load_surfaces(data, colliders, on)


def _load_polytopes(data: Any, colliders: Sequence[Collider], on: OnDevice) -> None:
    p = on.precision
    polytopes = [c.polytope for c in colliders]
    faces = [face for polytope in polytopes for face in polytope.faces]
    data.first_vertex, data.vertex_count = _ranges([len(one.vertices) for one in polytopes], on)
    data.first_face, data.face_count = _ranges([len(one.faces) for one in polytopes], on)
    data.first_corner, data.corner_count = _ranges([len(face) for face in faces], on)
    data.vertex = on.array(_joined([one.vertices for one in polytopes]), p.vec3)
    data.plane = on.array(_joined([one.planes for one in polytopes]), p.vec4)
    data.corner = on.array(_joined(faces), wp.int32)


def _load_surfaces(data: Any, colliders: Sequence[Collider], on: OnDevice) -> list[Any]:
    p = on.precision
    surfaces = [c.surface for c in colliders]
    trees: list[Any] = []
    data.first_triangle, _ = _ranges([len(one.triangles) for one in surfaces], on)
    data.open_below = on.array([int(one.open_below) for one in surfaces], wp.int32)
    data.closed = on.array([int(one.closed) for one in surfaces], wp.int32)
    triangles, beyond = (_joined([getattr(one, name) for one in surfaces]) for name in ("triangles", "beyond"))
    for name, values in (("triangle", triangles), ("beyond", beyond)):
        setattr(data, name, on.array(np.reshape(values, (-1, 3, 3)), p.vec3))
    _load_corners(data, surfaces, on)
    ids = []
    for one in surfaces:
        ids.append(0)
        if len(one.triangles):
            low, high = one.triangles.min(axis=1), one.triangles.max(axis=1)
            tree = wp.Bvh(
                on.array(np.nextafter(low.astype(np.float32), np.float32(-np.inf)), wp.vec3),
                on.array(np.nextafter(high.astype(np.float32), np.float32(np.inf)), wp.vec3),
            )
            trees.append(tree)
            ids[-1] = tree.id
    data.bvh = on.array(ids, wp.uint64)
    return trees


def _load_corners(data: Any, surfaces: Sequence[Surface], on: OnDevice) -> None:
    p = on.precision
    starts = np.cumsum([0, *(len(one.corners.ways) for one in surfaces)])
    data.way = on.array(_joined([one.corners.ways for one in surfaces]), p.vec3)
    first = _joined([one.corners.first + start for one, start in zip(surfaces, starts[:-1], strict=True)])
    for name, values in (("first_way", first), ("way_count", _joined([one.corners.count for one in surfaces]))):
        setattr(data, name, on.array(np.reshape(values, (-1, 3)), wp.int32))


def filter_arrays(
    placed: Sequence[PlacedCollider],
    joined: Collection[tuple[int, int]],
    apart: Collection[tuple[int, int]],
    bodies: int,
    on: OnDevice,
) -> Any:
    """Return the structure of filters of the broad phase.

    Args:
        placed: The colliders of one world.
        joined: Pairs of bodies that a joint connects, which do not collide; -1 is the world.
        apart: Pairs of shapes that do not collide.
        bodies: Number of bodies of a world.
        on: Device and precision.
    """
    data = broad_phase_kernels(on.precision).Filters()
    planes = [i for i, one in enumerate(placed) if one.collider.kind is ColliderKind.PLANE]
    parts: dict[int, list[int]] = {}
    for index, one in enumerate(placed):
        parts.setdefault(one.shape, []).append(index)
    kept_apart = {
        min(i, j) * len(placed) + max(i, j)
        for first, second in apart
        for i in parts.get(first, [])
        for j in parts.get(second, [])
    }
    joints = {(min(a, b) + 1) * (max(bodies, 1) + 1) + max(a, b) + 1 for a, b in joined}
    data.planes, data.plane_count = on.array(planes, wp.int32), len(planes)
    data.joined, data.joined_count = on.array(sorted(joints), wp.int64), len(joints)
    data.apart, data.apart_count = on.array(sorted(kept_apart), wp.int64), len(kept_apart)
    data.bodies, data.colliders = max(bodies, 1), len(placed)
    return data


def _ranges(counts: Sequence[int], on: OnDevice) -> tuple[Any, Any]:
    """Return the first row and the number of rows of each block."""
    starts = np.cumsum([0, *counts])[:-1]
    return on.array(starts, wp.int32), on.array(counts, wp.int32)


def _joined(blocks: Sequence[Any]) -> Any:
    filled = [block for block in blocks if len(block)]
    return np.concatenate(filled) if filled else []
