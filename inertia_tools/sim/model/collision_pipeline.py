# SPDX-FileCopyrightText: The inertia_tools authors
# SPDX-License-Identifier: Apache-2.0
"""Collision detection with Newton's interface."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from inertia_tools.errors import OptionError, UnknownOptionError
from inertia_tools.sim.collide.nearby import BROAD_PHASES
from inertia_tools.sim.device.rigid_contacts import room_of_contacts
from inertia_tools.sim.scene.given import as_count

if TYPE_CHECKING:
    from inertia_tools.sim.device.contacts import Contacts
    from inertia_tools.sim.device.state import State
    from inertia_tools.sim.model.model import Model

BUFFERS = frozenset(
    {
        "reduce_contacts", "max_triangle_pairs", "soft_contact_max", "shape_pairs_max",
        "verify_buffers", "contact_reduction_hashtable_size_factor", "deterministic", "publish_capacity",
        "soft_contact_margin", "soft_contact_gap",
    }
)  # fmt: skip
"""Newton's options for buffer sizes and for the order of results; accepted without effect."""

NEWTON_BROAD_PHASES = ("nxn", "sap", "explicit")
"""Newton's names of broad phases; `ModelBuilder.broad_phase` sets the broad phase here."""


class CollisionPipeline:
    """Finds the contacts of a model; solver steps find their own contacts in every substep.

    Args:
        model: The scene.
        broad_phase: Newton's name of a broad phase, without effect; `ModelBuilder.broad_phase` sets it here.
        requires_grad: Must be False or None: contacts are not differentiable.
        rigid_contact_max: Number of entries of `rigid_contact_*`, and thus of reported forces, in the contacts of this
            pipeline; None or 0 for `Model.rigid_contact_max`. It does not limit the solver's own contacts.
        include_static_kinematic_pairs: Whether to list contacts of kinematic bodies with each other and with the world.
        buffers: Newton's options for buffer sizes, without effect, as buffers grow when needed.

    Raises:
        UnknownOptionError: An option is unknown.
        OptionError: An option has an unsupported value, or `rigid_contact_max` is not a positive whole number.
    """

    def __init__(
        self,
        model: Model,
        *,
        broad_phase: str | None = None,
        requires_grad: bool | None = None,
        rigid_contact_max: int | None = None,
        include_static_kinematic_pairs: bool = True,
        **buffers: Any,
    ) -> None:
        for name in buffers.keys() - BUFFERS:
            raise UnknownOptionError(
                "CollisionPipeline",
                name,
                ["model", "broad_phase", "rigid_contact_max", "include_static_kinematic_pairs", *sorted(BUFFERS)],
            )
        if broad_phase not in (None, *NEWTON_BROAD_PHASES, *BROAD_PHASES):
            raise OptionError("broad_phase", broad_phase, "one of " + ", ".join(NEWTON_BROAD_PHASES))
        if requires_grad:
            raise OptionError("requires_grad", requires_grad, "False: contacts are not differentiable")
        self.model = model
        self._most = as_count("rigid_contact_max", rigid_contact_max) if rigid_contact_max else None
        self.include_static_kinematic_pairs = include_static_kinematic_pairs

    def contacts(self) -> Contacts:
        """Return empty contacts."""
        return self.model.contacts(self._most)

    def collide(self, state: State, contacts: Contacts, *, dt: float | None = None) -> None:
        """Find the contacts and near contacts in a state; see `Model.collide`."""
        self.model.collide(state, contacts, with_led=self.include_static_kinematic_pairs)

    @property
    def rigid_contact_max(self) -> int:
        """Number of entries of `rigid_contact_*` in the contacts of this pipeline."""
        return self._most or room_of_contacts(self.model)
