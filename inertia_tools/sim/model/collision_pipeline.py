# SPDX-FileCopyrightText: The inertia_tools authors
# SPDX-License-Identifier: Apache-2.0
"""The search for contacts, by the name that users of Newton know."""

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
"""Options of Newton about the sizes of its buffers, and the order of its results, which is fixed here."""

NEWTON_BROAD_PHASES = ("nxn", "sap", "explicit")
"""Its words for the search of pairs; here it is chosen by `ModelBuilder.broad_phase`."""


class CollisionPipeline:
    """Finds the contacts of a model; a step of the solver finds its own, in every substep.

    Args:
        model: The scene.
        broad_phase: How Newton would search for pairs; `ModelBuilder.broad_phase` decides it here.
        requires_grad: False: nothing is differentiated.
        rigid_contact_max: Entries that `rigid_contact_*` have in contacts that it makes, and that forces are reported
            for; `Model.rigid_contact_max` by default, or with 0. The solver's own contacts are not bounded by it.
        include_static_kinematic_pairs: List contacts between kinematic bodies, and of them with the world, too.
        buffers: Options of Newton about its buffers, which grow here as they are needed.

    Raises:
        OptionError: An option has no meaning here, or `rigid_contact_max` is no whole number, 1 or more.
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
            raise OptionError("requires_grad", requires_grad, "False: nothing is differentiated")
        self.model = model
        self._most = as_count("rigid_contact_max", rigid_contact_max) if rigid_contact_max else None
        self.include_static_kinematic_pairs = include_static_kinematic_pairs

    def contacts(self) -> Contacts:
        """Return contacts that hold nothing yet."""
        return self.model.contacts(self._most)

    def collide(self, state: State, contacts: Contacts, *, dt: float | None = None) -> None:
        """Find where shapes touch or nearly touch in a state; see `Model.collide`."""
        self.model.collide(state, contacts, with_led=self.include_static_kinematic_pairs)

    @property
    def rigid_contact_max(self) -> int:
        """Number of contacts that `rigid_contact_*` have room for in contacts that it makes."""
        return self._most or room_of_contacts(self.model)
