# SPDX-FileCopyrightText: The inertia_tools authors
# SPDX-License-Identifier: Apache-2.0
"""From a description to MJCF."""

from __future__ import annotations

from collections.abc import Iterator

from inertia_tools.conversion.account import Account, Kind, more_like
from inertia_tools.conversion.grounded import free_name
from inertia_tools.conversion.markup import Node, number, numbers, render
from inertia_tools.conversion.mjcf_joints import LOOPS, refuse_joint, write_actuators, write_joint, write_loop
from inertia_tools.conversion.mjcf_meshes import MeshAssets
from inertia_tools.conversion.scene import Scene, Written
from inertia_tools.description.link import Surface
from inertia_tools.description.mjcf.geoms import BITS, FRICTION, ROLLING, TORSIONAL
from inertia_tools.description.mjcf.inertial import FULL_ORDER, LEAST_OF_FULL
from inertia_tools.description.types import (
    WORLD,
    Box,
    Capsule,
    Cylinder,
    Ellipsoid,
    Joint,
    JointType,
    Link,
    Mesh,
    OtherGeometry,
    Place,
    Plane,
    Shape,
    Sphere,
)
from inertia_tools.errors import ConversionError
from inertia_tools.inertia.mjcf_mass.bodies import LEAST
from inertia_tools.inertial import Inertial, six_of_tensor
from inertia_tools.spatial import Pose

VISUAL = {"group": "2", "contype": "0", "conaffinity": "0"}
COLLISION = {"group": "3"}
EVERYTHING = (1, 1)
"""Groups of geoms as in MuJoCo's own models: 2 is visual, 3 collides."""


def emit_mjcf(scene: Scene, account: Account) -> Written:
    """Write an MJCF model whose masses come from its `<inertial>` elements only.

    Free roots get a free joint, held or static ones are children of the world. Meshes in formats that MuJoCo does not
    read are written as OBJ files beside the document.

    Raises:
        ConversionError: The robot has loops, or joints that MJCF does not have.
    """
    for joint in scene.robot.loop_joints:
        if joint.type in LOOPS:
            continue
        reason = f"joint {joint.name!r} closes a loop, which conversion to MJCF does not support; remove the joint"
        raise ConversionError(reason, joint.place.file, joint.place.line)
    for joint in scene.robot.joints.values():
        refuse_joint(joint)
    return _Writer(scene, account).write()


