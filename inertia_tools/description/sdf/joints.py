# SPDX-FileCopyrightText: The inertia_tools authors
# SPDX-License-Identifier: Apache-2.0
"""The joints of SDFormat, and the link trees that they form."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace

import numpy as np

from inertia_tools.description.joint import RESISTING, Joint, JointLimit, JointMimic, JointType
from inertia_tools.description.sdf.graph import PoseGraph, joint_end
from inertia_tools.description.sdf.scope import WORLD, Frame, Scope
from inertia_tools.description.sdf.values import number_in, numbers_in, optional_number, truth_in
from inertia_tools.description.xml import Element
from inertia_tools.spatial import Array, Pose, are_usable

TWO_AXES = ("universal", "revolute2")
"""Joints that are two rotations in a row, about `<axis>` and then about `<axis2>`, both through one point."""

SCREW = "screw"
"""Joint that rotates about its axis and slides along it in proportion."""

REVOLUTION = 2.0 * np.pi
"""Rotation to which a pitch belongs [rad]."""

JOINT_TYPES = {
    type_.value: type_
    for type_ in JointType
    if type_ not in (JointType.FLOATING, JointType.PLANAR)  # SDFormat has no such joints
} | dict.fromkeys((*TWO_AXES, SCREW), JointType.REVOLUTE)

NO_LIMIT = 1e16
"""Positions from here on, and infinite ones, mean unlimited [rad or m]."""

FRAMED_AXES = (1, 5)
"""Before this version an axis is in the frame of its model unless the file says otherwise."""

Z_AXIS = (0.0, 0.0, 1.0)
DEFAULT_AXES = {"axis": np.array([1.0, 0.0, 0.0]), "axis2": np.array([0.0, 1.0, 0.0])}
"""Axes of a joint whose element is missing, in the joint's frame."""


@dataclass(frozen=True, eq=False)
class Surroundings:
    """The context in which a joint is read.

    Attributes:
        graph: The poses of all frames, and the links that carry them.
        world_scope: The outermost scope.
    """

    graph: PoseGraph
    world_scope: Scope


def read_joint(frame: Frame, around: Surroundings) -> Joint:
    """Read a joint between the links that carry the frames it names.

    Raises:
        ParseError: It connects no movable link, is of an unknown type, or has a value that is not a number.
    """
    element, graph, world = frame.element, around.graph, around.world_scope
    type_ = _read_type(element)
    parent, child = (graph.carrier(joint_end(frame, role)) for role in ("parent", "child"))
    if child is None:
        raise element.error(f"joint {frame.name!r} has the world as its child; swap parent and child")
    if parent is child:
        raise element.error(f"joint {frame.name!r} joins link {child.name!r} to itself; name two links")
    pose_child = graph.pose(world, child)
    pose_parent = Pose() if parent is None else graph.pose(world, parent)
    still = Joint(
        name=frame.scope.prefix + frame.name,
        type=type_,
        parent=WORLD if parent is None else link_name(parent),
        child=link_name(child),
        pose_parent_child=pose_parent.inverse() @ pose_child,
        place=element.place,
        pose_child_joint=pose_child.inverse() @ graph.pose(world, frame),
    )
    joint = _with_axis(still, "axis", frame, pose_child, around)
    if element.attribute("type") in TWO_AXES:
        named = replace(still, name=frame.scope.prefix + further_name(frame, "axis2"))
        return replace(joint, further=(_with_axis(named, "axis2", frame, pose_child, around),))
    if element.attribute("type") == SCREW and (pitch := _read_pitch(element)):
        name, mimic = frame.scope.prefix + further_name(frame, "advance"), JointMimic(joint.name, pitch)
        slide = replace(still, name=name, type=JointType.PRISMATIC, axis=joint.axis, mimic=mimic)
        return replace(joint, further=(slide,))
    return joint if element.only("axis2") is None else replace(joint, unused=("second axis",))


def further_name(frame: Frame, ending: str) -> str:
    """Return the name, in the scope of a joint, of the second motion in its row."""
    name = f"{frame.name}_{ending}"
    while name in frame.scope.names:
        name += "_"
    return name


def link_name(link: Frame) -> str:
    """Return the name of a link as the description has it."""
    return link.scope.prefix + link.name


def _read_type(element: Element) -> JointType:
    word = element.attribute("type")
    if word not in JOINT_TYPES:
        raise element.error(f"joint type {word!r} is unknown; use one of {', '.join(JOINT_TYPES)}")
    return JOINT_TYPES[word]


def _unlimited(joint: Joint) -> JointType:
    """Return the type of a joint, which is continuous for a revolute joint without bounds."""
    is_free = joint.limit.lower is None and joint.limit.upper is None
    return JointType.CONTINUOUS if joint.type is JointType.REVOLUTE and is_free else joint.type


