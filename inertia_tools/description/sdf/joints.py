# SPDX-FileCopyrightText: The inertia_tools authors
# SPDX-License-Identifier: Apache-2.0
"""The joints of SDFormat, and the link trees that they form."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass

import numpy as np

from inertia_tools.description.joint import RESISTING, Joint, JointLimit, JointMimic, JointType
from inertia_tools.description.sdf.graph import PoseGraph, carrier, joint_end
from inertia_tools.description.sdf.scope import WORLD, Frame, Scope
from inertia_tools.description.sdf.values import number_in, numbers_in, optional_number, truth_in
from inertia_tools.description.xml import Element
from inertia_tools.spatial import Array, Pose, are_usable

JOINT_TYPES = {
    type_.value: type_
    for type_ in JointType
    if type_ not in (JointType.FLOATING, JointType.PLANAR)  # SDFormat has no such joints
}

NO_LIMIT = 1e16
"""Positions from here on, and infinite ones, mean unlimited [rad or m]."""

FRAMED_AXES = (1, 5)
"""Before this version an axis is in the frame of its model unless the file says otherwise."""

DYNAMICS = ("damping", "friction", "spring_stiffness")
"""Elements of `<dynamics>` that have no effect if they are zero."""

Z_AXIS = (0.0, 0.0, 1.0)


@dataclass(frozen=True, eq=False)
class Surroundings:
    """The context in which a joint is read.

    Attributes:
        graph: The poses of all frames.
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
    parent, child = carrier(joint_end(frame, "parent")), carrier(joint_end(frame, "child"))
    if child is None:
        raise element.error(f"joint {frame.name!r} has the world as its child; swap parent and child")
    if parent is child:
        raise element.error(f"joint {frame.name!r} joins link {child.name!r} to itself; name two links")
    pose_child = graph.pose(world, child)
    pose_parent = Pose() if parent is None else graph.pose(world, parent)
    pose_joint = pose_child.inverse() @ graph.pose(world, frame)
    axis = element.only("axis")
    limit = JointLimit() if axis is None else _read_limit(axis)
    dynamics = None if axis is None else axis.only("dynamics")
    return Joint(
        name=frame.scope.prefix + frame.name,
        type=_unlimited(type_, limit),
        parent=WORLD if parent is None else link_name(parent),
        child=link_name(child),
        pose_parent_child=pose_parent.inverse() @ pose_child,
        place=element.place,
        axis=_read_axis(frame, axis, pose_child, pose_joint, around),
        limit=limit,
        damping=0.0 if dynamics is None else number_in(dynamics, "damping", 0.0),
        friction=0.0 if dynamics is None else number_in(dynamics, "friction", 0.0),
        stiffness=0.0 if dynamics is None else number_in(dynamics, "spring_stiffness", 0.0),
        rest=0.0 if dynamics is None else number_in(dynamics, "spring_reference", 0.0),
        mimic=_read_mimic(frame, axis),
        pose_child_joint=pose_joint,
        axis2=_read_second_axis(frame, pose_child, pose_joint, around),
        unused=tuple(_unused(element)),
        thread_pitch=_read_pitch(element),
        stated=frozenset(name for name in RESISTING if dynamics is not None and dynamics.only(name) is not None),
    )


def link_name(link: Frame) -> str:
    """Return the name of a link as the description has it."""
    return link.scope.prefix + link.name


def _read_type(element: Element) -> JointType:
    word = element.attribute("type")
    if word not in JOINT_TYPES:
        raise element.error(f"joint type {word!r} is unknown; use one of {', '.join(JOINT_TYPES)}")
    return JOINT_TYPES[word]


def _unlimited(type_: JointType, limit: JointLimit) -> JointType:
    """Change a revolute joint without bounds to a continuous one."""
    is_free = limit.lower is None and limit.upper is None
    return JointType.CONTINUOUS if type_ is JointType.REVOLUTE and is_free else type_


def _read_axis(frame: Frame, axis: Element | None, pose_child: Pose, pose_joint: Pose, around: Surroundings) -> Array:
    """Return an axis as a unit vector in the child link's frame."""
    if axis is None:
        return np.array([1.0, 0.0, 0.0])
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


def _read_second_axis(frame: Frame, pose_child: Pose, pose_joint: Pose, around: Surroundings) -> Array | None:
    axis = frame.element.only("axis2")
    return None if axis is None else _read_axis(frame, axis, pose_child, pose_joint, around)


def _unused(joint: Element) -> Iterator[str]:
    """Iterate over the unsupported properties of a joint's second axis."""
    axis = joint.only("axis2")
    if axis is None:
        return
    dynamics = axis.only("dynamics")
    if _read_limit(axis) != JointLimit():
        yield "limit of its second axis"
    if dynamics is not None and any(optional_number(dynamics, name) for name in DYNAMICS):
        yield "dynamics of its second axis"
    if axis.only("mimic") is not None:
        yield "mimic of its second axis"


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


def _read_mimic(frame: Frame, axis: Element | None) -> JointMimic | None:
    """Read the leader of a joint: position = multiplier * (leader - reference) + offset."""
    mimic = None if axis is None else axis.only("mimic")
    if mimic is None:
        return None
    multiplier = number_in(mimic, "multiplier", 1.0)
    offset = number_in(mimic, "offset", 0.0) - multiplier * number_in(mimic, "reference", 0.0)
    return JointMimic(frame.scope.prefix + mimic.attribute("joint"), multiplier, offset)


def _read_pitch(element: Element) -> float | None:
    """Read the advance of a screw [m/rad]; the older element is in radians per metre, with opposite sign."""
    pitch = optional_number(element, "screw_thread_pitch")
    if pitch is not None:
        return pitch / (2.0 * np.pi)
    older = optional_number(element, "thread_pitch")
    return None if older is None or older == 0.0 else -1.0 / older


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