class _Writer:
    """Writes one model."""

    def __init__(self, scene: Scene, account: Account) -> None:
        self._scene, self._robot, self._account = scene, scene.robot, account
        self._assets = MeshAssets(scene.output)
        self._geoms: set[str] = set()
        self._sites: set[str] = set()
        self._renamed: list[tuple[str, str, Place]] = []
        self._joints = {one.name for joint in self._robot.joints.values() for one in joint.row}

    def write(self) -> Written:
        root = Node("mujoco", {"model": self._robot.name or "robot"})
        root.add("compiler", angle="radian", inertiafromgeom="false")
        if self._robot.gravity is not None:
            root.add("option", gravity=numbers(self._robot.gravity))
        assets = Node("asset")
        world = Node("worldbody")
        self._write_bodies(world)
        assets.children += self._assets.nodes
        equality = self._equalities()
        actuator = write_actuators(self._robot)
        root.children += [node for node in (assets, world, self._excludes(), equality, actuator) if node.children]
        self._note_fixed_names()
        self._note_renamed()
        return Written(render(root), self._assets.files)

    def _write_bodies(self, world: Node) -> None:
        bodies = {WORLD: world}
        for name in self._robot.depth_first:
            link, joint = self._robot.links[name], self._robot.parent_joint.get(name)
            if joint is None or joint.parent == WORLD:
                parent = WORLD
                pose = self._robot.pose_world_document @ self._robot.root_poses.get(name, Pose())
            else:
                parent, pose = joint.parent, joint.pose_parent_child
            bodies[name] = bodies[parent].add("body", name=name, **_placed(pose))
            self._write_body(bodies[name], link, joint)
        for frame in self._robot.frames:
            name = self._named(frame.name, self._sites, frame.place)
            bodies[frame.link].add("site", name=name, **_placed(frame.pose_link_frame))

    def _write_body(self, body: Node, link: Link, joint: Joint | None) -> None:
        if link.inertial is not None:
            _write_inertial(body, link.inertial)
            self._note_too_light(link, link.inertial, joint)
        if joint is not None:
            write_joint(body, joint, self._joints, self._account)
        elif not link.is_static:
            body.add("freejoint")
        if link.declared is not None and link.declared.added_mass is not None:
            self._account.note(Kind.DROPPED, link.name, "MJCF has no fluid_added_mass", link.place)
        if link.gravity_scale != 1.0:
            body.attributes["gravcomp"] = number(1.0 - link.gravity_scale)
        for shape in link.collisions:
            self._write_geom(body, link, shape, COLLISION | _touching(shape))
        for shape in link.visuals:
            self._write_geom(body, link, shape, VISUAL)

    def _note_too_light(self, link: Link, inertial: Inertial, joint: Joint | None) -> None:
        """Note a body that moves and is too light for MuJoCo, and all that is welded to it, too.

        What is impossible is noted for all formats.
        """
        is_held = link.is_static if joint is None else joint.type is JointType.FIXED
        if is_held or not inertial.is_finite():
            return
        least = _least(inertial)
        if 0.0 < least < LEAST and not any(_least(one) >= LEAST for one in self._welded(link)):
            message = f"MuJoCo refuses a moving body of {least:.3g} kg or kg m^2; the minimum is {LEAST:g}"
            self._account.note(Kind.REFUSED, link.name, message, link.place)

    def _welded(self, link: Link) -> Iterator[Inertial]:
        """Iterate over the inertials of the links that fixed joints hold below a link."""
        names = [link.name]
        for name in names:
            held = [one.child for one in self._robot.child_joints[name] if one.type is JointType.FIXED]
            names += held
            inertials = (self._robot.links[child].inertial for child in held)
            yield from (one for one in inertials if one is not None and one.is_finite())

    def _write_geom(self, body: Node, link: Link, shape: Shape, settings: dict[str, str]) -> None:
        geometry, pose = self._geometry(link, shape), shape.pose_link_shape
        if geometry is None:
            return
        named = {"name": self._named(shape.name, self._geoms, shape.place)} if shape.name else {}
        colour = {} if shape.colour is None else {"rgba": numbers(shape.colour)}
        body.add("geom", **named, **geometry, **_placed(pose), **settings, **colour)

    def _named(self, wish: str, taken: set[str], place: Place) -> str:
        """Return a name that no other geom, or no other site, has in the whole model."""
        name = free_name(wish, taken)
        taken.add(name)
        if name != wish:
            self._renamed.append((wish, name, place))
        return name

    def _note_renamed(self) -> None:
        if self._renamed:
            wish, name, place = self._renamed[0]
            message = f"is renamed {name!r}{more_like(len(self._renamed))}, as MJCF names must be unique in the model"
            self._account.note(Kind.RENAMED, wish, message, place)

    def _geometry(self, link: Link, shape: Shape) -> dict[str, str] | None:
        """Return the attributes of a geometry; None, with a note, if MJCF has none."""
        match shape.geometry:
            case Box(size=(x, y, z)):
                return {"type": "box", "size": numbers([0.5 * x, 0.5 * y, 0.5 * z])}
            case Sphere(radius=radius):
                return {"type": "sphere", "size": number(radius)}
            case Cylinder(radius=radius, length=length):
                return {"type": "cylinder", "size": numbers([radius, 0.5 * length])}
            case Capsule(radius=radius, length=length):
                return {"type": "capsule", "size": numbers([radius, 0.5 * length])}
            case Ellipsoid(semi_axes=axes):
                return {"type": "ellipsoid", "size": numbers(axes)}
            case Plane(normal=(x, y, z)) if link.is_static and x == 0.0 == y and z > 0.0:
                return {"type": "plane", "size": "0 0 1"}
            case Mesh() as mesh:
                name = self._assets.named(mesh)
                if name.reason == "":
                    return {"type": "mesh", "mesh": name.name}
                message = f"a mesh of link {link.name!r} is omitted: {name.reason}"
                self._account.note(Kind.DROPPED, shape.name or link.name, message, shape.place)
                return None
        what = shape.geometry.kind if isinstance(shape.geometry, OtherGeometry) else type(shape.geometry).__name__
        message = f"the {what.lower()} of link {link.name!r} cannot be stored in MJCF"
        self._account.note(Kind.DROPPED, shape.name or link.name, message, shape.place)
        return None

    def _excludes(self) -> Node:
        """Return the pairs of bodies that never touch; an equality, which stands for a loop, excludes none."""
        node = Node("contact")
        loops = {frozenset((loop.parent, loop.child)) for loop in self._robot.loop_joints if not loop.touches}
        for pair in sorted(sorted(pair) for pair in self._robot.apart | loops):
            if len(pair) == 2 and all(name in self._robot.links for name in pair):
                node.add("exclude", body1=pair[0], body2=pair[1])
        return node

    def _equalities(self) -> Node:
        node = Node("equality")
        for loop in self._robot.loop_joints:
            write_loop(node, loop)
        joints = {one.name: one for joint in self._robot.joints.values() for one in joint.row}
        for joint in joints.values():
            mimic = joint.mimic
            if mimic is None:
                continue
            leader = joints.get(mimic.joint)
            if leader is None or leader.type is JointType.FIXED or joint.type is JointType.FIXED:
                message = f"its mimic of {mimic.joint!r} is lost, as one of the two does not move"
                self._account.note(Kind.DROPPED, joint.name, message, joint.place)
            else:
                factors = numbers([mimic.offset, mimic.multiplier, 0.0, 0.0, 0.0])
                node.add("joint", joint1=joint.name, joint2=mimic.joint, polycoef=factors)
        return node

    def _note_fixed_names(self) -> None:
        fixed = [joint for joint in self._robot.joints.values() if joint.type is JointType.FIXED]
        if fixed:
            others = "" if len(fixed) == 1 else f" and of {len(fixed) - 1} more"
            message = f"the name of this fixed joint{others} is lost; MJCF fixes a body without a joint to its parent"
            self._account.note(Kind.DROPPED, fixed[0].name, message, fixed[0].place)