def _with_axis(joint: Joint, tag: str, frame: Frame, pose_child: Pose, around: Surroundings) -> Joint:
    """Return a joint with the direction, bounds, resistance and leader that one of its axes states."""
    axis = frame.element.only(tag)
    if axis is None:
        return replace(joint, axis=joint.pose_child_joint.rotation @ DEFAULT_AXES[tag], type=_unlimited(joint))
    dynamics = axis.only("dynamics")
    joint = replace(
        joint,
        axis=_read_axis(frame, axis, pose_child, joint.pose_child_joint, around),
        limit=_read_limit(axis),
        mimic=_read_mimic(frame, axis),
    )
    if dynamics is not None:
        joint = replace(
            joint,
            damping=number_in(dynamics, "damping", 0.0),
            friction=number_in(dynamics, "friction", 0.0),
            stiffness=number_in(dynamics, "spring_stiffness", 0.0),
            rest=number_in(dynamics, "spring_reference", 0.0),
            stated=frozenset(name for name in RESISTING if dynamics.only(name) is not None),
        )
    return replace(joint, type=_unlimited(joint))


def _read_axis(frame: Frame, axis: Element, pose_child: Pose, pose_joint: Pose, around: Surroundings) -> Array:
    """Return an axis as a unit vector in the child link's frame."""
    direction = np.array(numbers_in(axis, "xyz", 3, Z_AXIS))
    length = float(np.linalg.norm(direction)) if are_usable(direction) else 0.0
    if not length > 0.0:
        raise axis.error("the axis is zero; write a nonzero vector")
    xyz = axis.only("xyz")
    name = "" if xyz is None else xyz.attributes.get("expressed_in", "")
    if not name and truth_in(axis, "use_parent_model_frame", frame.scope.version < FRAMED_AXES):
        name = frame.scope.origin.name
    if not name:
        return np.asarray(pose_joint.rotation @ direction / length)
    found = frame.scope.find(name)
    if found is None:
        raise frame.scope.unknown(name, axis, f"expressed_in of joint {frame.name!r}")
    in_world = around.graph.pose(around.world_scope, found).rotation
    return np.asarray(pose_child.rotation.T @ in_world @ direction / length)


def _read_limit(axis: Element) -> JointLimit:
    limit = axis.only("limit")
    if limit is None:
        return JointLimit()
    lower, upper = optional_number(limit, "lower"), optional_number(limit, "upper")
    effort, velocity = optional_number(limit, "effort"), optional_number(limit, "velocity")
    return JointLimit(
        lower if lower is not None and lower > -NO_LIMIT else None,
        upper if upper is not None and upper < NO_LIMIT else None,
        effort if effort is not None and 0.0 <= effort < np.inf else None,
        velocity if velocity is not None and 0.0 <= velocity < np.inf else None,
    )


def _read_mimic(frame: Frame, axis: Element) -> JointMimic | None:
    """Read the leader of a joint: position = multiplier * (leader - reference) + offset."""
    mimic = axis.only("mimic")
    if mimic is None:
        return None
    leader = mimic.attribute("joint")
    if mimic.attributes.get("axis") == "axis2":
        found = frame.scope.find(leader)
        leader = leader if found is None else leader.removesuffix(found.name) + further_name(found, "axis2")
    multiplier = number_in(mimic, "multiplier", 1.0)
    offset = number_in(mimic, "offset", 0.0) - multiplier * number_in(mimic, "reference", 0.0)
    return JointMimic(frame.scope.prefix + leader, multiplier, offset)


def _read_pitch(element: Element) -> float:
    """Read the advance of a screw [m/rad]; the older element is in radians per metre, with opposite sign."""
    older = optional_number(element, "thread_pitch")
    default = 1.0 if not older else -REVOLUTION / older
    return number_in(element, "screw_thread_pitch", default) / REVOLUTION


Trees = tuple[dict[str, Joint], tuple[Joint, ...], tuple[str, ...]]
"""The joints of trees by name, the joints left over, and the names of the roots."""


def forest(joints: Iterable[Joint], links: Iterable[str]) -> Trees:
    """Choose joints that form trees of the links; earlier ones in the document take precedence."""
    chosen: dict[str, Joint] = {}
    left: list[Joint] = []
    tree_of = {name: name for name in links}
    carried: dict[str, str] = {}
    for joint in joints:
        is_loop = joint.child in carried or _tree(tree_of, joint.child) == _tree(tree_of, joint.parent)
        if is_loop:
            left.append(joint)
            continue
        chosen[joint.name] = joint
        carried[joint.child] = joint.parent
        if joint.parent != WORLD:
            tree_of[_tree(tree_of, joint.child)] = _tree(tree_of, joint.parent)
    roots = tuple(name for name in links if carried.get(name, WORLD) == WORLD)
    return chosen, tuple(left), roots


def _tree(tree_of: Mapping[str, str], name: str) -> str:
    """Return the representative link of a link's tree; the world represents itself."""
    while tree_of.get(name, name) != name:
        name = tree_of[name]
    return name
