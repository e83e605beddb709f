# SPDX-FileCopyrightText: The inertia_tools authors
# SPDX-License-Identifier: Apache-2.0
"""Writing a description as URDF, for robots that fit: one tree of links, joints of at most one degree of freedom."""

from __future__ import annotations

from inertia_tools.conversion.account import Account, Kind
from inertia_tools.conversion.grounded import free_name
from inertia_tools.conversion.links_at_joints import links_at_joints
from inertia_tools.conversion.markup import Node, number, numbers, render
from inertia_tools.conversion.meshes import MeshFiles, must_be_written, uri_for
from inertia_tools.conversion.motors import note_motors
from inertia_tools.conversion.scene import Scene, Written
from inertia_tools.description.types import (
    WORLD,
    Box,
    Capsule,
    Cylinder,
    Description,
    Geometry,
    Joint,
    JointType,
    Link,
    Mesh,
    OtherGeometry,
    Place,
    Shape,
    Sphere,
)
from inertia_tools.description.urdf import JOINT_TYPES, JOINTS_WITH_AXIS, TENSOR_ATTRIBUTES
from inertia_tools.errors import ConversionError
from inertia_tools.inertial import Inertial, six_of_tensor
from inertia_tools.spatial import Pose

UNBOUNDED = 1e16
"""Default of a bound that URDF requires and the source lacks [rad, m, N m, rad/s, ...]; SDFormat's number for it."""

LIMITED = (JointType.REVOLUTE, JointType.PRISMATIC)
LONG_NAMES = {"OtherGeometry": "shape", "Prism": "polyline"}


def emit_urdf(scene: Scene, account: Account) -> Written:
    """Write a URDF; links held to the world are attached to a link `world`, named frames are links without mass.

    Raises:
        ConversionError: The robot has several free roots, loops, or joints or shapes that URDF does not have.
    """
    _refuse_what_does_not_fit(scene.robot)
    return _Writer(scene, links_at_joints(scene.robot, account), account).write()


def _refuse_what_does_not_fit(robot: Description) -> None:
    """Check that URDF can hold the robot.

    Raises:
        ConversionError: It cannot.
    """
    held = [name for name in robot.roots if _is_held(robot, name)]
    if len(robot.roots) > 1 and len(held) < len(robot.roots):
        shown = ", ".join(repr(name) for name in robot.roots[:5])
        reason = (
            f"{len(robot.roots)} links have no parent ({shown}); a URDF has one root; connect them or split the file"
        )
        raise _refusal(reason, robot.links[robot.roots[1]].place)
    for joint in robot.loop_joints:
        raise _refusal(f"joint {joint.name!r} closes a loop; a URDF is a tree; remove the joint", joint.place)
    for joint in robot.joints.values():
        if joint.further:
            reason = f"{len(joint.further) + 1} joints in series move link {joint.child!r}; add a link between them"
            raise _refusal(reason, joint.place)
        if joint.type not in JOINT_TYPES:
            reason = f"joint {joint.name!r} is a {joint.type.value} joint, which URDF lacks; replace it by other joints"
            raise _refusal(reason, joint.place)


def _is_held(robot: Description, root: str) -> bool:
    """Return whether the world holds a root."""
    return robot.links[root].is_static or root in robot.parent_joint


def _refusal(reason: str, place: Place) -> ConversionError:
    return ConversionError(reason, place.file, place.line)


