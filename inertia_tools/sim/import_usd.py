# SPDX-FileCopyrightText: The inertia_tools authors
# SPDX-License-Identifier: Apache-2.0
"""A USD stage as bodies, shapes and joints of a scene, with what solvers' schemas state of them."""

from __future__ import annotations

import os
import re
import warnings
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from inertia_tools.description.joint import Joint, JointType
from inertia_tools.description.source import Document
from inertia_tools.description.staged import StagedBodies
from inertia_tools.description.types import WORLD, Description
from inertia_tools.description.usd import Selection, document_of, open_stage, read_stage
from inertia_tools.errors import MeshError, OptionError, ParseError, SimulationError
from inertia_tools.inertia.effective import resolve
from inertia_tools.sim.articulation import FIRST_ROBOT_GROUP, Articulation, RobotOptions, add_robot
from inertia_tools.sim.geometry_shape import shape_of_link
from inertia_tools.sim.import_mjcf import up_turn
from inertia_tools.sim.import_rules import WITHOUT_WARP, ImportRules
from inertia_tools.sim.notices import SceneWarning
from inertia_tools.sim.scene_bodies import WORLD as WORLD_BODY
from inertia_tools.sim.start_pose import nearest_to_zero, posed
from inertia_tools.sim.usd_custom import Prims, add_custom_attributes
from inertia_tools.sim.usd_joints import JointSchemas, JointState
from inertia_tools.sim.usd_scene import SceneValues, read_scene
from inertia_tools.sim.usd_shapes import ShapeSchemas, approximated
from inertia_tools.sim.xform import Xform, as_pose
from inertia_tools.spatial import Pose
from inertia_tools.usd import PrimType, ResolverChain, SchemaResolver, SchemaResolverNewton

if TYPE_CHECKING:
    from inertia_tools.sim.builder import ModelBuilder

ONLY_SEEN = frozenset(
    {
        "verbose",
        "load_sites",
        "load_visual_shapes",
        "load_static_visual_shapes",
        "hide_collision_shapes",
        "force_show_colliders",
    }
)
"""Options of Newton's importer about what is drawn or said; nothing depends on them here."""

REFUSED: Mapping[str, tuple[Any, str]] = {
    "base_joint": (None, "add the joint to the base by add_joint, after an import with floating=True"),
    "parent_body": (-1, "a stage stands in the world here; join its base to the other body by add_joint"),
    "override_root_xform": (False, "xform is the pose of the stage"),
    "only_load_enabled_rigid_bodies": (False, "bodies that are switched off stand still"),
    "only_load_enabled_joints": (True, "joints that are switched off do not hold"),
    "joint_ordering": ("dfs", "joints stand parents first"),
    "bodies_follow_joint_ordering": (True, "bodies stand parents first"),
    "parse_mujoco_options": (True, "options of MuJoCo's solver are never read"),
    "mesh_maxhullvert": (None, "hulls keep all their corners"),
    "force_position_velocity_actuation": (False, "drives have the gains that they state"),
    "convert_mjc_equality_constraints": (True, "equality constraints are not read"),
    "legacy_margin_gap": (True, "a margin of MuJoCo is always less its gap, as the page has it"),
    "return_deformable_results": (False, "deformable bodies are not read"),
    "allow_unsafe_torch_checkpoints": (False, "networks are not read"),
}
"""Options of Newton's importer that have no meaning here: their defaults, and why."""


@dataclass(frozen=True, eq=False)
class UsdOptions:
    """How a stage is put into a scene; see `ModelBuilder.add_usd`."""

    schema_resolvers: Sequence[SchemaResolver] | None = None
    xform: Xform | None = None
    floating: bool | None = None
    joint_drive_gains_scaling: float = 1.0
    ignore_paths: Sequence[str] = ()
    collapse_fixed_joints: bool = False
    enable_self_collisions: bool = True
    apply_up_axis_from_stage: bool = False
    root_path: str = "/"
    skip_mesh_approximation: bool = False
    angles_in_degrees: bool = False


