# SPDX-FileCopyrightText: The inertia_tools authors
# SPDX-License-Identifier: Apache-2.0
"""The Warp structure of all data of a step.

Functions that need several parts of it take the scene and the number of an island, body, joint or row. Functions that
need one part take that part.
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
        """The model, its state and the settings, and the data that a step works in.

        Settings have one entry a world. Options have one an island: a copy of its world's settings, and the present
        substep.
        """

        bodies: p.Bodies  # from here on the model
        joints: p.Joints
        loops: p.Loops
        shapes: p.Shapes
        colliders: collision.Colliders
        clusters: island.Clusters
        settings: wp.array(dtype=p.Options)  # from here on inputs
        control: p.Control
        state_in: p.State
        state_out: p.State  # from here on outputs, and memory for the next step
        contacts: p.Contacts
        rows: p.Rows
        anchored: collision.Anchored
        islands: island.Islands
        options: wp.array(dtype=p.Options)  # from here on data of a substep
        body: wp.array(dtype=p.Body)
        joint: wp.array(dtype=p.Joint)
        dof: wp.array(dtype=p.Dof)
        system: p.System
        response: wp.array(dtype=p.vec6)  # change of velocity by impulses on an island; one entry a body
        meeting: wp.array(dtype=p.vec6)  # velocity at the instant of an impact, and after it; one entry a body

    return Scene
