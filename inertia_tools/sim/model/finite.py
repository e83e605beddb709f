# SPDX-FileCopyrightText: The inertia_tools authors
# SPDX-License-Identifier: Apache-2.0
"""Check of states for infinity and NaN."""

from __future__ import annotations

import numpy as np

from inertia_tools.errors import SimulationError
from inertia_tools.sim.device.control import Control
from inertia_tools.sim.device.state import State
from inertia_tools.sim.model.model import Model

INPUTS = (
    *("body_f", "particle_f", "joint_f", "joint_target_q", "joint_target_qd"),
    *("tri_activations", "tet_activations"),
)
"""Arrays of states and controls that act on a step."""


def check_finite(model: Model, state: State, when: str, *inputs: State | Control) -> None:
    """Raise an error that names the first body or particle whose state is not finite.

    Args:
        model: The scene.
        state: State of the bodies and particles.
        when: Phrase that begins the message, such as "after this step".
        inputs: State and control of the last step; the error names a number of theirs that is not finite.

    Raises:
        SimulationError: A body or particle has a state that is not finite.
    """
    if state.soft is not None:
        places = state.soft.particle_q.numpy()
        lost = np.flatnonzero(~np.isfinite(places).all(axis=1))
        if len(lost):
            remedy = _bad_input(inputs) or "use a smaller dt or more substeps"
            raise SimulationError(f"{when} the state of particle {int(lost[0])} is infinite or NaN; {remedy}")
    if model.body_count == 0:
        return
    numbers = np.concatenate([state.on_host(name)[: model.body_count] for name in ("body_q", "body_qd")], axis=1)
    bad = np.flatnonzero(~np.isfinite(numbers).all(axis=1))
    if len(bad):
        remedy = _bad_input(inputs) or "use a smaller dt or more substeps, or check its inertial"
        raise SimulationError(f"{when} the state of body {model.names[int(bad[0])]!r} is infinite or NaN; {remedy}")


def _bad_input(inputs: tuple[State | Control, ...]) -> str:
    """Name the first entry of an input that is not finite; an empty text if there is none."""
    for source in inputs:
        for name in INPUTS:
            array = getattr(source, name, None)
            if array is None or not len(array):
                continue
            bad = np.flatnonzero(~np.isfinite(array.numpy().reshape(len(array), -1)).all(axis=1))
            if len(bad):
                return f"so is {type(source).__name__.lower()}.{name}[{int(bad[0])}]"
    return ""
