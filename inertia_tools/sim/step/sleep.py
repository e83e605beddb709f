# SPDX-FileCopyrightText: The inertia_tools authors
# SPDX-License-Identifier: Apache-2.0
"""Sleep: a scene that has not moved for a while, and on which nothing new acts, is not stepped.

The scene sleeps and wakes as a whole. The decision is made on the host, which has to wait for a GPU.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

import numpy as np

from inertia_tools.sim.device.state import State, hand_on
from inertia_tools.spatial import Array

if TYPE_CHECKING:
    from inertia_tools.sim.device.contacts import Contacts
    from inertia_tools.sim.device.control import Control
    from inertia_tools.sim.model.model import Model

REST = 0.5
"""Time without motion after which a scene sleeps [s]."""

CREEP = 0.01
"""Speed of the fastest point of a body up to which it does not move, over its size [1/s]."""

FROM_STATE, FROM_CONTROL = ("q", "qd", "f"), ("target_pos", "target_vel", "joint_f")
FROM_JOINTS = (
    *("enabled", "lower", "upper", "target_ke", "target_kd", "armature", "friction", "effort_limit"),
    *("velocity_limit", "drive_velocity_limit", "damping", "stiffness", "springref"),
)
"""Arrays of a state, of a control, and of the model's joints whose change wakes a scene."""


class Sleep:
    """Decision whether a scene sleeps.

    Args:
        model: The scene.
    """

    def __init__(self, model: Model) -> None:
        self._model, self._size = model, sizes(model)
        self._rested = 0.0
        self._acts: list[Array] = []
        self._last: tuple[Any, ...] = ()

    @property
    def is_asleep(self) -> bool:
        """Whether steps are skipped."""
        return self._rested >= REST

    def wake(self) -> None:
        """Step the scene until it has not moved for a while again."""
        self._rested = 0.0

    def lasts(self, state_in: State, state_out: State, control: Control, contacts: Contacts | None, dt: float) -> bool:
        """Return whether a sleeping scene stays asleep in this step: what acts on it has not changed.

        The state is copied. Contacts keep their data, including forces.
        """
        if not self.is_asleep:
            return False
        acts = zip(self._watched(state_in, control), self._acts, strict=True)
        if self._last != (id(contacts), dt) or not all(np.array_equal(now, then) for now, then in acts):
            self.wake()
            return False
        if state_in is not state_out:
            hand_on(state_in, state_out)
        return True

    def watch(self, state: State, control: Control, contacts: Contacts | None, dt: float) -> None:
        """Examine the state after a step, and what acts on it.

        Changes between steps count as motion from the next step on.
        """
        if not self._is_still(state):
            self.wake()
            return
        before, rest = self._acts, slice(len(FROM_STATE) - 1, None)  # poses and velocities may still creep
        self._acts, self._last = [array.copy() for array in self._watched(state, control)], (id(contacts), dt)
        same = len(before) == len(self._acts)
        same = same and all(np.array_equal(*pair) for pair in zip(before[rest], self._acts[rest], strict=True))
        self._rested = self._rested + dt if same else 0.0

    def _is_still(self, state: State) -> bool:
        qd = state.body_qd.numpy()
        fastest = np.linalg.norm(qd[:, :3], axis=1) + np.linalg.norm(qd[:, 3:], axis=1) * self._size
        return bool((fastest <= CREEP * self._size).all())

    def _watched(self, state: State, control: Control) -> Iterator[Array]:
        """Iterate over the arrays that may change, as NumPy arrays; those of the state come first, its forces last."""
        holders = (state.data, control.data, self._model.joints)
        for holder, names in zip(holders, (FROM_STATE, FROM_CONTROL, FROM_JOINTS), strict=True):
            for name in names:
                array = getattr(holder, name)
                if array is not None:
                    yield array.numpy()
        yield self._model.bodies.gravity.numpy()
        yield self._model.bodies.gravity_scale.numpy()


def sizes(model: Model) -> Array:
    """Return the distance of each body's farthest point from its centre of mass, by shapes or mass [m], shape (n,)."""
    reach = model.bodies.extent.numpy().astype(np.float64)
    spread = [np.sqrt(np.trace(one.inertia) / one.mass) if one.mass > 0.0 else 0.0 for one in model.inertials]
    reached: Array = np.maximum(reach, spread)
    return reached
