# SPDX-FileCopyrightText: The inertia_tools authors
# SPDX-License-Identifier: Apache-2.0
"""What a robot in a simulation stands on."""

from __future__ import annotations

import logging

import numpy as np

from inertia_tools.description.types import Description
from inertia_tools.errors import OptionError
from inertia_tools.sim.builder import ModelBuilder
from inertia_tools.sim.importing.articulation import Articulation, has_ground, lowest_point
from inertia_tools.sim.scene.bodies import WORLD
from inertia_tools.sim.scene.heightfield import Heightfield
from inertia_tools.sim.scene.mesh_shape import Mesh

LOG = logging.getLogger(__name__)

FLOOR_TOLERANCE = 1e-6
"""A bolted robot may reach this far below the floor at the start [m]."""


def add_floor(
    builder: ModelBuilder, robot: Description, placed: Articulation, ground: bool | Heightfield | Mesh
) -> None:
    """Put a floor at z = 0, unless the robot brings its own; or terrain or triangles instead, as `Simulation` says.

    Raises:
        OptionError: It is nothing of the kind.
    """
    if isinstance(ground, Heightfield):
        builder.add_shape_heightfield(heightfield=ground)
    elif isinstance(ground, Mesh):
        builder.add_shape_mesh(WORLD, mesh=ground)
    elif not isinstance(ground, bool | np.bool_ | None):
        raise OptionError("ground", ground, "True, False, a Heightfield or a Mesh")
    elif ground and not has_ground(robot) and not _reaches_below(builder, robot, placed):
        builder.add_ground_plane()


def _reaches_below(builder: ModelBuilder, robot: Description, placed: Articulation) -> bool:
    """Tell whether a robot that is bolted down stands in the floor, which cannot push it out then."""
    if not placed.fixed_base:
        return False
    lowest = lowest_point(builder)
    if lowest < -FLOOR_TOLERANCE:
        LOG.warning("%s is bolted down and reaches %.3f m below z = 0; the floor is left out", robot.name, -lowest)
    return lowest < -FLOOR_TOLERANCE
