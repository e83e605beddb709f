# SPDX-FileCopyrightText: The inertia_tools authors
# SPDX-License-Identifier: Apache-2.0
"""Contacts of a scene and the contact state that carries over from step to step."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

import numpy as np

from inertia_tools.errors import SimulationError
from inertia_tools.sim.collide.contact_geometry import ContactGeometry
from inertia_tools.sim.device.anchored_contacts import AnchoredContacts
from inertia_tools.sim.device.custom_arrays import HoldsCustomAttributes, arrays_of
from inertia_tools.sim.device.nearby_contacts import NearbyContacts, grown, near_slots
from inertia_tools.sim.device.rigid_contacts import RigidContacts
from inertia_tools.sim.device.scratch import COUNTED, row_capacity, rows_of
from inertia_tools.sim.device.soft_state import SoftContacts, empty_soft_contacts
from inertia_tools.sim.device.solve_log import SolveLog
from inertia_tools.sim.scene.custom_attributes import AttributeAssignment

if TYPE_CHECKING:
    from inertia_tools.sim.device.model_data import ModelData


SOFT = {
    "count": "Number of contacts of particles with shapes in the last substep or the last `Model.collide`.",
    "particle": "Particle of each contact.",
    "shape": "Shape of each contact.",
    "body_pos": "Point of each contact in the frame of the shape's body, or in the world [m].",
    "normal": "Unit normal of each contact towards the particle, world axes.",
    "force": "Force on the particle of each contact, world axes [N].",
}
"""Arrays of `soft_contact_*`."""


LAID_OUT = frozenset({"first", "shape_a", "shape_b", *COUNTED})
"""Arrays that `Contacts.clear` keeps: layouts, and counts over all steps."""


@dataclass(eq=False, repr=False)
class Contacts(HoldsCustomAttributes, RigidContacts):
    """Contacts of the last step with their friction state, one entry for each slot, on the device.

    Attributes:
        data: Structure of arrays; see `Precision.Contacts`.
        slot_count: Number of slots; in large scenes it grows with the number of contacts.
        force: Force [N] and torque about the contact point [N m] on the first body of each contact, mean over the
            step, world axes, Warp array in the order of `rigid_contact_shape0` and related arrays, all of which
            `SolverXPBD.update_contacts` fills; None unless it was requested of the model.
        geometry: Contacts found by `Model.collide`.
        soft: Contacts of particles with shapes; None without particles.
    """

    data: Any
    rows: Any
    anchored: AnchoredContacts
    slot_count: int
    force: Any = None
    geometry: ContactGeometry = field(default_factory=ContactGeometry)
    custom: dict[str, Any] = field(default_factory=dict)
    nearby: NearbyContacts | None = None
    soft: SoftContacts | None = None
    _listed: Any = field(default=None, init=False, repr=False)
    _is_found: bool = field(default=True, init=False, repr=False)
    _slots: tuple[Any, Any, Any] | None = field(default=None, init=False, repr=False)
    _most: int = field(default=0, init=False, repr=False)
    _built_times: int = field(default=0, init=False, repr=False)

    def bring_up_to_date(self) -> None:
        """Reset the contacts if the model was rebuilt; arrays that users may hold stay the same objects.

        Steps and readers call it, as the numbers of slots and shapes mean others in the rebuilt model.
        """
        model = self.anchored.model
        if self._built_times == model.built_times:
            return
        fresh = empty_contacts(model, has_force=False, logs=bool(self.rows.logs))
        for name in ("data", "rows", "anchored", "slot_count", "nearby", "_slots", "_built_times"):
            setattr(self, name, getattr(fresh, name))
        if self.soft is not None:
            self.soft.unsettled.zero_()  # as the counts of `rows` restart, too
        self.clear()

    def lasting(self) -> dict[str, Any]:
        """Return the data that one step leaves to the next, and lists for users; the layout follows from the model."""
        return {name: value for name, value in vars(self).items() if name != "_slots"}

    def clear(self) -> None:
        """Clear the results of `Model.collide` and all state of steps; the next step starts as with new contacts."""
        super().clear()
        for held in (self.data, self.rows, self.anchored.data):
            _blank(held)
        if self.force is not None:
            self.force.zero_()
        if self.nearby is not None:
            self.nearby.forget()
        if self.soft is not None:
            _blank(self.soft.slots)
            for array in (self.soft.held, self.soft.reaction, self.soft.count):
                array.zero_()

    @property
    def _model(self) -> ModelData:
        """The model of these contacts."""
        return self.anchored.model

    @property
    def slot_shapes(self) -> np.ndarray:
        """Shapes of the feature and the solid of each slot in use, shape (slots, 2)."""
        model = self.anchored.model
        if self.nearby is None:
            return model.slot_shapes
        used = int(self.anchored.data.ends.numpy()[-1])
        sides = (self.anchored.data.shape_a, self.anchored.data.shape_b)
        return np.stack([side.numpy()[:used] for side in sides], axis=1).astype(int)

    @property
    def slot_bodies(self) -> np.ndarray:
        """Bodies of these shapes, -1 for the world, shape (slots, 2)."""
        model = self.anchored.model
        if self.nearby is None:
            return model.slot_bodies
        return np.asarray(model.shapes.body.numpy()[self.slot_shapes], dtype=int)

    def grow(self, count: int) -> None:
        """Grow the buffers of a large scene to this many contacts; entries are kept."""
        model = self.anchored.model
        for name, variable in self.data._cls.vars.items():
            kind = variable.type.dtype
            setattr(self.data, name, grown(getattr(self.data, name), count, kind, model))
        self.rows = rows_of(model, count, self.rows)
        self.anchored.data = near_slots(model, count, self.anchored.data)
        self.slot_count = count

    @property
    def lost(self) -> int:
        """Number of contacts beyond the capacity of their world, over all steps; reading it synchronises."""
        self.bring_up_to_date()
        return int(self.rows.lost.numpy().sum())

    @property
    def unsettled(self) -> int:
        """Number of solves that did not converge, over all steps; reading it synchronises.

        There is one solve per island and substep, and one for all particles with the bodies in contact.
        """
        self.bring_up_to_date()
        of_particles = 0 if self.soft is None else int(self.soft.unsettled.numpy()[0])
        return int(self.rows.unsettled.numpy().sum()) + of_particles

    @property
    def solve_log(self) -> SolveLog:
        """Log of all solves so far; reading it synchronises.

        Raises:
            SimulationError: The log was not requested of the model.
        """
        if not self.rows.logs:
            raise SimulationError('solves are not logged; call model.request_contact_attributes("solve_log") before')
        self.bring_up_to_date()
        return SolveLog.of(self.rows)


def _blank(held: Any) -> None:
    """Set the arrays of a structure to zero, except layouts."""
    for name in held._cls.vars:
        array = getattr(held, name)
        if hasattr(array, "zero_") and name not in LAID_OUT:
            array.zero_()


def _soft_array(name: str) -> property:
    inner = "point" if name == "body_pos" else name
    doc = f"{SOFT[name]} Warp array; None without particles."
    return property(lambda contacts: None if contacts.soft is None else getattr(contacts.soft, inner), doc=doc)


for _name in SOFT:
    setattr(Contacts, f"soft_contact_{_name}", _soft_array(_name))


def empty_contacts(model: ModelData, has_force: bool, *, logs: bool, most: int = 0) -> Contacts:
    """Return empty contacts, with forces and a log of convergence if requested.

    Args:
        model: The scene.
        has_force: Whether they report forces.
        logs: Whether they log solves.
        most: Capacity of `rigid_contact_*`; zero for that of the model.
    """
    p = model.precision
    custom = arrays_of(model.custom_arrays, AttributeAssignment.CONTACT, model.device, Contacts)
    data = model.sized(p.Contacts, model.slot_count)
    rows = rows_of(model, row_capacity(model) * model.copy_count, logs=logs)
    soft = empty_soft_contacts(model)
    contacts = Contacts(data, rows, AnchoredContacts(model), model.slot_count, custom=custom, soft=soft)
    contacts._built_times, contacts._most = model.built_times, most
    if model.nearby is not None:
        contacts.anchored.data = near_slots(model, 1)
        contacts.nearby = NearbyContacts(model)
        contacts.grow(contacts.nearby.capacity)
    if has_force:
        contacts.force = model.zeros(contacts.rigid_contact_max, p.vec6)
    return contacts
