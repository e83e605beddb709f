# SPDX-FileCopyrightText: The inertia_tools authors
# SPDX-License-Identifier: Apache-2.0
"""A robot as displayed by the page: shapes, solids of equal inertia, centre of mass and support polygon."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

from inertia_tools.description.types import Geometry, Link
from inertia_tools.inertia.correction import Correction
from inertia_tools.inertia.link_inertial import LinkInertial
from inertia_tools.inertia.report import LinkReport, ModelTotals
from inertia_tools.inertial import Inertial
from inertia_tools.spatial import Array, Pose
from inertia_tools.view.decimation import decimated, shares
from inertia_tools.view.inertia_solids import InertiaSolids, inertia_solids, is_outsized
from inertia_tools.view.link_surfaces import LinkSurface, radius_of, radius_of_robot, shape_surfaces
from inertia_tools.view.report.packing import MeshPack
from inertia_tools.view.support import Support, support

DIGITS = 9
"""Significant digits of numbers for drawing: more than single precision, which graphics cards compute in."""


@dataclass(frozen=True, eq=False)
class RobotScene:
    """The page's scene of a robot.

    Attributes:
        entry: The scene as JSON.
        triangles: Triangles of all meshes, each mesh counted once.
        drawn: Number of triangles in the page.
        lost: Why shapes are missing in the scene, one sentence each.
        support: Support polygon of the robot; None for a world, or without geometry.
        margin: Distance of the centre of mass inside the support polygon after the correction [m]; None without one.
    """

    entry: dict[str, Any]
    triangles: int
    drawn: int
    lost: tuple[str, ...]
    support: Support | None
    margin: float | None


def robot_scene(correction: Correction, most: int) -> RobotScene:
    """Return a robot before and after its correction, at joint positions zero.

    Args:
        correction: The correction, which may have changed nothing.
        most: Maximum number of triangles of all its meshes together.
    """
    robot = correction.robot
    world = robot.pose_world_document
    poses = {name: world @ pose for name, pose in robot.link_poses.items()}
    lost: list[str] = []
    surfaces = {name: list(_layers(link, lost)) for name, link in robot.links.items()}
    numbers, pack, triangles = _packed(surfaces, most)
    standing = None if robot.is_world or lost else support(robot, poses)  # the missing shapes may be the feet
    centres = [_centre(report.totals, world) for report in (correction.report, correction.after)]
    radius = radius_of_robot(robot, {name: [one for _, one in shapes] for name, shapes in surfaces.items()})
    links = [
        _link(entry, poses[entry.link], surfaces[entry.link], numbers, radius) for entry in correction.report.links
    ]
    entry = {
        "links": links,
        "meshes": pack.entries,
        "data": pack.text,
        "centres": [None if centre is None else _rounded(centre) for centre in centres],
        "support": None if standing is None else _rounded(standing.polygon),
        "floor": None if standing is None else standing.height,
    }
    margin = None if standing is None or centres[1] is None else standing.margin(centres[1])
    drawn = sum(mesh["triangles"][1] for mesh in pack.entries)
    return RobotScene(entry, triangles, drawn, tuple(lost), standing, margin)


def _layers(link: Link, lost: list[str]) -> Iterator[tuple[str, LinkSurface]]:
    """Yield the shapes of a link with their layer; without visuals, its collisions are its look."""
    for surface in shape_surfaces(link.visuals, lost):
        yield "visual", surface
    for surface in shape_surfaces(link.collisions, lost):
        yield "collision", surface
        if not link.visuals:
            yield "visual", surface


def _packed(
    surfaces: Mapping[str, list[tuple[str, LinkSurface]]], most: int
) -> tuple[dict[Geometry, int], MeshPack, int]:
    """Pack the meshes of all shapes, each distinct one once.

    Returns:
        The index of each geometry's mesh, the pack, and the original number of triangles.
    """
    meshes = {one.shape.geometry: one.mesh for shapes in surfaces.values() for _, one in shapes}
    counts = [len(mesh.triangles) for mesh in meshes.values()]
    pack = MeshPack()
    kept = zip(meshes.items(), shares(counts, most), strict=True)
    numbers = {geometry: pack.add(decimated(mesh, share)) for (geometry, mesh), share in kept}
    return numbers, pack, sum(counts)


def _centre(totals: ModelTotals | None, world: Pose) -> Array | None:
    """Return the total centre of mass in the world [m]; None without a mass."""
    return None if totals is None else world.transform_points(totals.inertial.com)


def _link(
    entry: LinkReport,
    pose: Pose,
    surfaces: list[tuple[str, LinkSurface]],
    numbers: Mapping[Geometry, int],
    robot_radius: float,
) -> dict[str, Any]:
    before, after = inertial_before(entry), inertial_after(entry)
    radius = radius_of(one for _, one in surfaces)
    return {
        "name": entry.link,
        "pose": _pose(pose),
        "changed": entry.changed,
        "shapes": [
            {
                "mesh": numbers[one.shape.geometry],
                "pose": _pose(one.shape.pose_link_shape),
                "colour": list(one.colour),
                "layer": layer,
            }
            for layer, one in surfaces
        ],
        "before": _solids(inertia_solids(before), radius, robot_radius),
        "after": _solids(inertia_solids(after), radius, robot_radius),
    }


def inertial_before(entry: LinkReport) -> Inertial | None:
    """Return the effective inertial of a link, else the declared one; None without either."""
    return _inertial(entry.effective) or _inertial(entry.declared)


def inertial_after(entry: LinkReport) -> Inertial | None:
    """Return the inertial of a link after the correction; None if it has none."""
    return _inertial(entry.corrected)


def _inertial(value: LinkInertial | None) -> Inertial | None:
    return None if value is None else value.inertial


def _solids(solids: InertiaSolids | None, link_radius: float, robot_radius: float) -> dict[str, Any] | None:
    if solids is None:
        return None
    return {
        "pose": _pose(solids.pose_link_solid),
        "ellipsoid": _rounded(solids.semi_axes),
        "box": _rounded(solids.edges),
        "possible": solids.is_possible,
        "outsized": is_outsized(solids, link_radius, robot_radius),
    }


def _pose(pose: Pose) -> list[float]:
    """Return position and quaternion (x, y, z, w) as seven numbers."""
    seven: list[float] = _rounded(np.concatenate([pose.position, pose.quaternion]))
    return seven


def _rounded(values: Array) -> Any:
    """Return numbers, nested in any way, with the digits that drawing needs."""
    flat = [float(f"{value:.{DIGITS}g}") for value in np.nan_to_num(np.ravel(values))]
    return np.reshape(flat, np.shape(values)).tolist()
