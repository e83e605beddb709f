# SPDX-FileCopyrightText: The inertia_tools authors
# SPDX-License-Identifier: Apache-2.0
"""A description as Newton's importers put it into a scene: every link a body, every joint a joint, visuals and sites.

`ModelBuilder.add_description` and `Simulation` merge what has no effect on motion instead; see `add_robot`.
"""

from __future__ import annotations

import logging
import warnings
from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass, field, replace

from inertia_tools.description.types import WORLD as WORLD_LINK
from inertia_tools.description.types import Description, JointType, Link, Shape
from inertia_tools.errors import MeshError, OptionError, SimulationError
from inertia_tools.inertia.effective import resolve_noting
from inertia_tools.sim.importing.articulation import (
    NOTHING,
    Articulation,
    LinkPlace,
    as_it_collides,
    bodies_alone,
    keep_apart_as_described,
    kept_joint,
    states_inertial,
    trees_of,
)
from inertia_tools.sim.importing.base import Base
from inertia_tools.sim.importing.flexes import Softness, add_flexes, split_flexes
from inertia_tools.sim.importing.geometry_shape import leave_flat_out, shape_of_link
from inertia_tools.sim.importing.joints import JointImport
from inertia_tools.sim.importing.limits import refuse_what_is_not_simulated, warn_of_what_is_left_out
from inertia_tools.sim.importing.rules import WITHOUT_WARP, ImportRules, imported_inertial
from inertia_tools.sim.importing.start_pose import Position, posed, start_findings, start_positions
from inertia_tools.sim.importing.surface import touching
from inertia_tools.sim.scene.bodies import WORLD
from inertia_tools.sim.scene.built_shape import BuiltShape
from inertia_tools.sim.scene.collapse import collapse_joints
from inertia_tools.sim.scene.joint_kind import JointKind
from inertia_tools.sim.scene.mesh_shape import Triple
from inertia_tools.sim.scene.notices import SceneWarning
from inertia_tools.sim.scene.scene import Scene
from inertia_tools.sim.scene.shape_config import ShapeConfig
from inertia_tools.spatial import Pose

LOG = logging.getLogger(__name__)

TO_CALLER_OF_IMPORTER = 7
"""Frames from where a shape is made to the call of `ModelBuilder.add_urdf` or `add_mjcf`."""


@dataclass(frozen=True, eq=False)
class Names:
    """Names of what is imported.

    Attributes:
        root: That of the robot.
        link: Returns the name of a link's body.
        joint: Returns the name of a joint from its own name and that of its child body.
        shape: Returns the name of a shape from its link's name, its own name and its number in the link.
        tree: Returns the name of an articulation, of the link at its top; None for that of the robot.
    """

    root: str
    link: Callable[[str], str]
    joint: Callable[[str, str], str]
    shape: Callable[[str, str, int], str]
    tree: Callable[[str], str] | None = None


@dataclass(frozen=True, eq=False)
class Whole:
    """Options for adding a description to a scene.

    Attributes:
        base: Joints of its roots.
        rules: Rules for its inertials.
        names: Names of what is imported.
        turn: Rotation from the file's up axis to that of the scene.
        roots_are_free: Whether roots without a joint in the file are free, unless the base states otherwise.
        order: Names of links in the order of their bodies; None for parents first.
        joint_order: Names of links in the order of their parent joints.
        collapse_fixed_joints: Whether links that fixed joints connect are merged.
        collapse_massless_root: Whether a massless free root is merged with links on its fixed joints.
        self_collisions: Whether its links collide with each other unless the description excludes it.
        visuals: Whether visuals become non-colliding shapes.
        hide_visuals: Whether visuals are hidden.
        show_colliders: Whether colliders are drawn in addition to visuals.
        drawn: Colliders that are always drawn, by the name of the link and their number in it.
        sites: Sites by the name of the link, as non-colliding shapes.
        site_sizes: Sizes that the file gives each of them, where it gives more than the shape needs.
        named: Names of joints that a file names itself, which those of roots keep.
        disabled: Names of disabled joints.
        tied: Root links that an external constraint holds in place of an imported joint.
        positions: Initial joint positions by name [rad or m].
        frames: Frame that the pose of a tree is that of, by the link at its top and seen from the file's frame, where
            it is not that of the link.
    """

    base: Base
    rules: ImportRules
    names: Names
    turn: Pose = field(default_factory=Pose)
    roots_are_free: bool = False
    order: Sequence[str] | None = None
    joint_order: Sequence[str] | None = None
    collapse_fixed_joints: bool = False
    collapse_massless_root: bool = False
    self_collisions: bool = True
    visuals: bool = True
    hide_visuals: bool = False
    show_colliders: bool = False
    drawn: Collection[tuple[str, int]] = ()
    sites: Mapping[str, Sequence[Shape]] = field(default_factory=dict)
    site_sizes: Mapping[str, Sequence[Triple]] = field(default_factory=dict)
    named: Collection[str] = ()
    disabled: Collection[str] = ()
    tied: Collection[str] = ()
    positions: Mapping[str, Position] = field(default_factory=dict)
    frames: Mapping[str, Pose] = field(default_factory=dict)


