# SPDX-FileCopyrightText: The inertia_tools authors
# SPDX-License-Identifier: Apache-2.0
"""A robot description independent of its format: links, joints, shapes, and their locations in the file."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from dataclasses import dataclass, field
from functools import cached_property
from types import MappingProxyType
from typing import Literal

from inertia_tools.description.format import Format as Format
from inertia_tools.description.geometry import Box as Box
from inertia_tools.description.geometry import Capsule as Capsule
from inertia_tools.description.geometry import Cone as Cone
from inertia_tools.description.geometry import Cylinder as Cylinder
from inertia_tools.description.geometry import Ellipsoid as Ellipsoid
from inertia_tools.description.geometry import Geometry as Geometry
from inertia_tools.description.geometry import Heightmap as Heightmap
from inertia_tools.description.geometry import Massless as Massless
from inertia_tools.description.geometry import Mesh as Mesh
from inertia_tools.description.geometry import OtherGeometry as OtherGeometry
from inertia_tools.description.geometry import Plane as Plane
from inertia_tools.description.geometry import Primitive as Primitive
from inertia_tools.description.geometry import Prism as Prism
from inertia_tools.description.geometry import Sphere as Sphere
from inertia_tools.description.joint import Joint as Joint
from inertia_tools.description.joint import JointDrive as JointDrive
from inertia_tools.description.joint import JointLimit as JointLimit
from inertia_tools.description.joint import JointMimic as JointMimic
from inertia_tools.description.joint import JointType as JointType
from inertia_tools.description.link import AttachedFrame as AttachedFrame
from inertia_tools.description.link import DeclaredInertial as DeclaredInertial
from inertia_tools.description.link import Link as Link
from inertia_tools.description.link import Shape as Shape
from inertia_tools.description.mjcf_bodies import MjcfBodies as MjcfBodies
from inertia_tools.description.sensor import SensorBlock as SensorBlock
from inertia_tools.description.source import Document
from inertia_tools.description.source import Place as Place
from inertia_tools.description.usd_bodies import UsdBodies as UsdBodies
from inertia_tools.errors import ModelError, UnknownLinkError
from inertia_tools.pickling import read_only_mapping
from inertia_tools.spatial import Array, Pose

WORLD = "world"
"""Name of the parent of a joint that holds a link to the world."""

MISSING_INCLUDE = "missing-include"
"""Code of remarks about included models that were not found."""


@dataclass(frozen=True)
class Remark:
    """A remark made while reading a document; a check turns it into a finding.

    Attributes:
        level: Its severity: "error", "warning" or "info".
        code: Stable identifier in kebab-case.
        link: Name of the link; empty for the whole document.
        message: One sentence with the remedy.
        place: Its location in the file.
    """

    level: Literal["error", "warning", "info"]
    code: str
    link: str
    message: str
    place: Place


@dataclass(frozen=True, eq=False)
class Model:
    """One of the models of a document that has several, or models in models.

    Attributes:
        name: Its name; `outer::inner` where models are nested, without the document's only model.
        pose: Its frame seen from the document's frame.
        links: Names of its links and of those of the models in it, in document order.
        is_static: It never moves.
        place: Its location in the file.
        is_world: It is one of several worlds, of which each holds models.
    """

    name: str
    pose: Pose
    links: tuple[str, ...]
    is_static: bool
    place: Place
    is_world: bool = False


@dataclass(frozen=True, eq=False)
class Description:
    """A robot, or a world of them, whose structure was checked, with nothing computed from it.

    Its joints form trees of its links, each with one root. The document's frame is that of the world if there is one,
    of the only model, or of the root link of a robot.

    Attributes:
        name: The robot's name, or the world's.
        format: The format of its text.
        document: The text and its source.
        links: Links by name, in document order.
        joints: Joints by name, in document order.
        roots: Names of the links without a parent link, in document order.
        root_poses: Frame of each root seen from the document's frame; roots without an entry are at the document's
            frame.
        models: The models of the document, outer ones first; empty for formats without models.
        loop_joints: Joints that would give a link a second parent or close a loop, in document order.
        is_world: It is a world or holds several models, so that its frame is that of the world.
        pose_world_document: The document's frame seen from the world, if the document states it.
        remarks: Remarks made while reading.
        mjcf: The data that determine the mass properties of bodies, for formats that compile them.
        frames: Named frames on links, in document order.
        apart: Pairs of links that never touch, whatever their masks are.
        usd: Further content of a USD stage.
        sensors: Sensors on links and joints, as URDF and SDFormat write them.
        gravity: Acceleration of free fall that an SDFormat world or MJCF states, in its frame [m/s^2], shape (3,).
    """

    name: str
    format: Format
    document: Document
    links: Mapping[str, Link]
    joints: Mapping[str, Joint]
    roots: tuple[str, ...]
    root_poses: Mapping[str, Pose] = field(default_factory=dict)
    models: tuple[Model, ...] = ()
    loop_joints: tuple[Joint, ...] = ()
    is_world: bool = False
    pose_world_document: Pose = field(default_factory=Pose)
    remarks: tuple[Remark, ...] = ()
    mjcf: MjcfBodies | None = None
    frames: tuple[AttachedFrame, ...] = ()
    apart: frozenset[frozenset[str]] = frozenset()
    usd: UsdBodies | None = None
    sensors: tuple[SensorBlock, ...] = ()
    gravity: Array | None = None

    def __post_init__(self) -> None:
        for name in ("links", "joints", "root_poses"):
            object.__setattr__(self, name, read_only_mapping(dict(getattr(self, name))))

    @property
    def root(self) -> str:
        """Name of the first root link; a robot has only one.

        Raises:
            ModelError: The document has no link at all.
        """
        if not self.roots:
            raise ModelError(f"{self.document.name}: the document has no link")
        return self.roots[0]

    def link(self, name: str) -> Link:
        """Return the link of that name.

        Raises:
            UnknownLinkError: No link has that name.
        """
        if name not in self.links:
            raise UnknownLinkError(name, self.links)
        return self.links[name]

    @property
    def missing_models(self) -> tuple[Remark, ...]:
        """The remarks about included models that were not found, and about what was omitted with them."""
        return tuple(remark for remark in self.remarks if remark.code == MISSING_INCLUDE)

    @property
    def link_count(self) -> int:
        """Number of links, without the world."""
        return link_count(self.links, self.format)

    @cached_property
    def parent_joint(self) -> Mapping[str, Joint]:
        """The joint that carries each link, by the name of the link; a root has none, or one to the world."""
        return MappingProxyType({joint.child: joint for joint in self.joints.values()})

    @cached_property
    def child_joints(self) -> Mapping[str, tuple[Joint, ...]]:
        """The joints a link carries, by the name of the link, in document order."""
        carried: dict[str, list[Joint]] = {name: [] for name in self.links}
        for joint in self.joints.values():
            if joint.parent in carried:
                carried[joint.parent].append(joint)
        return MappingProxyType({name: tuple(joints) for name, joints in carried.items()})

    @cached_property
    def depth_first(self) -> tuple[str, ...]:
        """Link names with every parent before its children, one tree after the other."""
        order: list[str] = []
        waiting = list(reversed(self.roots))
        while waiting:
            name = waiting.pop()
            order.append(name)
            waiting.extend(joint.child for joint in reversed(self.child_joints[name]))
        return tuple(order)

    @cached_property
    def link_poses(self) -> Mapping[str, Pose]:
        """Frame of every link seen from the document's frame, at joint positions zero."""
        poses: dict[str, Pose] = {name: self.root_poses.get(name, Pose()) for name in self.roots}
        for name in self.depth_first:
            for joint in self.child_joints[name]:
                poses[joint.child] = poses[name] @ joint.pose_parent_child
        return MappingProxyType(poses)

    def is_moved(self, link: str) -> bool:
        """Return whether a movable joint carries the link, or nothing holds a link that may move.

        SDFormat's models are free bodies, unless they are static or a joint holds them to the world; in other formats
        the root of a robot may be bolted down.
        """
        if self.links[link].is_static:
            return False
        joint = self.parent_joint.get(link)
        if joint is None:
            return self.format.traits.has_static_models
        return joint.type is not JointType.FIXED

    def to_urdf_parser(self) -> object:
        """Return the robot as a `urdf_parser_py.urdf.Robot`.

        Raises:
            MissingDependencyError: urdf-parser-py is not installed.
            ParseError: urdf-parser-py refuses the document.
        """
        from inertia_tools.description.urdf_parser import parse_with_urdf_parser

        return parse_with_urdf_parser(self.document.data, self.document.name)


def link_count(names: Collection[str], format: Format) -> int:
    """Count links as people do: without the world, which is the root link of what MJCF and USD describe.

    Args:
        names: Names of the links.
        format: The format that they were read from.
    """
    return len(names) - (format in (Format.MJCF, Format.USD) and WORLD in names)
