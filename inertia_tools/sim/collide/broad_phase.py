# SPDX-FileCopyrightText: The inertia_tools authors
# SPDX-License-Identifier: Apache-2.0
"""The pairs of colliders whose boxes overlap: a tree of boxes answers for each collider, planes are asked of all.

Each collider counts its partners, then writes them after those of the colliders before it, in ascending order: the list
does not depend on the order in which threads run, and its length is known even when it is too long to be stored.
"""

from functools import lru_cache
from types import SimpleNamespace
from typing import Any

import warp as wp

from inertia_tools.kernel_loading import MODULE_OPTIONS
from inertia_tools.sim.collide.geoms import geom_functions
from inertia_tools.sim.kernels.collision_types import collision_types
from inertia_tools.sim.kernels.precision import Precision
from inertia_tools.sim.scene import shape_config

WIDENING = 2.4e-7
"""What boxes in single precision are widened by, over their coordinates, so that none is lost by rounding."""


@lru_cache(maxsize=2)
def broad_phase_kernels(p: Precision) -> Any:
    """Return the kernels of one precision."""
    scalar, vec3, quat, transform = p.scalar, p.vec3, p.quat, p.transform
    Colliders, geom_of = collision_types(p).Colliders, geom_functions(p).geom_of
    widening, groups_touch = wp.constant(scalar(WIDENING)), wp.func(shape_config.groups_touch)

    @wp.struct
    class Filters:
        """Who may meet whom besides what groups say; both lists are sorted."""

        writes: wp.int32  # pairs are written, where there is room; else only counted
        use_tree: wp.int32
        tree: wp.uint64
        planes: wp.array(dtype=wp.int32)
        plane_count: wp.int32
        joined: wp.array(dtype=wp.int64)  # pairs of bodies, see `key`
        joined_count: wp.int32
        apart: wp.array(dtype=wp.int64)  # pairs of colliders
        apart_count: wp.int32
        bodies: wp.int32  # of a world, with the next one
        colliders: wp.int32
        grouped: wp.int32  # the tree has a branch for each world

    @wp.kernel(module="unique", module_options=MODULE_OPTIONS)
    def place(
        q: wp.array(dtype=transform),
        com: wp.array(dtype=vec3),
        x: wp.array(dtype=vec3),
        r: wp.array(dtype=quat),
    ):
        """Give each body by its centre of mass and its axes."""
        b = wp.tid()
        turn = wp.transform_get_rotation(q[b])
        r[b] = turn
        x[b] = wp.transform_get_translation(q[b]) + wp.quat_rotate(turn, com[b])

    @wp.func
    def outward(low: vec3, high: vec3, side: scalar) -> wp.vec3:
        """Round one end of a box away from its middle."""
        result = wp.vec3()
        for i in range(3):
            end = high[i]
            if side < scalar(0.0):
                end = low[i]
            result[i] = wp.float32(end + side * widening * wp.max(wp.abs(low[i]), wp.abs(high[i])))
        return result

    @wp.kernel(module="unique", module_options=MODULE_OPTIONS)
    def enclose(
        colliders: Colliders,
        x: wp.array(dtype=vec3),
        r: wp.array(dtype=quat),
        foresight: wp.array(dtype=scalar),
        lower: wp.array(dtype=wp.vec3),
        upper: wp.array(dtype=wp.vec3),
    ):
        """Put a box along the world's axes around each collider and the distance at which it has contacts."""
        c = wp.tid()
        g = geom_of(colliders, x, r, c, vec3())
        at = g.x + g.r * colliders.middle[c]
        half = vec3()
        reach = colliders.margin[c] + wp.max(foresight[c], colliders.gap[c])
        for i in range(3):
            half[i] = reach
            for j in range(3):
                half[i] = half[i] + wp.abs(g.r[i, j]) * colliders.half[c][j]
        lower[c] = outward(at - half, at + half, scalar(-1.0))
        upper[c] = outward(at - half, at + half, scalar(1.0))

    @wp.func
    def holds(keys: wp.array(dtype=wp.int64), count: int, key: wp.int64) -> bool:
        """Search a sorted list."""
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
        """Number an unordered pair."""
        return wp.int64(wp.min(i, j)) * wp.int64(count) + wp.int64(wp.max(i, j))

    @wp.func
    def may_meet(colliders: Colliders, filters: Filters, i: int, j: int) -> bool:
        """Tell whether a pair of one world is worth looking at; filters are those of the first world."""
        a = colliders.body[i]
        b = colliders.body[j]
        if a == b or (colliders.still[i] == 1 and colliders.still[j] == 1):
            return False
        if not groups_touch(colliders.group[i], colliders.group[j]):
            return False
        if colliders.world[i] != colliders.world[j] and wp.min(colliders.world[i], colliders.world[j]) >= 0:
            return False
        if filters.joined_count > 0:
            if holds(
                filters.joined,
                filters.joined_count,
                key(of_world(a, filters), of_world(b, filters), filters.bodies + 1),
            ):
                return False
        if filters.apart_count == 0:
            return True
        first = i % filters.colliders
        second = j % filters.colliders
        return not holds(filters.apart, filters.apart_count, key(first, second, filters.colliders))

    @wp.func
    def of_world(body: int, filters: Filters) -> int:
        """Number a body in its world, from 1 on; 0 is the world itself."""
        if body < 0:
            return int(0)
        return body % filters.bodies + 1

    @wp.func
    def overlap(lower: wp.array(dtype=wp.vec3), upper: wp.array(dtype=wp.vec3), i: int, j: int) -> bool:
        for axis in range(3):
            if lower[i][axis] > upper[j][axis] or lower[j][axis] > upper[i][axis]:
                return False
        return True

    @wp.func
    def above(
        colliders: Colliders,
        x: wp.array(dtype=vec3),
        r: wp.array(dtype=quat),
        foresight: wp.array(dtype=scalar),
        plane: int,
        lower: wp.array(dtype=wp.vec3),
        upper: wp.array(dtype=wp.vec3),
        c: int,
    ) -> bool:
        """Tell whether a collider's box is wholly above a plane."""
        g = geom_of(colliders, x, r, plane, vec3())
        n = vec3(g.r[0, 2], g.r[1, 2], g.r[2, 2])
        low = -wp.dot(n, g.x) - colliders.margin[plane] - wp.max(foresight[plane], colliders.gap[plane])
        for axis in range(3):
            if n[axis] >= scalar(0.0):
                low = low + n[axis] * scalar(lower[c][axis])
            else:
                low = low + n[axis] * scalar(upper[c][axis])
        return low > scalar(0.0)

    @wp.func
    def insert(
        partner: int,
        own: int,
        first: int,
        found: int,
        pair_a: wp.array(dtype=wp.int32),
        pair_b: wp.array(dtype=wp.int32),
    ):
        """Write a pair into a row that is in ascending order; what does not fit is only counted."""
        at = first + found
        if at < pair_a.shape[0]:
            while at > first and pair_b[wp.max(at - 1, 0)] > partner:
                pair_b[at] = pair_b[at - 1]
                at -= 1
            pair_b[at] = partner
            pair_a[first + found] = own

    @wp.kernel(module="unique", module_options=MODULE_OPTIONS)
    def partners(
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
        """Count the later colliders, and the planes, that each collider is near; or write them."""
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
                    if j > i and colliders.half[j][0] >= scalar(0.0) and may_meet(colliders, filters, i, j):
                        if filters.writes == 1:
                            insert(j, i, first, found, pair_a, pair_b)
                        found += 1
            else:
                for k in range(i + 1, (i // filters.colliders + 1) * filters.colliders):
                    if colliders.half[k][0] >= scalar(0.0) and overlap(lower, upper, i, k):
                        if may_meet(colliders, filters, i, k):
                            if filters.writes == 1:
                                insert(k, i, first, found, pair_a, pair_b)
                            found += 1
            for n in range(filters.plane_count):
                plane = filters.planes[n] + (i // filters.colliders) * filters.colliders
                if may_meet(colliders, filters, i, plane):
                    if not above(colliders, x, r, foresight, plane, lower, upper, i):
                        if filters.writes == 1:
                            insert(plane, i, first, found, pair_a, pair_b)
                        found += 1
        counts[i] = found
        if filters.writes == 1 and i == colliders.count - 1:
            pair_count[0] = first + found

    return SimpleNamespace(Filters=Filters, place=place, enclose=enclose, partners=partners)
