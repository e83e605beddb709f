# SPDX-FileCopyrightText: The inertia_tools authors
# SPDX-License-Identifier: Apache-2.0
"""Equality constraints of MuJoCo whose bodies were merged into others."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from inertia_tools.sim.scene.mujoco_kinds import EQUALITIES, NAMESPACE, EqType
from inertia_tools.sim.scene.scene import Scene
from inertia_tools.sim.scene.xform import as_pose
from inertia_tools.spatial import Pose, quaternion_from_rotation

if TYPE_CHECKING:
    from inertia_tools.sim.scene.body_place import BodyPlace

NAMES = ("type", "body1", "body2", "anchor", "relpose")


def move_equalities(builder: Scene, places: Sequence[BodyPlace]) -> None:
    """Give equalities of bodies the anchors and poses that they have on what the bodies are part of now.

    A point is anchored on the first body, a weld on the second, whose pose seen from the first it keeps.

    Args:
        builder: The scene, whose equalities refer to the bodies by the indices that they had.
        places: Where each body went, by the index it had.
    """
    columns = [builder.custom_attributes.get(f"{NAMESPACE}:equality_constraint_{name}") for name in NAMES]
    if any(column is None for column in columns):
        return
    kind, one, other, anchor, between = (column.stated for column in columns if column is not None)

    def moved(bodies: dict[Any, Any], row: int) -> Pose:
        body = int(np.ravel(bodies.get(row, -1))[0])
        return places[body].pose if 0 <= body < len(places) else Pose()

    for row in range(builder.custom_row_count(EQUALITIES)):
        is_point = int(np.ravel(kind.get(row, EqType.CONNECT))[0]) == EqType.CONNECT
        if row in anchor:
            place = moved(one if is_point else other, row)
            anchor[row] = place.transform_points(np.asarray(anchor[row], dtype=np.float64))
        if row in between and np.asarray(between[row])[3:].any():
            pose = moved(one, row) @ as_pose(between[row]) @ moved(other, row).inverse()
            between[row] = np.array([*pose.position, *quaternion_from_rotation(pose.rotation)])
    for column, moved_values in zip(columns[3:], (anchor, between), strict=True):
        assert column is not None
        column.values = moved_values