def _touching(shape: Shape) -> dict[str, str]:
    """Return the contact attributes of a geom; torsional friction needs a `condim` of 4, rolling friction one of 6."""
    words = {}
    if shape.masks != EVERYTHING:
        words = {name: _mask(bits) for name, bits in zip(("contype", "conaffinity"), shape.masks, strict=True)}
    surface = shape.surface or Surface()
    stated = (surface.friction, surface.torsional, surface.rolling)
    count = max((place for place, value in enumerate(stated, 1) if value is not None), default=0)
    if count:
        friction = [usual if value is None else value for value, usual in zip(stated, FRICTION, strict=True)]
        words["friction"] = numbers(friction[:count])
    if count > 1:
        words["condim"] = str(TORSIONAL if count == 2 else ROLLING)
    words |= {name: number(value) for name in ("margin", "gap") if (value := getattr(surface, name)) is not None}
    return words


def _mask(bits: int) -> str:
    """Return the mask bits that MuJoCo has, as a signed number; higher ones represent pairs."""
    low = bits & BITS
    return str(low if low <= BITS // 2 else low - BITS - 1)


def _write_inertial(body: Node, inertial: Inertial) -> None:
    six = [0.0] * 6
    for place, value in zip(FULL_ORDER, six_of_tensor(inertial.inertia).tolist(), strict=True):
        six[place] = value
    pose, moments = Pose(inertial.com), {"diaginertia": numbers(six[:3])}
    if any(six[3:]):
        moments = {"fullinertia": numbers(six)}
        if inertial.is_finite() and 0.0 < inertial.principal_moments[0] < LEAST_OF_FULL:
            pose, moments = inertial.principal_pose, {"diaginertia": numbers(inertial.principal_moments)}
    body.add("inertial", **({"pos": "0 0 0"} | _placed(pose)), mass=number(inertial.mass), **moments)


def _least(inertial: Inertial) -> float:
    """Return the lesser of the mass [kg] and the smallest principal moment [kg m^2]."""
    return min(inertial.mass, float(inertial.principal_moments[0]))


def _placed(pose: Pose) -> dict[str, str]:
    """Return the attributes of a pose; none for the identity."""
    attributes = {}
    if pose.position.any():
        attributes["pos"] = numbers(pose.position)
    if not pose.isclose(Pose(pose.position), 0.0):
        x, y, z, w = pose.quaternion
        attributes["quat"] = numbers([w, x, y, z])
    return attributes
