# SPDX-FileCopyrightText: The inertia_tools authors
# SPDX-License-Identifier: Apache-2.0
"""Merging of bodies that fixed joints connect."""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass, fields, replace
from itertools import product
from typing import TYPE_CHECKING

import numpy as np

from inertia_tools.sim.scene.bodies import WORLD, WORLD_NAME, SceneBodies
from inertia_tools.sim.scene.body_place import BodyPlace
from inertia_tools.sim.scene.joint_kind import JointKind
from inertia_tools.sim.scene.moved_equalities import move_equalities
from inertia_tools.sim.scene.scene import Scene
from inertia_tools.spatial import Pose

if TYPE_CHECKING:
    from inertia_tools.sim.scene.built_joint import BuiltJoint

ASKED_FOR = "it was requested"
LOOP_CHILD = "its child has a second joint"
ATTACHED_CHILD = "a particle is attached to its child"
GRAVITY_CHILD = "its child has another gravity scale than its parent"
KINEMATIC_CHILD = "its child is kinematic, but its parent is not"


@dataclass(frozen=True, eq=False)
class Merge:
    """A body that was merged into another.

    Attributes:
        joint: Name of the removed fixed joint.
        child: Name of the removed body.
        parent: Name of the body that it was merged into; "world" for the world, where its mass has no effect.
        pose_parent_child: Pose of its frame in the parent frame.
        mass_before: Mass of the parent before this [kg]; zero for the world.
        mass_after: Mass of the parent after it [kg].
    """

    joint: str
    child: str
    parent: str
    pose_parent_child: Pose
    mass_before: float
    mass_after: float


@dataclass(frozen=True)
class KeptJoint:
    """A fixed joint that was kept, and the reason."""

    joint: str
    reason: str


@dataclass(frozen=True, eq=False)
class Collapse:
    """Result of the merging of bodies.

    Attributes:
        merges: Removed bodies, parents before children.
        kept: Fixed joints that stayed.
        bodies: New place of each body, by its old index.
        joints: New index of each joint, by its old index; None for removed joints.
    """

    merges: tuple[Merge, ...]
    kept: tuple[KeptJoint, ...]
    bodies: tuple[BodyPlace, ...]
    joints: tuple[int | None, ...]


def collapse_joints(builder: Scene, chosen: Collection[int]) -> Collapse:
    """Merge the children of the chosen fixed joints into their parents; see `ModelBuilder.collapse_fixed_joints`."""
    carrier: dict[int, BodyPlace] = {WORLD: BodyPlace(WORLD, Pose())}
    merges, kept, gone = [], [], set()
    for body in builder.bodies_parents_first():
        carrier[body] = BodyPlace(body, Pose())
        index = builder.joint_above(body)
        joint = None if index is None else builder.joints[index]
        if index is None or joint is None or joint.kind is not JointKind.FIXED or not joint.enabled:
            continue
        above = carrier[joint.parent]
        reason = _reason_to_keep(builder, above.body, body) if index in chosen else ASKED_FOR
        if reason is not None:
            kept.append(KeptJoint(joint.name, reason))
            continue
        pose = above.pose @ joint.pose_parent @ joint.pose_child.inverse()
        carrier[body] = BodyPlace(above.body, pose)
        merges.append(_merge(builder, joint, above.body, pose))
        gone.add(index)
    places = _renumbered(carrier, builder.body_count)
    gone |= _within_one_body(builder, places)
    joints = _rebuild(builder, carrier, places, gone)
    stay = {old: place.body for old, place in enumerate(places) if carrier[old].body == old}
    builder.renumber_articulations({old: new for old, new in enumerate(joints) if new is not None})
    move_equalities(builder, places)
    builder.renumber_custom_values(stay, {old: new for old, new in enumerate(joints) if new is not None})
    builder.renumber_references([place.body for place in places], [-1 if new is None else new for new in joints])
    return Collapse(tuple(merges), tuple(kept), places, joints)


def _within_one_body(builder: Scene, places: tuple[BodyPlace, ...]) -> set[int]:
    """Return the loop-closing joints whose bodies have been merged into one."""
    return {
        index
        for index, joint in enumerate(builder.joints)
        if joint.closes_loop and joint.parent != WORLD and places[joint.parent].body == places[joint.child].body
    }


def _reason_to_keep(builder: Scene, above: int, body: int) -> str | None:
    """Return the reason why a body cannot be merged into another, such as a kinematic body into a dynamic one."""
    led = above != WORLD and builder.body_kinematic[above]
    if builder.body_kinematic[body] and not led:
        return KINEMATIC_CHILD
    closed = any(joint.closes_loop and joint.child == body for joint in builder.joints)
    if above == WORLD and body in builder.attachment_particle_body_body:
        return ATTACHED_CHILD
    scale = builder.body_gravity_scale
    if (
        above != WORLD
        and builder.body_mass[above] > 0.0
        and builder.body_mass[body] > 0.0
        and scale[above] != scale[body]
    ):
        return GRAVITY_CHILD
    return LOOP_CHILD if above == WORLD and closed else None


