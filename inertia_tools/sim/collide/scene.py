# SPDX-FileCopyrightText: The inertia_tools authors
# SPDX-License-Identifier: Apache-2.0
"""The shapes of a model as colliders, and the buffers to find their contacts."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

import numpy as np

from inertia_tools.sim.collide.collider import colliders_of_shape
from inertia_tools.sim.collide.collider_arrays import PlacedCollider, collider_arrays, filter_arrays
from inertia_tools.sim.collide.contact_geometry import ContactGeometry
from inertia_tools.sim.collide.detection import Detection
from inertia_tools.sim.scene.bodies import WORLD
from inertia_tools.sim.scene.shape_config import FRICTION_RULES

if TYPE_CHECKING:
    from inertia_tools.inertial import Inertial
    from inertia_tools.sim.device.model import Model
    from inertia_tools.sim.device.state import State
    from inertia_tools.sim.scene.shapes import BuiltShape


def placed_colliders(
    inertials: Sequence[Inertial],
    moves: np.ndarray,
    shapes: Sequence[BuiltShape],
    wanted: Collection[int] | None = None,
) -> list[PlacedCollider]:
    """Return what the shapes that touch anything collide as.

    Args:
        inertials: Mass properties of each body.
        moves: Which bodies answer to forces.
        shapes: Shapes of the builder, in its order.
        wanted: Indices of those that are needed; None for all.

    Raises:
        SimulationError: A mesh that moves is flat.
    """
    placed = []
    for index, shape in enumerate(shapes):
        config = shape.config
        if wanted is not None and index not in wanted:
            continue
        if not config.has_shape_collision or config.collision_group == 0:
            continue
        stays = shape.body == WORLD or not moves[shape.body]
        com = np.zeros(3) if shape.body == WORLD else inertials[shape.body].com
        placed += [
            PlacedCollider(
                collider,
                index,
                shape.body,
                shape.pose.position - com,
                shape.pose.quaternion,
                stays,
                config.collision_group,
                config.margin if config.is_solid else 0.0,
                config.gap or 0.0,
                shape.world,
            )
            for collider in colliders_of_shape(shape.kind, shape.scale, shape.source, stays, config.mesh_approximation)
        ]
    return placed


@dataclass(eq=False)
class CollisionScene:
    """The shapes of a model, whom each may meet, and the buffers to find contacts, made when they are first needed.

    Attributes:
        shapes: Shapes of the builder, in its order.
        joined: Bodies that a joint joins, which do not touch; -1 is the world.
        apart: Shapes that are kept from touching.
        friction_rule: How the coefficients of a pair are combined.
    """

    shapes: tuple[BuiltShape, ...] = ()
    joined: frozenset[tuple[int, int]] = frozenset()
    apart: frozenset[tuple[int, int]] = frozenset()
    friction_rule: str = FRICTION_RULES[0]
    _detection: Detection | None = field(default=None, init=False, repr=False)
    _placed: list[PlacedCollider] = field(default_factory=list, init=False, repr=False)

    def detection(self, model: Model) -> Detection:
        """Return the buffers.

        Raises:
            SimulationError: A mesh that moves is flat.
        """
        if self._detection is None:
            p, device = model.precision, model.device
            self._placed = placed_colliders(model.inertials, model.moves, self.shapes)
            data, trees = collider_arrays(self._placed, p, device)
            filters = filter_arrays(self._placed, self.joined, self.apart, model.body_count, p, device)
            self._detection = Detection(p, device, data, filters, model.bodies.com, model.body_count, trees)
        return self._detection

    def find(self, model: Model, state: State, geometry: ContactGeometry, foresight: float) -> None:
        """Write the contacts of a state into a geometry; see `Model.collide`."""
        rows = self.detection(model).find(state.body_q, foresight)
        geometry.poses = state.body_q.numpy()[: model.body_count].astype(np.float64)
        geometry.fill(
            rows,
            np.array([one.shape for one in self._placed], dtype=np.int64),
            np.array([one.body for one in self._placed], dtype=np.int64),
            tuple(self.shapes[one.shape].config.friction for one in self._placed),
            self.friction_rule,
        )
