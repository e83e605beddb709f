# SPDX-FileCopyrightText: The inertia_tools authors
# SPDX-License-Identifier: Apache-2.0
"""The shapes of a model as colliders, and the pairs that may collide."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from inertia_tools.sim.collide.collider import colliders_of_shape
from inertia_tools.sim.collide.collider_arrays import PlacedCollider
from inertia_tools.sim.scene.bodies import WORLD
from inertia_tools.sim.scene.shape_config import FRICTION_RULES

if TYPE_CHECKING:
    from inertia_tools.inertial import Inertial
    from inertia_tools.sim.scene.built_shape import BuiltShape


def placed_colliders(
    inertials: Sequence[Inertial],
    moves: np.ndarray,
    shapes: Sequence[BuiltShape],
    wanted: Collection[int] | None = None,
) -> list[PlacedCollider]:
    """Return the colliders of the shapes that can collide.

    Args:
        inertials: Mass properties of each body.
        moves: Whether forces move each body.
        shapes: Shapes of the builder, in its order.
        wanted: Indices of the shapes that are needed; None for all.

    Raises:
        SimulationError: A mesh on a body that moves is flat.
    """
    placed = []
    for index, shape in enumerate(shapes):
        config = shape.config
        if wanted is not None and index not in wanted:
            continue
        if not config.has_shape_collision or config.collision_group == 0:
            continue
        is_static = shape.body == WORLD or not moves[shape.body]
        com = np.zeros(3) if shape.body == WORLD else inertials[shape.body].com
        placed += [
            PlacedCollider(
                collider,
                index,
                shape.body,
                shape.pose.position - com,
                shape.pose.quaternion,
                is_static,
                config.collision_group,
                config.margin if config.is_solid else 0.0,
                config.gap or 0.0,
                shape.world,
            )
            for collider in colliders_of_shape(
                shape.kind, shape.scale, shape.source, is_static, config.mesh_approximation
            )
        ]
    return placed


@dataclass(eq=False)
class CollisionScene:
    """The shapes of a model, and the pairs that do not collide.

    Attributes:
        shapes: Shapes of the builder, in its order.
        joined: Pairs of bodies that a joint connects, which do not collide; -1 is the world.
        apart: Pairs of shapes that do not collide.
        friction_rule: Rule that combines the coefficients of a pair.
    """

    shapes: tuple[BuiltShape, ...] = ()
    joined: frozenset[tuple[int, int]] = frozenset()
    apart: frozenset[tuple[int, int]] = frozenset()
    friction_rule: str = FRICTION_RULES[0]