def refuse_foreign(options: Mapping[str, Any]) -> None:
    """Refuse options of Newton's importer that would change a result and do nothing here.

    Raises:
        OptionError: One is not at its default.
        TypeError: One is unknown.
    """
    for name, value in options.items():
        if name in ONLY_SEEN:
            continue
        if name not in REFUSED:
            raise TypeError(f"add_usd() got an unexpected keyword argument {name!r}")
        default, reason = REFUSED[name]
        if value != default:
            raise OptionError(name, value, f"{default!r}: {reason}")


def add_usd(builder: ModelBuilder, source: Any, options: UsdOptions) -> dict[str, Any]:
    """Read a stage and add it to a scene."""
    robot = read_source(source, options)
    staged = robot.staged
    assert staged is not None
    chain = ResolverChain(options.schema_resolvers or [SchemaResolverNewton()])
    return _Import(builder, robot, staged, chain, options).run()


def read_source(source: Any, options: UsdOptions) -> Description:
    """Read a file, the text of a layer, an open stage, or take a description that was read from one.

    Raises:
        OptionError: It is no USD, or an expression is none.
        ParseError: It cannot be read.
    """
    try:
        ignored = tuple(re.compile(pattern) for pattern in options.ignore_paths)
    except re.error as error:
        raise OptionError("ignore_paths", error.pattern, f"regular expressions ({error})") from error
    selection = Selection(options.root_path, ignored)
    if isinstance(source, Description):
        if source.staged is None:
            raise OptionError("source", source.document.name, "USD; use add_urdf, add_sdf, add_mjcf or add_description")
        return read_stage(source.staged.stage, source.document, selection)
    if hasattr(source, "GetRootLayer"):
        return read_stage(source, document_of(source), selection)
    document = _document(source)
    return read_stage(open_stage(document), document, selection)


def _document(source: str | bytes | os.PathLike[str]) -> Document:
    """Return the document of a path or of the text of a layer.

    Raises:
        ParseError: The file cannot be read.
    """
    if isinstance(source, bytes) or (isinstance(source, str) and source.lstrip().startswith("#usda")):
        return Document(source if isinstance(source, bytes) else source.lstrip().encode(), "<text>")
    path = Path(source)
    try:
        return Document(path.read_bytes(), str(source), path)
    except (OSError, ValueError) as error:
        raise ParseError(f"cannot be opened: {getattr(error, 'strerror', None) or error}", str(source)) from error


