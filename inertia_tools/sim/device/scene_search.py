# SPDX-FileCopyrightText: The inertia_tools authors
# SPDX-License-Identifier: Apache-2.0
"""The contact search of `Model.collide` in a finished scene."""

from __future__ import annotations

from dataclasses import dataclass, field, replace

import numpy as np

from inertia_tools.sim.collide.collider_arrays import PlacedCollider, collider_arrays, filter_arrays
from inertia_tools.sim.collide.contact_geometry import ContactGeometry
from inertia_tools.sim.collide.detection import Detection
from inertia_tools.sim.collide.scene import placed_colliders
from inertia_tools.sim.device.model_data import ModelData
from inertia_tools.sim.device.state import State
from inertia_tools.sim.scene.bodies import WORLD


@dataclass(eq=False)
class SceneSearch:
    """Buffers of the search, allocated on first use.

    Attributes:
        finds_led: Whether to include pairs of static bodies, unless both are the world.
    """

    finds_led: bool = False
    _detection: Detection | None = field(default=None, init=False, repr=False)
    _placed: list[PlacedCollider] = field(default_factory=list, init=False, repr=False)

    def detection(self, model: ModelData) -> Detection:
        """Return the buffers.

        Raises:
            SimulationError: A mesh that moves is flat.
        """
        if self._detection is None:
            scene = model.collision
            self._placed = placed_colliders(model.inertials, model.moves, scene.shapes)
            if self.finds_led:
                self._placed = [replace(one, is_static=one.body == WORLD) for one in self._placed]
            data, trees = collider_arrays(self._placed, model)
            filters = filter_arrays(self._placed, scene.joined, scene.apart, model.body_count, model)
            self._detection = Detection(
                model.precision, model.device, data, filters, model.bodies.com, model.body_count, trees
            )
        return self._detection

    def find(self, model: ModelData, state: State, geometry: ContactGeometry, foresight: float) -> None:
        """Write the contacts of a state into `geometry`; see `Model.collide`."""
        rows = self.detection(model).find(state.body_q, foresight)
        geometry.poses = state.body_q.numpy()[: model.body_count].astype(np.float64)
        geometry.fill(
            rows,
            np.array([one.shape for one in self._placed], dtype=np.int64),
            np.array([one.body for one in self._placed], dtype=np.int64),
            tuple(model.collision.shapes[one.shape].config.friction for one in self._placed),
            model.collision.friction_rule,
        )
