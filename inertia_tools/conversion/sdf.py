# SPDX-FileCopyrightText: The inertia_tools authors
# SPDX-License-Identifier: Apache-2.0
"""From a description to the text of an SDFormat model."""

from __future__ import annotations

from inertia_tools.conversion.account import Account, Kind
from inertia_tools.conversion.gazebo import Gazebo
from inertia_tools.conversion.grounded import free_name
from inertia_tools.conversion.markup import Node, numbers, render
from inertia_tools.conversion.scene import Scene, Written
from inertia_tools.conversion.sdf_joints import write_joint
from inertia_tools.conversion.sdf_shapes import ShapeWriter
from inertia_tools.description.kinematics import TURNING
from inertia_tools.description.types import WORLD, AttachedFrame, Cone, Description, Format, Joint, Link
from inertia_tools.errors import ConversionError, OptionError
from inertia_tools.inertial import Inertial, six_of_tensor
from inertia_tools.spatial import Array, Pose

VERSIONS = ("1.7", "1.8", "1.9", "1.10", "1.11", "1.12")
"""Versions that can be written: those with `relative_to` in poses."""

DEFAULT, WITH_ADDED_MASS, WITH_MIMIC_AND_CONE = "1.9", "1.10", "1.11"
"""The default version, read by libsdformat 12 (Fortress) and later, and the versions for elements that it lacks."""

TENSOR = ("ixx", "ixy", "ixz", "iyy", "iyz", "izz")
ADDED_MASS_VERSION = (1, 10)
ADDED_MASS_AXES = "xyzpqr"


def emit_sdf(scene: Scene, account: Account) -> Written:
    """Write a model of SDFormat; lumped links remain as frames on their carriers.

    Raises:
        ConversionError: SDFormat does not have a joint, or a world would become one model.
        OptionError: The version cannot be written.
    """
    robot = scene.robot
    if robot.format is Format.SDF and robot.is_world:
        reason = "a world with several models is already SDFormat; convert its models one by one"
        raise ConversionError(reason, robot.document.name)
    return _Writer(scene, account).write()


class _Writer:
    """Writes one model."""

    def __init__(self, scene: Scene, account: Account) -> None:
        self._scene, self._robot, self._account = scene, scene.robot, account
        self._version = chosen_version(scene)
        self._names = _Names(scene.robot, account)
        self._tells = not scene.robot.format.traits.is_urdf  # a URDF's <gazebo> elements are carried over
        self._shapes = ShapeWriter(scene, account, self._version, with_surfaces=self._tells)
        self._gazebo = Gazebo(scene, self._names.of_link, account)

    def write(self) -> Written:
        root = Node("sdf", {"version": ".".join(map(str, self._version))})
        model = root.add("model", name=self._robot.name or "robot")
        add_pose(model, self._robot.pose_world_document)
        if self._robot.links and all(link.is_static for link in self._robot.links.values()):
            model.add("static", "true")
        for link in self._robot.links.values():
            self._write_link(model, link)
        for name, joint in [*self._robot.joints.items(), *((one.name, one) for one in self._robot.loop_joints)]:
            locked = name in self._scene.extensions.locked
            node = write_joint(model, joint, self._names, self._version, self._account, locked=locked)
            self._gazebo.apply_to_joint(name, node)
        for frame, name in self._names.frames:
            self._write_frame(model, frame, name)
        self._gazebo.apply_to_model(model)
        return Written(render(root), self._shapes.files)

    def _write_link(self, model: Node, link: Link) -> None:
        node = model.add("link", name=self._names.of_link[link.name])
        joint = self._robot.parent_joint.get(link.name)
        if joint is None or joint.parent == WORLD:
            add_pose(node, self._robot.root_poses.get(link.name, Pose()))
        else:
            add_pose(node, joint.pose_parent_child, self._names.of_link[joint.parent])
        if self._tells and link.gravity_scale == 0.0:
            node.add("gravity", "false")
        if self._tells and link.self_collides:
            node.add("self_collide", "true")
        if link.inertial is not None and link.declared is not None:
            self._write_inertial(node, link.inertial, link.declared.added_mass, link)
        shapes = self._shapes.write(node, link)
        self._gazebo.apply_to_link(link.name, node, shapes)

    def _write_inertial(self, node: Node, inertial: Inertial, added_mass: Array | None, link: Link) -> None:
        holder = node.add("inertial")
        if inertial.com.any():
            holder.add("pose", f"{numbers(inertial.com)} 0 0 0")
        holder.add_number("mass", inertial.mass)
        tensor = holder.add("inertia")
        for name, value in zip(TENSOR, six_of_tensor(inertial.inertia).tolist(), strict=True):
            tensor.add_number(name, value)
        if added_mass is None:
            return
        if self._version < ADDED_MASS_VERSION:
            message = "fluid_added_mass needs SDFormat 1.10; write with --sdf-version 1.10 or later"
            self._account.note(Kind.DROPPED, link.name, message, link.place)
            return
        fluid = holder.add("fluid_added_mass")
        for row, first in enumerate(ADDED_MASS_AXES):
            for column in range(row, 6):
                fluid.add_number(first + ADDED_MASS_AXES[column], float(added_mass[row, column]))

    def _write_frame(self, model: Node, frame: AttachedFrame, name: str) -> None:
        if frame.link == WORLD:
            node = model.add("frame", name=name)
            add_pose(node, self._robot.pose_world_document.inverse() @ frame.pose_link_frame)
            return
        node = model.add("frame", name=name, attached_to=self._names.of_link[frame.link])
        add_pose(node, frame.pose_link_frame)


