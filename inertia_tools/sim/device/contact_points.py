# SPDX-FileCopyrightText: The inertia_tools authors
# SPDX-License-Identifier: Apache-2.0
"""Loaded contact points, gathered on the device into one table in double precision."""

from functools import lru_cache
from typing import Any

import warp as wp

from inertia_tools.kernel_loading import MODULE_OPTIONS
from inertia_tools.sim.kernels.precision import Precision

POSITION, NORMAL, DEPTH, FORCE, TORQUE = slice(0, 3), slice(3, 6), 6, slice(7, 10), slice(10, 13)
"""Columns of the table of points."""

OF_POINT, OF_PAIR = 13, 6
"""Width of the table of points, and of the table of wrenches (force and torque) of pairs of bodies."""


@lru_cache(maxsize=2)
def point_reading_kernel(p: Precision) -> Any:
    """Return the kernel of one precision."""
    scalar, Contacts = p.scalar, p.Contacts

    @wp.func
    def write(row: wp.array(dtype=wp.float64), first: int, value: wp.vec3d):
        """Write a vector into a row."""
        for k in range(3):
            row[first + k] = value[k]

    @wp.func
    def gather(contacts: Contacts, slot: int, sign: wp.float64, row: wp.array(dtype=wp.float64)):
        """Write the row of a slot; a sign of -1 exchanges its two shapes."""
        write(row, 0, wp.vec3d(contacts.point[slot]))
        write(row, 3, sign * wp.vec3d(contacts.normal[slot]))
        row[6] = wp.float64(contacts.depth[slot])
        write(row, 7, sign * wp.vec3d(contacts.force[slot]))
        write(row, 10, sign * wp.vec3d(contacts.torque[slot]))

    @wp.func
    def is_loaded(contacts: Contacts, slot: int) -> bool:
        """Return whether a slot has a nonzero force, which may be NaN."""
        force = contacts.force[slot]
        return force[0] != scalar(0.0) or force[1] != scalar(0.0) or force[2] != scalar(0.0)

    @wp.kernel(module="unique", module_options=MODULE_OPTIONS)
    def read_points(
        contacts: Contacts,
        first: wp.array(dtype=wp.int32),
        second: wp.array(dtype=wp.int32),
        ends: wp.array(dtype=wp.int32),
        first_then: wp.array(dtype=wp.int32),
        second_then: wp.array(dtype=wp.int32),
        slots: wp.array(dtype=wp.int32),
        sign: wp.array(dtype=wp.float64),
        starts: wp.array(dtype=wp.int32),
        points: wp.array2d(dtype=wp.float64),
        wrenches: wp.array2d(dtype=wp.float64),
        has_changed: wp.array(dtype=wp.int32),
    ):
        """Write the points and the total wrench of each pair, and flag slots whose loaded shapes have changed.

        The shapes of a slot without load are -1. Torques are about the world's origin.
        """
        i = wp.tid()
        if i < first_then.shape[0]:
            a, b = int(-1), int(-1)
            if i < ends[ends.shape[0] - 1] and is_loaded(contacts, i):
                a = first[i]
                b = second[i]
            if a != first_then[i] or b != second_then[i]:
                has_changed[0] = 1
        if i < wrenches.shape[0]:
            force, torque = wp.vec3d(), wp.vec3d()
            for k in range(starts[i], starts[i + 1]):
                row = points[k]
                gather(contacts, slots[k], sign[k], row)
                f = wp.vec3d(row[7], row[8], row[9])
                force += f
                torque += wp.vec3d(row[10], row[11], row[12]) + wp.cross(wp.vec3d(row[0], row[1], row[2]), f)
            write(wrenches[i], 0, force)
            write(wrenches[i], 3, torque)

    return read_points