def _built(link: Link, shape: Shape, material: ShapeConfig) -> BuiltShape | None:
    """Return a shape in the frame of its link; one that cannot collide as asked, as a flat mesh, touches nothing.

    None, with a warning, for one that cannot be used at all.
    """
    try:
        return shape_of_link(shape, material, link.name)
    except SimulationError as error:
        LOG.warning("%s: link %r: a shape does not collide: %s", shape.place, link.name, error)
    except (MeshError, OptionError) as error:
        message = f"{shape.place}: link {link.name!r}: a shape is omitted: {error}"
        warnings.warn(message, SceneWarning, stacklevel=TO_CALLER_OF_IMPORTER)
        return None
    try:
        return shape_of_link(shape, replace(material, has_shape_collision=False), link.name)
    except SimulationError:
        return None


def add_whole(builder: Scene, robot: Description, options: Whole) -> Articulation:
    """Add a description to a scene.

    Raises:
        OptionError: Two options of the base contradict each other.
        SimulationError: The description has an unsupported element.
    """
    options.base.check(builder)
    refuse_what_is_not_simulated(robot)
    softness = split_flexes(robot)
    robot = softness.robot
    locked = {name for name, link in robot.links.items() if states_inertial(robot, link, options.rules)}
    robot, noted = resolve_noting(robot, params=WITHOUT_WARP)
    if robot.gravity is not None:
        builder.let_fall(options.turn.rotation @ robot.gravity)
    added = _Import(builder, robot, options, locked, softness).run()
    return added if options.rules.ignore_inertial_definitions else replace(added, findings=(*noted, *added.findings))


