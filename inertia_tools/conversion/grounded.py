# SPDX-FileCopyrightText: The inertia_tools authors
# SPDX-License-Identifier: Apache-2.0
"""A uniform representation of the world: no link is the world, and free roots have no floating joint."""

from __future__ import annotations

from collections.abc import Container, Iterable
from dataclasses import replace

from inertia_tools.conversion.account import Account, Kind
from inertia_tools.description.types import WORLD, Description, Joint, JointType, Link
from inertia_tools.errors import ConversionError
from inertia_tools.spatial import Pose
from inertia_tools.wording import counted


def grounded(robot: Description, account: Account, *, fixed_base: bool = False) -> Description:
    """Return the description without a link for the world and without floating joints.

    A link named `world`, as in URDF and MJCF, becomes the parent of its children; its shapes and mass are noted as
    dropped. The child of a floating joint becomes a root.

    Args:
        robot: The description.
        account: Receives notes.
        fixed_base: Hold every free root to the world by a fixed joint.

    Raises:
        ConversionError: The child link of a joint is named `world`.
    """
    for joint in robot.joints.values():
        if joint.child == WORLD:
            reason = (
                f"joint {joint.name!r} has a child link named 'world', a name reserved for the fixed world; rename it"
            )
            raise ConversionError(reason, joint.place.file, joint.place.line)
    poses = dict(robot.link_poses)
    if WORLD in robot.links:
        _note_lost_world(robot.links[WORLD], account)
    links = {name: link for name, link in robot.links.items() if name != WORLD}
    joints = {name: joint for name, joint in robot.joints.items() if joint.type is not JointType.FLOATING}
    for joint in robot.joints.values():
        if joint.type is JointType.FLOATING and joint.parent != WORLD:
            message = f"{joint.child!r} is a free body of the model and needs no joint"
            account.note(Kind.CHANGED, joint.name, message, joint.place)
    if fixed_base:
        held = {joint.child for joint in joints.values()}
        joints |= _anchors([link for name, link in links.items() if name not in held], joints, poses)
    carried = {joint.child for joint in joints.values() if joint.parent in links}
    roots = tuple(name for name in links if name not in carried)
    return replace(robot, links=links, joints=joints, roots=roots, root_poses={name: poses[name] for name in roots})


def held_still(robot: Description, account: Account) -> Description:
    """Return the description with static links on fixed joints, for formats in which links move as joints permit.

    In a static model of SDFormat joints have no effect; in other formats a link below a held one moves as its joint
    permits.
    """
    held = {
        name: joint
        for name, joint in robot.joints.items()
        if joint.type is not JointType.FIXED and robot.links[joint.child].is_static
    }
    for joint in held.values():
        message = f"is fixed, as {joint.child!r} never moves"
        account.note(Kind.CHANGED, joint.name, message, joint.place)
    fixed = {
        name: Joint(name, JointType.FIXED, joint.parent, joint.child, joint.pose_parent_child, joint.place)
        for name, joint in held.items()
    }
    return replace(robot, joints=dict(robot.joints) | fixed)


def _anchors(roots: Iterable[Link], taken: Iterable[str], poses: dict[str, Pose]) -> dict[str, Joint]:
    """Make a fixed joint to the world for each root."""
    anchors: dict[str, Joint] = {}
    names = set(taken)
    for link in roots:
        name = free_name(f"{link.name}_to_world", names)
        names.add(name)
        anchors[name] = Joint(name, JointType.FIXED, WORLD, link.name, poses[link.name], link.place)
    return anchors


def free_name(wish: str, taken: Container[str]) -> str:
    """Return a name that is not in use: the requested one, or that with a number.

    Args:
        wish: The name.
        taken: Names in a set or similar container, which is tested and not iterated: a writer names thousands.
    """
    name, number = wish, 2
    while name in taken:
        name, number = f"{wish}_{number}", number + 1
    return name


def _note_lost_world(world: Link, account: Account) -> None:
    if world.shapes:
        shapes = counted(len(world.shapes), "shape")
        message = f"{shapes} of the world omitted: the surroundings are not part of the robot"
        account.note(Kind.DROPPED, WORLD, message, world.place)
    if world.declared is not None and not world.is_static:
        account.note(
            Kind.DROPPED,
            WORLD,
            "the inertial of the world is omitted, as the world does not move",
            world.declared.place,
        )