def _merge(builder: Scene, joint: BuiltJoint, into: int, pose: Pose) -> Merge:
    """Add the mass properties of a body to those of the body that it is merged into."""
    body = joint.child
    if into == WORLD:
        return Merge(joint.name, builder.body_name[body], WORLD_NAME, pose, 0.0, 0.0)
    before = builder.body_mass[into]
    if before == 0.0:
        builder.body_gravity_scale[into] = builder.body_gravity_scale[body]
    builder.join_to_body(into, builder.inertial(body).transform(pose))
    tensor = np.asarray(builder.body_inertia[body])
    skewed = 0.5 * (tensor - tensor.T)  # for `finalize` to find
    builder.body_inertia[into] = builder.body_inertia[into] + pose.rotation @ skewed @ pose.rotation.T
    builder.body_locked[into] = builder.body_locked[into] or builder.body_locked[body]
    names = builder.body_name
    return Merge(joint.name, names[body], names[into], pose, before, builder.body_mass[into])


def _renumbered(carrier: dict[int, BodyPlace], count: int) -> tuple[BodyPlace, ...]:
    """Return the new indices of the remaining bodies."""
    stay = [body for body in range(count) if carrier[body].body == body]
    index = {WORLD: WORLD, **{body: new for new, body in enumerate(stay)}}
    return tuple(BodyPlace(index[carrier[body].body], carrier[body].pose) for body in range(count))


def _rebuild(
    builder: Scene, carrier: dict[int, BodyPlace], places: tuple[BodyPlace, ...], gone: set[int]
) -> tuple[int | None, ...]:
    """Remove the merged elements from the lists of the builder, and update all references."""
    for field in (field for field in fields(SceneBodies) if field.name.startswith("body_")):
        values = getattr(builder, field.name)
        values[:] = [value for body, value in enumerate(values) if carrier[body].body == body]
    parts = [shape.body for shape in builder.shapes]
    builder.shapes[:] = [
        shape
        if shape.body == WORLD
        else replace(shape, body=places[shape.body].body, pose=places[shape.body].pose @ shape.pose)
        for shape in builder.shapes
    ]
    _keep_from_base(builder, carrier, parts)
    _retarget_attachments(builder, places)
    stay = [index for index in range(len(builder.joints)) if index not in gone]
    builder.keep_joint_values(stay)
    builder.joints[:] = [_retargeted(builder.joints[index], places) for index in stay]
    builder.forget_joints_above()
    number = {index: new for new, index in enumerate(stay)}
    builder.mimics[:] = [
        replace(mimic, follower=_renamed(mimic.follower, number), leader=_renamed(mimic.leader, number))
        for mimic in builder.mimics
    ]
    return tuple(number.get(index) for index in range(len(stay) + len(gone)))


def _keep_from_base(builder: Scene, carrier: dict[int, BodyPlace], parts: list[int]) -> None:
    """Exclude contacts of a base that is now part of the world with its children, as before."""
    bases = {body: _base(builder, body) for body, place in carrier.items() if body != WORLD and place.body == WORLD}
    shapes: dict[tuple[bool, int], list[int]] = {}
    for shape, body in enumerate(parts):
        owner = (True, bases[body]) if body in bases else (False, carrier[body].body)
        shapes.setdefault(owner, []).append(shape)
    for joint in builder.joints:
        if joint.parent in bases and joint.child not in bases and joint.keeps_apart:
            base, moved = (True, bases[joint.parent]), (False, carrier[joint.child].body)
            for a, b in product(shapes.get(base, []), shapes.get(moved, [])):
                builder.add_shape_collision_filter_pair(a, b)


def _base(builder: Scene, body: int) -> int:
    """Return the body that connects a body to the world."""
    above = builder.joint_above(body)
    while above is not None and builder.joints[above].parent != WORLD:
        body = builder.joints[above].parent
        above = builder.joint_above(body)
    return body


def _retarget_attachments(builder: Scene, places: tuple[BodyPlace, ...]) -> None:
    """Attach particles to the bodies that theirs were merged into, at the same points."""
    bodies, points = builder.attachment_particle_body_body, builder.attachment_particle_body_body_point
    for index, (body, point) in enumerate(zip(bodies, points, strict=True)):
        points[index] = places[body].pose.transform_points(point)
        bodies[index] = places[body].body


def _renamed(end: tuple[int, int], number: dict[int, int]) -> tuple[int, int]:
    """Return one end of a coupling with the new index of its joint; a coupled joint moves, so it remains."""
    return number[end[0]], end[1]


def _retargeted(joint: BuiltJoint, places: tuple[BodyPlace, ...]) -> BuiltJoint:
    """Return a joint between the bodies that its bodies were merged into."""
    child = places[joint.child]
    at_child = child.pose @ joint.given_child
    if joint.parent == WORLD:
        return replace(joint.with_frames(child=at_child), child=child.body)
    parent = places[joint.parent]
    moved = joint.with_frames(parent.pose @ joint.given_parent, at_child)
    apart = joint.filters_parent and (parent.body != WORLD or joint.kind is JointKind.FIXED)
    return replace(moved, child=child.body, parent=parent.body, filters_parent=apart)
