# SPDX-FileCopyrightText: The inertia_tools authors
# SPDX-License-Identifier: Apache-2.0
"""The input of a check: one link in its robot."""

from __future__ import annotations

import math
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from inertia_tools.description.types import DeclaredInertial, Description, JointType, Link, Shape
from inertia_tools.errors import MeshError
from inertia_tools.geometry.extent import RING_POINTS, farthest, shape_points
from inertia_tools.inertia.finding import Finding, Severity
from inertia_tools.inertia.shape import shape_fault
from inertia_tools.inertial import Inertial
from inertia_tools.spatial import Array, are_usable, box_of
from inertia_tools.validity import DEFINITE_TOLERANCE, TRIANGLE_IMPOSSIBLE, smallest_ratio, triangle_excess

SMALLEST_GYRATION_RADIUS = 1e-6
"""Radius of gyration [m] under which a tensor counts as zero: no robot part is as small as a micrometre."""

CROWD, FEW_RING_POINTS = 1000, 8
"""Number of shapes of a link from which round ones have this few points per circle.

A ball then has 40 points instead of 544: with 65 000 balls, which ten lines of MJCF can request, 544 would take 2 GB.
Only the farthest points are kept: the hull of a row of 20 000 shapes takes 5 s to 15 s, and the hull of the kept
points has 98 % of its volume.
"""

ALIKE = 1e-9
"""Moments that differ by less than this ratio are equal."""


@dataclass(frozen=True, eq=False)
class LinkView:
    """One link of a robot, with the values that several checks use."""

    robot: Description
    link: Link

    @property
    def declared(self) -> DeclaredInertial | None:
        """The inertial that the file states."""
        return self.link.declared

    @property
    def is_automatic(self) -> bool:
        """The inertial in force was computed from geometry, as the file requests."""
        stated = self.robot.links[self.link.name].declared
        return stated is not None and stated.auto

    @cached_property
    def needs_mass(self) -> bool:
        """The link has geometry, or can move; otherwise it is a mere frame."""
        if self.link.is_static:
            return False
        return bool(self.link.shapes) or self.robot.is_moved(self.link.name)

    @cached_property
    def why_it_needs_mass(self) -> str:
        """The reason, for messages."""
        joint = self.robot.parent_joint.get(self.link.name)
        if self.robot.is_moved(self.link.name) and joint is not None:
            return f"the {joint.type.value} joint {joint.name!r} moves it"
        return "it is a free body" if joint is None and not self.link.shapes else "it has geometry"

    @property
    def massless_support(self) -> str | None:
        """The parent of this link if it is a massless frame that is itself fixed, in URDF; None otherwise."""
        joint = self.robot.parent_joint.get(self.link.name)
        if joint is None or joint.parent not in self.robot.links or not self.robot.format.traits.is_urdf:
            return None
        above = self.robot.parent_joint.get(joint.parent)
        if above is None or above.parent not in self.robot.links or above.type is not JointType.FIXED:
            return None
        stated = self.robot.links[joint.parent].declared
        return joint.parent if stated is None or not stated.mass else None

    @cached_property
    def moments(self) -> Array | None:
        """Principal moments of the declared tensor, ascending [kg m^2]; None when absent or not finite."""
        tensor = None if self.declared is None else self.declared.inertia
        if tensor is None or not are_usable(tensor):
            return None
        return np.asarray(np.linalg.eigvalsh(tensor), dtype=np.float64)

    @cached_property
    def largest_moment(self) -> float:
        """Largest size of a principal moment [kg m^2]; zero when there is no tensor."""
        return 0.0 if self.moments is None else float(np.abs(self.moments).max())

    @cached_property
    def sound(self) -> Inertial | None:
        """The declared inertial in link axes if it is physically possible; None otherwise."""
        inertial = self.link.inertial
        if inertial is None or self.moments is None or self.gyration_radius < SMALLEST_GYRATION_RADIUS:
            return None
        if not (are_usable(inertial.mass) and are_usable(inertial.com)):
            return None
        is_possible = smallest_ratio(self.moments) >= DEFINITE_TOLERANCE
        return inertial if is_possible and triangle_excess(self.moments) <= TRIANGLE_IMPOSSIBLE else None

    @property
    def gyration_radius(self) -> float:
        """Radius of gyration about the axis of the largest moment [m]; zero without a tensor or a positive mass."""
        mass = None if self.declared is None else self.declared.mass
        if mass is None or not mass > 0.0:
            return 0.0
        return math.sqrt(self.largest_moment / mass)

    @property
    def is_isotropic(self) -> bool:
        """The tensor is possible, and its three moments are equal."""
        if self.sound is None or self.moments is None:
            return False
        return bool(self.moments[0] >= (1.0 - ALIKE) * self.moments[2])

    @property
    def centre(self) -> Array | None:
        """The declared centre of mass in link axes [m], shape (3,); None for a link without mass."""
        declared = self.declared
        if declared is None or declared.mass is None or not declared.mass > 0.0:
            return None
        position = declared.pose_link_inertial.position
        return position if are_usable(position) else None

    @property
    def points(self) -> Array:
        """Points that span all shapes, in link axes [m], shape (n, 3); none if a mesh of the link is missing."""
        return np.zeros((0, 3)) if self.missing_meshes else self._spanned[0]

    @property
    def missing_meshes(self) -> tuple[tuple[Shape, MeshError], ...]:
        """Shapes whose mesh was not found or cannot be read, each with its error.

        With such a shape the geometry is unknown, and the link is not compared with the remaining shapes.
        """
        return self._spanned[1]

    @cached_property
    def _spanned(self) -> tuple[Array, tuple[tuple[Shape, MeshError], ...]]:
        clouds, missing = [np.zeros((0, 3))], []
        is_crowd = len(self.link.shapes) > CROWD
        ring = FEW_RING_POINTS if is_crowd else RING_POINTS
        for shape in self.link.shapes:
            if shape_fault(shape) is not None:
                continue
            try:
                clouds.append(shape_points(shape, ring))
            except MeshError as error:
                missing.append((shape, error))
        points = np.concatenate(clouds)
        return farthest(points) if is_crowd and len(points) else points, tuple(missing)

    @cached_property
    def box(self) -> tuple[Array, Array] | None:
        """Lowest and highest coordinates of the geometry in link axes [m], shapes (3,); None without any extent."""
        if not len(self.points):
            return None
        low, high = box_of(self.points)
        return (low, high) if (high - low).any() else None

    @cached_property
    def size(self) -> float:
        """Diagonal of that box [m]; zero without one."""
        return 0.0 if self.box is None else float(np.linalg.norm(self.box[1] - self.box[0]))

    @cached_property
    def trace_ratio(self) -> float | None:
        """Trace of the tensor over that of a solid box of the geometry's extents and the declared mass."""
        if self.sound is None or self.size == 0.0:
            return None
        return float(np.trace(self.sound.inertia) / (self.sound.mass * self.size**2 / 6.0))

    def finding(self, severity: Severity, code: str, message: str) -> Finding:
        """Build a finding at the link's inertial, or at the link when it has none."""
        place = self.link.place if self.declared is None else self.declared.place
        return Finding.at(severity, code, self.link.name, message, place)

    def warning(self, code: str, message: str) -> Finding:
        """Build a warning."""
        return self.finding(Severity.WARNING, code, message)

    def error(self, code: str, message: str) -> Finding:
        """Build an error."""
        return self.finding(Severity.ERROR, code, message)
