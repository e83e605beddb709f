# SPDX-FileCopyrightText: The inertia_tools authors
# SPDX-License-Identifier: Apache-2.0
"""Positions and distances of contact points after bodies have moved."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
import warp as wp

from inertia_tools.errors import OptionError
from inertia_tools.spatial import Array, rotation_from_quaternion

if TYPE_CHECKING:
    from inertia_tools.sim.device.contacts import Contacts
    from inertia_tools.sim.device.state import State
    from inertia_tools.sim.model.model import Model


def eval_rigid_contact_kinematics(
    model: Model,
    state: State,
    contacts: Contacts,
    *,
    out_distance: Any = None,
    out_point0_world: Any = None,
    out_point1_world: Any = None,
) -> None:
    """Compute the positions of contact points (`Contacts.rigid_contact_*`) in a state.

    Points move with their bodies; normals keep their detected directions. The distance is n . (p1 - p0) minus both
    margins.

    Args:
        model: The scene.
        state: State with the poses of the bodies.
        contacts: The contacts.
        out_distance: Warp array that receives the distance of each contact [m], negative if shapes overlap.
        out_point0_world: Warp array that receives the point on the first shape in the world [m].
        out_point1_world: Warp array that receives the point on the second shape in the world [m].

    Raises:
        OptionError: No array is given, or an array is too short or has another type.
    """
    count, p = int(contacts.rigid_contact_count.numpy()[0]), model.precision
    wanted = {
        "out_distance": (out_distance, p.scalar),
        "out_point0_world": (out_point0_world, p.vec3),
        "out_point1_world": (out_point1_world, p.vec3),
    }
    if all(array is None for array, _ in wanted.values()):
        raise OptionError("out_distance", None, "an array, or one of " + ", ".join([*wanted][1:]))
    for name, (array, kind) in wanted.items():
        if array is not None and not (isinstance(array, wp.array) and wp.types.types_equal(array.dtype, kind)):
            raise OptionError(name, type(array).__name__, f"a Warp array of {wp.types.type_repr(kind)}")
        if array is not None and len(array) < count:
            raise OptionError(name, f"of length {len(array)}", f"of length {count} or more")
    points = [_in_world(model, state, contacts, side, count) for side in (0, 1)]
    margins = contacts.rigid_contact_margin0.numpy()[:count] + contacts.rigid_contact_margin1.numpy()[:count]
    normals = contacts.rigid_contact_normal.numpy()[:count].astype(np.float64)
    distances = np.sum(normals * (points[1] - points[0]), axis=1) - margins
    for (array, _), values in zip(wanted.values(), (distances, *points), strict=True):
        if array is not None and count:
            array[:count].assign(values)


def _in_world(model: Model, state: State, contacts: Contacts, side: int, count: int) -> Array:
    """Return the points on one side of all contacts in the world [m], shape (n, 3)."""
    shapes, points = (getattr(contacts, f"rigid_contact_{kind}{side}").numpy()[:count] for kind in ("shape", "point"))
    bodies, poses = model.shape_body.numpy()[shapes], state.body_q.numpy().astype(np.float64)
    positions: Array = points.astype(np.float64)
    for row in np.flatnonzero(bodies >= 0):
        pose = poses[bodies[row]]
        positions[row] = pose[:3] + rotation_from_quaternion(pose[3:]) @ positions[row]
    return positions
