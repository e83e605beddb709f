# SPDX-FileCopyrightText: The inertia_tools authors
# SPDX-License-Identifier: Apache-2.0
"""A robot description, whatever format it was written in: links, joints, shapes, and where each stands in the file."""

from __future__ import annotations

import enum
from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cached_property
from types import MappingProxyType

import numpy as np

from inertia_tools.description.source import Document, Place
from inertia_tools.errors import UnknownLinkError
from inertia_tools.inertial import Inertial, rotate_tensor
from inertia_tools.spatial import Array, Pose


class Format(enum.StrEnum):
    """The format a description was read from."""

    URDF = "urdf"
    XACRO = "xacro"
    SDF = "sdf"
    MJCF = "mjcf"
    USD = "usd"


@dataclass(frozen=True)
class Box:
    """A box about its own origin; `size` is its full edge lengths [m]."""

    size: tuple[float, float, float]


@dataclass(frozen=True)
class Sphere:
    """A sphere about its own origin; `radius` in [m]."""

    radius: float


@dataclass(frozen=True)
class Cylinder:
    """A cylinder along z, about its own origin; `radius` and full `length` in [m]."""

    radius: float
    length: float


@dataclass(frozen=True)
class Capsule:
    """A capsule along z, about its own origin; `length` is that of the cylinder between the caps [m]."""

    radius: float
    length: float


@dataclass(frozen=True)
class Cone:
    """A cone along z, its base at -length/2 and its tip at +length/2; `radius` of the base and `length` in [m]."""

    radius: float
    length: float


@dataclass(frozen=True)
class Ellipsoid:
    """An ellipsoid about its own origin; `semi_axes` along x, y, z [m]."""

    semi_axes: tuple[float, float, float]


@dataclass(frozen=True)
class Prism:
    """Outlines in the xy plane extruded along z from 0 to the height [m], as SDFormat's polylines.

    An outline inside another is a hole.
    """

    outlines: tuple[tuple[tuple[float, float], ...], ...]
    height: float


@dataclass(frozen=True)
class Plane:
    """An endless plane with this normal; it has no mass."""

    normal: tuple[float, float, float] = (0.0, 0.0, 1.0)


@dataclass(frozen=True)
class Heightmap:
    """Heights over a rectangle, from an image or the like; it has no mass."""

    uri: str = ""


@dataclass(frozen=True)
class Mesh:
    """A triangle mesh in a file.

    Attributes:
        uri: The mesh as the description names it.
        path: The file it resolves to; None when there is none.
        scale: Factor along each axis of the mesh's own frame; a negative one mirrors.
        submesh: Name of the only part of the file that counts; None for all.
        center: Move that part so that the middle of its bounding box is the origin, before scaling.
    """

    uri: str
    path: str | None
    scale: tuple[float, float, float] = (1.0, 1.0, 1.0)
    submesh: str | None = None
    center: bool = False


Primitive = Box | Sphere | Cylinder | Capsule | Cone | Ellipsoid | Prism
"""Geometry with a closed form."""

Massless = Plane | Heightmap
"""Geometry that bounds the world and holds nothing."""

Geometry = Primitive | Massless | Mesh


@dataclass(frozen=True)
class Shape:
    """One geometry placed on a link.

    Attributes:
        geometry: What it is.
        pose_link_shape: The shape's frame seen from the link.
        name: Its name in the file; may be empty.
        place: Where it stands in the file.
    """

    geometry: Geometry
    pose_link_shape: Pose
    name: str
    place: Place


@dataclass(frozen=True, eq=False)
class DeclaredInertial:
    """The mass properties a file states, complete or not, as they stand there.

    Attributes:
        mass: Mass [kg]; None when the file has none.
        pose_link_inertial: The inertial frame seen from the link; its origin is the centre of mass.
        inertia: Tensor about the centre of mass in the axes of the inertial frame [kg m^2], shape (3, 3); None when
            any of the six numbers is absent.
        absent: Names of the tensor's absent numbers, for the message.
        place: Where it stands in the file.
    """

    mass: float | None
    pose_link_inertial: Pose
    inertia: Array | None
    place: Place
    absent: tuple[str, ...] = ()

    @cached_property
    def inertial(self) -> Inertial | None:
        """The same in link axes; None when the mass or the tensor is absent."""
        if self.mass is None or self.inertia is None:
            return None
        pose = self.pose_link_inertial
        return Inertial(self.mass, pose.position, rotate_tensor(pose.rotation, self.inertia))


