# SPDX-FileCopyrightText: The inertia_tools authors
# SPDX-License-Identifier: Apache-2.0
"""The Warp structure of all that a step reads and writes.

Functions of the step that work on several parts of it take the scene, and the number of the island, body, joint or row.
Those that work on one part take that part.
"""

from functools import lru_cache
from typing import Any

import warp as wp

from inertia_tools.sim.kernels.collision_types import collision_types
from inertia_tools.sim.kernels.island_types import island_types
from inertia_tools.sim.kernels.precision import Precision


@lru_cache(maxsize=2)
def scene_type(p: Precision) -> Any:
    """Return the structure of one precision.

    It lies on the device, one entry of an array: hundreds of arrays as arguments would be copied by every launch.
    """
    collision, island = collision_types(p), island_types(p)

    @wp.struct
    class Scene:
        """The model and its state, how it is stepped, and what a step works in.

        Settings have one entry a world. Options have one an island: its world's settings, and the present substep.
        """

        bodies: p.Bodies  # from here on the model
        joints: p.Joints
        loops: p.Loops
        shapes: p.Shapes
        colliders: collision.Colliders
        clusters: island.Clusters
        settings: wp.array(dtype=p.Options)  # from here on what goes in
        control: p.Control
        state_in: p.State
        state_out: p.State  # from here on what comes out, and is kept for the next step
        contacts: p.Contacts
        rows: p.Rows
        anchored: collision.Anchored
        islands: island.Islands
        options: wp.array(dtype=p.Options)  # from here on what a substep works in
        body: wp.array(dtype=p.Body)
        joint: wp.array(dtype=p.Joint)
        dof: wp.array(dtype=p.Dof)
        system: p.System
        response: wp.array(dtype=p.vec6)  # change of velocity by impulses on an island; one entry a body
        meeting: wp.array(dtype=p.vec6)  # velocity at the instant of an impact, and after it; one entry a body

    return Scene
