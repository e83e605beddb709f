# SPDX-FileCopyrightText: The inertia_tools authors
# SPDX-License-Identifier: Apache-2.0
"""The contacts that carried a force in the last step, as NumPy arrays."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from inertia_tools.sim.collide.contact_geometry import Indices, combined
from inertia_tools.sim.device.contact_points import DEPTH, FORCE, NORMAL, POSITION, TORQUE
from inertia_tools.sim.device.point_reader import PointReader, loaded_slots
from inertia_tools.sim.scene.shape_config import FRICTION_RULES
from inertia_tools.spatial import Array

if TYPE_CHECKING:
    from inertia_tools.sim.device.contacts import Contacts
    from inertia_tools.sim.device.model_data import ModelData

FRICTIONS = ("mu", "mu_torsional", "mu_rolling")


@dataclass(frozen=True, eq=False)
class ActingContacts:
    """Contacts that carried a force in the last step; forces are means over the step, in world axes.

    Attributes:
        shapes: The two shapes, as `add_shape_*` numbered them, those of further worlds after them, shape (n, 2).
        bodies: Their bodies; -1 is the world; shape (n, 2).
        positions: Points of contact in the world [m], shape (n, 3).
        normals: Unit normal from the second shape towards the first, shape (n, 3).
        depths: Overlap beyond the margins after free motion in the last substep [m], shape (n,).
        forces: Force on the first body, normal and friction [N], shape (n, 3); the opposite acts on the second.
        torques: Torque on the first body about the point, of torsional and rolling friction [N m], shape (n, 3).
        friction: Friction of each pair, combined by the rule of the scene, shape (n, 3): the coefficient of sliding
            friction [1], and the lengths of torsional and of rolling friction [m].
        restitution: Coefficient of restitution of each pair, combined likewise [1], shape (n,).
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


def acting_contacts(model: ModelData, contacts: Contacts) -> ActingContacts:
    """Return the contacts that carried a force in the last step, by slot; see `Model.acting_contacts`."""
    contacts.bring_up_to_date()
    slots, shapes = loaded_slots(contacts)
    reader = PointReader(model, contacts, slots, shapes, np.ones(len(slots)), np.arange(len(slots) + 1))
    reader.read(contacts)
    points, _ = reader.table()

    def material(name: str) -> tuple[Array, Array]:
        values = getattr(model.shapes, name).numpy().astype(np.float64)
        return values[shapes[:, 0]], values[shapes[:, 1]]

    friction = [combined(model.collision.friction_rule, *material(name)) for name in FRICTIONS]
    rule = FRICTION_RULES[int(model.shapes.restitution_rule)]
    return ActingContacts(
        shapes=shapes,
        bodies=contacts.slot_bodies[slots].astype(np.int64).reshape(-1, 2),
        positions=points[:, POSITION],
        normals=points[:, NORMAL],
        depths=points[:, DEPTH],
        forces=points[:, FORCE],
        torques=points[:, TORQUE],
        friction=np.stack(friction, axis=1),
        restitution=combined(rule, *material("restitution")),
    )
