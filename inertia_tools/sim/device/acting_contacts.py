# SPDX-FileCopyrightText: The inertia_tools authors
# SPDX-License-Identifier: Apache-2.0
"""The contacts that bore a force in the last step, as one table."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from inertia_tools.sim.collide.contact_geometry import Indices, combined
from inertia_tools.sim.scene.shape_config import FRICTION_RULES
from inertia_tools.spatial import Array

if TYPE_CHECKING:
    from inertia_tools.sim.device.contacts import Contacts
    from inertia_tools.sim.device.model import Model

FRICTIONS = ("mu", "mu_torsional", "mu_rolling")


@dataclass(frozen=True, eq=False)
class ActingContacts:
    """Contacts that bore a force in the last step, one entry each; forces are means over the step, world axes.

    Attributes:
        shapes: The two shapes, as `add_shape_*` numbered them, those of further worlds after them, shape (n, 2).
        bodies: Their bodies; -1 is the world; shape (n, 2).
        positions: Points of contact in the world [m], shape (n, 3).
        normals: Unit normal from the second shape towards the first, shape (n, 3).
        depths: Overlap beyond the margins that free motion would lead to in the last substep [m], shape (n,).
        forces: Force on the first body, normal and friction together [N], shape (n, 3); the second feels the opposite.
        torques: Torque on the first body about the point, of torsional and rolling friction [N m], shape (n, 3).
        friction: Coefficients of each pair, combined by the rule of the scene, shape (n, 3): of sliding [1], and the
            lengths [m] of torsional and of rolling friction.
        restitution: Ratio of the speeds after and before a bounce, combined likewise, shape (n,).
    """

    shapes: Indices
    bodies: Indices
    positions: Array
    normals: Array
    depths: Array
    forces: Array
    torques: Array
    friction: Array
    restitution: Array

    def __len__(self) -> int:
        return len(self.depths)


def acting_contacts(model: Model, contacts: Contacts) -> ActingContacts:
    """Return what bore a force in the last step, in the order of the slots; see `Model.acting_contacts`."""
    found = bearing_points(model, contacts)

    def material(name: str) -> tuple[Array, Array]:
        values = getattr(model.shapes, name).numpy().astype(np.float64)
        return values[found.shapes[:, 0]], values[found.shapes[:, 1]]

    friction = [combined(model.collision.friction_rule, *material(name)) for name in FRICTIONS]
    rule = FRICTION_RULES[int(model.shapes.restitution_rule)]
    return ActingContacts(
        shapes=found.shapes,
        bodies=contacts.slot_bodies[found.slots].astype(np.int64).reshape(-1, 2),
        positions=found.positions,
        normals=found.normals,
        depths=found.depths,
        forces=found.forces,
        torques=found.torques,
        friction=np.stack(friction, axis=1),
        restitution=combined(rule, *material("restitution")),
    )


@dataclass(frozen=True, eq=False)
class BearingPoints:
    """The same without materials and bodies, for who asks at every step.

    Attributes:
        slots: Where they stand among the contacts, shape (n,).
        shapes: The two shapes, as `ActingContacts` has them, shape (n, 2).
        positions, normals, depths, forces, torques: As `ActingContacts` has them.
    """

    slots: Indices
    shapes: Indices
    positions: Array
    normals: Array
    depths: Array
    forces: Array
    torques: Array


def bearing_points(model: Model, contacts: Contacts) -> BearingPoints:
    """Return what bore a force in the last step, in the order of the slots."""
    pairs = contacts.slot_shapes
    forces = contacts.data.force.numpy()[: len(pairs)]
    slots = np.flatnonzero(forces.any(axis=1))
    positions, normals, depths, torques = (
        getattr(contacts.data, name).numpy()[slots].astype(np.float64)
        for name in ("point", "normal", "depth", "torque")
    )
    return BearingPoints(
        slots,
        pairs[slots].astype(np.int64).reshape(-1, 2),
        positions,
        normals,
        depths,
        forces[slots].astype(np.float64),
        torques,
    )
