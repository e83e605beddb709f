# SPDX-FileCopyrightText: The inertia_tools authors
# SPDX-License-Identifier: Apache-2.0
"""Lumping: making one link of links that fixed joints hold together.

The mass properties of a child are expressed in the frame of its parent and added there, children first; its shapes
move along. The child and the joint survive as frames on what carries them now, so that nothing loses its name. What is
fixed to the world stays as it is, since mass that the world absorbs is lost.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass, replace

import numpy as np

from inertia_tools.description.joint import Joint, JointType
from inertia_tools.description.link import AttachedFrame, DeclaredInertial, Link, Shape
from inertia_tools.description.types import WORLD, Description
from inertia_tools.inertial import Inertial
from inertia_tools.spatial import Array, Pose, read_only

LUMP_INFIX = "_fixed_joint_lump__"
"""Stands between the names of the carrier and of the shape in the name of a shape that moved; libsdformat's word."""


@dataclass(frozen=True, eq=False)
class MergedLink:
    """A link that became part of another.

    Attributes:
        part: The link as it was; its name is that of a frame now.
        into: The link that it is part of.
        joint: The fixed joint that held it, now a frame too.
        pose_into_link: Its frame seen from there.
    """

    part: Link
    into: str
    joint: Joint
    pose_into_link: Pose

    @property
    def link(self) -> str:
        """Its name."""
        return self.part.name


@dataclass(frozen=True, eq=False)
class Lumped:
    """A description without the fixed joints that were to go, and what became of them.

    Attributes:
        robot: The description.
        merged: Links that are gone, parents before children.
    """

    robot: Description
    merged: tuple[MergedLink, ...]


def lump_fixed_joints(robot: Description, keep: Collection[str] = ()) -> Lumped:
    """Merge the child of every fixed joint into its parent.

    A link whose whole group states no inertial has none afterwards; an incomplete one adds nothing. The tensor of a
    group is in link axes, and so is the added mass of a fluid, which adds up too. The joints that a merged link carried
    hang on the carrier.

    Args:
        robot: The description.
        keep: Names of the fixed joints to leave.
    """
    gone = {joint.name for joint in robot.joints.values() if _may_go(robot, joint) and joint.name not in keep}
    if not gone:
        return Lumped(robot, ())
    carrier = _carriers(robot, gone)
    totals, added = _totals(robot, gone), _added_masses(robot, gone)
    merged = tuple(
        MergedLink(robot.links[name], carrier[name][0], robot.parent_joint[name], carrier[name][1])
        for name in _by_joint_name(robot)
        if carrier[name][0] != name
    )
    kept = {name: link for name, link in robot.links.items() if carrier[name][0] == name}
    links = {name: _whole(link, totals[name], added[name]) for name, link in kept.items()}
    parts: dict[str, list[MergedLink]] = {}
    for one in merged:
        parts.setdefault(one.into, []).append(one)
    links |= {name: _with_shapes(links[name], of_link) for name, of_link in parts.items()}
    joints = {name: _rehung(joint, carrier) for name, joint in robot.joints.items() if name not in gone}
    lumped = replace(
        robot,
        links=links,
        joints=joints,
        loop_joints=tuple(_rehung_loop(joint, carrier) for joint in robot.loop_joints),
        models=tuple(
            replace(model, links=tuple(name for name in model.links if name in links)) for model in robot.models
        ),
        apart=frozenset(frozenset(carrier[name][0] for name in pair) for pair in robot.apart),
        frames=(*(_moved(frame, carrier) for frame in robot.frames), *_frames_of(merged)),
    )
    return Lumped(lumped, merged)


def _may_go(robot: Description, joint: Joint) -> bool:
    """Tell whether a joint holds a link to one that can take it over; the world, by whatever name, cannot."""
    if joint.type is not JointType.FIXED or joint.parent == WORLD or joint.child == WORLD:
        return False
    return robot.links[joint.parent].is_static == robot.links[joint.child].is_static


def _carriers(robot: Description, gone: Collection[str]) -> dict[str, tuple[str, Pose]]:
    """Find the link that carries each link in the end, and its frame seen from there."""
    carrier: dict[str, tuple[str, Pose]] = {}
    for name in robot.depth_first:
        joint = robot.parent_joint.get(name)
        if joint is None or joint.name not in gone:
            carrier[name] = (name, Pose())
            continue
        above, pose = carrier[joint.parent]
        carrier[name] = (above, pose @ joint.pose_parent_child)
    return carrier


def _by_joint_name(robot: Description) -> list[str]:
    """List the links depth first, those on one link by the names of their joints, as libsdformat goes through them."""
    order, waiting = list[str](), list(reversed(robot.roots))
    while waiting:
        name = waiting.pop()
        order.append(name)
        joints = sorted(robot.child_joints[name], key=lambda joint: joint.name, reverse=True)
        waiting += [joint.child for joint in joints]
    return order


def _totals(robot: Description, gone: Collection[str]) -> dict[str, Inertial | None]:
    """Add up the mass properties of each link and of what it absorbs, children first, in its axes."""
    totals: dict[str, Inertial | None] = {name: link.inertial for name, link in robot.links.items()}
    for name in reversed(robot.depth_first):
        joint, part = robot.parent_joint.get(name), totals[name]
        if joint is None or joint.name not in gone or part is None:
            continue
        part, whole = part.transform(joint.pose_parent_child), totals[joint.parent]
        totals[joint.parent] = part if whole is None else whole + part
    return totals


