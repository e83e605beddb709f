# SPDX-FileCopyrightText: The inertia_tools authors
# SPDX-License-Identifier: Apache-2.0
"""Reads the loaded contact points of a scene."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
import warp as wp

from inertia_tools.kernel_loading import load
from inertia_tools.sim.collide.contact_geometry import Indices
from inertia_tools.sim.device.contact_points import OF_PAIR, OF_POINT, point_reading_kernel
from inertia_tools.sim.kernels.host_view import HostView
from inertia_tools.spatial import Array

if TYPE_CHECKING:
    from inertia_tools.sim.device.contacts import Contacts
    from inertia_tools.sim.device.model_data import ModelData


def loaded_slots(contacts: Contacts) -> tuple[Indices, Indices]:
    """Return the slots that carried a force in the last step, ascending, shape (n,), and their shapes, shape (n, 2)."""
    pairs = contacts.slot_shapes
    slots = np.flatnonzero(contacts.data.force.numpy()[: len(pairs)].any(axis=1))
    return slots, np.asarray(pairs[slots], dtype=np.int64).reshape(-1, 2)


class PointReader:
    """Reads the same slots repeatedly."""

    def __init__(
        self, model: ModelData, contacts: Contacts, slots: Indices, shapes: Indices, sign: Array, starts: Indices
    ) -> None:
        """Allocate the arrays on the device.

        Args:
            model: The scene.
            contacts: Its contacts.
            slots: The loaded slots, in the order of the table, shape (n,).
            shapes: Their shapes, shape (n, 2).
            sign: -1 for slots to be read with their shapes exchanged, else 1, shape (n,).
            starts: First row of each pair of bodies, then n, shape (pairs + 1,).
        """
        self._force, pairs, device = contacts.data.force, len(starts) - 1, model.device
        self._points, self._wrenches = (
            wp.zeros(shape, dtype=wp.float64, device=device) for shape in ((len(slots), OF_POINT), (pairs, OF_PAIR))
        )
        self._is_other = model.zeros(1, wp.int32)
        self._seen_points, self._seen_wrenches, self._seen_other = HostView(), HostView(), HostView()
        count = max(contacts.slot_count, 1)  # a launch with dim 0 does nothing
        then = np.full((count, 2), -1)
        then[slots] = shapes
        signs: Any = wp.array(sign, dtype=wp.float64, device=device)
        columns = [model.array(column, wp.int32) for column in (*then.T, slots)]
        kernel, first_rows = point_reading_kernel(model.precision), model.array(starts, wp.int32)
        load((kernel,), device)
        read = [contacts.data, *contacts.slot_arrays(), *columns, signs, first_rows]
        self._kept = [*read, self._points, self._wrenches, self._is_other]  # a recorded launch holds no references
        self._launch = wp.launch(kernel, count, self._kept, device=device, record_cmd=True)

    def read(self, contacts: Contacts) -> bool:
        """Read the current values; return whether the same slots are loaded, with the same shapes and arrays."""
        if contacts.data.force is not self._force:
            return False
        self._is_other.zero_()
        self._launch.launch()
        return not self._seen_other.of(self._is_other)[0]

    def table(self) -> tuple[Array, Array]:
        """Return the table of points, shape (n, 13), and the wrench on each first body, shape (pairs, 6).

        Wrenches are force [N] and torque about the world's origin [N m].
        """
        return self._seen_points.of(self._points).copy(), self._seen_wrenches.of(self._wrenches).copy()
