# SPDX-FileCopyrightText: The inertia_tools authors
# SPDX-License-Identifier: Apache-2.0
"""A robot description, or a world of several, as bodies and joints of a scene.

Links on fixed joints are merged into the body that carries them. Their inertials add up about the common centre of
mass, and each link keeps its name and its pose in the body.
"""

from __future__ import annotations

import logging
from collections.abc import Collection, Mapping
from dataclasses import dataclass, field, replace

import numpy as np

from inertia_tools.description.sdf.inertial import OPTIMIZATION
from inertia_tools.description.types import Description, Heightmap, JointType, Link, Plane, Shape
from inertia_tools.errors import MeshError, OptionError, SimulationError
from inertia_tools.inertia.effective import resolve_noting
from inertia_tools.inertia.finding import Finding
from inertia_tools.inertial import Inertial
from inertia_tools.sim.importing.flexes import add_flexes, split_flexes
from inertia_tools.sim.importing.geometry_shape import leave_flat_out, shape_of_link
from inertia_tools.sim.importing.joints import JointImport
from inertia_tools.sim.importing.limits import refuse_what_is_not_simulated, warn_of_what_is_left_out
from inertia_tools.sim.importing.link_place import LinkPlace as LinkPlace
from inertia_tools.sim.importing.mjcf_welds import apart_by_welds, are_beyond_joints, weld_groups
from inertia_tools.sim.importing.rules import WITHOUT_WARP, ImportRules, imported_inertial
from inertia_tools.sim.importing.start_pose import Position, posed, start_findings, start_positions
from inertia_tools.sim.importing.surface import touching
from inertia_tools.sim.scene.built_shape import BuiltShape
from inertia_tools.sim.scene.collapse import Collapse, collapse_joints
from inertia_tools.sim.scene.convex import SolidKind
from inertia_tools.sim.scene.scene import Scene
from inertia_tools.sim.scene.shape_config import APPROXIMATIONS, ShapeConfig
from inertia_tools.sim.scene.xform import Xform, as_pose
from inertia_tools.spatial import Array, Pose

LOG = logging.getLogger(__name__)

WORLD_LINK = "world"
"""A root link of this name is the world itself, by the custom of URDF."""

EVERYTHING = (1, 1)
"""Collision masks of a shape without stated masks."""

NOTHING = (0, 0)
"""Collision masks of a shape that collides with nothing."""

FIRST_ROBOT_GROUP = -1_000_000
"""Collision groups below this are assigned to robots, to avoid those that callers choose."""


@dataclass(frozen=True, eq=False)
class Articulation:
    """A robot in a scene, or a world of them.

    Attributes:
        robot: The description.
        links: Body and place of every link, in document order.
        joint_bodies: Index of the child body of each joint with one coordinate, by name of the joint.
        root_of: The root of the tree that each link belongs to, by the name of the link: one of the description's
            roots, or a link on a floating joint.
        free_roots: Names of the free roots, in document order.
        findings: Assumptions about its inertials, and bodies that were inserted between joints.
        joint_dofs: Index of the joint in the scene, and number of its degree of freedom there, by the name of each
            hinge and slide.
        link_joints: Index of the parent joint of each link, by the name of the link.
        shapes: Index in the scene and description of every shape; both are empty unless bodies were kept as they are.
    """

    robot: Description
    links: Mapping[str, LinkPlace]
    joint_bodies: Mapping[str, int]
    root_of: Mapping[str, str]
    free_roots: tuple[str, ...]
    findings: tuple[Finding, ...] = ()
    joint_dofs: Mapping[str, tuple[int, int]] = field(default_factory=dict)
    link_joints: Mapping[str, int] = field(default_factory=dict)
    shapes: tuple[tuple[int, Shape], ...] = ()

    @property
    def root(self) -> LinkPlace:
        """Body and frame of the first root link."""
        return self.links[self.robot.root]

    @property
    def fixed_base(self) -> bool:
        """Whether the world holds every root."""
        return not self.free_roots

    def tree(self, root: str) -> tuple[str, ...]:
        """Return the names of the links that a root carries, including the root first."""
        return tuple(name for name, carrier in self.root_of.items() if carrier == root)

    def after(self, collapse: Collapse) -> Articulation:
        """Return the robot in the scene after bodies were merged."""

        def moved(place: LinkPlace) -> LinkPlace:
            now = collapse.bodies[place.body]
            return LinkPlace(now.body, now.pose @ place.pose_body_link)

        return replace(
            self,
            links={name: moved(place) for name, place in self.links.items()},
            joint_bodies={name: collapse.bodies[body].body for name, body in self.joint_bodies.items()},
            joint_dofs={name: (kept_joint(collapse, joint), dof) for name, (joint, dof) in self.joint_dofs.items()},
        )


