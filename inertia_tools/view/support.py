# SPDX-FileCopyrightText: The inertia_tools authors
# SPDX-License-Identifier: Apache-2.0
"""The support polygon: where a robot would touch level ground, and whether its centre of mass is above that."""

from __future__ import annotations

from collections.abc import Mapping
from contextlib import suppress
from dataclasses import dataclass

import numpy as np

from inertia_tools.description.types import Description, Link
from inertia_tools.errors import MeshError
from inertia_tools.geometry.extent import shape_points
from inertia_tools.spatial import Array, Pose

TOUCHING = 0.01
"""Points that lie higher than the lowest by this ratio of the robot's height touch the ground too, as soles and wheels
of real robots do after they have settled by that little."""


@dataclass(frozen=True, eq=False)
class Support:
    """Where a robot touches level ground, at joint positions zero.

    Attributes:
        polygon: Corners of the support polygon, counter-clockwise seen from above [m], shape (n, 2); fewer than three
            where it touches at a point or along a line.
        height: Height of the ground [m].
    """

    polygon: Array
    height: float

    def margin(self, point: Array) -> float | None:
        """Return how far a point lies inside the polygon's nearest edge, negative outside [m]; None without an area.

        Args:
            point: The centre of mass [m], shape (3,); its height does not matter.
        """
        if len(self.polygon) < 3:
            return None
        starts = self.polygon
        edges = np.roll(starts, -1, axis=0) - starts
        offsets = np.asarray(point)[:2] - starts
        along = np.clip((offsets * edges).sum(axis=1) / (edges**2).sum(axis=1), 0.0, 1.0)
        distance = float(np.linalg.norm(offsets - along[:, None] * edges, axis=1).min())
        is_inside = bool((edges[:, 0] * offsets[:, 1] - edges[:, 1] * offsets[:, 0] >= 0.0).all())
        return distance if is_inside else -distance


def support(robot: Description, poses: Mapping[str, Pose]) -> Support | None:
    """Return where a robot would stand; None when it has no geometry to stand on.

    Args:
        robot: The description.
        poses: Where its links are, z upwards.
    """
    clouds = [poses[link.name].transform_points(_points(link)) for link in robot.links.values()]
    points = np.concatenate([np.zeros((0, 3)), *clouds])
    if not len(points):
        return None
    low, high = float(points[:, 2].min()), float(points[:, 2].max())
    return Support(hull_of(points[points[:, 2] <= low + TOUCHING * (high - low), :2]), low)


def _points(link: Link) -> Array:
    """Return points that span what a link touches others with, without meshes that are missing [m], shape (n, 3)."""
    clouds = [np.zeros((0, 3))]
    for shape in link.collisions or link.visuals:
        with suppress(MeshError):  # of which the check says more
            clouds.append(shape_points(shape))
    return np.concatenate(clouds)


def hull_of(points: Array) -> Array:
    """Return the corners of the convex hull of points of a plane, counter-clockwise, shape (k, 2).

    Andrew's monotone chain (1979).
    """
    ordered = np.unique(points, axis=0)
    if len(ordered) < 3:
        return ordered
    chain = [*_half(ordered), *_half(ordered[::-1])]
    return np.array(chain)


def _half(points: Array) -> list[Array]:
    """Return the corners of one side of the hull of points in order, without the last."""
    kept: list[Array] = []
    for point in points:
        while len(kept) > 1 and _turn(kept[-2], kept[-1], point) <= 0.0:
            kept.pop()
        kept.append(point)
    return kept[:-1]


def _turn(a: Array, b: Array, c: Array) -> float:
    """Return twice the area of a triangle, positive where it is walked counter-clockwise [m^2]."""
    return float((b[0] - a[0]) * (c[1] - a[1]) - (b[1] - a[1]) * (c[0] - a[0]))
