# SPDX-FileCopyrightText: The inertia_tools authors
# SPDX-License-Identifier: Apache-2.0
"""Contact points that bear, gathered on the device into one table in double precision."""

from functools import lru_cache
from types import SimpleNamespace
from typing import Any

import warp as wp

from inertia_tools.kernel_loading import MODULE_OPTIONS
from inertia_tools.sim.device.precision import Precision

POSITION, NORMAL, DEPTH, FORCE, TORQUE = slice(0, 3), slice(3, 6), 6, slice(7, 10), slice(10, 13)
"""Columns of the table."""

OF_POINT, OF_PAIR = 13, 6
"""Numbers of a point, in those columns, and of a pair of bodies: force and torque."""


@lru_cache(maxsize=2)
def contact_point_kernels(p: Precision) -> Any:
    """Return the kernels of one precision."""
    scalar, Contacts = p.scalar, p.Contacts

    @wp.func
    def write(row: wp.array(dtype=wp.float64), first: int, value: wp.vec3d):
        """Write a vector."""
        for k in range(3):
            row[first + k] = value[k]

    @wp.kernel(module="unique", module_options=MODULE_OPTIONS)
    def compare(
        contacts: Contacts,
        first: wp.array(dtype=wp.int32),
        second: wp.array(dtype=wp.int32),
        ends: wp.array(dtype=wp.int32),
        first_then: wp.array(dtype=wp.int32),
        second_then: wp.array(dtype=wp.int32),
        is_other: wp.array(dtype=wp.int32),
    ):
        """Note that a slot bears between other shapes than then; -1 where it does not bear."""
        slot = wp.tid()
        a, b = int(-1), int(-1)
        if slot < ends[ends.shape[0] - 1] and wp.max(wp.abs(contacts.force[slot])) > scalar(0.0):
            a = first[slot]
            b = second[slot]
        if a != first_then[slot] or b != second_then[slot]:
            is_other[0] = 1

    @wp.kernel(module="unique", module_options=MODULE_OPTIONS)
    def gather(
        contacts: Contacts,
        slots: wp.array(dtype=wp.int32),
        sign: wp.array(dtype=wp.float64),
        points: wp.array2d(dtype=wp.float64),
    ):
        """Write a row for each of some slots; a sign of -1 swaps its two shapes."""
        i = wp.tid()
        slot, s, row = slots[i], sign[i], points[i]
        write(row, 0, wp.vec3d(contacts.point[slot]))
        write(row, 3, s * wp.vec3d(contacts.normal[slot]))
        row[6] = wp.float64(contacts.depth[slot])
        write(row, 7, s * wp.vec3d(contacts.force[slot]))
        write(row, 10, s * wp.vec3d(contacts.torque[slot]))

    @wp.kernel(module="unique", module_options=MODULE_OPTIONS)
    def sum_up(
        points: wp.array2d(dtype=wp.float64), starts: wp.array(dtype=wp.int32), wrenches: wp.array2d(dtype=wp.float64)
    ):
        """Write the force of all points of each pair, and their torque about the world's origin."""
        pair = wp.tid()
        force, torque = wp.vec3d(), wp.vec3d()
        for i in range(starts[pair], starts[pair + 1]):
            row = points[i]
            f = wp.vec3d(row[7], row[8], row[9])
            force += f
            torque += wp.vec3d(row[10], row[11], row[12]) + wp.cross(wp.vec3d(row[0], row[1], row[2]), f)
        write(wrenches[pair], 0, force)
        write(wrenches[pair], 3, torque)

    return SimpleNamespace(compare=compare, gather=gather, sum_up=sum_up)
