# SPDX-FileCopyrightText: The inertia_tools authors
# SPDX-License-Identifier: Apache-2.0
"""Contacts of rigid shapes as arrays with the names that Newton uses."""

from __future__ import annotations

import warnings
from typing import TYPE_CHECKING, Any

import numpy as np
import warp as wp

from inertia_tools.kernel_loading import launch
from inertia_tools.sim.collide.contact_geometry import ContactGeometry
from inertia_tools.sim.device.contact_list import contact_list_types
from inertia_tools.sim.scene.given import as_count
from inertia_tools.sim.scene.notices import SceneWarning
from inertia_tools.spatial import Array, rotation_from_quaternion

if TYPE_CHECKING:
    from inertia_tools.sim.device.model_data import ModelData
    from inertia_tools.sim.device.state import State

ENTRIES_A_SHAPE = 24
"""Minimum entries per shape: three patches of eight points, more than the average of a body in a heap."""

LISTED = {
    "count": "Number of contacts, one entry.",
    "shape0": "Index of the first shape of each contact.",
    "shape1": "Index of the second shape of each contact.",
    "point0": "Point on the first shape, in the frame of its body, or in the world [m].",
    "point1": "Point on the second shape, in the frame of its body, or in the world [m].",
    "offset0": "Offset of the first point from the surface, in the frame of the body [m]; always zero.",
    "offset1": "Offset of the second point, likewise.",
    "normal": "Unit normal from the first shape towards the second, world axes.",
    "margin0": "Contact margin of the first shape [m].",
    "margin1": "Contact margin of the second shape [m].",
}
"""Arrays of `rigid_contact_*`."""


def room_of_contacts(model: ModelData) -> int:
    """Return the capacity of contact arrays unless a caller sets it: that of the model, or an estimate.

    Raises:
        OptionError: `rigid_contact_max` of the model is not a whole number.
    """
    asked = as_count("rigid_contact_max", model.rigid_contact_max or 1)
    return asked if model.rigid_contact_max else max(model.slot_count, ENTRIES_A_SHAPE * model.shape_count)


class RigidContacts:
    """Contacts, one entry each; the arrays have `rigid_contact_max` entries.

    The first shape of a pair is the one of the lower `GeoType`; for equal types, the one that was added first. The
    contacts are those that `Model.collide` found last. After a step reports forces (`SolverXPBD.update_contacts`,
    `Observables.contact_f`) they are the contacts of that step, in the order of the forces.

    Attributes:
        geometry: Contacts found by `Model.collide`.
    """

    geometry: ContactGeometry
    slot_count: int
    _listed: Any
    _is_found: bool
    _slots: tuple[Any, Any, Any] | None
    _most: int

    @property
    def _model(self) -> ModelData:
        """The model of these contacts."""
        raise NotImplementedError

    @property
    def rigid_contact_max(self) -> int:
        """Capacity of the arrays, which is constant, as users hold arrays of that length.

        Contacts beyond it are missing from the arrays, with a warning; `geometry` and the solver have all of them.
        """
        if not self._most:
            self._most = room_of_contacts(self._model)
        return self._most

    def clear(self) -> None:
        """Clear the results of `Model.collide`."""
        self.geometry = ContactGeometry()
        self.list_found()

    def list_found(self) -> None:
        """Fill the arrays with the results of `Model.collide` on their next access."""
        self._is_found = True

    def list_step(self, state: State, wrench: Any) -> None:
        """Fill the arrays with the contacts of the last step.

        Args:
            state: State of the bodies at its end.
            wrench: Output: force [N] and torque about the contact point [N m] on the first body of each contact.
        """
        model = self._model
        self._is_found = False
        listed, (first, second, ends) = self._room(), self.slot_arrays()
        kernel = contact_list_types(model.precision).list_step
        inputs = [self.data, first, second, ends, model.shape_type, model.shapes, state.data]  # type: ignore[attr-defined]
        launch(kernel, 1, inputs, [listed, wrench], model.device)

    def slot_arrays(self) -> tuple[Any, Any, Any]:
        """Return the shapes of each slot, and ends of which the last is the number of slots, as Warp arrays."""
        if self.nearby is not None:  # type: ignore[attr-defined]
            found = self.anchored.data  # type: ignore[attr-defined]
            return found.shape_a, found.shape_b, found.ends
        if self._slots is None:
            model = self._model
            pairs = model.slot_shapes.reshape(-1, 2)
            first, second, ends = (model.array(column, wp.int32) for column in (*pairs.T, [len(pairs)]))
            self._slots = (first, second, ends)
        return self._slots

    def _room(self) -> Any:
        """Return arrays of sufficient capacity."""
        model = self._model
        if self._listed is None:
            self._listed = model.sized(
                contact_list_types(model.precision).ContactList, self.rigid_contact_max, {"count": 1}
            )
        return self._listed

    def _list(self) -> Any:
        """Return the arrays; found contacts are copied from the host, which a captured graph cannot do."""
        listed = self._room()
        if self._is_found and not wp.get_device(self._model.device).is_capturing:
            self._is_found = False
            self._fill(listed)
        return listed

    def _fill(self, listed: Any) -> None:
        found, count = self.geometry, min(len(self.geometry), self.rigid_contact_max)
        listed.count.assign([count])
        if count < len(found):
            warnings.warn(
                f"{len(found)} contacts were found; rigid_contact_* hold only {count}, Contacts.geometry holds all",
                SceneWarning,
                stacklevel=4,
            )
        if not count:
            return
        first = self._first_sides()
        columns = {"normal": np.where(first[:, None] == 0, -found.normals, found.normals)}
        for side, chosen in enumerate((first, 1 - first)):
            columns |= {f"shape{side}": _of_sides(found.shapes, chosen), f"point{side}": self._local(chosen)}
            columns[f"margin{side}"] = self._margins(columns[f"shape{side}"])
        for name, values in columns.items():
            getattr(listed, name)[:count].assign(values[:count])

    def _first_sides(self) -> np.ndarray:
        """Return which shape of each found pair comes first, 0 or 1; see `ContactList`."""
        shapes = self.geometry.shapes
        types = self._model.shape_type.numpy()[shapes]
        swapped = np.where(types[:, 0] == types[:, 1], shapes[:, 0] > shapes[:, 1], types[:, 0] > types[:, 1])
        return swapped.astype(int)

    def _margins(self, shapes: np.ndarray) -> Array:
        """Return the margins of shapes [m]."""
        built = self._model.collision.shapes
        kept = [one.config.margin if one.config.is_solid else 0.0 for one in built]
        return np.asarray(np.array(kept, dtype=np.float64)[shapes])

    def _local(self, sides: np.ndarray) -> Array:
        """Return the points on one side of each contact in the frames of their bodies [m], shape (n, 3)."""
        points = np.array(_of_sides(self.geometry.points, sides))
        for row, body in enumerate(_of_sides(self.geometry.bodies, sides).tolist()):
            if body >= 0:
                pose = self.geometry.poses[body]
                points[row] = rotation_from_quaternion(pose[3:]).T @ (points[row] - pose[:3])
        return points


def _of_sides(values: np.ndarray, sides: np.ndarray) -> np.ndarray:
    """Return the entry of one side of each contact."""
    return np.asarray(values[np.arange(len(sides)), sides])


def _listed(name: str) -> property:
    return property(lambda contacts: getattr(contacts._list(), name), doc=f"{LISTED[name]} Warp array.")


for _name in LISTED:
    setattr(RigidContacts, f"rigid_contact_{_name}", _listed(_name))