@dataclass(frozen=True, eq=False)
class RobotOptions:
    """Options for adding a robot to a scene.

    Attributes:
        rules: Rules for its inertials.
        xform: Pose of its root link, or of the document's frame where there are several roots; None places worlds and
            parts fixed to the world at their poses in the document, and lifts all else until it stands on z = 0.
        fixed_base: Whether roots and links on floating joints are fixed.
        collapse_fixed_joints: Whether links that fixed joints connect are merged.
        self_collisions: Whether its links collide with each other unless the description excludes it; otherwise those
            of one model or tree do not.
        positions: Initial joint positions by name, clamped to limits [rad or m]; others start at zero.
    """

    rules: ImportRules
    xform: Xform | None = None
    fixed_base: bool = False
    collapse_fixed_joints: bool = True
    self_collisions: bool = False
    positions: Mapping[str, Position] = field(default_factory=dict)


def add_robot(builder: Scene, robot: Description, options: RobotOptions) -> Articulation:
    """Add a robot to a scene; see `ModelBuilder.add_description`."""
    refuse_what_is_not_simulated(robot)
    if robot.gravity is not None:
        builder.let_fall(robot.gravity)
    softness = split_flexes(robot)
    robot = softness.robot
    locked = {name for name, link in robot.links.items() if states_inertial(robot, link, options.rules)}
    robot, noted = resolve_noting(robot, params=WITHOUT_WARP)
    root_of = trees_of(robot)
    bolted = {root for root in robot.roots if root == WORLD_LINK or _is_held(robot, root)}
    bolted |= set(root_of.values()) if options.fixed_base else set()
    free = tuple(root for root in robot.links if root_of[root] == root and _is_free(robot, root, bolted))
    imported = {name: imported_inertial(robot, link, options.rules) for name, link in robot.links.items()}
    materials = _materials(builder, robot, {} if options.self_collisions else root_of)
    placed = [shape for link in robot.links.values() for shape in _collision_shapes(link, materials[link.name])]
    shapes = [shape for shape, _ in placed]
    positions = start_positions(robot, options.positions)
    link_poses = posed(robot, positions).link_poses
    start = _start(robot, link_poses, shapes, free, options.xform)
    inertials = {name: one.inertial for name, one in imported.items()}
    poses = {name: start @ pose for name, pose in link_poses.items()}
    bodies = _add_bodies(builder, robot, inertials, poses, bolted, locked)
    joining = JointImport(builder, robot, bodies, poses, positions)
    carried = [robot.parent_joint[name] for name in robot.depth_first if name in robot.parent_joint]
    joints = {joint.child: joining.add(joint) for joint in carried if joint.child not in bolted}
    left_out = joining.close(robot.loop_joints) + joining.couple(one for joint in carried for one in joint.row)
    joining.list_starts()
    _add_shapes(builder, robot, placed, bodies)
    kept = set() if options.collapse_fixed_joints else _joints_between_masses(robot, inertials)
    collapse = collapse_joints(builder, {joint for name, joint in joints.items() if name not in kept})
    leave_flat_out(builder, builder.shape_count - len(placed))
    if options.rules.strict:
        _refuse_impossible(builder, robot, {collapse.bodies[body].body for body in bodies.values()})
    dofs = {name: (kept_joint(collapse, joint), dof) for name, (joint, dof) in joining.dofs.items()}
    places = {
        name: LinkPlace(collapse.bodies[bodies[name]].body, collapse.bodies[bodies[name]].pose) for name in robot.links
    }
    left_out += add_flexes(builder, softness, places)
    warn_of_what_is_left_out(robot, left_out)
    assumed = [] if options.rules.ignore_inertial_definitions else [*noted]
    assumed += [finding for one in imported.values() for finding in one.findings]
    findings = (*assumed, *joining.findings, *start_findings(robot, positions, options.positions))
    return Articulation(
        robot,
        places,
        bodies_alone(builder, dofs),
        root_of,
        free,
        findings,
        dofs,
    )


def states_inertial(robot: Description, link: Link, rules: ImportRules) -> bool:
    """Return whether mass properties of a link come from the file, so that shapes added later do not change them."""
    if link.declared is None or link.declared.auto or rules.ignore_inertial_definitions:
        return False
    rules_of_all = robot.mjcf
    if rules_of_all is None or rules_of_all.compiler_of(link.name).inertiafromgeom != "true":
        return True
    return not rules_of_all.geoms[link.name]


def _is_held(robot: Description, root: str) -> bool:
    """Return whether the file holds a root in place."""
    joint = robot.parent_joint.get(root)
    return robot.links[root].is_static or (joint is not None and joint.type is JointType.FIXED)


def trees_of(robot: Description) -> dict[str, str]:
    """Return the root of each link's tree; a floating joint starts a new tree."""
    root_of: dict[str, str] = {}
    for name in robot.depth_first:
        joint = robot.parent_joint.get(name)
        begins = name in robot.roots or joint is None or joint.type is JointType.FLOATING
        root_of[name] = name if begins or joint is None else root_of[joint.parent]
    return root_of


