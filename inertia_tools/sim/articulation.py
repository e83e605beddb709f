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
from inertia_tools.inertia.effective import resolve
from inertia_tools.inertia.finding import Finding
from inertia_tools.inertial import Inertial
from inertia_tools.sim.collapse import Collapse, collapse_joints
from inertia_tools.sim.convex import SolidKind
from inertia_tools.sim.geometry_shape import shape_of_link
from inertia_tools.sim.import_limits import KINDS, refuse_what_is_not_simulated, warn_of_what_is_left_out
from inertia_tools.sim.import_rules import WITHOUT_WARP, ImportRules, imported_inertial
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
        findings: What was assumed about its inertials.
    """

    robot: Description
    links: Mapping[str, LinkPlace]
    joint_bodies: Mapping[str, int]
    fixed_base: bool
    findings: tuple[Finding, ...] = ()

    @property
    def root(self) -> LinkPlace:
        """The root link's body and place."""
        return self.links[self.robot.root]

    def after(self, collapse: Collapse) -> Articulation:
        """Return the robot as it stands in the scene after bodies were merged."""

        def moved(place: LinkPlace) -> LinkPlace:
            now = collapse.bodies[place.body]
            return LinkPlace(now.body, now.pose @ place.pose_body_link)

        bodies = {name: collapse.bodies[body].body for name, body in self.joint_bodies.items()}
        return replace(self, links={name: moved(place) for name, place in self.links.items()}, joint_bodies=bodies)


@dataclass(frozen=True, eq=False)
class RobotOptions:
    """How a robot is put into a scene.

    Attributes:
        rules: How its inertials are found.
        xform: Pose of its root link; None lifts it until it stands on z = 0.
        fixed_base: The root does not move.
        collapse_fixed_joints: Merge what fixed joints hold together.
    """

    rules: ImportRules
    xform: Xform | None = None
    fixed_base: bool = False
    collapse_fixed_joints: bool = True


def add_robot(builder: ModelBuilder, robot: Description, options: RobotOptions) -> Articulation:
    """Add a robot to a scene; see `ModelBuilder.add_description`."""
    refuse_what_is_not_simulated(robot)
    robot = resolve(robot, params=WITHOUT_WARP)
    fixed = options.fixed_base or robot.root == WORLD_LINK or _is_held(robot, robot.root)
    imported = {name: imported_inertial(robot, link, options.rules) for name, link in robot.links.items()}
    material = _material(builder)
    shapes = [shape for link in robot.links.values() for shape in _collision_shapes(link, material)]
    start = as_pose(options.xform) if options.xform is not None else _standing_pose(robot, shapes, fixed)
    inertials = {name: one.inertial for name, one in imported.items()}
    bodies = _add_bodies(builder, robot, inertials, _link_poses(robot, start), fixed)
    joints = {
        name: _add_joint(builder, robot.parent_joint[name], bodies)
        for name in robot.depth_first
        if name in robot.parent_joint and name != robot.root
    }
    for shape in shapes:
        builder.shapes.append(replace(shape, body=bodies[shape.label]))
    kept = set() if options.collapse_fixed_joints else _joints_between_masses(robot, inertials)
    collapse = collapse_joints(builder, {joint for name, joint in joints.items() if name not in kept})
    if options.rules.strict:
        _refuse_impossible(builder, {collapse.bodies[body].body for body in bodies.values()})
    warn_of_what_is_left_out(robot)
    places = {
        name: LinkPlace(collapse.bodies[bodies[name]].body, collapse.bodies[bodies[name]].pose) for name in robot.links
    }
    return Articulation(
        robot,
        places,
        {joint.name: places[joint.child].body for joint in _driven_joints(robot)},
        fixed,
        tuple(finding for one in imported.values() for finding in one.findings),
    )


def _is_held(robot: Description, root: str) -> bool:
    """Tell whether the file holds the root in place."""
    return robot.links[root].is_static or root in robot.parent_joint


def _driven_joints(robot: Description) -> list[Joint]:
    """List the joints that have one coordinate, parents first."""
    carried = [robot.parent_joint[name] for name in robot.depth_first if name in robot.parent_joint]
    carried = [joint for joint in carried if joint.child != robot.root]
    return [joint for joint in carried if KINDS[joint.type].rows.coordinate >= 0]


def _material(builder: ModelBuilder) -> ShapeConfig:
    """Return the material of a robot's shapes, which weigh nothing by themselves and do not touch each other."""
    lowest = min((shape.config.collision_group for shape in builder.shapes), default=0)
    group = min(lowest, FIRST_ROBOT_GROUP) - 1
    return replace(builder.default_shape_cfg, density=0.0, collision_group=group).settled()


def _joints_between_masses(robot: Description, inertials: Mapping[str, Inertial]) -> set[str]:
    """Name the children of fixed joints that can stay bodies: they have mass, and so has what carries them.

    A frame without mass cannot be a body of its own, as it would not move.
    """
    mass: dict[str, float] = {}
    carrier: dict[str, str] = {}
    kept = set()
    for name in robot.depth_first:
        joint = None if name == robot.root else robot.parent_joint.get(name)
        above = None if joint is None or joint.type is not JointType.FIXED else carrier[joint.parent]
        carrier[name], mass[name] = name, inertials[name].mass
        if above is None:
            continue
        if mass[above] > 0.0 and mass[name] > 0.0:
            kept.add(name)
        else:
            carrier[name] = above
            mass[above] += mass[name]
    return kept


def _link_poses(robot: Description, root: Pose) -> dict[str, Pose]:
    """Place every link in the world at joint positions zero."""
    poses = {robot.root: root}
    for name in robot.depth_first:
        for joint in robot.child_joints[name]:
            poses[joint.child] = poses[name] @ joint.pose_parent_child
    return poses


def _add_bodies(
    builder: ModelBuilder,
    robot: Description,
    inertials: Mapping[str, Inertial],
    poses: Mapping[str, Pose],
    fixed: bool,
) -> dict[str, int]:
    """Add a body for each link."""
    return {
        name: builder.add_link(
            poses[name],
            mass=inertials[name].mass,
            inertia=inertials[name].inertia,
            com=inertials[name].com,
            lock_inertia=True,
            is_kinematic=fixed and name == robot.root,
            name=name,
        )
        for name in robot.depth_first
    }


def _refuse_impossible(builder: ModelBuilder, bodies: set[int]) -> None:
    """Refuse bodies that move and that no rigid body can be.

    Raises:
        SimulationError: There is one.
    """
    for body in sorted(bodies):
        total = builder.inertial(body)
        if not builder.body_kinematic[body] and not total.is_valid():
            raise SimulationError(
                f"link {builder.body_name[body]!r} moves, but with what is fixed to it has the impossible mass "
                f"properties {total.mass:g} kg, tensor diagonal {np.diag(total.inertia).tolist()}; "
                "run: inertia-tools fix"
            )


def _add_joint(builder: ModelBuilder, joint: Joint, bodies: Mapping[str, int]) -> int:
    limited = joint.type in (JointType.REVOLUTE, JointType.PRISMATIC)
    anchor = Pose(joint.pose_child_joint.position)  # the axis is given in the axes of the child link
    return builder.add_joint(
        KINDS[joint.type],
        bodies[joint.parent],
        bodies[joint.child],
        parent_xform=joint.pose_parent_child @ anchor,
        child_xform=anchor,
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
