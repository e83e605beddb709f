# SPDX-FileCopyrightText: The inertia_tools authors
# SPDX-License-Identifier: Apache-2.0
"""A robot description as bodies and joints of a scene.

Links on fixed joints are merged into the body that carries them: their inertials add up through the common centre of
mass, and each link keeps its name and its pose in the body.
"""

from __future__ import annotations

import logging
from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

import numpy as np

from inertia_tools.description.types import Description, Joint, JointType, Link
from inertia_tools.errors import MeshError, OptionError, SimulationError
from inertia_tools.inertia.compute import compute_link
from inertia_tools.inertial import Inertial
from inertia_tools.sim.convex import SolidKind
from inertia_tools.sim.geometry_shape import shape_of_link
from inertia_tools.sim.joint_kind import JointKind
from inertia_tools.sim.scene_shapes import BuiltShape
from inertia_tools.sim.shape_config import ShapeConfig
from inertia_tools.sim.xform import Xform, as_pose
from inertia_tools.spatial import Array, Pose

if TYPE_CHECKING:
    from inertia_tools.sim.builder import ModelBuilder

LOG = logging.getLogger(__name__)

WORLD_LINK = "world"
"""A root link of this name is the world itself, by the custom of URDF."""

FIRST_ROBOT_GROUP = -1_000_000
"""Collision groups below this are given to robots, out of the way of those that callers choose."""

KINDS = {
    JointType.FIXED: JointKind.FIXED,
    JointType.REVOLUTE: JointKind.REVOLUTE,
    JointType.CONTINUOUS: JointKind.REVOLUTE,
    JointType.PRISMATIC: JointKind.PRISMATIC,
    JointType.FLOATING: JointKind.FREE,
    JointType.PLANAR: JointKind.PLANAR,
}


@dataclass(frozen=True)
class LinkPlace:
    """The body that a link is part of, and the link's frame seen from that body."""

    body: int
    pose_body_link: Pose


@dataclass(frozen=True, eq=False)
class Articulation:
    """A robot in a scene.

    Attributes:
        robot: The description.
        links: Body and place of every link, in document order.
        joint_bodies: Index of the body that each joint moves, by name of the joint, for joints with one coordinate.
        fixed_base: The root does not move.
    """

    robot: Description
    links: Mapping[str, LinkPlace]
    joint_bodies: Mapping[str, int]
    fixed_base: bool

    @property
    def root(self) -> LinkPlace:
        """The root link's body and place."""
        return self.links[self.robot.root]


def add_robot(builder: ModelBuilder, robot: Description, xform: Xform | None, fixed_base: bool) -> Articulation:
    """Add a robot to a scene; see `ModelBuilder.add_description`."""
    fixed = fixed_base or robot.root == WORLD_LINK
    carrier = _carriers(robot)
    material = _material(builder)
    shapes = [shape for link in robot.links.values() for shape in _collision_shapes(link, material)]
    start = as_pose(xform) if xform is not None else _standing_pose(robot, shapes, fixed)
    bodies: dict[str, int] = {}
    joint_bodies: dict[str, int] = {}
    poses = _link_poses(robot, start)
    for name in robot.depth_first:
        if carrier[name].link == name:
            bodies[name] = _add_body(builder, robot, name, carrier, poses[name], fixed)
            joint = robot.parent_joint.get(name)
            if joint is not None:
                _add_joint(builder, joint, bodies, carrier)
                if KINDS[joint.type].rows.coordinate >= 0:
                    joint_bodies[joint.name] = bodies[name]
    places = {name: LinkPlace(bodies[carrier[name].link], carrier[name].pose) for name in robot.links}
    for shape in shapes:
        place = places[shape.label]
        builder.shapes.append(replace(shape, body=place.body, pose=place.pose_body_link @ shape.pose))
    _warn_of_what_is_left_out(robot)
    return Articulation(robot, places, joint_bodies, fixed)


def _material(builder: ModelBuilder) -> ShapeConfig:
    """Return the material of a robot's shapes, which weigh nothing by themselves and do not touch each other."""
    lowest = min((shape.config.collision_group for shape in builder.shapes), default=0)
    return replace(builder.default_shape_cfg, density=0.0, collision_group=min(lowest, FIRST_ROBOT_GROUP) - 1).settled()


@dataclass(frozen=True)
class _Carrier:
    """The link whose body carries a link, and the carried link's frame seen from it."""

    link: str
    pose: Pose


def _carriers(robot: Description) -> dict[str, _Carrier]:
    """Find for each link the one at the root of its rigid group."""
    carrier: dict[str, _Carrier] = {}
    for name in robot.depth_first:
        joint = robot.parent_joint.get(name)
        if joint is None or joint.type is not JointType.FIXED:
            carrier[name] = _Carrier(name, Pose())
        else:
            above = carrier[joint.parent]
            carrier[name] = _Carrier(above.link, above.pose @ joint.pose_parent_child)
    return carrier