def _added_masses(robot: Description, gone: Collection[str]) -> dict[str, Array | None]:
    """Add up the added mass of each link and of what it absorbs, children first, about its origin and in its axes."""
    totals = {name: None if one.declared is None else one.declared.added_mass for name, one in robot.links.items()}
    for name in reversed(robot.depth_first):
        joint, part = robot.parent_joint.get(name), totals[name]
        if joint is None or joint.name not in gone or part is None:
            continue
        part, whole = _moved_added_mass(part, joint.pose_parent_child), totals[joint.parent]
        totals[joint.parent] = part if whole is None else read_only(whole + part, (6, 6))
    return totals


def _moved_added_mass(matrix: Array, pose: Pose) -> Array:
    """Express an added mass in another frame, in which its own has this pose; shape (6, 6), linear before angular.

    With v and w the velocities in the new frame, those in its own are R^T (v + w x p) and R^T w; the energy stays.
    """
    turn = pose.rotation.T
    motion = np.zeros((6, 6))
    motion[:3, :3] = motion[3:, 3:] = turn
    motion[:3, 3:] = turn @ np.cross(pose.position, np.eye(3))  # times w this is w x p
    moved = motion.T @ matrix @ motion
    return read_only(0.5 * (moved + moved.T), (6, 6))  # rounding leaves it not quite symmetric


def _whole(link: Link, total: Inertial | None, added_mass: Array | None) -> Link:
    """Let a link declare what it and all that it absorbed have together; one that absorbed nothing stays."""
    own = None if link.declared is None else link.declared.added_mass
    if total is None or (total is link.inertial and added_mass is own):
        return link
    place = link.place if link.declared is None else link.declared.place
    declared = DeclaredInertial(total.mass, Pose(total.com), total.inertia, place, added_mass=added_mass)
    return replace(link, declared=declared)


def _with_shapes(link: Link, parts: Sequence[MergedLink]) -> Link:
    """Let a link carry the shapes of its parts after its own, numbered on."""
    collisions, visuals = list(link.collisions), list(link.visuals)
    for one in parts:
        collisions += _carried(one, one.part.collisions, "collision", len(collisions))
        visuals += _carried(one, one.part.visuals, "visual", len(visuals))
    return replace(link, collisions=tuple(collisions), visuals=tuple(visuals))


def _carried(one: MergedLink, shapes: Sequence[Shape], kind: str, first: int) -> Iterator[Shape]:
    for number, shape in enumerate(shapes, first):
        name = lumped_name(shape.name or one.link, one.into, kind, number)
        yield replace(shape, name=name, pose_link_shape=one.pose_into_link @ shape.pose_link_shape)


def lumped_name(name: str, link: str, kind: str, number: int) -> str:
    """Return what libsdformat calls a shape that has a name, or is that of a part, as the n-th of a link from 0."""
    start = "" if name.startswith(link) else f"{link}{LUMP_INFIX}"
    return f"{start}{name}_{kind}" + (f"_{number}" if number else "")


def shape_name(shape: Shape, link: str, kind: str, number: int) -> str:
    """Return the name of a shape; one without takes the name that libsdformat would give it."""
    return shape.name or f"{link}_{kind}" + (f"_{number}" if number else "")


def _rehung(joint: Joint, carrier: dict[str, tuple[str, Pose]]) -> Joint:
    """Let a joint hang on what its parent is part of now; its child is a link still."""
    if joint.parent not in carrier:
        return joint
    parent, pose = carrier[joint.parent]
    return replace(joint, parent=parent, pose_parent_child=pose @ joint.pose_parent_child)


def _rehung_loop(joint: Joint, carrier: dict[str, tuple[str, Pose]]) -> Joint:
    """Let a joint that closes a loop hang on what both its ends are part of now."""
    joint = _rehung(joint, carrier)
    child, pose = carrier[joint.child]
    turn = pose.rotation
    return replace(
        joint,
        child=child,
        pose_parent_child=joint.pose_parent_child @ pose.inverse(),
        axis=turn @ joint.axis,
        axis2=None if joint.axis2 is None else turn @ joint.axis2,
        pose_child_joint=pose @ joint.pose_child_joint,
    )


def _moved(frame: AttachedFrame, carrier: dict[str, tuple[str, Pose]]) -> AttachedFrame:
    if frame.link not in carrier:
        return frame
    link, pose = carrier[frame.link]
    return replace(frame, link=link, pose_link_frame=pose @ frame.pose_link_frame)


def _frames_of(merged: tuple[MergedLink, ...]) -> list[AttachedFrame]:
    """List the frames that are left of the joints and links that are gone."""
    frames = []
    for one in merged:
        pose_joint = one.pose_into_link @ one.joint.pose_child_joint
        frames.append(AttachedFrame(one.joint.name, one.into, pose_joint, one.joint.place))
        frames.append(AttachedFrame(one.link, one.into, one.pose_into_link, one.joint.place))
    return frames