def _is_free(robot: Description, root: str, bolted: set[str]) -> bool:
    """Return whether no joint holds the root of a tree."""
    joint = robot.parent_joint.get(root)
    return root not in bolted and (joint is None or joint.type is JointType.FLOATING)


def kept_joint(collapse: Collapse, joint: int) -> int:
    """Return the new index of a joint that moves; merging never removes it."""
    index = collapse.joints[joint]
    assert index is not None
    return index


def bodies_alone(builder: Scene, dofs: Mapping[str, tuple[int, int]]) -> dict[str, int]:
    """Return the bodies that joints with one coordinate move, by the name of the joint."""
    joints = {name: builder.joints[joint] for name, (joint, _) in dofs.items()}
    return {name: joint.child for name, joint in joints.items() if joint.dof_count == 1}


def _materials(builder: Scene, robot: Description, root_of: Mapping[str, str]) -> dict[str, ShapeConfig]:
    """Return the material of each link's shapes, which weigh nothing by themselves.

    Links of one model do not touch each other, or of one tree in formats without models; others do, and so do those of
    which the file says so. What hangs on the world by a joint touches what stands in it, as what is free does. Without
    trees all links touch what the builder's own shapes touch.
    """
    if not root_of:
        return dict.fromkeys(robot.links, replace(builder.default_shape_cfg, density=0.0).settled())
    owners: dict[str, str] = {}
    for model in robot.models:  # outer ones first
        for name in model.links:
            owners.setdefault(name, model.name)
    owner_of = {
        name: (owners.get(name, root_of[name]), name == WORLD_LINK and link.is_static)
        for name, link in robot.links.items()
    }
    lowest = min((shape.config.collision_group for shape in builder.shapes), default=0)
    config = replace(builder.default_shape_cfg, density=0.0)
    materials = {
        owner: replace(config, collision_group=min(lowest, FIRST_ROBOT_GROUP) - 1 - index).settled()
        for index, owner in enumerate(dict.fromkeys(owner_of.values()))
    }
    first = min(lowest, FIRST_ROBOT_GROUP) - 1 - len(materials)
    loose = [name for name, link in robot.links.items() if link.self_collides]
    alone = {name: replace(config, collision_group=first - index).settled() for index, name in enumerate(loose)}
    return {name: alone.get(name, materials[owner]) for name, owner in owner_of.items()}


def _joints_between_masses(robot: Description, inertials: Mapping[str, Inertial]) -> set[str]:
    """Return the children of fixed joints that can remain bodies: they and their carriers have mass.

    A frame without mass cannot be a body, as it would not move.
    """
    mass: dict[str, float] = {}
    carrier: dict[str, str] = {}
    kept = set()
    for name in robot.depth_first:
        joint = None if name in robot.roots else robot.parent_joint.get(name)
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


def _add_bodies(
    builder: Scene,
    robot: Description,
    inertials: Mapping[str, Inertial],
    poses: Mapping[str, Pose],
    bolted: set[str],
    locked: set[str],
) -> dict[str, int]:
    """Add a body for each link; shapes added later change the mass of bodies that are not locked."""
    return {
        name: builder.add_link(
            poses[name],
            mass=inertials[name].mass,
            inertia=inertials[name].inertia,
            com=inertials[name].com,
            lock_inertia=name in locked,
            is_kinematic=name in bolted,
            gravity_scale=robot.links[name].gravity_scale,
            name=name,
        )
        for name in robot.depth_first
    }


def _refuse_impossible(builder: Scene, robot: Description, bodies: set[int]) -> None:
    """Raise an error for moving bodies whose mass properties no rigid body has.

    Raises:
        SimulationError: There is one.
    """
    for body in sorted(bodies):
        total = builder.inertial(body)
        if not builder.body_kinematic[body] and not total.is_valid():
            name = builder.body_name[body]
            place = f"{robot.links[name].place}: " if name in robot.links else ""
            raise SimulationError(
                f"{place}link {name!r} moves, but together with the bodies fixed to it has impossible mass "
                f"properties: {total.mass:g} kg, tensor diagonal {np.diag(total.inertia).tolist()}; "
                "run: inertia-tools fix"
            )


def _collision_shapes(link: Link, material: ShapeConfig) -> list[tuple[BuiltShape, Shape]]:
    """Return the shapes of a link's collisions in its frame; unusable ones are skipped with a warning."""
    found = []
    for shape in link.collisions:
        try:
            built = shape_of_link(shape, as_it_collides(shape, touching(material, shape.surface)), link.name)
            found.append((replace(built, name=shape.name), shape))
        except (MeshError, OptionError, SimulationError) as error:
            LOG.warning("%s: link %r: a collision shape is omitted: %s", shape.place, link.name, error)
    return found


