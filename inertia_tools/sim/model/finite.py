# SPDX-FileCopyrightText: The inertia_tools authors
# SPDX-License-Identifier: Apache-2.0
"""Check of states for infinity and NaN."""

from __future__ import annotations

import numpy as np

from inertia_tools.errors import SimulationError
from inertia_tools.sim.device.state import State
from inertia_tools.sim.model.model import Model


def check_finite(model: Model, state: State, when: str) -> None:
    """Raise an error that names the first body or particle whose state is not finite.

    Args:
        model: The scene.
        state: State of the bodies and particles.
        when: Phrase that begins the message, such as "after this step".

    Raises:
        SimulationError: A body or particle has a state that is not finite.
    """
    if state.soft is not None:
        places = state.soft.particle_q.numpy()
        lost = np.flatnonzero(~np.isfinite(places).all(axis=1))
        if len(lost):
            raise SimulationError(
                f"{when} the state of particle {int(lost[0])} is infinite or NaN; use a smaller dt or more substeps"
            )
    if model.body_count == 0:
        return
    numbers = np.concatenate([state.on_host(name)[: model.body_count] for name in ("body_q", "body_qd")], axis=1)
    bad = np.flatnonzero(~np.isfinite(numbers).all(axis=1))
    if len(bad):
        raise SimulationError(
            f"{when} the state of body {model.names[int(bad[0])]!r} is infinite or NaN; "
            "use a smaller dt or more substeps, or check its inertial"
        )
