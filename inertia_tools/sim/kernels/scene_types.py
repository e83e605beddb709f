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

        bodies: wp.array(dtype=p.Bodies)
        joints: wp.array(dtype=p.Joints)
        loops: wp.array(dtype=p.Loops)
        shapes: wp.array(dtype=p.Shapes)
        control: wp.array(dtype=p.Control)
        contacts: wp.array(dtype=p.Contacts)
        rows: wp.array(dtype=p.Rows)
        anchored: wp.array(dtype=collision.Anchored)
        colliders: wp.array(dtype=collision.Colliders)
        work: wp.array(dtype=p.Work)
        system: wp.array(dtype=p.System)
        jw: wp.array(dtype=p.JointWork)
        clusters: wp.array(dtype=island.Clusters)
        islands: wp.array(dtype=island.Islands)
        settings: wp.array(dtype=p.Options)
        options: wp.array(dtype=p.Options)
        state_in: wp.array(dtype=p.State)
        state_out: wp.array(dtype=p.State)

    return Scene
