# SPDX-FileCopyrightText: The inertia_tools authors
# SPDX-License-Identifier: Apache-2.0
"""The floor or terrain of a simulation."""

from __future__ import annotations

import logging
from collections.abc import Sequence

import numpy as np

from inertia_tools.errors import OptionError
from inertia_tools.sim.builder import ModelBuilder
from inertia_tools.sim.importing.articulation import Articulation, lowest_point
from inertia_tools.sim.scene.bodies import WORLD
from inertia_tools.sim.scene.heightfield import Heightfield
from inertia_tools.sim.scene.mesh_shape import Mesh

LOG = logging.getLogger(__name__)

FLOOR_TOLERANCE = 1e-6
"""Maximum depth of a bolted robot below the floor at the start; a deeper one passes through the floor [m]."""


def add_floor(builder: ModelBuilder, placed: Sequence[Articulation], ground: bool | Heightfield | Mesh) -> None:
    """Add a floor at z = 0, or terrain or a mesh; see `Simulation`.

    A bolted robot that reaches below the floor, which could not push it out, does not touch it. Without any other robot
    there is no floor.

    Raises:
        OptionError: `ground` is of another type.
    """
    if isinstance(ground, Heightfield):
        builder.add_shape_heightfield(heightfield=ground)
    elif isinstance(ground, Mesh):
        builder.add_shape_mesh(WORLD, mesh=ground)
    elif not isinstance(ground, bool | np.bool_ | None):
        raise OptionError("ground", ground, "True, False, a Heightfield or a Mesh")
    elif ground:
        deep = [one for one in placed if _reaches_below(builder, one)]
        if len(deep) < len(placed):
            floor = builder.add_ground_plane()
            bodies = {place.body for one in deep for place in one.links.values()} - {WORLD}
            for index, shape in enumerate(builder.shapes):
                if shape.body in bodies:
                    builder.add_shape_collision_filter_pair(index, floor)


def _reaches_below(builder: ModelBuilder, placed: Articulation) -> bool:
    """Return whether a bolted robot penetrates the floor, which could not push it out."""
    if not placed.fixed_base:
        return False
    lowest = lowest_point(builder, {place.body for place in placed.links.values()})
    if lowest < -FLOOR_TOLERANCE:
        name = placed.robot.name
        LOG.warning("%s is fixed to the world and reaches %.3f m below z = 0; it has no floor", name, -lowest)
    return lowest < -FLOOR_TOLERANCE
