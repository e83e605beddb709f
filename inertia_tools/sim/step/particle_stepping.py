# SPDX-FileCopyrightText: The inertia_tools authors
# SPDX-License-Identifier: Apache-2.0
"""Steps of scenes with particles: each substep solves soft bodies with the bodies they push, then rigid bodies."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial

import warp as wp

from inertia_tools.sim.device.contacts import Contacts
from inertia_tools.sim.device.control import Control
from inertia_tools.sim.device.state import State, hand_on, start_state
from inertia_tools.sim.kernels.graphs import Graphs, captured
from inertia_tools.sim.model.model import Model
from inertia_tools.sim.soft.soft_step import SoftStep
from inertia_tools.sim.step.solver_parameters import SolverParameters

BodyStep = Callable[[State, Control, Contacts | None, float, int, int], None]
"""Steps the bodies of a scene by a substep of a length; arguments are the substeps of the step before and after it."""


class ParticleStepping:
    """Steps particles and bodies in turn.

    Args:
        model: The scene.
        parameters: How many substeps there are, and whether particles bounce and touch each other.
        step_bodies: Steps the bodies; paths over a step continue from substep to substep.
    """

    def __init__(self, model: Model, parameters: SolverParameters, step_bodies: BodyStep) -> None:
        self._model, self._substeps, self._step_bodies = model, parameters.substeps, step_bodies
        self.soft = SoftStep(model, parameters.enable_restitution, parameters.particle_enable_self_contact)
        self._between: dict[bool, State] = {}
        self._copies = Graphs()

    def step(self, state_in: State, state_out: State, control: Control, contacts: Contacts | None, dt: float) -> None:
        """Advance from one state to another; see `SolverXPBD.step`."""
        h, bodies = dt / self._substeps, self._model.body_count > 0
        between = self._state_between(state_in, state_out.has_parent_f)
        self.soft.begin(state_in, control, contacts, h, dt)
        for k in range(self._substeps):
            self.soft.substep(between, contacts, h)
            if bodies:
                self.soft.push_bodies(between, state_in)
                self._step_bodies(between, control, contacts, h, k, self._substeps - 1 - k)
        if bodies:
            self._hand_on(between, state_out)
        self.soft.end(state_out, contacts, h, dt)

    def _state_between(self, state: State, has_parent_f: bool) -> State:
        """Return the state of bodies between substeps, at first a copy."""
        if has_parent_f not in self._between:
            self._between[has_parent_f] = start_state(self._model, ("body_parent_f",) if has_parent_f else ())
        between = self._between[has_parent_f]
        self._hand_on(state, between)
        return between

    def _hand_on(self, source: State, target: State) -> None:
        """Copy bodies and joints from one state to another: fifty copies, captured once."""
        key = (source.key, target.key)
        if key not in self._copies:
            copies = captured(partial(hand_on, source, target), self._model.device)
            self._copies.keep(key, copies, (source, target))
        wp.capture_launch(self._copies[key][0])
