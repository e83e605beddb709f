# SPDX-FileCopyrightText: The inertia_tools authors
# SPDX-License-Identifier: Apache-2.0
"""What all solvers have, also those that users write."""

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
        OptionError: It is no model.
    """

    def __init__(self, model: Model) -> None:
        if not isinstance(model, Model):
            raise OptionError("model", model, "a Model, as ModelBuilder.finalize returns it")
        self.model = model

    @property
    def device(self) -> Any:
        """Where the model lies."""
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
        """Advance from one state to another; solvers say how.

        Raises:
            NotImplementedError: This one does not.
        """
        raise NotImplementedError

    def notify_model_changed(self, flags: int) -> None:
        """Take over what was changed in the model; by default nothing is kept that would have to be."""

    def update_contacts(self, contacts: Contacts, state: State | None = None) -> None:
        """Write the forces of the last step to contacts; solvers say how.

        Raises:
            NotImplementedError: This one does not.
        """
        raise NotImplementedError

    @staticmethod
    def register_custom_attributes(builder: ModelBuilder) -> None:
        """Declare the attributes that the solver reads; by default none."""
