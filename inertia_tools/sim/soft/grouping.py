# SPDX-FileCopyrightText: The inertia_tools authors
# SPDX-License-Identifier: Apache-2.0
"""Division of the triangles or edges of cloth into groups of near ones, with the hierarchy of their boxes."""

from __future__ import annotations

from typing import Any

import numpy as np
import warp as wp

from inertia_tools.sim.soft.near_groups import Groups, list_leaves
from inertia_tools.spatial import Array

SIZE = 8
"""Maximum number of members of a group."""

LISTED = 64
"""Capacity of lists of near groups, and of near members. A group with more near ones has its members search the
hierarchy; a longer list of members is made piece by piece in each substep."""

TIE = 1e-6
"""Sums of two divisions that differ by less than this, relatively, are equal: parts at one place are halved."""

TINY = 1e-300
"""Least sum of a division [m^2], so that points are halved as well."""


class Grouping:
    """Groups of triangles or edges.

    Args:
        parts: Particles of each, shape (n, 3) or (n, 2).
        x: Rest positions of particles [m], shape (m, 3).
        worlds: World of each particle, shape (m,).
        device: Device of the arrays.
        lists: Number of lists of near members.

    Attributes:
        groups: The groups, `Groups`.
        count: Number of groups.
        tree: Hierarchy of the larger boxes of groups; only refitted after it is built.
    """

    def __init__(self, parts: Array, x: Array, worlds: Array, device: str, lists: int) -> None:
        order, first = grouped(parts, x, worlds, device)
        self.count = len(first) - 1
        rank, group_of = np.empty((2, len(parts)), dtype=np.int32)
        rank[order] = np.arange(len(parts))
        group_of[order] = np.repeat(np.arange(self.count), np.diff(first))
        nodes = parts[order][:, [0, 1, -1]]
        groups: Any = Groups()

        def integers(values: Any) -> Any:
            return wp.array(values, dtype=wp.int32, device=device)

        groups.member, groups.nodes, groups.first = integers(order), integers(nodes), integers(first)
        groups.rank, groups.group_of = integers(rank), integers(group_of)
        groups.world = integers(worlds[nodes[first[:-1], 0]])
        groups.greatest = integers(np.maximum.reduceat(order, first[:-1]))
        groups.box, groups.kept_box = (wp.zeros((len(parts), 2), dtype=wp.vec3, device=device) for _ in range(2))
        groups.near_groups, groups.near = integers(np.zeros((self.count, LISTED))), integers(np.zeros((lists, LISTED)))
        groups.near_group_count, groups.near_count = integers(np.zeros(self.count)), integers(np.zeros(lists))
        corners = x[nodes]
        low = np.minimum.reduceat(corners.min(axis=1), first[:-1])
        high = np.maximum.reduceat(corners.max(axis=1), first[:-1])
        groups.low, groups.high = (wp.array(part, dtype=wp.vec3, device=device) for part in (low, high))
        self.tree = wp.Bvh(groups.low, groups.high)
        groups.tree = self.tree.id
        self.groups = groups


def grouped(parts: Array, x: Array, worlds: Array, device: str) -> tuple[np.ndarray, np.ndarray]:
    """Return parts in the order of their groups, shape (n,), and the first place of each group and n, shape (g + 1,).

    Groups follow the order of the leaves of a hierarchy of the rest positions; each is of one world.
    """
    corners = x[parts].astype(np.float32)
    low, high = corners.min(axis=1), corners.max(axis=1)
    bounds: Any = [wp.array(part, dtype=wp.vec3, device=device) for part in (low, high)]
    tree = wp.Bvh(*bounds)
    leaves = wp.zeros(len(parts), dtype=wp.int32, device=device)
    wp.launch(list_leaves, dim=1, inputs=[tree.id, leaves], device=device)
    order = leaves.numpy()
    world = worlds[parts[order, 0]]
    order = order[np.argsort(world, kind="stable")]
    starts = np.unique(world, return_index=True)[1]
    first = divided(low[order], high[order], starts)
    return order, np.append(first, len(order))


def divided(low: np.ndarray, high: np.ndarray, starts: np.ndarray) -> np.ndarray:
    """Divide ranges of boxes until none has more than `SIZE`; return where the parts start, in ascending order.

    Args:
        low: Lower corners [m], shape (n, 3), in the order of the leaves of a hierarchy, which this finds again.
        high: Upper corners [m], shape (n, 3).
        starts: Where the ranges start, in ascending order.
    """
    ends, divided_starts = np.append(starts[1:], len(low)), []
    while len(starts):
        counts = ends - starts
        is_small = counts <= SIZE
        divided_starts.append(starts[is_small])
        starts, ends, splits = starts[~is_small], ends[~is_small], np.zeros(np.sum(~is_small), dtype=int)
        widths = np.ceil(np.log2(counts[~is_small]))
        for width in np.unique(widths):  # ranges of about the same length at a time
            alike = widths == width
            splits[alike] = best_splits(low, high, starts[alike], ends[alike])
        starts, ends = np.concatenate([starts, splits]), np.concatenate([splits, ends])
    return np.sort(np.concatenate(divided_starts))


def best_splits(low: np.ndarray, high: np.ndarray, starts: np.ndarray, ends: np.ndarray) -> np.ndarray:
    """Return where each range of boxes divides with the least sum of number times square of diagonal.

    Of equal sums, the one nearest to the middle counts.
    """
    counts = (ends - starts)[:, None]
    offsets = np.arange(counts.max())
    before = np.minimum(starts[:, None] + offsets, ends[:, None] - 1)
    after = np.maximum(ends[:, None] - 1 - offsets, starts[:, None])
    squares = [
        ((np.maximum.accumulate(high[part], axis=1) - np.minimum.accumulate(low[part], axis=1)) ** 2).sum(axis=2)
        for part in (before, after)
    ]
    numbers = offsets[1:]
    rest = np.maximum(counts - numbers, 1)
    cost = numbers * squares[0][:, :-1] + rest * np.take_along_axis(squares[1], rest - 1, axis=1)
    cost = np.maximum(cost, TINY) * (1.0 + TIE * np.abs(2.0 * numbers / counts - 1.0))
    best: np.ndarray = np.argmin(np.where(numbers < counts, cost, np.inf), axis=1)
    splits: np.ndarray = starts + 1 + best
    return splits
