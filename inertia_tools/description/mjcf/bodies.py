# SPDX-FileCopyrightText: The inertia_tools authors
# SPDX-License-Identifier: Apache-2.0
"""The bodies of MJCF, in MuJoCo's numbering: each before the bodies inside it."""

from __future__ import annotations

from dataclasses import dataclass, field, replace

import numpy as np

from inertia_tools.description.flex_body import FlexBody
from inertia_tools.description.joint import Joint, JointType
from inertia_tools.description.link import DeclaredInertial
from inertia_tools.description.mjcf.attach import Attached, find_attached
from inertia_tools.description.mjcf.copies import count_copied
from inertia_tools.description.mjcf.defaults import MAIN, childclass_of
from inertia_tools.description.mjcf.flex import flex_points
from inertia_tools.description.mjcf.flex_material import flex_edges, flex_elasticity
from inertia_tools.description.mjcf.geoms import read_geom, read_site
from inertia_tools.description.mjcf.inertial import inertial_remarks, read_inertial
from inertia_tools.description.mjcf.joints import DocumentPosition, document_position, range_remarks, read_joint
from inertia_tools.description.mjcf.orientation import read_pose
from inertia_tools.description.mjcf.parts import Part
from inertia_tools.description.mjcf.replicate import MOST_COPIES, copy_poses, copy_suffixes
from inertia_tools.description.mjcf.values import number, vector
from inertia_tools.description.mjcf_bodies import REFUSES, Compiler, Geom, Site
from inertia_tools.description.source import Place
from inertia_tools.description.types import WORLD, Remark
from inertia_tools.description.xml import Element
from inertia_tools.errors import ParseError
from inertia_tools.spatial import Pose

TURNING = (JointType.BALL, JointType.REVOLUTE, JointType.CONTINUOUS)
"""Joints that need a rotation, of which a ball joint before them leaves none."""

FLEX_RADIUS = 0.005
"""Radius of a flexible body that states none [m]."""

SLIDES = np.eye(3)
"""Axes along which the point of a flexible body slides."""


@dataclass(eq=False)
class Body:
    """A body during reading."""

    name: str
    place: Place
    compiler: Compiler
    parent: Body | None = None
    pose_parent_body: Pose = field(default_factory=Pose)
    own_pose: Pose = field(default_factory=Pose)
    class_name: str = ""
    declared: DeclaredInertial | None = None
    geoms: list[Geom] = field(default_factory=list)
    joints: list[Joint] = field(default_factory=list)
    joint_types: set[JointType] = field(default_factory=set)
    sites: list[Site] = field(default_factory=list)
    gravcomp: float = 0.0

    def add_joint(self, joint: Joint) -> None:
        """Add a joint to the body."""
        self.joints.append(joint)
        self.joint_types.add(joint.type)


@dataclass(frozen=True, eq=False)
class Surroundings:
    """The context of an element.

    Attributes:
        part: The model that contains it.
        body: The body that it is part of.
        pose: The frame that contains it, seen from the body.
        childclass: Class of elements that name none.
        prefix: Prefix of names.
        suffix: Suffix of names.
        is_copied: A `<replicate>` is between it and its body.
    """

    part: Part
    body: Body
    pose: Pose
    childclass: str
    prefix: str = ""
    suffix: str = ""
    is_copied: bool = False

    def named(self, element: Element, attribute: str = "name") -> str:
        """Return the name that an element in this context has or refers to; empty if it has none."""
        stated = element.attributes.get(attribute, "")
        return self.prefix + stated + self.suffix if stated else ""

    def completed(self, element: Element) -> Element:
        """Return the element with the attributes of its class."""
        return self.part.defaults.completed(element, self.childclass)