def _link_poses(robot: Description, root: Pose) -> dict[str, Pose]:
    """Place every link in the world at joint positions zero."""
    poses = {robot.root: root}
    for name in robot.depth_first:
        joint = robot.parent_joint.get(name)
        if joint is not None:
            poses[name] = poses[joint.parent] @ joint.pose_parent_child
    return poses


def _add_body(
    builder: ModelBuilder, robot: Description, name: str, carrier: Mapping[str, _Carrier], pose: Pose, fixed: bool
) -> int:
    """Add the body of a rigid group of links.

    Raises:
        SimulationError: The group moves and has no mass, or a link has an impossible inertial.
    """
    members = [link for link in robot.links.values() if carrier[link.name].link == name]
    kinematic = fixed and name == robot.root
    total = Inertial.sum(_link_inertial(link).transform(carrier[link.name].pose) for link in members)
    if not kinematic and not total.is_valid():
        raise SimulationError(
            f"link {name!r} moves, but with what is fixed to it has the impossible mass properties "
            f"{total.mass:g} kg, tensor diagonal {np.diag(total.inertia).tolist()}; run: inertia-tools fix"
        )
    return builder.add_link(
        mass=total.mass, inertia=total.inertia, com=total.com, is_kinematic=kinematic, xform=pose, name=name
    )


def _link_inertial(link: Link) -> Inertial:
    """Return what the link declares; without an inertial, what its collisions weigh at the default density.

    Raises:
        SimulationError: What it declares is incomplete, not finite, or negative.
    """
    if link.declared is None:
        computed = compute_link(link) if link.collisions else None
        return computed.inertial if computed is not None and computed.inertial is not None else Inertial.zero()
    declared = link.inertial
    if declared is None or not declared.is_finite() or declared.mass < 0.0:
        place = link.declared.place
        raise SimulationError(f"{place}: link {link.name!r} has no usable inertial; run: inertia-tools fix")
    return declared if declared.mass > 0.0 else Inertial.zero()


def _add_joint(builder: ModelBuilder, joint: Joint, bodies: Mapping[str, int], carrier: Mapping[str, _Carrier]) -> None:
    above = carrier[joint.parent]
    limited = joint.type in (JointType.REVOLUTE, JointType.PRISMATIC)
    builder.add_joint(
        KINDS[joint.type],
        bodies[above.link],
        bodies[joint.child],
        parent_xform=above.pose @ joint.pose_parent_child,
        axis=joint.axis,
        limit_lower=_or(joint.limit.lower, -np.inf) if limited else -np.inf,
        limit_upper=_or(joint.limit.upper, np.inf) if limited else np.inf,
        damping=joint.damping,
        name=joint.name,
    )


def _or(value: float | None, other: float) -> float:
    return other if value is None else value


def _collision_shapes(link: Link, material: ShapeConfig) -> list[BuiltShape]:
    """Return the shapes of a link's collisions in its frame; one that cannot be used is left out with a warning."""
    found = []
    for shape in link.collisions:
        try:
            found.append(shape_of_link(shape, material, link.name))
        except (MeshError, OptionError, SimulationError) as error:
            LOG.warning("%s: link %r: a collision shape is left out: %s", shape.place, link.name, error)
    return found


def _standing_pose(robot: Description, shapes: list[BuiltShape], fixed: bool) -> Pose:
    """Lift the root so that the lowest point of the robot touches z = 0."""
    if fixed:
        return Pose()
    poses = _link_poses(robot, Pose())
    lows = [_lowest(shape, poses[shape.label]) for shape in shapes]
    low = min(lows, default=np.inf)
    return Pose(np.array([0.0, 0.0, -low])) if np.isfinite(low) else Pose()


def lowest_point(builder: ModelBuilder) -> float:
    """Return the height of the lowest point of all shapes on bodies that move, at the start [m]; infinite for none."""
    return min(
        (
            _lowest(shape, builder.body_pose[shape.body])
            for shape in builder.shapes
            if shape.body >= 0 and not builder.body_kinematic[shape.body]
        ),
        default=np.inf,
    )


def _lowest(shape: BuiltShape, pose_world_frame: Pose) -> float:
    """Return the height of the lowest point of a shape given in some frame [m]; infinite if it touches nothing."""
    convex, pose = shape.convex, pose_world_frame @ shape.pose
    if convex is None or convex.kind is SolidKind.PLANE:
        return np.inf
    heights: Array = pose.transform_points(convex.features)[:, 2] - convex.radii
    if convex.kind is SolidKind.CYLINDER:
        rim = convex.size[2] * float(np.hypot(pose.rotation[2, 0], pose.rotation[2, 1]))
        heights = heights - np.where(convex.rims, rim, 0.0)
    return float(heights.min())


def _warn_of_what_is_left_out(robot: Description) -> None:
    """Name what the file asks for and this solver does not do."""
    mimics = [joint.name for joint in robot.joints.values() if joint.mimic is not None]
    if mimics:
        LOG.warning("%s: joints move on their own although the file has them mimic others: %s", robot.name, mimics)
    rubbing = [joint.name for joint in robot.joints.values() if joint.friction > 0.0]
    if rubbing:
        LOG.warning("%s: dry friction of joints is not simulated: %s", robot.name, rubbing)
