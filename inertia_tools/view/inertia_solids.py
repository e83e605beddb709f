# SPDX-FileCopyrightText: The inertia_tools authors
# SPDX-License-Identifier: Apache-2.0
"""The ellipsoid and the box of an inertial: solids of uniform density with the same mass and tensor."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from inertia_tools.inertial import Inertial
from inertia_tools.spatial import Array, Pose

THINNEST = 1e-4
"""Least extent of a solid, for flat or impossible tensors [m]."""


@dataclass(frozen=True, eq=False)
class InertiaSolids:
    """Two solids that are dynamically equivalent to a link.

    Attributes:
        pose_link_solid: Centre of mass and principal axes seen from the link.
        semi_axes: Semi-axes of the ellipsoid, along the principal axes [m], shape (3,).
        edges: Edges of the box, along the same axes [m], shape (3,).
        is_possible: Whether a rigid body can have the tensor; otherwise the solids have the nearest possible extents.
    """

    pose_link_solid: Pose
    semi_axes: Array
    edges: Array
    is_possible: bool


OF_ROBOT, OF_LINK = 0.25, 1.6
"""Solids that extend farther than this ratio of the robot's radius, and of their link's, are outsized.

Those of a link with uniform density do not, and a placeholder's would hide everything else.
"""


def is_outsized(solids: InertiaSolids, link_radius: float, robot_radius: float) -> bool:
    """Return whether solids are too large for their link and their robot.

    Args:
        solids: The solids.
        link_radius: Half the diagonal of the link's geometry [m]; zero without geometry.
        robot_radius: The same of all links together [m]; zero without any geometry, so that no solid is too large.
    """
    return robot_radius > 0.0 and float(solids.semi_axes.max()) > max(OF_ROBOT * robot_radius, OF_LINK * link_radius)


def inertia_solids(inertial: Inertial | None) -> InertiaSolids | None:
    """Return the solids of an inertial; None if it has no mass."""
    if inertial is None or not inertial.is_finite() or not inertial.mass > 0.0:
        return None
    return InertiaSolids(
        inertial.principal_pose,
        np.maximum(inertial.equivalent_ellipsoid, 0.5 * THINNEST),
        np.maximum(inertial.equivalent_box, THINNEST),
        inertial.is_valid(),
    )