class _Names:
    """Valid names in one model: unique, and without `::`."""

    def __init__(self, robot: Description, account: Account) -> None:
        self._taken: set[str] = {WORLD}
        self._account = account
        self.of_link = {link.name: self._named(link.name, link) for link in robot.links.values()}
        joints = [*robot.joints.values(), *robot.loop_joints]
        self.of_joint = {joint.name: self._named(joint.name, joint) for joint in joints}
        seconds = {one: self._within(one, joint) for joint in joints for one in joint.further[:1]}
        self.of_second = {one.name: name for one, name in seconds.items() if one.type in TURNING}
        self.frames = [(frame, self._named(frame.name, frame)) for frame in robot.frames]

    def _within(self, second: Joint, first: Joint) -> str:
        """Return the name of the joint that has another one as its second axis, or as its advance."""
        name = self.of_joint[first.name]
        part, ending = ("second axis", "axis2") if second.type in TURNING else ("advance", "advance")
        if second.name != f"{name}_{ending}":
            message = f"is the {part} of joint {name!r}, which has no name of its own"
            self._account.note(Kind.RENAMED, second.name, message, second.place)
        return name

    def _named(self, wish: str, thing: object) -> str:
        plain = wish.replace("::", "__")
        plain = f"_{plain.strip('_')}" if plain.startswith("__") and plain.endswith("__") else plain
        name = free_name(plain, self._taken)
        self._taken.add(name)
        if name != wish:
            place = thing.place  # type: ignore[attr-defined]
            self._account.note(Kind.RENAMED, wish, f"is renamed {name!r}, as names must be unique in a model", place)
        return name


def add_pose(node: Node, pose: Pose, relative_to: str = "") -> None:
    """Add a pose; the identity in the default frame is left out."""
    is_identity = pose.isclose(Pose(), 0.0)
    if not (is_identity and not relative_to):
        text = f"{numbers(pose.position)} {numbers(pose.rpy)}" if not is_identity else "0 0 0 0 0 0"
        node.add("pose", text, **({"relative_to": relative_to} if relative_to else {}))


def chosen_version(scene: Scene) -> tuple[int, int]:
    """Return the version to write: the requested one, else the oldest common one that holds everything.

    Raises:
        OptionError: It cannot be written.
    """
    word = scene.sdf_version or _least_version(scene.robot)
    if word not in VERSIONS:
        raise OptionError("sdf_version", word, "one of " + ", ".join(VERSIONS))
    major, minor = word.split(".")
    return int(major), int(minor)


def _least_version(robot: Description) -> str:
    shapes = (shape for link in robot.links.values() for shape in link.shapes)
    if any(joint.mimic is not None for joint in robot.joints.values()) or any(
        isinstance(shape.geometry, Cone) for shape in shapes
    ):
        return WITH_MIMIC_AND_CONE
    declared = (link.declared for link in robot.links.values())
    return WITH_ADDED_MASS if any(one is not None and one.added_mass is not None for one in declared) else DEFAULT
