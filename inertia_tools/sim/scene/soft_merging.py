# SPDX-FileCopyrightText: The inertia_tools authors
# SPDX-License-Identifier: Apache-2.0
"""Adding the particles of one scene, and what deforms between them, to another."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import fields
from typing import Any

import numpy as np

from inertia_tools.sim.scene.soft_elements import SURFACE_RANGES, VOLUME_RANGES, SceneElements
from inertia_tools.sim.scene.soft_topology import counted_on
from inertia_tools.spatial import Pose

LISTS = ("particle_", "spring_", "tri_", "edge_", "tet_", "attachment_particle_body_")
"""What lists of soft bodies begin with."""

OF_PARTICLES = ("tri_indices", "edge_indices", "tet_indices")
"""Lists of elements, each with the indices of its particles."""


def add_soft_parts(
    scene: Any, other: Any, pose: Pose, bodies: int, world: Callable[[int], int], named: Callable[[str], str]
) -> None:
    """Add the particles and elements of another scene.

    Args:
        scene: The scene to add to.
        other: The scene to add, which stays as it is.
        pose: Pose of its frame in that of the first one.
        bodies: Index that its first body has there.
        world: Returns the world there, of a world of its own.
        named: Returns the name there, of a name of its own.
    """
    if not isinstance(scene, SceneElements) or not isinstance(other, SceneElements):
        return
    first = scene.particle_count
    counts = {"particle": first, "tri": scene.tri_count, "edge": scene.edge_count, "tet": scene.tet_count}
    scene.surface_label.extend(map(named, other.surface_label))
    scene.volume_label.extend(map(named, other.volume_label))
    for name in (*SURFACE_RANGES, *VOLUME_RANGES):
        step = counts[name.split("_")[1]]
        getattr(scene, name).extend(index + step for index in getattr(other, name))
    for one in fields(SceneElements):
        if one.name.startswith(LISTS) and isinstance(getattr(other, one.name), list):
            getattr(scene, one.name).extend(_moved(one.name, getattr(other, one.name), pose, first, bodies, world))


def _moved(name: str, values: list[Any], pose: Pose, first: int, bodies: int, world: Callable[[int], int]) -> list[Any]:
    """Return the entries of one list as they are in the other scene."""
    if not values:
        return []
    if name == "particle_q":
        return list(pose.transform_points(np.array(values, dtype=np.float64)))
    if name == "particle_qd":
        return list(np.array(values, dtype=np.float64) @ pose.rotation.T)
    if name in OF_PARTICLES:
        return list(counted_on(np.array(values, dtype=np.int32), first))
    if name in ("spring_indices", "attachment_particle_body_particle"):
        return [index + first for index in values]
    if name == "attachment_particle_body_body":
        return [body + bodies for body in values]
    if name == "particle_world":
        return [world(own) for own in values]
    return list(values)