@dataclass(frozen=True, eq=False)
class Link:
    """One rigid body of the robot, or a frame that carries nothing."""

    name: str
    place: Place
    declared: DeclaredInertial | None = None
    collisions: tuple[Shape, ...] = ()
    visuals: tuple[Shape, ...] = ()

    @property
    def shapes(self) -> tuple[Shape, ...]:
        """Collisions and visuals together."""
        return self.collisions + self.visuals

    @property
    def inertial(self) -> Inertial | None:
        """Complete declared mass properties in link axes, valid or not; None when incomplete or absent."""
        return self.declared.inertial if self.declared is not None else None


class JointType(enum.StrEnum):
    """What a joint leaves free."""

    FIXED = "fixed"
    REVOLUTE = "revolute"
    CONTINUOUS = "continuous"
    PRISMATIC = "prismatic"
    FLOATING = "floating"
    PLANAR = "planar"


@dataclass(frozen=True)
class JointLimit:
    """Bounds of a joint: positions [rad or m], effort [N m or N], velocity [rad/s or m/s].

    None where the file states no bound, so that an unlimited joint is not mistaken for one held at zero.
    """

    lower: float | None = None
    upper: float | None = None
    effort: float | None = None
    velocity: float | None = None


@dataclass(frozen=True)
class JointMimic:
    """A joint position that follows another: position = multiplier * leader + offset."""

    joint: str
    multiplier: float = 1.0
    offset: float = 0.0


def _x_axis() -> Array:
    return np.array([1.0, 0.0, 0.0])


@dataclass(frozen=True, eq=False)
class Joint:
    """A joint between two links.

    Attributes:
        name: Its name.
        type: What it leaves free.
        parent: Name of the parent link.
        child: Name of the child link.
        pose_parent_child: The child link's frame seen from the parent link at joint position zero.
        axis: Unit axis in the child link's frame at joint position zero, shape (3,).
        limit: Bounds.
        damping: Viscous damping [N m s/rad or N s/m].
        friction: Coulomb friction [N m or N].
        mimic: The joint it follows, if any.
        place: Where it stands in the file.
    """

    name: str
    type: JointType
    parent: str
    child: str
    pose_parent_child: Pose
    place: Place
    axis: Array = field(default_factory=_x_axis)
    limit: JointLimit = JointLimit()
    damping: float = 0.0
    friction: float = 0.0
    mimic: JointMimic | None = None


@dataclass(frozen=True, eq=False)
class Description:
    """A robot, read and checked for structure, with nothing computed from it.

    Attributes:
        name: The robot's name.
        format: The format of the text it was read from.
        document: That text and where it came from.
        links: Links by name, in document order.
        joints: Joints by name, in document order.
        root: Name of the root link.
    """

    name: str
    format: Format
    document: Document
    links: Mapping[str, Link]
    joints: Mapping[str, Joint]
    root: str

    def __post_init__(self) -> None:
        object.__setattr__(self, "links", MappingProxyType(dict(self.links)))
        object.__setattr__(self, "joints", MappingProxyType(dict(self.joints)))

    def link(self, name: str) -> Link:
        """Return the link of that name.

        Raises:
            UnknownLinkError: There is none.
        """
        if name not in self.links:
            raise UnknownLinkError(name, self.links)
        return self.links[name]

    @cached_property
    def parent_joint(self) -> Mapping[str, Joint]:
        """The joint that carries each link, by the name of the link; the root has none."""
        return MappingProxyType({joint.child: joint for joint in self.joints.values()})

    @cached_property
    def child_joints(self) -> Mapping[str, tuple[Joint, ...]]:
        """The joints a link carries, by the name of the link, in document order."""
        carried: dict[str, list[Joint]] = {name: [] for name in self.links}
        for joint in self.joints.values():
            carried[joint.parent].append(joint)
        return MappingProxyType({name: tuple(joints) for name, joints in carried.items()})

    @cached_property
    def depth_first(self) -> tuple[str, ...]:
        """Link names with every parent before its children."""
        order: list[str] = []
        waiting = [self.root]
        while waiting:
            name = waiting.pop()
            order.append(name)
            waiting.extend(joint.child for joint in reversed(self.child_joints[name]))
        return tuple(order)

    def is_moved(self, link: str) -> bool:
        """Tell whether the link is the child of a joint that is not fixed."""
        joint = self.parent_joint.get(link)
        return joint is not None and joint.type is not JointType.FIXED

    def to_urdf_parser(self) -> object:
        """Return the robot as a `urdf_parser_py.urdf.Robot`.

        Raises:
            MissingDependencyError: urdf-parser-py is not installed.
            ParseError: urdf-parser-py refuses the document.
        """
        from inertia_tools.description.urdf_parser import to_urdf_parser

        return to_urdf_parser(self)
