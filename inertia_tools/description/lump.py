# SPDX-FileCopyrightText: The inertia_tools authors
# SPDX-License-Identifier: Apache-2.0
"""Lumping: merging links that fixed joints connect.

The mass properties of a child are expressed in the frame of its parent and added there, children first; its shapes move
along. The child and the joint remain as frames on the link that carries them, so that no name is lost. Links fixed to
the world are not merged, since the world would absorb their mass.
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
"""Infix between the names of carrier and shape in the name of a moved shape, as in libsdformat."""


@dataclass(frozen=True, eq=False)
class MergedLink:
    """A link merged into another.

    Attributes:
        part: The original link; its name is now that of a frame.
        into: The link that contains it.
        joint: The fixed joint that held it, now a frame too.
        pose_into_link: Its frame seen from that link.
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
    """A description without the merged fixed joints, and the merged links.

    Attributes:
        robot: The description.
        merged: Removed links, parents before children.
    """

    robot: Description
    merged: tuple[MergedLink, ...]


def lump_fixed_joints(robot: Description, keep: Collection[str] = ()) -> Lumped:
    """Merge the child of every fixed joint into its parent.

    A group of links without any stated inertial has none afterwards; an incomplete inertial adds nothing. The tensor of
    a group is in link axes, and so is the added mass of a fluid, which is summed too. The joints of a merged link are
    attached to the carrier.

    Args:
        robot: The description.
        keep: Names of the fixed joints to keep.
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
    """Return whether a joint can be merged; a joint to the world, under any name, cannot."""
    if joint.type is not JointType.FIXED or joint.parent == WORLD or joint.child == WORLD:
        return False
    return robot.links[joint.parent].is_static == robot.links[joint.child].is_static


def _carriers(robot: Description, gone: Collection[str]) -> dict[str, tuple[str, Pose]]:
    """Return the final carrier of each link, and the link's frame seen from it."""
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
    """Return the links depth first, those on one link sorted by the names of their joints, as libsdformat does."""
    order, waiting = list[str](), list(reversed(robot.roots))
    while waiting:
        name = waiting.pop()
        order.append(name)
        joints = sorted(robot.child_joints[name], key=lambda joint: joint.name, reverse=True)
        waiting += [joint.child for joint in joints]
    return order


def _totals(robot: Description, gone: Collection[str]) -> dict[str, Inertial | None]:
    """Sum the mass properties of each link and the links merged into it, children first, in its axes."""
    totals: dict[str, Inertial | None] = {name: link.inertial for name, link in robot.links.items()}
    for name in reversed(robot.depth_first):
        joint, part = robot.parent_joint.get(name), totals[name]
        if joint is None or joint.name not in gone or part is None:
            continue
        part, whole = part.transform(joint.pose_parent_child), totals[joint.parent]
        totals[joint.parent] = part if whole is None else whole + part
    return totals


def _added_masses(robot: Description, gone: Collection[str]) -> dict[str, Array | None]:
    """Sum the added mass of each link and the links merged into it, children first, about its origin in its axes."""
    totals = {name: None if one.declared is None else one.declared.added_mass for name, one in robot.links.items()}
    for name in reversed(robot.depth_first):
        joint, part = robot.parent_joint.get(name), totals[name]
        if joint is None or joint.name not in gone or part is None:
            continue
        part, whole = _moved_added_mass(part, joint.pose_parent_child), totals[joint.parent]
        totals[joint.parent] = part if whole is None else read_only(whole + part, (6, 6))
    return totals


def _moved_added_mass(matrix: Array, pose: Pose) -> Array:
    """Express an added mass in another frame, where its own frame has this pose; shape (6, 6), linear before angular.

    For velocities v and w in the new frame, those in its own are R^T (v + w x p) and R^T w; the energy is the same.
    """
    turn = pose.rotation.T
    motion = np.zeros((6, 6))
    motion[:3, :3] = motion[3:, 3:] = turn
    motion[:3, 3:] = turn @ np.cross(pose.position, np.eye(3))  # times w this is w x p
    moved = motion.T @ matrix @ motion
    return read_only(0.5 * (moved + moved.T), (6, 6))  # symmetric again after rounding


def _whole(link: Link, total: Inertial | None, added_mass: Array | None) -> Link:
    """Return a link that declares the total inertial; one without merged links is unchanged."""
    own = None if link.declared is None else link.declared.added_mass
    if total is None or (total is link.inertial and added_mass is own):
        return link
    place = link.place if link.declared is None else link.declared.place
    declared = DeclaredInertial(total.mass, Pose(total.com), total.inertia, place, added_mass=added_mass)
    return replace(link, declared=declared)


def _with_shapes(link: Link, parts: Sequence[MergedLink]) -> Link:
    """Return a link with the shapes of its parts after its own, with consecutive numbers."""
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
    """Return libsdformat's name of a shape that has a name or belongs to a part, as the n-th of a link from 0."""
    start = "" if name.startswith(link) else f"{link}{LUMP_INFIX}"
    return f"{start}{name}_{kind}" + (f"_{number}" if number else "")


def shape_name(shape: Shape, link: str, kind: str, number: int) -> str:
    """Return the name of a shape, or else libsdformat's name for it."""
    return shape.name or f"{link}_{kind}" + (f"_{number}" if number else "")


def _rehung(joint: Joint, carrier: dict[str, tuple[str, Pose]]) -> Joint:
    """Return a joint with the carrier of its parent as the new parent; its child is never merged."""
    if joint.parent not in carrier:
        return joint
    return joint.with_parent_frame(*carrier[joint.parent])


def _rehung_loop(joint: Joint, carrier: dict[str, tuple[str, Pose]]) -> Joint:
    """Return a joint that closes a loop with both ends on their carriers."""
    child, pose = carrier[joint.child]
    return _rehung(joint, carrier).with_child_frame(child, pose.inverse())


def _moved(frame: AttachedFrame, carrier: dict[str, tuple[str, Pose]]) -> AttachedFrame:
    if frame.link not in carrier:
        return frame
    link, pose = carrier[frame.link]
    return replace(frame, link=link, pose_link_frame=pose @ frame.pose_link_frame)


def _frames_of(merged: tuple[MergedLink, ...]) -> list[AttachedFrame]:
    """List the frames that replace the removed joints and links."""
    frames = []
    for one in merged:
        pose_joint = one.pose_into_link @ one.joint.pose_child_joint
        frames.append(AttachedFrame(one.joint.name, one.into, pose_joint, one.joint.place))
        frames.append(AttachedFrame(one.link, one.into, one.pose_into_link, one.joint.place))
    return frames
