# SPDX-FileCopyrightText: The inertia_tools authors
# SPDX-License-Identifier: Apache-2.0
"""Surfaces of links for display: triangles of their visuals, or of their collisions if they have none."""

from __future__ import annotations

import logging
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np

from inertia_tools.description.types import Description, Link, Mesh, Plane, Shape
from inertia_tools.errors import InertiaToolsError
from inertia_tools.geometry.mesh.file import read_mesh
from inertia_tools.geometry.mesh.triangles import TriangleMesh
from inertia_tools.geometry.tessellation import shape_surface
from inertia_tools.spatial import Array, Pose

LOG = logging.getLogger(__name__)

RING = 32
"""Points per circle of round shapes."""

GREY = (0.7, 0.7, 0.72)
"""Colour of shapes that state none: red, green, blue from 0 to 1."""


@dataclass(frozen=True, eq=False)
class LinkSurface:
    """Triangles of one shape.

    Attributes:
        shape: The shape.
        mesh: Its triangles in its own frame, unscaled as in its file.
        colour: Red, green, blue from 0 to 1.
    """

    shape: Shape
    mesh: TriangleMesh
    colour: tuple[float, float, float]

    @cached_property
    def vertices(self) -> Array:
        """Corners in the link's frame [m], shape (n, 3)."""
        return self.shape.pose_link_shape.transform_points(self.mesh.vertices)

    @property
    def triangles(self) -> np.ndarray:
        """Three indices each, shape (m, 3)."""
        return self.mesh.triangles


def link_surfaces(link: Link) -> Iterator[LinkSurface]:
    """Yield the surfaces of a link; a shape that cannot be shown is reported in the log."""
    lost: list[str] = []
    yield from shape_surfaces(link.visuals or link.collisions, lost)
    for reason in lost:
        LOG.warning("link %r: a shape is not shown: %s", link.name, reason)


def shape_surfaces(shapes: Iterable[Shape], lost: list[str]) -> Iterator[LinkSurface]:
    """Yield the surfaces of shapes.

    Args:
        shapes: The shapes of a link.
        lost: Receives the reasons for missing shapes, with their places in the file.
    """
    for shape in shapes:
        if isinstance(shape.geometry, Plane):
            continue  # the grid represents the ground
        try:
            mesh = _triangles(shape)
        except InertiaToolsError as error:
            lost.append(f"{shape.place}: {error}")
            continue
        if mesh is not None:
            colour = GREY if shape.colour is None else shape.colour[:3]
            yield LinkSurface(shape, mesh, colour)


def radius_of(surfaces: Iterable[LinkSurface]) -> float:
    """Return half the diagonal of the box about the surfaces of a link [m]; zero without any."""
    return radius_about([surface.vertices for surface in surfaces])


def radius_of_robot(robot: Description, surfaces: Mapping[str, Iterable[LinkSurface]]) -> float:
    """Return half the diagonal of the box about a robot at joint positions zero [m]; zero without geometry.

    Args:
        robot: The robot.
        surfaces: Surfaces of its links, by their names.
    """
    poses = robot.link_poses
    clouds = [poses[name].transform_points(one.vertices) for name, shown in surfaces.items() for one in shown]
    return radius_about([*clouds, np.array([pose.position for pose in poses.values()])]) if clouds else 0.0


def radius_about(clouds: Sequence[Array]) -> float:
    """Return half the diagonal of the box about points, shape (n, 3) each [m]; zero without any."""
    ends = np.array([end for cloud in clouds if len(cloud) for end in (cloud.min(axis=0), cloud.max(axis=0))])
    return 0.5 * float(np.linalg.norm(np.ptp(ends, axis=0))) if len(ends) else 0.0


def _triangles(shape: Shape) -> TriangleMesh | None:
    """Return the triangles of a shape in its own frame, with any holes; None if it has none.

    Raises:
        InertiaToolsError: It cannot be read.
    """
    if isinstance(shape.geometry, Mesh):
        return read_mesh(shape.geometry)
    surface = shape_surface(replace(shape, pose_link_shape=Pose()), RING)
    return None if surface is None else TriangleMesh(surface.vertices, surface.triangles)
