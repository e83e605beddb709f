# SPDX-FileCopyrightText: The inertia_tools authors
# SPDX-License-Identifier: Apache-2.0
"""The floor or terrain of a simulation."""

from __future__ import annotations

import logging
from collections.abc import Sequence

import numpy as np

from inertia_tools.errors import OptionError
from inertia_tools.sim.builder import ModelBuilder
from inertia_tools.sim.importing.articulation import Articulation, has_ground, lowest_point
from inertia_tools.sim.scene.bodies import WORLD
from inertia_tools.sim.scene.heightfield import Heightfield
from inertia_tools.sim.scene.mesh_shape import Mesh

LOG = logging.getLogger(__name__)

FLOOR_TOLERANCE = 1e-6
"""Maximum depth of a bolted robot below the floor at the start; a deeper one gets no floor [m]."""


def add_floor(builder: ModelBuilder, placed: Sequence[Articulation], ground: bool | Heightfield | Mesh) -> None:
    """Add a floor at z = 0 unless a robot has its own; or terrain or a mesh instead; see `Simulation`.

    Raises:
        OptionError: `ground` is of another type.
    """
    if isinstance(ground, Heightfield):
        builder.add_shape_heightfield(heightfield=ground)
    elif isinstance(ground, Mesh):
        builder.add_shape_mesh(WORLD, mesh=ground)
    elif not isinstance(ground, bool | np.bool_ | None):
        raise OptionError("ground", ground, "True, False, a Heightfield or a Mesh")
    elif ground and not any(has_ground(one.robot) or _reaches_below(builder, one) for one in placed):
        builder.add_ground_plane()


def _reaches_below(builder: ModelBuilder, placed: Articulation) -> bool:
    """Return whether a bolted robot penetrates the floor, which could not push it out."""
    if not placed.fixed_base:
        return False
    lowest = lowest_point(builder, {place.body for place in placed.links.values()})
    if lowest < -FLOOR_TOLERANCE:
        name = placed.robot.name
        LOG.warning("%s is fixed to the world and reaches %.3f m below z = 0; the floor is omitted", name, -lowest)
    return lowest < -FLOOR_TOLERANCE