class _Writer:
    """Writes one robot."""

    def __init__(self, scene: Scene, robot: Description, account: Account) -> None:
        self._scene, self._robot, self._account = scene, robot, account
        self._meshes = MeshFiles()
        self._joint_names = set(robot.joints)

    def write(self) -> Written:
        root = Node("robot", {"name": self._robot.name or "robot"})
        held = [name for name in self._robot.roots if _is_held(self._robot, name)]
        if held or any(frame.link == WORLD for frame in self._robot.frames):
            root.add("link", name=WORLD)
        for link in self._robot.links.values():
            self._write_link(root, link)
        for joint in self._robot.joints.values():
            self._write_joint(root, joint)
        for name in self._robot.roots:
            self._place_root(root, name)
        self._write_frames(root)
        return Written(render(root), self._meshes.files)

    def _place_root(self, root: Node, name: str) -> None:
        """Join a static root to the world; note the pose of a free one, which a URDF cannot hold."""
        pose = self._robot.pose_world_document @ self._robot.root_poses.get(name, Pose())
        link = self._robot.links[name]
        if name in self._robot.parent_joint:
            return
        if link.is_static:
            self._add_fixed(root, f"{name}_to_world", WORLD, name, pose)
        elif not pose.isclose(Pose(), 0.0):
            message = f"its initial pose, {numbers(pose.position)} with rpy {numbers(pose.rpy)}, is lost"
            self._account.note(Kind.DROPPED, name, message, link.place)

    def _write_link(self, root: Node, link: Link) -> None:
        node = root.add("link", name=link.name)
        if link.inertial is not None:
            _write_inertial(node, link.inertial)
        if link.declared is not None and link.declared.added_mass is not None:
            self._account.note(Kind.DROPPED, link.name, "URDF has no fluid_added_mass", link.place)
        for kind, shapes in (("collision", link.collisions), ("visual", link.visuals)):
            for shape in shapes:
                self._write_shape(node, kind, shape, link)

    def _write_shape(self, link: Node, kind: str, shape: Shape, of: Link) -> None:
        if isinstance(shape.geometry, OtherGeometry) and shape.geometry.kind == "empty":
            return
        node = link.add(kind, **({"name": shape.name} if shape.name else {}))
        _add_origin(node, shape.pose_link_shape)
        node.add("geometry").children.append(self._geometry(shape.geometry, of, shape.place))
        if kind == "visual" and shape.colour is not None:
            node.add("material", name=f"rgba {numbers(shape.colour)}").add("color", rgba=numbers(shape.colour))

    def _geometry(self, geometry: Geometry, link: Link, place: Place) -> Node:
        match geometry:
            case Box():
                return Node("box", {"size": numbers(geometry.size)})
            case Sphere():
                return Node("sphere", {"radius": number(geometry.radius)})
            case Cylinder():
                return Node("cylinder", {"radius": number(geometry.radius), "length": number(geometry.length)})
            case Capsule():
                return Node("capsule", {"radius": number(geometry.radius), "length": number(geometry.length)})
            case Mesh():
                if must_be_written(geometry) or geometry.submesh is not None:
                    uri = self._meshes.written(geometry)
                else:
                    uri = uri_for(geometry, self._scene.output, "package://")
                scale = {} if geometry.scale == (1.0, 1.0, 1.0) else {"scale": numbers(geometry.scale)}
                return Node("mesh", {"filename": uri, **scale})
        kind = type(geometry).__name__
        what = LONG_NAMES.get(kind, kind.lower())
        raise _refusal(f"the {what} of link {link.name!r} is not a shape of URDF; replace it by a mesh", place)

    def _write_joint(self, root: Node, joint: Joint) -> None:
        node = root.add("joint", name=joint.name, type=joint.type.value)
        pose = joint.pose_parent_child
        if joint.parent == WORLD:
            pose = self._robot.pose_world_document @ self._robot.root_poses[joint.child]
        _add_origin(node, pose)
        node.add("parent", link=joint.parent)
        node.add("child", link=joint.child)
        if joint.type in JOINTS_WITH_AXIS:
            node.add("axis", xyz=numbers(joint.axis))
        self._write_limit(node, joint)
        note_motors(joint, self._account, holds_springs=False)
        if joint.damping or joint.friction:
            node.add("dynamics", damping=number(joint.damping), friction=number(joint.friction))
        if joint.mimic is not None:
            mimic = joint.mimic
            node.add("mimic", joint=mimic.joint, multiplier=number(mimic.multiplier), offset=number(mimic.offset))

    def _write_limit(self, node: Node, joint: Joint) -> None:
        """Write the bounds; URDF requires all four of them for a bounded joint."""
        limit = joint.limit
        stated = {"lower": limit.lower, "upper": limit.upper, "effort": limit.effort, "velocity": limit.velocity}
        if joint.type in LIMITED:
            lacking = [name for name, value in stated.items() if value is None]
            if lacking:
                message = f"{', '.join(lacking)} are not stated; {UNBOUNDED:g} is written, which means no limit"
                self._account.note(Kind.CHANGED, joint.name, message, joint.place)
            signs = {"lower": -UNBOUNDED}
            stated = {name: signs.get(name, UNBOUNDED) if value is None else value for name, value in stated.items()}
        bounds = {name: number(value) for name, value in stated.items() if value is not None}
        if bounds and joint.type is not JointType.FIXED:
            node.add("limit", **bounds)

    def _write_frames(self, root: Node) -> None:
        taken = {*self._robot.links, WORLD}
        for frame in self._robot.frames:
            name = free_name(frame.name, taken)
            taken.add(name)
            if name != frame.name:
                self._account.note(Kind.RENAMED, frame.name, f"the frame is the link {name!r}", frame.place)
            root.add("link", name=name)
            self._add_fixed(root, f"{name}_joint", frame.link, name, frame.pose_link_frame)

    def _add_fixed(self, root: Node, wish: str, parent: str, child: str, pose: Pose) -> None:
        name = free_name(wish, self._joint_names)
        self._joint_names.add(name)
        node = root.add("joint", name=name, type="fixed")
        _add_origin(node, pose)
        node.add("parent", link=parent)
        node.add("child", link=child)


def _write_inertial(link: Node, inertial: Inertial) -> None:
    node = link.add("inertial")
    _add_origin(node, Pose(inertial.com))
    node.add("mass", value=number(inertial.mass))
    six = six_of_tensor(inertial.inertia).tolist()
    node.add("inertia", **{name: number(value) for name, value in zip(TENSOR_ATTRIBUTES, six, strict=True)})


def _add_origin(node: Node, pose: Pose) -> None:
    """Add an origin; the identity is left out."""
    if not pose.isclose(Pose(), 0.0):
        node.add("origin", xyz=numbers(pose.position), rpy=numbers(pose.rpy))
