# SPDX-FileCopyrightText: The inertia_tools authors
# SPDX-License-Identifier: Apache-2.0
"""The bodies of a scene as lists of one quantity each, by the names that Newton uses."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from inertia_tools.errors import OptionError
from inertia_tools.sim.scene.bodies import SceneBodies
from inertia_tools.sim.scene.columns import ColumnOf
from inertia_tools.sim.scene.flags import BodyFlags
from inertia_tools.sim.scene.xform import as_pose, as_transform
from inertia_tools.spatial import Array


def body_count(scene: SceneBodies) -> int:
    """Return the number of bodies of a scene."""
    return scene.body_count


def _place(scene: SceneBodies, body: int, xform: Any) -> None:
    scene.body_pose[body] = as_pose(xform)
    scene.body_placed[body] = True


def _flags(scene: SceneBodies, body: int) -> BodyFlags:
    return BodyFlags.KINEMATIC if scene.body_kinematic[body] else BodyFlags.DYNAMIC


def _set_flags(scene: SceneBodies, body: int, flags: int) -> None:
    if int(flags) not in (BodyFlags.DYNAMIC, BodyFlags.KINEMATIC):
        raise OptionError(f"body_flags of {scene.body_name[body]!r}", flags, "BodyFlags.DYNAMIC or BodyFlags.KINEMATIC")
    scene.body_kinematic[body] = bool(int(flags) & BodyFlags.KINEMATIC)


def _lock(scene: SceneBodies, body: int, is_locked: bool) -> None:
    scene.body_locked[body] = bool(is_locked)


def _inverse_mass(scene: SceneBodies, body: int) -> float:
    mass = scene.body_mass[body]
    return 1.0 / mass if mass > 0.0 else 0.0


def _inverse_inertia(scene: SceneBodies, body: int) -> Array:
    """Return the inverse of a tensor, or zero if it is singular, as for bodies that do not rotate."""
    tensor = np.asarray(scene.body_inertia[body], dtype=np.float64)
    try:
        return np.asarray(np.linalg.inv(tensor))
    except np.linalg.LinAlgError:
        return np.zeros((3, 3))


@dataclass
class BodyColumns(SceneBodies):
    """Lists with one entry per body; values written to them are stored in the scene."""

    body_q = ColumnOf(
        body_count,
        lambda scene, body: as_transform(scene.body_pose[body]),
        _place,
        "Initial pose of each body frame in the world, a Warp transform.",
    )
    body_flags = ColumnOf(body_count, _flags, _set_flags, "Motion type of each body, `BodyFlags`.")
    body_lock_inertia = ColumnOf(
        body_count,
        lambda scene, body: scene.body_locked[body],
        _lock,
        "Whether shapes leave the mass properties of each body unchanged.",
    )
    body_inv_mass = ColumnOf(body_count, _inverse_mass, None, "Inverse mass [1/kg]; zero for a body without mass.")
    body_inv_inertia = ColumnOf(
        body_count, _inverse_inertia, None, "Inverse of the inertia tensor [1/(kg m^2)], shape (3, 3)."
    )
