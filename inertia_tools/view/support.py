# SPDX-FileCopyrightText: The inertia_tools authors
# SPDX-License-Identifier: Apache-2.0
"""The support polygon: the contact region of a robot on level ground, and whether its centre of mass is above it."""

from __future__ import annotations

from collections.abc import Mapping
from contextlib import suppress
from dataclasses import dataclass

import numpy as np

from inertia_tools.description.types import Description, Link
from inertia_tools.errors import MeshError
from inertia_tools.geometry.extent import shape_points
from inertia_tools.geometry.planar_hull import inside_margin, planar_hull
from inertia_tools.spatial import Array, Pose

TOUCHING = 0.01
"""Points above the lowest one by at most this fraction of the robot's height also count as touching the ground.

Soles and wheels of real robots do so after settling by that little.
"""


@dataclass(frozen=True, eq=False)
class Support:
    """The contact of a robot with level ground, at joint positions zero.

    Attributes:
        polygon: Corners of the support polygon, counter-clockwise seen from above [m], shape (n, 2); fewer than three
            if it touches at a point or along a line.
        height: Height of the ground [m].
    """

    polygon: Array
    height: float

    def margin(self, point: Array) -> float | None:
        """Return the distance of a point inside the polygon's nearest edge, negative outside [m]; None without an area.

        Args:
            point: The centre of mass [m], shape (3,); its height is not used.
        """
        return inside_margin(np.asarray(point)[:2], self.polygon) if len(self.polygon) > 2 else None


def support(robot: Description, poses: Mapping[str, Pose]) -> Support | None:
    """Return the support of a robot; None without geometry.

    Args:
        robot: The description.
        poses: Poses of its links, z upwards.
    """
    clouds = [poses[link.name].transform_points(_points(link)) for link in robot.links.values()]
    points = np.concatenate([np.zeros((0, 3)), *clouds])
    if not len(points):
        return None
    low, high = float(points[:, 2].min()), float(points[:, 2].max())
    return Support(planar_hull(points[points[:, 2] <= low + TOUCHING * (high - low), :2]), low)


def _points(link: Link) -> Array:
    """Return points that span a link's collisions, without missing meshes [m], shape (n, 3)."""
    clouds = [np.zeros((0, 3))]
    for shape in link.collisions or link.visuals:
        with suppress(MeshError):  # the check reports it
            clouds.append(shape_points(shape))
    return np.concatenate(clouds)
