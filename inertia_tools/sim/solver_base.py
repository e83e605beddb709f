# SPDX-FileCopyrightText: The inertia_tools authors
# SPDX-License-Identifier: Apache-2.0
"""Base class of all solvers, including those that users write."""

from __future__ import annotations

from typing import Any, ClassVar

from inertia_tools.errors import OptionError
from inertia_tools.sim.builder import ModelBuilder
from inertia_tools.sim.device.contacts import Contacts
from inertia_tools.sim.device.control import Control
from inertia_tools.sim.device.state import State
from inertia_tools.sim.model.model import Model
from inertia_tools.sim.model.observables import ObservableKind, Observables


class SolverBase:
    """Advances states of a model.

    Args:
        model: The scene.

    Raises:
        OptionError: `model` is not a model.
    """

    def __init__(self, model: Model) -> None:
        if not isinstance(model, Model):
            raise OptionError("model", model, "a Model, as ModelBuilder.finalize returns it")
        self.model = model

    @property
    def device(self) -> Any:
        """Warp device of the model."""
        return self.model.device

    ObservableKind: ClassVar[type[ObservableKind]] = ObservableKind
    Observables: ClassVar[type[Observables]] = Observables

    def step(
        self,
        state_in: State,
        state_out: State,
        control: Control | None,
        contacts: Contacts | None,
        dt: float,
        *,
        observables: Any = None,
    ) -> None:
        """Advance one step from a state to another; subclasses implement it.

        Raises:
            NotImplementedError: The solver does not implement it.
        """
        raise NotImplementedError

    def notify_model_changed(self, flags: int) -> None:
        """Apply changes of the model; by default do nothing, as the base class caches nothing."""

    def update_contacts(self, contacts: Contacts, state: State | None = None) -> None:
        """Write the forces of the last step to contacts; subclasses implement it.

        Raises:
            NotImplementedError: The solver does not implement it.
        """
        raise NotImplementedError

    @staticmethod
    def register_custom_attributes(builder: ModelBuilder) -> None:
        """Declare the custom attributes that the solver reads; by default none."""
