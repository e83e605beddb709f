# SPDX-FileCopyrightText: The inertia_tools authors
# SPDX-License-Identifier: Apache-2.0
"""Quantities of a step that callers may request besides the state: wrenches of contacts and of joints."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import warp as wp

from inertia_tools.errors import OptionError, SimulationError
from inertia_tools.sim.scene.given import as_list

if TYPE_CHECKING:
    from inertia_tools.sim.device.contacts import Contacts
    from inertia_tools.sim.device.state import State
    from inertia_tools.sim.model.model import Model


class ObservableKind:
    """Names of the observable quantities."""

    CONTACT_F = "contact_f"
    BODY_PARENT_F = "body_parent_f"


KINDS = (ObservableKind.CONTACT_F, ObservableKind.BODY_PARENT_F)


@dataclass(eq=False)
class Observables:
    """Arrays that a step fills; those not requested are None.

    Attributes:
        contact_f: Force [N] and torque about the contact point [N m] on the first body of each contact, mean over the
            step, world axes, in the order of `Contacts.rigid_contact_shape0` and related arrays, which the step also
            fills.
        body_parent_f: Wrench of the joints on each body; see `State.body_parent_f`.
    """

    contact_f: Any = None
    body_parent_f: Any = None

    @property
    def kinds(self) -> frozenset[str]:
        """Names of the requested quantities."""
        return frozenset(kind for kind in KINDS if getattr(self, kind) is not None)

    def select(self, kinds: Iterable[str]) -> Observables:
        """Return a subset with the same arrays; a step given the subset fills only these.

        Raises:
            OptionError: There is no array for one of them.
        """
        wanted = set(kinds)
        for kind in sorted(wanted - self.kinds):
            raise OptionError("kinds", kind, " or ".join(sorted(self.kinds)) or "none, as nothing is observed")
        return Observables(**{kind: getattr(self, kind) for kind in wanted})


def observables_of(model: Model, kinds: Iterable[str], contacts: Contacts | None) -> Observables:
    """Return arrays for requested quantities; see `SolverXPBD.observables`.

    Raises:
        OptionError: There is no such kind, or the model is in double precision.
        SimulationError: Wrenches of contacts are requested without contacts.
    """
    found = Observables()
    wrench: Any = wp.spatial_vector
    for kind in as_list("kinds", kinds, "names of ObservableKind"):
        if kind not in KINDS:
            raise OptionError("kinds", kind, " or ".join(KINDS))
        if model.precision.name != "float32":
            raise OptionError("kinds", kind, "requested of a model in single precision")
        if kind == ObservableKind.CONTACT_F:
            if contacts is None:
                raise SimulationError("contact_f needs the contacts that are passed to steps; pass contacts=")
            found.contact_f = wp.zeros(contacts.rigid_contact_max, dtype=wrench, device=model.device)
        else:
            found.body_parent_f = wp.zeros(model.body_count, dtype=wrench, device=model.device)
    return found


def observe(model: Model, observables: Observables, state_out: State, contacts: Contacts | None) -> None:
    """Fill the arrays after a step.

    Raises:
        SimulationError: The contacts differ from those that the arrays were created for.
    """
    if observables.contact_f is not None:
        if contacts is None or contacts.rigid_contact_max != len(observables.contact_f):
            raise SimulationError("contact_f was created for contacts other than those of this step")
        contacts.list_step(state_out, observables.contact_f)
    if observables.body_parent_f is not None:
        wp.copy(observables.body_parent_f, state_out.data.parent_f, count=len(observables.body_parent_f))
