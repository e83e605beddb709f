# SPDX-FileCopyrightText: The inertia_tools authors
# SPDX-License-Identifier: Apache-2.0
"""The pairs of shapes of a scene that may collide."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import product

from inertia_tools.sim.scene.built_shape import BuiltShape
from inertia_tools.sim.scene.scene import Scene
from inertia_tools.sim.scene.shape_config import groups_touch
from inertia_tools.sim.scene.worlds import worlds_touch


def joined_bodies(builder: Scene) -> frozenset[tuple[int, int]]:
    """Return the pairs of bodies that do not collide because a joint connects them; -1 is the world."""
    willing = {shape.body for shape in builder.shapes if not shape.config.collision_filter_parent}
    return frozenset(pair for pair in _joined(builder) if willing.isdisjoint(pair))


def kept_apart(builder: Scene) -> frozenset[tuple[int, int]]:
    """Return the other pairs of shapes that do not collide: excluded ones, and those that a joint excludes."""
    shapes: dict[int, list[int]] = {}
    for index, shape in enumerate(builder.shapes):
        if shape.config.collision_filter_parent:
            shapes.setdefault(shape.body, []).append(index)
    pairs = set(builder.shape_collision_filter_pairs)
    for one, other in _joined(builder) - joined_bodies(builder):
        pairs.update((min(a, b), max(a, b)) for a, b in product(shapes.get(one, []), shapes.get(other, [])))
    return frozenset(pairs)


def _joined(builder: Scene) -> frozenset[tuple[int, int]]:
    return frozenset((joint.parent, joint.child) for joint in builder.joints if joint.keeps_apart)


def released_apart(builder: Scene, acts: Sequence[bool]) -> Iterator[int]:
    """List the joints that were released after the scene was finished and whose bodies pass through each other still.

    Those are not meant whose bodies another joint holds, or of which the caller said that they never touch.

    Args:
        builder: The scene.
        acts: Which of its joints act now.
    """
    held = {frozenset((one.parent, one.child)) for one, on in zip(builder.joints, acts, strict=True) if on}
    shapes: dict[int, list[int]] = {}
    for index, shape in enumerate(builder.shapes):
        if shape.config.collision_filter_parent:
            shapes.setdefault(shape.body, []).append(index)
    for index, joint in enumerate(builder.joints):
        is_released = joint.enabled and joint.filters_parent and not (joint.filters_always or acts[index])
        if is_released and frozenset((joint.parent, joint.child)) not in held:
            ends = product(shapes.get(joint.parent, []), shapes.get(joint.child, []))
            if any(_would_touch(builder, a, b) for a, b in ends):
                yield index


def _would_touch(builder: Scene, a: int, b: int) -> bool:
    """Return whether only joints exclude the contacts of two shapes."""
    one, other = builder.shapes[a], builder.shapes[b]
    touch = one.convex is not None and other.convex is not None and worlds_touch(one.world, other.world)
    apart = (min(a, b), max(a, b)) in builder.shape_collision_filter_pairs
    return touch and not apart and groups_touch(one.config.collision_group, other.config.collision_group)


def may_touch(builder: Scene, shapes: Sequence[BuiltShape], is_static: Sequence[bool]) -> Iterator[tuple[int, int]]:
    """List the ordered pairs of shapes that may touch.

    Args:
        builder: The scene.
        shapes: Its shapes.
        is_static: Which of them stay where they are: two of these do not touch.
    """
    joined = {frozenset(pair) for pair in joined_bodies(builder)}
    apart = {frozenset(pair) for pair in kept_apart(builder)}
    solid = [(index, shape) for index, shape in enumerate(shapes) if shape.convex is not None]
    for a, first in solid:
        for b, second in solid:
            touch = groups_touch(first.config.collision_group, second.config.collision_group)
            touch = touch and worlds_touch(first.world, second.world)
            if first.body == second.body or (is_static[a] and is_static[b]) or not touch:
                continue
            if frozenset((first.body, second.body)) in joined or frozenset((a, b)) in apart:
                continue
            yield a, b