class BodyReader:
    """Reads a `<worldbody>` into bodies; a list holds those waiting, so they may be nested to any depth."""

    def __init__(self, part: Part) -> None:
        self._part = part
        self._joints = self._copies = 0
        self._poses: dict[Element, list[Pose]] = {}
        self._found: dict[tuple[Element, Part], Attached] = {}
        self._geoms: dict[tuple[Element, str, Part], Geom] = {}
        self.bodies: list[Body] = []
        self.remarks: list[Remark] = []
        self.models: list[Surroundings] = []
        """The context of each model whose bodies are read, the main one first."""
        self.copies: dict[str, list[str]] = {}
        """Names of copied joints by their names in the text, which `<replicate>` extends."""
        self.unused: list[str] = []
        """Unsupported elements of the document, each with the reason."""
        self.flexes: list[FlexBody] = []
        """The flexible bodies."""
        self.words: dict[tuple[str, int | None], dict[str, str]] = {}
        """Attributes of bodies, joints, geoms and sites with those of their classes, by file and offset."""
        self.positions: dict[str, DocumentPosition] = {}
        """How the document counts the positions of each joint, by the joint's name."""

    def read(self) -> None:
        """Read all `<worldbody>` sections of the model.

        Raises:
            ParseError: Something in them cannot be read.
        """
        part = self._part
        world = Body(WORLD, part.root.place, part.compiler)
        self.bodies.append(world)
        self.models.append(Surroundings(part, world, Pose(), MAIN))
        waiting: list[tuple[Element, Surroundings]] = []
        sections = list(part.root.all("worldbody"))
        self._copies = count_copied(sections)
        for section in reversed(sections):
            world.place = section.place
            waiting += _inside(section, self.models[0])
        while waiting:
            waiting += self._read(*waiting.pop())

    def _read(self, element: Element, around: Surroundings) -> list[tuple[Element, Surroundings]]:
        """Read one element, and return its children to read next, in reverse order."""
        match element.tag:
            case "body":
                return _inside(element, self._open(element, around))
            case "frame":
                if "scale" in element.attributes or "scaling" in element.attributes:
                    raise element.error("a <frame> with scale is not supported; write scaled sizes and positions")
                pose = around.pose @ read_pose(element, around.part.compiler)
                return _inside(element, replace(around, pose=pose, childclass=self._childclass(element, around)))
            case "replicate":
                return self._copied(element, around)
            case "attach":
                return self._attached(element, around)
            case "inertial":
                self._read_inertial(element, around)
            case "geom":
                self._read_geom(element, around)
            case "joint" | "freejoint":
                self._read_joint(self._completed(element, around), around)
            case "site":
                _read_site(self._completed(element, around), around)
            case "flexcomp":
                self._read_flex(element, around)
            case "composite":
                raise _not_read(element)
        return []

    def _completed(self, element: Element, around: Surroundings) -> Element:
        """Return an element with the attributes of its class, and record those."""
        completed = around.completed(element)
        self.words[element.place.element] = completed.attributes
        return completed

    def _read_geom(self, element: Element, around: Surroundings) -> None:
        """Read a geom once and copy it for repetitions: a text of one line may request 100 000."""
        key = element, around.childclass, around.part
        if key not in self._geoms:
            self._geoms[key] = read_geom(self._completed(element, around), around.part)
        around.body.geoms.append(self._geoms[key].copied(around.named(element), around.pose))

    def _open(self, element: Element, around: Surroundings) -> Surroundings:
        own = read_pose(element, around.part.compiler)
        name = around.named(element) or str(len(self.bodies))
        body = Body(name, element.place, around.part.compiler, around.body, around.pose @ own, own)
        body.class_name = element.attributes.get("childclass", "")
        body.gravcomp = float(vector(element, "gravcomp", (0.0,))[0])
        self.words[element.place.element] = element.attributes
        self.bodies.append(body)
        return replace(around, body=body, pose=Pose(), childclass=self._childclass(element, around), is_copied=False)

    def _read_flex(self, element: Element, around: Surroundings) -> None:
        """Create a body for each free point of a flexible one."""
        found = flex_points(element, around.part)
        if found is None:
            raise _not_read(element)
        name, slides = around.prefix + element.attribute("name") + around.suffix, found.slides
        if found.is_rigid:
            self.unused.append(f"flexcomp {name!r} (contacts of one that is rigid)")
            return
        self._count(len(found.positions), element)
        whole = around.pose @ read_pose(element, around.part.compiler)
        links = {index: f"{name}_{index}" for index in found.positions}
        for index, position in found.positions.items():
            pose = Pose(whole.transform_points(position))
            body = Body(links[index], element.place, around.part.compiler, around.body, pose, pose)
            body.declared = DeclaredInertial(found.mass, Pose(), found.moment * np.eye(3), element.place)
            for axis in SLIDES[:slides]:
                joint = f"joint {self._joints}"
                body.add_joint(Joint(joint, JointType.PRISMATIC, "", "", Pose(), element.place, axis=axis))
                self.positions[joint] = DocumentPosition()
                self._joints += 1
            self.bodies.append(body)
        radius = number(element, "radius", FLEX_RADIUS)
        flex = FlexBody(
            name, element.place, around.body.name, found.dim, whole.transform_points(found.points), found.elements,
            found.mass, radius, links, slides, flex_elasticity(element), flex_edges(element),
        )  # fmt: skip
        self.flexes.append(flex)
        if not flex.moves_freely:
            self.unused.append(f"flexcomp {name!r} (the elements that connect its points in a plane)")
            message = f"of flexcomp {name!r} only the points and their masses are read, not their elastic connections"
            self.remarks.append(Remark("warning", "unread-flex", "", message, element.place))

    def _childclass(self, element: Element, around: Surroundings) -> str:
        name = childclass_of(element, around.childclass)
        around.part.defaults.require(name, element)
        return name

    def _copied(self, element: Element, around: Surroundings) -> list[tuple[Element, Surroundings]]:
        """Return the children of a `<replicate>` once per copy, each moved and rotated against the previous one."""
        suffixes = copy_suffixes(element, around.suffix)
        if element not in self._poses:
            self._poses[element] = copy_poses(element, around.part.compiler, len(suffixes))
        within = replace(around, childclass=self._childclass(element, around), is_copied=True)
        found = [
            _inside(element, replace(within, pose=around.pose @ pose, suffix=suffix))
            for pose, suffix in zip(self._poses[element], suffixes, strict=True)
        ]
        return [entry for copy in reversed(found) for entry in copy]

    def _count(self, copies: int, element: Element) -> None:
        """Count the models and points that a text creates, so that a short text cannot create endlessly many.

        Raises:
            ParseError: There are too many.
        """
        self._copies += copies
        if self._copies > MOST_COPIES:
            raise element.error(f"{self._copies} copies up to here exceed the limit of {MOST_COPIES}; reduce a count")

    def _attached(self, element: Element, around: Surroundings) -> list[tuple[Element, Surroundings]]:
        """Return the elements that an `<attach>` stands for."""
        self._count(1, element)
        place = element, around.part
        found = self._found[place] = self._found.get(place) or find_attached(*place)
        self._copies = count_copied(found.elements, self._copies)
        there = replace(
            around,
            part=found.part,
            childclass=found.childclass,
            prefix=around.prefix + element.attributes["prefix"] + found.prefix,
            suffix=found.suffix + around.suffix,
        )
        self.models.append(replace(there, suffix=around.suffix))
        return [(child, there) for child in reversed(found.elements)]

    def _read_inertial(self, element: Element, around: Surroundings) -> None:
        body = around.body
        if body.parent is None:
            raise element.error("the world cannot have an <inertial>; remove it, or move it into a body")
        if around.is_copied:
            message = "an <inertial> in <replicate> is ignored, as in MuJoCo; move it into the body"
            self.remarks.append(Remark("warning", "ignored-inertial", body.name, message, element.place))
            return
        if body.declared is not None:
            raise element.error(f"body {body.name!r} has two <inertial> elements; keep one")
        body.declared = read_inertial(element, around.pose, around.part.compiler)
        self.remarks += inertial_remarks(element, body.name, around.part.compiler)

    def _read_joint(self, element: Element, around: Surroundings) -> None:
        body = around.body
        if body.parent is None:
            raise element.error("a joint in the world body moves nothing; move it into a body")
        name = around.named(element) or f"joint {self._joints}"
        self._joints += 1
        joint = read_joint(element, around.pose, around.part.compiler, name)
        if JointType.BALL in body.joint_types and joint.type in TURNING:
            message = f"body {body.name!r} has a ball joint before another rotational joint; MuJoCo refuses the file"
            self.remarks.append(Remark("error", REFUSES, body.name, message, element.place))
        body.add_joint(joint)
        self.remarks += range_remarks(element, body.name, around.part.compiler)
        self.positions[name] = document_position(element, around.part.compiler)
        self.copies.setdefault(name, []).append(name)
        if around.suffix and "name" in element.attributes:
            self.copies.setdefault(around.prefix + element.attributes["name"], []).append(name)
        _check_free(body, joint)


def _not_read(element: Element) -> ParseError:
    return element.error(
        f"this <{element.tag}> makes many bodies and is not supported; load the compiled model, saved by MuJoCo"
    )


def _read_site(element: Element, around: Surroundings) -> None:
    around.body.sites.append(read_site(element, around.named(element), around.pose, around.part))


def _inside(element: Element, around: Surroundings) -> list[tuple[Element, Surroundings]]:
    return [(child, around) for child in reversed(element.children)]


def _check_free(body: Body, joint: Joint) -> None:
    """Check that a free joint is the only joint of a body at the top level of the world.

    Raises:
        ParseError: The joint or the body is another.
    """
    if JointType.FLOATING not in body.joint_types:
        return
    if len(body.joints) > 1:
        reason = f"body {body.name!r} has a free joint and another joint; remove one"
    elif body.parent is not None and body.parent.parent is not None:
        reason = f"body {body.name!r} has a free joint but is a child of {body.parent.name!r}; move it into <worldbody>"
    else:
        return
    raise ParseError(reason, joint.place.file, joint.place.line)
