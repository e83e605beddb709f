# SPDX-FileCopyrightText: The inertia_tools authors
# SPDX-License-Identifier: Apache-2.0
"""The XPBD solver: steps a state by one kernel, captured into a graph once and replayed."""

from __future__ import annotations

import logging
import threading
from typing import Any

import numpy as np
import warp as wp

from inertia_tools.errors import OptionError
from inertia_tools.sim.custom_arrays import carry_over
from inertia_tools.sim.model import Contacts, Control, Model, State
from inertia_tools.sim.xpbd.step import step_kernel

LOG = logging.getLogger(__name__)

UNUSED_DEFAULTS = {
    "soft_body_relaxation": 0.9,
    "soft_contact_relaxation": 0.9,
    "joint_linear_relaxation": 0.7,
    "joint_angular_relaxation": 0.4,
    "joint_linear_compliance": 0.0,
    "joint_angular_compliance": 0.0,
    "rigid_contact_relaxation": 0.8,
    "rigid_contact_con_weighting": True,
    "angular_damping": 0.0,
    "enable_restitution": False,
}
"""Parameters of the same solver elsewhere that this one has no use for, with the values that ask for nothing."""

LAUNCH_BLOCK = 256
"""Threads of a block where nothing else is said; part of what a compiled module is known by."""

PATIENCE = 0.5
"""Loading that takes longer than this is explained [s]."""

LEAST_ITERATIONS = 2
"""One pass finds what drives do, the next one whether that violates a limit."""


class SolverXPBD:
    """Extended position-based dynamics of rigid bodies.

    Joints are solved directly, so relaxation factors have nothing to relax; contacts are resolved one after the other
    by impulses that both sides feel alike, so no weighting is needed. There is no restitution.

    Args:
        model: The scene.
        iterations: Passes over contacts and joints in each substep; at least 2 are made.
        substeps: Substeps of each step.
        unused: Further parameters of Newton's SolverXPBD, accepted with their defaults only.

    Raises:
        OptionError: A number is below 1, or a parameter asks for something that this solver does not do.
    """

    def __init__(self, model: Model, iterations: int = 2, substeps: int = 10, **unused: Any) -> None:
        for name, value in (("iterations", iterations), ("substeps", substeps)):
            if not (isinstance(value, int) and value >= 1):
                raise OptionError(name, value, "a whole number, 1 or more")
        for name, value in unused.items():
            if name not in UNUSED_DEFAULTS:
                raise OptionError(name, value, "left out: there is no such parameter")
            if value != UNUSED_DEFAULTS[name]:
                raise OptionError(
                    name, value, f"{UNUSED_DEFAULTS[name]!r}: this solver has nothing else to offer there"
                )
        self.model = model
        self.iterations = max(iterations, LEAST_ITERATIONS)
        self.substeps = substeps
        self._work = model.scratch()
        self._graphs: dict[tuple[Any, ...], Any] = {}
        self._kept: list[Any] = []
        self._no_control = model.control()
        self._no_contacts: Contacts | None = None
        self._kernel: Any = None

    def step(
        self, state_in: State, state_out: State, control: Control | None, contacts: Contacts | None, dt: float
    ) -> None:
        """Advance from one state to another, which may be the same one.

        Args:
            state_in: State at the beginning; its `f` acts throughout the step.
            state_out: State at the end; attributes that users added to states are carried over to it.
            control: Drives; None for none.
            contacts: Contacts to use and fill, the same from step to step; None for a world without contacts.
            dt: Length of the step [s].
        """
        control = control or self._no_control
        if state_in.custom and state_in is not state_out:
            carry_over(state_in.custom, state_out.custom)
        key = (id(state_in), id(state_out), id(control), id(contacts), dt)
        graph = self._graphs.get(key)
        if graph is None:
            self._load()
            with wp.ScopedCapture(device=self.model.device) as capture:
                self._launch(state_in, state_out, control, contacts, dt)
            graph = self._graphs[key] = capture.graph
            self._kept.append((state_in, state_out, control, contacts))  # their addresses are in the graph
        wp.capture_launch(graph)

    def update_contacts(self, contacts: Contacts, state: State | None = None) -> None:
        """Do nothing: forces are in the contacts as soon as a step has been made."""

    def _load(self) -> None:
        """Compile the kernel, or take it from the cache."""
        if self._kernel is None:
            self._kernel = step_kernel(self.model.precision)
            device = wp.get_device(self.model.device)
            word = threading.Timer(
                PATIENCE, LOG.warning, ["compiling the solver for %s; later runs find it in a cache", device]
            )
            word.start()
            self._kernel.module.load(device, block_dim=1 if device.is_cpu else LAUNCH_BLOCK)
            word.cancel()

    def _launch(
        self, state_in: State, state_out: State, control: Control, contacts: Contacts | None, dt: float
    ) -> None:
        model, p = self.model, self.model.precision
        shapes, slots = model.shapes, model.slot_count
        if contacts is None:
            shapes, slots = p.Shapes(), 0
            shapes.pair_count = 0
        contact_data = (contacts or self._untouched()).data
        wp.launch(
            self._kernel,
            dim=1,
            inputs=[
                model.bodies,
                shapes,
                control.data,
                contact_data,
                slots,
                self._work,
                state_in.data,
                state_out.data,
                p.scalar(dt / self.substeps),
                self.substeps,
                self.iterations,
            ],
            device=model.device,
        )

    def _untouched(self) -> Contacts:
        if self._no_contacts is None:
            self._no_contacts = self.model.contacts()
        return self._no_contacts


def finite(values: np.ndarray) -> np.ndarray:
    """Tell for each row whether all its numbers are finite."""
    return np.isfinite(values).reshape(len(values), -1).all(axis=1)