def as_it_collides(shape: Shape, material: ShapeConfig) -> ShapeConfig:
    """Return the material with the mesh approximation that SDFormat's `optimization` states."""
    wanted = (shape.params or {}).get(OPTIMIZATION, "")
    return replace(material, mesh_approximation=wanted) if wanted in APPROXIMATIONS else material


def _add_shapes(
    builder: Scene,
    robot: Description,
    placed: list[tuple[BuiltShape, Shape]],
    bodies: Mapping[str, int],
) -> None:
    """Add the shapes to their bodies, and exclude the contacts that the description excludes."""
    first = builder.shape_count
    for built, _ in placed:
        builder.shapes.append(replace(built, body=bodies[built.label]))
    numbered = [(first + index, built, shape) for index, (built, shape) in enumerate(placed)]
    keep_apart_as_described(builder, robot, numbered, True)


def keep_apart_as_described(
    builder: Scene, robot: Description, placed: list[tuple[int, BuiltShape, Shape]], self_collisions: bool
) -> None:
    """Exclude collisions as the description does; without self-collision also those of different links."""
    groups = weld_groups(robot)
    by_welds = are_beyond_joints(robot, groups)
    meets_all = all(shape.masks == EVERYTHING for _, _, shape in placed)
    if self_collisions and meets_all and not robot.apart and not by_welds:
        return
    kinds = np.array([shape.masks for _, _, shape in placed], dtype=np.int64).reshape(-1, 2)
    meet = (kinds[:, None, 0] & kinds[None, :, 1]) | (kinds[None, :, 0] & kinds[:, None, 1])
    owners: dict[str, list[int]] = {}
    for index, (_, built, _) in enumerate(placed):
        owners.setdefault(built.label, []).append(index)
    for one, other in (tuple(pair) for pair in robot.apart if len(pair) == 2):
        meet[np.ix_(owners.get(one, []), owners.get(other, []))] = 0
        meet[np.ix_(owners.get(other, []), owners.get(one, []))] = 0
    if by_welds:
        meet[apart_by_welds(robot, groups, [built.label for _, built, _ in placed])] = 0
    if not self_collisions:
        body = np.array([built.body for _, built, _ in placed])
        meet[(body[:, None] != body[None, :]) & (body[:, None] >= 0) & (body[None, :] >= 0)] = 0
    for a, b in np.argwhere(np.triu(meet == 0, 1)).tolist():
        builder.add_shape_collision_filter_pair(placed[a][0], placed[b][0])


def _start(
    robot: Description,
    link_poses: Mapping[str, Pose],
    shapes: list[BuiltShape],
    free: tuple[str, ...],
    xform: Xform | None,
) -> Pose:
    """Return the pose of the document's frame at the start; see `RobotOptions`."""
    if xform is not None:
        pose = as_pose(xform)
        return pose @ link_poses[robot.root].inverse() if len(robot.roots) == 1 else pose
    stated = robot.pose_world_document
    if robot.is_world or not set(robot.roots) <= set(free):
        return stated
    low = min((_lowest(shape, stated @ link_poses[shape.label]) for shape in shapes), default=np.inf)
    return Pose(np.array([0.0, 0.0, -low])) @ stated if np.isfinite(low) else stated


def has_ground(robot: Description) -> bool:
    """Return whether a description includes the ground: it is a world, or a static part is level ground."""
    levels = (Plane, Heightmap)
    still = (link for link in robot.links.values() if link.is_static)
    return robot.is_world or any(isinstance(shape.geometry, levels) for link in still for shape in link.collisions)


def lowest_point(builder: Scene, bodies: Collection[int], poses: Mapping[int, Pose] | None = None) -> float:
    """Return the height of the lowest shape of moving bodies [m], by default the initial one; infinite if none."""
    return min(
        (
            _lowest(shape, builder.body_pose[shape.body] if poses is None else poses[shape.body])
            for shape in builder.shapes
            if shape.body in bodies and shape.body >= 0 and not builder.body_kinematic[shape.body]
        ),
        default=np.inf,
    )


def _lowest(shape: BuiltShape, pose_world_frame: Pose) -> float:
    """Return the height of the lowest point of a shape in some frame [m]; infinite if it has no collision."""
    convex, pose = shape.convex, pose_world_frame @ shape.pose
    if convex is None or not len(convex.features):
        return np.inf
    heights: Array = pose.transform_points(convex.sharp)[:, 2] - (convex.radii - convex.rounding)
    if convex.kind is SolidKind.CYLINDER:
        rim = convex.size[0] * float(np.hypot(pose.rotation[2, 0], pose.rotation[2, 1]))
        heights = heights - np.where(convex.rims, rim, 0.0)
    return float(heights.min())
