# SPDX-FileCopyrightText: The inertia_tools authors
# SPDX-License-Identifier: Apache-2.0
"""Values of a model from which it derives others: body flags, mass properties and joint frames.

Callers may change them between steps, as `SolverXPBD.notify_model_changed` describes. Saved states, clones, and scenes
with other entities keep them.
"""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np

from inertia_tools.sim.device.contacts import Contacts
from inertia_tools.sim.model.changes import SolverNotifyFlags
from inertia_tools.sim.model.model import Model
from inertia_tools.sim.solver import SolverXPBD

OF_BODIES = ("body_flags", "body_mass", "body_com", "body_inertia")
OF_JOINTS = ("joint_X_p", "joint_X_c")
TAKEN_BY = {
    SolverNotifyFlags.BODY_PROPERTIES: OF_BODIES[:1],
    SolverNotifyFlags.BODY_INERTIAL_PROPERTIES: OF_BODIES[1:],
    SolverNotifyFlags.JOINT_PROPERTIES: OF_JOINTS,
}
"""Arrays that each flag applies, flags first: a change of body flags rebuilds what the others change."""

Basis = Mapping[str, np.ndarray]
"""Values of these arrays, by name."""


def basis_of(model: Model) -> dict[str, np.ndarray]:
    """Return copies of the values."""
    return {name: getattr(model, name).numpy().copy() for name in (*OF_BODIES, *OF_JOINTS)}


def take_basis(basis: Basis, model: Model, solver: SolverXPBD, contacts: Contacts) -> None:
    """Write values to a model, and derive the others again from those that differ."""
    for flag, names in TAKEN_BY.items():
        changed = [name for name in names if not np.array_equal(getattr(model, name).numpy(), basis[name])]
        for name in changed:
            getattr(model, name).assign(basis[name])
        if changed:
            solver.notify_model_changed(flag)
    solver.bring_up_to_date(contacts)
