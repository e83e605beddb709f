# SPDX-FileCopyrightText: The inertia_tools authors
# SPDX-License-Identifier: Apache-2.0
"""Reading the contact points that bear."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
import warp as wp

from inertia_tools.kernel_loading import load
from inertia_tools.sim.collide.contact_geometry import Indices
from inertia_tools.sim.device.contact_points import OF_PAIR, OF_POINT, contact_point_kernels
from inertia_tools.spatial import Array

if TYPE_CHECKING:
    from inertia_tools.sim.device.contacts import Contacts
    from inertia_tools.sim.device.model import Model


def bearing_slots(contacts: Contacts) -> tuple[Indices, Indices]:
    """Return which slots bore a force in the last step, ascending, shape (n,), and their shapes, shape (n, 2)."""
    pairs = contacts.slot_shapes
    slots = np.flatnonzero(contacts.data.force.numpy()[: len(pairs)].any(axis=1))
    return slots, np.asarray(pairs[slots], dtype=np.int64).reshape(-1, 2)


class PointReader:
    """Reads the same slots again and again."""

    def __init__(self, model: Model, contacts: Contacts, slots: Indices, sign: Array, starts: Indices) -> None:
        """Make room on the device.

        Args:
            model: The scene.
            contacts: Its contacts.
            slots: What to read, in the order of the table, shape (n,).
            sign: -1 for what is to be read with its shapes swapped, else 1, shape (n,).
            starts: First row of each pair of bodies, and at last n, shape (pairs + 1,).
        """
        self._force = contacts.data.force
        pairs, device, wide = len(starts) - 1, model.device, wp.float64
        self._points, self._wrenches = (
            wp.zeros(shape, dtype=wide, device=device) for shape in ((len(slots), OF_POINT), (pairs, OF_PAIR))
        )
        signs: Any = wp.array(sign, dtype=wide, device=device)
        kernels = contact_point_kernels(model.precision)
        load((kernels.gather, kernels.sum_up), device)
        read = (
            (kernels.gather, len(slots), [contacts.data, model.array(slots, wp.int32), signs, self._points]),
            (kernels.sum_up, pairs, [self._points, model.array(starts, wp.int32), self._wrenches]),
        )
        self._launches = [
            wp.launch(kernel, count, arguments, device=device, record_cmd=True)
            for kernel, count, arguments in read
            if count
        ]
        self._kept = read  # a recorded launch does not keep what it reads

    def reads(self, contacts: Contacts) -> bool:
        """Tell whether contacts still are where they were: arrays that grow are made anew."""
        return contacts.data.force is self._force

    def read(self) -> tuple[Array, Array]:
        """Return the table as it is now, shape (n, 13), and the wrench on each first body, shape (pairs, 6).

        Wrenches are force [N] and torque about the world's origin [N m].
        """
        for launch in self._launches:
            launch.launch()
        return self._points.numpy().copy(), self._wrenches.numpy().copy()
