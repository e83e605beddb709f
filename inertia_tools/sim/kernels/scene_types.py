# SPDX-FileCopyrightText: The inertia_tools authors
# SPDX-License-Identifier: Apache-2.0
"""The Warp structure of all that a step reads and writes.

What goes through the whole step takes it: kernels, and functions that call those of bodies, rows, joints and islands.
These take the structures that they work on.
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

    It lies on the device, one entry of an array: hundreds of arrays as arguments would be copied by every launch. So
    does each of its parts: a compiler is long over a structure that holds all of them.
    """
    collision, island = collision_types(p), island_types(p)

    @wp.struct
    class Scene:
        """The scene, where it is, and how it is stepped: arrays of one entry, but for settings and options.

        Settings have one entry a world. Options have one an island: its world's settings, and the present substep.
        """

        bodies: p.Bodies
        joints: p.Joints
        loops: p.Loops
        shapes: p.Shapes
        control: p.Control
        contacts: p.Contacts
        rows: p.Rows
        anchored: collision.Anchored
        colliders: collision.Colliders
        work: p.Work
        system: p.System
        jw: p.JointWork
        clusters: island.Clusters
        islands: island.Islands
        settings: wp.array(dtype=p.Options)
        options: wp.array(dtype=p.Options)
        state_in: p.State
        state_out: p.State

    return Scene
