# SPDX-FileCopyrightText: The inertia_tools authors
# SPDX-License-Identifier: Apache-2.0
"""Which shapes of a scene may touch."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from inertia_tools.sim.scene.built_shape import BuiltShape
from inertia_tools.sim.scene.scene import Scene
from inertia_tools.sim.scene.shape_config import groups_touch
from inertia_tools.sim.scene.worlds import worlds_touch


def joined_bodies(builder: Scene) -> frozenset[tuple[int, int]]:
    """Return the bodies that do not touch, as a joint joins them."""
    return frozenset((joint.parent, joint.child) for joint in builder.joints if joint.filters_parent)


def may_touch(builder: Scene, shapes: Sequence[BuiltShape], is_static: Sequence[bool]) -> Iterator[tuple[int, int]]:
    """List the ordered pairs of shapes that may touch.

    Args:
        builder: The scene.
        shapes: Its shapes.
        is_static: Which of them stay where they are: two of these do not touch.
    """
    joined = {frozenset(pair) for pair in joined_bodies(builder)}
    apart = {frozenset(pair) for pair in builder.shape_collision_filter_pairs}
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
