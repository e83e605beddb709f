# SPDX-FileCopyrightText: The inertia_tools authors
# SPDX-License-Identifier: Apache-2.0
"""The broad phase: pairs of colliders whose axis-aligned bounding boxes overlap.

A bounding volume hierarchy answers for each collider; planes are tested against every collider. Each collider first
counts its partners. It then writes them, in ascending order, after those of the colliders before it. So the list does
not depend on the order of the threads, and its length is known even if it exceeds the capacity.
"""

from functools import lru_cache
from types import SimpleNamespace
from typing import Any

import warp as wp

from inertia_tools.kernel_loading import RIGID_OPTIONS
from inertia_tools.sim.collide.geoms import geom_functions
from inertia_tools.sim.kernels.collision_types import collision_types
from inertia_tools.sim.kernels.precision import Precision
from inertia_tools.sim.scene import shape_config

WIDENING = 2.4e-7
"""Bounding boxes in single precision are widened by this, relative to their coordinates, so that rounding loses no
pair."""


@lru_cache(maxsize=2)
def broad_phase_kernels(p: Precision) -> Any:
    """Return the kernels of one precision."""
    scalar, vec3, quat, transform = p.scalar, p.vec3, p.quat, p.transform
    Colliders, geom_of = collision_types(p).Colliders, geom_functions(p).geom_of
    widening, groups_touch = wp.constant(scalar(WIDENING)), wp.func(shape_config.groups_touch)

    @wp.struct
    class Filters:
        """Pairs that may not collide, in addition to the collision groups; both lists are sorted."""

        writes: wp.int32  # 1: write the pairs up to the capacity; 0: only count them
        use_tree: wp.int32
        tree: wp.uint64
        planes: wp.array(dtype=wp.int32)
        plane_count: wp.int32
        joined: wp.array(dtype=wp.int64)  # pairs of bodies, see `key`
        joined_count: wp.int32
        apart: wp.array(dtype=wp.int64)  # pairs of colliders
        apart_count: wp.int32
        bodies: wp.int32  # of a world, as `colliders`
        colliders: wp.int32
        grouped: wp.int32  # the tree has a branch for each world

    CollidersRef, FiltersRef = wp.ref[Colliders], wp.ref[Filters]

    @wp.kernel(module="unique", module_options=RIGID_OPTIONS)
    def compute_poses(
        q: wp.array(dtype=transform),
        com: wp.array(dtype=vec3),
        x: wp.array(dtype=vec3),
        r: wp.array(dtype=quat),
    ):
        """Compute the centre of mass and the orientation of each body."""
        b = wp.tid()
        turn = wp.transform_get_rotation(q[b])
        r[b] = turn
        x[b] = wp.transform_get_translation(q[b]) + wp.quat_rotate(turn, com[b])

    @wp.func
    def rounded_outwards(low: vec3, high: vec3, side: scalar) -> wp.vec3:
        """Return the lower (side -1) or upper (side 1) corner of a box in single precision, rounded outwards."""
        result = wp.vec3()
        for i in range(3):
            end = high[i]
            if side < scalar(0.0):
                end = low[i]
            result[i] = wp.float32(end + side * widening * wp.max(wp.abs(low[i]), wp.abs(high[i])))
        return result

    @wp.kernel(module="unique", module_options=RIGID_OPTIONS)
    def compute_bounds(
        colliders: Colliders,
        x: wp.array(dtype=vec3),
        r: wp.array(dtype=quat),
        foresight: wp.array(dtype=scalar),
        lower: wp.array(dtype=wp.vec3),
        upper: wp.array(dtype=wp.vec3),
    ):
        """Compute the axis-aligned bounding box of each collider, extended by its contact distance."""
        c = wp.tid()
        g = geom_of(colliders, x, r, c)
        at = g.x + g.r * colliders.middle[c]
        half = vec3()
        reach = colliders.margin[c] + wp.max(foresight[c], colliders.gap[c])
        for i in range(3):
            half[i] = reach
            for j in range(3):
                half[i] = half[i] + wp.abs(g.r[i, j]) * colliders.half[c][j]
        lower[c] = rounded_outwards(at - half, at + half, scalar(-1.0))
        upper[c] = rounded_outwards(at - half, at + half, scalar(1.0))

    @wp.func
    def contains(keys: wp.array(dtype=wp.int64), count: int, key: wp.int64) -> bool:
        """Return whether a sorted list contains a key."""
        low = int(0)
        high = count
        while low < high:
            middle = (low + high) // 2
            if keys[middle] < key:
                low = middle + 1
            else:
                high = middle
        if low < count:
            return keys[low] == key
        return False

    @wp.func
    def key(i: int, j: int, count: int) -> wp.int64:
        """Return the key of an unordered pair."""
        return wp.int64(wp.min(i, j)) * wp.int64(count) + wp.int64(wp.max(i, j))

    @wp.func
    def may_collide(colliders: CollidersRef, filters: FiltersRef, i: int, j: int) -> bool:
        """Return whether the filters let two colliders of one world collide; they are those of the first world."""
        a = colliders.body[i]
        b = colliders.body[j]
        if a == b or (colliders.still[i] == 1 and colliders.still[j] == 1):
            return False
        if not groups_touch(colliders.group[i], colliders.group[j]):
            return False
        if colliders.world[i] != colliders.world[j] and wp.min(colliders.world[i], colliders.world[j]) >= 0:
            return False
        if filters.joined_count > 0:
            if contains(
                filters.joined,
                filters.joined_count,
                key(index_in_world(a, filters), index_in_world(b, filters), filters.bodies + 1),
            ):
                return False
        if filters.apart_count == 0:
            return True
        first = i % filters.colliders
        second = j % filters.colliders
        return not contains(filters.apart, filters.apart_count, key(first, second, filters.colliders))

    @wp.func
    def index_in_world(body: int, filters: FiltersRef) -> int:
        """Return the index of a body in its world, from 1 on; 0 is the world itself."""
        if body < 0:
            return int(0)
        return body % filters.bodies + 1

    @wp.func
    def overlap(lower: wp.array(dtype=wp.vec3), upper: wp.array(dtype=wp.vec3), i: int, j: int) -> bool:
        """Return whether two bounding boxes overlap."""
        for axis in range(3):
            if lower[i][axis] > upper[j][axis] or lower[j][axis] > upper[i][axis]:
                return False
        return True

    @wp.func
    def is_above_plane(
        colliders: CollidersRef,
        x: wp.array(dtype=vec3),
        r: wp.array(dtype=quat),
        foresight: wp.array(dtype=scalar),
        plane: int,
        lower: wp.array(dtype=wp.vec3),
        upper: wp.array(dtype=wp.vec3),
        c: int,
    ) -> bool:
        """Return whether the bounding box of a collider is entirely above a plane."""
        g = geom_of(colliders, x, r, plane)
        n = vec3(g.r[0, 2], g.r[1, 2], g.r[2, 2])
        low = -wp.dot(n, g.x) - colliders.margin[plane] - wp.max(foresight[plane], colliders.gap[plane])
        for axis in range(3):
            if n[axis] >= scalar(0.0):
                low = low + n[axis] * scalar(lower[c][axis])
            else:
                low = low + n[axis] * scalar(upper[c][axis])
        return low > scalar(0.0)

    @wp.func
    def insert_pair(
        partner: int,
        own: int,
        first: int,
        found: int,
        pair_a: wp.array(dtype=wp.int32),
        pair_b: wp.array(dtype=wp.int32),
    ):
        """Insert a pair into a row in ascending order; a pair beyond the capacity is only counted."""
        at = first + found
        if at < pair_a.shape[0]:
            while at > first and pair_b[wp.max(at - 1, 0)] > partner:
                pair_b[at] = pair_b[at - 1]
                at -= 1
            pair_b[at] = partner
            pair_a[first + found] = own

    @wp.kernel(module="unique", module_options=RIGID_OPTIONS)
    def find_pairs(
        colliders: Colliders,
        filters: Filters,
        x: wp.array(dtype=vec3),
        r: wp.array(dtype=quat),
        foresight: wp.array(dtype=scalar),
        lower: wp.array(dtype=wp.vec3),
        upper: wp.array(dtype=wp.vec3),
        counts: wp.array(dtype=wp.int32),
        starts: wp.array(dtype=wp.int32),
        pair_a: wp.array(dtype=wp.int32),
        pair_b: wp.array(dtype=wp.int32),
        pair_count: wp.array(dtype=wp.int32),
    ):
        """Count the later colliders and the planes near each collider, or write these pairs."""
        i = wp.tid()
        found = int(0)
        first = int(0)
        if filters.writes == 1:
            first = starts[i]
        if colliders.half[i][0] >= scalar(0.0):
            if filters.use_tree == 1:
                branch = int(-1)
                if filters.grouped == 1:
                    branch = wp.bvh_get_group_root(filters.tree, i // filters.colliders)
                query = wp.bvh_query_aabb(filters.tree, lower[i], upper[i], branch)
                j = int(0)
                while wp.bvh_query_next(query, j):
                    if j > i and colliders.half[j][0] >= scalar(0.0) and may_collide(colliders, filters, i, j):
                        if filters.writes == 1:
                            insert_pair(j, i, first, found, pair_a, pair_b)
                        found += 1
            else:
                for k in range(i + 1, (i // filters.colliders + 1) * filters.colliders):
                    if colliders.half[k][0] >= scalar(0.0) and overlap(lower, upper, i, k):
                        if may_collide(colliders, filters, i, k):
                            if filters.writes == 1:
                                insert_pair(k, i, first, found, pair_a, pair_b)
                            found += 1
            for n in range(filters.plane_count):
                plane = filters.planes[n] + (i // filters.colliders) * filters.colliders
                if may_collide(colliders, filters, i, plane):
                    if not is_above_plane(colliders, x, r, foresight, plane, lower, upper, i):
                        if filters.writes == 1:
                            insert_pair(plane, i, first, found, pair_a, pair_b)
                        found += 1
        counts[i] = found
        if filters.writes == 1 and i == colliders.count - 1:
            pair_count[0] = first + found

    return SimpleNamespace(
        Filters=Filters, compute_poses=compute_poses, compute_bounds=compute_bounds, find_pairs=find_pairs
    )
