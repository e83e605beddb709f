# SPDX-FileCopyrightText: The inertia_tools authors
# SPDX-License-Identifier: Apache-2.0
"""The bodies of MJCF, in the order in which MuJoCo numbers them: each before those that stand in it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace

from inertia_tools.description.compiled import Compiler, Geom, MeshAsset, Site
from inertia_tools.description.joint import Joint
from inertia_tools.description.link import DeclaredInertial, Shape
from inertia_tools.description.mjcf.defaults import MAIN, Defaults
from inertia_tools.description.mjcf.geoms import read_geom, shape_of, touches
from inertia_tools.description.mjcf.inertial import inertial_remarks, read_inertial
from inertia_tools.description.mjcf.joints import read_joint
from inertia_tools.description.mjcf.orientation import ORIGIN, from_euler, read_pose
from inertia_tools.description.mjcf.values import vector, whole
from inertia_tools.description.source import Place
from inertia_tools.description.types import WORLD, Remark
from inertia_tools.description.xml import Element
from inertia_tools.errors import ParseError
from inertia_tools.spatial import Pose

NOT_READ = {"composite": "many bodies", "flexcomp": "many bodies", "attach": "another model"}
"""Elements that stand for bodies which are not in the text."""

MOST_COPIES = 100_000
"""Copies that one document may ask for in all; more is a slip of the keyboard, or an attack."""


@dataclass(eq=False)
class Body:
    """A body while it is read."""

    name: str
    place: Place
    parent: Body | None = None
    pose_parent_body: Pose = field(default_factory=Pose)
    own_pose: Pose = field(default_factory=Pose)
    declared: DeclaredInertial | None = None
    geoms: list[Geom] = field(default_factory=list)
    collisions: list[Shape] = field(default_factory=list)
    visuals: list[Shape] = field(default_factory=list)
    joints: list[Joint] = field(default_factory=list)
    sites: list[Site] = field(default_factory=list)


@dataclass(frozen=True, eq=False)
class _Surroundings:
    """Where an element stands: its body, the frame in it, the class for what names none, and what names end in."""

    body: Body
    pose: Pose
    childclass: str
    suffix: str = ""


class BodyReader:
    """Reads a `<worldbody>` into bodies; those that wait stand in a list, so they may nest as deep as they like."""

    def __init__(self, compiler: Compiler, defaults: Defaults, meshes: Mapping[str, MeshAsset]) -> None:
        self._compiler, self._defaults, self._meshes = compiler, defaults, meshes
        self._joints = self._copies = 0
        self.bodies: list[Body] = []
        self.remarks: list[Remark] = []

    def read(self, root: Element) -> None:
        """Read all `<worldbody>` sections of a document.

        Raises:
            ParseError: Something in them cannot be read.
        """
        world = Body(WORLD, root.place)
        self.bodies.append(world)
        waiting: list[tuple[Element, _Surroundings]] = []
        for section in reversed(list(root.all("worldbody"))):
            world.place = section.place
            waiting += _inside(section, _Surroundings(world, Pose(), MAIN))
        while waiting:
            waiting += self._read(*waiting.pop())

    def _read(self, element: Element, around: _Surroundings) -> list[tuple[Element, _Surroundings]]:
        """Read one element, and return those in it that are to be read next, the first last."""
        match element.tag:
            case "body":
                return _inside(element, self._open(element, around))
            case "frame":
                pose = around.pose @ read_pose(element, self._compiler)
                return _inside(element, replace(around, pose=pose, childclass=self._childclass(element, around)))
            case "replicate":
                return self._copied(element, around)
            case "inertial":
                self._read_inertial(element, around.body)
            case "geom":
                self._read_geom(self._defaults.completed(element, around.childclass), around)
            case "joint" | "freejoint":
                self._read_joint(self._defaults.completed(element, around.childclass), around)
            case "site":
                site = self._defaults.completed(element, around.childclass)
                pose = around.pose @ read_pose(site, self._compiler) if "fromto" not in site.attributes else around.pose
                name = site.attributes.get("name", "") + around.suffix
                around.body.sites.append(Site(name, pose, site.place))
            case tag if tag in NOT_READ:
                message = f"<{tag}> stands for {NOT_READ[tag]}, not read here; save the compiled model and load that"
                raise element.error(message)
        return []

    def _open(self, element: Element, around: _Surroundings) -> _Surroundings:
        own = read_pose(element, self._compiler)
        stated = element.attributes.get("name", "")
        name = stated + around.suffix if stated else str(len(self.bodies))
        body = Body(name, element.place, around.body, around.pose @ own, own)
        self.bodies.append(body)
        return _Surroundings(body, Pose(), self._childclass(element, around), around.suffix)

    def _childclass(self, element: Element, around: _Surroundings) -> str:
        name = element.attributes.get("childclass", around.childclass)
        self._defaults.require(name, element)
        return name

    def _copied(self, element: Element, around: _Surroundings) -> list[tuple[Element, _Surroundings]]:
        """Return what a `<replicate>` holds once for each copy, each moved and turned from the one before."""
        count = whole(element, "count", -1)
        self._copies += max(count, 0)
        if count < 0 or self._copies > MOST_COPIES:
            raise element.error(f"<replicate> asks for {count} copies; write a count from 0 to {MOST_COPIES}")
        turned = from_euler(vector(element, "euler", ORIGIN), self._compiler)
        step, pose = Pose(vector(element, "offset", ORIGIN), turned), around.pose
        digits = len(str(count - 1))
        found = []
        for number in range(count):
            suffix = f"{element.attributes.get('sep', '')}{number:0{digits}d}{around.suffix}"
            found.append(_inside(element, replace(around, pose=pose, suffix=suffix)))
            pose = pose @ step
        return [entry for copy in reversed(found) for entry in copy]

    def _read_inertial(self, element: Element, body: Body) -> None:
        if body.parent is None:
            raise element.error("the world has no inertial; remove it, or put it into a body")
        if body.declared is not None:
            raise element.error(f"body {body.name!r} has two <inertial> elements; keep one")
        body.declared = read_inertial(element, self._compiler)
        self.remarks += inertial_remarks(element, body.name)

    def _read_geom(self, element: Element, around: _Surroundings) -> None:
        geom = read_geom(element, around.pose, self._compiler, self._meshes)
        geom = replace(geom, name=geom.name + around.suffix if geom.name else "")
        around.body.geoms.append(geom)
        shapes = around.body.collisions if touches(element) else around.body.visuals
        shapes.append(shape_of(geom, element))

    def _read_joint(self, element: Element, around: _Surroundings) -> None:
        body = around.body
        if body.parent is None:
            raise element.error("a joint stands in the world, which does not move; put it into a body")
        stated = element.attributes.get("name", "")
        name = stated + around.suffix if stated else f"joint {self._joints}"
        self._joints += 1
        joint = read_joint(element, around.pose, self._compiler, name)
        body.joints.append(joint)
        _check_free(body, joint)


def _inside(element: Element, around: _Surroundings) -> list[tuple[Element, _Surroundings]]:
    return [(child, around) for child in reversed(element.children)]


def _check_free(body: Body, joint: Joint) -> None:
    """Check that a free joint is the only one, of a body that stands in the world.

    Raises:
        ParseError: It is not.
    """
    if not any(one.type.value == "floating" for one in body.joints):
        return
    if len(body.joints) > 1:
        reason = f"body {body.name!r} has a free joint and another; a free body needs no other, remove one"
    elif body.parent is not None and body.parent.parent is not None:
        reason = f"body {body.name!r} has a free joint and stands in {body.parent.name!r}; put it into <worldbody>"
    else:
        return
    raise ParseError(reason, joint.place.file, joint.place.line)