@dataclass(eq=False)
class _Import:
    """One import, while it goes on."""

    builder: ModelBuilder
    robot: Description
    staged: StagedBodies
    chain: ResolverChain
    options: UsdOptions
    body_of: dict[str, int] = field(default_factory=dict)
    joint_of: dict[str, int] = field(default_factory=dict)
    freedom_of: dict[str, Any] = field(default_factory=dict)
    shape_of: dict[str, int] = field(default_factory=dict)
    start: Pose = field(default_factory=Pose)

    def run(self) -> dict[str, Any]:
        """Add everything, and say what became of each prim."""
        scene = read_scene(self.staged, self.chain)
        turn = Pose() if self.options.apply_up_axis_from_stage else up_turn(self.staged.units.up_axis)
        if scene.gravity is not None:
            self.builder.gravity = turn.rotation @ scene.gravity
        joints = JointSchemas(
            self.chain,
            self.staged,
            self.builder.default_joint_cfg,
            self.options.angles_in_degrees,
            self.options.joint_drive_gains_scaling,
        )
        ready = joints.apply(resolve(self.robot, params=WITHOUT_WARP))
        if not self.options.skip_mesh_approximation:
            ready = approximated(ready, self.staged)
        self.start = as_pose(self.options.xform) @ turn
        first_shape = self.builder.shape_count
        articulation = self._add(ready, self.start)
        states = {one.name: joints.state_of(one) for joint in _all_joints(ready) for one in joint.row}
        self._pose(ready, states, articulation)
        self._finish_joints(states, articulation)
        self._finish_shapes(first_shape)
        articulations = self._add_articulations(articulation, first_shape)
        prims = Prims(self.body_of, self.freedom_of, self.shape_of, articulations)
        add_custom_attributes(self.builder, self.staged, prims)
        return self._result(scene, articulation)

    def _add(self, ready: Description, start: Pose) -> Articulation:
        """Add bodies, joints and shapes; what belongs to no body is part of the world."""
        builder, first_joint = self.builder, self.builder.joint_count
        for shape in ready.links[WORLD].collisions:
            try:
                built = shape_of_link(shape, replace(builder.default_shape_cfg, density=0.0), WORLD)
            except (MeshError, OptionError, SimulationError) as error:
                warnings.warn(f"{shape.name}: the collider is left out: {error}", SceneWarning, stacklevel=5)
                continue
            builder.shapes.append(replace(built, body=WORLD_BODY, pose=start @ built.pose, name=shape.name))
        robot = without_world(ready, self.options.floating)
        rules = ImportRules(builder.default_shape_density)
        articulation = _nothing(robot)
        if robot.links:
            frame = start @ robot.link_poses[robot.root] if len(robot.roots) == 1 else start
            options = RobotOptions(rules, frame, False, self.options.collapse_fixed_joints, self_collisions=True)
            articulation = add_robot(builder, robot, options)
        by_name = {builder.joints[index].name: index for index in range(first_joint, builder.joint_count)}
        for joint in (*robot.joints.values(), *robot.loop_joints):
            self._map_joint(joint, by_name, articulation)
        self.body_of = {body.path: articulation.links[name].body for name, body in self.staged.bodies.items()}
        return articulation

    def _map_joint(self, joint: Joint, by_name: Mapping[str, int], articulation: Articulation) -> None:
        """Note the index of each prim of a row of joints, and of its freedom where several prims are one joint."""
        dofs, paths = articulation.joint_dofs, self.staged.joint_paths
        prims = [one.name for one in joint.row if one.name in paths]
        for name in prims:
            index, dof = dofs.get(name, (by_name.get(joint.name), 0))
            if index is not None:
                self.joint_of[paths[name]] = index
                self.freedom_of[paths[name]] = index if len(prims) == 1 else (index, dof)

    def _pose(self, robot: Description, states: Mapping[str, JointState], articulation: Articulation) -> None:
        """Put joints where their schemas say that they start."""
        positions = {name: state.position for name, state in states.items() if state.position}
        if positions:
            start = self.start
            poses = posed(robot, nearest_to_zero(robot) | positions).link_poses
            for name, place in articulation.links.items():
                if place.body != WORLD_BODY and self.builder.body_name[place.body] == name:
                    self.builder.body_pose[place.body] = start @ poses[name]
        if any(state.velocity for state in states.values()):
            message = "velocities of joints at the start are collected, but a scene starts at rest"
            warnings.warn(message, SceneWarning, stacklevel=5)

    def _finish_joints(self, states: Mapping[str, JointState], articulation: Articulation) -> None:
        """Give freedoms the limits of velocity and effort, and the gains of limits, that schemas state."""
        for name, (index, number) in articulation.joint_dofs.items():
            stated = {} if name not in states else states[name].config
            if not stated:
                continue
            joint = self.builder.joints[index]
            dofs = list(joint.dofs)
            dofs[number] = replace(dofs[number], config=replace(dofs[number].config, **stated))
            self.builder.joints[index] = replace(joint, dofs=tuple(dofs))

    def _finish_shapes(self, first_shape: int) -> None:
        """Give shapes the materials that the stage states."""
        schemas, builder = ShapeSchemas(self.chain, self.staged), self.builder
        for index in range(first_shape, builder.shape_count):
            shape = builder.shapes[index]
            self.shape_of[shape.name] = index
            builder.shapes[index] = replace(shape, config=schemas.config(shape.name, shape.config).settled())
        for body in self.staged.bodies.values():
            schemas.look_at_body(body.path)
        if schemas.unplaced:
            named = ", ".join(schemas.unplaced)
            message = f"the stage states what this simulator has no place for; it is in schema_attrs only: {named}"
            warnings.warn(message, SceneWarning, stacklevel=5)

    def _add_articulations(self, articulation: Articulation, first_shape: int) -> dict[str, int]:
        """Count the articulations of the stage, and keep the links of one apart that is not to touch itself."""
        found = {}
        for path in self.staged.articulation_roots:
            prim = self.staged.stage.GetPrimAtPath(path)
            self.chain.collect(prim)
            touches = self.chain.authored(prim, PrimType.ARTICULATION, "self_collision_enabled")
            found[path] = self.builder.add_articulation(path)
            if not (self.options.enable_self_collisions if touches is None else touches):
                self._keep_apart(self._links_of(path, articulation), first_shape)
        return found

    def _links_of(self, path: str, articulation: Articulation) -> set[str]:
        """Name the links of an articulation: those under its prim, and those that share a tree with them."""
        under = {name for name, body in self.staged.bodies.items() if f"{body.path}/".startswith(f"{path}/")}
        roots = {articulation.root_of[name] for name in under}
        return {name for name, root in articulation.root_of.items() if root in roots}

    def _keep_apart(self, links: Iterable[str], first_shape: int) -> None:
        """Give the shapes of links a collision group that does not touch itself."""
        links = set(links)
        group = min((s.config.collision_group for s in self.builder.shapes), default=0)
        group = min(group, FIRST_ROBOT_GROUP) - 1
        for index in range(first_shape, self.builder.shape_count):
            shape = self.builder.shapes[index]
            if shape.label in links:
                self.builder.shapes[index] = replace(shape, config=replace(shape.config, collision_group=group))

    def _result(self, scene: SceneValues, articulation: Articulation) -> dict[str, Any]:
        """Return what Newton's importer returns, by the same names, and what was assumed about inertials."""
        stage, units = self.staged.stage, self.staged.units
        scales = {c.path: c.scale for body in self.staged.bodies.values() for c in body.colliders}
        scales |= {c.path: c.scale for c in self.staged.colliders}
        paths = {name: body.path for name, body in self.staged.bodies.items()}
        merged = {
            paths[name]: place.pose_body_link
            for name, place in articulation.links.items()
            if place.body == WORLD_BODY or self.builder.body_name[place.body] != name
        }
        return {
            "fps": stage.GetFramesPerSecond(),
            "duration": stage.GetEndTimeCode() - stage.GetStartTimeCode(),
            "up_axis": units.up_axis,
            "path_body_map": dict(self.body_of),
            "path_joint_map": dict(self.joint_of),
            "path_shape_map": dict(self.shape_of),
            "path_shape_scale": {path: scales[path] for path in self.shape_of if path in scales},
            "mass_unit": units.kilogram,
            "linear_unit": units.metre,
            "scene_attributes": scene.attributes,
            "physics_scene_path": scene.path,
            "physics_dt": scene.physics_dt,
            "max_solver_iterations": scene.max_solver_iterations,
            "schema_attrs": self.chain.schema_attrs,
            "collapse_results": merged if self.options.collapse_fixed_joints else None,
            "path_body_relative_transform": merged,
            "path_particle_map": {},
            "particle_scene_path": None,
            "actuator_count": 0,
            "findings": articulation.findings,
            "articulation": articulation,
        }


def without_world(robot: Description, floating: bool | None) -> Description:
    """Return the description with the world for the parent of joints only, and no link.

    Args:
        robot: The description.
        floating: What stands in the world is free if True, fixed if False, and as the stage says if None.
    """
    poses = robot.link_poses
    joints = {name: _based(joint, floating) for name, joint in robot.joints.items()}
    roots = tuple(joint.child for joint in joints.values() if joint.parent == WORLD)
    return replace(
        robot,
        links={name: link for name, link in robot.links.items() if name != WORLD},
        joints=joints,
        roots=roots,
        root_poses={name: poses[name] for name in roots},
    )


def _based(joint: Joint, floating: bool | None) -> Joint:
    if joint.parent != WORLD or floating is None:
        return joint
    kind = JointType.FLOATING if floating else JointType.FIXED
    return Joint(joint.name, kind, joint.parent, joint.child, joint.pose_parent_child, joint.place)


def _all_joints(robot: Description) -> list[Joint]:
    return [*robot.joints.values(), *robot.loop_joints]


def _nothing(robot: Description) -> Articulation:
    return Articulation(robot, {}, {}, {}, ())