@dataclass(eq=False)
class _Import:
    """One import, while it goes on."""

    builder: Scene
    robot: Description
    options: Whole
    locked: set[str]
    softness: Softness
    bodies: dict[str, int] = field(default_factory=dict)
    poses: dict[str, Pose] = field(default_factory=dict)
    joints: dict[str, int] = field(default_factory=dict)
    shapes: list[tuple[int, Shape]] = field(default_factory=list)
    _free: set[str] = field(default_factory=set)

    def run(self) -> Articulation:
        """Add everything."""
        builder, robot, options = self.builder, self.robot, self.options
        moving = [name for name in options.order or robot.depth_first if name != WORLD_LINK]
        imported = {name: imported_inertial(robot, robot.links[name], options.rules) for name in moving}
        positions = start_positions(robot, options.positions)
        self.poses = self._poses(positions)
        for name in moving:
            inertial = imported[name].inertial
            self.bodies[name] = builder.add_link(
                self.poses[name],
                mass=inertial.mass,
                inertia=inertial.inertia,
                com=inertial.com,
                lock_inertia=name in self.locked,
                is_kinematic=robot.links[name].is_static,
                gravity_scale=robot.links[name].gravity_scale,
                name=name,
                label=options.names.link(name),
            )
        joining = JointImport(builder, robot, self.bodies, self.poses, positions, options.names.joint)
        first_joint = builder.joint_count
        self._add_joints(joining)
        row = [one for joint in robot.joints.values() for one in joint.row]
        left_out = joining.close(robot.loop_joints) + joining.couple(row)
        joining.list_starts()
        self._switch_off(first_joint)
        first_shape = builder.shape_count
        self._add_shapes()
        collapse = collapse_joints(builder, self._to_merge(first_joint))
        leave_flat_out(builder, first_shape)
        places = {name: LinkPlace(collapse.bodies[b].body, collapse.bodies[b].pose) for name, b in self.bodies.items()}
        left_out += add_flexes(builder, self.softness, self._world_place() | places)
        warn_of_what_is_left_out(robot, left_out)
        dofs = {name: (kept_joint(collapse, joint), dof) for name, (joint, dof) in joining.dofs.items()}
        alone = bodies_alone(builder, dofs)
        assumed = [finding for one in imported.values() for finding in one.findings]
        findings = (*assumed, *joining.findings, *start_findings(robot, positions, options.positions))
        root_of = trees_of(robot)
        free = tuple(name for name in self.bodies if self._floats(name))
        carriers = {name: collapse.joints[joint] for name, joint in self.joints.items()}
        link_joints = {name: joint for name, joint in carriers.items() if joint is not None}
        shapes = tuple(self.shapes)
        return Articulation(robot, places, alone, root_of, free, findings, dofs, link_joints, shapes)

    def _world_place(self) -> dict[str, LinkPlace]:
        """Return where the link is that stands for the world, by its name; it is no body."""
        start = self.options.base.start(self.builder, self.options.turn)
        return {WORLD_LINK: LinkPlace(WORLD, start @ self.poses_of_world(WORLD_LINK))}

    def _poses(self, positions: Mapping[str, Position]) -> dict[str, Pose]:
        """Return the pose of each link in the world."""
        base, start = self.options.base, self.options.base.start(self.builder, self.options.turn)
        stated = posed(self.robot, positions).link_poses
        if not base.override_root_xform:
            return {name: start @ pose for name, pose in stated.items()}
        root_of = trees_of(self.robot)
        roots = {name: self._top(name, root_of) for name in stated}
        origins = {root: self.options.frames.get(root, stated[root]).inverse() for root in set(roots.values())}
        return {name: start @ origins[roots[name]] @ pose for name, pose in stated.items()}

    def _top(self, name: str, root_of: Mapping[str, str]) -> str:
        """Return the link of a tree that is joined to the world."""
        root = root_of[name]
        while root == WORLD_LINK and name != WORLD_LINK:
            joint = self.robot.parent_joint[name]
            if joint.parent == WORLD_LINK:
                return name
            name = joint.parent
        return root

    def _add_joints(self, joining: JointImport) -> None:
        """Add the joints of each tree behind that which holds its root, and make them an articulation."""
        builder, robot, options = self.builder, self.robot, self.options
        order = [name for name in options.joint_order or robot.depth_first if name != WORLD_LINK]
        tops = [name for name in order if self._is_top(name)]
        for top in tops:
            first = builder.joint_count
            for name in order:
                if self._carrier(name) == top and not (name == top and name in options.tied):
                    self.joints[name] = self._add_joint(joining, name)
            label = options.names.root if len(tops) == 1 else f"{options.names.root}/{top}".lstrip("/")
            if options.names.tree is not None:
                label = options.names.tree(top)
            options.base.gather(builder, range(first, builder.joint_count), label or top)

    def _is_top(self, name: str) -> bool:
        joint = self.robot.parent_joint.get(name)
        return joint is None or joint.parent == WORLD_LINK or joint.parent not in self.robot.links

    def _carrier(self, name: str) -> str:
        """Return the link at the top of the tree that a link is part of."""
        while not self._is_top(name):
            name = self.robot.parent_joint[name].parent
        return name

    def _add_joint(self, joining: JointImport, name: str) -> int:
        """Add the joint that carries a link, and return its index."""
        joint, base = self.robot.parent_joint.get(name), self.options.base
        is_root = self._is_top(name)
        said = base.floating is not None or base.base_joint is not None
        held = joint is None or joint.type in (JointType.FIXED, JointType.FLOATING)
        if not is_root or not (held or said):
            assert joint is not None
            return joining.add(joint)
        is_free = self.options.roots_are_free if joint is None else joint.type is JointType.FLOATING
        label = self.options.names.root or self.options.names.link(name)
        index = base.hold(self.builder, self.bodies[name], is_free, label)
        if self.builder.joints[index].kind is JointKind.FREE:
            self._free.add(name)
        as_stated = joint is not None and base.base_joint is None and base.floating is None
        if joint is not None and as_stated and (joint.type is JointType.FLOATING or joint.name in self.options.named):
            self._rename(index, joint.name, name)
        return index

    def _rename(self, index: int, name: str, link: str) -> None:
        """Give a joint that the file has the name that it has there."""
        own = f"{link}_freejoint" if name.startswith("joint ") else name
        joint = self.builder.joints[index]
        self.builder.joints[index] = replace(joint, name=own, label=self.options.names.joint(own, link))

    def _floats(self, name: str) -> bool:
        """Return whether a link is at the top of a tree that nothing holds."""
        return self._is_top(name) and name in self._free

    def _switch_off(self, first_joint: int) -> None:
        """Let the joints not act that the file switches off."""
        for index in range(first_joint, self.builder.joint_count):
            joint = self.builder.joints[index]
            if joint.name in self.options.disabled:
                self.builder.joints[index] = replace(joint, enabled=False, filters_always=False)

    def _to_merge(self, first_joint: int) -> set[int]:
        """Return the joints whose children become part of what carries them."""
        builder, options = self.builder, self.options
        own = range(first_joint, builder.joint_count)
        fixed = {index for index in own if builder.joints[index].kind is JointKind.FIXED}
        if options.collapse_fixed_joints:
            return fixed
        if not options.collapse_massless_root:
            return set()
        chosen: set[int] = set()
        light = {j.child for j in builder.joints[first_joint:] if j.kind is JointKind.FREE}
        for index in own:
            joint = builder.joints[index]
            if index in fixed and joint.parent in light and builder.body_mass[joint.parent] == 0.0:
                chosen.add(index)
                if builder.body_mass[joint.child] == 0.0:
                    light.add(joint.child)
        return chosen

    def _add_shapes(self) -> None:
        """Add visuals, colliders and sites of all links."""
        builder, options = self.builder, self.options
        has_visuals = options.visuals and any(link.visuals for link in self.robot.links.values())
        colliding: list[tuple[int, BuiltShape, Shape]] = []
        material = replace(builder.default_shape_cfg, density=0.0)
        is_shown = options.show_colliders or not has_visuals
        collider = replace(material, is_visible=material.is_visible and is_shown)
        visual = replace(material, has_shape_collision=False, has_particle_collision=False)
        visual.is_visible = not options.hide_visuals
        site = replace(builder.default_site_cfg)
        for name in (WORLD_LINK, *self.bodies):
            link = self.robot.links.get(name)
            if link is None:
                continue
            number = 0
            kinds = ((link.visuals if options.visuals else (), visual), (link.collisions, collider))
            sizes = iter(options.site_sizes.get(name, ()))
            for shapes, config in (*kinds, (options.sites.get(name, ()), site)):
                for own, shape in enumerate(shapes):
                    is_drawn = config is collider and (name, own) in options.drawn
                    look = replace(config, is_visible=material.is_visible) if is_drawn else config
                    built = self._shape(link, shape, look, number)
                    number += 1
                    size = next(sizes, None) if config is site else None
                    if built is not None:
                        built = built if size is None else replace(built, scale=size)
                        if config is collider:
                            colliding.append((builder.shape_count, built, shape))
                        self.shapes.append((builder.shape_count, shape))
                        builder.shapes.append(built)
        keep_apart_as_described(builder, self.robot, colliding, options.self_collisions)

    def _shape(self, link: Link, shape: Shape, config: ShapeConfig, number: int) -> BuiltShape | None:
        """Return a shape on its body; None, with a warning, for one that cannot be used."""
        material = config if config.is_site else as_it_collides(shape, touching(config, shape.surface))
        if shape.masks == NOTHING:
            material = replace(material, collision_group=0)
        built = _built(link, shape, material.settled())
        if built is None:
            return None
        body = self.bodies.get(link.name, WORLD)
        start = self.options.base.start(self.builder, self.options.turn) if body == WORLD else Pose()
        colour = shape.colour
        return replace(
            built,
            body=body,
            pose=start @ self.poses_of_world(link.name) @ built.pose if body == WORLD else built.pose,
            name=shape.name,
            path=self.options.names.shape(link.name, shape.name, number),
            color=None if colour is None else colour[:3],
            opacity=1.0 if colour is None else colour[3],
            world=self.builder.world_of_body(body),
        )

    def poses_of_world(self, name: str) -> Pose:
        """Return the pose of a link that is part of the world, in the file's frame."""
        return self.robot.link_poses.get(name, Pose())
