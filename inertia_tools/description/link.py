# SPDX-FileCopyrightText: The inertia_tools authors
# SPDX-License-Identifier: Apache-2.0
"""Links, their shapes, and the mass properties that a file states for them."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property

from inertia_tools.description.geometry import Geometry, Mesh
from inertia_tools.description.source import Place
from inertia_tools.inertial import Inertial, rotate_tensor
from inertia_tools.spatial import Array, Pose, rotation_from_rpy


@dataclass(frozen=True)
class Surface:
    """Contact properties that a file states for a shape; None leaves them to the caller.

    Attributes:
        friction: Coefficient of sliding friction.
        torsional: Length of torsional friction [m]: a contact resists spinning with its force times this length.
        rolling: Length of rolling friction [m].
        restitution: Ratio of the speeds after and before a bounce.
        margin: Distance that contacts keep [m].
        gap: Distance beyond the margin at which contacts are detected in advance [m].
        stiffness: Stiffness of a contact for solvers with spring contacts, as their files state it.
        damping: Its damping, likewise.
    """

    friction: float | None = None
    torsional: float | None = None
    rolling: float | None = None
    restitution: float | None = None
    margin: float | None = None
    gap: float | None = None
    stiffness: float | None = None
    damping: float | None = None


@dataclass(frozen=True)
class Shape:
    """One geometry placed on a link.

    Attributes:
        geometry: Its geometry.
        pose_link_shape: The shape's frame seen from the link.
        name: Its name in the file; may be empty.
        place: Its location in the file.
        density: Density that the file states for it [kg/m^3]; None leaves it to the caller.
        mass: Mass that the file states for it [kg]; it overrides any density.
        colour: Red, green, blue and opacity from 0 to 1 in the file; None without a colour.
        params: Integration parameters in the file, as text by name; None leaves all to the caller.
        masks: Bits of its type, and of the types that it touches; two shapes of one document can touch if the first
            bits of one share a bit with the second bits of the other.
        surface: Its contact properties; None if the file states none.
    """

    geometry: Geometry
    pose_link_shape: Pose
    name: str
    place: Place
    density: float | None = None
    params: Mapping[str, str] | None = None
    mass: float | None = None
    colour: tuple[float, float, float, float] | None = None
    masks: tuple[int, int] = (1, 1)
    surface: Surface | None = None

    @property
    def missing_mesh(self) -> Mesh | None:
        """Its mesh if the mesh file was not found; else None."""
        return self.geometry if isinstance(self.geometry, Mesh) and self.geometry.is_missing else None


@dataclass(frozen=True, eq=False)
class AttachedFrame:
    """A named frame that moves with a link and has no mass or shape.

    Attributes:
        name: Its name; in documents of several models `model::frame`.
        link: Name of the link; `world` when nothing moves it.
        pose_link_frame: The frame seen from the link.
        place: Its location in the file.
    """

    name: str
    link: str
    pose_link_frame: Pose
    place: Place


DIAGONAL_AND_MASS = frozenset({"mass", "ixx", "iyy", "izz"})
"""Entries without which an inertial is not stated."""


def rotation_in_degrees(angles: Sequence[float] | Array) -> Array | None:
    """Return the rotation for roll, pitch and yaw [rad] read as degrees; None if none exceeds a full turn."""
    if not math.tau < max(map(abs, angles), default=0.0) < math.inf:
        return None
    return rotation_from_rpy([math.radians(angle) for angle in angles])


@dataclass(frozen=True, eq=False)
class DeclaredInertial:
    """The mass properties that a file states, complete or not, unchanged.

    Attributes:
        mass: Mass [kg]; None when the file has none.
        pose_link_inertial: The inertial frame seen from the link; its origin is the centre of mass.
        inertia: Tensor about the centre of mass in the axes of the inertial frame [kg m^2], shape (3, 3); None when
            any of the six numbers is absent.
        absent: Names of the tensor's absent numbers, for the message.
        place: Its location in the file.
        defaulted: Names of the numbers that the file leaves to its format's defaults: mass, pose, ixx, ...
        auto: The file requests mass properties from geometry; a stated mass still counts.
        added_mass: Added mass of a surrounding fluid about the link's origin, in its axes, for (x y z, roll pitch yaw)
            [kg, kg m, kg m^2], shape (6, 6); None when the file states none.
        pose_link_frame: The frame in which the numbers of the file are given, seen from the link.
        rotation_in_degrees: Rotation of the inertial frame with its angles read as degrees, if one of them exceeds a
            full turn, shape (3, 3); None otherwise.
    """

    mass: float | None
    pose_link_inertial: Pose
    inertia: Array | None
    place: Place
    absent: tuple[str, ...] = ()
    defaulted: tuple[str, ...] = ()
    auto: bool = False
    added_mass: Array | None = None
    pose_link_frame: Pose = field(default_factory=Pose)
    rotation_in_degrees: Array | None = None

    @property
    def stated_mass(self) -> float | None:
        """Mass stated in the file [kg]; None if it is absent or its format's default."""
        return None if "mass" in self.defaulted else self.mass

    @property
    def is_stated(self) -> bool:
        """Whether the file states mass and diagonal; missing products are zero in every format."""
        return self.inertial is not None and DIAGONAL_AND_MASS.isdisjoint(self.defaulted)

    @cached_property
    def inertial(self) -> Inertial | None:
        """The same in link axes; None when the mass or the tensor is absent."""
        if self.mass is None or self.inertia is None:
            return None
        pose = self.pose_link_inertial
        return Inertial(self.mass, pose.position, rotate_tensor(pose.rotation, self.inertia))


@dataclass(frozen=True, eq=False)
class Link:
    """One rigid body of the robot, or a frame without mass and shape.

    Attributes:
        name: Its name; in documents of several models `model::link`.
        place: Its location in the file.
        declared: The mass properties that the file states; None when it has no element for them.
        collisions: Its collision shapes.
        visuals: Its visual shapes.
        is_static: It belongs to a model that never moves, so that its mass properties are ignored.
        gravity_scale: Factor of gravity: zero if the file disables it for the link.
        self_collides: It collides with links of its own model, except those connected to it by a joint.
    """

    name: str
    place: Place
    declared: DeclaredInertial | None = None
    collisions: tuple[Shape, ...] = ()
    visuals: tuple[Shape, ...] = ()
    is_static: bool = False
    gravity_scale: float = 1.0
    self_collides: bool = False

    @property
    def shapes(self) -> tuple[Shape, ...]:
        """Collisions and visuals together."""
        return self.collisions + self.visuals

    @property
    def inertial(self) -> Inertial | None:
        """Complete declared mass properties in link axes, valid or not; None when incomplete or absent."""
        return self.declared.inertial if self.declared is not None else None
