# SPDX-FileCopyrightText: The inertia_tools authors
# SPDX-License-Identifier: Apache-2.0
"""The contacts of a scene as a compact list on the device."""

from functools import lru_cache
from types import SimpleNamespace
from typing import Any

import warp as wp

from inertia_tools.kernel_loading import MODULE_OPTIONS
from inertia_tools.sim.kernels.precision import Precision


@lru_cache(maxsize=2)
def contact_list_types(p: Precision) -> Any:
    """Return the structure of one precision, and the kernel that fills it after a step."""
    scalar, vec3, vec6 = p.scalar, p.vec3, p.vec6
    Shapes, Contacts, State = p.Shapes, p.Contacts, p.State

    @wp.struct
    class ContactList:
        """Contacts, one entry each; normals point from the first shape to the second.

        The first shape is the one of the lower `GeoType`; for equal types, the one that was added first.
        """

        count: wp.array(dtype=wp.int32)
        shape0: wp.array(dtype=wp.int32)
        shape1: wp.array(dtype=wp.int32)
        point0: wp.array(dtype=vec3)  # on the first shape, in the frame of its body or in the world [m]
        point1: wp.array(dtype=vec3)
        offset0: wp.array(dtype=vec3)  # zero: points lie on the shapes
        offset1: wp.array(dtype=vec3)
        normal: wp.array(dtype=vec3)
        margin0: wp.array(dtype=scalar)
        margin1: wp.array(dtype=scalar)

    @wp.func
    def in_body(state: State, body: int, point: vec3) -> vec3:
        """Return a point of the world in the frame of a body."""
        if body < 0:
            return point
        return wp.transform_point(wp.transform_inverse(state.q[body]), point)

    @wp.func
    def comes_first(types: wp.array(dtype=wp.int32), a: int, b: int) -> bool:
        """Return whether shape a comes before shape b."""
        return types[a] < types[b] or (types[a] == types[b] and a < b)

    @wp.kernel(module="unique", module_options=MODULE_OPTIONS)
    def list_step(
        contacts: Contacts,
        first: wp.array(dtype=wp.int32),
        second: wp.array(dtype=wp.int32),
        ends: wp.array(dtype=wp.int32),
        types: wp.array(dtype=wp.int32),
        shapes: Shapes,
        state: State,
        listed: ContactList,
        wrench: wp.array(dtype=vec6),
    ):
        """List the slots that have a row or a force in the last step, in order, with the wrench on the first body."""
        n = int(0)
        for i in range(ends[ends.shape[0] - 1]):
            force, torque = vec3(contacts.force[i]), vec3(contacts.torque[i])
            if n < wrench.shape[0] and (contacts.has_row[i] == 1 or wp.length_sq(force) > scalar(0.0)):
                a, b = int(first[i]), int(second[i])
                normal = vec3(contacts.normal[i])  # from the second towards the first
                if not comes_first(types, a, b):
                    a = int(second[i])
                    b = int(first[i])
                    normal = -normal
                    force = -force
                    torque = -torque
                half = scalar(0.5) * contacts.depth[i] * normal
                listed.shape0[n] = a
                listed.shape1[n] = b
                listed.point0[n] = in_body(state, shapes.body[a], contacts.point[i] - half)
                listed.point1[n] = in_body(state, shapes.body[b], contacts.point[i] + half)
                listed.normal[n] = -normal
                listed.margin0[n] = shapes.margin[a]
                listed.margin1[n] = shapes.margin[b]
                wrench[n] = vec6(force[0], force[1], force[2], torque[0], torque[1], torque[2])
                n += 1
        listed.count[0] = n
        for k in range(n, wrench.shape[0]):
            wrench[k] = vec6()

    return SimpleNamespace(ContactList=ContactList, list_step=list_step)
